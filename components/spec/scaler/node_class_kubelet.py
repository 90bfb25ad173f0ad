"""Which kubelet setting goes into a node class, and which into user data."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import yaml

from .. import mime, nodeadm
from ..groups import JobGroup, NodeGroup
from ..instance_types import InstanceTypes
from ..kubelet import KubeletTuning
from ..kubelet_flags import flag_name
from ..user_data import UserDataPart, overlap_problems, user_node_config
from .instance_store import is_striped
from .karpenter import ServerPool

__all__ = ["CLASS_FIELDS", "node_configuration", "split", "user_data_problems"]

CLASS_FIELDS = (
    "clusterDNS",
    "maxPods",
    "podsPerCore",
    "systemReserved",
    "kubeReserved",
    "evictionHard",
    "evictionSoft",
    "evictionSoftGracePeriod",
    "evictionMaxPodGracePeriod",
    "imageGCHighThresholdPercent",
    "imageGCLowThresholdPercent",
    "cpuCFSQuota",
)
"""
Fields that `spec.kubelet` of a node class has in every version.

Karpenter plans with what stands here and never looks into user data, so what it
knows must stand here; anything else is refused before 1.15.

Sources: karpenter-provider-aws 1.14, pkg/apis/v1/ec2nodeclass.go.
"""

# Flags that change what a node has left, behind the back of Karpenter.
_HIDDEN_FLAGS = {
    "cluster-dns": "clusterDNS",
    "pods-per-core": "podsPerCore",
    "system-reserved": "systemReserved",
    "eviction-hard": "evictionHard",
    "eviction-soft": "evictionSoft",
    "eviction-soft-grace-period": "evictionSoftGracePeriod",
    "eviction-max-pod-grace-period": "evictionMaxPodGracePeriod",
    "image-gc-high-threshold": "imageGCHighThresholdPercent",
    "image-gc-low-threshold": "imageGCLowThresholdPercent",
    "cpu-cfs-quota": "cpuCFSQuota",
}


# Where Karpenter takes fewer signals than the kubelet.
_SIGNALS = (
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    "pid.available",
)


def split(config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split a KubeletConfiguration into what the class takes, and the rest."""
    taken = {key: config[key] for key in config if key in CLASS_FIELDS}
    return taken, {key: config[key] for key in config if key not in taken}


def node_configuration(
    group: NodeGroup, instance_types: InstanceTypes, *, extended: bool = False
) -> tuple[dict[str, Any], str | None]:
    """
    Return `spec.kubelet` and `spec.userData` of a node class.

    Fields of the user's NodeConfig parts that belong into the class are moved there,
    and so is RAID0 for the disks of the instance (`is_striped`); a part that holds
    nothing else is left out, and any other part stays as it is.

    Args:
        group: Job group or server pool.
        instance_types: Facts about its types. When none is known, nothing is
            reserved by name, and Karpenter and the node compute the same.
        extended: Whether the class takes every field.

    Shape:
        A map without registerWithTaints, which Karpenter adds; a multipart text that
        is not base64, or None when nothing is left for it.

    Raises:
        ValueError: The text is above 16 KiB.
    """
    ours = _ours(group, instance_types)
    taken, rest = (ours, {}) if extended else split(ours)
    parts = [_config_part({"kubelet": {"config": rest}})] if rest else []
    striped = is_striped(group)
    parts += [
        part for one in group.user_data for part in _without_class_fields(one, striped)
    ]
    moved, _ = split(_kubelet_config(user_node_config(group.user_data)))
    return {**taken, **moved}, mime.render(parts) if parts else None


def user_data_problems(part: UserDataPart) -> Iterator[str]:
    """
    List what Karpenter always writes itself, or would plan without.

    What Karpenter 1.15 refuses in a class it tells in a status of the class alone.

    Sources:
        karpenter-provider-aws#8210, #8739 (maxPods has no effect), #7486 (a flag
        for taints keeps nodes from registering), #4452 (nodes that never fit).
        karpenter-provider-aws 1.15.1, pkg/apis/v1/kubeletconfiguration_validation.go.
    """
    yield from overlap_problems(part, tuned=True)
    if part.kind != "node-config":
        return
    document = nodeadm.read_node_config(part.content)
    yield from _refused_values(_kubelet_config(document))
    for flag in document.get("spec", {}).get("kubelet", {}).get("flags", []):
        name = flag_name(flag)
        if name in _HIDDEN_FLAGS:
            yield (
                f"user_data must leave out the flag --{name}, which Karpenter does "
                f"not see, set spec.kubelet.config.{_HIDDEN_FLAGS[name]}"
            )


def _refused_values(config: Mapping[str, Any]) -> Iterator[str]:
    for field in ("evictionHard", "evictionSoft", "evictionSoftGracePeriod"):
        for key in config.get(field, {}):
            if key not in _SIGNALS:
                yield (
                    f"user_data: spec.kubelet.config.{field} must have keys of "
                    f"{', '.join(_SIGNALS)} with Karpenter, got {key!r}"
                )
    seconds = config.get("evictionMaxPodGracePeriod", 0)
    if seconds < 0:
        yield (
            f"user_data: spec.kubelet.config.evictionMaxPodGracePeriod must be 0 or "
            f"more with Karpenter, got {seconds}"
        )


def _ours(group: NodeGroup, instance_types: InstanceTypes) -> dict[str, Any]:
    tuning = _tuning(group)
    if tuning is None:
        return {}
    found = [instance_types.find(name) for name in group.instance_types]
    vcpus = max((one.vcpus for one in found if one is not None), default=None)
    return tuning.config(vcpus)


def _tuning(group: NodeGroup) -> KubeletTuning | None:
    return group.kubelet if isinstance(group, JobGroup | ServerPool) else None


def _without_class_fields(part: UserDataPart, striped: bool) -> list[mime.Part]:
    if part.kind != "node-config":
        return [part.mime_part]
    spec = nodeadm.read_node_config(part.content).get("spec", {})
    left = _without(spec, ("kubelet", "config"), CLASS_FIELDS)
    if striped:
        left = _without(left, ("instance", "localStorage"), ("strategy",))
    if left == spec:
        return [part.mime_part]
    return [_config_part(left)] if left else []


def _without(
    tree: Mapping[str, Any], path: Sequence[str], keys: Collection[str]
) -> dict[str, Any]:
    """Drop *keys* of the map at *path*, and each map on the way that is empty then."""
    if not path:
        return {key: one for key, one in tree.items() if key not in keys}
    if path[0] not in tree:
        return dict(tree)
    inner = _without(tree[path[0]], path[1:], keys)
    whole = {**tree, path[0]: inner}
    return {key: one for key, one in whole.items() if key != path[0] or inner}


def _kubelet_config(document: Mapping[str, Any]) -> dict[str, Any]:
    return document.get("spec", {}).get("kubelet", {}).get("config", {})


def _config_part(spec: Mapping[str, Any]) -> mime.Part:
    document = {"apiVersion": nodeadm.API_VERSION, "kind": "NodeConfig", "spec": spec}
    return mime.Part(
        content_type=mime.NODE_CONFIG,
        content=yaml.safe_dump(document, sort_keys=False, width=10_000),
    )
