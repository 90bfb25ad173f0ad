"""Figures of nodes: how many, how full, how old, how busy their volume."""

from collections.abc import Iterator

from .joins import (
    GROUP_NODES,
    GROUPED,
    NODE,
    PLACE,
    alive,
    group_nodes,
    node_of_exporter,
    on_nodes,
    per_pod,
    zero,
)
from .promql import Queries, equal, one_of
from .rules import Recording, Scope
from .watched import WatchedGroup

__all__ = ["node_records", "packing_records", "volume_records"]

_MIB = 1_048_576


def node_records(scope: Scope) -> Iterator[Recording]:
    """Return which node is in which group, and how many there are."""
    queries = scope.queries
    for group in scope.watched.groups:
        yield from _group_records(queries, group)
    count = queries.recorded(GROUP_NODES)
    yield Recording(
        name="group:eks_jobs_nodes:avg1d",
        expr=f"avg_over_time({count}[1d])",
        meaning="Nodes of the group, average of a day",
        unit="short",
    )
    created = f"max by (node) ({queries.raw('kube_node_created')})"
    yield Recording(
        name="node:eks_jobs_node_age_seconds:max",
        expr=on_nodes(queries, f"(time() - {created})"),
        meaning="Age of the node",
        unit="s",
    )


def _group_records(queries: Queries, group: WatchedGroup) -> Iterator[Recording]:
    labels = group.labels
    mine = equal("group", group.name)
    yield Recording(
        name=NODE,
        expr=f"max by (node) ({group_nodes(queries, group.name)})",
        meaning="1 for each node of the group",
        unit="short",
        labels=labels,
    )
    yield Recording(
        name=GROUP_NODES,
        expr=f"count({queries.recorded(NODE, mine)}) or vector(0)",
        meaning="Nodes of the group; 0 when it has none",
        unit="short",
        labels=labels,
    )
    yield Recording(
        name="group:eks_jobs_limit:ratio",
        expr=f"{queries.recorded(GROUP_NODES, mine)} / {group.max_nodes}",
        meaning="Nodes of the group as a share of size.max in the stack file",
        unit="percentunit",
        labels=labels,
    )


def packing_records(scope: Scope) -> Iterator[Recording]:
    """Return how well nodes are used, and which are kept by little."""
    queries = scope.queries
    place, kept = queries.recorded(PLACE), "node:eks_jobs_pods:count"
    here = alive(queries, "Pending", "Running")
    yield Recording(
        name=kept,
        expr=f"count by (node, {GROUPED}) ({place} and on (uid) {here})",
        meaning="Job pods on the node that have not ended",
        unit="short",
    )
    yield Recording(
        name="group:eks_jobs_nodes_with_one_pod:count",
        expr=f"count by ({GROUPED}) ({queries.recorded(kept)} == 1)\n"
        f"or {zero(queries)}",
        meaning="Nodes of the group that one job pod keeps",
        unit="short",
    )
    yield Recording(
        name="node:eks_jobs_oldest_pod_seconds:max",
        expr=f"max by (node, {GROUPED}) (\n"
        f"{place} * on (uid) group_left () "
        f"(time() - {per_pod(queries, 'kube_pod_start_time')})\n"
        f"and on (uid) {alive(queries, 'Running')}\n)",
        meaning="How long the oldest job pod of the node runs",
        unit="s",
    )
    yield from _ratios(queries, kept, here)


def _ratios(queries: Queries, kept: str, here: str) -> Iterator[Recording]:
    node = f"({queries.recorded(NODE)} and on (node) {queries.recorded(kept)})"
    grouped = f"on (node) group_left ({GROUPED}) {node}"
    requests = queries.raw(
        "kube_pod_container_resource_requests", one_of("resource", ("cpu", "memory"))
    )
    offered = _offered(queries, grouped, one_of("resource", ("cpu", "memory")))
    yield Recording(
        name="group:eks_jobs_packing:ratio",
        expr=f"(\nsum by ({GROUPED}, resource) (\n"
        f"({requests} and on (uid) {here})\n* {grouped}\n)\n"
        f"or 0 * {offered}\n)\n/ {offered}",
        meaning="Requested share of what the nodes offer that hold a job pod",
        unit="percentunit",
    )
    pods = queries.raw("kube_pod_info", 'node!=""')
    offered = _offered(queries, grouped, equal("resource", "pods"))
    yield Recording(
        name="group:eks_jobs_packing:ratio",
        expr=f"sum by ({GROUPED}) (\n"
        f"count by (node) ({pods} and on (uid) {here})\n* {grouped}\n)\n"
        f"/ on ({GROUPED}) sum without (resource) ({offered})",
        meaning="Share of the pods that the nodes take that hold a job pod",
        unit="percentunit",
        labels={"resource": "pods"},
    )


def _offered(queries: Queries, grouped: str, resource: str) -> str:
    """Return what non-empty nodes offer, where that is not nothing."""
    allocatable = queries.raw("kube_node_status_allocatable", resource)
    return (
        f"(sum by ({GROUPED}, resource) (\n"
        f"max by (node, resource) ({allocatable})\n* {grouped}\n) > 0)"
    )


def volume_records(scope: Scope) -> Iterator[Recording]:
    """Return how much of its root volume each node uses."""
    device = equal("device", scope.settings.volume_device)
    for group in scope.watched.groups:
        yield _volume(
            scope.queries,
            group,
            "node:eks_jobs_volume_iops:ratio",
            ("node_disk_reads_completed_total", "node_disk_writes_completed_total"),
            device,
            group.iops,
            "Reads and writes of the root volume as a share of volume.iops",
        )
        yield _volume(
            scope.queries,
            group,
            "node:eks_jobs_volume_throughput:ratio",
            ("node_disk_read_bytes_total", "node_disk_written_bytes_total"),
            device,
            group.throughput_mib * _MIB,
            "Bytes of the root volume as a share of volume.throughput_mib",
        )


def _volume(
    queries: Queries,
    group: WatchedGroup,
    name: str,
    pair: tuple[str, str],
    device: str,
    limit: int,
    meaning: str,
) -> Recording:
    first, second = (f"rate({queries.raw(one, device)}[5m])" for one in pair)
    busy = node_of_exporter(queries, f"({first} + {second})", group.name)
    return Recording(
        name=name,
        expr=f"sum by (node, {GROUPED}) (\n{busy}\n) / {limit}",
        meaning=meaning,
        unit="percentunit",
        labels=group.labels,
    )
