"""Which kind of balloon which scaler can make, and what to use in its place."""

from collections.abc import Iterator

from ..groups import JobGroup
from ..scaler.auto_mode import AutoMode
from ..scaler.autoscaler_groups import zone_sizes
from ..scaler.cluster_autoscaler import ClusterAutoscaler
from ..scaler.karpenter import Karpenter
from ..scaler.settings import Scaler, controller_version
from ..scaler.versions import parsed
from .scaler_settings import GATES
from .settings import (
    PRIORITY,
    AnyBalloon,
    BufferBalloon,
    PodBalloon,
    StaticBalloon,
    WarmPoolBalloon,
)

__all__ = ["kind_problems"]

_SINCE = {"capacity-buffer": (1, 14), "static": (1, 8)}
_AUTOSCALER_BUFFERS_SINCE = (1, 35)


def kind_problems(
    balloon: AnyBalloon,
    group: JobGroup,
    scaler: Scaler,
    *,
    cluster_version: str,
    zones: int | None = None,
) -> Iterator[str]:
    """
    List why a scaler cannot make a balloon of this kind.

    Args:
        balloon: The balloon.
        group: Its job group.
        scaler: What makes nodes.
        cluster_version: Version of Kubernetes, `1.36`.
        zones: How many zones the cluster spans, None when that is not known.

    Sources:
        Karpenter 1.15, feature gates. Cluster Autoscaler 1.35, CapacityBuffer. EKS
        user guide: warm pools of managed node groups, Auto Mode static capacity.
    """
    if isinstance(balloon, PodBalloon):
        yield from _priority(balloon, scaler)
    elif isinstance(balloon, WarmPoolBalloon):
        yield from _warm_pool(balloon, group, scaler, zones)
    elif isinstance(scaler, Karpenter):
        yield from _gate(balloon, scaler)
    elif isinstance(scaler, ClusterAutoscaler):
        yield from (
            _buffer(balloon, scaler, cluster_version)
            if isinstance(balloon, BufferBalloon)
            else _static()
        )
    elif isinstance(balloon, BufferBalloon):
        yield (
            "kind must be pods, or static for whole nodes, with EKS Auto Mode, which "
            "has no capacity buffers, got kind=capacity-buffer"
        )
    if isinstance(balloon, StaticBalloon) and isinstance(scaler, Karpenter | AutoMode):
        yield from _room_beside(balloon, group)


def _priority(balloon: PodBalloon, scaler: Scaler) -> Iterator[str]:
    if (
        isinstance(scaler, ClusterAutoscaler)
        and not scaler.install
        and balloon.priority < PRIORITY
    ):
        yield (
            f"priority must be at least {PRIORITY} with a Cluster Autoscaler that is "
            "not installed here: it gives no node to pods below its "
            "expendable-pods-priority-cutoff, which the library then cannot lower, "
            f"got priority={balloon.priority}"
        )


def _warm_pool(
    balloon: WarmPoolBalloon, group: JobGroup, scaler: Scaler, zones: int | None
) -> Iterator[str]:
    if not isinstance(scaler, ClusterAutoscaler):
        also = "" if isinstance(scaler, AutoMode) else ", capacity-buffer"
        yield (
            f"kind must be pods{also} or static with scaler kind {scaler.kind}, whose "
            "nodes are in no Auto Scaling group, got kind=warm-pool"
        )
        return
    if scaler.groups != "managed":
        yield (
            "kind warm-pool needs scaler.groups: managed, "
            f"got groups={scaler.groups}: use kind pods"
        )
    if scaler.warm_pool is not None:
        yield (
            "kind warm-pool and scaler.warm_pool exclude each other, since the latter "
            "is for every group: keep one"
        )
    if group.ami_id is not None:
        yield (
            "kind must be pods for a group with an image of its own, for which EKS has "
            f"no warm pools, got kind=warm-pool, {group.name}.ami_id={group.ami_id}"
        )
    if zones is not None and group.size.max >= zones:
        least = min(one.max for one in zone_sizes(group.size, zones))
        asked = balloon.warm_pool.most_prepared
        if asked > least:
            yield (
                f"min_size and max_prepared must be at most {least}, which is what "
                f"size.max={group.size.max} of {group.name} leaves to each of {zones} "
                f"zones, got {asked}"
            )


def _gate(
    balloon: BufferBalloon | StaticBalloon, karpenter: Karpenter
) -> Iterator[str]:
    since, gate = _SINCE[balloon.kind], GATES[balloon.kind]
    if parsed(karpenter.version)[:2] < since:
        yield (
            f"kind {balloon.kind} needs Karpenter {since[0]}.{since[1]} or newer, got "
            f"scaler.version={karpenter.version}: use kind pods"
        )
    elif karpenter.feature_gates.get(gate) is False:
        yield (
            f"kind {balloon.kind} needs scaler.feature_gates[{gate}], got false: leave "
            "the gate out, or use kind pods"
        )


def _buffer(
    balloon: BufferBalloon, scaler: ClusterAutoscaler, cluster_version: str
) -> Iterator[str]:
    try:
        version = controller_version(scaler, cluster_version)
    except ValueError:
        # The scaler is refused for this already.
        return
    since = _AUTOSCALER_BUFFERS_SINCE
    if version is None or parsed(version)[:2] < since:
        yield (
            f"kind {balloon.kind} needs Cluster Autoscaler {since[0]}.{since[1]} or "
            f"newer, got scaler.version={version or 'none, which is unknown'}: use "
            "kind pods"
        )


def _static() -> Iterator[str]:
    yield (
        "kind must be pods, or size.min of the group above 0 for whole nodes, with "
        "Cluster Autoscaler, which has no static pools, got kind=static"
    )


def _room_beside(balloon: StaticBalloon, group: JobGroup) -> Iterator[str]:
    if balloon.nodes >= group.size.max:
        yield (
            f"nodes must be below size.max={group.size.max} of {group.name}, of which "
            f"they are a part, got nodes={balloon.nodes}"
        )
