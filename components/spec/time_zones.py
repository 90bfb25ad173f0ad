"""Time zones as KEDA's clock keeps them, and which names of them are safe."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo, available_timezones

__all__ = ["UTC_CLOCK", "Clock", "clock", "zone_advice", "zone_problems"]

_AREAS = (
    *("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia"),
    *("Etc", "Europe", "Indian", "Pacific"),
)
_FIXED = re.compile(r"Etc/GMT([+-])([1-9]\d?)")
_ABBREVIATION = re.compile(r"(?!GMT)[A-Z]{2,3}T|[A-Z]{3}\d[A-Z]{3}")
_STEP = 7 * 86_400


@dataclass(frozen=True, slots=True)
class Clock:
    """
    When a zone changes its clocks.

    Args:
        changes: The moments, Unix seconds, in order.
        offsets: Seconds that the wall clock is ahead of UTC: before the first change,
            and after each of them.
    """

    changes: tuple[int, ...]
    offsets: tuple[int, ...]

    def offset(self, moment: int) -> int:
        """Return the seconds that the wall clock is ahead of UTC at a moment."""
        return self.offsets[bisect_right(self.changes, moment)]

    def wall(self, moment: int) -> int:
        """Return what the clock on the wall shows: seconds since 1970 in its own."""
        return moment + self.offset(moment)

    def moment(self, wall: int) -> int:
        """
        Return the moment at which the clock on the wall shows a time.

        A time that a change skips, or that comes twice, gets the offset that Go's
        time.Date takes, because KEDA's cron library counts from there.
        """
        place = bisect_right(self.changes, wall)
        offset = self.offsets[place]
        if bisect_right(self.changes, wall - offset) != place:
            offset = self.offset(wall - offset)
        return wall - offset

    def next_change(self, moment: int) -> int | None:
        """Return the first change after a moment, None when none is known."""
        place = bisect_right(self.changes, moment)
        return self.changes[place] if place < len(self.changes) else None


UTC_CLOCK = Clock(changes=(), offsets=(0,))
"""A clock that never changes: schedules are first read by it."""


@cache
def clock(name: str, first: int, last: int) -> Clock:
    """
    Read the changes of a zone from the start of year *first* to the end of *last*.

    The database is the one of the package tzdata when it is installed, so that every
    machine with the same pins gives the same answer, and else that of the system.

    Raises:
        ZoneInfoNotFoundError: The name has problems, see `zone_problems`.
    """
    zone = _zone(name)
    begin, end = _new_year(first), _new_year(last + 1)
    changes: list[int] = []
    offsets = [_offset(zone, begin)]
    for low in range(begin, end, _STEP):
        high = min(low + _STEP, end)
        if _offset(zone, high) != offsets[-1]:
            changes.append(_change(zone, low, high))
            offsets.append(_offset(zone, changes[-1]))
    return Clock(tuple(changes), tuple(offsets))


def zone_problems(name: object) -> Iterator[str]:
    """
    Refuse what is no zone of the tz database with an area and a place.

    KEDA looks at the name when it runs, and not before: a wrong one leaves the count
    of balloons as it is. An abbreviation such as EST names an offset without its
    summer, and JST names nothing at all.

    Sources:
        KEDA 2.20, pkg/scalers/cron_scaler.go: time.LoadLocation in each poll.
    """
    known = isinstance(name, str) and name in _names()
    if known and (name == "UTC" or "/" in name):
        return
    yield (
        "timezone must be a zone of the tz database with its area, such as Asia/Seoul "
        f"or Europe/Berlin, or UTC, got timezone={name!r}{_way_out(str(name))}"
    )


def zone_advice(name: str) -> Iterator[str]:
    """Warn of names that are known and mean, or may mean, something else."""
    fixed = _FIXED.fullmatch(name)
    if fixed:
        other = "-" if fixed[1] == "+" else "+"
        yield (
            f"timezone={name} is UTC{other}{int(fixed[2]):02}:00, its sign is the "
            "other way round, and has no summer time: "
            f"Etc/GMT{other}{fixed[2]} is the zone "
            f"UTC{fixed[1]}{int(fixed[2]):02}:00, and a city says it without signs"
        )
    elif name != "UTC" and name.split("/")[0] not in _AREAS:
        target = _links().get(name, "the name of a city")
        yield (
            f"timezone={name} is an old name, which the database beside KEDA may lack: "
            f"KEDA would then leave the balloons as they are; write {target}"
        )


@cache
def _names() -> frozenset[str]:
    text = _data("zones")
    names = text.decode().split() if text is not None else available_timezones()
    return frozenset(names) - {"Factory", "localtime"}


@cache
def _links() -> dict[str, str]:
    """Read which old name stands for which zone; nothing without the package."""
    lines = (_data("zoneinfo/tzdata.zi") or b"").decode().splitlines()
    links = [line.split()[1:3] for line in lines if line.startswith("L ")]
    return {old: target for target, old in links}


def _zone(name: str) -> ZoneInfo:
    data = resources.files("tzdata") if _data("zones") is not None else None
    if data is None or name not in _names():
        return ZoneInfo(name)
    with data.joinpath("zoneinfo", *name.split("/")).open("rb") as file:
        return ZoneInfo.from_file(file, key=name)


def _data(path: str) -> bytes | None:
    """Read a file of the package tzdata, None when it is not installed."""
    try:
        return resources.files("tzdata").joinpath(*path.split("/")).read_bytes()
    except (ModuleNotFoundError, FileNotFoundError):
        return None


def _way_out(name: str) -> str:
    if _ABBREVIATION.fullmatch(name):
        return ": an abbreviation is no zone, write that of a city"
    target = _links().get(name)
    if target is not None and target.startswith("Etc/"):
        target = "UTC"
    if target is None:
        cities = {one.rpartition("/")[2].lower(): one for one in sorted(_names())}
        wanted = name.strip().replace(" ", "_").rpartition("/")[2].lower()
        near = get_close_matches(wanted, cities, n=1, cutoff=0.8)
        target = cities[near[0]] if near else None
    return f": did you mean {target}?" if target else ""


def _new_year(year: int) -> int:
    return int(datetime(year, 1, 1, tzinfo=UTC).timestamp())


def _offset(zone: ZoneInfo, moment: int) -> int:
    offset = datetime.fromtimestamp(moment, zone).utcoffset()
    return 0 if offset is None else int(offset.total_seconds())


def _change(zone: ZoneInfo, low: int, high: int) -> int:
    """Find the moment between two others from which the later offset holds."""
    before = _offset(zone, low)
    while high - low > 1:
        middle = (low + high) // 2
        if _offset(zone, middle) == before:
            low = middle
        else:
            high = middle
    return high
