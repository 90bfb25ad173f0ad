"""Figures that scalers tell; EKS Auto Mode tells none."""

from collections.abc import Iterator

from .joins import GROUP_NODES, GROUPED, every_group
from .promql import Queries, one_of
from .rules import Recording, Scope

__all__ = ["SCALE_UPS_FAILED", "scaler_records"]

SCALE_UPS_FAILED = "cluster:eks_jobs_scale_ups_failed:increase1h"
_UNSCHEDULABLE = "cluster:eks_jobs_scaler_unschedulable_pods:max"


def scaler_records(scope: Scope) -> Iterator[Recording]:
    """Return what the scalers of this cluster can tell."""
    if "karpenter" in scope.watched.scalers:
        yield from _karpenter(scope)
    if "cluster-autoscaler" in scope.watched.scalers:
        yield from _cluster_autoscaler(scope)
    names = [
        name
        for kind, name in (
            ("karpenter", "karpenter_scheduler_unschedulable_pods_count"),
            ("cluster-autoscaler", "cluster_autoscaler_unschedulable_pods_count"),
        )
        if kind in scope.watched.scalers
    ]
    if names:
        yield Recording(
            name=_UNSCHEDULABLE,
            expr=f"max({' or '.join(map(scope.queries.raw, names))})",
            meaning="Pods for which the scaler sees no way to a node",
            unit="short",
        )


def _karpenter(scope: Scope) -> Iterator[Recording]:
    queries = scope.queries
    pools = one_of("nodepool", every_group(scope))
    used = queries.raw("karpenter_nodepools_usage", pools)
    limit = queries.raw("karpenter_nodepools_limit", pools)
    by = "max by (nodepool, resource_type)"
    yield Recording(
        name="group:eks_jobs_nodepool_limit:ratio",
        expr=_by_group(queries, _named(f"{by} ({used}) / ({by} ({limit}) > 0)")),
        meaning="Use of the NodePool as a share of its limits, by resource_type",
        unit="percentunit",
    )
    static = scope.watched.static_pools
    every = one_of("nodepool", (*every_group(scope), *(name for name, _ in static)))
    disrupted = queries.grown("karpenter_nodeclaims_disrupted_total", "1h", every)
    gone = _named(f"sum by (nodepool, reason) ({disrupted})")
    for name, group in static:
        gone = _named(gone, group, name.replace(".", "[.]"))
    yield Recording(
        name="group:eks_jobs_nodes_disrupted:increase1h",
        expr=_by_group(queries, gone),
        meaning="Nodes that Karpenter gave up in an hour, by reason",
        unit="short",
    )


def _named(expression: str, group: str = "$1", pool: str = "(.+)") -> str:
    """Name the group of a pool: they are called the same, but for static pools."""
    return f'label_replace(\n{expression},\n"group", "{group}", "nodepool", "{pool}"\n)'


def _by_group(queries: Queries, named: str) -> str:
    """Add up the pools of each group."""
    one = f"(0 * max by ({GROUPED}) ({queries.recorded(GROUP_NODES)}) + 1)"
    return (
        f"sum without (nodepool) ({named})\n"
        f"* on (group) group_left (architecture) {one}"
    )


def _cluster_autoscaler(scope: Scope) -> Iterator[Recording]:
    queries = scope.queries
    evicted = queries.raw(
        "cluster_autoscaler_evicted_pods_total", 'eviction_result!="failed"'
    )
    yield Recording(
        name="cluster:eks_jobs_scaler_evictions:increase1h",
        expr=f"sum(increase({evicted}[1h]))",
        meaning="Pods that Cluster Autoscaler evicted in an hour, servers included",
        unit="short",
    )
    failed = queries.grown("cluster_autoscaler_failed_scale_ups_total", "1h")
    yield Recording(
        name=SCALE_UPS_FAILED,
        expr=f"sum by (reason) ({failed})",
        meaning="Times that Cluster Autoscaler got no node in an hour",
        unit="short",
    )
