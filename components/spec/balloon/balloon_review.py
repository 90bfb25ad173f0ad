"""What balloons cost, and where they work less well than they look."""

from collections.abc import Iterator, Sequence

from ..group_review import Notice
from ..groups import JobGroup
from ..instance_types import InstanceTypes
from ..policy.settings import JobPolicySettings
from ..scaler.cluster_autoscaler import ClusterAutoscaler
from ..scaler.duration import NEVER, seconds
from ..scaler.karpenter import Karpenter
from ..scaler.settings import Scaler
from .capacity import (
    nodes_needed,
    rooms,
    tight_types,
)
from .keda import KEDA_TESTED, KEDA_TOLERANCE, Keda, scheduled
from .keda_trigger import heeds_tolerance
from .plan import protects, small_steps
from .quantities import mebibytes, millicores
from .scaler_settings import (
    GATES,
    always_up,
    balloon_policy,
)
from .schedule_review import schedule_notices, step_notices
from .settings import (
    PRIORITY,
    AnyBalloon,
    BufferBalloon,
    PodBalloon,
    WarmPoolBalloon,
)
from .static_pool import static_nodes

__all__ = ["balloon_notices"]

_QUICK = 300
_NAMES = {
    "karpenter": "Karpenter",
    "cluster-autoscaler": "Cluster Autoscaler",
    "auto-mode": "EKS Auto Mode",
}


def balloon_notices(
    balloons: Sequence[AnyBalloon],
    *,
    jobs: Sequence[JobGroup],
    scaler: Scaler,
    cluster_version: str,
    instance_types: InstanceTypes,
    policy: JobPolicySettings | None,
    keda: Keda = Keda(),
    zones: int | None = None,
) -> tuple[Notice, ...]:
    """
    List what is worth knowing about balloons that `validate_balloons` lets pass.

    Args:
        balloons: The balloons, in the order of the stack file.
        jobs: Job groups.
        scaler: What makes nodes of jobs, as the user set it.
        cluster_version: Version of Kubernetes, `1.36`.
        instance_types: Facts about the types of the groups.
        policy: What happens to job pods, None for nothing.
        keda: How KEDA gets into the cluster.
        zones: How many zones the cluster spans, None when that is not known.
    """
    groups = {group.name: group for group in jobs}
    return (
        *(
            notice
            for place, balloon in enumerate(balloons)
            for notice in _balloon(
                f"balloons[{place}]",
                balloon,
                groups[balloon.group],
                scaler,
                cluster_version,
                instance_types,
                zones,
            )
        ),
        *(
            notice
            for group in jobs
            for notice in (
                *_full_group(balloons, group, scaler, instance_types),
                *_consolidation(balloons, group, scaler, protected=protects(policy)),
            )
        ),
        *_keda(keda, balloons, cluster_version),
    )


def _balloon(
    path: str,
    balloon: AnyBalloon,
    group: JobGroup,
    scaler: Scaler,
    cluster_version: str,
    instance_types: InstanceTypes,
    zones: int | None,
) -> Iterator[Notice]:
    if isinstance(balloon, PodBalloon | BufferBalloon):
        yield from _fit(path, balloon, group, scaler, instance_types)
    if isinstance(balloon, PodBalloon):
        yield from _small(path, balloon)
        yield from _priority(path, balloon, scaler)
        if balloon.schedule is not None:
            where = (f"{path}.schedule", balloon.schedule, balloon.replicas)
            yield from schedule_notices(*where)
            if not heeds_tolerance(cluster_version):
                yield from step_notices(*where)
    if isinstance(balloon, WarmPoolBalloon):
        yield from _warm_pool(path, balloon, zones)
    yield from _alpha(path, balloon, scaler)


