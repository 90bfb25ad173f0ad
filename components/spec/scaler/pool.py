"""How a node pool loses nodes: rules that Karpenter and EKS Auto Mode share."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ..cron import field_problems, parse
from ..problems import choices, refuse
from ..time_zones import UTC_CLOCK
from .duration import duration_problems

__all__ = ["Budget", "CapacityType", "ConsolidationPolicy", "PoolRules", "Reason"]

ConsolidationPolicy = Literal["WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"]
Reason = Literal["Empty", "Drifted", "Underutilized", "Unhealthy"]
CapacityType = Literal["on-demand", "spot"]

_NODES = re.compile(r"(?:100|[0-9]{1,2})%|[0-9]+")
_WINDOW = re.compile(r"(?:[0-9]+[hm]|[0-9]+h[0-9]+m)(?:0s)?")
_MACROS = (
    "@annually",
    "@yearly",
    "@monthly",
    "@weekly",
    "@daily",
    "@midnight",
    "@hourly",
)
_MOST_BUDGETS = 50

# Any moment does: 1 January 2027.
_A_MOMENT = 1_798_761_600


@dataclass(frozen=True, kw_only=True, slots=True)
class Budget:
    """
    How many nodes of a pool may be going at once. The strictest budget counts.

    Expiry, interruptions and a deleted pool are not held back by any budget.

    Args:
        nodes: A number, `"0"`, or a percentage that is rounded up, `"20%"`.
        reasons: What it limits; none is all of them.
        schedule: When it begins, five fields of cron in **UTC**, or a word such as
            `@daily`; needs *duration*.
        duration: How long it holds from then, in hours and minutes, `9h30m`.

    Raises:
        ValueError: Karpenter would refuse it, or could not read it.

    Sources:
        CRD of NodePool, and Budget.IsActive, Karpenter 1.15.
    """

    nodes: str
    reasons: tuple[Reason, ...] = ()
    schedule: str | None = None
    duration: str | None = None

    def __post_init__(self) -> None:
        refuse(self._problems())

    def manifest(self) -> dict[str, Any]:
        """Return an item of `spec.disruption.budgets`."""
        return {
            "nodes": self.nodes,
            **({"reasons": list(self.reasons)} if self.reasons else {}),
            **(
                {"schedule": self.schedule, "duration": self.duration}
                if self.schedule is not None
                else {}
            ),
        }

    def _problems(self) -> Iterator[str]:
        if not isinstance(self.nodes, str) or not _NODES.fullmatch(self.nodes):
            yield (
                'nodes must be a number or a percentage in quotes such as "2" or '
                f'"20%", got nodes={self.nodes}'
            )
        yield from choices("reasons", self.reasons, get_args(Reason))
        if (self.schedule is None) != (self.duration is None):
            yield (
                "schedule and duration must be given together, "
                f"got schedule={self.schedule}, duration={self.duration}"
            )
        yield from self._schedule_problems()
        if self.duration is not None and not _WINDOW.fullmatch(self.duration):
            yield (
                "duration must be hours and minutes such as 9h30m, "
                f"got duration={self.duration}"
            )

    def _schedule_problems(self) -> list[str]:
        """
        Refuse what the CRD, which counts fields, takes and Karpenter cannot use.

        With a schedule that it cannot read Karpenter gives up no node at all, and one
        whose day never comes is in force for ever.
        """
        text = self.schedule
        if text is None or text in _MACROS:
            return []
        if len(text.split()) != 5:
            return [
                "schedule must be five fields of cron in UTC such as 30 23 * * 1-5, or "
                f"one of {', '.join(_MACROS)}, got schedule={text}"
            ]
        problems = field_problems("schedule", text)
        if not problems and parse(text).next(UTC_CLOCK, _A_MOMENT) is None:
            problems = [f"schedule must be days that come, got schedule={text}"]
        return problems


@dataclass(frozen=True, kw_only=True, slots=True)
class PoolRules:
    """
    When a pool gives nodes back.

    Args:
        consolidation_policy: `WhenEmpty` waits until no job is left on a node; the
            others move jobs, and only their annotation keeps them alive.
        consolidate_after: How long a node must be quiet before it goes. Above zero,
            because a job may be on its way to an empty node; shorter than the gap
            between cron jobs, or it never comes.
        budgets: How many nodes may go at once, at most 50.
        expire_after: Age at which a node stops taking pods and drains; `Never`
            keeps it. None is 336h, or four times the longest job if that is more.
        termination_grace_period: How long a drain waits before it ends protected
            pods by force. None is the longest job and half an hour, or no end
            when the longest job is not known.
        weight: Which pool is asked first, 1 to 100, higher first; None is 0.
        capacity_types: What is bought; an interruption of spot ends jobs.

    Raises:
        ValueError: Karpenter would refuse a value. All problems are named.

    Sources:
        WhenEmpty and 10m: karpenter#3185 and #2916 (a job bound seconds before)
        against karpenter#1921 (cron jobs that reset the clock); between 5 and 15
        minutes, a guess. A fifth of the nodes at once, and image changes at weekends
        only: a guess. 336h: what EKS Auto Mode has.
    """

    consolidation_policy: ConsolidationPolicy = "WhenEmpty"
    consolidate_after: str = "10m"
    budgets: tuple[Budget, ...] = (
        Budget(nodes="20%"),
        Budget(nodes="0", reasons=("Drifted",), schedule="0 0 * * 1-5", duration="24h"),
    )
    expire_after: str | None = None
    termination_grace_period: str | None = None
    weight: int | None = None
    capacity_types: tuple[CapacityType, ...] = ("on-demand",)

    def __post_init__(self) -> None:
        refuse(self._problems())

    def disruption(self) -> dict[str, Any]:
        """Return the `spec.disruption` of a NodePool, defaults written out."""
        return {
            "consolidationPolicy": self.consolidation_policy,
            "consolidateAfter": self.consolidate_after,
            "budgets": [budget.manifest() for budget in self.budgets],
        }

    def _problems(self) -> Iterator[str]:
        if self.consolidation_policy not in get_args(ConsolidationPolicy):
            yield (
                "consolidation_policy must be one of "
                f"{', '.join(get_args(ConsolidationPolicy))}, "
                f"got consolidation_policy={self.consolidation_policy}"
            )
        yield from duration_problems(
            "consolidate_after", self.consolidate_after, never=True, zero=True
        )
        if not 1 <= len(self.budgets) <= _MOST_BUDGETS:
            yield f"budgets must be 1 to {_MOST_BUDGETS}, got {len(self.budgets)}"
        if self.expire_after is not None:
            yield from duration_problems("expire_after", self.expire_after, never=True)
        if self.termination_grace_period is not None:
            yield from duration_problems(
                "termination_grace_period", self.termination_grace_period
            )
        if self.weight is not None and not 1 <= self.weight <= 100:
            yield f"weight must be 1 to 100, got weight={self.weight}"
        if not self.capacity_types:
            yield "capacity_types must name at least one"
        yield from choices(
            "capacity_types", self.capacity_types, get_args(CapacityType)
        )
