"""Cron texts as KEDA and Karpenter read them: five fields, and their moments."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta

from .problems import refuse
from .time_zones import Clock

__all__ = ["WEEKDAYS", "Cron", "cron_problems", "field_problems", "parse"]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov")
_MONTH_NAMES = {name: 1 + place for place, name in enumerate((*_MONTHS, "dec"))}
WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAY_NAMES = {name: place for place, name in enumerate(WEEKDAYS)}

_ITEM = re.compile(r"([*?]|[a-z0-9]+(?:-[a-z0-9]+)?)(?:/([0-9]+))?")
_STAR = re.compile(r"[*?](?:/0*1)?")
_DAY, _HOUR, _MINUTE = 86_400, 3_600, 60
_EPOCH = date(1970, 1, 1).toordinal()

# The library of both, robfig/cron, gives up after so many years.
_YEARS = 5


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    least: int
    most: int
    names: Mapping[str, int] = field(default_factory=dict)


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of month", 1, 31),
    _Field("month", 1, 12, _MONTH_NAMES),
    _Field("day of week", 0, 6, _DAY_NAMES),
)


@dataclass(frozen=True, slots=True)
class Cron:
    """
    What five fields of a cron text stand for.

    Args:
        minutes: Minutes, 0 to 59.
        hours: Hours, 0 to 23.
        days: Days of the month, 1 to 31.
        months: Months, 1 to 12.
        weekdays: Days of the week, 0 (Sunday) to 6.
        any_day: Whether either kind of day is a star; only then both must match.
            With two that are none a day of either kind counts.
        times: Seconds of the day that the hours and minutes make, in order.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    times: tuple[int, ...]

    def matches(self, day: int) -> bool:
        """Tell whether a day, counted from 1 January 1970, is one of these."""
        civil = date.fromordinal(day + _EPOCH)
        return civil.month in self.months and self._matches(civil)

    def next(self, clock: Clock, moment: int) -> int | None:
        """
        Return the first moment after another, None when there is none in five years.

        Around a change of clocks the answer is that of KEDA's library with all its
        faults: a time that is skipped is left out, one that comes twice comes twice,
        and in zones that change by half an hour, or at midnight, whole days are
        missed or too many.

        Args:
            clock: The zone.
            moment: Unix seconds.

        Sources:
            robfig/cron 3.0.1, spec.go, SpecSchedule.Next. Compared with the library
            itself on random texts, in each zone of the tests, minute by minute.
        """
        found = self._steady(clock, moment)
        return found if found is not None else self._step(clock, moment)

    def _matches(self, day: date) -> bool:
        of_month, of_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return of_month and of_week if self.any_day else of_month or of_week

    def _steady(self, clock: Clock, moment: int) -> int | None:
        """Count on the wall, where no change of clocks is near enough to matter."""
        change = clock.next_change(moment - _DAY - _HOUR)
        if change is not None and change <= moment:
            return None
        wall = clock.wall(moment)
        today, second = divmod(wall, _DAY)
        for day in range(today, today + 9):
            if self.matches(day):
                after = second if day == today else -1
                found = next((one for one in self.times if one > after), None)
                if found is not None:
                    result = moment + day * _DAY + found - wall
                    return result if change is None or change > result else None
        return None

    def _step(self, clock: Clock, moment: int) -> int | None:
        """Step as the library does: month, day, hour, minute, and back to the month."""
        now, aligned = moment + 1, False
        limit = _civil(clock, now).year + _YEARS
        while _civil(clock, now).year <= limit:
            for unit in (self._month, self._day, self._hour, self._minute):
                now, aligned, again = unit(clock, now, aligned)
                if again:
                    break
            else:
                if clock.wall(now) % _MINUTE == 0:
                    return now
                now, aligned = now - clock.wall(now) % _MINUTE + _MINUTE, True
        return None

    def _month(self, clock: Clock, now: int, aligned: bool) -> tuple[int, bool, bool]:
        while (today := _civil(clock, now)).month not in self.months:
            if not aligned:
                now, aligned = clock.moment(_wall(today.replace(day=1))), True
                today = _civil(clock, now)
            following = (today.replace(day=1) + timedelta(days=31)).replace(day=1)
            more = (today.day - 1) * _DAY + clock.wall(now) % _DAY
            now = clock.moment(_wall(following) + more)
            if _civil(clock, now).month == 1:
                return now, aligned, True
        return now, aligned, False

    def _day(self, clock: Clock, now: int, aligned: bool) -> tuple[int, bool, bool]:
        while True:
            if self._matches(_civil(clock, now)):
                return now, aligned, False
            if not aligned:
                now, aligned = clock.moment(clock.wall(now) // _DAY * _DAY), True
            now = clock.moment(clock.wall(now) + _DAY)
            hour = clock.wall(now) % _DAY // _HOUR
            if hour:
                now += (24 - hour if hour > 12 else -hour) * _HOUR
            if _civil(clock, now).day == 1:
                return now, aligned, True

    def _hour(self, clock: Clock, now: int, aligned: bool) -> tuple[int, bool, bool]:
        while (wall := clock.wall(now)) % _DAY // _HOUR not in self.hours:
            if not aligned:
                now, aligned = clock.moment(wall - wall % _HOUR), True
            now += _HOUR
            if clock.wall(now) % _DAY < _HOUR:
                return now, aligned, True
        return now, aligned, False

    def _minute(self, clock: Clock, now: int, aligned: bool) -> tuple[int, bool, bool]:
        while (wall := clock.wall(now)) % _HOUR // _MINUTE not in self.minutes:
            if not aligned:
                now, aligned = now - wall % _MINUTE, True
            now += _MINUTE
            if clock.wall(now) % _HOUR < _MINUTE:
                return now, aligned, True
        return now, aligned, False


def cron_problems(name: str, text: object) -> list[str]:
    """
    Say what is wrong with a cron text for KEDA.

    Only what every cron reads alike passes: no seconds, no `@daily`, no zone in front,
    no signs, no empty items. Names of months and days have three letters.

    Args:
        name: Name of the field of the stack file, `start`.
        text: What the file says.

    Sources:
        KEDA 2.20, pkg/scalers/cron_scaler.go; robfig/cron 3.0.1, parser.go.
    """
    if not isinstance(text, str) or len(text.split()) != len(_FIELDS):
        return [
            f"{name} must be a time such as 08:30, or the five fields of cron (minute, "
            f"hour, day of month, month, day of week), got {name}={text!r}"
            f"{_way_out(text)}"
        ]
    return field_problems(name, text)


def field_problems(name: str, text: str) -> list[str]:
    """Say what is wrong with the fields of a cron text that has five."""
    problems = []
    for one, part in zip(_FIELDS, text.split(), strict=True):
        wrong = next(_item_problems(one, part), None)
        if wrong is not None:
            problems.append(f"{name}: {one.name} {wrong}, got {part!r} in {text!r}")
    return problems


def parse(text: str) -> Cron:
    """
    Read a cron text of five fields.

    Raises:
        ValueError: The text has problems, see `cron_problems`.
    """
    refuse(cron_problems("cron", text))
    parts = text.lower().split()
    minutes, hours, days, months, weekdays = (
        _values(one, part) for one, part in zip(_FIELDS, parts, strict=True)
    )
    return Cron(
        minutes=minutes,
        hours=hours,
        days=days,
        months=months,
        weekdays=weekdays,
        any_day=_is_star(parts[2]) or _is_star(parts[4]),
        times=tuple(
            hour * _HOUR + minute * _MINUTE
            for hour in sorted(hours)
            for minute in sorted(minutes)
        ),
    )


def _item_problems(one: _Field, part: str) -> Iterator[str]:
    for item in part.lower().split(","):
        match = _ITEM.fullmatch(item)
        if match is None:
            yield "must be numbers, a-b, *, */n or lists of these"
            return
        low, high = _range(one, match)
        if low is None or high is None:
            names = f" or {', '.join(one.names)}" if one.names else ""
            yield f"must be {one.least} to {one.most}{names}"
        elif not one.least <= low <= one.most or not one.least <= high <= one.most:
            sunday = ": Sunday is 0" if one.names is _DAY_NAMES and high == 7 else ""
            yield f"must be {one.least} to {one.most}{sunday}"
        elif low > high:
            yield "must be a range that rises"
        elif match[2] is not None and int(match[2]) == 0:
            yield "must have a step of at least 1"


def _range(one: _Field, match: re.Match[str]) -> tuple[int | None, int | None]:
    """Return both ends; `5/10` means 5 to the last, as robfig/cron has it."""
    if match[1] in ("*", "?"):
        return one.least, one.most
    low, dash, high = match[1].partition("-")
    if not dash:
        return _number(one, low), one.most if match[2] else _number(one, low)
    return _number(one, low), _number(one, high)


def _number(one: _Field, text: str) -> int | None:
    if text in one.names:
        return one.names[text]
    return int(text) if text.isdecimal() else None


def _values(one: _Field, part: str) -> frozenset[int]:
    values: set[int] = set()
    for match in map(_ITEM.fullmatch, part.split(",")):
        if match is not None:
            low, high = _range(one, match)
            if low is not None and high is not None:
                values.update(range(low, high + 1, int(match[2] or 1)))
    return frozenset(values)


def _is_star(part: str) -> bool:
    """Tell whether a field restricts nothing; for the library `1-31` restricts."""
    return any(_STAR.fullmatch(item) for item in part.split(","))


def _way_out(text: object) -> str:
    if not isinstance(text, str):
        return ""
    if "TZ=" in text:
        return ": the zone has a field of its own, timezone"
    return ": KEDA takes no descriptors" if text.startswith("@") else ""


def _civil(clock: Clock, moment: int) -> date:
    return date.fromordinal(clock.wall(moment) // _DAY + _EPOCH)


def _wall(day: date) -> int:
    return (day.toordinal() - _EPOCH) * _DAY
