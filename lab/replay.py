"""A load replayed on a cluster, and what was seen of it."""

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field

from components.spec.groups import JobGroup
from lab import faults as wrong
from lab.cluster import Cluster
from lab.faults import MOMENTS, Fault
from lab.model import Job, Load, NodeShape, ScenarioRun
from lab.observer import Observer
from lab.pace import Pace
from lab.pods import job_manifest, namespaces, workflow, workflow_pod
from lab.scenario import Scenario
from lab.watching import watched
from sandbox.cluster_api import ClusterApi

__all__ = ["Progress", "replay", "schedule"]

Progress = Callable[[int, int, str], None]
"""Told how many jobs have ended, of how many, and what goes on."""

_LOOK_SECONDS = 0.05
# The API server answers several at a time; one that creates is no match for a wave.
_HANDS = 4
# Beyond the load, in seconds of this machine: what may still be late.
# A Job whose pod was ended tries again after 10 s, then 20 s, and so on.
_PATIENCE = 60.0
_TAIL = 90.0


@dataclass(kw_only=True)
class _Clock:
    """Seconds of the load since it began; 0 before."""

    pace: Pace
    begin: float | None = None

    def __call__(self) -> float:
        if self.begin is None:
            return 0.0
        return (time.monotonic() - self.begin) * self.pace.speed


@dataclass(kw_only=True)
class _Acts:
    """What is done at its time, by several hands."""

    clock: _Clock
    late: float = 0.0
    notes: list[str] = field(default_factory=list)
    _done: list[Future[None]] = field(default_factory=list)

    def begin(self, hands: ThreadPoolExecutor, due: float, act: Callable) -> None:
        self._done.append(hands.submit(self._act, due, act))

    def _act(self, due: float, act: Callable[[], str | None]) -> None:
        note = act()
        if note is None:
            self.late = max(self.late, self.clock() - due)
        else:
            self.notes.append(f"{note} at {self.clock():.0f} s")

    def check(self) -> None:
        """Raise what an act has raised."""
        for future in [one for one in self._done if one.done()]:
            future.result()
            self._done.remove(future)


def schedule(
    load: Load, faults: Sequence[Fault]
) -> list[tuple[float, Job | tuple[Fault, int]]]:
    """Return what is done when, in order: jobs, and faults with their number."""
    end = max((job.start for job in load.jobs), default=0.0)
    moments = [
        (moment * end, (fault, number))
        for fault in faults
        for number, moment in enumerate(MOMENTS.get(fault, ()), start=1)
    ]
    both = [*((job.start, job) for job in load.jobs), *moments]
    return sorted(both, key=lambda one: one[0])


def replay(
    cluster: Cluster,
    *,
    scenario: Scenario,
    load: Load,
    groups: Sequence[JobGroup],
    shapes: Sequence[NodeShape],
    pace: Pace,
    faults: Sequence[Fault],
    progress: Progress,
) -> ScenarioRun:
    """
    Create the jobs of a load at their times, and wait until they and the nodes end.

    Args:
        cluster: Runs with the pools of *scenario*; nothing was created before.
        scenario: What is tried.
        load: What is replayed.
        groups: Job groups by which the jobs find their nodes.
        shapes: What nodes offer.
        pace: How fast time goes.
        faults: What goes wrong.
        progress: Is told how far it is.

    Raises:
        RefusedError: The API server refused a job.
        WatchError: Something was not seen.
    """
    clock = _Clock(pace=pace)
    observer = Observer.of(tuple(shapes), clock)
    acts = _Acts(clock=clock)
    named = {group.name: group for group in groups}
    for namespace in namespaces(load):
        cluster.api.create(namespace)
    with watched(cluster.kubeconfig, observer) as check, _hands() as hands:

        def look(doing: str) -> None:
            time.sleep(_LOOK_SECONDS)
            check()
            acts.check()
            progress(observer.ended, len(load.jobs), doing)

        clock.begin = time.monotonic()
        for due, what in schedule(load, faults):
            while clock() < due:
                look("jobs come")
            acts.begin(hands, due, _act(cluster, what, named, pace))
        _until(lambda: observer.ended >= len(load.jobs), _limit(load, pace), look)
        # As when their time of the day is over: nodes would stay for ever.
        for balloon in cluster.balloons:
            cluster.api.delete(balloon)
        # Nodes with jobs that never end would not go.
        tail = _TAIL if observer.ended >= len(load.jobs) else 0.0
        _until(lambda: observer.nodes_left == 0, tail, lambda _: look("nodes go"))
        end = clock()
    return ScenarioRun(
        scenario=scenario.name,
        pods=observer.pods(),
        nodes=observer.nodes(),
        end=end,
        speed=pace.speed,
        facts=dict(_facts(scenario, faults, acts, observer)),
    )


@contextmanager
def _hands() -> Generator[ThreadPoolExecutor]:
    hands = ThreadPoolExecutor(_HANDS)
    try:
        yield hands
    finally:
        hands.shutdown(cancel_futures=True)


def _until(
    condition: Callable[[], bool], seconds: float, look: Callable[[str], None]
) -> None:
    """Look until something holds, or the time is up: what is not there shows then."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        look("jobs end")


def _limit(load: Load, pace: Pace) -> float:
    """Return the patience for jobs after the last was created."""
    return pace.shorter(max((job.duration for job in load.jobs), default=0)) * 2 + (
        _PATIENCE
    )


def _act(
    cluster: Cluster,
    what: Job | tuple[Fault, int],
    groups: Mapping[str, JobGroup],
    pace: Pace,
) -> Callable[[], str | None]:
    if isinstance(what, Job):
        return lambda: _create(cluster.api, what, groups[what.group], pace)
    return lambda: _fail(cluster, *what)


def _create(api: ClusterApi, job: Job, group: JobGroup, pace: Pace) -> None:
    if job.owner == "Job":
        api.create(job_manifest(job, group, pace))
        return
    owner = api.create(workflow(job)).object
    api.create(workflow_pod(job, group, pace, owner))


def _fail(cluster: Cluster, fault: Fault, number: int) -> str:
    if fault == "drift":
        wrong.drift(cluster.api, cluster.pools, number)
        return f"drift {number}"
    if fault == "node-lost":
        return f"node lost ({wrong.lose_node(cluster.api)})"
    return f"zone lost ({wrong.lose_zone(cluster.api, cluster.pools)})"


def _facts(
    scenario: Scenario, faults: Sequence[Fault], acts: _Acts, observer: Observer
) -> Iterator[tuple[str, str]]:
    yield "scenario", scenario.text
    yield "scoring", scenario.scoring.strategy if scenario.scoring else "LeastAllocated"
    yield "preference policy", scenario.preference_policy
    yield "faults", ", ".join(faults) or "none"
    if acts.notes:
        yield "happened", "; ".join(acts.notes)
    yield "nodes told to go while jobs ran on them", str(observer.given_up_busy)
    yield "latest creation", f"{acts.late:.1f} s of the load after its time"
