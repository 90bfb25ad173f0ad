"""How long a node lives, from the longest job that it must let finish."""

from collections.abc import Iterator
from dataclasses import dataclass

from .duration import (
    NEVER,
    seconds,
    spelled,
)
from .pool import PoolRules

__all__ = [
    "AUTO_MODE_LIFE",
    "MARGIN_SECONDS",
    "Lifetime",
    "auto_lifetime",
    "auto_lifetime_problems",
    "drain_limit",
    "lifetime",
    "lifetime_problems",
]

AUTO_MODE_LIFE = "504h"
"""
Longest life of a node of EKS Auto Mode, its drain included.

Sources: EKS user guide, Auto Mode, node lifetime of 21 days.
"""

MARGIN_SECONDS = 1_800
"""
How much longer than its longest job a group drains when nothing else is said.

Sources: a guess.
"""

_EXPIRE_AFTER = "336h"
_AUTO_MODE_GRACE = "24h"
_FAR_ABOVE = 4
_LEAST_LIFE = 3_600
_OPEN_END = 3_600


@dataclass(frozen=True, kw_only=True, slots=True)
class Lifetime:
    """
    The two ends of a node.

    Args:
        expire_after: Age at which it drains, or `Never`.
        termination_grace_period: Longest drain; None has no end.
    """

    expire_after: str
    termination_grace_period: str | None


def lifetime(rules: PoolRules, longest_job: str | None) -> Lifetime:
    """
    Decide how long nodes of Karpenter live.

    A drain waits for the longest job and half an hour more: a pod that was bound
    just before it still pulls its image, and Karpenter ends pods their own grace
    period early. Without a longest job no job is ever ended, and one without an end
    keeps its node for ever.

    Args:
        rules: Rules of the pool.
        longest_job: How long a job of the group may run; None is not known.

    Sources:
        Half an hour and four times the longest job: guesses.
    """
    grace = rules.termination_grace_period
    if grace is None and longest_job is not None:
        grace = spelled(seconds(longest_job) + MARGIN_SECONDS)
    return Lifetime(
        expire_after=rules.expire_after or _expire_after(longest_job),
        termination_grace_period=grace,
    )


def auto_lifetime(rules: PoolRules, longest_job: str | None) -> Lifetime:
    """
    Decide how long nodes of EKS Auto Mode live, which ends them after 21 days.

    Args:
        rules: Rules of the pool.
        longest_job: How long a job of the group may run; None leaves drains at what
            Auto Mode does by itself.

    Sources:
        24h and 336h: EKS user guide, Auto Mode.
    """
    grace = rules.termination_grace_period or (
        _AUTO_MODE_GRACE
        if longest_job is None
        else spelled(seconds(longest_job) + MARGIN_SECONDS)
    )
    room = seconds(AUTO_MODE_LIFE) - seconds(grace)
    default = spelled(max(_LEAST_LIFE, min(seconds(_EXPIRE_AFTER), room)))
    return Lifetime(
        expire_after=rules.expire_after or default, termination_grace_period=grace
    )


def drain_limit(life: Lifetime) -> str:
    """
    Return how long a deletion waits for the nodes of a pool.

    That is the longest drain and half an hour, and an hour for a drain without an
    end: a destroy then fails, names the pool, and can be repeated.

    Sources:
        Half an hour and an hour: guesses.
    """
    grace = life.termination_grace_period
    return spelled(_OPEN_END if grace is None else seconds(grace) + MARGIN_SECONDS)


def lifetime_problems(rules: PoolRules, longest_job: str | None) -> Iterator[str]:
    """List where a drain would end the longest job by force."""
    if longest_job is None:
        return
    grace = rules.termination_grace_period
    if grace is not None and seconds(grace) < seconds(longest_job):
        yield (
            "termination_grace_period must be at least the longest_job, which drift "
            f"and expiry would end by force, got termination_grace_period={grace}, "
            f"longest_job={longest_job}"
        )


def auto_lifetime_problems(rules: PoolRules, longest_job: str | None) -> Iterator[str]:
    """List where EKS Auto Mode would refuse a life, or end the longest job."""
    wrong = list(lifetime_problems(rules, longest_job))
    yield from wrong
    if wrong:
        return
    if rules.expire_after == NEVER:
        yield (
            f"expire_after must be a duration with EKS Auto Mode, where a node lives "
            f"{AUTO_MODE_LIFE} at most, got expire_after={NEVER}"
        )
        return
    life = auto_lifetime(rules, longest_job)
    grace = life.termination_grace_period or ""
    both = seconds(life.expire_after) + seconds(grace)
    if both > seconds(AUTO_MODE_LIFE):
        yield (
            "expire_after and termination_grace_period must be at most "
            f"{AUTO_MODE_LIFE} together with EKS Auto Mode, got "
            f"expire_after={life.expire_after}, termination_grace_period={grace}"
            + ("" if longest_job is None else f", longest_job={longest_job}")
        )


def _expire_after(longest_job: str | None) -> str:
    far = 0 if longest_job is None else seconds(longest_job) * _FAR_ABOVE
    return spelled(max(seconds(_EXPIRE_AFTER), far))
