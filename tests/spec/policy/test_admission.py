"""
These tests prove what the expressions do in a CEL runtime; see `admission`.

The pods and what becomes of them stand in tests/data/pods.yaml.
"""

from collections import Counter

import pytest

from components.spec.policy.kyverno import mutating_policies
from components.spec.policy.matchers import PRESETS
from components.spec.policy.native import native_policies
from components.spec.policy.settings import JobLabel, JobPolicySettings
from tests.spec.policy.admission import (
    AFFINITY,
    CASES,
    DO_NOT_DISRUPT,
    LABEL,
    SAFE_TO_EVICT,
    TERM,
    TOLERATION,
    admit,
    decoded,
    expected_pod,
)

EVERY_PRESET = JobPolicySettings(matchers=tuple(PRESETS))
NO_AFFINITY = {"containers": [{"name": "c"}], "tolerations": [TOLERATION]}
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
each_job = pytest.mark.parametrize(
    "case", [c for c in CASES if "expected" in c], ids=lambda case: case["name"]
)


def case(name):
    (found,) = [one for one in CASES if one["name"] == name]
    return found


def policies(**changes):
    return native_policies(JobPolicySettings(**changes))


def job_pod(labels=None, annotations=None, namespace="team-a", **spec):
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "controller": True}
    metadata = {"name": "p", "namespace": namespace, "ownerReferences": [owner]}
    metadata |= {} if labels is None else {"labels": labels}
    metadata |= {} if annotations is None else {"annotations": annotations}
    return {"metadata": metadata, "spec": {"containers": [{"name": "c"}], **spec}}


@each_case
def test_each_pod_is_admitted_as_described(case):
    admitted = admit(native_policies(EVERY_PRESET), decoded(case["pod"]))

    assert expected_pod(case) == admitted


@each_case
def test_what_the_api_server_drops_makes_no_difference(case):
    admitted = admit(native_policies(EVERY_PRESET), case["pod"])

    assert expected_pod(case) == decoded(admitted)


@each_case
def test_h004_a_second_admission_changes_nothing(case):
    once = expected_pod(case)

    assert once == admit(native_policies(EVERY_PRESET), once)


@each_case
def test_kyverno_admits_as_the_api_server_does(case):
    admitted = admit(mutating_policies(EVERY_PRESET), decoded(case["pod"]))

    assert expected_pod(case) == admitted


@each_job
def test_a_pod_is_a_job_by_its_presets_alone(case):
    matches = case["matches"]
    listed = [matches] if isinstance(matches, str) else matches
    others = tuple(preset for preset in PRESETS if preset not in listed)
    pod = decoded(case["pod"])

    assert pod == admit(policies(matchers=others), pod)
    for preset in listed:
        assert expected_pod(case) == admit(policies(matchers=(preset,)), pod)


def test_every_preset_has_pods_of_its_own():
    listed = Counter(
        preset
        for one in CASES
        if "expected" in one
        for preset in ([one["matches"]] if isinstance(one["matches"], str) else [])
    )

    assert set(PRESETS) == set(listed)
    assert "matches" not in [key for c in CASES if "expected" not in c for key in c]


def test_h004_label_and_protection_may_come_from_two_policies():
    first = policies(packing="none")
    second = policies()
    pod = job_pod()

    one_after_other = admit(second, admit(first, pod))

    assert admit(second, pod) == one_after_other
    assert one_after_other == admit(first, one_after_other)


def test_h025_a_term_for_the_own_namespace_has_no_selector():
    own = dict(TERM["podAffinityTerm"])
    del own["namespaceSelector"]

    admitted = admit(policies(affinity_scope="own-namespace"), job_pod())
    terms = admitted["spec"]["affinity"]["podAffinity"][AFFINITY]

    assert [{"weight": 100, "podAffinityTerm": own}] == terms
    assert admitted == admit(policies(affinity_scope="own-namespace"), admitted)


def test_h024_unpacked_namespaces_neither_seek_nor_draw_jobs():
    unpacked = policies(unpacked_namespaces=("bulk", "spare"))
    selector = {
        "matchExpressions": [
            {
                "key": "kubernetes.io/metadata.name",
                "operator": "NotIn",
                "values": ["bulk", "spare"],
            }
        ]
    }

    left_alone = admit(unpacked, job_pod(namespace="bulk"))
    packed = admit(unpacked, job_pod(namespace="team-a"))
    terms = packed["spec"]["affinity"]["podAffinity"][AFFINITY]

    assert {LABEL: "job"} == left_alone["metadata"]["labels"]
    assert {DO_NOT_DISRUPT: "true", SAFE_TO_EVICT: "false"} == left_alone["metadata"][
        "annotations"
    ]
    assert NO_AFFINITY == left_alone["spec"]
    assert [selector] == [
        term["podAffinityTerm"]["namespaceSelector"] for term in terms
    ]
    assert packed == admit(unpacked, packed)


