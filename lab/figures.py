"""What a scenario cost and how its jobs fared, computed from what was seen."""

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from lab.model import Load, PodRecord, ScenarioRun
from lab.node_life import Life, NodeUse, Steps, count, lives, sum_steps
from lab.waits import Burst, Waits, burst, percentile, waits

__all__ = [
    "Cost",
    "Ends",
    "Figures",
    "ScaleIn",
    "Storm",
    "Utilisation",
    "figures",
]

_MINUTE = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Storm:
    """
    The most pods, of jobs and balloons, that one node started within 60 seconds.

    Args:
        pods: How many.
        node: Where, empty when no pod started.
        at: Start of the first of them, in seconds.
    """

    pods: int = 0
    node: str = ""
    at: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Utilisation:
    """
    Requests of bound pods as a share, 0 to 1, of what the nodes offer over their life.

    Args:
        cpu: Of job pods.
        memory: Of job pods.
        balloon_cpu: Of balloons.
        balloon_memory: Of balloons.
    """

    cpu: float = 0.0
    memory: float = 0.0
    balloon_cpu: float = 0.0
    balloon_memory: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Ends:
    """
    How the jobs of the load fared.

    Args:
        jobs: Jobs of the load.
        succeeded: Jobs with a pod that ended by itself.
        interrupted: Jobs with a pod that somebody ended, whether or not they
            succeeded afterwards.
        unfinished: Jobs with pods, none of which succeeded.
        unseen: Jobs without a pod.
        reasons: Interrupted pods by what their status says.
    """

    jobs: int
    succeeded: int
    interrupted: int
    unfinished: int
    unseen: int
    reasons: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScaleIn:
    """
    Seconds from the end of the last job pod of a node to the deletion of the node.

    Args:
        delays: One for each node that ran jobs and was deleted, the shortest first;
            0 where the node went with a job on it.
        kept: Nodes that ran jobs and are there at the end.
        unused: Nodes that never ran a job.
    """

    delays: tuple[float, ...] = ()
    kept: int = 0
    unused: int = 0

    @property
    def mean(self) -> float | None:
        """The average, None without such nodes."""
        return math.fsum(self.delays) / len(self.delays) if self.delays else None

    @property
    def p95(self) -> float | None:
        """What 95 of 100 do not exceed, None without such nodes."""
        return percentile(self.delays, 95)


@dataclass(frozen=True, kw_only=True, slots=True)
class Cost:
    """
    What the nodes cost in USD, by the prices of their shapes.

    Args:
        usd: The sum, None when a price is missing.
        balloons: The part of it while balloons alone held a node.
        unpriced: Instance types without a price, sorted.
    """

    usd: float | None
    balloons: float | None
    unpriced: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """
    One scenario in numbers.

    Args:
        scenario: Its name.
        seconds: Length of the run, seconds of real time.
        use: Node-hours by job group.
        vcpu_hours: vCPUs of the nodes over their life, by job group.
        nodes: Nodes that exist over time, by job group.
        waits: Of all job pods.
        waits_by_owner: The same by the kind of owner, of the groups of the load.
        burst: None when the load has no burst.
        storm: The hardest minute of a node.
        utilisation: Of the nodes.
        ends: Of the jobs.
        balloons_displaced: Balloons that somebody ended, most to make room.
        scale_in: How fast nodes go.
        cost: By the prices of the shapes.
    """

    scenario: str
    seconds: float
    use: Mapping[str, NodeUse]
    vcpu_hours: Mapping[str, float]
    nodes: Mapping[str, Steps]
    waits: Waits
    waits_by_owner: Mapping[str, Waits]
    burst: Burst | None
    storm: Storm
    utilisation: Utilisation
    ends: Ends
    balloons_displaced: int
    scale_in: ScaleIn
    cost: Cost

    @property
    def total(self) -> NodeUse:
        """Node-hours of all groups."""
        return sum(self.use.values(), NodeUse())

    @property
    def paid(self) -> float:
        """What to compare by, as `Bound.paid`: vCPU-hours, or else node-hours."""
        if all(self.vcpu_hours[g] > 0 for g, use in self.use.items() if use.total > 0):
            return sum(self.vcpu_hours.values())
        return self.total.total

    @property
    def all_nodes(self) -> Steps:
        """Nodes of all groups over time."""
        return sum_steps(self.nodes.values())

    @property
    def peak_nodes(self) -> int:
        """Most nodes at a time."""
        return max((count for _, count in self.all_nodes), default=0)


