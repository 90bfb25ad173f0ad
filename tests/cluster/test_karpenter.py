"""
The pools that we write, run by Karpenter on a real control plane.

Not proven here: Karpenter's AWS provider. The simulated cloud takes the pods of a
node from its list of instance types, where AWS takes them from `maxPods` of the
EC2NodeClass; whether that class is accepted is shown by test_scaler_crds.
"""

import os

import pytest

from components.spec.groups import GROUP_LABEL
from components.spec.policy.settings import JobPolicySettings
from components.spec.scaler.duration import seconds
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.lifetime import lifetime_problems
from sandbox.cluster_api import ClusterApi
from sandbox.control_plane import ControlPlane
from sandbox.control_plane_tools import karpenter_module, kwok_module
from sandbox.kwok import karpenter, karpenter_crds, kubelets
from tests.cluster.conftest import namespace
from tests.cluster.definitions import installed
from tests.cluster.karpenter_story import POOLS, machine_types, seconds_between, tell
from tests.cluster.policies import CANARY, in_force
from tests.spec.policy.admission import DO_NOT_DISRUPT
from tests.spec.scaler.builders import FAMILIES

# Times of the API server are whole seconds.
ROUNDING = 1
ARCHITECTURE = "kubernetes.io/arch"


@pytest.fixture(scope="module")
def story(built, tmp_path_factory):
    """Run a control plane of its own: Karpenter acts on every node that it sees."""
    state = tmp_path_factory.mktemp("karpenter")
    scaler = Karpenter()
    settings = {
        "PREFERENCE_POLICY": scaler.preference_policy,
        "BATCH_IDLE_DURATION": scaler.batch_idle_duration,
        "BATCH_MAX_DURATION": scaler.batch_max_duration,
    }
    with ControlPlane(
        programs=built,
        state=state,
        components=("kube-scheduler", "kube-controller-manager"),
    ) as control_plane:
        file = control_plane.kubeconfig
        api = ClusterApi(file)
        api.create(namespace(CANARY["metadata"]["namespace"]))
        with (
            installed(api, karpenter_crds(karpenter_module(os.environ))),
            kubelets(built["kwok"], kwok_module(os.environ), file, state),
            karpenter(built["karpenter-kwok"], file, state, machine_types(), settings),
            in_force(api, JobPolicySettings()),
        ):
            return tell(api)


@pytest.mark.parametrize("pool", POOLS)
def test_the_library_takes_the_lives_of_these_pools(pool):
    assert [] == list(lifetime_problems(*POOLS[pool]))


def test_sixty_pods_fill_a_node(story):
    assert {"job": [60, 60], "job-arm": [60]} == story.placed
    assert {"60"} == {
        node["status"]["allocatable"]["pods"] for node in story.history.all("Node")
    }


@pytest.mark.parametrize(
    ("pool", "architecture"), [("job", "amd64"), ("job-arm", "arm64")]
)
def test_h044_jobs_land_on_the_pool_of_their_architecture(story, pool, architecture):
    names = {pod["spec"]["nodeName"] for pod in story.pods(pool)}
    nodes = [story.history.one("Node", name) for name in names]
    labels = [node["metadata"]["labels"] for node in nodes]

    assert {(architecture, pool, pool)} == {
        (one[ARCHITECTURE], one[GROUP_LABEL], one["karpenter.sh/nodepool"])
        for one in labels
    }
    assert {FAMILIES[architecture][0]} == {
        one["node.kubernetes.io/instance-type"] for one in labels
    }
    for node in nodes:
        assert {"key": GROUP_LABEL, "value": pool, "effect": "NoSchedule"} in node[
            "spec"
        ]["taints"]


def test_no_other_pod_is_on_the_nodes_of_a_pool(story):
    pools = {
        node["metadata"]["name"]: node["metadata"]["labels"][GROUP_LABEL]
        for node in story.history.all("Node")
    }

    for pool in POOLS:
        assert {pool} == {pools[pod["spec"]["nodeName"]] for pod in story.pods(pool)}