def _fit(
    path: str,
    balloon: PodBalloon | BufferBalloon,
    group: JobGroup,
    scaler: Scaler,
    instance_types: InstanceTypes,
) -> Iterator[Notice]:
    unknown = [
        name for name in group.instance_types if instance_types.find(name) is None
    ]
    if unknown:
        yield Notice(
            path=path,
            text=f"whether it fits on {', '.join(unknown)} of {group.name} is not "
            "checked: the key instance_types of the stack can describe them",
        )
    tight = tight_types(balloon, group, scaler, instance_types)
    if tight:
        yield Notice(
            path=f"{path}.memory",
            text=f"{balloon.memory} may not fit on {tight[0].name}, of which firmware "
            f"and kernel may leave {tight[0].memory_mib}Mi: Cluster Autoscaler then "
            "starts nodes on which it never runs",
        )


def _small(path: str, balloon: PodBalloon) -> Iterator[Notice]:
    """Compare with a typical job, when the user told one."""
    job = balloon.typical_job
    if job is None:
        return
    short = [
        f"{name}={have} is below {wanted}"
        for name, have, wanted, smaller in (
            (
                "cpu",
                balloon.cpu,
                job.cpu,
                millicores(balloon.cpu) < millicores(job.cpu),
            ),
            (
                "memory",
                balloon.memory,
                job.memory,
                mebibytes(balloon.memory) < mebibytes(job.memory),
            ),
        )
        if smaller
    ]
    if short:
        yield Notice(
            path=path,
            text=f"{' and '.join(short)} of a typical job: a job pushes out several "
            "balloons of one node, or finds no node where they are enough",
        )


def _priority(path: str, balloon: PodBalloon, scaler: Scaler) -> Iterator[Notice]:
    if balloon.priority >= PRIORITY:
        return
    if isinstance(scaler, ClusterAutoscaler):
        text = (
            f"{balloon.priority} lowers expendable-pods-priority-cutoff to it for the "
            "whole cluster: other pods down to there get nodes too, and keep them"
        )
    else:
        text = (
            f"{balloon.priority} is below {PRIORITY}: with Cluster Autoscaler such "
            "pods get no node unless its cut-off is lowered"
        )
    yield Notice(path=f"{path}.priority", text=text, severity="info")


def _warm_pool(
    path: str, balloon: WarmPoolBalloon, zones: int | None
) -> Iterator[Notice]:
    each = balloon.warm_pool.most_prepared
    every = f", {each * zones} in all" if zones is not None else ""
    cost = "volumes" if balloon.state == "STOPPED" else "instances"
    yield Notice(
        path=path,
        text=f"up to {each} instances wait in each zone{every}: their {cost} are paid "
        "for",
        severity="info",
    )


def _alpha(path: str, balloon: AnyBalloon, scaler: Scaler) -> Iterator[Notice]:
    if balloon.kind not in GATES:
        return
    gate = GATES[balloon.kind]
    if isinstance(scaler, Karpenter):
        does = (
            f"the library turns feature_gates[{gate}] on"
            if scaler.install
            else f"turn settings.featureGates.{gate} on in the Karpenter you run"
        )
        yield Notice(path=f"{path}.kind", text=f"alpha in Karpenter: {does}")
    elif isinstance(scaler, ClusterAutoscaler) and not scaler.install:
        yield Notice(
            path=f"{path}.kind",
            text="the Cluster Autoscaler you run needs "
            "--capacity-buffer-controller-enabled, "
            "--capacity-buffer-pod-injection-enabled, "
            "--kube-api-content-type=application/json, rights on capacitybuffers and "
            "podtemplates, and the CRD CapacityBuffer",
        )


def _full_group(
    balloons: Sequence[AnyBalloon],
    group: JobGroup,
    scaler: Scaler,
    instance_types: InstanceTypes,
) -> Iterator[Notice]:
    """Tell when no node would be left on which a balloon can come back."""
    known = rooms(group, scaler, instance_types)
    own = [
        one
        for one in balloons
        if isinstance(one, PodBalloon | BufferBalloon) and one.group == group.name
    ]
    nodes = sum(nodes_needed(one, known) or 0 for one in own)
    most = group.size.max - static_nodes(balloons, group.name)
    if own and nodes >= most:
        yield Notice(
            path="balloons",
            text=f"those of {group.name} need {nodes} nodes at their largest, and its "
            f"size.max leaves {most}: jobs push them out, and no node comes for them "
            "to come back on",
        )


