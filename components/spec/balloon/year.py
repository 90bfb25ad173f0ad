"""One year of a schedule, as KEDA will live it."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache

from ..cron import Cron
from ..time_zones import Clock, clock

__all__ = [
    "REFERENCE_YEAR",
    "WEEKS",
    "Span",
    "Year",
    "bounds",
    "is_active",
    "shown",
    "simulate",
    "zone_clock",
]

REFERENCE_YEAR = 2027
"""
The year that is looked at when the caller names none.

A fixed one, so that the same settings give the same summary every day. Raised by hand
with the pin of tzdata.
"""

WEEKS = 52
"""Whole weeks from the first Monday of a year, so that hours a week come out even."""

_NAMES = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAY = 86_400
_EPOCH = date(1970, 1, 1).toordinal()
_NEXT_YEARS = 7


@dataclass(frozen=True, order=True, slots=True)
class Span:
    """
    A time in which KEDA holds the balloons.

    Args:
        start: First moment, Unix seconds.
        end: First moment after it.
    """

    start: int
    end: int

    @property
    def hours(self) -> float:
        """How long it is."""
        return (self.end - self.start) / 3_600

    def shown(self, clock: Clock) -> str:
        """Say it by the clock on the wall, `Fri 2027-01-08 08:30 to ...`."""
        return f"{shown(clock.wall(self.start))} to {shown(clock.wall(self.end))}"


@dataclass(frozen=True, slots=True)
class Year:
    """
    What a pair of cron texts does in 52 weeks.

    Args:
        begin: The first Monday of the year, 00:00 on the wall: Unix seconds.
        end: 52 weeks later.
        spans: When the balloons are held, in order.
        idle_starts: Moments of start at which nothing starts.
        idle_ends: Moments of end at which nothing ends.
    """

    begin: int
    end: int
    spans: tuple[Span, ...]
    idle_starts: tuple[int, ...]
    idle_ends: tuple[int, ...]

    @property
    def hours(self) -> float:
        """Hours of all spans."""
        return sum(span.hours for span in self.spans)


def is_active(start: int | None, end: int | None) -> bool:
    """
    Tell whether KEDA holds the balloons between now and the next start and end.

    Args:
        start: The next start, None when there is none in five years.
        end: The next end, the same.

    Sources:
        KEDA 2.20, pkg/scalers/cron_scaler.go, GetMetricsAndActivity. A moment that
        does not exist is Go's zero time there, which lies in the past.
    """
    if start is None:
        return True
    return end is not None and end <= start


@lru_cache(maxsize=256)
def simulate(start: Cron, end: Cron, zone: Clock, year: int) -> Year:
    """
    Follow KEDA through 52 weeks, from event to event.

    Args:
        start: When balloons come.
        end: When they go.
        zone: The zone, see `zone_clock`.
        year: The year, 1971 to 2100.
    """
    begin, stop = bounds(zone, year)
    spans: list[Span] = []
    idle_starts: list[int] = []
    idle_ends: list[int] = []
    next_start, next_end = start.next(zone, begin), end.next(zone, begin)
    active, since = is_active(next_start, next_end), begin
    unsettled = _unsettled(zone)
    now = _first(next_start, next_end, _after(unsettled, begin), stop)
    while now < stop:
        starts, ends, before = now == next_start, now == next_end, active
        changes = now in unsettled
        if starts or changes:
            next_start = start.next(zone, now)
        if ends or changes:
            next_end = end.next(zone, now)
        active = is_active(next_start, next_end)
        if starts and not ends and (before or not active):
            idle_starts.append(now)
        if ends and not starts and (active or not before):
            idle_ends.append(now)
        if before and not active:
            spans.append(Span(since, now))
        elif active and not before:
            since = now
        now = _first(next_start, next_end, _after(unsettled, now), stop)
    if active:
        spans.append(Span(since, stop))
    return Year(begin, stop, tuple(spans), tuple(idle_starts), tuple(idle_ends))


def zone_clock(timezone: str, year: int = REFERENCE_YEAR) -> Clock:
    """Read a zone as far as KEDA's library looks: a year before, and seven on."""
    return clock(timezone, year - 1, year + _NEXT_YEARS)


def shown(wall: int) -> str:
    """Say a time on the wall, `Fri 2027-01-08 08:30`."""
    moment = datetime.fromtimestamp(wall, UTC)
    return f"{_NAMES[moment.weekday()]} {moment:%Y-%m-%d %H:%M}"


def _unsettled(zone: Clock) -> tuple[int, ...]:
    """
    Return the moments at which the library may find another answer than before.

    It begins at the full hour of now, which exists again an hour and a half after
    any change.
    """
    return tuple(
        change + more for change in zone.changes for more in (0, 1_800, 3_600, 5_400)
    )


def _after(moments: tuple[int, ...], moment: int) -> int | None:
    place = bisect_right(moments, moment)
    return moments[place] if place < len(moments) else None


def _first(*moments: int | None) -> int:
    return min(moment for moment in moments if moment is not None)


def bounds(zone: Clock, year: int) -> tuple[int, int]:
    """Return the first Monday of a year, 00:00 on the wall, and 52 weeks later."""
    new_year = date(year, 1, 1)
    monday = new_year.toordinal() + -new_year.weekday() % 7 - _EPOCH
    return zone.moment(monday * _DAY), zone.moment((monday + 7 * WEEKS) * _DAY)
