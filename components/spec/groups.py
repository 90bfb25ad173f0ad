"""Node groups: the pure values that everything else is a rendering of."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from . import tags as tag_rules
from .architecture import (
    Architecture,
    driver_problems,
    image_problems,
    instance_type_problems,
)
from .kubelet import KubeletTuning
from .labels import (
    GROUP_LABEL,
    Taint,
    eks_limit_problems,
    node_label_problems,
    node_taint_problems,
)
from .problems import refuse
from .scaler.duration import duration_problems
from .user_data import UserDataPart, overlap_problems, together_problems
from .volume import Gp3Volume

__all__ = [
    "GROUP_LABEL",
    "JobGroup",
    "NodeGroup",
    "ServerGroup",
    "Size",
    "Taint",
    "UserDataPart",
    "open_groups",
    "validate_groups",
]

_LONGEST_NAME = 40


@dataclass(frozen=True, kw_only=True, slots=True)
class Size:
    """
    Bounds of a group, in nodes.

    Args:
        min: Nodes kept even when nothing runs, 0 or more.
        max: Upper bound, at least 1 and at least *min*.

    Raises:
        ValueError: The bounds are out of order.
    """

    min: int = 0
    max: int = 10

    def __post_init__(self) -> None:
        if self.max < 1:
            raise ValueError(f"max must be at least 1, got max={self.max}")
        if not 0 <= self.min <= self.max:
            raise ValueError(
                f"min must be 0 to max, got min={self.min}, max={self.max}"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeGroup:
    """
    What server groups and job groups have in common.

    Args:
        name: DNS label of at most 40 characters; labels, taints and names of
            resources are made from it.
        architecture: amd64 or arm64; the machine image follows from it.
        instance_types: EC2 types of that architecture, first choice first. The
            autoscaler plans with the first, so give types of one size.
        size: Bounds in nodes.
        labels: Node labels, added to ``eks-jobs/group``, which is not yours to set.
        taints: Taints, added to the one of the library.
        tags: AWS tags of the nodes and of what they are made from.
        volume: Root volume.
        user_data: Parts added to the user data, in this order.
        metadata_hop_limit: Network hops that an answer of the metadata service
            survives, 1 to 64. With 1 pods cannot reach the credentials of the
            node; pods on the host network always can.

    Raises:
        ValueError: AWS or Kubernetes would refuse the group, or it would undo what
            the library promises. All problems are named, one a line.

    Sources:
        40 characters: an IAM role has 64, and the name of the component around the
        group and Pulumi's suffix need their part. One hop: EKS best practices,
        security. 64: EC2 API, InstanceMetadataOptionsRequest.
    """

    name: str
    architecture: Architecture
    instance_types: tuple[str, ...]
    size: Size = Size()
    labels: Mapping[str, str] = field(default_factory=dict)
    taints: tuple[Taint, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)
    volume: Gp3Volume = Gp3Volume()
    user_data: tuple[UserDataPart, ...] = ()
    metadata_hop_limit: int = 1

    def __post_init__(self) -> None:
        problems = _problems(self)
        refuse(problems)

    @property
    def all_labels(self) -> dict[str, str]:
        """Labels of the nodes, sorted by key, with the one of the library."""
        return dict(sorted({**self.labels, GROUP_LABEL: self.name}.items()))

    @property
    def all_taints(self) -> tuple[Taint, ...]:
        """Taints of the nodes, in order."""
        return self.taints

    @property
    def lasting_taints(self) -> tuple[Taint, ...]:
        """Those that pods must tolerate: all but what goes before the first pod."""
        return tuple(taint for taint in self.all_taints if not taint.startup)


@dataclass(frozen=True, kw_only=True, slots=True)
class JobGroup(NodeGroup):
    """
    Nodes for jobs, tainted so that nothing else lands on them.

    Args:
        kubelet: Limits that keep a packed node alive.
        volume: Root volume, tuned for bursts of image pulls.
        ami_id: Image of your own. None is the pinned release of the EKS image.
        longest_job: How long a job may run, in hours, minutes and seconds, `6h`:
            scalers that end old nodes let it finish. None is not known. Nodes that
            run keep the limit they were made with: close them once it is raised,
            before longer jobs start.

    Raises:
        ValueError: See `NodeGroup`; also an image id without the form of EC2, a
            duration in another spelling, or more tags than an Auto Scaling group
            can carry.
    """

    kubelet: KubeletTuning = KubeletTuning()
    ami_id: str | None = None
    longest_job: str | None = None

    @property
    def all_taints(self) -> tuple[Taint, ...]:
        """Taints of the nodes, the one of the library first."""
        return (Taint(key=GROUP_LABEL, value=self.name), *self.taints)


@dataclass(frozen=True, kw_only=True, slots=True)
class ServerGroup(NodeGroup):
    """
    Nodes for workloads that run on and on: a managed node group.

    Args:
        kubelet: Limits of the kubelet. None leaves them to EKS.
        volume: Root volume, as fast as gp3 is without extra cost.
        size: Bounds in nodes. Two nodes keep DNS alive while one is replaced.

    Raises:
        ValueError: See `NodeGroup`; also a type that needs a driver, which the image
            of these groups does not have.

    Sources:
        3,000 IOPS and 125 MiB/s: what every gp3 volume has.
    """

    kubelet: KubeletTuning | None = None
    volume: Gp3Volume = Gp3Volume(size_gib=100, iops=3_000, throughput_mib=125)
    size: Size = Size(min=2, max=10)


def validate_groups(
    servers: Sequence[ServerGroup],
    jobs: Sequence[JobGroup],
    *,
    servers_needed: bool = True,
) -> None:
    """
    Check what only all groups together can show.

    Args:
        servers: Server groups.
        jobs: Job groups.
        servers_needed: Whether pods of the cluster itself need their nodes; not
            where EKS runs all of it.

    Raises:
        ValueError: A name is used twice, or no server group can take the pods of
            the cluster itself (DNS among them). All problems are named.
    """
    counts = Counter(group.name for group in (*servers, *jobs))
    problems = [
        f"name must be used once, got name={name} for {count} groups"
        for name, count in counts.items()
        if count > 1
    ]
    if servers_needed and not any(group.size.min > 0 for group in open_groups(servers)):
        problems.append(
            "servers must have a group without taints and with size.min of at least 1: "
            "DNS of the cluster needs a node"
        )
    refuse(problems)


def open_groups(servers: Sequence[ServerGroup]) -> list[ServerGroup]:
    """
    Return the server groups that take any pod, those without taints, in order.

    A taint of the start counts: its agent may need DNS, or come after it.
    """
    return [group for group in servers if not group.all_taints]


def own_images(jobs: Sequence[JobGroup]) -> bool:
    """Tell whether there are job groups, and each has an image of its own."""
    return bool(jobs) and all(group.ami_id is not None for group in jobs)


def _problems(group: NodeGroup) -> list[str]:
    tuned = getattr(group, "kubelet", None) is not None
    problems = [
        *_name_problems(group.name),
        *instance_type_problems(group.instance_types, group.architecture),
        *node_label_problems(group.labels),
        *node_taint_problems(group.taints),
        *tag_rules.tag_problems(group.tags, ("Name",)),
        *_hop_problems(group.metadata_hop_limit),
    ]
    managed = isinstance(group, ServerGroup)
    for part in group.user_data:
        problems += overlap_problems(part, tuned=tuned, managed=managed)
    problems += together_problems(group.user_data)
    if isinstance(group, ServerGroup):
        return [
            *problems,
            *image_problems(group.instance_types),
            *driver_problems(group.instance_types, "choose other types"),
            *eks_limit_problems(group.labels, group.taints),
        ]
    if isinstance(group, JobGroup):
        problems += _job_problems(group)
        # Tags are made from name, labels and taints, so those come first.
        return problems or tag_rules.autoscaler_problems(group)
    return problems


def _name_problems(name: str) -> list[str]:
    if (
        re.fullmatch(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", name)
        and len(name) <= _LONGEST_NAME
    ):
        return []
    return [
        f"name must be 1 to {_LONGEST_NAME} lower-case letters, digits or '-', with a "
        f"letter or digit at both ends, got name={name}"
    ]


def _hop_problems(hops: int) -> list[str]:
    if 1 <= hops <= 64:
        return []
    return [f"metadata_hop_limit must be 1 to 64, got metadata_hop_limit={hops}"]


def _job_problems(group: JobGroup) -> list[str]:
    problems = [] if group.ami_id else image_problems(group.instance_types)
    if group.ami_id is not None and not re.fullmatch(
        r"ami-(?:[0-9a-f]{8}|[0-9a-f]{17})", group.ami_id
    ):
        problems.append(
            f"ami_id must look like ami-0123456789abcdef0, got ami_id={group.ami_id}"
        )
    if group.longest_job is not None:
        problems += duration_problems("longest_job", group.longest_job)
    problems += [
        f"taints must name each key once in a job group (a tag of the autoscaler holds "
        f"one value), got {key} {count} times"
        for key, count in Counter(taint.key for taint in group.taints).items()
        if count > 1
    ]
    return problems
