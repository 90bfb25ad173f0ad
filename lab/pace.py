"""How much faster than real a run goes, and what cannot go faster."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from components.spec.problems import refuse
from components.spec.scaler.duration import NEVER, seconds, spelled
from components.spec.scaler.lifetime import Lifetime
from components.spec.scaler.pool import Budget, PoolRules

__all__ = ["LATE_SECONDS", "NODE_START", "SPEED", "Pace"]

SPEED = 20.0
"""Sources: an hour of load in three minutes; a guess between patience and truth."""

NODE_START = 40.0
"""
Seconds from the order of a machine until pods start on it.

Sources: events of a Karpenter node of EKS, 26 s until pods are bound and 13 s until
the network is ready.
"""

LATE_SECONDS = 25
"""
Seconds that Karpenter takes to remove a node that is due, on average.

Sources: Karpenter 1.15, pkg/controllers: it looks every 10 s, thinks it over for 15 s
(disruption), and drains for 5 s at least (node/termination).
"""

_FASTEST = 100
_BACKOFF = 10
_LEAST_BATCH_MS = 10


@dataclass(frozen=True, kw_only=True, slots=True)
class Pace:
    """
    A factor between the time of the load and that of this machine.

    Args:
        speed: Seconds of the load in one of this machine, 1 to 100.

    Raises:
        ValueError: It is out of range.

    Sources:
        100: an hour in 36 s, where Karpenter thinks longer than a node is idle.
    """

    speed: float = SPEED

    def __post_init__(self) -> None:
        refuse(
            [f"speed must be 1 to {_FASTEST}, got speed={self.speed:g}"]
            if not 1 <= self.speed <= _FASTEST
            else []
        )

    def shorter(self, real: float) -> float:
        """Return seconds of this machine for seconds of the load."""
        return real / self.speed

    def duration(self, text: str) -> str:
        """Return a duration of Karpenter, which counts whole seconds, one at least."""
        if text == NEVER:
            return text
        number = seconds(text)
        return spelled(max(1, round(self.shorter(number)))) if number else "0s"

    def milliseconds(self, text: str) -> str:
        """Return a duration for Go, which counts parts of seconds too."""
        return f"{max(_LEAST_BATCH_MS, round(1_000 * self.shorter(seconds(text))))}ms"

    @property
    def start_seconds(self) -> int:
        """Whole seconds of this machine that a node takes to start, one at least."""
        return max(1, round(self.shorter(NODE_START)))

    @property
    def backoff_seconds(self) -> int:
        """
        Longest time until the scheduler tries a pod again, one second at least.

        Sources: 10 s, KubeSchedulerConfiguration; it begins with one second.
        """
        return max(1, round(self.shorter(_BACKOFF)))

    def rules(self, rules: PoolRules) -> PoolRules:
        """
        Return rules by which nodes go as late as they would in real time.

        Karpenter's own delays cannot be made shorter, so that the time that a node
        must be quiet is; and it acts less often, so that it may act on more nodes.
        Budgets with a schedule are of wall-clock time, and left out.
        """
        return replace(
            rules,
            consolidate_after=self._quiet(rules.consolidate_after),
            budgets=tuple(self._budgets(rules)) or (Budget(nodes="100%"),),
        )

    def lifetime(self, life: Lifetime) -> Lifetime:
        """Return the life of a node in time of this machine."""
        grace = life.termination_grace_period
        return Lifetime(
            expire_after=self.duration(life.expire_after),
            termination_grace_period=None if grace is None else self.duration(grace),
        )

    def notes(self) -> tuple[str, ...]:
        """Say what the run shows otherwise than real time would."""
        if self.speed == 1:
            return ("Nothing was compressed.",)
        return (
            f"{self.speed:g} times faster: a second of the scheduler, the API server "
            f"or this machine counts as {self.speed:g} s of the load.",
            f"Karpenter looks for nodes to remove every 10 s, thinks it over for 15 s "
            f"and drains for 5 s, which counts as {30 * self.speed:g} s here; "
            "consolidateAfter is shortened by the average, and budgets are widened, so "
            "that nodes go when they would.",
            f"Karpenter and Kubernetes count whole seconds, {self.speed:g} s here"
            f"{self._start_note()}.",
            "A pod that found no node, or that pushes out a balloon, is tried again "
            f"after 1 s at the earliest, {self.speed:g} s here; a Job whose pod was "
            f"ended makes another after 10 s, {10 * self.speed:g} s here.",
            "Budgets with a schedule are left out: the clock on the wall runs as "
            "always.",
        )

    def _start_note(self) -> str:
        start = self.start_seconds * self.speed
        if start == NODE_START:
            return ""
        return f"; a node starts in {start:g} s instead of {NODE_START:g} s"

    def _quiet(self, after: str) -> str:
        if after == NEVER or seconds(after) == 0:
            return after
        late = LATE_SECONDS - self.shorter(LATE_SECONDS)
        return spelled(max(1, round(self.shorter(seconds(after)) - late)))

    def _budgets(self, rules: PoolRules) -> Iterator[Budget]:
        for budget in rules.budgets:
            if budget.schedule is None:
                yield replace(budget, nodes=self._more(budget.nodes))

    def _more(self, nodes: str) -> str:
        if nodes.endswith("%"):
            return f"{min(100, round(int(nodes[:-1]) * self.speed))}%"
        return str(round(int(nodes) * self.speed))
