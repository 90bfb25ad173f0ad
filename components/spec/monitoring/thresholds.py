"""From when on alerts fire."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..problems import refuse
from ..scaler.duration import duration_problems

__all__ = ["ALERTS", "Thresholds"]

ALERTS = (
    "JobInterrupted",
    "JobPodsUnschedulable",
    "JobNodeKubeletOverloaded",
    "JobImagePullsRejected",
    "JobImagePullsFailing",
    "JobNodeVolumeThrottled",
    "JobPodAddressesShort",
    "JobPolicyNotApplied",
    "JobGroupAtItsLimit",
    "JobScaleUpsFailing",
    "JobNodeKeptByOnePod",
    "JobNodeOverItsExpiry",
    "JobPackingPoor",
    "JobMonitoringBlind",
)
"""Names of all alerts; each has a page of this name in docs/runbooks."""

# Where the buckets of the kubelet's histogram end. Source: Prometheus, DefBuckets.
_LONGEST_RELIST = 10.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Thresholds:
    """
    What is too much.

    Durations are written as `1h30m`.

    Args:
        pleg_p99_seconds: Time in which the kubelet has looked at all containers 99
            times of 100, above 0 and below 10 s, where its buckets end.
        rejected_pulls: Pods of a node that wait although their registry answered, 1
            or more.
        volume_ratio: Share of the volume's IOPS or throughput in use, above 0 and
            at most 1.
        sandbox_errors: Pods of a node that got no sandbox in a quarter of an hour, 1
            or more. One or two are what a deleted pod leaves behind.
        limit_ratio: Share of `size.max` in use, above 0 and at most 1.
        kept_by_one_pod: How long one and the same pod keeps a node alone.
        unschedulable: How long a job pod waits for a node.
        expiry_margin: How long a node outlives its pool's age and drain.
        packing_ratio: Share of the fullest resource of non-empty nodes that is
            requested, above 0 and at most 1.
        packing_nodes: Nodes below which packing is not looked at, 1 or more.

    Raises:
        ValueError: A value is out of its range. All problems are named.

    Sources:
        5 s: between the second that lies between two looks and the 10 s of
        kubernetes-mixin, KubeletPlegDurationHigh. 6h: the longest job that most
        stacks have. 15m: a node takes minutes, and is tried again. The others:
        guesses.
    """

    pleg_p99_seconds: float = 5.0
    rejected_pulls: int = 3
    volume_ratio: float = 0.95
    sandbox_errors: int = 3
    limit_ratio: float = 1.0
    kept_by_one_pod: str = "6h"
    unschedulable: str = "15m"
    expiry_margin: str = "1h"
    packing_ratio: float = 0.3
    packing_nodes: int = 3

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[str]:
        if not 0 < self.pleg_p99_seconds < _LONGEST_RELIST:
            yield (
                "pleg_p99_seconds must be above 0 and below 10, "
                f"got pleg_p99_seconds={self.pleg_p99_seconds}"
            )
        for name in ("rejected_pulls", "sandbox_errors", "packing_nodes"):
            if getattr(self, name) < 1:
                yield f"{name} must be 1 or more, got {name}={getattr(self, name)}"
        for name in ("volume_ratio", "limit_ratio", "packing_ratio"):
            if not 0 < getattr(self, name) <= 1:
                yield (
                    f"{name} must be above 0 and at most 1, "
                    f"got {name}={getattr(self, name)}"
                )
        for name in ("kept_by_one_pod", "unschedulable", "expiry_margin"):
            yield from duration_problems(name, getattr(self, name))