def _consolidation(
    balloons: Sequence[AnyBalloon], group: JobGroup, scaler: Scaler, *, protected: bool
) -> Iterator[Notice]:
    pods = [
        one
        for one in balloons
        if isinstance(one, PodBalloon) and one.group == group.name
    ]
    if not pods:
        return
    chosen = balloon_policy(scaler, balloons, group.name, protected=protected)
    path = f"scaler.pools[{group.name}]"
    if chosen is not None:
        yield Notice(
            path=f"{path}.consolidation_policy",
            text=f"{chosen}, because of balloons that are always up: under WhenEmpty "
            "each that a burst leaves alone on a node keeps the node. It moves pods "
            "that the job policy does not protect, as those from before it; name the "
            "pool to decide yourself",
        )
    elif isinstance(scaler, ClusterAutoscaler):
        yield from _pinned("scaler", balloons, group, "Cluster Autoscaler moves none")
    elif scaler.rules(group.name).consolidation_policy == "WhenEmpty":
        way_out = (
            "choose Balanced or WhenEmptyOrUnderutilized"
            if protected
            else "give the stack a job policy that leaves no namespace out, or the "
            "balloons a schedule"
        )
        yield from _pinned(f"{path}.consolidation_policy", balloons, group, way_out)
    else:
        yield from _moved(path, scaler, group, protected=protected)


def _pinned(
    path: str, balloons: Sequence[AnyBalloon], group: JobGroup, what: str
) -> Iterator[Notice]:
    count = always_up(balloons, group.name)
    if count:
        yield Notice(
            path=path,
            text=f"a burst may leave each of the {count} balloons of {group.name} "
            f"that are always up alone on a node, which then stays: {what}",
        )


def _moved(
    path: str, scaler: Scaler, group: JobGroup, *, protected: bool
) -> Iterator[Notice]:
    """Name what makes nodes come and go for balloons, and what that costs jobs."""
    if isinstance(scaler, ClusterAutoscaler):
        return
    rules = scaler.rules(group.name)
    policy, after = rules.consolidation_policy, rules.consolidate_after
    if not protected:
        yield Notice(
            path=f"{path}.consolidation_policy",
            text=f"{policy} with balloons: jobs that no job policy protects are ended "
            "to put balloons together",
        )
    if after != NEVER and seconds(after) < _QUICK:
        yield Notice(
            path=f"{path}.consolidate_after",
            text=f"{after} with {policy} and balloons: a node that comes for a balloon "
            f"may go as soon as it fits elsewhere, and come back with the next job; "
            "5m or more lets it stay",
        )


def _keda(
    keda: Keda, balloons: Sequence[AnyBalloon], cluster_version: str
) -> Iterator[Notice]:
    if not keda.install:
        yield from _own_keda(balloons, cluster_version)
    if not keda.install or not scheduled(balloons):
        return
    oldest, newest = KEDA_TESTED.get(keda.version.rpartition(".")[0], ("", ""))
    minor = int(cluster_version.split(".")[1])
    tested = oldest and (
        int(oldest.split(".")[1]) <= minor <= int(newest.split(".")[1])
    )
    if not tested:
        known = f"{oldest} to {newest}" if oldest else "versions not known here"
        yield Notice(
            path="keda.version",
            text=f"{keda.version} is tested with Kubernetes {known}, the cluster has "
            f"{cluster_version}",
            severity="info",
        )


def _own_keda(balloons: Sequence[AnyBalloon], cluster_version: str) -> Iterator[Notice]:
    """Say which KEDA a schedule needs, where its version is not ours to choose."""
    major, minor, _ = KEDA_TOLERANCE
    for place in small_steps(balloons, cluster_version):
        yield Notice(
            path="keda.install",
            text=f"the KEDA of the cluster must be {major}.{minor} or newer for the "
            f"steps of a tenth or less of balloons[{place}].schedule",
            severity="info",
        )