def test_h013_namespaces_of_ones_own_are_left_alone():
    pod = job_pod(namespace="argo")

    assert pod == admit(policies(exclude_namespaces=("argo",)), pod)


@pytest.mark.parametrize("packing", ["scheduler", "none"])
def test_without_affinity_pods_are_labelled_and_protected(packing):
    admitted = admit(policies(packing=packing), job_pod())

    assert {LABEL: "job"} == admitted["metadata"]["labels"]
    assert {DO_NOT_DISRUPT: "true", SAFE_TO_EVICT: "false"} == admitted["metadata"][
        "annotations"
    ]
    assert NO_AFFINITY == admitted["spec"]


def test_the_label_of_the_recipe_is_one_setting_away():
    recipe = policies(label=JobLabel(key="group", value="job"))
    admitted = admit(recipe, job_pod(labels={"app": "x"}))
    (term,) = admitted["spec"]["affinity"]["podAffinity"][AFFINITY]

    assert {"app": "x", "group": "job"} == admitted["metadata"]["labels"]
    assert {"matchLabels": {"group": "job"}} == term["podAffinityTerm"]["labelSelector"]
    assert admitted == admit(recipe, admitted)


def test_h090_without_karpenter_no_node_has_the_taint():
    admitted = admit(policies(protection={SAFE_TO_EVICT: "false"}), job_pod())

    assert {SAFE_TO_EVICT: "false"} == admitted["metadata"]["annotations"]
    assert {"affinity", "containers"} == admitted["spec"].keys()


@pytest.mark.parametrize("value", ["true", "", "anything"])
def test_h012_strict_overwrites_what_the_pod_says(value):
    strict = policies(strict=True)
    brought = {SAFE_TO_EVICT: value, "a": "b"}

    admitted = admit(strict, job_pod(annotations=brought))

    assert {SAFE_TO_EVICT: "false", DO_NOT_DISRUPT: "true", "a": "b"} == admitted[
        "metadata"
    ]["annotations"]
    assert admitted == admit(strict, admitted)


def test_h026_strict_leaves_the_label_alone():
    admitted = admit(policies(strict=True), job_pod(labels={LABEL: "billing"}))

    assert {LABEL: "billing"} == admitted["metadata"]["labels"]
    assert NO_AFFINITY == admitted["spec"]


@pytest.mark.parametrize(
    ("spec", "dns_policy"),
    [
        ({}, "ClusterFirstWithHostNet"),
        ({"dnsPolicy": "ClusterFirst"}, "ClusterFirstWithHostNet"),
        ({"dnsPolicy": "Default"}, "Default"),
        ({"dnsPolicy": "None", "dnsConfig": {"nameservers": ["10.0.0.2"]}}, "None"),
    ],
)
def test_h084_host_network_keeps_the_dns_that_the_pod_has(spec, dns_policy):
    shared = policies(host_network=True, packing="none")

    admitted = admit(shared, job_pod(**spec))

    assert {
        **spec,
        **NO_AFFINITY,
        "hostNetwork": True,
        "dnsPolicy": dns_policy,
    } == admitted["spec"]
    assert admitted == admit(shared, admitted)


@pytest.mark.parametrize(
    "spec",
    [
        {"hostNetwork": True},
        {"hostUsers": False},
        {"os": {"name": "windows"}},
        {"hostnameOverride": "worker"},
        {"containers": [{"name": "c", "ports": [{"containerPort": 80}]}]},
        {
            "containers": [
                {"name": "a", "ports": [{"containerPort": 80}]},
                {"name": "b", "ports": [{"containerPort": 80}]},
            ]
        },
        {"initContainers": [{"name": "i", "ports": [{"containerPort": 80}]}]},
        {
            "securityContext": {
                "sysctls": [{"name": "net.core.somaxconn", "value": "9"}]
            }
        },
    ],
)
def test_h084_a_pod_that_the_host_network_would_break_stays_off_it(spec):
    pod = job_pod(**spec)
    admitted = admit(policies(host_network=True, packing="none"), pod)

    assert {**pod["spec"], "tolerations": [TOLERATION]} == admitted["spec"]


@pytest.mark.parametrize(
    "spec",
    [
        {"hostUsers": True},
        {"os": {"name": "linux"}},
        {"initContainers": [{"name": "i", "ports": []}]},
        {"securityContext": {"sysctls": [{"name": "kernel.shm_rmid_forced"}]}},
    ],
)
def test_h084_what_the_host_network_does_not_break_joins_it(spec):
    admitted = admit(policies(host_network=True, packing="none"), job_pod(**spec))

    assert True is admitted["spec"]["hostNetwork"]


def test_the_data_say_what_they_must():
    names = [one["name"] for one in CASES]

    assert len(names) == len(set(names)) >= 41
    assert {"name", "matches", "expected", "hazards", "pod"} >= {
        key for one in CASES for key in one
    }
