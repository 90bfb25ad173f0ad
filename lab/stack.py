"""What the lab takes from a stack file: groups, scaler, policy, scoring."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from components.spec.balloon.settings import PodBalloon
from components.spec.groups import JobGroup
from components.spec.instance_types import InstanceTypes
from components.spec.policy.settings import JobPolicySettings
from components.spec.problems import refuse
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.pool import PoolRules
from components.spec.scheduler import SchedulerScoring
from infra import settings
from lab.balloons import replayable

__all__ = ["Stack", "read_stack"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Stack:
    """
    A stack file, as far as it bears on jobs.

    Args:
        name: Of the stack.
        jobs: Its job groups, one at least.
        karpenter: What scales them here.
        policy: What happens to job pods.
        scoring: Scoring of the scheduler that the file asks for, None for none.
        instance_types: Facts about the types of the groups.
        balloons: What waits for jobs in scenarios with balloons, always up; none
            leaves it to the lab.
        notes: Where the lab differs from the file.

    Raises:
        ValueError: There is no job group.
    """

    name: str
    jobs: tuple[JobGroup, ...]
    karpenter: Karpenter = Karpenter()
    policy: JobPolicySettings = JobPolicySettings()
    scoring: SchedulerScoring | None = None
    instance_types: InstanceTypes = field(default_factory=InstanceTypes.bundled)
    balloons: tuple[PodBalloon, ...] = ()
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        refuse([] if self.jobs else ["jobs must have one group at least, got none"])


def read_stack(root: Path, name: str) -> Stack:
    """
    Read the file of a stack below *root*.

    Raises:
        pulumi.RunError: The file is missing or wrong: a line for each problem.
    """
    read = settings.load_file(root, name)
    karpenter, notes = _karpenter(read.scaler)
    balloons, without = replayable(read.balloons)
    notes += without
    jobs = tuple(map(_without_agents, read.jobs))
    if jobs != read.jobs:
        notes += ("Taints that agents take away are left out: no agent runs here.",)
    if read.policy is None:
        notes += ("The stack has no job policy: that of the library is used.",)
    return Stack(
        name=name,
        jobs=jobs,
        karpenter=karpenter,
        policy=read.policy or JobPolicySettings(),
        scoring=read.cluster.scheduler,
        instance_types=InstanceTypes.bundled().including(read.instance_types),
        balloons=balloons,
        notes=notes,
    )


def _without_agents(group: JobGroup) -> JobGroup:
    lasting = tuple(taint for taint in group.taints if not taint.startup)
    return replace(group, taints=lasting)


def _karpenter(scaler: object) -> tuple[Karpenter, tuple[str, ...]]:
    if isinstance(scaler, Karpenter):
        return scaler, ()
    pools: Mapping[str, PoolRules] = {}
    if isinstance(scaler, AutoMode):
        pools = scaler.pools
    note = f"The stack scales by {_kind(scaler)}: the lab has Karpenter instead."
    return Karpenter(pools=pools), (note,)


def _kind(scaler: object) -> str:
    return str(getattr(scaler, "kind", type(scaler).__name__))
