"""
Two jobs that come together and push out balloons of one node, again and again.

Nothing else happens in the cluster, so no other event gives a forgotten job another
look. The kubelet is played here. Not proven: how long a real one takes to end `pause`.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from components.spec.balloon.manifests import balloon_manifests
from components.spec.balloon.pods import balloon_namespace
from components.spec.scaler.karpenter import Karpenter
from sandbox.cluster_api import ClusterApi, RefusedError, wait_until
from tests.spec.balloon.builders import pods
from tests.spec.scaler.builders import TYPES, job

# With no grace three of these left a job behind.
ROUNDS = 12
AT_ONCE = 2
BALLOONS, JOBS = 3, 2
REQUEST = {"cpu": "5", "memory": "1Gi"}
ROOM = {"cpu": "16", "memory": "64Gi", "pods": "60"}

# The namespace of balloons, under a name that no other test waits for.
SPACE: dict[str, Any] = balloon_namespace()
SPACE["metadata"] = {**SPACE["metadata"], "name": "balloon-rush"}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "rush"}}


@pytest.fixture(scope="module")
def waits(api):
    """Return how long each job waited for its node, in seconds, round by round."""
    made = balloon_manifests(
        pods(**REQUEST),
        job(),
        scaler=Karpenter(),
        instance_types=TYPES,
        cluster_version="1.36",
    )
    of_kind = {one["kind"]: one for one in made}
    template = of_kind["Deployment"]["spec"]["template"]
    with ExitStack() as stack:
        for one in (of_kind["PriorityClass"], SPACE, node(template)):
            api.create(one)
            stack.callback(api.delete, one)
        return [list(rush(api, template, number)) for number in range(ROUNDS)]


def node(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return a node on which balloons of the template run."""
    ready = {
        "type": "Ready",
        "status": "True",
        "reason": "KubeletReady",
        "lastHeartbeatTime": "2026-01-01T00:00:00Z",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    labels = template["spec"]["nodeSelector"]
    return {
        **NODE,
        "metadata": {**NODE["metadata"], "labels": labels},
        "status": {"allocatable": ROOM, "capacity": ROOM, "conditions": [ready]},
    }


def rush(api: ClusterApi, template: Mapping[str, Any], number: int) -> Iterator[float]:
    """Fill the node with balloons, let jobs come, and yield how long each waits."""
    balloons = [named(template, f"balloon-{number}-{one}") for one in range(BALLOONS)]
    jobs = [named(of_jobs(template), f"job-{number}-{one}") for one in range(JOBS)]
    try:
        for one in balloons:
            api.create(one)
        wait_until(lambda: BALLOONS == len(placed(api, balloons[0])), "balloons placed")
        begin = time.monotonic()
        for one in jobs:
            api.create(one)
        seen: dict[str, float] = {}
        while len(seen) < JOBS and time.monotonic() - begin < 2 * AT_ONCE:
            end_deleted(api, balloons[0])
            for name in placed(api, jobs[0]) - {
                one["metadata"]["name"] for one in balloons
            }:
                seen.setdefault(name, time.monotonic() - begin)
        for one in jobs:
            yield seen.get(one["metadata"]["name"], float("inf"))
    finally:
        api.delete_all(balloons[0])
        wait_until(lambda: not api.items(balloons[0]), "pods gone")


def named(template: Mapping[str, Any], name: str) -> dict[str, Any]:
    place = {"name": name, "namespace": SPACE["metadata"]["name"]}
    metadata = {**template["metadata"], **place}
    return {**template, "apiVersion": "v1", "kind": "Pod", "metadata": metadata}


def of_jobs(template: Mapping[str, Any]) -> dict[str, Any]:
    """Return a pod as large as a balloon, of the priority of jobs and no affinity."""
    kept = ("nodeSelector", "tolerations", "securityContext", "containers")
    spec = {key: template["spec"][key] for key in kept}
    return {"metadata": {}, "spec": {**spec, "restartPolicy": "Never"}}


def placed(api: ClusterApi, example: Mapping[str, Any]) -> set[str]:
    return {
        pod["metadata"]["name"]
        for pod in api.items(example)
        if "nodeName" in pod["spec"]
    }


def end_deleted(api: ClusterApi, example: Mapping[str, Any]) -> None:
    """Do what a kubelet does with a program that ends at the first signal."""
    for pod in api.items(example):
        if "deletionTimestamp" in pod["metadata"]:
            gone = named({"metadata": {}, "spec": {}}, pod["metadata"]["name"])
            try:
                api.delete(gone)
            except RefusedError as error:
                # Without grace the API server was faster.
                if error.status != 404:
                    raise


def test_h089_of_jobs_that_come_together_none_is_left_behind(waits):
    assert [] == [times for times in waits if max(times) >= AT_ONCE]
    assert ROUNDS == len(waits)
