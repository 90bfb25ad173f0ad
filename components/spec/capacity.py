"""What a node of a group gives to pods: processors, memory and speed of its disk."""

from dataclasses import dataclass
from typing import Literal

from .groups import JobGroup, ServerGroup
from .instance_types import InstanceType
from .kubelet import kube_reserved
from .volume import Gp3Volume

__all__ = [
    "EVICTION_MEMORY_MIB",
    "NodeCapacity",
    "disk_speed",
    "megabytes",
    "node_capacity",
]

_MB_PER_MIB = 1.048576

EVICTION_MEMORY_MIB = 100
"""
Free memory below which the kubelet evicts pods, in MiB.

Sources: amazon-eks-ami, nodeadm internal/kubelet/config.go.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeCapacity:
    """
    One node of one instance type.

    Args:
        pods: Most pods; None when EKS decides.
        reserved_cpu_m: CPU that the kubelet keeps, in millicores.
        reserved_memory_mib: Memory that the kubelet keeps, in MiB.
        allocatable_cpu_m: CPU that pods may request, in millicores.
        allocatable_memory_mib: Memory that pods may request, in MiB, at most: from
            what EC2 names, the firmware and the kernel take some percent first.
    """

    pods: int | None
    reserved_cpu_m: int
    reserved_memory_mib: int
    allocatable_cpu_m: int
    allocatable_memory_mib: int


def node_capacity(
    group: JobGroup | ServerGroup, one: InstanceType, largest_vcpus: int
) -> NodeCapacity:
    """
    Compute what a node of the type *one* leaves for pods.

    A group with limits of its own reserves for them, on every type as on the one with
    the most vCPUs. Without, nodeadm reserves for the pods that the interfaces of the
    type could carry.

    Args:
        group: The group.
        one: One of its types.
        largest_vcpus: Most vCPUs among its known types.
    """
    if group.kubelet is None:
        pods, reserved = None, kube_reserved(vcpus=one.vcpus, pods=one.eni_pods)
    else:
        pods = group.kubelet.max_pods
        reserved = kube_reserved(vcpus=largest_vcpus, pods=pods)
    cpu = int(reserved["cpu"].removesuffix("m"))
    memory = int(reserved["memory"].removesuffix("Mi"))
    return NodeCapacity(
        pods=pods,
        reserved_cpu_m=cpu,
        reserved_memory_mib=memory,
        allocatable_cpu_m=one.vcpus * 1000 - cpu,
        allocatable_memory_mib=one.memory_mib - memory - EVICTION_MEMORY_MIB,
    )


def megabytes(mib: int) -> int:
    """Convert MiB, which EBS volumes are sold in, to MB, which EC2 types are."""
    return int(mib * _MB_PER_MIB + 0.5)


def disk_speed(
    one: InstanceType, volume: Gp3Volume
) -> Literal["sustained", "burst", "never"]:
    """
    Tell how long a node of the type *one* lets a volume run at its full speed.

    A type whose baseline is too low, and whose maximum is not, keeps up for thirty
    minutes a day at least.

    Sources:
        EC2 user guide, EBS-optimized instances.
    """
    wanted = megabytes(volume.throughput_mib)
    if one.ebs_maximum_mb_per_s < wanted or one.ebs_maximum_iops < volume.iops:
        return "never"
    if one.ebs_baseline_mb_per_s < wanted or one.ebs_baseline_iops < volume.iops:
        return "burst"
    return "sustained"
