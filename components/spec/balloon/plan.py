"""All balloons of a cluster, and what only they together with the rest can show."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..groups import JobGroup, ServerGroup
from ..instance_types import InstanceTypes
from ..policy.matchers import Label, handles
from ..policy.protection import DO_NOT_DISRUPT
from ..policy.settings import JobPolicySettings
from ..problems import refuse
from ..scaler.karpenter import Karpenter
from ..scaler.settings import Scaler
from ..scaler.versions import parsed
from .capacity import fit_problems
from .keda import KEDA_TOLERANCE, Keda, scheduled
from .keda_trigger import needs_tolerance
from .kinds import kind_problems
from .pods import pod_labels
from .scaler_settings import with_balloons
from .settings import (
    NAMESPACE,
    AnyBalloon,
    BufferBalloon,
    PodBalloon,
    StaticBalloon,
    WarmPoolBalloon,
)
from .static_pool import beside_static, static_nodes

__all__ = [
    "beside_balloons",
    "needs_namespace",
    "protects",
    "small_steps",
    "validate_balloons",
]


def needs_namespace(balloons: Sequence[AnyBalloon]) -> bool:
    """Tell whether any balloon has objects in the namespace of balloons."""
    return any(isinstance(one, PodBalloon | BufferBalloon) for one in balloons)


def protects(policy: JobPolicySettings | None) -> bool:
    """
    Tell whether the job policy keeps jobs from being moved, and not for a time.

    It does not in namespaces that it leaves out, which may hold jobs as well.
    """
    return (
        policy is not None
        and not policy.exclude_namespaces
        and policy.protection.get(DO_NOT_DISRUPT) == "true"
    )


def small_steps(
    balloons: Sequence[AnyBalloon], cluster_version: str
) -> tuple[int, ...]:
    """Return the places of balloons whose schedules want a KEDA with a tolerance."""
    return tuple(
        place
        for place, one in enumerate(balloons)
        if isinstance(one, PodBalloon)
        and one.schedule is not None
        and needs_tolerance(one.schedule, one.replicas, cluster_version)
    )


def beside_balloons(
    scaler: Scaler,
    jobs: Sequence[JobGroup],
    balloons: Sequence[AnyBalloon],
    policy: JobPolicySettings | None,
) -> tuple[Scaler, tuple[JobGroup, ...]]:
    """
    Return scaler and job groups as they are set up when there are balloons.

    Args:
        scaler: The scaler in use, as the user set it.
        jobs: Job groups.
        balloons: Balloons that `validate_balloons` lets pass; none for a scaler on
            its way out.
        policy: What happens to job pods, None for nothing.
    """
    changed = with_balloons(scaler, balloons, protected=protects(policy))
    return changed, beside_static(jobs, balloons)


def validate_balloons(
    balloons: Sequence[AnyBalloon],
    *,
    jobs: Sequence[JobGroup],
    servers: Sequence[ServerGroup] = (),
    scaler: Scaler,
    retiring: Scaler | None = None,
    cluster_version: str,
    instance_types: InstanceTypes,
    policy: JobPolicySettings | None = None,
    keda: Keda = Keda(),
    zones: int | None = None,
) -> None:
    """
    Refuse balloons that would not fit, not work, or not be told from jobs.

    Args:
        balloons: The balloons, in the order of the stack file.
        jobs: Job groups.
        servers: Server groups.
        scaler: What makes nodes of jobs.
        retiring: Another one on its way out, None for nothing.
        cluster_version: Version of Kubernetes, `1.36`.
        instance_types: Facts about the types of the groups.
        policy: What happens to job pods, None for nothing.
        keda: How KEDA gets into the cluster.
        zones: How many zones the cluster spans, None when that is not known.

    Raises:
        ValueError: A line for each problem, with its path in the stack file.
    """
    groups = {group.name: group for group in jobs}
    problems = [
        f"balloons[{place}]: {line}"
        for place, balloon in enumerate(balloons)
        for line in (
            *_name_problems(balloon, balloons[:place], jobs, servers, scaler),
            *_group_problems(balloon, groups),
            *_policy_problems(balloon, policy),
            *_migration_problems(balloon, retiring),
            *_fit(
                balloon,
                groups.get(balloon.group),
                scaler,
                cluster_version,
                instance_types,
                zones,
            ),
        )
    ]
    problems += [
        *_static_problems(balloons, groups),
        *_keda(keda, balloons, cluster_version),
    ]
    refuse(problems)


def _fit(
    balloon: AnyBalloon,
    group: JobGroup | None,
    scaler: Scaler,
    cluster_version: str,
    instance_types: InstanceTypes,
    zones: int | None,
) -> Iterator[str]:
    if group is None:
        return
    yield from kind_problems(
        balloon, group, scaler, cluster_version=cluster_version, zones=zones
    )
    if isinstance(balloon, PodBalloon | BufferBalloon):
        yield from fit_problems(balloon, group, scaler, instance_types)


def _group_problems(
    balloon: AnyBalloon, groups: Mapping[str, JobGroup]
) -> Iterator[str]:
    if balloon.group not in groups:
        yield (
            f"group must be one of the job groups {', '.join(groups) or '(none)'}, "
            f"got group={balloon.group}"
        )


def _name_problems(
    balloon: AnyBalloon,
    before: Sequence[AnyBalloon],
    jobs: Sequence[JobGroup],
    servers: Sequence[ServerGroup],
    scaler: Scaler,
) -> Iterator[str]:
    name = balloon.object_name
    if name in [one.object_name for one in before]:
        yield (
            f"a warm pool must be the only one of its group, got group={balloon.group}"
            if isinstance(balloon, WarmPoolBalloon)
            else f"name must be used once, got name={name}"
        )
    if isinstance(balloon, StaticBalloon):
        more = scaler.server_pools if isinstance(scaler, Karpenter) else ()
        taken = [group.name for group in (*jobs, *servers, *more)]
        if name in (*taken, "general-purpose", "system"):
            yield f"name must not be that of a group or pool, got name={name}"


def _policy_problems(
    balloon: AnyBalloon, policy: JobPolicySettings | None
) -> Iterator[str]:
    """Say how the policy would take a balloon for a job, and never let it go."""
    if not isinstance(balloon, PodBalloon) or policy is None:
        return
    if policy.label.key in balloon.labels:
        yield (
            f"labels must leave out {policy.label.key}, the label of jobs: balloons "
            "with it would draw jobs and be counted as such"
        )
    labels = pod_labels(balloon)
    # No matcher by owner takes a ReplicaSet, so only labels can.
    for handle in () if NAMESPACE in policy.left_out else handles(policy.matchers):
        if (
            isinstance(handle, Label)
            and handle.key in labels
            and handle.value in (None, labels[handle.key])
        ):
            yield (
                f"labels must not be what the policy calls a job, got {handle.key}="
                f"{labels[handle.key]}: leave it out, or name {NAMESPACE} in "
                "policy.exclude_namespaces"
            )


def _migration_problems(balloon: AnyBalloon, retiring: Scaler | None) -> Iterator[str]:
    if isinstance(balloon, BufferBalloon) and retiring is not None:
        yield (
            "kind must not be capacity-buffer before retiring_scaler is gone: two "
            "scalers bring one definition of it, got "
            f"retiring_scaler.kind={retiring.kind}: use kind pods until then"
        )


def _static_problems(
    balloons: Sequence[AnyBalloon], groups: Mapping[str, JobGroup]
) -> Iterator[str]:
    """Add up the static pools of a group; each by itself is checked before."""
    counts = Counter(one.group for one in balloons if isinstance(one, StaticBalloon))
    for name, pools in counts.items():
        nodes = static_nodes(balloons, name)
        most = groups[name].size.max if name in groups else nodes + 1
        if pools > 1 and nodes >= most:
            yield (
                f"balloons: nodes of the static pools of {name} must be below its "
                f"size.max={most} together, got {nodes}"
            )


def _keda(
    keda: Keda, balloons: Sequence[AnyBalloon], cluster_version: str
) -> Iterator[str]:
    if keda != Keda() and not scheduled(balloons):
        yield "keda: needs a balloon with a schedule, got none"
    if not keda.install or parsed(keda.version) >= KEDA_TOLERANCE:
        return
    oldest = ".".join(map(str, KEDA_TOLERANCE))
    for place in small_steps(balloons, cluster_version):
        yield (
            f"keda.version must be {oldest} or newer for the steps of a tenth or less "
            f"of balloons[{place}].schedule, got keda.version={keda.version}"
        )
