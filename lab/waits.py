"""How long job pods wait for their container, all of them and those of bursts."""

import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from lab.model import Load, PodRecord

__all__ = ["Burst", "Waits", "burst", "bursts", "percentile", "waits"]

_MINUTE = 60.0

# A minute is a burst when this many times the average number of jobs start in it.
_BURST = 2.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Waits:
    """
    Seconds from the creation of a job pod to the start of its container.

    A pod that never started counts with the time it waited, so that it can only
    lengthen the figures.

    Args:
        values: One for each pod, the shortest first.
        never: How many of them never started.
    """

    values: tuple[float, ...]
    never: int = 0

    @property
    def mean(self) -> float | None:
        """The average, None without pods."""
        return math.fsum(self.values) / len(self.values) if self.values else None

    def percentile(self, percent: int) -> float | None:
        """Return what *percent* of the pods do not exceed, None without pods."""
        return percentile(self.values, percent)


@dataclass(frozen=True, kw_only=True, slots=True)
class Burst:
    """
    The jobs that start in a minute with twice the average number of starts or more.

    Args:
        minutes: How many minutes of the load are such bursts.
        waits: Of the first pod of each of their jobs.
    """

    minutes: int
    waits: Waits


def waits(pods: Collection[PodRecord], end: float) -> Waits:
    """Return how long *pods* waited, in a run that ended at *end*."""
    return Waits(
        values=tuple(sorted(_wait(pod, end) for pod in pods)),
        never=sum(pod.started is None for pod in pods),
    )


def _wait(pod: PodRecord, end: float) -> float:
    ends = (pod.started, pod.finished, end)
    return next(time for time in ends if time is not None) - pod.created


def burst(pods: Iterable[PodRecord], load: Load, end: float) -> Burst | None:
    """Return how long the jobs of bursts waited, None in a load without."""
    minutes = bursts(load)
    jobs = {job.name for job in load.jobs if int(job.start // _MINUTE) in minutes}
    first: dict[str, PodRecord] = {}
    for pod in sorted(pods, key=lambda pod: pod.created):
        if pod.job in jobs:
            first.setdefault(pod.job, pod)
    if not first:
        return None
    return Burst(minutes=len(minutes), waits=waits(first.values(), end))


def bursts(load: Load) -> tuple[int, ...]:
    """
    Return the minutes of a load, from 0, in which many jobs start at once.

    Those are minutes with at least twice the average number of starts: the tenth
    minutes and the full hour in a load after the article, none in an even load.
    """
    starts = Counter(int(job.start // _MINUTE) for job in load.jobs)
    if not starts:
        return ()
    usual = len(load.jobs) / (max(starts) + 1)
    return tuple(sorted(m for m, jobs in starts.items() if jobs >= _BURST * usual))


def percentile(values: Sequence[float], percent: int) -> float | None:
    """
    Return the smallest of sorted *values* that *percent* of them do not exceed.

    The nearest rank: always one of the values. None without values.
    """
    return values[max(0, -(-percent * len(values) // 100) - 1)] if values else None
