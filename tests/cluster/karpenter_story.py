"""
One story of Karpenter on nodes that nobody runs, told once and looked at throughout.

Several pools live side by side, so that it takes as long as its longest part: about a
minute and a half. Pools and pods come from `components.spec` and pass the native
policy; only the node class is that of the simulated cloud.
"""

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from components.spec.groups import GROUP_LABEL
from components.spec.scaler.lifetime import lifetime
from components.spec.scaler.node_pool import node_pool
from components.spec.scaler.pool import Budget, PoolRules
from sandbox.cluster_api import ClusterApi, RefusedError
from sandbox.kwok import DURATION, NODE_CLASS, MachineType, node_class
from tests.cluster.conftest import namespace
from tests.cluster.history import History
from tests.spec.policy.admission import DO_NOT_DISRUPT
from tests.spec.scaler.builders import FAMILIES, TYPES, job

__all__ = ["POOLS", "Story", "machine_types", "seconds_between", "tell"]

Manifest = Mapping[str, Any]

SPACE = "story"
FULL = job().kubelet.max_pods
_SECONDS = 240
_ANY = (Budget(nodes="100%"),)
_OTHERS = {"amd64": "m5.4xlarge", "arm64": "m6g.4xlarge"}

# Rules and the longest job by the name of the pool.
POOLS: Mapping[str, tuple[PoolRules, str | None]] = {
    "job": (PoolRules(), "1m"),
    "job-arm": (PoolRules(consolidate_after="10s"), "1m"),
    "spread": (
        PoolRules(
            budgets=_ANY,
            consolidation_policy="WhenEmptyOrUnderutilized",
            consolidate_after="1s",
        ),
        "1m",
    ),
    "drift": (PoolRules(budgets=_ANY), "1m"),
    "pinned": (PoolRules(budgets=_ANY), None),
    "expiry": (PoolRules(expire_after="30s"), "1m"),
    "limit": (
        PoolRules(expire_after="30s", termination_grace_period="20s"),
        "15s",
    ),
}
_KINDS: Mapping[str, tuple[str, str | None]] = {
    "NodeClaim": ("karpenter.sh/v1", None),
    "Node": ("v1", None),
    "Pod": ("v1", SPACE),
    "Job": ("batch/v1", SPACE),
}


@dataclass(kw_only=True)
class Story:
    """
    What happened.

    Args:
        history: What was seen.
        placed: Pods per node, most first, by pool, once all had a node.
        alone: Names of the nodes of the pool `spread`, by the pod left on each.
        still_running: Phases of protected pods when those that nobody protects were
            evicted; of `kept-0` just before it lost its protection.
    """

    history: History
    placed: dict[str, list[int]] = field(default_factory=dict)
    alone: dict[str, str] = field(default_factory=dict)
    still_running: dict[str, str] = field(default_factory=dict)

    def pods(self, pool: str) -> list[dict[str, Any]]:
        """Return all pods for a pool."""
        return [
            pod
            for pod in self.history.all("Pod")
            if pod["spec"]["tolerations"][0].get("value") == pool
        ]

    def pod(self, name: str) -> dict[str, Any]:
        """Return a pod by its name, or one of a Job by the name of that."""
        label = "batch.kubernetes.io/job-name"
        return next(
            pod
            for pod in self.history.all("Pod")
            if name
            in (pod["metadata"]["name"], pod["metadata"].get("labels", {}).get(label))
        )

    def job(self, name: str) -> dict[str, Any]:
        """Return the status of a Job."""
        return self.history.one("Job", name)["status"]

    def node(self, name: str) -> str:
        """Return the node of a pod, or of one of a Job."""
        return self.pod(name)["spec"]["nodeName"]

    def claim(self, node: str) -> dict[str, Any]:
        """Return the NodeClaim of a node."""
        return next(
            claim
            for claim in self.history.all("NodeClaim")
            if claim.get("status", {}).get("nodeName") == node
        )

    def is_gone(self, node: str) -> bool:
        """Say whether the NodeClaim of a node is gone."""
        name = self.claim(node)["metadata"]["name"]
        return self.history.is_gone("NodeClaim", name)


def machine_types() -> list[MachineType]:
    """
    Return the types of the groups, and cheaper ones that no group asks for.

    The simulated cloud reads no kubelet, so the pods of a node stand here.
    """
    listed = [
        (name, architecture, place + 1.0)
        for architecture, names in FAMILIES.items()
        for place, name in enumerate(names)
    ]
    listed += [(name, architecture, 0.1) for architecture, name in _OTHERS.items()]
    return [
        MachineType(
            name=name,
            architecture=architecture,
            vcpus=TYPES.find(name).vcpus,
            memory_mib=TYPES.find(name).memory_mib,
            pods=FULL,
            price=price,
        )
        for name, architecture, price in listed
    ]


def seconds_between(first: str, second: str) -> float:
    """Return the seconds between two times of the API server."""
    times = [datetime.fromisoformat(text) for text in (first, second)]
    return (times[1] - times[0]).total_seconds()


