"""
A policy of Kyverno in the hands of the real engine and provider, over an upgrade.

One story: up on the definition of an old Kyverno, that of the newest in its place, a
preview, destroy. Not proven here: Kyverno itself, no part of which runs.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import pytest

from components.spec.policy.kyverno import mutating_policies
from components.spec.policy.settings import JobPolicySettings
from sandbox.cluster_api import wait_until
from tests.cluster.definitions import installed
from tests.cluster.kyverno import crd
from tests.cluster.policy_stack import PolicyStack, Run

PROGRAM = """
from components import (
    JobPolicy,
    JobPolicyArgs,
    JobPolicySettings,
    KyvernoSettings,
)
from local import cluster

JobPolicy(
    "policy",
    JobPolicyArgs(
        cluster=cluster("1.35"),
        settings=JobPolicySettings(kyverno=KyvernoSettings(install=False)),
    ),
)
"""
# What came with Kyverno 1.19, and the value that the API server fills in since.
NEWER = "skipBackgroundRequests"
POLICIES = mutating_policies(JobPolicySettings())


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    What happened.

    Args:
        runs: Each command, by the name of the step.
        stored: The spec in the API server with the definition of each Kyverno.
        left: Resources in the state after `destroy`.
    """

    runs: Mapping[str, Run]
    stored: Mapping[str, Mapping[str, Any]]
    left: Mapping[str, Any]


def without(schema: Any, field: str) -> Any:
    """Return a schema that does not know a field, however deep."""
    if isinstance(schema, list):
        return [without(one, field) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: without(one, field) for key, one in schema.items() if key != field}


@pytest.fixture(scope="module")
def story(api, built, control_plane, tmp_path_factory):
    stack = PolicyStack(
        tmp_path_factory.mktemp("kyverno"),
        built["pulumi-resource-kubernetes"],
        control_plane.kubeconfig,
        PROGRAM,
    )
    (policy,) = POLICIES
    newest = crd("MutatingPolicy")
    runs, stored = {}, {}

    def spec() -> dict[str, Any]:
        return api.get(policy)["spec"]

    with installed(api, [without(newest, NEWER)]):
        try:
            runs["up"] = stack.up()
            assert 0 == runs["up"].code, runs["up"].text
            stored["old"] = spec()
            api.merge(newest, {"spec": newest["spec"]})
            wait_until(lambda: NEWER in spec()["evaluation"], "newer definition")
            stored["newest"] = spec()
            runs["preview"] = stack.preview()
            runs["refresh"] = stack.preview("--refresh")
        finally:
            runs["destroy"] = stack.destroy()
    return Story(runs=runs, stored=stored, left=stack.resources())


def test_a_kyverno_before_1_19_takes_the_policy_as_it_is_written(story):
    (policy,) = POLICIES

    assert policy["spec"] == story.stored["old"]


def test_a_newer_kyverno_adds_its_default_and_nothing_else(story):
    (policy,) = deepcopy(POLICIES)
    policy["spec"]["evaluation"][NEWER] = True

    assert policy["spec"] == story.stored["newest"]


@pytest.mark.parametrize("command", ["preview", "refresh"])
def test_h014_a_default_of_a_newer_kyverno_is_no_change(story, command):
    assert {} == story.runs[command].steps


def test_destroy_leaves_nothing(story):
    assert (0, {}) == (story.runs["destroy"].code, story.left)
