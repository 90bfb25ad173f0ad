"""Flags of the kubelet: their names, and those that it no longer has."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

__all__ = ["GONE_FLAGS", "flag_name", "flags_problems"]

_RUNTIME = "leave it out: containerd is the only runtime of the image"
_NETWORK = "leave it out: containerd sets up the network of pods"
_LOGGING = "leave it out: the kubelet logs to the journal"

GONE_FLAGS: Mapping[str, str] = MappingProxyType(
    {
        "allow-privileged": "leave it out",
        "cloud-config": "leave it out: the cloud is not called by the kubelet",
        "cni-bin-dir": _NETWORK,
        "cni-cache-dir": _NETWORK,
        "cni-conf-dir": _NETWORK,
        "container-runtime": _RUNTIME,
        "docker-endpoint": _RUNTIME,
        "dynamic-config-dir": "use spec.kubelet.config",
        "experimental-kernel-memcg-notification": (
            "use spec.kubelet.config.kernelMemcgNotification"
        ),
        "image-pull-progress-deadline": "use spec.containerd.config",
        "keep-terminated-pod-volumes": "leave it out",
        "log-dir": _LOGGING,
        "log-file": _LOGGING,
        "log-file-max-size": _LOGGING,
        "logtostderr": _LOGGING,
        "alsologtostderr": _LOGGING,
        "stderrthreshold": _LOGGING,
        "network-plugin": _NETWORK,
        "network-plugin-mtu": _NETWORK,
        "non-masquerade-cidr": "leave it out: the VPC CNI decides",
        "pod-infra-container-image": "leave it out: the image of EKS pins its own",
        "register-schedulable": "set taints of the group",
    }
)
"""
Flags of older kubelets, with which one of today does not start.

Up to 1.33 `--cloud-config` and up to 1.34 `--pod-infra-container-image` are taken, and
do nothing. Sources: kubernetes v1.37.2, cmd/kubelet/app/options, which has none of
them; changelogs of 1.31, 1.34 and 1.35; amazon-eks-ami, nodeadm
internal/kubelet/config.go. In which version the others went was not looked up.
"""


def flag_name(flag: str) -> str:
    """
    Return the name in `--max-pods=60`, `--max-pods 60` or `--max_pods=60`.

    Sources:
        kubernetes v1.37.2, cmd/kubelet/app/server.go (`WordSepNormalizeFunc`).
        amazon-eks-ami, nodeadm internal/kubelet/environment.go: flags are
        joined by spaces.
    """
    return re.split("[= ]", flag.lstrip("-"), maxsplit=1)[0].replace("_", "-")


def flags_problems(path: str, flags: Any) -> Iterator[str]:
    """
    List why a kubelet would not start with `spec.kubelet.flags`.

    The value of a flag may be an entry of its own, behind that of the flag.
    """
    if not isinstance(flags, list):
        yield f"{path} must be a list, got {flags!r}"
        return
    bare = False
    for place, flag in enumerate(flags):
        here = f"{path}[{place}]"
        if not isinstance(flag, str):
            yield f"{here} must be text, got {flag!r}"
        elif not flag.startswith("-"):
            if not bare:
                yield f"{here} must be a flag such as --v=4, got {flag!r}"
        elif flag_name(flag) in GONE_FLAGS:
            yield (
                f"{here} must be a flag that the kubelet has, got {flag!r}: "
                f"{GONE_FLAGS[flag_name(flag)]}"
            )
        bare = isinstance(flag, str) and re.fullmatch(r"--[^= ]+", flag) is not None
