"""The runs of a CronJob, as its controller makes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from lab.trace_objects import CronJob

__all__ = ["Run", "cron_runs"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """
    One Job that is made.

    Args:
        scheduled: When it was due, Unix seconds.
        start: When it is made, Unix seconds.
        seconds: How long each of its pods runs.
        until: When it is ended by force, None: never.
    """

    scheduled: int
    start: float
    seconds: float
    until: float | None


def cron_runs(
    one: CronJob, durations: Sequence[float], begin: float, end: float
) -> tuple[list[Run], int]:
    """
    Make the runs of a time, each with the next of the *durations*.

    A run that was forbidden takes place when the one before has ended, if its
    deadline is not over; of several only the last does.

    Args:
        one: The CronJob.
        durations: Seconds of a pod, one at least.
        begin: Unix seconds.
        end: Unix seconds; no run starts then or later.

    Returns:
        The runs, and how many were due and did not take place.

    Sources:
        Kubernetes, pkg/controller/cronjob, syncCronJob.
    """
    due = list(one.schedule.times(begin, end))
    runs: list[Run] = []
    missed, free = 0, -inf
    for place, time in enumerate(due):
        following = due[place + 1] if place + 1 < len(due) else inf
        start = time
        if one.policy == "Forbid":
            start = max(time, free)
            late = one.deadline is not None and start - time > one.deadline
            if start >= following or start >= end or late:
                missed += 1
                continue
        seconds = durations[len(runs) % len(durations)]
        stop = start + seconds * one.work.rounds
        limits = [stop]
        if one.work.most_seconds is not None:
            limits.append(start + one.work.most_seconds)
        if one.policy == "Replace":
            limits.append(following)
        free = min(limits)
        runs.append(
            Run(
                scheduled=int(time),
                start=start,
                seconds=seconds,
                until=free if free < stop else None,
            )
        )
    return runs, missed
