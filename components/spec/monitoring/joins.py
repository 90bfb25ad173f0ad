"""How series of different exporters find each other."""

from ..labels import GROUP_LABEL
from .promql import Queries, equal, label_name, one_of
from .rules import Scope

__all__ = [
    "END_OF_DRAIN",
    "GATED",
    "GROUPED",
    "GROUP_NODES",
    "INTERRUPTED",
    "JOB",
    "NODE",
    "PLACE",
    "alive",
    "drains_end",
    "every_group",
    "group_nodes",
    "label_matcher",
    "node_of_exporter",
    "node_of_kubelet",
    "on_nodes",
    "owned",
    "per_pod",
    "zero",
]

NODE = "node:eks_jobs_group:info"
JOB = "pod:eks_jobs_job:info"
PLACE = "pod:eks_jobs_place:info"
INTERRUPTED = "pod:eks_jobs_interrupted:info"
GATED = "pod:eks_jobs_gated:info"
GROUP_NODES = "group:eks_jobs_nodes:count"

END_OF_DRAIN = "EndOfDrain"
"""Reason of ours for a job that was deleted when the drain of its node had an end."""

GROUPED = "group, architecture"
"""Labels of everything that is told by group."""


def label_matcher(key: str, value: str | None) -> str:
    """Return a matcher for a Kubernetes label; None is every value."""
    name = label_name(key)
    return f'{name}!=""' if value is None else equal(name, value)


def group_nodes(queries: Queries, group: str) -> str:
    """Select the nodes of a group by their label."""
    return queries.raw("kube_node_labels", label_matcher(GROUP_LABEL, group))


def drains_end(scope: Scope) -> bool:
    """Tell whether a scaler deletes the jobs that are left at the end of a drain."""
    return scope.watched.scalers != ("cluster-autoscaler",)


def every_group(scope: Scope) -> tuple[str, ...]:
    """Return the names of all groups."""
    return tuple(one.name for one in scope.watched.groups)


def owned(queries: Queries, kinds: tuple[str, ...], *matchers: str) -> str:
    """Select pods by the kind of their controlling owner."""
    return queries.raw(
        "kube_pod_owner",
        one_of("owner_kind", kinds),
        equal("owner_is_controller", "true"),
        *matchers,
    )


def on_nodes(queries: Queries, by_node: str, *matchers: str) -> str:
    """Give series with a label `node` their group; others than job nodes go."""
    node = queries.recorded(NODE, *matchers)
    return f"{by_node}\n* on (node) group_left ({GROUPED}) {node}"


def node_of_kubelet(queries: Queries, by_instance: str) -> str:
    """Give series of the kubelet their node and group, however they are scraped."""
    named = f"max by (instance, node) ({queries.raw('kubelet_node_name')})"
    joined = f"{by_instance}\n* on (instance) group_left (node) {named}"
    return on_nodes(queries, joined)


def node_of_exporter(queries: Queries, by_instance: str, group: str) -> str:
    """Give series of node_exporter their node and group, however they are scraped."""
    named = (
        f"max by (instance, nodename) ({queries.raw('node_uname_info')})",
        '"node", "$1", "nodename", "(.+)"',
    )
    joined = (
        f"{by_instance}\n* on (instance) group_left (node) "
        f"label_replace({', '.join(named)})"
    )
    return on_nodes(queries, joined, equal("group", group))


def per_pod(queries: Queries, name: str, how: str = "max") -> str:
    """Reduce a metric of pods to one value for each."""
    return f"{how} by (uid) ({queries.raw(name)})"


def alive(queries: Queries, *phases: str) -> str:
    """Select pods that are in one of some phases."""
    phase = queries.raw("kube_pod_status_phase", one_of("phase", phases))
    return f"({phase} == 1)"


def zero(queries: Queries) -> str:
    """Return a zero for each group, whether it has nodes or not."""
    return f"0 * max by ({GROUPED}) ({queries.recorded(GROUP_NODES)})"
