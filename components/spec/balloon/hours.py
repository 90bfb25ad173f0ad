"""What a schedule holds in a week: hours, balloons, vCPU and memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..scaler.duration import seconds
from .schedule import Schedule
from .year import REFERENCE_YEAR, WEEKS, Span, bounds, simulate, zone_clock

__all__ = [
    "ALL_HOURS",
    "ActiveHours",
    "Step",
    "active_hours",
    "close_steps",
    "held",
    "least_held",
    "window_spans",
]

ALL_HOURS = 168.0
"""Hours of a week."""

_TOLERANCE = 0.1
"""
By how much two numbers must differ before an HPA tells them apart.

Sources: kube-controller-manager, horizontal-pod-autoscaler-tolerance.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class ActiveHours:
    """
    What balloons hold in a week, on average over 52 weeks.

    Args:
        hours_per_week: Hours in which there are any balloons, 0 to 168.
        balloon_hours_per_week: The same, times the balloons.
        most: The most balloons at one time.
    """

    hours_per_week: float
    balloon_hours_per_week: float
    most: int

    def vcpu_hours_per_week(self, millicores: int) -> float:
        """Return vCPU hours a week of balloons that request so many each."""
        return self.balloon_hours_per_week * millicores / 1_000

    def gib_hours_per_week(self, mebibytes: int) -> float:
        """Return GiB hours a week of balloons that request so many each."""
        return self.balloon_hours_per_week * mebibytes / 1_024


def active_hours(
    schedule: Schedule | None, replicas: int, year: int = REFERENCE_YEAR
) -> ActiveHours:
    """
    Count what balloons hold in a week.

    The time that KEDA needs to notice, and its cooldown, are not counted.

    Args:
        schedule: The schedule, None for balloons at all hours.
        replicas: Balloons in windows that say no number of their own.
        year: The year that is looked at.
    """
    if schedule is None:
        return ActiveHours(
            hours_per_week=ALL_HOURS,
            balloon_hours_per_week=ALL_HOURS * replicas,
            most=replicas,
        )
    parts = list(held(schedule, replicas, year))
    return ActiveHours(
        hours_per_week=sum(span.hours for span, _ in parts) / WEEKS,
        balloon_hours_per_week=sum(span.hours * count for span, count in parts) / WEEKS,
        most=max(count for _, count in parts),
    )


def held(
    schedule: Schedule, replicas: int, year: int = REFERENCE_YEAR
) -> Iterator[tuple[Span, int]]:
    """
    Yield times and how many balloons KEDA holds in them, none of them zero.

    Where windows overlap the highest count wins.

    Args:
        schedule: The schedule.
        replicas: Balloons in windows that say no number of their own.
        year: The year that is looked at.

    Sources:
        KEDA docs, scaling deployments: of several triggers the highest wins.
    """
    counts, spans = schedule.counts(replicas), window_spans(schedule, year)
    edges = sorted(
        (moment, opens, counts[place])
        for place, of_window in enumerate(spans)
        for span in of_window
        for moment, opens in ((span.start, True), (span.end, False))
    )
    open_now: list[int] = []
    for (moment, opens, count), (following, *_) in pairwise(edges):
        if opens:
            open_now.append(count)
        else:
            open_now.remove(count)
        if open_now and moment < following:
            yield Span(moment, following), max(open_now)


def least_held(schedule: Schedule, replicas: int, year: int = REFERENCE_YEAR) -> int:
    """
    Return how many balloons are there at every hour: 0 when they ever go.

    They stay where the time between two windows is no longer than the cooldown.

    Args:
        schedule: The schedule.
        replicas: Balloons in windows that say no number of their own.
        year: The year that is looked at.
    """
    begin, end = bounds(zone_clock(schedule.timezone, year), year)
    parts = list(held(schedule, replicas, year))
    # The year is whole weeks: its end meets its beginning.
    starts = [*(span.start for span, _ in parts), parts[0][0].start + end - begin]
    gaps = [
        start - span.end for (span, _), start in zip(parts, starts[1:], strict=True)
    ]
    if max(gaps) > seconds(schedule.cooldown):
        return 0
    return min(count for _, count in parts)


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """
    A change from one number of balloons to another.

    Args:
        moment: When, Unix seconds.
        before: Balloons before it.
        after: Balloons after it.
    """

    moment: int
    before: int
    after: int


def close_steps(
    schedule: Schedule, replicas: int, year: int = REFERENCE_YEAR
) -> tuple[Step, ...]:
    """
    Return the changes that an HPA takes for none, since a tenth at most is missing.

    Args:
        schedule: The schedule.
        replicas: Balloons in windows that say no number of their own.
        year: The year that is looked at.

    Sources:
        Kubernetes, podautoscaler/replica_calculator.go, isWithin.
    """
    return tuple(
        Step(moment=following.start, before=count, after=wanted)
        for (span, count), (following, wanted) in pairwise(
            held(schedule, replicas, year)
        )
        if following.start - span.end <= seconds(schedule.cooldown)
        and count != wanted
        and 1 - _TOLERANCE <= wanted / count <= 1 + _TOLERANCE
    )


def window_spans(schedule: Schedule, year: int) -> Sequence[tuple[Span, ...]]:
    """Return for each window when KEDA holds it open."""
    zone = zone_clock(schedule.timezone, year)
    return [
        simulate(*window.parsed, zone, year).spans for window in schedule.all_windows
    ]
