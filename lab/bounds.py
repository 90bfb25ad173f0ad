"""
What a load costs at least, and what it costs when no pod ever moves.

Three references, from the lowest to the one that can be reached:

* `floor`: every node is full all the time, and jobs wait until it can be so.
* `ideal`: each job starts at once, and running pods may move to other nodes.
* `best_fit`: each job starts at once on the fullest node that has room, and stays.

The first two count resources alone and cut pods in pieces, so no cluster is better. A
run in which jobs wait can be below the ideal, and never below the floor.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import gcd

from components.spec.problems import refuse
from lab.model import Job, Load, NodeShape
from lab.node_life import Steps, sum_steps
from lab.online import Choice, Node, Placement, Rules, simulate
from lab.shapes import fits

__all__ = ["Bound", "best_fit", "floor", "ideal"]

_HOUR = 3_600.0
_NAMED = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Bound:
    """
    What a load costs by one reference.

    With nodes of several sizes in a group, each figure is a bound by itself: the
    fewest nodes are the largest ones, and not the cheapest.

    Args:
        name: Of the reference.
        node_seconds: By group.
        vcpu_seconds: Seconds of the vCPUs of nodes by group.
        cost: USD by group, None where a type of the group has no price.
        nodes: Nodes over time by group; empty for `floor`, which knows no time.
        placements: Which job was where; of `best_fit` alone.
    """

    name: str
    node_seconds: Mapping[str, float]
    vcpu_seconds: Mapping[str, float]
    cost: Mapping[str, float | None]
    nodes: Mapping[str, Steps]
    placements: tuple[Placement, ...] = ()

    @property
    def paid(self) -> float:
        """What to compare by: vCPU-seconds, or node-seconds where one is not known."""
        pairs = [(self.node_seconds[one], self.vcpu_seconds[one]) for one in self.cost]
        if all(vcpus > 0 for nodes, vcpus in pairs if nodes > 0):
            return sum(vcpus for _, vcpus in pairs)
        return sum(nodes for nodes, _ in pairs)

    @property
    def peak(self) -> int:
        """Most nodes at once, of all groups together."""
        return max((nodes for _, nodes in sum_steps(self.nodes.values())), default=0)


def ideal(load: Load, shapes: Sequence[NodeShape]) -> Bound:
    """
    Count the nodes that would do at each instant if pods could move.

    A group needs as many nodes as its CPU, its memory or its pods fill, whichever is
    most. Of several types, each resource takes the one that is cheapest for it, in
    what is counted: nodes, vCPUs or USD. Nodes come and go at once. No placement that
    starts each job at once needs less.

    Raises:
        ValueError: A job fits no node: see `lab.shapes.fitting`.
    """
    sums = _Sums(load, shapes)
    for group, jobs in sums.jobs.items():
        least, steps = _Least(sums.shapes[group]), []
        for begin, end, demand in _intervals(jobs):
            nodes = least.nodes(demand)
            sums.add(
                group,
                (end - begin) * nodes,
                (end - begin) * least.vcpus(demand, nodes),
                (end - begin) * least.usd(demand, nodes),
            )
            steps.append((begin, nodes))
            steps.append((end, 0))
        sums.steps[group] = _joined(steps)
    return sums.bound("ideal")


def floor(load: Load, shapes: Sequence[NodeShape]) -> Bound:
    """
    Count nodes that are full all the time, however long jobs wait for it.

    Raises:
        ValueError: A job fits no node: see `lab.shapes.fitting`.
    """
    sums = _Sums(load, shapes)
    for group, jobs in sums.jobs.items():
        least = _Least(sums.shapes[group])
        area = (
            sum(job.cpu * job.duration for job in jobs),
            sum(job.memory * job.duration for job in jobs),
            sum(job.duration for job in jobs),
        )
        sums.add(
            group,
            least.share(area, [1 for _ in least.shapes]),
            least.share(area, least.sizes),
            least.share(area, least.prices),
        )
    return sums.bound("floor")


def best_fit(
    load: Load,
    shapes: Sequence[NodeShape],
    idle: float = 0.0,
    boot: float = 0.0,
    *,
    choice: Choice = "fullest",
    batch: float = 0.0,
    apart: float | None = None,
    name: str = "best fit",
) -> Bound:
    """
    Place each job when it comes, on a node where it stays to its end.

    Without more arguments, this is what a scheduler and a scaler could reach that
    know nothing of the jobs to come and take no time. The arguments take from it,
    one by one, what a real cluster lacks.

    Args:
        load: What runs.
        shapes: Where it runs.
        idle: See `Rules`, as the next four.
        boot: How long a node takes.
        choice: Which node a job takes.
        batch: How long waiting jobs are collected.
        apart: Whether long jobs have nodes of their own.
        name: Of the reference.

    Raises:
        ValueError: A job fits no node, see `lab.shapes.fitting`; or a number is
            negative.
    """
    rules = Rules(idle=idle, boot=boot, choice=choice, batch=batch, apart=apart)
    sums = _Sums(load, shapes)
    placements: list[Placement] = []
    for group, jobs in sums.jobs.items():
        nodes = simulate(jobs, sums.shapes[group], rules)
        for node in nodes:
            sums.add_node(node)
            placements += node.placements
        sums.steps[group] = sum_steps(
            ((node.created, 1), (node.closed, 0)) for node in nodes
        )
    return sums.bound(name, placements)


_Demand = tuple[float, float, float]


class _Least:
    """What a demand of CPU, memory and pods costs at least, in one group."""

    def __init__(self, shapes: Sequence[NodeShape]) -> None:
        self.shapes = [(shape.cpu, shape.memory, shape.pods) for shape in shapes]
        self.sizes = [shape.vcpus for shape in shapes]
        self.prices = [shape.price or 0.0 for shape in shapes]
        self._largest = [max(offers) for offers in zip(*self.shapes, strict=True)]
        # Whole nodes are bought, so vCPUs come in multiples of this.
        self._step = gcd(*self.sizes) or 1

    def nodes(self, demand: _Demand) -> int:
        """Count whole nodes, each as large as any."""
        return max(
            int(-(-wanted // most))
            for wanted, most in zip(demand, self._largest, strict=True)
        )

    def vcpus(self, demand: _Demand, nodes: int) -> int:
        """Count the vCPUs of whole nodes."""
        exact = [
            min(
                int(-(-wanted * size // (offer[place] * self._step)))
                for offer, size in zip(self.shapes, self.sizes, strict=True)
            )
            for place, wanted in enumerate(demand)
        ]
        return max(max(exact) * self._step, nodes * min(self.sizes))

    def usd(self, demand: _Demand, nodes: int) -> float:
        """Return USD an hour, of nodes in part where there are several types."""
        return max(self.share(demand, self.prices), nodes * min(self.prices))

    def share(self, demand: _Demand, rates: Sequence[float]) -> float:
        """Return what parts of nodes cost, when a node of each type has its rate."""
        return max(
            min(
                wanted * rate / offer[place]
                for offer, rate in zip(self.shapes, rates, strict=True)
            )
            for place, wanted in enumerate(demand)
        )


class _Sums:
    """Adds up what the groups of a load cost."""

    def __init__(self, load: Load, shapes: Sequence[NodeShape]) -> None:
        refuse(_unfit(load, shapes))
        self.shapes: dict[str, list[NodeShape]] = defaultdict(list)
        for shape in shapes:
            self.shapes[shape.group].append(shape)
        self.jobs: dict[str, list[Job]] = {group: [] for group in self.shapes}
        for job in load.jobs:
            self.jobs[job.group].append(job)
        self.steps: dict[str, Steps] = dict.fromkeys(self.shapes, ())
        self._nodes = dict.fromkeys(self.shapes, 0.0)
        self._vcpus = dict.fromkeys(self.shapes, 0.0)
        self._usd = dict.fromkeys(self.shapes, 0.0)

    def add(self, group: str, nodes: float, vcpus: float, usd: float) -> None:
        """Add seconds of nodes, of vCPUs, and of USD an hour."""
        self._nodes[group] += nodes
        self._vcpus[group] += vcpus
        self._usd[group] += usd / _HOUR

    def add_node(self, node: Node) -> None:
        """Add the life of a node."""
        time, shape = node.closed - node.created, node.shape
        self.add(shape.group, time, time * shape.vcpus, time * (shape.price or 0.0))

    def bound(self, name: str, placements: Sequence[Placement] = ()) -> Bound:
        """Return the sums."""
        unpriced = {
            group
            for group, shapes in self.shapes.items()
            if any(shape.price is None for shape in shapes)
        }
        return Bound(
            name=name,
            node_seconds=self._nodes,
            vcpu_seconds=self._vcpus,
            cost={
                group: None if group in unpriced else usd
                for group, usd in self._usd.items()
            },
            nodes=self.steps,
            placements=tuple(placements),
        )


def _unfit(load: Load, shapes: Sequence[NodeShape]) -> Iterator[str]:
    alone = [job.name for job in load.jobs if not fits(job, shapes)]
    if alone:
        more = f" and {len(alone) - _NAMED} more" if len(alone) > _NAMED else ""
        yield (
            "jobs must fit an empty node of their group, "
            f"got {', '.join(alone[:_NAMED])}{more}"
        )


def _intervals(jobs: Sequence[Job]) -> Iterator[tuple[float, float, _Demand]]:
    """Cut the time where a job starts or ends, and say what runs between."""
    changes: dict[float, list[int]] = defaultdict(lambda: [0, 0, 0])
    for job in jobs:
        for time, sign in ((job.start, 1), (job.start + job.duration, -1)):
            change = changes[time]
            change[0] += sign * job.cpu
            change[1] += sign * job.memory
            change[2] += sign
    times = sorted(changes)
    cpu = memory = pods = 0
    for begin, end in zip(times, times[1:], strict=False):
        change = changes[begin]
        cpu, memory, pods = cpu + change[0], memory + change[1], pods + change[2]
        if pods:
            yield begin, end, (cpu, memory, pods)


def _joined(steps: Sequence[tuple[float, int]]) -> Steps:
    """Leave one step for each time, the last, and those that change something."""
    joined: list[tuple[float, int]] = []
    for time, nodes in dict(steps).items():
        if nodes != (joined[-1][1] if joined else 0):
            joined.append((time, nodes))
    return tuple(joined)
