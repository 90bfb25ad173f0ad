"""Cluster Autoscaler: what a team says about it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from ..problems import duplicates, refuse
from .checks import (
    Resources,
    idle_problems,
    replica_problems,
)
from .duration import duration_problems, seconds
from .versions import version_problems

__all__ = [
    "ClusterAutoscaler",
    "PoolState",
    "ScaleDown",
    "WarmPool",
    "state_problems",
]

# No node of EKS joins sooner. A guess.
_LEAST_PROVISION_SECONDS = 120

GroupKind = Literal["self-managed", "managed"]
PoolState = Literal["STOPPED", "RUNNING"]

_OF_THE_CONTROLLER = (
    "priorities",
    "scale_down_delay_after_add",
    "max_node_provision_time",
    "replicas",
    "resources",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScaleDown:
    """
    When nodes of one group go, written as tags that override the controller's flags.

    Args:
        utilization_threshold: A node may go when its pods request less than this
            share of it, above 0 and up to 1. **Strictly less**: with 0 an empty
            node, which is at 0, would stay for ever.
        unneeded_time: How long it must be so.
        unready_time: How long a node may be not ready before it goes. Annotations
            do not hold that back.
        ignore_daemonsets: Leave pods of DaemonSets out of the count; with them an
            empty node is not empty.

    Raises:
        ValueError: A value is out of range. All problems are named.

    Sources:
        0.01: with DaemonSets left out an empty node is at 0, and a job that
        requests 1 % of a node keeps it (cluster-autoscaler,
        core/scaledown/eligibility: at or above the threshold is not removed).
        10m and 20m: its defaults.
    """

    utilization_threshold: float = 0.01
    unneeded_time: str = "10m"
    unready_time: str = "20m"
    ignore_daemonsets: bool = True

    def __post_init__(self) -> None:
        refuse(self._problems())

    def options(self) -> dict[str, str]:
        """Return the options by their names in tags."""
        share = f"{self.utilization_threshold:g}"
        return {
            "ignoredaemonsetsutilization": str(self.ignore_daemonsets).lower(),
            "scaledowngpuutilizationthreshold": share,
            "scaledownunneededtime": self.unneeded_time,
            "scaledownunreadytime": self.unready_time,
            "scaledownutilizationthreshold": share,
        }

    def _problems(self) -> Iterator[str]:
        share = self.utilization_threshold
        if not 0 < share <= 1:
            yield (
                "utilization_threshold must be above 0 and at most 1 (nodes strictly "
                "below it go, so 0 keeps even empty ones), "
                f"got utilization_threshold={share:g}"
            )
        yield from duration_problems("unneeded_time", self.unneeded_time, zero=True)
        yield from duration_problems("unready_time", self.unready_time, zero=True)


@dataclass(frozen=True, kw_only=True, slots=True)
class WarmPool:
    """
    Instances that have booted once and wait, in each zone of a managed group.

    Args:
        min_size: Instances that wait in each zone, 0 or more.
        max_prepared: Most instances of a zone, running and waiting together: as many
            wait as are missing to it, and *min_size* at least. None is *min_size*,
            so that no more than those ever wait.
        state: What they wait as. `STOPPED` costs their volumes only, `RUNNING` all.
        reuse_on_scale_in: Put instances back instead of ending them.

    Raises:
        ValueError: A number is out of range, nothing would wait, or the state is not
            one that the launch templates of the library allow.

    Sources:
        EKS API, WarmPoolConfig. EC2 Auto Scaling user guide, size of a warm pool.
    """

    min_size: int = 0
    max_prepared: int | None = None
    state: PoolState = "STOPPED"
    reuse_on_scale_in: bool = False

    def __post_init__(self) -> None:
        refuse(self._problems())

    @property
    def most_prepared(self) -> int:
        """Most instances of a zone, running and waiting together."""
        return self.min_size if self.max_prepared is None else self.max_prepared

    def config(self) -> dict[str, object]:
        """Return the `warm_pool_config` of `aws.eks.NodeGroup`."""
        return {
            "min_size": self.min_size,
            # Left out, the pool would hold all that is missing to the group's maximum.
            "max_group_prepared_capacity": self.most_prepared,
            "pool_state": self.state,
            "reuse_on_scale_in": self.reuse_on_scale_in,
        }

    def _problems(self) -> Iterator[str]:
        if self.min_size < 0:
            yield f"min_size must be 0 or more, got min_size={self.min_size}"
        if self.max_prepared is None and self.min_size == 0:
            yield (
                "min_size must be 1 or more without max_prepared, or nothing waits, "
                "got min_size=0"
            )
        if self.max_prepared is not None and self.max_prepared < max(1, self.min_size):
            yield (
                "max_prepared must be at least 1 and min_size, "
                f"got max_prepared={self.max_prepared}, min_size={self.min_size}"
            )
        yield from state_problems(self.state)


def state_problems(state: str) -> Iterator[str]:
    """Name a state that no instance of the library can wait as."""
    states = get_args(PoolState)
    if state not in states:
        yield (
            f"state must be {' or '.join(states)} (the launch templates of the "
            f"library do not turn hibernation on), got state={state}"
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterAutoscaler:
    """
    Nodes by Cluster Autoscaler: each job group is an Auto Scaling group.

    Args:
        version: Version of the image, of the same minor as the cluster. None is the
            newest that is known for it.
        install: Whether the controller is installed. Off for teams that run it
            already; then *version* says which one runs, and the groups carry their
            tags all the same.
        groups: `self-managed` groups over all zones with zone rebalancing suspended,
            or one `managed` group for each zone, which has nothing to rebalance.
        priorities: Job groups to try first, in this order; all others come after.
            Groups are found by the names that Pulumi gives by default: with
            `pulumi:autonaming`, or under an alias, none is preferred.
        options: When nodes go, by the name of a job group; the others have
            `ScaleDown`.
        warm_pool: Instances that wait, for managed groups.
        scale_down_delay_after_add: How long no node goes after one came.
        max_node_provision_time: How long a node may take to join, 2m or longer. One
            that has not joined by then is ended, and the next one too when it is as
            slow.
        replicas: Controllers, one of which leads, 1 to 5.
        resources: What one requests.

    Raises:
        ValueError: A value is out of range, or would do nothing. All problems are
            named.

    Sources:
        10m and 15m: defaults of Cluster Autoscaler, which removes instances that
        did not register in time (static_autoscaler, removeOldUnregisteredNodes). 2m:
        a guess; kubernetes/autoscaler#6810, where 5m is too short. Two replicas, 100m
        and 600Mi: its example for AWS has 600Mi; the rest a guess.
    """

    kind: ClassVar[Literal["cluster-autoscaler"]] = "cluster-autoscaler"

    version: str | None = None
    install: bool = True
    groups: GroupKind = "self-managed"
    priorities: tuple[str, ...] = ()
    options: Mapping[str, ScaleDown] = field(default_factory=dict)
    warm_pool: WarmPool | None = None
    scale_down_delay_after_add: str = "10m"
    max_node_provision_time: str = "15m"
    replicas: int = 2
    resources: Resources = Resources(cpu="100m", memory="600Mi")

    def __post_init__(self) -> None:
        refuse(self._problems())

    def scale_down(self, group: str) -> ScaleDown:
        """Return the options of a job group."""
        return self.options.get(group, ScaleDown())

    def _problems(self) -> Iterator[str]:
        if self.version is not None:
            yield from version_problems("version", self.version)
        if self.groups not in get_args(GroupKind):
            yield f"groups must be self-managed or managed, got groups={self.groups}"
        yield from duplicates("priorities", self.priorities)
        if self.warm_pool is not None and self.groups != "managed":
            yield f"warm_pool needs groups: managed, got groups={self.groups}"
        yield from duration_problems(
            "scale_down_delay_after_add", self.scale_down_delay_after_add, zero=True
        )
        yield from _provision_problems(self.max_node_provision_time)
        yield from replica_problems(self.replicas)
        if not self.install:
            yield from idle_problems(self, _OF_THE_CONTROLLER, "install: true")


def _provision_problems(text: str) -> Iterator[str]:
    problems = duration_problems("max_node_provision_time", text)
    yield from problems
    if not problems and seconds(text) < _LEAST_PROVISION_SECONDS:
        yield (
            "max_node_provision_time must be 2m or longer, or instances are ended "
            f"before they can join, for ever, got max_node_provision_time={text}"
        )
