"""Disks of an instance store below the pods of a node, as scalers plan with them."""

from collections.abc import Iterator

from ..group_review import Notice
from ..groups import NodeGroup
from ..user_data import user_node_config
from .cluster_autoscaler import ClusterAutoscaler
from .karpenter import Karpenter

__all__ = ["is_striped", "review_disks"]

# Where the kubelet and containerd move to the disks. `Mount` leaves both on the root
# volume. Source: amazon-eks-ami, runtime/bin/setup-local-disks.
_MOVING = ("RAID0", "RAID10")


def is_striped(group: NodeGroup) -> bool:
    """
    Say whether the disks of a node become one RAID0 array.

    Sources:
        CRD of EC2NodeClass, Karpenter 1.15.1: `instanceStorePolicy` is RAID0 or
        left out. With it Karpenter plans with the size of the disks, and writes the
        strategy into user data itself.
    """
    return _strategy(group) == "RAID0"


def review_disks(
    path: str, group: NodeGroup, scaler: ClusterAutoscaler | Karpenter
) -> Iterator[Notice]:
    """
    Tell when a scaler plans with the root volume, and pods are on other disks.

    Sources:
        karpenter-provider-aws 1.15.1, pkg/providers/instancetype/types.go. Cluster
        Autoscaler: see `autoscaler_tags`, which describe a group without nodes.
    """
    strategy, volume = _strategy(group), f"{group.volume.size_gib} GiB"
    if strategy not in _MOVING:
        return
    if isinstance(scaler, ClusterAutoscaler):
        yield Notice(
            path=f"{path}.user_data",
            text=f"{strategy} moves pods to the disks of the instance, and while the "
            f"group has no node the autoscaler plans with the root volume of {volume}",
        )
    elif strategy != "RAID0":
        yield Notice(
            path=f"{path}.user_data",
            text=f"{strategy} moves pods to the disks of the instance, and Karpenter "
            f"plans with the root volume of {volume}: with RAID0 it plans with the "
            "disks",
        )


def _strategy(group: NodeGroup) -> str | None:
    spec = user_node_config(group.user_data).get("spec", {})
    return spec.get("instance", {}).get("localStorage", {}).get("strategy")
