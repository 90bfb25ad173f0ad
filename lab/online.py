"""
Places jobs one by one, as a scheduler and a scaler do who do not know what comes.

A model of them and no copy: it answers within a second what each delay and each rule
costs, where a run on a real scheduler takes minutes and shows all of them at once.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Literal, get_args

from components.spec.problems import refuse
from lab.model import Job, NodeShape

__all__ = ["Choice", "Node", "Placement", "Rules", "simulate"]

Choice = Literal["fullest", "most-pods", "emptiest"]
"""
Which of the nodes with room a job takes.

`fullest` by its most used resource, as MostAllocated would; `most-pods`, as the
affinity would; `emptiest` by the mean of CPU and memory, as LeastAllocated does.
Of equal nodes it is the one that has been in use for longest.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """
    How jobs find nodes, and nodes come and go.

    Args:
        choice: Which node a job takes.
        idle: Seconds for which a node stays that has become empty, 0 or more.
        boot: Seconds from the request for a node to its first job, 0 or more. It is
            paid for. Meanwhile its jobs wait, and take room that comes up elsewhere.
        batch: Seconds for which jobs without room are collected before nodes are
            made for all of them, 0 or more.
        apart: Jobs that run longer than this, in seconds, have nodes of their own;
            None: all share nodes.

    Raises:
        ValueError: A number is negative, or there is no such choice. All are named.
    """

    choice: Choice = "fullest"
    idle: float = 0.0
    boot: float = 0.0
    batch: float = 0.0
    apart: float | None = None

    def __post_init__(self) -> None:
        refuse(self._problems())

    def _problems(self) -> Iterator[str]:
        if self.choice not in get_args(Choice):
            accepted = ", ".join(get_args(Choice))
            yield f"choice must be of {accepted}, got choice={self.choice}"
        for name in ("idle", "boot", "batch", "apart"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                yield f"{name} must be 0 or more, got {name}={value}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Placement:
    """
    A job on its node.

    Args:
        job: What runs.
        node: Number of the node within its group, from 0 on.
        start: When it began to run; it waited from `job.start` until then.
    """

    job: Job
    node: int
    start: float


@dataclass(eq=False, slots=True)
class Node:
    """A node, with what is free on it and, once it is gone, its whole life."""

    number: int
    shape: NodeShape
    created: float
    cpu: int
    memory: int
    pods: int
    closed: float = 0.0
    ready: bool = False
    rank: float = 0.0
    # The nodes in use, in the order in which they were taken into use.
    since: int = 0
    # Counts the times it became empty, so that a late alarm is known.
    rests: int = 0
    placements: list[Placement] = field(default_factory=list)
    # What is left when all jobs come that it was made for.
    planned: "_Room | None" = None

    @property
    def empty(self) -> bool:
        """Whether no job runs."""
        return self.pods == self.shape.pods


@dataclass(slots=True)
class _Room:
    cpu: int
    memory: int
    pods: int

    def take(self, job: Job, times: int = 1) -> None:
        self.cpu -= job.cpu * times
        self.memory -= job.memory * times
        self.pods -= times


@dataclass(eq=False, slots=True)
class _Waiting:
    job: Job
    node: Node | None = None


def simulate(
    jobs: Sequence[Job], shapes: Sequence[NodeShape], rules: Rules
) -> list[Node]:
    """
    Run the jobs of one group, each of which fits one of its *shapes*.

    A new node is of the type with the cheapest vCPU among those that the job fits,
    and of these the largest: a wave is never served by many small nodes.

    Returns:
        All nodes, with their placements, each closed.
    """
    numbers = count()
    if rules.apart is None:
        return _Lane(shapes, rules, numbers).run(jobs)
    short = [job for job in jobs if job.duration <= rules.apart]
    long = [job for job in jobs if job.duration > rules.apart]
    return [
        node
        for part in (short, long)
        for node in _Lane(shapes, rules, numbers).run(part)
    ]


# What happens at the same time happens in this order: room comes before who wants it,
# and nobody closes a node that is wanted.
_ENDED, _READY, _SETTLED, _CAME, _PLANNED, _RESTED = range(6)


class _Lane:
    """Jobs and nodes that share nothing with others."""

    def __init__(
        self, shapes: Sequence[NodeShape], rules: Rules, numbers: Iterator[int]
    ) -> None:
        self._shapes = sorted(shapes, key=_preference)
        self._rules = rules
        self._numbers = numbers
        self._uses = count(1)
        self._order = count()
        self._nodes: list[Node] = []
        self._open: list[Node] = []
        self._booting: list[Node] = []
        self._waiting: list[_Waiting] = []
        self._planning = False
        self._events: list[tuple] = []

    def run(self, jobs: Iterable[Job]) -> list[Node]:
        """Play all events."""
        self._events = [(job.start, _CAME, next(self._order), job) for job in jobs]
        heapify(self._events)
        play = {
            _ENDED: self._ended,
            _READY: self._ready,
            _SETTLED: self._settled,
            _CAME: self._came,
            _PLANNED: self._planned,
            _RESTED: self._rested,
        }
        while self._events:
            time, kind, _, *what = heappop(self._events)
            play[kind](time, *what)
        return self._nodes

    def _at(self, time: float, kind: int, *what: object) -> None:
        heappush(self._events, (time, kind, next(self._order), *what))

    def _came(self, time: float, job: Job) -> None:
        node = self._chosen(job)
        if node is not None:
            self._place(time, job, node)
        elif self._rules.boot == self._rules.batch == 0:
            node = self._new(time, job)
            self._open.append(node)
            self._place(time, job, node)
        else:
            self._waiting.append(_Waiting(job))
            self._plan_soon(time)

    def _plan_soon(self, time: float) -> None:
        if not self._planning:
            self._planning = True
            self._at(time + self._rules.batch, _PLANNED)

    def _planned(self, time: float) -> None:
        """Make nodes for all who wait and have none; the largest are packed first."""
        self._planning = False
        homeless = [one for one in self._waiting if one.node is None]
        for one in sorted(homeless, key=lambda one: (-one.job.cpu, -one.job.memory)):
            one.node = self._booting_for(one.job) or self._new(time, one.job)
            if one.node.planned is None:
                shape = one.node.shape
                one.node.planned = _Room(shape.cpu, shape.memory, shape.pods)
                self._booting.append(one.node)
                self._at(time + self._rules.boot, _READY, one.node)
            one.node.planned.take(one.job)

    def _booting_for(self, job: Job) -> Node | None:
        for node in self._booting:
            if node.planned is not None and _holds(node.planned, job):
                return node
        return None

    def _ready(self, time: float, node: Node) -> None:
        node.ready = True
        self._booting.remove(node)
        self._open.append(node)
        # Nodes of the same moment are filled together, as a scheduler sees them.
        self._at(time, _SETTLED)
        self._rest(time, node)

    def _settled(self, time: float) -> None:
        """Let those who wait take any node; who finds none waits for another."""
        left = []
        for one in self._waiting:
            node = self._chosen(one.job)
            if node is None:
                left.append(one)
                if one.node is not None and one.node.ready:
                    one.node = None
                    self._plan_soon(time)
            else:
                self._leave_plan(one)
                self._place(time, one.job, node)
        self._waiting = left

    def _leave_plan(self, one: _Waiting) -> None:
        if one.node is not None and one.node.planned is not None:
            one.node.planned.take(one.job, -1)

    def _ended(self, time: float, job: Job, node: Node) -> None:
        node.cpu += job.cpu
        node.memory += job.memory
        node.pods += 1
        if self._waiting:
            self._fill(time, node)
        self._rank(node)
        if node.empty:
            self._rest(time, node)

    def _fill(self, time: float, node: Node) -> None:
        left = []
        for one in self._waiting:
            if _holds(node, one.job):
                self._leave_plan(one)
                self._place(time, one.job, node)
            else:
                left.append(one)
        self._waiting = left

    def _rest(self, time: float, node: Node) -> None:
        node.rests += 1
        self._at(time + self._rules.idle, _RESTED, node, node.rests)

    def _rested(self, time: float, node: Node, rests: int) -> None:
        if node.empty and node.rests == rests:
            node.closed = time
            self._open.remove(node)

    def _new(self, time: float, job: Job) -> Node:
        shape = next(one for one in self._shapes if _holds(one, job))
        node = Node(
            number=next(self._numbers),
            shape=shape,
            created=time,
            cpu=shape.cpu,
            memory=shape.memory,
            pods=shape.pods,
        )
        self._rank(node)
        self._nodes.append(node)
        return node

    def _chosen(self, job: Job) -> Node | None:
        cpu, memory, chosen = job.cpu, job.memory, None
        for node in self._open:
            if (
                node.cpu >= cpu
                and node.memory >= memory
                and node.pods
                and (
                    chosen is None
                    or node.rank > chosen.rank
                    or (node.rank == chosen.rank and node.since < chosen.since)
                )
            ):
                chosen = node
        return chosen

    def _place(self, time: float, job: Job, node: Node) -> None:
        if node.empty:
            node.since = next(self._uses)
        node.cpu -= job.cpu
        node.memory -= job.memory
        node.pods -= 1
        self._rank(node)
        node.placements.append(Placement(job=job, node=node.number, start=time))
        self._at(time + job.duration, _ENDED, job, node)

    def _rank(self, node: Node) -> None:
        shape = node.shape
        if self._rules.choice == "most-pods":
            node.rank = shape.pods - node.pods
        elif self._rules.choice == "fullest":
            node.rank = 1 - min(
                node.cpu / shape.cpu, node.memory / shape.memory, node.pods / shape.pods
            )
        else:
            node.rank = node.cpu / shape.cpu + node.memory / shape.memory


def _holds(room: Node | _Room | NodeShape, job: Job) -> bool:
    return room.cpu >= job.cpu and room.memory >= job.memory and room.pods > 0


def _preference(shape: NodeShape) -> tuple[float, int]:
    """Order types by the price of a vCPU, and the large ones before the small."""
    priced = shape.price is not None and shape.vcpus
    rate = (shape.price or 0.0) / shape.vcpus if priced else 0.0
    return rate, -shape.cpu
