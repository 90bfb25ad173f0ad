"""Jobs of the lab, made of the objects of a trace."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from components.spec.architecture import Architecture
from components.spec.problems import refuse
from lab.model import Job, LeftOut, NodeShape
from lab.runs import Run, cron_runs
from lab.shapes import fits
from lab.trace_objects import CronJob, FinishedJob, Work

__all__ = ["JobMaker", "Window"]

# Leaves room below the 63 characters of a label for what makes it unique.
_LONGEST_NAME = 40

# Times of a Job are whole seconds, and a pod takes some of one at least.
_SHORTEST = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """
    Which time of a trace is replayed, and what stands in for what it does not say.

    Args:
        hours: How long, above 0.
        begin: From when on; None: so that the last time that the trace names is
            within, or a Monday at 00:00 UTC when it names none.
        default_seconds: How long a pod runs of which no finished Job tells.
        architecture: The one of pods that may run on both.

    Raises:
        ValueError: A number is not above 0. All are named.

    Sources:
        A minute: a guess, and listed for each CronJob that it is taken for. amd64:
        what an image without a word about it is most often made for.
    """

    hours: float = 1.0
    begin: datetime | None = None
    default_seconds: float = 60.0
    architecture: Architecture = "amd64"

    def __post_init__(self) -> None:
        numbers = {"hours": self.hours, "default_seconds": self.default_seconds}
        refuse(
            f"{name} must be above 0, got {name}={number}"
            for name, number in numbers.items()
            if not number > 0
        )


class JobMaker:
    """Makes jobs of runs, each with a name of its own."""

    def __init__(
        self, shapes: Sequence[NodeShape], window: Window, begin: float
    ) -> None:
        self.jobs: list[Job] = []
        self._shapes, self._window, self._begin = shapes, window, begin
        self._names: Counter[str] = Counter()

    def obstacle(self, work: Work) -> str:
        """Say why the work cannot be replayed, nothing when it can."""
        if work.obstacle or self._shape(work) is not None:
            return work.obstacle
        groups = ", ".join(dict.fromkeys(shape.group for shape in self._shapes))
        wanted = work.needs.group
        if wanted is not None and wanted not in groups.split(", "):
            return f"it names the job group {wanted}, and there are {groups}"
        on = " or ".join(sorted(work.needs.architectures)) or "another architecture"
        return (
            f"no job group has a node for {work.needs.cpu}m and {work.needs.memory}Mi "
            f"on {on}"
        )

    def add_cron_job(
        self, one: CronJob, children: Sequence[FinishedJob], end: float
    ) -> Iterator[LeftOut]:
        """Add its runs, and list what is not replayed of them."""
        yield from _notes(one.what, one.work)
        durations = [found for job in children for found in _seconds(job)]
        if not durations:
            durations = [self._window.default_seconds]
            yield LeftOut(
                what=f"{one.what}: duration",
                reason=f"none of its Jobs has finished: {durations[0]:g} s are taken",
            )
        runs, late = cron_runs(one, durations, self._begin, end)
        if late:
            yield LeftOut(
                what=f"{one.what}: {late} runs",
                reason="the one before was still running, and it forbids two at once",
            )
        if not runs:
            yield LeftOut(what=one.what, reason="it has no run in this time")
        for run in runs:
            self._add(one.namespace, f"{one.name}-{run.scheduled // 60}", one.work, run)

    def add_job(self, job: FinishedJob, latest: float) -> Iterator[LeftOut]:
        """Add a Job at its time, or list why not."""
        reason = self.obstacle(job.work) or _unknown(job)
        if reason or job.start is None:
            yield LeftOut(what=job.what, reason=reason)
            return
        yield from _notes(job.what, job.work)
        found = next(_seconds(job), None)
        if found is None:
            found = max(self._window.default_seconds, latest - job.start)
            yield LeftOut(
                what=f"{job.what}: duration",
                reason=f"it has not finished: {found:g} s are taken",
            )
        start = int(job.start)
        run = Run(scheduled=start, start=job.start, seconds=found, until=None)
        self._add(job.namespace, job.name, job.work, run)

    def _add(self, namespace: str, name: str, work: Work, run: Run) -> None:
        shape = self._shape(work)
        if shape is None:
            return
        for pod in range(work.pods):
            start = run.start + pod // work.parallel * run.seconds
            if run.until is not None and start >= run.until:
                return
            stop = start + run.seconds
            self.jobs.append(
                Job(
                    name=self._name(name if work.pods == 1 else f"{name}-{pod}"),
                    namespace=namespace,
                    start=round(start - self._begin, 3),
                    duration=round(min(stop, run.until or stop) - start, 3),
                    cpu=work.needs.cpu,
                    memory=work.needs.memory,
                    architecture=shape.architecture,
                    group=shape.group,
                )
            )

    def _name(self, wanted: str) -> str:
        """Keep the end of a name, where the run and the pod are."""
        plain = re.sub(r"[^a-z0-9-]", "-", wanted.lower())[-_LONGEST_NAME:].strip("-")
        self._names[plain] += 1
        times = self._names[plain]
        return plain if times == 1 else f"{plain}-again-{times}"

    def _shape(self, work: Work) -> NodeShape | None:
        """Choose the group: the one named, or the first that can run the pods."""
        wanted, usual = work.needs, self._window.architecture
        for shape in sorted(self._shapes, key=lambda one: one.architecture != usual):
            named = wanted.group in (None, shape.group)
            probe = Job(
                name="probe",
                namespace="default",
                start=0.0,
                duration=0.0,
                cpu=wanted.cpu,
                memory=wanted.memory,
                architecture=shape.architecture,
                group=shape.group,
            )
            if (
                named
                and shape.architecture in wanted.architectures
                and fits(probe, (shape,))
            ):
                return shape
        return None


def _notes(what: str, work: Work) -> Iterator[LeftOut]:
    for note in work.needs.notes:
        field_name, _, reason = note.partition(": ")
        yield LeftOut(what=f"{what}: {field_name}", reason=reason)


def _seconds(job: FinishedJob) -> Iterator[float]:
    """Return how long each pod ran, if the Job has succeeded."""
    if job.start is not None and job.end is not None and job.work.rounds:
        yield max(job.end - job.start, _SHORTEST) / job.work.rounds


def _unknown(job: FinishedJob) -> str:
    if job.failed:
        return "it failed: how often it was tried, and for how long, is not known"
    return "" if job.start is not None else "it has not started"
