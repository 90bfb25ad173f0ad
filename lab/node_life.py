"""The lives of nodes: how long each was paid for, and what for."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lab.model import NodeRecord, PodRecord, ScenarioRun

__all__ = ["Life", "NodeUse", "Steps", "average", "count", "lives", "sum_steps"]

Steps = tuple[tuple[float, int], ...]
"""A count over time: from each time, in seconds, the count that holds from then on."""

_HOUR = 3600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeUse:
    """
    What nodes were paid for, in node-hours; each moment of a node counts once.

    Args:
        jobs: While a job pod was bound to the node.
        balloons: While balloons alone were.
        starting: From the request to ready, without pods.
        empty: Ready, without pods.
    """

    jobs: float = 0.0
    balloons: float = 0.0
    starting: float = 0.0
    empty: float = 0.0

    @property
    def total(self) -> float:
        """The whole life of the nodes."""
        return self.jobs + self.balloons + self.starting + self.empty

    def __add__(self, other: "NodeUse") -> "NodeUse":
        return NodeUse(
            jobs=self.jobs + other.jobs,
            balloons=self.balloons + other.balloons,
            starting=self.starting + other.starting,
            empty=self.empty + other.empty,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Life:
    """
    A node from its request to its end, and what was bound to it.

    Args:
        node: The node.
        end: When it was gone, or the end of the run.
        pods: What was bound to it, of jobs and balloons.
    """

    node: NodeRecord
    end: float
    pods: tuple[PodRecord, ...]

    @property
    def hours(self) -> float:
        """How long it was paid for."""
        return (self.end - self.node.created) / _HOUR

    @property
    def use(self) -> NodeUse:
        """What it was paid for."""
        jobs = [self.stay(pod) for pod in self.pods if not pod.balloon]
        held = [*jobs, *(self.stay(pod) for pod in self.pods if pod.balloon)]
        ready = self.end if self.node.ready is None else min(self.node.ready, self.end)
        by_jobs, by_pods = _covered(jobs), _covered(held)
        busy = _covered([*held, (self.node.created, ready)])
        return NodeUse(
            jobs=by_jobs / _HOUR,
            balloons=(by_pods - by_jobs) / _HOUR,
            starting=(busy - by_pods) / _HOUR,
            empty=(self.end - self.node.created - busy) / _HOUR,
        )

    def stay(self, pod: PodRecord) -> tuple[float, float]:
        """Return from when to when a pod held the node, within the node's life."""
        bound = self.node.created if pod.bound is None else pod.bound
        until = self.end if pod.finished is None else pod.finished
        begin = min(max(bound, self.node.created), self.end)
        return begin, max(begin, min(until, self.end))


def lives(run: ScenarioRun) -> tuple[Life, ...]:
    """Return the life of each node of a run, in the order of the run."""
    bound = defaultdict(list)
    for pod in run.pods:
        if pod.bound is not None:
            bound[pod.node].append(pod)
    return tuple(
        Life(
            node=node,
            end=run.end if node.deleted is None else node.deleted,
            pods=tuple(bound[node.name]),
        )
        for node in run.nodes
    )


def average(steps: Steps, begin: float, end: float) -> float:
    """Return the average of a count from *begin* to *end*, 0 for no time."""
    if end <= begin:
        return 0.0
    ends = [time for time, _ in steps[1:]] + [end]
    areas = (
        count * max(0.0, min(until, end) - max(since, begin))
        for (since, count), until in zip(steps, ends, strict=False)
    )
    return math.fsum(areas) / (end - begin)


def _covered(spans: Iterable[tuple[float, float]]) -> float:
    """Return how much time lies in any of the spans."""
    covered, reached = 0.0, -math.inf
    for begin, end in sorted(spans):
        covered += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return covered


def count(lives: Iterable[Life]) -> Steps:
    """Return how many of the nodes exist over time."""
    changes: dict[float, int] = defaultdict(int)
    for life in lives:
        changes[life.node.created] += 1
        changes[life.end] -= 1
    return _accumulate(changes)


def sum_steps(series: Iterable[Steps]) -> Steps:
    """Add counts over time."""
    changes: dict[float, int] = defaultdict(int)
    for steps in series:
        before = 0
        for time, count in steps:
            changes[time] += count - before
            before = count
    return _accumulate(changes)


def _accumulate(changes: Mapping[float, int]) -> Steps:
    steps, count = [], 0
    for time, change in sorted(changes.items()):
        if change:
            count += change
            steps.append((time, count))
    return tuple(steps)
