"""
These tests prove what the rules of a ClusterPolicy say, in another JMESPath engine.

Kyverno's own is a fork of it; tests/cluster runs the same pods with the real one.
"""

import json
import re
from copy import deepcopy

import jmespath
import pytest

from components.spec.policy.cluster_policy import cluster_policies
from components.spec.policy.matchers import (
    PRESETS,
    Label,
    LabelMatcher,
    Owner,
    OwnerMatcher,
)
from components.spec.policy.native import native_policies
from components.spec.policy.settings import JobPolicySettings
from tests.spec.policy.admission import (
    CASES,
    admit,
    decoded,
    expected_pod,
    in_namespaces,
)

# Where Kyverno takes an expression to end: it looks one level of braces deep.
VARIABLE = re.compile(r"\{\{((?:\{[^{}]*\}|[^{}])*)\}\}")


def legacy(policies, pod, namespace_labels=None):
    """Run the rules of ClusterPolicies on a pod that is being created."""
    name = pod["metadata"]["namespace"]
    labels = {"kubernetes.io/metadata.name": name, **(namespace_labels or {})}
    for policy in policies:
        for rule in policy["spec"]["rules"]:
            (match,) = rule["match"]["any"]
            if in_namespaces(match["resources"]["namespaceSelector"], labels) and (
                holds(rule["preconditions"], pod)
            ):
                pod = mutated(rule["mutate"], pod)
    return pod


def holds(preconditions, pod):
    return all(is_met(one, pod) for one in preconditions["all"]) and any(
        is_met(one, pod) for one in preconditions["any"]
    )


def is_met(condition, pod):
    assert "Equals" == condition["operator"]
    (expression,) = VARIABLE.findall(condition["key"])
    value = jmespath.search(expression.strip(), {"request": {"object": pod}})
    assert isinstance(value, bool), f"{expression} gives {value}"
    return value is condition["value"]


def mutated(mutate, pod):
    pod = deepcopy(pod)
    if "patchStrategicMerge" in mutate:
        merge(mutate["patchStrategicMerge"], pod)
        return pod
    (patch,) = json.loads(mutate["patchesJson6902"])
    *parents, last, end = patch["path"].split("/")[1:]
    assert ("add", "-") == (patch["op"], end)
    at = pod
    for parent in parents:
        at = at.setdefault(parent, {})
    at.setdefault(last, []).append(patch["value"])
    return pod


def merge(patch, into):
    for key, value in patch.items():
        when_absent = re.fullmatch(r"\+\((.*)\)", key)
        if when_absent:
            into.setdefault(when_absent[1], value)
        elif isinstance(value, dict):
            merge(value, into.setdefault(key, {}))
        else:
            into[key] = value


EVERY_PRESET = JobPolicySettings(matchers=tuple(PRESETS))
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])


@each_case
def test_each_pod_is_admitted_as_by_the_other_engines(case):
    admitted = legacy(cluster_policies(EVERY_PRESET), decoded(case["pod"]))

    assert expected_pod(case) == admitted


@each_case
def test_h004_a_second_admission_changes_nothing(case):
    once = expected_pod(case)

    assert once == legacy(cluster_policies(EVERY_PRESET), once)


@pytest.mark.parametrize(
    "settings",
    [
        JobPolicySettings(affinity_scope="own-namespace"),
        JobPolicySettings(unpacked_namespaces=("bulk", "team-b")),
        JobPolicySettings(strict=True),
        JobPolicySettings(host_network=True, packing="none"),
        JobPolicySettings(matchers=("spark", "airflow"), exclude_namespaces=("ci",)),
        JobPolicySettings(
            matchers=(
                OwnerMatcher(owner=Owner(kind="Pod", api_group="")),
                LabelMatcher(label=Label(key="example.com/job", value="yes")),
            )
        ),
    ],
    ids=["own", "unpacked", "strict", "host-network", "presets", "own-matchers"],
)
def test_every_setting_does_what_it_does_on_the_native_engine(settings):
    pods = [decoded(case["pod"]) for case in CASES]
    by_api_server = [admit(native_policies(settings), pod) for pod in pods]
    by_kyverno = [legacy(cluster_policies(settings), pod) for pod in pods]

    assert by_api_server == by_kyverno
    assert by_kyverno != pods
    assert by_kyverno == [legacy(cluster_policies(settings), pod) for pod in by_kyverno]


@pytest.mark.parametrize(
    "spec",
    [
        {"hostNetwork": True},
        {"hostUsers": False},
        {"os": {"name": "windows"}},
        {"hostnameOverride": "worker"},
        {"containers": [{"name": "c", "ports": [{"containerPort": 80}]}]},
        {"initContainers": [{"name": "i", "ports": [{"containerPort": 80}]}]},
        {"securityContext": {"sysctls": [{"name": "net.core.somaxconn"}]}},
        {"dnsPolicy": "Default"},
        {"dnsPolicy": "ClusterFirst"},
        {},
    ],
)
def test_h084_host_network_breaks_no_pod_with_either_engine(spec):
    settings = JobPolicySettings(host_network=True, packing="none")
    owner = {"apiVersion": "batch/v1", "kind": "Job", "controller": True}
    metadata = {"namespace": "team-a", "ownerReferences": [owner]}
    pod = {"metadata": metadata, "spec": {"containers": [{"name": "c"}], **spec}}

    by_kyverno = legacy(cluster_policies(settings), pod)

    assert admit(native_policies(settings), pod) == by_kyverno
    assert by_kyverno == legacy(cluster_policies(settings), by_kyverno)


@pytest.mark.parametrize("level", ["baseline", "restricted"])
def test_h084_pod_security_levels_keep_the_host_network_away(level):
    settings = JobPolicySettings(host_network=True)
    owner = {"apiVersion": "batch/v1", "kind": "Job", "controller": True}
    metadata = {"namespace": "team-a", "ownerReferences": [owner]}
    pod = {"metadata": metadata, "spec": {"containers": [{"name": "c"}]}}
    labels = {"pod-security.kubernetes.io/enforce": level}

    admitted = legacy(cluster_policies(settings), pod, labels)

    assert "hostNetwork" not in admitted["spec"]
    assert "dnsPolicy" not in admitted["spec"]
    assert "affinity" in admitted["spec"]
