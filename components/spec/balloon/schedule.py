"""When balloons are held: windows on the clock of a team's own zone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..cron import WEEKDAYS, Cron, cron_problems, parse
from ..problems import refuse, refused
from ..scaler.duration import duration_problems
from ..time_zones import zone_problems
from .window_year import window_problems

__all__ = ["Schedule", "Window"]

_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)")
_RANGE = re.compile(r"([a-z]+)(?:-([a-z]+))?")


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """
    One window of a schedule.

    Args:
        start: When balloons come: a time, `08:30`, or five fields of cron,
            `30 8 * * 1-5`.
        end: When they go, written the same way.
        days: Days on which the window starts, such as `mon-fri`, or `mon` and `wed`;
            every day when left out. Only with times.
        overnight: Whether the window goes over midnight. With times the last day is
            one later by itself; with cron the days of `end` must be one later.
        replicas: Balloons in this window, 1 or more; those of the balloon when left
            out.

    Raises:
        ValueError: The window is never or always open, longer than a day, over
            midnight without saying so, or its days do not match. All problems are
            named, with the first date.

    Sources:
        Rules: what KEDA's formula makes of the pair in a year, `year.simulate`.
        No 0 replicas: KEDA 2.20, pkg/scalers/cron_scaler.go.
    """

    start: str
    end: str
    days: tuple[str, ...] | None = None
    overnight: bool = False
    replicas: int | None = None

    def __post_init__(self) -> None:
        refuse(self._problems())

    @property
    def crons(self) -> tuple[str, str]:
        """Start and end as KEDA takes them, spaces evened out."""
        if self._has_times():
            days = _days(self.days)
            last = {(day + 1) % 7 for day in days} if self.overnight else days
            return _cron(self.start, days), _cron(self.end, last)
        return " ".join(self.start.split()), " ".join(self.end.split())

    @property
    def parsed(self) -> tuple[Cron, Cron]:
        """Start and end as sets of times and days."""
        start, end = self.crons
        return parse(start), parse(end)

    def _has_times(self) -> bool:
        return bool(_TIME.fullmatch(self.start) and _TIME.fullmatch(self.end))

    def _problems(self) -> Iterator[str]:
        problems = list(self._text_problems())
        yield from problems or window_problems(self.crons, overnight=self.overnight)
        if self.replicas is not None and self.replicas < 1:
            yield (
                f"replicas must be 1 or more, got replicas={self.replicas}: outside "
                "of all windows there are no balloons anyway"
            )

    def _text_problems(self) -> Iterator[str]:
        texts = {"start": self.start, "end": self.end}
        times = [name for name, text in texts.items() if _TIME.fullmatch(str(text))]
        if len(times) == 1:
            other = "end" if times == ["start"] else "start"
            yield (
                "start and end must both be times, or both be fields of cron, "
                f"got {other}={texts[other]!r}"
            )
        elif not times:
            for name, text in texts.items():
                yield from cron_problems(name, text)
            if self.days is not None:
                yield (
                    "days must be left out with fields of cron, whose last field says "
                    f"them, got days={list(self.days)}"
                )
        else:
            yield from self._time_problems()

    def _time_problems(self) -> Iterator[str]:
        yield from _day_problems(self.days)
        if self.start == self.end:
            yield (
                f"end must differ from start, got end={self.end}: for balloons at all "
                "hours leave the schedule out"
            )
        elif self.end < self.start and not self.overnight:
            yield (
                f"end={self.end} is before start={self.start}, so the window goes over "
                "midnight: swap them, or say overnight: true"
            )
        elif self.start < self.end and self.overnight:
            yield (
                "overnight must be left out, since the window ends on the day it "
                f"starts, got start={self.start} and end={self.end}"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class Schedule:
    """
    The windows of a week in which balloons are held; outside there are none.

    Args:
        timezone: Zone of the tz database, `Asia/Seoul`: the zone of the people, whose
            summer time the windows follow.
        start: Start of the only window, see `Window`.
        end: End of the only window.
        days: Days of the only window.
        overnight: Whether the only window goes over midnight.
        windows: Several windows, in place of the four above. Where two overlap, the
            one with more balloons counts.
        cooldown: How long KEDA waits after a window before it takes the balloons
            away, such as `5m`.

    Raises:
        ValueError: A zone without a place, no window or two ways to say one, or a
            window that KEDA would take for another. All problems are named.

    Sources:
        5m: the default of KEDA, and the recipe that this library grew from.
    """

    timezone: str
    start: str | None = None
    end: str | None = None
    days: tuple[str, ...] | None = None
    overnight: bool = False
    windows: tuple[Window, ...] = ()
    cooldown: str = "5m"

    def __post_init__(self) -> None:
        refuse(self._problems())

    @property
    def all_windows(self) -> tuple[Window, ...]:
        """The windows, however the file says them."""
        return self.windows or (self._window(),)

    @property
    def paths(self) -> tuple[str, ...]:
        """Where the file says each window, to go behind the path of the schedule."""
        return tuple(f".windows[{i}]" for i in range(len(self.windows))) or ("",)

    def counts(self, replicas: int) -> tuple[int, ...]:
        """Return the balloons of each window; *replicas* where it says none."""
        return tuple(
            replicas if window.replicas is None else window.replicas
            for window in self.all_windows
        )

    def _window(self) -> Window:
        return Window(
            start=self.start or "",
            end=self.end or "",
            days=self.days,
            overnight=self.overnight,
        )

    def _problems(self) -> Iterator[str]:
        yield from zone_problems(self.timezone)
        alone = {
            "start": self.start,
            "end": self.end,
            "days": self.days,
            "overnight": self.overnight or None,
        }
        given = [name for name, value in alone.items() if value is not None]
        if self.windows:
            for name in given:
                yield (
                    f"{name} must be left out beside windows, which say it each, "
                    f"got {name}={alone[name]!r}"
                )
        elif self.start is None or self.end is None:
            yield (
                "start and end must be given, or windows, got "
                f"{', '.join(given) or 'neither'}"
            )
        else:
            yield from refused("", self._window)
        for place, window in enumerate(self.windows):
            if window in self.windows[:place]:
                first = self.windows.index(window)
                yield f"windows[{place}] must not repeat windows[{first}]"
        yield from duration_problems("cooldown", self.cooldown, zero=True)


def _days(days: tuple[str, ...] | None) -> set[int]:
    """Return the days, Sunday 0; a range may go past Saturday."""
    found: set[int] = set()
    for match in (_RANGE.fullmatch(item.lower()) for item in days or WEEKDAYS):
        if match is not None:
            first = WEEKDAYS.index(match[1])
            last = WEEKDAYS.index(match[2] or match[1])
            found |= {(first + more) % 7 for more in range((last - first) % 7 + 1)}
    return found


def _day_problems(days: tuple[str, ...] | None) -> Iterator[str]:
    if days is not None and not days:
        yield "days must name a day, or be left out for every day, got days=[]"
    seen: set[int] = set()
    for item in days or ():
        match = _RANGE.fullmatch(str(item).lower())
        if match is None or any(
            name not in (*WEEKDAYS, None) for name in match.groups()
        ):
            yield f"days must be of {', '.join(WEEKDAYS)}, or mon-fri, got {item!r}"
            continue
        if seen & _days((item,)):
            yield f"days must not repeat, got {item!r} among {list(days or ())}"
        seen |= _days((item,))


def _cron(time: str, days: set[int]) -> str:
    hour, minute = time.split(":")
    return f"{int(minute)} {int(hour)} * * {_weekdays(days)}"


def _weekdays(days: set[int]) -> str:
    """Write days as a list of ranges, `1-5` or `0,6`."""
    if len(days) == 7:
        return "*"
    runs: list[list[int]] = []
    for day in sorted(days):
        if runs and day == runs[-1][-1] + 1:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ",".join(str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs)
