"""What KEDA makes of a schedule that its author may not expect."""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from ..group_review import Notice
from ..scaler.duration import seconds
from ..time_zones import UTC_CLOCK, Clock, zone_advice
from .hours import close_steps, held, window_spans
from .schedule import Schedule, Window
from .year import REFERENCE_YEAR, Span, shown, simulate, zone_clock

__all__ = ["schedule_notices", "step_notices"]

_DAY = 86_400
_SHOWN = 3


def schedule_notices(
    path: str, schedule: Schedule, replicas: int, year: int = REFERENCE_YEAR
) -> Iterator[Notice]:
    """
    Name what happens at changes of clocks, and what windows do to one another.

    Args:
        path: Place of the schedule, `balloons[0].schedule`.
        schedule: The schedule.
        replicas: Balloons in windows that say no number of their own.
        year: The year that is looked at.
    """
    for text in zone_advice(schedule.timezone):
        yield Notice(path=f"{path}.timezone", text=text)
    zone = zone_clock(schedule.timezone, year)
    spans = window_spans(schedule, year)
    windows = list(zip(schedule.paths, schedule.all_windows, spans, strict=True))
    for place, window, actual in windows:
        for text in _clock_texts(window, zone, actual, year):
            yield Notice(path=path + place, text=text)
    yield from _overlaps(path, schedule, replicas, zone, spans)
    yield from _unused(path, schedule, replicas)
    yield from _cooldown(path, schedule, replicas, zone, year)


def step_notices(
    path: str, schedule: Schedule, replicas: int, year: int = REFERENCE_YEAR
) -> Iterator[Notice]:
    """
    Name a step that a cluster never takes whose HPA cannot say its tolerance.

    Args:
        path: Place of the schedule, `balloons[0].schedule`.
        schedule: The schedule.
        replicas: Balloons in windows that say no number of their own.
        year: The year that is looked at.
    """
    steps = close_steps(schedule, replicas, year)
    if steps:
        first, zone = steps[0], zone_clock(schedule.timezone, year)
        yield Notice(
            path=f"{path}.windows",
            text=f"{first.before} balloons stay where {first.after} are wanted, from "
            f"{shown(zone.wall(first.moment))} on and {len(steps) - 1} times more: "
            "below Kubernetes 1.35 an autoscaler takes no step of a tenth or less",
        )


def _clock_texts(
    window: Window, zone: Clock, actual: tuple[Span, ...], year: int
) -> Iterator[str]:
    """Compare the times on the wall with those of a zone without summer time."""
    wanted = set(simulate(*window.parsed, UTC_CLOCK, year).spans)
    got = {Span(zone.wall(span.start), zone.wall(span.end)) for span in actual}
    if wanted == got:
        return
    walls = [zone.wall(change) for change in zone.changes]
    for change, wall in zip(zone.changes, walls, strict=True):
        near = [
            sorted(
                span
                for span in spans
                if min(walls, key=lambda one: _distance(span, one)) == wall
            )
            for spans in (got - wanted, wanted - got)
        ]
        if any(near):
            yield _clock_text(window, zone, change, near)


def _clock_text(
    window: Window, zone: Clock, change: int, near: list[list[Span]]
) -> str:
    before, after = change + zone.offset(change - 1), zone.wall(change)
    held, missed = (_listed(spans, UTC_CLOCK) for spans in near)
    times = f"from {_time(before)} to {_time(after)}"
    if held and missed:
        effect = f"balloons are held {held}, instead of {missed}"
    else:
        effect = f"balloons are also held {held}" if held else f"none are held {missed}"
    gone = [
        f"{name}={_time(time)}"
        for name, cron in zip(("start", "end"), window.parsed, strict=True)
        for time in cron.times
        if cron.matches(before // _DAY)
        and before <= before // _DAY * _DAY + time < after
    ]
    why = (
        f"{' and '.join(gone)} {'are' if len(gone) > 1 else 'is'} skipped that day"
        if gone
        else "the cron library of KEDA miscounts the hours of that day"
    )
    return f"clocks go {times} on {shown(before)[:14]}, and {effect}, because {why}"


def _overlaps(
    path: str,
    schedule: Schedule,
    replicas: int,
    zone: Clock,
    spans: Sequence[tuple[Span, ...]],
) -> Iterator[Notice]:
    counts = schedule.counts(replicas)
    for one, other in combinations(range(len(counts)), 2):
        common = list(_common(spans[one], spans[other]))
        if common:
            most = max(counts[one], counts[other])
            effect = (
                f"the higher, {most}, counts"
                if counts[one] != counts[other]
                else f"there are {most}, and not {2 * most}"
            )
            yield Notice(
                path=f"{path}.windows[{other}]",
                text=f"overlaps windows[{one}], {counts[other]} and {counts[one]} "
                f"balloons, {_listed(common, zone)}: {effect}",
            )


def _unused(path: str, schedule: Schedule, replicas: int) -> Iterator[Notice]:
    numbers = [window.replicas for window in schedule.windows]
    if numbers and None not in numbers:
        yield Notice(
            path=path,
            text=f"replicas={replicas} is in no window, since each says its own: "
            f"{', '.join(map(str, numbers))}",
        )


def _cooldown(
    path: str, schedule: Schedule, replicas: int, zone: Clock, year: int
) -> Iterator[Notice]:
    parts = [span for span, _ in held(schedule, replicas, year)]
    gaps = [
        Span(before.end, after.start)
        for before, after in pairwise(parts)
        if before.end < after.start
    ]
    shortest = min(gaps, key=lambda gap: gap.hours, default=None)
    if shortest and shortest.hours * 3_600 <= seconds(schedule.cooldown):
        yield Notice(
            path=f"{path}.cooldown",
            text=f"cooldown={schedule.cooldown} lasts as long as the shortest time "
            f"without balloons, {shortest.shown(zone)}, or longer: KEDA never takes "
            "the last balloon away there",
        )


def _common(ones: tuple[Span, ...], others: tuple[Span, ...]) -> Iterator[Span]:
    """Yield the times that are in both, in order."""
    place = 0
    for one in ones:
        while place < len(others) and others[place].end <= one.start:
            place += 1
        for other in others[place:]:
            if other.start >= one.end:
                break
            yield Span(max(one.start, other.start), min(one.end, other.end))


def _distance(span: Span, wall: int) -> int:
    return max(span.start - wall, wall - span.end, 0)


def _listed(spans: list[Span], clock: Clock) -> str:
    """Say the first few, and how many more there are."""
    texts = [span.shown(clock) for span in spans[:_SHOWN]]
    more = len(spans) - len(texts)
    return ", ".join(texts) + (f" and {more} times more" if more else "")


def _time(wall: int) -> str:
    return shown(wall).rpartition(" ")[2]