def test_an_empty_node_goes_after_consolidate_after(story):
    claim = story.claim(story.node("arm"))
    (condition,) = (
        one for one in claim["status"]["conditions"] if one["type"] == "Consolidatable"
    )
    quiet = claim["status"]["lastPodEventTime"]
    waited = seconds_between(quiet, condition["lastTransitionTime"])

    assert 60 == story.job("arm")["succeeded"]
    assert seconds(POOLS["job-arm"][0].consolidate_after) <= waited + ROUNDING
    assert story.is_gone(story.node("arm"))


def test_an_empty_node_stays_until_then(story):
    names = {pod["spec"]["nodeName"] for pod in story.pods("job")}
    claims = [story.claim(name)["metadata"] for name in names]

    assert "10m" == POOLS["job"][0].consolidate_after
    assert [False] * 2 == ["deletionTimestamp" in claim for claim in claims]


def test_a_protected_pod_survives_consolidation(story):
    """Nodes of others go; this one only once its pod has lost the annotation."""
    gone = {name: story.is_gone(node) for name, node in story.alone.items()}

    assert {"kept-0": True, "kept-1": False, "moved-2": True, "moved-3": True} == gone
    assert ["Running"] * 2 == [story.still_running[f"kept-{n}"] for n in range(2)]
    assert not story.history.is_gone("Pod", "kept-1")
    assert "true" == story.pod("kept-1")["metadata"]["annotations"][DO_NOT_DISRUPT]


@pytest.mark.parametrize("name", ["drift", "expiry"])
def test_h020_h021_a_protected_pod_survives_for_its_longest_job(story, name):
    """The node is given up and drained; the pod beside it goes, the job ends well."""
    _, longest = POOLS[name]
    claim = story.claim(story.node(name))["metadata"]
    ended = story.job(name)

    assert "Running" == story.still_running[name]
    assert (1, None) == (ended["succeeded"], ended.get("failed"))
    begun = story.pod(name)["status"]["startTime"]
    assert seconds(longest) <= ROUNDING + seconds_between(
        begun, ended["completionTime"]
    )
    assert 0 < seconds_between(claim["deletionTimestamp"], ended["completionTime"])
    assert story.is_gone(story.node(name))


def test_h020_expiry_begins_at_the_declared_age(story):
    claim = story.claim(story.node("expiry"))["metadata"]
    age = seconds_between(claim["creationTimestamp"], claim["deletionTimestamp"])

    assert seconds(POOLS["expiry"][0].expire_after) <= age + ROUNDING


def test_h021_a_job_longer_than_declared_is_ended_when_the_drain_is_over(story):
    claim = story.claim(story.node("limit"))["metadata"]
    ended = story.job("limit")
    (failed,) = (one for one in ended["conditions"] if one["type"] == "Failed")
    rules, longest = POOLS["limit"]
    drained = seconds_between(claim["deletionTimestamp"], failed["lastTransitionTime"])

    assert 1 == ended["failed"]
    assert seconds(longest) <= drained
    # The pod is ended its own second of grace earlier.
    assert seconds(rules.termination_grace_period) - 1 <= drained + ROUNDING


def test_h021_without_a_longest_job_drift_waits_for_the_pod(story):
    """The node is known to have drifted, and goes when the job has ended by itself."""
    claim = story.claim(story.node("pinned"))
    (drifted,) = (
        one["lastTransitionTime"]
        for one in claim["status"]["conditions"]
        if one["type"] == "Drifted"
    )
    (container,) = story.pod("pinned")["status"]["containerStatuses"]
    ended = container["state"]["terminated"]["finishedAt"]

    assert "terminationGracePeriod" not in claim["spec"]
    assert 1 == story.job("pinned")["succeeded"]
    assert 30 < seconds_between(drifted, ended)
    assert 0 <= seconds_between(ended, claim["metadata"]["deletionTimestamp"])
    assert story.is_gone(story.node("pinned"))