def tell(api: ClusterApi) -> Story:
    """
    Run the story to its end, or until its time is over.

    Args:
        api: A cluster with Karpenter, kubelets and the native policy.

    Raises:
        TimeoutError: It did not get under way.
    """
    end = time.monotonic() + _SECONDS
    story = Story(history=History(api, _KINDS))
    until = story.history.until
    api.create(namespace(SPACE))
    for name in POOLS:
        api.create(node_class(name))
        api.create(_pool(name))
    for manifest in _cast():
        api.create(manifest)
    until(lambda: _all_placed(story), "all pods have a node", end)
    for name in ("job", "job-arm"):
        nodes = Counter(pod["spec"]["nodeName"] for pod in story.pods(name))
        story.placed[name] = sorted(nodes.values(), reverse=True)
    _change(api, story)
    until(lambda: _are_evicted(story), "pods of nobody are evicted", end)
    for name in ("drift", "expiry"):
        story.still_running[name] = story.pod(name)["status"]["phase"]
    until(lambda: _are_consolidated(story), "nodes are consolidated", end)
    for name in ("kept-0", "kept-1"):
        story.still_running[name] = story.pod(name)["status"]["phase"]
    bare = {"metadata": {"annotations": {DO_NOT_DISRUPT: None}}}
    # What is missing then is what a test is about.
    with suppress(RefusedError, TimeoutError):
        api.merge(_pod("kept-0", "spread"), bare)
        until(lambda: _is_over(story), "the end", end)
    return story


def _pool(name: str, **overrides: Any) -> dict[str, Any]:
    rules, longest = POOLS[name]
    architecture = "arm64" if name == "job-arm" else "amd64"
    group = job(name=name, architecture=architecture, **overrides)
    return node_pool(group, rules, lifetime(rules, longest), NODE_CLASS, TYPES)


def _cast() -> Iterator[dict[str, Any]]:
    """Return all pods and Jobs that the story begins with."""
    for number in range(2 * FULL):
        yield _pod(f"task-{number}", "job", protected=True)
    arm = {"kubernetes.io/arch": "arm64"}
    yield _job("arm", "job-arm", "15s", pods=FULL, nodeSelector=arm)
    for number in range(4):
        yield _pod(f"large-{number}", "spread", cpu="15")
    for name in ("drift", "pinned", "expiry"):
        yield _job(name, name, "60s")
        yield _pod(f"beside-{name}", name)
    yield _job("limit", "limit", "1h")


def _change(api: ClusterApi, story: Story) -> None:
    """Empty nodes, leave small pods alone on others, and let two pools drift."""
    for number in range(2 * FULL):
        api.delete(_pod(f"task-{number}", "job"))
    for number in range(4):
        node = story.node(f"large-{number}")
        name = f"{'kept' if number < 2 else 'moved'}-{number}"
        story.alone[name] = node
        api.create(_pod(name, "spread", protected=number < 2, nodeName=node))
    for number in range(4):
        api.delete(_pod(f"large-{number}", "spread"))
    for name in ("drift", "pinned"):
        api.merge(_pool(name), {"spec": _pool(name, labels={"team": "new"})["spec"]})


def _all_placed(story: Story) -> bool:
    pods = [pod for pod in story.history.all("Pod") if "nodeName" in pod["spec"]]
    return 3 * FULL + 4 + 3 * 2 + 1 == len(pods)


def _are_evicted(story: Story) -> bool:
    return all(
        story.history.is_gone("Pod", name) for name in ("beside-drift", "beside-expiry")
    )


def _are_consolidated(story: Story) -> bool:
    """Say whether two of the four nodes are gone; which ones a test will say."""
    return 2 <= sum(map(story.is_gone, story.alone.values()))


def _is_over(story: Story) -> bool:
    names = ("arm", "drift", "pinned", "expiry", "limit")
    ended = [story.node(name) for name in (*names, "kept-0")]
    return all(map(story.is_gone, ended)) and all(
        "conditions" in story.job(name) for name in names
    )


def _pod(
    name: str, group: str, *, protected: bool = False, cpu: str = "10m", **spec: Any
) -> dict[str, Any]:
    """Return a task of Airflow, which the policy protects, or a pod of nobody."""
    labels = {"kubernetes_executor": "True"} if protected else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": SPACE, "labels": labels},
        "spec": _pod_spec(group, cpu) | spec,
    }


def _job(
    name: str, group: str, duration: str, pods: int = 1, **spec: Any
) -> dict[str, Any]:
    """Return a Job that fails as soon as one of its pods is ended."""
    template = {
        "metadata": {"annotations": {DURATION: duration}},
        "spec": _pod_spec(group, "10m") | {"restartPolicy": "Never"} | spec,
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": SPACE},
        "spec": {
            "parallelism": pods,
            "completions": pods,
            "backoffLimit": 0,
            "template": template,
        },
    }


def _pod_spec(group: str, cpu: str) -> dict[str, Any]:
    resources = {"requests": {"cpu": cpu}}
    main = {"name": "main", "image": "example.com/task:1", "resources": resources}
    return {
        "nodeSelector": {GROUP_LABEL: group},
        "tolerations": [{"key": GROUP_LABEL, "value": group}],
        # Karpenter ends a pod its grace before the end of a drain.
        "terminationGracePeriodSeconds": 1,
        "containers": [main],
    }
