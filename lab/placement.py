"""
Places pods on nodes by a real scheduler, and counts them.

The nodes are objects that nobody runs: the scheduler sees capacity, labels, taints
and pods, and that is all it decides by. Pods come one after the other, the hardest
case for packing, because nothing is known about those to come.
"""

import itertools
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from components.spec.groups import GROUP_LABEL
from components.spec.policy.native import native_policies
from components.spec.policy.packing import PACKS_BY_SCHEDULER, Packing
from components.spec.policy.settings import AffinityScope, JobPolicySettings
from components.spec.scheduler import SchedulerScoring
from sandbox.cluster_api import ClusterApi, applied, wait_until

__all__ = [
    "ALLOCATABLE",
    "PACKINGS",
    "REQUESTS",
    "Run",
    "measure",
    "scheduler_config",
]

Manifest = dict[str, Any]

_NODES = 5
_PODS = 30
ALLOCATABLE = {
    "cpu": "15890m",
    "memory": "29310740Ki",
    "ephemeral-storage": "90Gi",
}
"""A node of 16 vCPUs and 32 GiB with the kubelet of a job group, as EKS shows it."""

_DEFAULT_PROFILE = "default-scheduler"
_PACKING_PROFILE = "most-allocated"

_EQUAL: dict[str, dict[str, str]] = {
    "no request": {},
    "100m": {"cpu": "100m"},
    "100m, 1Gi": {"cpu": "100m", "memory": "1Gi"},
    "1 CPU": {"cpu": "1"},
    "1 CPU, 1Gi": {"cpu": "1", "memory": "1Gi"},
}

REQUESTS: Mapping[str, Sequence[Mapping[str, str]]] = {
    **{name: (request,) for name, request in _EQUAL.items()},
    "all by turns": tuple(_EQUAL.values()),
}
"""What the pods ask for, one after the other, by the heading of the column."""

