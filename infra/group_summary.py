"""The part of `summary.md` that describes one node group."""

from collections.abc import Collection, Iterator, Sequence

from components.spec.capacity import (
    EVICTION_MEMORY_MIB,
    disk_speed,
    megabytes,
    node_capacity,
)
from components.spec.group_review import address_limit
from components.spec.groups import JobGroup, ServerGroup
from components.spec.instance_types import InstanceType, InstanceTypes
from components.spec.mime import USER_DATA_LIMIT
from components.spec.node_config import managed_launch_data
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.autoscaler_groups import (
    managed_group_tags,
    self_managed_group_tags,
)
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from components.spec.tags import TAG_LIMIT, disk_mib
from infra import scaled_groups
from infra.markdown import pairs, table
from infra.settings import Settings

__all__ = ["group_summary"]

_SPEEDS = {
    "sustained": "full speed",
    "burst": "full speed in bursts",
    "never": "never its full speed",
}


def group_summary(
    group: ServerGroup | JobGroup, settings: Settings, types: InstanceTypes
) -> Iterator[list[str]]:
    """
    Describe one group: what it is, what a node gives to pods, how fast its disk is.

    Args:
        group: The group.
        settings: The settings it belongs to.
        types: Facts about instance types.

    Returns:
        Blocks of lines.
    """
    kind = "Job" if isinstance(group, JobGroup) else "Server"
    known = [types.find(name) for name in group.instance_types]
    facts = [one for one in known if one is not None]
    yield [f"## {kind} group {group.name}"]
    yield table(("setting", "value"), _facts(group, settings, types))
    if not _eks_decides(group, settings):
        yield ["A node of each type:"]
        yield _nodes(group, facts, settings)
        yield [
            "Allocatable memory is what EC2 names, less what is reserved and "
            f"{EVICTION_MEMORY_MIB} MiB below which pods are evicted.",
            "Firmware and kernel take some percent before that.",
        ]
    yield [
        f"The disk: {group.volume.size_gib} GiB gp3, {group.volume.iops} IOPS, "
        f"{group.volume.throughput_mib} MiB/s "
        f"({megabytes(group.volume.throughput_mib)} MB/s).",
        "What each type allows:",
    ]
    yield _disks(group, facts)


def _facts(
    group: ServerGroup | JobGroup, settings: Settings, types: InstanceTypes
) -> Iterator[tuple[str, object]]:
    taints = ", ".join(
        f"`{taint.kubernetes}`{' until the node is ready' if taint.startup else ''}"
        for taint in group.all_taints
    )
    unknown = [name for name in group.instance_types if types.find(name) is None]
    yield "architecture", group.architecture
    yield "instance types", ", ".join(group.instance_types)
    if unknown:
        yield "not in the table of types", ", ".join(unknown)
    yield "nodes", f"{group.size.min} to {group.size.max}"
    yield "labels", pairs(group.all_labels)
    yield "taints", taints or "none"
    if isinstance(group, JobGroup):
        yield "longest job", group.longest_job or "not known"
    if _eks_decides(group, settings):
        yield "pods of a node", "EKS decides, 110 at most"
    elif group.kubelet is None:
        yield "pods of a node", "EKS decides"
    else:
        qps = group.kubelet.registry_pull_qps
        limit = f"{qps} a second, {group.kubelet.burst} at once" if qps else "no limit"
        share = disk_mib(group.volume) // group.kubelet.max_pods
        yield "pods of a node", group.kubelet.max_pods
        yield "disk of each pod", f"about {share} MiB, images included"
        yield "image pulls", limit
    yield "image", _image(group, settings)
    yield "user data", _user_data_size(group, settings, types)
    yield "tags", _tags(group, settings, types)


def _tags(
    group: ServerGroup | JobGroup, settings: Settings, types: InstanceTypes
) -> str:
    scaler, every = settings.scaler, {"Name", *settings.tags, *group.tags}
    if isinstance(group, ServerGroup):
        return _of_limit(every, "the node group")
    if not isinstance(scaler, ClusterAutoscaler):
        return _of_limit(every, "the nodes")
    name, options = str(settings.cluster.name), scaler.scale_down(group.name)
    if scaler.groups == "managed":
        added = managed_group_tags(name, group, options, types)
        return (
            f"{_of_limit(every, 'each node group')}; "
            f"{_of_limit(added, 'its Auto Scaling group')}, beside those of EKS"
        )
    own = self_managed_group_tags(name, group, options, types)
    return _of_limit(every | own.keys(), "the Auto Scaling group")


def _of_limit(keys: Collection[str], place: str) -> str:
    return f"{len(keys)} of {TAG_LIMIT} on {place}"


def _eks_decides(group: ServerGroup | JobGroup, settings: Settings) -> bool:
    return isinstance(group, JobGroup) and isinstance(settings.scaler, AutoMode)


def _image(group: ServerGroup | JobGroup, settings: Settings) -> str:
    cluster, scaler = settings.cluster, settings.scaler
    if isinstance(group, JobGroup) and group.ami_id is not None:
        return group.ami_id
    if isinstance(group, JobGroup) and isinstance(scaler, Karpenter):
        return scaler.alias(cluster.ami_release or "")
    if isinstance(group, ServerGroup) or cluster.ami_release is None:
        return f"chosen by EKS for {cluster.version}"
    return f"AL2023, release {cluster.ami_release}"


def _user_data_size(
    group: ServerGroup | JobGroup, settings: Settings, types: InstanceTypes
) -> str:
    """Measure with what is added, of the usual length, as the check does."""
    if isinstance(group, JobGroup):
        text = scaled_groups.job_launch_data(group, settings, types)
    else:
        text = managed_launch_data(group, types)
    if text is None:
        return "none of ours"
    return f"about {len(text.encode())} of {USER_DATA_LIMIT} bytes at launch"


def _nodes(
    group: ServerGroup | JobGroup, types: Sequence[InstanceType], settings: Settings
) -> list[str]:
    largest = max((one.vcpus for one in types), default=0)
    rows = [
        (one, node_capacity(group, one, largest), address_limit(one, settings.vpc_cni))
        for one in types
    ]
    return table(
        (
            *("type", "vCPU", "memory MiB", "pods", "addresses for pods"),
            *("reserved CPU", "reserved memory", "allocatable CPU"),
            "allocatable memory",
        ),
        [
            (
                *(one.name, one.vcpus, one.memory_mib),
                *("EKS decides" if left.pods is None else left.pods, addresses),
                *(f"{left.reserved_cpu_m}m", f"{left.reserved_memory_mib}Mi"),
                *(f"{left.allocatable_cpu_m}m", f"{left.allocatable_memory_mib}Mi"),
            )
            for one, left, addresses in rows
        ],
    )


def _disks(group: ServerGroup | JobGroup, types: Sequence[InstanceType]) -> list[str]:
    return table(
        (
            *("type", "MB/s sustained", "MB/s burst", "IOPS sustained", "IOPS burst"),
            "the disk gets",
        ),
        [
            (
                *(one.name, f"{one.ebs_baseline_mb_per_s:g}"),
                *(f"{one.ebs_maximum_mb_per_s:g}", one.ebs_baseline_iops),
                *(one.ebs_maximum_iops, _SPEEDS[disk_speed(one, group.volume)]),
            )
            for one in types
        ],
    )