def figures(run: ScenarioRun, load: Load) -> Figures:
    """Compute every figure of a scenario; what a run lacks is 0, None or empty."""
    nodes = lives(run)
    shapes = {node.shape for node in run.nodes}
    groups = sorted({item.group for item in (*load.jobs, *shapes)})
    owners = {job.name: job.owner for job in load.jobs}
    pods = [pod for pod in run.pods if not pod.balloon]
    return Figures(
        scenario=run.scenario,
        seconds=run.end - run.begin,
        use={
            group: sum((life.use for life in _of(group, nodes)), NodeUse())
            for group in groups
        },
        vcpu_hours={
            group: math.fsum(
                life.hours * life.node.shape.vcpus for life in _of(group, nodes)
            )
            for group in groups
        },
        nodes={group: count(_of(group, nodes)) for group in groups},
        waits=waits(pods, run.end),
        waits_by_owner={
            owner: waits([p for p in pods if owners.get(p.job) == owner], run.end)
            for owner in sorted(set(owners.values()))
        },
        burst=burst(pods, load, run.end),
        storm=_storm(run.pods),
        utilisation=_utilisation(nodes),
        ends=_ends(pods, load),
        balloons_displaced=sum(
            pod.balloon and pod.outcome == "interrupted" for pod in run.pods
        ),
        scale_in=_scale_in(nodes),
        cost=_cost(nodes),
    )


def _of(group: str, nodes: Iterable[Life]) -> list[Life]:
    return [life for life in nodes if life.node.shape.group == group]


def _storm(pods: Iterable[PodRecord]) -> Storm:
    starts: dict[str, list[float]] = defaultdict(list)
    for pod in pods:
        if pod.node is not None and pod.started is not None:
            starts[pod.node].append(pod.started)
    storms = [
        Storm(pods=bisect_left(times, first + _MINUTE) - place, node=node, at=first)
        for node, times in ((node, sorted(starts[node])) for node in sorted(starts))
        for place, first in enumerate(times)
    ]
    return min(storms, key=lambda s: (-s.pods, s.at, s.node), default=Storm())


def _utilisation(nodes: Sequence[Life]) -> Utilisation:
    cpu = math.fsum(life.hours * life.node.shape.cpu for life in nodes)
    memory = math.fsum(life.hours * life.node.shape.memory for life in nodes)
    asked = {"cpu": [0.0, 0.0], "memory": [0.0, 0.0]}
    for life in nodes:
        for pod in life.pods:
            begin, end = life.stay(pod)
            asked["cpu"][pod.balloon] += pod.cpu * (end - begin) / 3600
            asked["memory"][pod.balloon] += pod.memory * (end - begin) / 3600
    return Utilisation(
        cpu=_share(asked["cpu"][False], cpu),
        memory=_share(asked["memory"][False], memory),
        balloon_cpu=_share(asked["cpu"][True], cpu),
        balloon_memory=_share(asked["memory"][True], memory),
    )


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _ends(pods: Iterable[PodRecord], load: Load) -> Ends:
    outcomes: dict[str, set[str]] = defaultdict(set)
    reasons: Counter[str] = Counter()
    for pod in pods:
        outcomes[pod.job].add(pod.outcome)
        if pod.outcome == "interrupted":
            reasons[pod.reason or "no reason given"] += 1
    seen = [outcomes[job.name] for job in load.jobs if job.name in outcomes]
    return Ends(
        jobs=len(load.jobs),
        succeeded=sum("succeeded" in outcome for outcome in seen),
        interrupted=sum("interrupted" in outcome for outcome in seen),
        unfinished=sum("succeeded" not in outcome for outcome in seen),
        unseen=len(load.jobs) - len(seen),
        reasons=dict(sorted(reasons.items())),
    )


def _scale_in(nodes: Iterable[Life]) -> ScaleIn:
    delays, kept, unused = [], 0, 0
    for life in nodes:
        ends = [life.stay(pod)[1] for pod in life.pods if not pod.balloon]
        if not ends:
            unused += 1
        elif life.node.deleted is None:
            kept += 1
        else:
            delays.append(life.end - max(ends))
    return ScaleIn(delays=tuple(sorted(delays)), kept=kept, unused=unused)


def _cost(nodes: Sequence[Life]) -> Cost:
    shapes = {life.node.shape for life in nodes}
    unpriced = {shape.instance_type for shape in shapes if shape.price is None}
    if unpriced:
        return Cost(usd=None, balloons=None, unpriced=tuple(sorted(unpriced)))
    return Cost(
        usd=math.fsum(life.hours * (life.node.shape.price or 0.0) for life in nodes),
        balloons=math.fsum(
            life.use.balloons * (life.node.shape.price or 0.0) for life in nodes
        ),
    )
