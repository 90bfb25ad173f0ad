"""What is watched: the facts of a stack that rules are written from."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..architecture import Architecture
from ..group_review import ScalerKind
from ..groups import JobGroup
from ..policy.matchers import Label, Owner, handles
from ..policy.settings import JobPolicySettings
from ..scaler.auto_mode import AutoMode
from ..scaler.cluster_autoscaler import ClusterAutoscaler
from ..scaler.duration import NEVER, seconds
from ..scaler.karpenter import Karpenter
from ..scaler.lifetime import Lifetime, auto_lifetime, lifetime
from ..scaler.settings import Scaler

__all__ = ["JobPods", "Watched", "WatchedGroup", "watched"]


@dataclass(frozen=True, kw_only=True, slots=True)
class WatchedGroup:
    """
    A job group, as far as rules must know it.

    Args:
        name: Its name, the value of the label `eks-jobs/group` of its nodes.
        architecture: amd64 or arm64.
        max_nodes: `size.max`.
        fixed: Whether `size.min` is the same: then it is always at its limit.
        iops: Provisioned IOPS of the root volume.
        throughput_mib: Its throughput, MiB/s.
        longest_life_seconds: Age at which its nodes must be gone, drain included,
            as far as the drain has an end. None: they have no age limit.
    """

    name: str
    architecture: Architecture
    max_nodes: int
    fixed: bool
    iops: int
    throughput_mib: int
    longest_life_seconds: int | None

    @property
    def labels(self) -> dict[str, str]:
        """Labels of figures that are told by group."""
        return {"group": self.name, "architecture": self.architecture}


@dataclass(frozen=True, kw_only=True, slots=True)
class JobPods:
    """
    How pods of jobs are told from others.

    Args:
        label: Key and value of the label that the job policy adds; None without a
            policy.
        owners: Kinds of controlling owners whose pods are jobs.
        labels: Key and value of labels that make a pod a job; None is every value.
        left_out: Namespaces that the policy leaves alone.
    """

    label: tuple[str, str] | None
    owners: tuple[str, ...]
    labels: tuple[tuple[str, str | None], ...]
    left_out: tuple[str, ...]

    @property
    def label_keys(self) -> tuple[str, ...]:
        """Keys of pod labels that kube-state-metrics must be told to show."""
        own = () if self.label is None else (self.label[0],)
        return tuple(dict.fromkeys((*own, *(key for key, _ in self.labels))))


@dataclass(frozen=True, kw_only=True, slots=True)
class Watched:
    """
    A cluster and its jobs.

    Args:
        cluster: Name of the cluster.
        groups: Its job groups.
        scalers: What scales them; the one on its way out last.
        pods: Which pods are jobs.
        balloon_classes: Names of the PriorityClasses of balloons.
        static_pools: Name and group of each NodePool of a fixed size, which stands
            beside that of its group.
    """

    cluster: str
    groups: tuple[WatchedGroup, ...]
    scalers: tuple[ScalerKind, ...]
    pods: JobPods
    balloon_classes: tuple[str, ...] = ()
    static_pools: tuple[tuple[str, str], ...] = ()


def watched(
    cluster: str,
    jobs: Sequence[JobGroup],
    scalers: Sequence[Scaler],
    policy: JobPolicySettings | None,
    balloon_classes: Sequence[str] = (),
    static_pools: Sequence[tuple[str, str]] = (),
) -> Watched:
    """
    Collect what rules are written from.

    Args:
        cluster: Name of the cluster.
        jobs: Its job groups.
        scalers: The scaler in use, then the one on its way out.
        policy: The job policy. Without one, jobs are told by what the default
            policy would match.
        balloon_classes: Names of the PriorityClasses of balloons.
        static_pools: Name and group of each NodePool of a fixed size.
    """
    return Watched(
        cluster=cluster,
        groups=tuple(_group(group, scalers) for group in jobs),
        scalers=tuple(one.kind for one in scalers),
        pods=_pods(policy),
        balloon_classes=tuple(dict.fromkeys(balloon_classes)),
        static_pools=tuple(static_pools),
    )


def _group(group: JobGroup, scalers: Sequence[Scaler]) -> WatchedGroup:
    lives = [_longest_life(group, one) for one in scalers]
    ends = [one for one in lives if one is not None]
    return WatchedGroup(
        name=group.name,
        architecture=group.architecture,
        max_nodes=group.size.max,
        fixed=group.size.min == group.size.max,
        iops=group.volume.iops,
        throughput_mib=group.volume.throughput_mib,
        # Nodes of a scaler without an age limit would be reported for ever.
        longest_life_seconds=max(ends) if ends and len(ends) == len(lives) else None,
    )


def _longest_life(group: JobGroup, scaler: Scaler) -> int | None:
    if isinstance(scaler, ClusterAutoscaler):
        return None
    life = _life(group, scaler)
    if life.expire_after == NEVER:
        return None
    grace = life.termination_grace_period
    return seconds(life.expire_after) + (0 if grace is None else seconds(grace))


def _life(group: JobGroup, scaler: Karpenter | AutoMode) -> Lifetime:
    rules = scaler.rules(group.name)
    if isinstance(scaler, AutoMode):
        return auto_lifetime(rules, group.longest_job)
    return lifetime(rules, group.longest_job)


def _pods(policy: JobPolicySettings | None) -> JobPods:
    settings = JobPolicySettings() if policy is None else policy
    found = handles(settings.matchers)
    owners = [one.kind for one in found if isinstance(one, Owner)]
    return JobPods(
        label=None if policy is None else (policy.label.key, policy.label.value),
        owners=tuple(dict.fromkeys(owners)),
        labels=tuple((one.key, one.value) for one in found if isinstance(one, Label)),
        left_out=settings.left_out,
    )
