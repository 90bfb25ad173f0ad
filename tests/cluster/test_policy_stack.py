"""
The policy of the sandbox stack in the hands of the real engine and provider.

One story: up with a policy that packs nothing, a change to the policy of the sandbox
stack, destroy. Not proven here: a Kyverno release (no chart is fetched), AWS.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from components.spec.policy.native import native_policies
from components.spec.policy.protection import DEFAULT_PROTECTION
from components.spec.policy.settings import JobPolicySettings
from components.spec.storage_class import storage_class
from infra.settings import load_file
from sandbox.cluster_api import settled
from sandbox.environment import ROOT
from tests.cluster.policies import job_pod
from tests.cluster.policy_stack import PolicyStack, Run
from tests.spec.policy.admission import AFFINITY, LABEL

V1 = "kubernetes:admissionregistration.k8s.io/v1"
POLICY = f"{V1}:MutatingAdmissionPolicy::platform-policy-native"
BINDING = f"{V1}:MutatingAdmissionPolicyBinding::platform-policy-native"
FIRST = native_policies(JobPolicySettings(packing="none"))
CLASS = storage_class()


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    What happened.

    Args:
        runs: Each command, by the name of the step.
        stored: Specs of the policies in the API server after each `up`, by the same
            name; those that are missing are None.
        classes: The storage class in the API server after the first `up`.
        pods: A job pod that was admitted after each `up`.
        left: Resources in the state after `destroy`, and objects in the API server.
    """

    runs: Mapping[str, Run]
    stored: Mapping[str, list[Any]]
    classes: Mapping[str, Any]
    pods: Mapping[str, Mapping[str, Any]]
    left: list[str]


@pytest.fixture(scope="module")
def settings():
    policy = load_file(ROOT, "sandbox").policy
    assert policy is not None
    return policy


@pytest.fixture(scope="module")
def sandbox_policy(settings):
    return native_policies(settings)


@pytest.fixture(scope="module")
def story(api, built, control_plane, sandbox_policy, tmp_path_factory):
    stack = PolicyStack(
        tmp_path_factory.mktemp("policy"),
        built["pulumi-resource-kubernetes"],
        control_plane.kubeconfig,
    )
    runs, stored, pods = {}, {}, {}
    try:
        for step, first in (("up", True), ("change", False)):
            stack.first(wanted=first)
            runs[f"preview before {step}"] = stack.preview()
            runs[step] = stack.up()
            found = [stored_as(api, one) for one in sandbox_policy]
            stored[step] = [one.get("spec") for one in found]
            pods[step] = settled(api.create(job_pod(), dry_run=True).object)
            runs[f"preview after {step}"] = stack.preview()
            runs[f"refresh after {step}"] = stack.preview("--refresh")
        classes = stored_as(api, CLASS)
    finally:
        runs["destroy"] = stack.destroy()
    objects = [*sandbox_policy, CLASS]
    left = [one["kind"] for one in objects if api.exists(one)]
    return Story(
        runs=runs,
        stored=stored,
        classes=classes,
        pods=pods,
        left=[*stack.resources(), *left],
    )


def stored_as(api, manifest) -> Mapping[str, Any]:
    return api.get(manifest) if api.exists(manifest) else {}


def test_every_command_succeeds(story):
    failed = {name: run.text for name, run in story.runs.items() if run.code != 0}

    assert {} == failed


def test_up_stores_the_policies_as_they_are_written(story):
    assert [*(one["spec"] for one in FIRST), None, None] == story.stored["up"]


def test_the_default_storage_class_is_stored_as_it_is_written(story):
    rest = {key: value for key, value in CLASS.items() if key != "metadata"}
    stored = story.classes

    assert rest == {key: stored[key] for key in rest}
    assert CLASS["metadata"]["annotations"].items() <= (
        stored["metadata"]["annotations"].items()
    )


@pytest.mark.parametrize("after", ["up", "change"])
def test_h014_a_second_preview_is_empty(story, after):
    assert {} == story.runs[f"preview after {after}"].steps


@pytest.mark.parametrize("after", ["up", "change"])
def test_h014_the_provider_sees_no_drift_in_what_the_api_server_stored(story, after):
    assert {} == story.runs[f"refresh after {after}"].steps


def test_a_change_updates_the_policy_in_place_and_adds_the_host_network(story):
    assert {
        POLICY: "update",
        f"{POLICY}-host-network": "create",
        f"{BINDING}-host-network": "create",
    } == story.runs["preview before change"].steps


def test_a_change_is_stored_as_it_is_written(story, sandbox_policy):
    assert [one["spec"] for one in sandbox_policy] == story.stored["change"]


def test_a_job_pod_is_protected_after_up_and_packed_after_the_change(story, settings):
    before, after = story.pods["up"], story.pods["change"]

    assert {LABEL: "job"} == before["metadata"]["labels"]
    assert DEFAULT_PROTECTION == before["metadata"]["annotations"]
    assert "affinity" not in before["spec"]
    assert {settings.label.key: settings.label.value} == after["metadata"]["labels"]
    assert [settings.affinity] == after["spec"]["affinity"]["podAffinity"][AFFINITY]
    assert True is after["spec"]["hostNetwork"]


def test_destroy_leaves_nothing(story):
    assert [] == story.left
