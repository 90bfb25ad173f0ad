"""
The built-in load, in the manner of the company whose experience this library follows.

CronJobs come every ten minutes and many more on the hour, all in the same seconds.
Workflows come at any time, their pods step by step: a step begins when the longest
pod of the one before has ended. Jobs of people and of CI come one by one, and some of
the work takes a large part of an hour.

The shares and sizes below are guesses around what was published: pods of Jobs run
290 s on the average and pods of workflows 73 to 138 s, most of these on arm64. What
holds for your jobs, only a trace of them can tell.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from random import Random

from components.spec.groups import JobGroup
from components.spec.problems import refuse
from components.spec.scaler.duration import seconds
from lab.model import Job, Load

__all__ = ["article_load"]

_HOUR = 3_600.0
_EVERY = 600.0

# The first wave, the one of the hour, comes soon: a short run sees it too.
_LEAD = 120.0

# What the wave on the hour has for one job of the others.
_ON_THE_HOUR = 3

_CRON, _WORKFLOW, _LONG = 0.50, 0.25, 0.10

# The share of each kind that runs on arm64, where there is a group of it.
_ARM = {"cron": 0.25, "workflow": 0.80, "single": 0.25, "long": 0.25}

# How long the controllers take to make all Jobs of one wave.
_WAVE_SECONDS = 3.0

_SHORTEST, _LONGEST = 5.0, 900.0
_LONG_FROM, _LONG_TO = 600.0, 2_400.0

_NAMESPACES = ("billing", "data", "ml", "reports", "search", "web")

# Millicores, MiB, and how many of ten jobs ask for it: requests below real use, and
# some jobs that ask for nothing.
_REQUESTS = (
    ((0, 0), 0.5),
    ((100, 128), 2.0),
    ((250, 256), 2.5),
    ((250, 1_024), 1.0),
    ((500, 512), 2.0),
    ((1_000, 1_024), 1.5),
    ((2_000, 4_096), 0.5),
)


@dataclass(frozen=True, slots=True)
class _Kind:
    """One CronJob, or one template of a step: its pods are alike."""

    group: JobGroup
    namespace: str
    cpu: int
    memory: int
    median: float


def article_load(
    *, seed: int = 1, hours: float = 1.0, jobs: int = 2_000, groups: Sequence[JobGroup]
) -> Load:
    """
    Make jobs of *hours* that suit the job groups of a stack.

    Equal arguments give an equal load, to the byte.

    The jobs of one architecture are dealt to all groups that have it. None runs
    longer than half of the time, than 40 minutes, or than `longest_job` of its group.

    Args:
        seed: Of everything that is drawn.
        hours: From the first job to the last, above 0. The wave of the hour comes two
            minutes after the begin, or with half of a shorter time.
        jobs: How many, 1 or more.
        groups: Where they run, one at least.

    Raises:
        ValueError: An argument is out of range. All such are named.

    Sources:
        The waves and the kinds of work: the brief of the project. The wave of the
        hour, three times the others: the first trial of the lab. Shares, requests and
        the spread of the durations are guesses.
    """
    refuse(_problems(hours, jobs, groups))
    random, end = Random(seed), hours * _HOUR
    cron = _whole(jobs * _CRON)
    flow, long = _whole(jobs * _WORKFLOW), _whole(jobs * _LONG)
    drawn = [
        *_waves(random, groups, end, cron),
        *_workflows(random, groups, end, flow),
        *_alone(random, groups, end, long, "long"),
        *_alone(random, groups, end, jobs - cron - flow - long, "single"),
    ]
    return Load(
        name=f"built-in: {jobs} jobs of {hours:g} hours, seed {seed}",
        jobs=tuple(sorted(drawn, key=lambda job: (job.start, job.name))),
    )


def _problems(hours: float, jobs: int, groups: Sequence[JobGroup]) -> Iterator[str]:
    if not hours > 0 or not math.isfinite(hours):
        yield f"hours must be more than 0, got hours={hours}"
    if jobs < 1:
        yield f"jobs must be at least 1, got jobs={jobs}"
    if not groups:
        yield "groups must name at least one job group, got none"


def _waves(
    random: Random, groups: Sequence[JobGroup], end: float, jobs: int
) -> Iterator[Job]:
    """Let the same CronJobs come again: every wave begins with the first of them."""
    times = _wave_times(end)
    sizes = _shared(jobs, [_ON_THE_HOUR if on_hour else 1 for _, on_hour in times])
    fleet = [_kind(random, groups, "cron", 90.0) for _ in range(max(sizes))]
    for wave, ((time, _), size) in enumerate(zip(times, sizes, strict=True)):
        for place, kind in enumerate(fleet[:size]):
            start = min(time + random.uniform(0, _WAVE_SECONDS), end)
            name = f"cron-{place:04}-{wave:03}"
            yield _job(name, kind, start, _drawn(random, kind.median), end)


def _wave_times(end: float) -> list[tuple[float, bool]]:
    first = min(_LEAD, end / 2)
    every = range(1 + int((end - first) // _EVERY))
    return [(first + place * _EVERY, place % 6 == 0) for place in every]


def _workflows(
    random: Random, groups: Sequence[JobGroup], end: float, pods: int
) -> Iterator[Job]:
    made = (
        job
        for number in count()
        for job in _workflow(random, groups, end, f"flow-{number:04}")
    )
    return islice(made, pods)


def _workflow(
    random: Random, groups: Sequence[JobGroup], end: float, name: str
) -> Iterator[Job]:
    """Begin at any time; a step that would begin after the end is left to nobody."""
    start = random.uniform(0, end)
    first = _kind(random, groups, "workflow", 70.0)
    for step in range(random.randint(2, 5)):
        kind = _like(random, first)
        durations = [_drawn(random, kind.median) for _ in range(random.randint(1, 8))]
        for place, duration in enumerate(durations):
            step_name = f"{name}-{step}-{place}"
            yield _job(step_name, kind, start, duration, end, owner="Workflow")
        start += max(durations) + random.uniform(1, 3)
        if start > end:
            return


def _alone(
    random: Random, groups: Sequence[JobGroup], end: float, jobs: int, name: str
) -> Iterator[Job]:
    for number in range(jobs):
        kind = _kind(random, groups, name, 120.0)
        longest = min(_LONG_TO, end / 2)
        duration = (
            random.uniform(min(_LONG_FROM, longest / 2), longest)
            if name == "long"
            else _drawn(random, kind.median)
        )
        yield _job(f"{name}-{number:05}", kind, random.uniform(0, end), duration, end)


def _kind(
    random: Random, groups: Sequence[JobGroup], name: str, median: float
) -> _Kind:
    arm = random.random() < _ARM[name]
    wanted = "arm64" if arm else "amd64"
    own = [group for group in groups if group.architecture == wanted]
    cpu, memory = _request(random)
    return _Kind(
        group=random.choice(own or list(groups)),
        namespace=random.choice(_NAMESPACES),
        cpu=cpu,
        memory=memory,
        median=_drawn(random, median),
    )


def _like(random: Random, first: _Kind) -> _Kind:
    cpu, memory = _request(random)
    return _Kind(
        group=first.group,
        namespace=first.namespace,
        cpu=cpu,
        memory=memory,
        median=first.median,
    )


def _request(random: Random) -> tuple[int, int]:
    requests, weights = zip(*_REQUESTS, strict=True)
    return random.choices(requests, weights)[0]


def _drawn(random: Random, median: float) -> float:
    """Draw a duration: many are shorter than the median, few are much longer."""
    return min(max(random.lognormvariate(math.log(median), 0.6), _SHORTEST), _LONGEST)


def _job(
    name: str, kind: _Kind, start: float, duration: float, end: float, owner="Job"
) -> Job:
    limits = [duration, max(end / 2, 1.0)]
    if kind.group.longest_job is not None:
        limits.append(float(seconds(kind.group.longest_job)))
    return Job(
        name=name,
        namespace=kind.namespace,
        owner=owner,
        start=round(start, 3),
        duration=round(min(limits), 3),
        cpu=kind.cpu,
        memory=kind.memory,
        architecture=kind.group.architecture,
        group=kind.group.name,
    )


def _shared(total: int, weights: Sequence[int]) -> list[int]:
    """Share whole jobs by weight; what is left over goes to the first."""
    every = sum(weights)
    shares = [total * weight // every for weight in weights]
    shares[0] += total - sum(shares)
    return shares


def _whole(number: float) -> int:
    return int(number + 0.5)
