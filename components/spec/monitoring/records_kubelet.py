"""Figures that kubelets tell of themselves: looks, starts, pulls, addresses."""

from collections.abc import Iterator

from ..scaler.duration import spelled
from .joins import GROUPED, PLACE, node_of_kubelet, on_nodes, zero
from .promql import Queries, equal, one_of
from .rules import Recording, Scope

__all__ = ["kubelet_records", "pull_records"]

_NODED = f"node, {GROUPED}"
_RELIST = "kubelet_pleg_relist_duration_seconds_bucket"
_PULL = "kubelet_image_pull_duration_seconds"
_PULL_FAILURES = ("ErrImagePull", "ImagePullBackOff")
_QUARTER = 900


def kubelet_records(scope: Scope) -> Iterator[Recording]:
    """Return how hard kubelets work."""
    queries = scope.queries
    relist = node_of_kubelet(queries, f"rate({queries.raw(_RELIST)}[5m])")
    for level, labels in (("node", _NODED), ("group", GROUPED)):
        yield Recording(
            name=f"{level}:eks_jobs_pleg_relist_seconds:p99",
            expr=_quantile(relist, labels),
            meaning=f"Time in which a kubelet looks at all containers, p99 of a {level}"
            "; it cannot be above 10 s",
            unit="s",
        )
    started = f"rate({queries.raw('kubelet_started_pods_total')}[5m])"
    yield Recording(
        name="node:eks_jobs_pods_started:rate5m",
        expr=f"60 * sum by ({_NODED}) (\n{node_of_kubelet(queries, started)}\n)",
        meaning="Pods that the node starts in a minute",
        unit="short",
    )
    busiest = queries.recorded("node:eks_jobs_pods_started:rate5m")
    yield Recording(
        name="group:eks_jobs_pods_started:max",
        expr=f"max by ({GROUPED}) ({busiest})\nor {zero(queries)}",
        meaning="Pods that the busiest node of the group starts in a minute",
        unit="short",
    )
    yield _errors(
        queries,
        "node:eks_jobs_sandbox_errors:increase15m",
        _grown(queries, "kubelet_run_podsandbox_errors_total"),
        "Pods that got no sandbox, and so no address, in a quarter of an hour",
    )
    yield _errors(
        queries,
        "node:eks_jobs_container_errors:increase15m",
        _grown(
            queries,
            "kubelet_runtime_operations_errors_total",
            equal("operation_type", "create_container"),
        ),
        "Containers that could not be created, among them those whose name was still "
        "taken, in a quarter of an hour",
    )
    refused = queries.raw("awscni_no_available_ip_addresses")
    yield Recording(
        name="node:eks_jobs_addresses_refused:increase15m",
        expr=f"sum by ({_NODED}) (\n"
        f"{on_nodes(queries, f'increase({refused}[15m])')}\n)",
        meaning="Pods for which the VPC CNI had no address in a quarter of an hour",
        unit="short",
    )


def pull_records(scope: Scope) -> Iterator[Recording]:
    """Return how long pulls take, and which fail at whose hands."""
    queries = scope.queries
    parts = {
        part: node_of_kubelet(queries, f"rate({queries.raw(f'{_PULL}_{part}')}[1h])")
        for part in ("sum", "count", "bucket")
    }
    yield Recording(
        name="group:eks_jobs_image_pull_seconds:avg1h",
        expr=f"sum by ({GROUPED}) (\n{parts['sum']}\n)\n"
        f"/ (sum by ({GROUPED}) (\n{parts['count']}\n) > 0)",
        meaning="Time of an image pull with its wait in the queue, average of an hour",
        unit="s",
    )
    yield Recording(
        name="group:eks_jobs_image_pull_seconds:p99_1h",
        expr=_quantile(parts["bucket"], GROUPED),
        meaning="Time of an image pull with its wait in the queue, p99 of an hour",
        unit="s",
    )
    yield _errors(
        queries,
        "node:eks_jobs_pull_errors:increase15m",
        _grown(
            queries,
            "kubelet_runtime_operations_errors_total",
            equal("operation_type", "pull_image"),
        ),
        "Pulls that the registry or the container runtime failed in a quarter of an "
        "hour",
    )
    waiting = " or ".join(
        f"{queries.raw(name, one_of('reason', _PULL_FAILURES))} == 1"
        for name in (
            "kube_pod_container_status_waiting_reason",
            "kube_pod_init_container_status_waiting_reason",
        )
    )
    yield Recording(
        name="node:eks_jobs_pulls_waiting:count",
        expr=f"count by ({_NODED}) (\n"
        f"{queries.recorded(PLACE)} and on (uid) ({waiting})\n)",
        meaning="Job pods that wait because a pull did not succeed",
        unit="short",
    )
    yield from _rejections(queries)


def _rejections(queries: Queries) -> Iterator[Recording]:
    """
    Tell the pulls that the kubelet itself refused.

    It refuses what is above registry_pull_qps before it asks the runtime, so that
    pods wait while the runtime counts no error. Nodes whose kubelet is not scraped
    are left out: nothing is known of their errors.
    """
    waiting = queries.recorded("node:eks_jobs_pulls_waiting:count")
    errors = queries.recorded("node:eks_jobs_pull_errors:increase15m")
    seen = queries.recorded("node:eks_jobs_pods_started:rate5m")
    yield Recording(
        name="node:eks_jobs_pulls_rejected:count",
        expr=f"{waiting} and on (node) {seen} unless on (node) {errors}",
        meaning="Job pods that wait although no pull failed: refused by "
        "registry_pull_qps",
        unit="short",
    )
    rejected = queries.recorded("node:eks_jobs_pulls_rejected:count")
    yield Recording(
        name="group:eks_jobs_pulls_rejected:sum",
        expr=f"sum by ({GROUPED}) ({rejected})\nor {zero(queries)}",
        meaning="Job pods of the group that wait although no pull failed",
        unit="short",
    )


def _quantile(rates: str, labels: str) -> str:
    # What had no observation is not a number, and no number is at least 0.
    return f"histogram_quantile(0.99, sum by (le, {labels}) (\n{rates}\n)) >= 0"


def _grown(queries: Queries, name: str, *matchers: str) -> str:
    """
    Count the errors of a quarter of an hour.

    A kubelet that was not scraped before it, although its node is older, may have
    counted them at any time.
    """
    named = queries.raw("kubelet_node_name")
    age = f"time() - {queries.raw('kube_node_created')}"
    missed = (
        f"{named} and on (node) ({age} > {_QUARTER})\n"
        f"unless on (instance) {named} offset {spelled(_QUARTER)}"
    )
    return queries.grown(name, spelled(_QUARTER), *matchers, missed=missed)


def _errors(queries: Queries, name: str, grown: str, meaning: str) -> Recording:
    return Recording(
        name=name,
        expr=f"sum by ({_NODED}) (\n{node_of_kubelet(queries, grown)}\n)",
        meaning=meaning,
        unit="short",
    )
