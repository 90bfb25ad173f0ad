"""
These tests prove what is sent to a cluster, not that it is accepted there.

The golden files hold every engine with every set of annotations.
"""

from collections.abc import Mapping

import pytest

from components.spec.policy.manifests import policy_manifests
from components.spec.policy.matchers import PRESETS
from components.spec.policy.settings import JobPolicySettings
from tests.spec.policy.admission import DO_NOT_DISRUPT, SAFE_TO_EVICT
from tests.spec.policy.documents import text

ENGINES = ("native", "kyverno", "kyverno-legacy")
PROTECTIONS = {
    "karpenter": {DO_NOT_DISRUPT: "true"},
    "cluster-autoscaler": {SAFE_TO_EVICT: "false"},
    "both": {DO_NOT_DISRUPT: "true", SAFE_TO_EVICT: "false"},
}
EVERYTHING = JobPolicySettings(
    matchers=tuple(PRESETS),
    host_network=True,
    strict=True,
    unpacked_namespaces=("bulk",),
    exclude_namespaces=("argo",),
)
each_engine = pytest.mark.parametrize("engine", ENGINES)


def fields(value, name):
    """Find every value of a field, however deep."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == name:
                yield item
            yield from fields(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from fields(item, name)


@each_engine
@pytest.mark.parametrize("protection", PROTECTIONS)
def test_manifests_match_their_golden_file(golden, engine, protection):
    settings = JobPolicySettings(protection=PROTECTIONS[protection])

    golden(
        f"policy/{engine}-{protection}.yaml", text(policy_manifests(settings, engine))
    )


@each_engine
def test_every_switch_turned_on_matches_its_golden_file(golden, engine):
    golden(
        f"policy/{engine}-everything.yaml", text(policy_manifests(EVERYTHING, engine))
    )


@each_engine
def test_equal_settings_give_equal_bytes(engine):
    reordered = JobPolicySettings(
        protection={SAFE_TO_EVICT: "false", DO_NOT_DISRUPT: "true"}
    )

    assert text(policy_manifests(JobPolicySettings(), engine)) == text(
        policy_manifests(reordered, engine)
    )


@each_engine
def test_h002_policies_look_at_new_pods_alone(engine):
    manifests = policy_manifests(EVERYTHING, engine)
    kinds = [*fields(manifests, "resources"), *fields(manifests, "kinds")]
    pods = {"native": [["pods"]], "kyverno": [["pods"]]}.get(engine, [["v1/Pod"]])

    assert [["CREATE"]] == unique(fields(manifests, "operations"))
    assert pods == unique(one for one in kinds if isinstance(one, list))


@each_engine
def test_h013_no_pod_ever_waits_for_the_policy(engine):
    manifests = policy_manifests(EVERYTHING, engine)
    timeouts = [] if engine == "native" else [5]

    assert ["Ignore"] == unique(fields(manifests, "failurePolicy"))
    assert timeouts == unique(fields(manifests, "timeoutSeconds"))


@each_engine
def test_h013_system_and_engine_are_left_out_of_every_engine(engine):
    (values,) = [
        rule["values"]
        for (rule, *_) in unique(
            fields(policy_manifests(JobPolicySettings(), engine), "matchExpressions")
        )
    ]

    assert ["kube-system", "kube-public", "kube-node-lease", "kyverno"] == values


def test_h005_nothing_is_derived_for_controllers():
    (mutating,) = policy_manifests(JobPolicySettings(), "kyverno")
    (cluster,) = policy_manifests(JobPolicySettings(), "kyverno-legacy")

    assert {"controllers": []} == mutating["spec"]["autogen"]["podControllers"]
    assert {"pod-policies.kyverno.io/autogen-controllers": "none"} == cluster[
        "metadata"
    ]["annotations"]


def test_existing_pods_are_never_mutated():
    (mutating,) = policy_manifests(JobPolicySettings(), "kyverno")
    (cluster,) = policy_manifests(JobPolicySettings(), "kyverno-legacy")

    assert {
        "admission": {"enabled": True},
        "background": {"enabled": False},
        "mutateExisting": {"enabled": False},
    } == mutating["spec"]["evaluation"]
    assert False is cluster["spec"]["background"]
    assert [] == list(fields(cluster, "targets"))


def test_a_field_that_kyverno_has_since_1_19_is_not_written():
    """Charts before 3.9 are accepted, and server-side apply refuses unknown fields."""
    manifests = policy_manifests(EVERYTHING, "kyverno")

    assert [] == list(fields(manifests, "skipBackgroundRequests"))


def test_each_native_policy_has_a_binding_of_its_name():
    manifests = policy_manifests(EVERYTHING, "native")

    assert [
        ("MutatingAdmissionPolicy", "eks-jobs"),
        ("MutatingAdmissionPolicyBinding", "eks-jobs"),
        ("MutatingAdmissionPolicy", "eks-jobs-host-network"),
        ("MutatingAdmissionPolicyBinding", "eks-jobs-host-network"),
    ] == [(one["kind"], one["metadata"]["name"]) for one in manifests]
    assert ["eks-jobs", "eks-jobs-host-network"] == list(
        fields(manifests, "policyName")
    )


def test_native_and_kyverno_share_their_expressions():
    native = policy_manifests(EVERYTHING, "native")
    kyverno = policy_manifests(EVERYTHING, "kyverno")

    assert list(fields(native, "matchConditions")) == list(
        fields(kyverno, "matchConditions")
    )
    assert list(fields(native, "mutations")) == list(fields(kyverno, "mutations"))
    assert list(fields(native, "matchConstraints")) == list(
        fields(kyverno, "matchConstraints")
    )


def test_h004_later_webhooks_bring_the_policy_back():
    for engine in ("native", "kyverno"):
        manifests = policy_manifests(EVERYTHING, engine)

        assert ["IfNeeded"] == unique(fields(manifests, "reinvocationPolicy"))


def test_h009_only_the_living_annotation_is_written():
    for engine in ENGINES:
        written = text(policy_manifests(EVERYTHING, engine))

        assert "do-not-evict" not in written
        assert DO_NOT_DISRUPT.replace("/", "~1") in written or DO_NOT_DISRUPT in written


@each_engine
def test_the_name_is_the_callers(engine):
    named = policy_manifests(EVERYTHING, engine, "ours")

    assert {"ours", "ours-host-network"} == {one["metadata"]["name"] for one in named}


def unique(values):
    """List values once, in their order; they need not be hashable."""
    found = []
    for value in values:
        if value not in found:
            found.append(value)
    return found
