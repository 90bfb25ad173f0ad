"""Whether a balloon fits on the nodes of its group, and on how many of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..capacity import EVICTION_MEMORY_MIB, node_capacity
from ..groups import JobGroup
from ..instance_types import InstanceType, InstanceTypes
from ..kubelet import kube_reserved
from ..scaler.cluster_autoscaler import ClusterAutoscaler
from ..scaler.settings import Scaler
from .quantities import mebibytes, millicores
from .settings import BufferBalloon, PodBalloon

__all__ = ["Room", "fit_problems", "nodes_needed", "rooms", "tight_types"]

_DAEMON_CPU_M, _DAEMON_MEMORY_MIB, _DAEMON_PODS = 250, 300, 6
"""
What pods of DaemonSets take on every node.

Sources: aws-node, kube-proxy, the EBS CSI driver and the Pod Identity agent request
180m and 120 MiB in 4 pods (their add-ons, 2026); the rest, for agents of logs and
metrics, is a guess.
"""

# What Karpenter takes off the memory of a type before it plans: its setting
# vmMemoryOverheadPercent, for firmware and kernel.
_OVERHEAD_PERMILLE = 75
_AUTO_MODE_PODS = 110


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """
    What a node of one type leaves to balloons.

    Args:
        name: The instance type.
        cpu_m: CPU in millicores.
        memory_mib: Memory in MiB.
        pods: Pods.
    """

    name: str
    cpu_m: int
    memory_mib: int
    pods: int

    def holds(self, cpu_m: int, memory_mib: int) -> int:
        """Count the pods with this request that fit."""
        least = min(self.cpu_m // cpu_m, self.memory_mib // memory_mib, self.pods)
        return max(0, least)


def rooms(
    group: JobGroup, scaler: Scaler, instance_types: InstanceTypes
) -> tuple[Room, ...]:
    """
    Return what nodes of the known types leave, in the order of the group.

    What the kubelet reserves is taken off, the memory at which it evicts, and an
    allowance for DaemonSets. Karpenter and EKS Auto Mode plan with less memory than
    EC2 names; Cluster Autoscaler plans with all of it, which real nodes do not have:
    see `tight_types`.

    Sources:
        Karpenter, settings, VM_MEMORY_OVERHEAD_PERCENT: 0.075. EKS user guide, Auto
        Mode: 110 pods at most.
    """
    overhead = 0 if isinstance(scaler, ClusterAutoscaler) else _OVERHEAD_PERMILLE
    return tuple(
        _room(group, one, scaler, largest, overhead)
        for one, largest in _known(group, instance_types)
    )


def fit_problems(
    balloon: PodBalloon | BufferBalloon,
    group: JobGroup,
    scaler: Scaler,
    instance_types: InstanceTypes,
) -> Iterator[str]:
    """List where a balloon does not fit on a node, or on all nodes, of its group."""
    cpu_m, memory_mib = millicores(balloon.cpu), mebibytes(balloon.memory)
    known = rooms(group, scaler, instance_types)
    small = [room for room in known if not room.holds(cpu_m, memory_mib)]
    if small:
        room = min(small, key=lambda one: (one.cpu_m, one.memory_mib))
        yield (
            f"cpu and memory must fit on a node of every type of {group.name}: "
            f"{room.name} leaves {room.cpu_m}m, {room.memory_mib}Mi and "
            f"{max(0, room.pods)} pods, when the kubelet, DaemonSets "
            f"({_DAEMON_CPU_M}m, {_DAEMON_MEMORY_MIB}Mi, {_DAEMON_PODS} pods) and "
            f"the system have theirs, got cpu={balloon.cpu}, "
            f"memory={balloon.memory}"
        )
        return
    needed = nodes_needed(balloon, known)
    if needed is not None and needed > group.size.max:
        yield (
            f"replicas must fit on the {group.size.max} nodes that {group.name} may "
            f"have, got {balloon.peak} pods, which need {needed}"
        )


def nodes_needed(
    balloon: PodBalloon | BufferBalloon, known: Sequence[Room]
) -> int | None:
    """
    Count the nodes that hold a balloon at its largest, None when nothing is known.

    Args:
        balloon: The balloon.
        known: What nodes leave; the type that holds fewest counts.
    """
    cpu_m, memory_mib = millicores(balloon.cpu), mebibytes(balloon.memory)
    fewest = min((room.holds(cpu_m, memory_mib) for room in known), default=0)
    return -(-balloon.peak // fewest) if fewest else None


def tight_types(
    balloon: PodBalloon | BufferBalloon,
    group: JobGroup,
    scaler: Scaler,
    instance_types: InstanceTypes,
) -> tuple[Room, ...]:
    """Return the types on which firmware and kernel leave too little to a balloon."""
    cpu_m, memory_mib = millicores(balloon.cpu), mebibytes(balloon.memory)
    return tuple(
        room
        for one, largest in _known(group, instance_types)
        for room in [_room(group, one, scaler, largest, _OVERHEAD_PERMILLE)]
        if not room.holds(cpu_m, memory_mib)
    )


def _known(
    group: JobGroup, instance_types: InstanceTypes
) -> Iterator[tuple[InstanceType, int]]:
    """Yield each known type, and the most vCPUs among them."""
    found = [instance_types.find(name) for name in group.instance_types]
    known = [one for one in found if one is not None]
    largest = max((one.vcpus for one in known), default=0)
    return ((one, largest) for one in known)


def _room(
    group: JobGroup,
    one: InstanceType,
    scaler: Scaler,
    largest_vcpus: int,
    overhead_permille: int,
) -> Room:
    if scaler.kind == "auto-mode":
        cpu_m, memory_mib, pods = _auto_mode(one)
    else:
        capacity = node_capacity(group, one, largest_vcpus)
        cpu_m, memory_mib = capacity.allocatable_cpu_m, capacity.allocatable_memory_mib
        pods = group.kubelet.max_pods
    overhead = -(-one.memory_mib * overhead_permille // 1_000)
    return Room(
        name=one.name,
        cpu_m=cpu_m - _DAEMON_CPU_M,
        memory_mib=memory_mib - overhead - _DAEMON_MEMORY_MIB,
        pods=pods - _DAEMON_PODS,
    )


def _auto_mode(one: InstanceType) -> tuple[int, int, int]:
    """Reserve for the most pods that Auto Mode gives: what it reserves is not said."""
    reserved = kube_reserved(vcpus=one.vcpus, pods=_AUTO_MODE_PODS)
    return (
        one.vcpus * 1_000 - millicores(reserved["cpu"]),
        one.memory_mib - mebibytes(reserved["memory"]) - EVICTION_MEMORY_MIB,
        _AUTO_MODE_PODS,
    )
