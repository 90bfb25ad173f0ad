"""What a year proves about one window, before any zone comes into it."""

from collections.abc import Iterator

from ..cron import Cron, parse
from ..time_zones import UTC_CLOCK
from .year import REFERENCE_YEAR, Span, Year, bounds, shown, simulate

__all__ = ["window_problems"]

_DAY = 86_400
_YEAR = 366 * _DAY


def window_problems(crons: tuple[str, str], *, overnight: bool) -> Iterator[str]:
    """
    Refuse a pair of cron texts that KEDA does not read as windows of its own.

    Looks at a year without summer time: what a zone does to it is warned of by
    `schedule_notices`.

    Args:
        crons: Start and end, both without problems of their own.
        overnight: Whether a window may go over midnight, and one must.
    """
    start, end = (parse(text) for text in crons)
    problems = [
        *_field_problems("start", crons[0], start),
        *_field_problems("end", crons[1], end),
    ]
    if problems:
        yield from problems
        return
    year = simulate(start, end, UTC_CLOCK, REFERENCE_YEAR)
    yield from (
        _never_or_always(crons, start, end, year)
        or _too_long(crons, year)
        or _idle(crons, year)
        or _midnight(crons, year, overnight=overnight)
    )


def _field_problems(name: str, text: str, cron: Cron) -> Iterator[str]:
    if len(cron.minutes) > 1:
        yield (
            f"{name} must name one minute of its hours, got {name}={text!r}: balloons "
            "need minutes to come and go"
        )
    if not cron.any_day:
        dates = ", ".join(shown(day).rpartition(" ")[0] for day in _first_days(cron))
        yield (
            f"{name} must restrict days of the month or days of the week, not both, "
            f"got {name}={text!r}: cron takes days that match either, {dates}"
        )


def _first_days(cron: Cron) -> list[int]:
    first = bounds(UTC_CLOCK, REFERENCE_YEAR)[0]
    days = range(first, first + _YEAR, _DAY)
    return [day for day in days if cron.matches(day // _DAY)][:3]


def _never_or_always(
    crons: tuple[str, str], start: Cron, end: Cron, year: Year
) -> list[str]:
    got = _got(crons)
    dates = f"from {shown(year.begin)} to {shown(year.end)}"
    if year.spans == (Span(year.begin, year.end),):
        if crons[0] == crons[1] or start == end:
            why = "they are the same time"
        elif start.next(UTC_CLOCK, year.begin) is None:
            why = "start never comes, and KEDA takes that for a start in the past"
        else:
            why = "an end comes before each start or with it"
        return [
            f"start and end must leave a time without balloons, {got}: always open, "
            f"{dates}, because {why}; for balloons at all hours leave the schedule out"
        ]
    if not year.spans:
        return [f"start and end must make a window, {got}: never open, {dates}"]
    return []


def _too_long(crons: tuple[str, str], year: Year) -> list[str]:
    longest = next((span for span in year.spans if span.hours > 24), None)
    if longest is None:
        return []
    return [
        f"start and end must make windows of at most a day, {_got(crons)}: open from "
        f"{longest.shown(UTC_CLOCK)}, {longest.hours:g} hours, because KEDA compares "
        "only the next start and the next end; the days of both must match, those of "
        "end one later over midnight (1-5 and 2-6), and longer times are several "
        "windows"
    ]


def _idle(crons: tuple[str, str], year: Year) -> list[str]:
    problems = []
    for name, moments in (("start", year.idle_starts), ("end", year.idle_ends)):
        if moments:
            other, verb = ("end", "opens") if name == "start" else ("start", "closes")
            problems.append(
                f"start and end must take turns, {_got(crons)}: the {name} of "
                f"{shown(moments[0])} {verb} nothing, because another {name} comes "
                f"before the next {other}; the days and months of both must match"
            )
    return problems


def _midnight(crons: tuple[str, str], year: Year, *, overnight: bool) -> list[str]:
    over = [
        span
        for span in year.spans
        if span.start // _DAY != span.end // _DAY and year.begin < span.start
    ]
    if over and not overnight:
        return [
            f"start and end must be on one day, {_got(crons)}: open from "
            f"{over[0].shown(UTC_CLOCK)}, over midnight; swap them, or say "
            "overnight: true"
        ]
    if overnight and not over:
        return [
            f"overnight must be left out, since no window goes over midnight, "
            f"{_got(crons)}: the first is {year.spans[0].shown(UTC_CLOCK)}"
        ]
    return []


def _got(crons: tuple[str, str]) -> str:
    return f"got start={crons[0]!r} and end={crons[1]!r}"
