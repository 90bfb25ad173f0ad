"""What a user adds to the user data of a node group."""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from . import mime, nodeadm
from .kubelet_fields import pair_problems
from .kubelet_flags import flag_name
from .problems import refuse

__all__ = ["UserDataPart", "overlap_problems", "together_problems", "user_node_config"]

# What AL2 scripts did, and how AL2023 spells it. They do nothing on AL2023, and
# nobody is told.
_AL2_HABITS = {
    "USE_MAX_PODS": "kubelet.max_pods of the group",
    "--use-max-pods": "kubelet.max_pods of the group",
    "KUBELET_EXTRA_ARGS": "spec.kubelet.config of a node-config part",
    "--kubelet-extra-args": "spec.kubelet.config of a node-config part",
    "BOOTSTRAP_ARGS": "spec.kubelet.config of a node-config part",
    "/etc/eks/bootstrap.sh": "a node-config part (the library adds the cluster)",
    "kubelet-config.json": "spec.kubelet.config of a node-config part",
    "eni-max-pods.txt": "kubelet.max_pods of the group",
}
_OTHER_SYSTEMS = {
    r"<(powershell|script)>": "Windows",
    r"\[settings(\.[\w.-]+)?\]": "Bottlerocket",
}

# Keys of a NodeConfig that the library writes itself, and where the user sets them.
_CONFIG_FIELDS = {
    "maxPods": "kubelet.max_pods",
    "kubeReserved": "kubelet.max_pods, from which it is computed",
    "registryPullQPS": "kubelet.registry_pull_qps",
    "registryBurst": "kubelet.registry_burst",
    "serializeImagePulls": "kubelet.max_parallel_image_pulls",
    "maxParallelImagePulls": "kubelet.max_parallel_image_pulls",
    "runtimeRequestTimeout": "kubelet.runtime_request_timeout",
}
_FLAGS = {
    "max-pods": "kubelet.max_pods",
    "kube-reserved": "kubelet.max_pods, from which it is computed",
    "registry-qps": "kubelet.registry_pull_qps",
    "registry-burst": "kubelet.registry_burst",
    "serialize-image-pulls": "kubelet.max_parallel_image_pulls",
    "max-parallel-image-pulls": "kubelet.max_parallel_image_pulls",
    "runtime-request-timeout": "kubelet.runtime_request_timeout",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class UserDataPart:
    """
    A part that is added to the user data of every node of a group.

    Args:
        kind: ``node-config`` for a NodeConfig, ``shell`` for a script that runs
            before the node joins.
        content: Plain text. It is encoded once, by the library, where AWS wants it.

    Raises:
        ValueError: The text is encoded already, is a multipart document, differs
            from the schema of NodeConfig or from what the kubelet and containerd take
            (the wrong key or value is named with its path), is a script without a
            first line ``#!``, or is written for another system.

    Sources:
        amazon-eks-ami, nodeadm. cloud-init documentation, user data formats.
    """

    kind: Literal["node-config", "shell"]
    content: str

    def __post_init__(self) -> None:
        if self.kind not in _MEDIA_TYPES:
            raise ValueError(f"kind must be node-config or shell, got kind={self.kind}")
        problems = _form_problems(self.content)
        if not problems and self.kind == "shell":
            problems = _script_problems(self.content)
        refuse(problems)
        if self.kind == "node-config":
            nodeadm.read_node_config(self.content)

    @property
    def mime_part(self) -> mime.Part:
        """The part as the document carries it."""
        return mime.Part(content_type=_MEDIA_TYPES[self.kind], content=self.content)


_MEDIA_TYPES = {"node-config": mime.NODE_CONFIG, "shell": mime.SHELL}


def overlap_problems(
    part: UserDataPart, *, tuned: bool, managed: bool = False
) -> list[str]:
    """
    List what a part would undo, or would be overruled in, and the field to set instead.

    Args:
        part: Part of the user.
        tuned: Whether the group has a `KubeletTuning`, whose keys are then taken.
        managed: Whether EKS adds a NodeConfig of its own, with its ``maxPods``.
    """
    if part.kind != "node-config":
        return []
    spec = nodeadm.read_node_config(part.content).get("spec", {})
    filled = ["spec.cluster, which is filled in"] if "cluster" in spec else []
    taken = _taken_keys(spec.get("kubelet", {}), tuned, tuned or managed)
    return [
        f"user_data must leave out {what}"
        for what in (*filled, *(f"{key}, set {field}" for key, field in taken.items()))
    ]


def user_node_config(parts: Iterable[UserDataPart]) -> dict[str, Any]:
    """Return what nodeadm makes of the NodeConfigs among the parts of a user."""
    return nodeadm.merge(
        nodeadm.read_node_config(part.content)
        for part in parts
        if part.kind == "node-config"
    )


def together_problems(parts: Iterable[UserDataPart]) -> list[str]:
    """List kubelet fields that do not go together once nodeadm has merged the parts."""
    kubelet = user_node_config(parts).get("spec", {}).get("kubelet", {})
    return [
        f"user_data: spec.kubelet.config.{line}"
        for line in pair_problems(kubelet.get("config", {}))
    ]


def _taken_keys(kubelet: Mapping[str, Any], tuned: bool, sized: bool) -> dict[str, str]:
    """
    Name the keys that a part must leave out, each with the field to set.

    Args:
        kubelet: `spec.kubelet` of a NodeConfig.
        tuned: Whether the group has limits of the kubelet.
        sized: Whether somebody else decides how many pods a node has.
    """
    pods = {"maxPods": "kubelet.max_pods"} if sized else {}
    pods_flag = {"max-pods": "kubelet.max_pods"} if sized else {}
    fields = {"registerWithTaints": "taints"} | pods | (_CONFIG_FIELDS if tuned else {})
    flags = {"node-labels": "labels", "register-with-taints": "taints"} | pods_flag
    flags |= _FLAGS if tuned else {}
    config = {
        f"spec.kubelet.config.{key}": fields[key]
        for key in kubelet.get("config", {})
        if key in fields
    }
    said = [flag for flag in kubelet.get("flags", []) if flag.startswith("-")]
    given = [flag_name(flag) for flag in said]
    arguments = {f"the flag --{name}": flags[name] for name in given if name in flags}
    expression = (
        {"spec.kubelet.maxPodsExpression": "kubelet.max_pods"}
        if sized and "maxPodsExpression" in kubelet
        else {}
    )
    return config | arguments | expression


def _form_problems(content: str) -> list[str]:
    if not content.strip():
        return ["content must not be empty"]
    if "\r" in content or "\0" in content:
        return ["content must be text with Unix line ends"]
    if re.match(r"(mime-version|content-type):", content.lstrip(), re.IGNORECASE):
        return ["content must be one part, got a multipart document: give each part"]
    if _is_encoded(content):
        return ["content must be plain text, got base64: it is encoded once, later"]
    for pattern, system in _OTHER_SYSTEMS.items():
        if re.search(rf"^\s*{pattern}", content, re.MULTILINE):
            return [f"content must be for Amazon Linux 2023, got {system}: Linux only"]
    return []


def _is_encoded(content: str) -> bool:
    text = "".join(content.split())
    try:
        return len(text) >= 16 and bool(base64.b64decode(text, validate=True))
    except binascii.Error:
        return False


def _script_problems(content: str) -> list[str]:
    if not content.startswith("#!"):
        return ["content of a script must begin with #!, such as #!/bin/bash"]
    commands = "\n".join(
        line for line in content.splitlines() if not line.lstrip().startswith("#")
    )
    return [
        f"content must leave out {habit}, which does nothing on Amazon Linux 2023: "
        f"use {instead}"
        for habit, instead in _AL2_HABITS.items()
        if habit in commands
    ]
