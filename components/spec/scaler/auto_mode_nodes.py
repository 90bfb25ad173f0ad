"""NodeClass of EKS Auto Mode, and what a job group cannot have there."""

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from ..groups import JobGroup
from ..kubelet import KubeletTuning
from ..volume import Gp3Limits
from .node_class import LARGEST_VOLUME_GIB, Site, node_class_tags
from .versions import AUTO_NODE_CLASS_API

__all__ = ["VOLUME_LIMITS", "auto_node_class", "not_applied", "unsupported"]

VOLUME_LIMITS = Gp3Limits(
    max_size_gib=LARGEST_VOLUME_GIB, max_iops=16_000, max_throughput_mib=1_000
)
"""
What the disk of a node may have here, less than EBS allows.

Sources: EKS user guide, Auto Mode, node classes; the size as in Karpenter's class.
"""


def auto_node_class(group: JobGroup, site: Site) -> dict[str, Any]:
    """
    Return the NodeClass of a job group.

    Args:
        group: The job group; `unsupported` must be empty.
        site: Where its nodes are put.

    Shape:
        NodeClass of eks.amazonaws.com/v1.
    """
    volume = group.volume
    key = {} if volume.kms_key_id is None else {"kmsKeyID": volume.kms_key_id}
    return {
        "apiVersion": AUTO_NODE_CLASS_API,
        "kind": "NodeClass",
        "metadata": {"name": group.name},
        "spec": {
            **site.identity(),
            **site.selectors(),
            "ephemeralStorage": {
                "size": f"{volume.size_gib}Gi",
                "iops": volume.iops,
                "throughput": volume.throughput_mib,
                **key,
            },
            "tags": node_class_tags(site, group),
        },
    }


def unsupported(group: JobGroup) -> Iterator[str]:
    """
    List what a job group was given and Auto Mode cannot do, one line for all fields.

    The defaults of `KubeletTuning` are not refused: nobody asked for them. They are
    named by `not_applied`.

    Sources:
        containers-roadmap#2876, #2498, #2506.
    """
    default = KubeletTuning()
    given = [
        f"kubelet.{one.name}={getattr(group.kubelet, one.name)}"
        for one in fields(group.kubelet)
        if getattr(group.kubelet, one.name) != getattr(default, one.name)
    ]
    if group.ami_id is not None:
        given.append(f"ami_id={group.ami_id}")
    if group.metadata_hop_limit != 1:
        given.append(f"metadata_hop_limit={group.metadata_hop_limit}")
    if group.user_data:
        given.append(f"user_data ({len(group.user_data)} parts)")
    if given:
        yield (
            "EKS Auto Mode cannot set the kubelet, the image or user data of a node: "
            f"leave out {', '.join(given)}, or choose scaler kind karpenter"
        )
    yield from _volume_problems(group)
    if group.name == "default":
        yield "name must not be default, which is the node class of EKS Auto Mode"


def not_applied(group: JobGroup) -> tuple[str, ...]:
    """Name the tuned defaults that nodes of Auto Mode do not get."""
    return (
        f"kubelet.max_pods={group.kubelet.max_pods}",
        f"kubelet.registry_pull_qps={group.kubelet.registry_pull_qps}",
        f"kubelet.registry_burst={group.kubelet.burst}",
        f"kubelet.runtime_request_timeout={group.kubelet.runtime_request_timeout}",
    )


def _volume_problems(group: JobGroup) -> Iterator[str]:
    most = {
        "size_gib": VOLUME_LIMITS.max_size_gib,
        "iops": VOLUME_LIMITS.max_iops,
        "throughput_mib": VOLUME_LIMITS.max_throughput_mib,
    }
    for name, limit in most.items():
        value = getattr(group.volume, name)
        if value > limit:
            yield (
                f"volume.{name} must be at most {limit} with EKS Auto Mode, "
                f"got {name}={value}"
            )
