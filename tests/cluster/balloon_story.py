"""
One story of bursts on machines that take 50 s to start, told once.

The cases live side by side in pools of their own. First every pool gets what it has
before the burst, on nodes that are there at once; from then on a machine takes its
50 s. Nothing runs faster than it is: the scheduler, Karpenter, KEDA and the clock of
its schedules are real, so the story takes about two minutes and a half.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from components.spec.balloon.settings import NAMESPACE
from sandbox.cluster_api import ClusterApi
from sandbox.kwok import node_class
from tests.cluster.balloon_cast import (
    ARM,
    BURSTS,
    CROWD,
    PER_NODE,
    STATIC_NODES,
    Cast,
    burst,
)
from tests.cluster.history import History

__all__ = ["NODE_START", "Story", "next_mark", "tell"]

Manifest = Mapping[str, Any]

NODE_START = 50
"""Seconds from the order of a machine to its node."""

_SECONDS = 240
_KINDS: Mapping[str, tuple[str, str | None]] = {
    "NodeClaim": ("karpenter.sh/v1", None),
    "Node": ("v1", None),
    "Pod": ("v1", None),
    "Deployment": ("apps/v1", NAMESPACE),
    "HorizontalPodAutoscaler": ("autoscaling/v2", NAMESPACE),
    "ScaledObject": ("keda.sh/v1alpha1", NAMESPACE),
    "CapacityBuffer": ("autoscaling.x-k8s.io/v1beta1", NAMESPACE),
}


class Watch(History):
    """
    What was seen, and when by the clock.

    Args:
        api: The cluster.
    """

    def __init__(self, api: ClusterApi) -> None:
        super().__init__(api, _KINDS)
        self.bound: dict[str, float] = {}
        self.replicas: dict[str, list[tuple[float, int]]] = {}
        # The seconds that it has, at each look that met it.
        self.ending: dict[str, list[int]] = {}

    def look(self) -> None:
        """Take in what is there now, and note what is new."""
        super().look()
        now, here = time.time(), self.names("Pod")
        for pod in self.all("Pod"):
            name = pod["metadata"]["name"]
            if "nodeName" in pod["spec"]:
                self.bound.setdefault(name, now)
            if "deletionTimestamp" in pod["metadata"] and name in here:
                left = pod["metadata"]["deletionGracePeriodSeconds"]
                self.ending.setdefault(name, []).append(left)
        for one in self.all("Deployment"):
            steps = self.replicas.setdefault(one["metadata"]["name"], [])
            wanted = one["spec"]["replicas"]
            if not steps or steps[-1][1] != wanted:
                steps.append((now, wanted))


@dataclass(kw_only=True)
class Story:
    """
    What happened.

    Args:
        watch: What was seen, and when.
        mark: When the window `window` ended and that of `opening` began.
        burst_at: When the burst came.
        before: Names of the nodes and pods that were there before it.
    """

    watch: Watch
    mark: float
    burst_at: float = 0.0
    before: set[str] = field(default_factory=set)

    def pods(self, pool: str, role: str) -> list[Manifest]:
        """Return all pods for a pool of a role: `running`, `burst`, `balloon`."""
        return [
            pod
            for pod in self.watch.all("Pod")
            if pod["metadata"]["name"].startswith(f"{role}-{pool}-")
        ]

    def present(self, pool: str, role: str) -> list[Manifest]:
        """Return those of them that were there at the end."""
        return [
            pod
            for pod in self.pods(pool, role)
            if not self.watch.is_gone("Pod", pod["metadata"]["name"])
        ]

    def waits(self, pool: str) -> list[float]:
        """Return how long each pod of the burst waited for its node, in seconds."""
        names = [pod["metadata"]["name"] for pod in self.pods(pool, "burst")]
        return sorted(self.watch.bound[name] - self.burst_at for name in names)

    def nodes(self, pool: str) -> list[Manifest]:
        """Return all nodes that a pool ever had."""
        return [
            node
            for node in self.watch.all("Node")
            if node["metadata"]["labels"]["karpenter.sh/nodepool"] == pool
        ]

    def claims(self, pool: str) -> list[Manifest]:
        """Return all NodeClaims that a pool ever had."""
        return [
            claim
            for claim in self.watch.all("NodeClaim")
            if claim["metadata"]["labels"]["karpenter.sh/nodepool"] == pool
        ]

    def steps(self, pool: str) -> list[tuple[float, int]]:
        """Return the replicas of a balloon, with seconds from the mark."""
        found = self.watch.replicas[f"balloon-{pool}"]
        return [(when - self.mark, wanted) for when, wanted in found]

    def are_placed(self, pool: str, role: str, count: int) -> bool:
        """Say whether so many pods of a role are there, each on a node."""
        there = self.present(pool, role)
        return count == len(there) == sum("nodeName" in pod["spec"] for pod in there)


def next_mark() -> datetime:
    """Return the full minute that leaves time for what comes before it."""
    soon = datetime.now(ZoneInfo("Asia/Seoul")) + timedelta(seconds=110)
    return soon.replace(second=0, microsecond=0)


def tell(api: ClusterApi, cast: Cast) -> Story:
    """
    Run the story to its end.

    Args:
        api: A cluster with Karpenter, kubelets, KEDA and the native policy.
        cast: Who is in it.

    Raises:
        TimeoutError: It did not get on.
    """
    end = time.monotonic() + _SECONDS
    story = Story(watch=Watch(api), mark=cast.mark.timestamp())
    until = story.watch.until
    for manifest in cast.manifests():
        api.create(manifest)
    until(lambda: _is_set(story), "what is there before the burst", end)
    for name in BURSTS:
        api.merge(node_class(name), node_class(name, NODE_START))
    story.before = story.watch.names("Node") | story.watch.names("Pod")
    story.burst_at = time.time()
    for name in BURSTS:
        api.create(burst(name))
    until(lambda: _is_over(story), "jobs have nodes, and capacity is back", end)
    until(lambda: _is_closed(story), "one window ended and another began", end)
    return story


def _is_set(story: Story) -> bool:
    return (
        all(story.are_placed(name, "running", PER_NODE) for name in ("with", "without"))
        and all(
            story.are_placed(name, "balloon", PER_NODE)
            for name in ("with", "slow", "window")
        )
        and story.are_placed(ARM, "balloon", 1)
        and len(story.nodes("static")) == STATIC_NODES
        and len(story.nodes("buffer")) == 1
    )


def _is_over(story: Story) -> bool:
    return (
        all(story.are_placed(name, "burst", count) for name, count in BURSTS.items())
        and all(
            story.are_placed(name, "balloon", PER_NODE) for name in ("with", "slow")
        )
        and len(story.nodes("buffer")) > 1
    )


def _is_closed(story: Story) -> bool:
    nodes = [node["metadata"]["name"] for node in story.nodes("window")]
    return (
        story.steps("window")[-1][1] == 0
        and story.steps("crowd")[-1][1] == CROWD[1]
        and story.are_placed("opening", "balloon", PER_NODE)
        and all(story.watch.is_gone("Node", name) for name in nodes)
    )
