"""
A small kube-state-metrics: what it would tell of the pods and nodes of an API server.

The real one is not offered as a Go module that builds here. Names and labels are those
of its documentation; only what rules read is told.
"""

import threading
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from components.spec.monitoring.promql import label_name
from sandbox.cluster_api import ClusterApi
from sandbox.processes import HOST

__all__ = ["state_metrics"]

_PHASES = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
# Of those that conditions may have; told only where they are.
_REASONS = ("PreemptionByScheduler", "SchedulingGated", "TerminationByKubelet")
_UNITS = {"m": 1e-3, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


@contextmanager
def state_metrics(api: ClusterApi, space: str) -> Generator[int]:
    """
    Tell of all nodes and of the pods of a namespace; yield the port.

    Args:
        api: The cluster.
        space: The namespace.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = "\n".join(_lines(api, space)) + "\n"
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer((HOST, 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _lines(api: ClusterApi, space: str) -> Iterator[str]:
    for node in api.items({"apiVersion": "v1", "kind": "Node", "metadata": {}}):
        yield from _node(node)
    kind = {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": space}}
    for pod in api.items(kind):
        yield from _pod(pod)


def _node(node: dict[str, Any]) -> Iterator[str]:
    metadata = node["metadata"]
    key = {"node": metadata["name"]}
    yield _line("kube_node_labels", 1, **key, **_labels(metadata))
    yield _line("kube_node_created", _time(metadata["creationTimestamp"]), **key)
    for one in node["spec"].get("taints", []):
        taint = {"key": one["key"], "value": one.get("value", "")}
        yield _line("kube_node_spec_taint", 1, **key, **taint, effect=one["effect"])
    for resource, amount in node["status"].get("allocatable", {}).items():
        name = "kube_node_status_allocatable"
        yield _line(name, _amount(amount), **key, resource=resource)


def _pod(pod: dict[str, Any]) -> Iterator[str]:
    metadata, spec, status = pod["metadata"], pod["spec"], pod["status"]
    key = {"pod": metadata["name"], "namespace": metadata["namespace"]}
    key["uid"] = metadata["uid"]
    node = spec.get("nodeName", "")
    info = {"node": node, "priority_class": spec.get("priorityClassName", "")}
    yield _line("kube_pod_info", 1, **key, **info)
    yield _line("kube_pod_labels", 1, **key, **_labels(metadata))
    yield _line("kube_pod_created", _time(metadata["creationTimestamp"]), **key)
    if "deletionTimestamp" in metadata:
        when = _time(metadata["deletionTimestamp"])
        yield _line("kube_pod_deletion_timestamp", when, **key)
    for owner in metadata.get("ownerReferences") or [{}]:
        yield _line(
            "kube_pod_owner",
            1,
            **key,
            owner_kind=owner.get("kind", ""),
            owner_name=owner.get("name", ""),
            owner_is_controller=str(owner["controller"]).lower() if owner else "",
        )
    for phase in _PHASES:
        held = int(status.get("phase") == phase)
        yield _line("kube_pod_status_phase", held, **key, phase=phase)
    if "startTime" in status:
        yield _line("kube_pod_start_time", _time(status["startTime"]), **key)
    yield from _conditions(status, key)
    yield from _containers(spec, status, key, node)


def _conditions(status: dict[str, Any], key: dict[str, str]) -> Iterator[str]:
    for one in status.get("conditions", []):
        if one["type"] == "PodScheduled" and one["status"] == "True":
            when = _time(one["lastTransitionTime"])
            yield _line("kube_pod_status_scheduled_time", when, **key)
        # Whatever the reason: Unschedulable, SchedulingGated or SchedulerError.
        if one["type"] == "PodScheduled" and one["status"] == "False":
            yield _line("kube_pod_status_unschedulable", 1, **key)
        if one.get("reason") in _REASONS:
            yield _line("kube_pod_status_reason", 1, **key, reason=one["reason"])
        if one["type"] == "DisruptionTarget" and one["status"] == "True":
            name = "kube_pod_status_disruption_reason"
            yield _line(name, 1, **key, reason=one["reason"])


def _containers(
    spec: dict[str, Any], status: dict[str, Any], key: dict[str, str], node: str
) -> Iterator[str]:
    ends = []
    for one in status.get("containerStatuses", []):
        held = one["state"].get("running") or one["state"].get("terminated") or {}
        if "startedAt" in held:
            yield _line(
                "kube_pod_container_state_started",
                _time(held["startedAt"]),
                **key,
                container=one["name"],
            )
        if "finishedAt" in held:
            ends.append(_time(held["finishedAt"]))
    if ends:
        yield _line("kube_pod_completion_time", max(ends), **key)
    for one in spec["containers"]:
        for resource, amount in one.get("resources", {}).get("requests", {}).items():
            yield _line(
                "kube_pod_container_resource_requests",
                _amount(amount),
                **key,
                container=one["name"],
                node=node,
                resource=resource,
            )


def _line(name: str, value: float, /, **labels: str) -> str:
    text = ",".join(f'{key}="{one}"' for key, one in labels.items())
    return f"{name}{{{text}}} {value}"


def _labels(metadata: dict[str, Any]) -> dict[str, str]:
    return {label_name(key): value for key, value in metadata.get("labels", {}).items()}


def _time(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def _amount(text: str) -> float:
    for unit, factor in _UNITS.items():
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * factor
    return float(text)