PACKINGS: tuple[Packing, ...] = ("none", "affinity", "scheduler", "both")
"""The ways of packing, in the order of the rows."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """
    One measurement: equal job pods on five nodes.

    Args:
        packing: The way of packing.
        request: What the pods ask for, a key of `REQUESTS`.
        pods: How many come.
        start: Job pods that are on the nodes before; one number for each node.
        pods_per_node: maxPods of the nodes.
        namespaces: How many namespaces the pods come from, by turns.
        scope: Whether jobs of all namespaces are packed together.
    """

    packing: Packing
    request: str = "100m"
    pods: int = _PODS
    start: tuple[int, ...] = ()
    pods_per_node: int = 60
    namespaces: int = 1
    scope: AffinityScope = "all-namespaces"

    @property
    def policy(self) -> JobPolicySettings:
        """The job policy under which the pods come."""
        if self.packing in ("none", "scheduler"):
            return JobPolicySettings(packing=self.packing)
        return JobPolicySettings(packing=self.packing, affinity_scope=self.scope)


def scheduler_config() -> Manifest:
    """
    Return the configuration of a scheduler that can pack and can spread.

    Pods choose by `schedulerName`, so one scheduler serves every measurement.

    Shape:
        A part of a KubeSchedulerConfiguration: two profiles, the scheduler's default
        and one with the scoring that we write for EKS.
    """
    scoring = SchedulerScoring().kube_scheduler_config()["nodeResourcesFit"]
    return {
        "profiles": [
            {"schedulerName": _DEFAULT_PROFILE},
            {
                "schedulerName": _PACKING_PROFILE,
                "pluginConfig": [{"name": "NodeResourcesFit", "args": scoring}],
            },
        ]
    }


def measure(api: ClusterApi, runs: Sequence[Run]) -> dict[Run, tuple[int, ...]]:
    """
    Return the pods per node for each run, most first.

    Args:
        api: A cluster with the scheduler of `scheduler_config`; nothing else
            creates or deletes pods.
        runs: What to measure; those of one policy share it.
    """
    results = {}
    pending = list(dict.fromkeys(runs))
    for namespace in range(max((run.namespaces for run in pending), default=0)):
        _ensure(api, _namespace(namespace))
    numbers = itertools.count()
    while pending:
        policy = pending[0].policy
        canary = _pod("canary", pending[0], group="none")
        with applied(api, native_policies(policy), canary, _is_labelled):
            for run in [run for run in pending if run.policy == policy]:
                results[run] = _place(api, run, f"run-{next(numbers)}")
        pending = [run for run in pending if run.policy != policy]
    return results


def _place(api: ClusterApi, run: Run, group: str) -> tuple[int, ...]:
    with _nodes(api, run, group) as nodes:
        for place, (node, count) in enumerate(
            zip(nodes, run.start or [0] * _NODES, strict=True)
        ):
            for number in range(count):
                bound = _pod(f"start-{place}-{number}", run, group, number)
                bound["spec"]["nodeName"] = node
                api.create(bound)
        for number in range(run.pods):
            _schedule(api, _pod(f"pod-{number}", run, group, number))
        counts = Counter(_node_of(pod) for pod in _stored(api, run))
    return tuple(sorted((counts[node] for node in nodes), reverse=True))


@contextmanager
def _nodes(api: ClusterApi, run: Run, group: str) -> Generator[list[str]]:
    """Hold nodes of a group; they and all pods are gone afterwards."""
    names = [f"{group}-{place}" for place in range(_NODES)]
    for name in names:
        api.create(_node(name, group, run.pods_per_node))
        # Once a pod that can go nowhere else is there, the scheduler knows the node.
        probe = _pod("probe", run, group)
        probe["spec"]["nodeSelector"] = {"kubernetes.io/hostname": name}
        del probe["metadata"]["labels"]
        _schedule(api, probe)
        api.delete(probe)
    try:
        yield names
    finally:
        for namespace in range(run.namespaces):
            api.delete_all(_pod("any", run, group, namespace))
        wait_until(lambda: not _stored(api, run), "pods gone")
        for name in names:
            api.delete(_node(name, group, run.pods_per_node))


def _schedule(api: ClusterApi, pod: Manifest) -> None:
    api.create(pod)
    name = pod["metadata"]["name"]
    wait_until(lambda: _node_of(api.get(pod)) is not None, f"{name} scheduled")


def _stored(api: ClusterApi, run: Run) -> list[Manifest]:
    return [
        pod
        for namespace in range(run.namespaces)
        for pod in api.items(_pod("any", run, "any", namespace))
    ]


def _node_of(pod: Mapping[str, Any]) -> str | None:
    return pod["spec"].get("nodeName")


def _is_labelled(pod: Mapping[str, Any]) -> bool:
    label = JobPolicySettings().label
    return pod["metadata"]["labels"].get(label.key) == label.value


def _pod(name: str, run: Run, group: str, number: int = 0) -> Manifest:
    """
    Return a task of Airflow: it has no owner that a controller would miss.

    Its *number* decides whose turn it is among namespaces and requests.
    """
    packs = run.packing in PACKS_BY_SCHEDULER
    requests = REQUESTS[run.request]
    main = {"name": "main", "image": "example.com/task:1"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": _namespace(number % run.namespaces)["metadata"]["name"],
            "labels": {"kubernetes_executor": "True"},
        },
        "spec": {
            "schedulerName": _PACKING_PROFILE if packs else _DEFAULT_PROFILE,
            "nodeSelector": {GROUP_LABEL: group},
            "tolerations": [{"key": GROUP_LABEL, "value": group}],
            "containers": [
                {**main, "resources": {"requests": requests[number % len(requests)]}}
            ],
        },
    }


def _node(name: str, group: str, pods: int) -> Manifest:
    capacity = {**ALLOCATABLE, "pods": str(pods)}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/hostname": name, GROUP_LABEL: group},
        },
        "spec": {
            "taints": [{"key": GROUP_LABEL, "value": group, "effect": "NoSchedule"}]
        },
        "status": {
            "capacity": capacity,
            "allocatable": capacity,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def _namespace(number: int) -> Manifest:
    name = f"packing-{number}"
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _ensure(api: ClusterApi, manifest: Manifest) -> None:
    if not api.exists(manifest):
        api.create(manifest)
