"""The part of `summary.md` that describes capacity that waits for jobs."""

from collections.abc import Iterator

from components.spec.balloon.hours import active_hours
from components.spec.balloon.keda import keda_release, scheduled
from components.spec.balloon.quantities import mebibytes, millicores
from components.spec.balloon.schedule import Window
from components.spec.balloon.settings import (
    AnyBalloon,
    BufferBalloon,
    PodBalloon,
    StaticBalloon,
    WarmPoolBalloon,
)
from infra.markdown import table
from infra.settings import Settings

__all__ = ["balloon_summary"]

_NONE = "-"


def balloon_summary(settings: Settings) -> Iterator[list[str]]:
    """
    Describe the balloons: what they hold, when, and how much of it in a week.

    Returns:
        Blocks of lines.
    """
    yield ["## Balloons"]
    if not settings.balloons:
        yield ["None: a job that finds no room waits until a node has started."]
        return
    yield table(
        (
            *("balloon", "kind", "group", "holds", "hours a week"),
            *("balloon hours", "vCPU hours", "GiB hours"),
        ),
        [_row(balloon) for balloon in settings.balloons],
    )
    yield [
        "Hours are those of an average week of a whole year, changes of clocks "
        "included.",
        "They are held, not bought: a balloon that fits beside jobs costs nothing, "
        "one that needs a node of its own costs the node.",
    ]
    windows = list(_windows(settings))
    if windows:
        yield table(("balloon", "zone", "from", "to", "days", "balloons"), windows)
    yield from _keda(settings)


def _row(balloon: AnyBalloon) -> tuple[object, ...]:
    name, kind, group = balloon.object_name, balloon.kind, balloon.group
    return name, kind, group, _held(balloon), *_hours(balloon)


def _held(balloon: AnyBalloon) -> str:
    if isinstance(balloon, StaticBalloon):
        return f"{balloon.nodes} node{'s' if balloon.nodes > 1 else ''}"
    if isinstance(balloon, WarmPoolBalloon):
        pool = balloon.warm_pool
        least, most = pool.min_size, pool.most_prepared
        size = least if least == most else f"{least} to {most}"
        return f"{size} instances a zone, {pool.state}"
    return f"{balloon.peak} times {balloon.cpu} and {balloon.memory}"


def _hours(balloon: AnyBalloon) -> Iterator[str]:
    """Yield hours a week; those of nodes are hours of whole nodes."""
    if isinstance(balloon, WarmPoolBalloon):
        yield from (_NONE,) * 4
        return
    schedule = balloon.schedule if isinstance(balloon, PodBalloon) else None
    count = balloon.nodes if isinstance(balloon, StaticBalloon) else balloon.replicas
    hours = active_hours(schedule, count)
    yield _rounded(hours.hours_per_week)
    yield _rounded(hours.balloon_hours_per_week)
    if isinstance(balloon, PodBalloon | BufferBalloon):
        yield _rounded(hours.vcpu_hours_per_week(millicores(balloon.cpu)))
        yield _rounded(hours.gib_hours_per_week(mebibytes(balloon.memory)))
    else:
        yield from (_NONE,) * 2


def _rounded(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _windows(settings: Settings) -> Iterator[tuple[object, ...]]:
    for balloon in settings.balloons:
        if not isinstance(balloon, PodBalloon) or balloon.schedule is None:
            continue
        schedule = balloon.schedule
        for window, count in zip(
            schedule.all_windows, schedule.counts(balloon.replicas), strict=True
        ):
            start, end, days = _times(window)
            yield balloon.object_name, schedule.timezone, start, end, days, count


def _times(window: Window) -> tuple[str, str, str]:
    """Return start, end and days as the file says them."""
    if ":" not in window.start:
        return f"`{window.start}`", f"`{window.end}`", "as the fields say"
    end = f"{window.end} of the next day" if window.overnight else window.end
    return window.start, end, ", ".join(window.days or ("every day",))


def _keda(settings: Settings) -> Iterator[list[str]]:
    if not scheduled(settings.balloons):
        return
    release = keda_release(settings.keda, settings.balloons, settings.servers)
    if release is None:
        yield ["Schedules are followed by a KEDA that is not installed here."]
    else:
        yield [
            f"Schedules are followed by KEDA, chart {release.chart} {release.version} "
            f"in the namespace {release.namespace}; it alone sets how many pods there "
            "are.",
        ]
