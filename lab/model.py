"""What the lab speaks of: jobs to run, nodes to run them on, and what was seen."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from components.spec.architecture import Architecture

__all__ = [
    "WITH_BALLOONS",
    "Job",
    "LeftOut",
    "Load",
    "NodeRecord",
    "NodeShape",
    "Outcome",
    "PodRecord",
    "ScenarioRun",
]

Outcome = Literal["succeeded", "interrupted", "unfinished"]
"""How a pod ended: by itself, by somebody else, or not before the end of the run."""

WITH_BALLOONS = "+balloons"
"""What the name of a scenario ends with that is another one with balloons."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Job:
    """
    A job to replay: one pod that runs to its end.

    Args:
        name: Unique in the load; a DNS label.
        namespace: Where it runs.
        owner: What makes its pods: `Job` (of a CronJob or alone) or `Workflow`.
        start: When it is created, seconds of real time since the begin of the load.
        duration: How long it runs once its container started, seconds of real time.
        cpu: Request, millicores; 0: none.
        memory: Request, MiB; 0: none.
        architecture: What its nodes must be.
        group: Name of the job group that it is meant for.
    """

    name: str
    namespace: str
    owner: Literal["Job", "Workflow"] = "Job"
    start: float
    duration: float
    cpu: int
    memory: int
    architecture: Architecture
    group: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """Something of a trace that cannot be replayed, and why."""

    what: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """
    Jobs in the order of their start.

    Args:
        name: For the report: how it was made.
        jobs: What is replayed.
        left_out: What a trace has besides.
    """

    name: str
    jobs: tuple[Job, ...]
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeShape:
    """
    What a node of a group offers to pods.

    Args:
        group: Name of the job group.
        instance_type: The type of EC2.
        architecture: Of the type.
        cpu: Allocatable, millicores.
        memory: Allocatable, MiB.
        pods: maxPods, less those of DaemonSets.
        vcpus: Of the type: what is paid in relation, where no price is known.
        price: USD an hour, None where it is not known.
    """

    group: str
    instance_type: str
    architecture: Architecture
    cpu: int
    memory: int
    pods: int
    vcpus: int = 0
    price: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PodRecord:
    """
    What was seen of one pod; times are seconds of real time since the begin.

    A job that was interrupted has several: its Job made another pod.

    Args:
        job: Name of its `Job`; of a balloon, the name of the balloon.
        group: Name of the job group.
        balloon: Whether it is a balloon.
        node: Where it was bound, None: nowhere.
        created: Of the object.
        bound: When the scheduler chose the node; None: never.
        started: When its container started; None: never.
        finished: When it ended or was deleted; None: it runs at the end.
        outcome: How it ended, by its status.
        reason: What the status says about an interruption.
    """

    job: str
    group: str
    balloon: bool = False
    node: str | None
    created: float
    bound: float | None
    started: float | None
    finished: float | None
    outcome: Outcome
    reason: str = ""
    cpu: int = 0
    memory: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeRecord:
    """
    What was seen of one node; times as in `PodRecord`.

    Args:
        name: Of the node.
        shape: What it offers.
        created: When it was asked for: from then on it is paid.
        ready: When pods could run; None: never.
        deleted: When it was gone; None: it is there at the end.
    """

    name: str
    shape: NodeShape
    created: float
    ready: float | None
    deleted: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ScenarioRun:
    """
    One scenario, as it went.

    Args:
        scenario: Its name.
        pods: Every pod of a job or a balloon that was seen.
        nodes: Every node of a job group that was seen.
        begin: Start of the load, always 0.
        end: When the last job had ended and the nodes had gone, or the time was up.
        speed: How much faster than real the run was.
        facts: Anything else the report shows, by its heading.
    """

    scenario: str
    pods: tuple[PodRecord, ...]
    nodes: tuple[NodeRecord, ...]
    begin: float = 0.0
    end: float
    speed: float
    facts: Mapping[str, str] = field(default_factory=dict)
