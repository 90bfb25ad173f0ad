"""
Jobs on a node that Karpenter has not registered yet, or that Kubernetes takes for one.

The race itself cannot be had at will: the controller that enforces taints hears of a
pod before it hears that the taint is gone. Here it sees the taint while the pods run,
which is all that it knows then. Not proven: the kubelet, which compares taints too.
"""

import time

import pytest

from components.spec.policy.fragment import pod_fragment
from components.spec.policy.protection import REGISTRATION
from components.spec.policy.settings import JobPolicySettings
from sandbox.cluster_api import wait_until
from tests.cluster.conftest import namespace

ROOM = {"cpu": "16", "memory": "64Gi", "pods": "60"}
SPACE = "new-nodes"
TAINT = {"key": REGISTRATION["key"], "effect": REGISTRATION["effect"]}
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": SPACE, "labels": {"new": "node"}},
    "status": {
        "allocatable": ROOM,
        "capacity": ROOM,
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "reason": "KubeletReady",
                "lastHeartbeatTime": "2026-01-01T00:00:00Z",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
        ],
    },
}


def pod(name, template):
    containers = [{"name": "main", "image": "example.com/job:1"}]
    spec = {"nodeSelector": {"new": "node"}, "restartPolicy": "Never"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**template.get("metadata", {}), "name": name, "namespace": SPACE},
        "spec": {**template.get("spec", {}), **spec, "containers": containers},
    }


PODS = {
    "plain": pod("plain", {}),
    "job": pod("job", pod_fragment(JobPolicySettings())),
}


@pytest.fixture
def on_the_node(api):
    """Return a look at the pods that run on the node; it has no taint yet."""
    api.create(namespace(SPACE))
    api.create(NODE)
    for one in PODS.values():
        api.create(one)

    def pods():
        return {
            one["metadata"]["name"]: one
            for one in api.items(PODS["plain"])
            if "nodeName" in one["spec"]
        }

    wait_until(lambda: PODS.keys() == pods().keys(), "pods on their node")
    yield pods
    api.delete_all(PODS["plain"])
    api.delete(NODE)


def test_h090_a_job_outlives_the_taint_of_its_new_node(api, on_the_node):
    api.merge(NODE, {"spec": {"taints": [TAINT]}})
    wait_until(lambda: is_deleted(on_the_node().get("plain")), "plain pod deleted")
    # Both are decided on in one loop, and deleted side by side.
    time.sleep(0.5)

    assert not is_deleted(on_the_node()["job"])


def is_deleted(pod):
    """Say whether a pod is gone, or has been told to go."""
    return pod is None or "deletionTimestamp" in pod["metadata"]
