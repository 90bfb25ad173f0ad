"""Balloons: what a team says about capacity that waits for jobs."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from ..labels import label_problems
from ..problems import refuse, refused
from ..scaler.checks import Resources
from ..scaler.cluster_autoscaler import PoolState, WarmPool, state_problems
from .schedule import Schedule

__all__ = [
    "NAMESPACE",
    "PAUSE_IMAGE",
    "PRIORITY",
    "AnyBalloon",
    "BufferBalloon",
    "PodBalloon",
    "StaticBalloon",
    "WarmPoolBalloon",
]

NAMESPACE = "eks-jobs-balloons"
"""
Where balloons live: a namespace of their own.

Quotas and policies of teams do not meet them there, and it enforces the strictest
level of Pod Security.
"""

PAUSE_IMAGE = "public.ecr.aws/eks-distro/kubernetes/pause:3.10"
"""
What the pods of a balloon run: an image of one small program that waits.

It has both architectures, and is served by AWS. Sources: EKS Distro, image gallery.
"""

PRIORITY = -10
"""
Priority of balloons: below every job, and the least for which any scaler adds a node.

Sources: Cluster Autoscaler FAQ, and core/utils/expendable.go: it ignores pods below
-10.
"""

# From here on Karpenter takes a node with nothing but balloons for an empty one. It
# deletes the node, the balloons wait, the node comes back, and so on for ever.
# Source: karpenter 1.14, pkg/utils/disruption: cost = 1 + priority / 2^25.
_LOOPS_FROM = -(2**25)

# KEDA names an autoscaler keda-hpa-<name>, and writes that into a label of 63.
_LONGEST_NAME = 63 - len("keda-hpa-")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_IMAGE = re.compile(
    r"[^\s@:]+(?::\d+(?=/))?(?:/[^\s@:]+)*"
    r"(?::(?P<tag>[\w.-]+))?(?P<digest>@sha256:[0-9a-f]{64})?"
)
_OWN_LABELS = ("app.kubernetes.io/name", "app.kubernetes.io/instance")
_OWN_DOMAIN = "eks-jobs/"


@dataclass(frozen=True, kw_only=True, slots=True)
class PodBalloon:
    """
    Pods that hold room on nodes of a job group until jobs need it.

    A job that finds no room takes that of a balloon at once; the balloon waits, and
    the scaler starts a node for it. That saves the start of a node and not the pull
    of an image. Selector, tolerations and architecture come from the group.

    Args:
        group: Name of the job group.
        replicas: How many pods, 1 or more.
        cpu: What each requests, cores `1` or millicores `500m`: as much as a typical
            job pod. Less, and one job must push out several, or finds too little.
        memory: The same of memory, in `Mi` or `Gi`.
        name: Name of its objects. None is `balloon-` and the group; a second balloon
            of a group needs a name.
        schedule: When it is up; None is always.
        priority: Priority of its pods, below 0. Jobs have 0 unless they say more.
        image: What its pods run, with a tag or digest, for the architecture of the
            group.
        labels: Labels of its pods, for bills and reports. Not the one of jobs.
        typical_job: What a typical job pod of the group requests: a balloon that is
            smaller is a warning.

    Raises:
        ValueError: A value is out of range, or would make nodes come and go for
            ever. All problems are named.

    Sources:
        -10: `PRIORITY`.
    """

    kind: ClassVar[Literal["pods"]] = "pods"
    usual_kind: ClassVar[Literal[True]] = True

    group: str
    replicas: int
    cpu: str
    memory: str
    name: str | None = None
    schedule: Schedule | None = None
    priority: int = PRIORITY
    image: str = PAUSE_IMAGE
    labels: Mapping[str, str] = field(default_factory=dict)
    typical_job: Resources | None = None

    def __post_init__(self) -> None:
        refuse(self._problems())

    @property
    def object_name(self) -> str:
        """Name of the Deployment and of what belongs to it."""
        return self.name or f"balloon-{self.group}"

    @property
    def peak(self) -> int:
        """Most pods at any time."""
        if self.schedule is None:
            return self.replicas
        return max(self.schedule.counts(self.replicas))

    def _problems(self) -> Iterator[str]:
        yield from _name_problems(self.name)
        yield from _count_problems("replicas", self.replicas)
        yield from _request_problems(self.cpu, self.memory)
        if not _LOOPS_FROM < self.priority < 0:
            yield (
                f"priority must be {_LOOPS_FROM + 1} to -1: jobs have 0 and push out "
                f"what is below, and from {_LOOPS_FROM} on Karpenter takes nodes of "
                "balloons for empty ones, and deletes and makes them for ever, "
                f"got priority={self.priority}"
            )
        yield from _image_problems(self.image)
        yield from label_problems("labels", self.labels)
        for key in self.labels:
            if key in _OWN_LABELS or str(key).startswith(_OWN_DOMAIN):
                yield f"labels must leave out {key}, which is set by this library"


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferBalloon:
    """
    Room that the scaler itself keeps free: a CapacityBuffer, without any pods.

    It takes no address and no pod slot, and no job waits for a pod to go. It has no
    schedule. Karpenter has it since 1.14 (alpha), Cluster Autoscaler since 1.35.

    Args:
        group: Name of the job group.
        replicas: How many times the request below is kept free, 1 or more.
        cpu: What a typical job pod requests, cores `1` or millicores `500m`.
        memory: The same of memory, in `Mi` or `Gi`.
        name: Name of its objects. None is `buffer-` and the group.

    Raises:
        ValueError: A value is out of range. All problems are named.
    """

    kind: ClassVar[Literal["capacity-buffer"]] = "capacity-buffer"

    group: str
    replicas: int
    cpu: str
    memory: str
    name: str | None = None

    def __post_init__(self) -> None:
        refuse(self._problems())

    @property
    def object_name(self) -> str:
        """Name of the CapacityBuffer and of its PodTemplate."""
        return self.name or f"buffer-{self.group}"

    @property
    def peak(self) -> int:
        """Most requests that are kept free at any time."""
        return self.replicas

    def _problems(self) -> Iterator[str]:
        yield from _name_problems(self.name)
        yield from _count_problems("replicas", self.replicas)
        yield from _request_problems(self.cpu, self.memory)


@dataclass(frozen=True, kw_only=True, slots=True)
class WarmPoolBalloon:
    """
    Instances that have booted once and wait, for managed groups of one job group.

    They start faster than new ones, and their disks keep the images that were pulled
    before. They are no objects of Kubernetes.

    Args:
        group: Name of the job group.
        min_size: Instances that wait in each zone, 1 or more.
        max_prepared: Most instances of a zone, running and waiting together: as many
            wait as are missing to it, and *min_size* at least. None is *min_size*,
            so that no more than those ever wait.
        state: What they wait as. `STOPPED` costs their volumes only, `RUNNING` all.
        reuse_on_scale_in: Put instances back instead of ending them.

    Raises:
        ValueError: A number is out of range, or the state is not one that the launch
            templates of the library allow.

    Sources:
        EKS API, WarmPoolConfig. EC2 Auto Scaling user guide, size of a warm pool.
    """

    kind: ClassVar[Literal["warm-pool"]] = "warm-pool"

    group: str
    min_size: int
    max_prepared: int | None = None
    state: PoolState = "STOPPED"
    reuse_on_scale_in: bool = False

    def __post_init__(self) -> None:
        refuse(self._problems())

    @property
    def object_name(self) -> str:
        """What reports call it."""
        return f"warm-pool-{self.group}"

    @property
    def warm_pool(self) -> WarmPool:
        """The warm pool of each managed group."""
        return WarmPool(
            min_size=self.min_size,
            max_prepared=self.max_prepared,
            state=self.state,
            reuse_on_scale_in=self.reuse_on_scale_in,
        )

    def _problems(self) -> Iterator[str]:
        yield from _count_problems("min_size", self.min_size)
        if self.max_prepared is not None and self.max_prepared < self.min_size:
            yield (
                "max_prepared must be at least min_size, "
                f"got max_prepared={self.max_prepared}, min_size={self.min_size}"
            )
        yield from state_problems(self.state)


@dataclass(frozen=True, kw_only=True, slots=True)
class StaticBalloon:
    """
    Nodes that are always there: a NodePool of its own with a fixed number of nodes.

    It is a second pool of the group, because a pool cannot be turned from one kind
    into the other. Its nodes count towards the group's `size.max`. They are replaced
    when they drift or expire, and never consolidated. Karpenter has it since 1.8
    (alpha), EKS Auto Mode since November 2025.

    Args:
        group: Name of the job group.
        nodes: How many nodes, 1 or more.
        name: Name of the pool. None is `static-` and the group.

    Raises:
        ValueError: A value is out of range. All problems are named.
    """

    kind: ClassVar[Literal["static"]] = "static"

    group: str
    nodes: int
    name: str | None = None

    def __post_init__(self) -> None:
        refuse([*_name_problems(self.name), *_count_problems("nodes", self.nodes)])

    @property
    def object_name(self) -> str:
        """Name of the NodePool."""
        return self.name or f"static-{self.group}"


AnyBalloon = PodBalloon | BufferBalloon | WarmPoolBalloon | StaticBalloon
"""Capacity that waits, chosen by `kind`; pods are the usual one, without a kind."""


def _name_problems(name: str | None) -> Iterator[str]:
    if name is not None and not (_NAME.fullmatch(name) and len(name) <= _LONGEST_NAME):
        yield (
            f"name must be 1 to {_LONGEST_NAME} lower-case letters, digits or '-', "
            f"with a letter or digit at both ends, got name={name}"
        )
    elif name is not None and name.startswith("system-"):
        yield f"name must not begin with system-, got name={name}"


def _count_problems(name: str, count: int) -> Iterator[str]:
    if count < 1:
        yield (
            f"{name} must be at least 1, got {name}={count}: leave the balloon out for "
            "none"
        )


def _request_problems(cpu: str, memory: str) -> Iterator[str]:
    return refused("", lambda: Resources(cpu=cpu, memory=memory))


def _image_problems(image: str) -> Iterator[str]:
    found = _IMAGE.fullmatch(image)
    if (
        found is None
        or (found["tag"] is None and found["digest"] is None)
        or (found["tag"] == "latest" and found["digest"] is None)
    ):
        yield (
            f"image must name a tag or digest that stays, such as {PAUSE_IMAGE}, "
            f"got image={image}"
        )
