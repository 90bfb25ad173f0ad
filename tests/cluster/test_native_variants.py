"""
Every switch of the native policy on a real API server, on each pod of pods.yaml.

What is expected is what the CEL runtime of `make test` makes of the pod, so these
tests hold that stand-in to the real API server as well.
"""

import pytest

from components.spec.policy.native import native_policies
from components.spec.policy.settings import JobPolicySettings
from sandbox.cluster_api import RefusedError, settled, wait_until
from tests.cluster.conftest import namespace
from tests.cluster.policies import VARIANTS, in_force, job_pod
from tests.spec.policy.admission import CASES, SAFE_TO_EVICT, admit

HOST_NETWORK = JobPolicySettings(host_network=True)
DISRUPTABLE = job_pod()
DISRUPTABLE["metadata"]["annotations"] = {SAFE_TO_EVICT: "true", "a": "b"}

# What keeps the pods of a namespace from naming those of others.
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "stay-apart", "namespace": "limited"},
    "spec": {
        "hard": {"pods": "0"},
        "scopeSelector": {
            "matchExpressions": [
                {"scopeName": "CrossNamespacePodAffinity", "operator": "Exists"}
            ]
        },
    },
}


def admitted(api, pod):
    return settled(api.create(pod, dry_run=True).object)


def differences(api, manifests, pods):
    """Name the pods that the API server changes in another way than the stand-in."""
    found = []
    for name, pod in pods.items():
        first = admitted(api, pod)
        if admit(manifests, pod) != first or admitted(api, first) != first:
            found.append(name)
    return found


@pytest.mark.parametrize("settings", VARIANTS.values(), ids=VARIANTS)
def test_each_switch_does_what_the_stand_in_does_and_does_it_once(
    api, untouched, settings
):
    with in_force(api, settings):
        found = differences(api, native_policies(settings), untouched)

    assert [] == found


def test_each_switch_makes_a_difference(untouched):
    results = [
        [admit(native_policies(settings), untouched[case["name"]]) for case in CASES]
        for settings in VARIANTS.values()
    ]

    assert [] == [one for one in results if results.count(one) > 1]


@pytest.mark.parametrize("settings", VARIANTS.values(), ids=VARIANTS)
def test_h014_the_api_server_stores_the_policy_as_it_was_written(api, settings):
    manifests = native_policies(settings, "stored")
    answers = [api.create(manifest, dry_run=True) for manifest in manifests]

    assert [one["spec"] for one in manifests] == [
        answer.object["spec"] for answer in answers
    ]
    assert [()] * len(manifests) == [answer.warnings for answer in answers]


def test_h012_strict_overwrites_what_the_author_of_a_pod_allows(api):
    with in_force(api, JobPolicySettings(strict=True)):
        annotations = admitted(api, DISRUPTABLE)["metadata"]["annotations"]

    assert {
        "a": "b",
        "karpenter.sh/do-not-disrupt": "true",
        SAFE_TO_EVICT: "false",
    } == annotations


@pytest.fixture(scope="module")
def on_the_host_network(api):
    """Return pods of Jobs under the policy that lets them join the host network."""
    enforcing = {"pod-security.kubernetes.io/enforce": "baseline"}
    api.create(namespace("enforcing", **enforcing))
    pods = {
        "plain": job_pod(),
        "own dns": job_pod(dnsPolicy="Default"),
        "ports": job_pod(
            containers=[
                {"name": name, "image": "i", "ports": [{"containerPort": 80}]}
                for name in ("a", "b")
            ]
        ),
        "user namespace": job_pod(hostUsers=False),
        "windows": job_pod(os={"name": "windows"}),
        "own host name": job_pod(hostnameOverride="worker"),
        "sysctl": job_pod(
            securityContext={"sysctls": [{"name": "net.core.somaxconn", "value": "9"}]}
        ),
        "enforced pod security": job_pod(space="enforcing"),
    }
    with in_force(api, HOST_NETWORK):
        specs = {name: admitted(api, pod)["spec"] for name, pod in pods.items()}
    return {
        name: (spec.get("hostNetwork", False), spec["dnsPolicy"])
        for name, spec in specs.items()
    }


def test_h084_no_pod_is_refused_or_loses_dns_for_the_host_network(on_the_host_network):
    assert {
        "plain": (True, "ClusterFirstWithHostNet"),
        "own dns": (True, "Default"),
        "ports": (False, "ClusterFirst"),
        "user namespace": (False, "ClusterFirst"),
        "windows": (False, "ClusterFirst"),
        "own host name": (False, "ClusterFirst"),
        "sysctl": (False, "ClusterFirst"),
        "enforced pod security": (False, "ClusterFirst"),
    } == on_the_host_network


@pytest.fixture(scope="module")
def limited(api):
    """Return a job pod of a namespace that may not name others."""
    api.create(namespace("limited"))
    api.create(QUOTA)
    wait_until(lambda: "hard" in api.get(QUOTA)["status"], "the quota counts")
    return job_pod(space="limited")


def test_h092_a_quota_on_affinity_across_namespaces_refuses_job_pods(api, limited):
    with (
        in_force(api, JobPolicySettings()),
        pytest.raises(RefusedError) as caught,
    ):
        admitted(api, limited)

    assert (
        'pods "p" is forbidden: exceeded quota: stay-apart, requested: pods=1, '
        "used: pods=0, limited: pods=0"
    ) == str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [
        JobPolicySettings(unpacked_namespaces=("limited",)),
        JobPolicySettings(affinity_scope="own-namespace"),
    ],
)
def test_h092_each_way_out_admits_them_with_label_and_protection(
    api, limited, settings
):
    with in_force(api, settings):
        metadata = admitted(api, limited)["metadata"]

    assert {settings.label.key: settings.label.value} == metadata["labels"]
    assert settings.protection == metadata["annotations"]
