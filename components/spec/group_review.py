"""What AWS accepts in one node group but will not honour."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from .groups import JobGroup, NodeGroup, ServerGroup
from .instance_types import InstanceType, InstanceTypes
from .kubelet import KubeletTuning, reserved_memory_mib
from .labels import Taint
from .tags import disk_mib
from .volume import Gp3Volume
from .vpc_cni import VpcCniTuning, WarmPrefixes

__all__ = ["Notice", "ScalerKind", "group_addresses", "review_group"]

ScalerKind = Literal["karpenter", "cluster-autoscaler", "auto-mode"]

_MIB = 1_048_576
_MB = 1_000_000

# The kubelet's own defaults: KubeletConfiguration v1beta1.
_KUBELET_PULL_QPS = 5
_KUBELET_PODS = 110

# Layers of a small image, logs and some scratch files; 100 GiB are enough for 176 pods.
_SMALL_DISK_MIB = 512

# What EKS gives managed groups: EKS user guide, choosing an instance type.
_MANAGED_PODS, _MANAGED_PODS_LARGE, _LARGE_VCPUS = 110, 250, 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """
    Something to know before `pulumi up`, and no error.

    Args:
        path: Where it stands in the stack file, `jobs[0].volume`.
        text: What is lost, with the numbers.
        severity: `warning`, or `info` when nothing is lost.
    """

    path: str
    text: str
    severity: Literal["warning", "info"] = "warning"

    def __str__(self) -> str:
        return f"{self.path}: {self.text}"


def review_group(
    path: str,
    group: JobGroup | ServerGroup,
    instance_types: InstanceTypes,
    vpc_cni: VpcCniTuning | None,
    scaler: ScalerKind = "cluster-autoscaler",
    *,
    host_network: bool = False,
) -> Iterator[Notice]:
    """
    Name what the group at *path* cannot have, in a fixed order.

    Args:
        path: Place of the group, `jobs[0]`.
        group: The group.
        instance_types: Facts about its types; unknown types are named and skipped.
        vpc_cni: Settings of the cluster's VPC CNI, None when they are not known.
        scaler: What scales job groups. Only Cluster Autoscaler plans with the first
            type, and EKS Auto Mode takes no limits of the kubelet.
        host_network: Whether job pods use the network of the node, and so take no
            addresses; the few that stay off it are not counted.
    """
    found = {name: instance_types.find(name) for name in group.instance_types}
    types = tuple(one for one in found.values() if one is not None)
    unknown = [name for name, one in found.items() if one is None]

    yield from _unknown_types(f"{path}.instance_types", unknown)
    yield from _few_types(f"{path}.instance_types", group)
    if scaler == "cluster-autoscaler" or isinstance(group, ServerGroup):
        yield from _odd_types(f"{path}.instance_types", types)
    yield from _volume(f"{path}.volume", group, types)
    yield from _hops(f"{path}.metadata_hop_limit", group.metadata_hop_limit)
    if isinstance(group, JobGroup):
        yield from _taken_away(f"{path}.taints", group.taints)
    if group.kubelet is not None and not _eks_decides(group, scaler):
        if not (host_network and isinstance(group, JobGroup)):
            yield from _short_of_addresses(path, group.kubelet, types, vpc_cni)
        yield from _reserved(f"{path}.kubelet.max_pods", group.kubelet, types)
        yield from _pulls(f"{path}.kubelet", group.kubelet)
        yield from _pulls_on_slow_disk(f"{path}.volume", group.kubelet, group.volume)
        yield from _small_disk(f"{path}.volume.size_gib", group.kubelet, group.volume)


def _hops(path: str, hops: int) -> Iterator[Notice]:
    if hops > 1:
        yield Notice(
            path=path,
            text=f"metadata_hop_limit={hops} lets every pod of the group take the "
            "credentials of the node: give pods a role of their own (Pod Identity)",
        )


def _taken_away(path: str, taints: tuple[Taint, ...]) -> Iterator[Notice]:
    """Tell by the name too: agents of networks and disks write `agent-not-ready`."""
    for place, taint in enumerate(taints):
        goes = f"{taint.kubernetes} goes when its agent is ready"
        named = taint.key.endswith("not-ready")
        if named and not taint.startup and taint.effect != "PreferNoSchedule":
            yield Notice(
                path=f"{path}[{place}]",
                text=f"{goes}, and until then no scaler makes a node for jobs that do "
                "not tolerate it: set startup: true",
            )
        if taint.effect == "NoExecute" and (named or taint.startup):
            yield Notice(
                path=f"{path}[{place}]",
                text=f"{goes}, and Kubernetes may then end a job that has just come to "
                "the node; NoSchedule holds jobs back as well and ends none",
            )


def group_addresses(
    group: JobGroup | ServerGroup,
    instance_types: InstanceTypes,
    vpc_cni: VpcCniTuning | None,
    scaler: ScalerKind = "cluster-autoscaler",
    *,
    host_network: bool = False,
) -> int:
    """
    Count the addresses that one full node of the group takes, its own included.

    A server group without limits of its own, and a job group of EKS Auto Mode, have
    the pods that EKS gives their types, and 110 when none is known. Job pods on the
    *host_network* have that of the node.
    """
    if host_network and isinstance(group, JobGroup):
        pods = 0
    elif group.kubelet is not None and not _eks_decides(group, scaler):
        pods = group.kubelet.max_pods
    else:
        found = [instance_types.find(name) for name in group.instance_types]
        pods = max(
            (_managed_pods(one, vpc_cni) for one in found if one is not None),
            default=_MANAGED_PODS,
        )
    return 1 + (pods if vpc_cni is None else vpc_cni.addresses(pods))


def _eks_decides(group: JobGroup | ServerGroup, scaler: ScalerKind) -> bool:
    return isinstance(group, JobGroup) and scaler == "auto-mode"


def address_limit(one: InstanceType, vpc_cni: VpcCniTuning | None) -> int:
    """Count the pods that can have an address on a node of this type."""
    return one.prefix_pods if isinstance(vpc_cni, WarmPrefixes) else one.eni_pods


def _managed_pods(one: InstanceType, vpc_cni: VpcCniTuning | None) -> int:
    most = _MANAGED_PODS_LARGE if one.vcpus >= _LARGE_VCPUS else _MANAGED_PODS
    return min(most, address_limit(one, vpc_cni))


def _unknown_types(path: str, names: list[str]) -> Iterator[Notice]:
    if names:
        yield Notice(
            path=path,
            text=f"not in the table of instance types: {', '.join(names)}; pods, "
            "reserved resources and EBS limits are not checked until the key "
            "instance_types of the stack describes them",
        )


def _few_types(path: str, group: NodeGroup) -> Iterator[Notice]:
    if len(group.instance_types) == 1:
        yield Notice(
            path=path,
            text=f"only {group.instance_types[0]}: a zone that does not offer it, or "
            "has none left, gives no node; name two types or more of one size",
        )


def _odd_types(path: str, types: tuple[InstanceType, ...]) -> Iterator[Notice]:
    for odd in types[1:]:
        first = types[0]
        if (odd.vcpus, odd.memory_mib) != (first.vcpus, first.memory_mib):
            yield Notice(
                path=path,
                text=f"{odd.name} has {odd.vcpus} vCPU and {odd.memory_mib} MiB, "
                f"{first.name} has {first.vcpus} vCPU and {first.memory_mib} MiB: the "
                "autoscaler plans every node like the first type",
            )


def _volume(
    path: str, group: JobGroup | ServerGroup, types: tuple[InstanceType, ...]
) -> Iterator[Notice]:
    """Leave out what a server group did not ask for: the least that gp3 has."""
    volume, wants_all = group.volume, isinstance(group, JobGroup)
    if wants_all or volume.throughput_mib > volume.limits.min_throughput_mib:
        megabytes = _whole(volume.throughput_mib * _MIB / _MB)
        yield from _shortfalls(
            path,
            f"throughput_mib={volume.throughput_mib} ({megabytes} MB/s)",
            megabytes,
            {
                one.name: (
                    _whole(one.ebs_baseline_mb_per_s),
                    _whole(one.ebs_maximum_mb_per_s),
                )
                for one in types
            },
            lambda value: f"{value} MB/s ({_whole(value * _MB / _MIB)} MiB/s)",
        )
    if wants_all or volume.iops > volume.limits.min_iops:
        yield from _shortfalls(
            path,
            f"iops={volume.iops}",
            volume.iops,
            {one.name: (one.ebs_baseline_iops, one.ebs_maximum_iops) for one in types},
            str,
        )


def _shortfalls(
    path: str,
    wanted: str,
    value: int,
    limits: dict[str, tuple[int, int]],
    shown: Callable[[int], str],
) -> Iterator[Notice]:
    """Compare as printed, so that no notice shows two equal numbers."""
    for low, high in dict.fromkeys(limits.values()):
        if low >= value:
            continue
        names = ", ".join(name for name, pair in limits.items() if pair == (low, high))
        if high < value:
            text = (
                f"{wanted} is never reached on {names}: sustained {shown(low)}, "
                f"at most {shown(high)}"
            )
        else:
            text = (
                f"{wanted} is burst only on {names}: sustained {shown(low)}, "
                f"burst {shown(high)}"
            )
        yield Notice(path=path, text=text)


def _short_of_addresses(
    path: str,
    kubelet: KubeletTuning,
    types: tuple[InstanceType, ...],
    vpc_cni: VpcCniTuning | None,
) -> Iterator[Notice]:
    limits = {one: address_limit(one, vpc_cni) for one in types}
    short = {one: limit for one, limit in limits.items() if limit < kubelet.max_pods}
    if short:
        names = ", ".join(f"{one.name} ({limit})" for one, limit in short.items())
        prefixes = isinstance(vpc_cni, WarmPrefixes)
        more = any(one.prefix_pods > limit for one, limit in short.items())
        way_out = ", or use vpc_cni of kind prefixes" if more else ""
        yield Notice(
            path=f"{path}.kubelet.max_pods",
            text=f"max_pods={kubelet.max_pods} is more pods than can have an address "
            f"on {names}{' even in prefix mode' if prefixes else ''}: the "
            f"rest waits for ever; lower it{way_out}",
        )


def _reserved(
    path: str, kubelet: KubeletTuning, types: tuple[InstanceType, ...]
) -> Iterator[Notice]:
    reserved = reserved_memory_mib(kubelet.max_pods)
    for one in types:
        if 2 * reserved >= one.memory_mib:
            yield Notice(
                path=path,
                text=f"max_pods={kubelet.max_pods} reserves {reserved} MiB of the "
                f"{one.memory_mib} MiB of {one.name}",
            )


def _pulls(path: str, kubelet: KubeletTuning) -> Iterator[Notice]:
    qps, burst = kubelet.registry_pull_qps, kubelet.burst
    if qps == 0 and kubelet.max_parallel_image_pulls is None:
        yield Notice(
            path=f"{path}.registry_pull_qps",
            text=f"registry_pull_qps=0 is no limit: max_pods={kubelet.max_pods} pods "
            "may pull at once; max_parallel_image_pulls caps them",
        )
    if burst < qps:
        yield Notice(
            path=f"{path}.registry_burst",
            text=f"registry_burst={burst} is below registry_pull_qps={qps}: a burst "
            f"of pods gets {burst} pulls, the others fail and are tried again",
        )


def _pulls_on_slow_disk(
    path: str, kubelet: KubeletTuning, volume: Gp3Volume
) -> Iterator[Notice]:
    qps, pods = kubelet.registry_pull_qps, kubelet.max_pods
    raised = qps == 0 or qps > _KUBELET_PULL_QPS or pods > _KUBELET_PODS
    slow = (
        volume.iops <= volume.limits.min_iops
        or volume.throughput_mib <= volume.limits.min_throughput_mib
    )
    if raised and slow:
        yield Notice(
            path=path,
            text=f"iops={volume.iops} and throughput_mib={volume.throughput_mib} may "
            f"be too slow for registry_pull_qps={qps} and max_pods={pods}: container "
            "names stay reserved and starts fail; raise both with the pulls",
        )


def _small_disk(
    path: str, kubelet: KubeletTuning, volume: Gp3Volume
) -> Iterator[Notice]:
    share = disk_mib(volume) // kubelet.max_pods
    if share < _SMALL_DISK_MIB:
        yield Notice(
            path=path,
            text=f"size_gib={volume.size_gib} leaves {share} MiB, images included, to "
            f"each of max_pods={kubelet.max_pods}: a node whose disk is full evicts "
            "jobs; raise it, or let jobs request ephemeral-storage",
        )


def _whole(number: float) -> int:
    """Round to whole units, halves up."""
    return int(number + 0.5)
