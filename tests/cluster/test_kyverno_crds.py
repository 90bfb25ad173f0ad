"""
Kyverno's policies against Kyverno's own CRDs, in a real API server.

Not proven here: Kyverno's validating webhook, which compiles the expressions.
"""

from copy import deepcopy
from typing import Any

import pytest

from components.spec.policy.engine import Engine
from components.spec.policy.manifests import policy_manifests
from components.spec.policy.settings import JobPolicySettings
from sandbox.cluster_api import RefusedError, wait_until
from tests.cluster.kyverno import crd
from tests.cluster.policies import VARIANTS

KINDS: dict[Engine, str] = {
    "kyverno": "MutatingPolicy",
    "kyverno-legacy": "ClusterPolicy",
}
# What the API server fills in although it is not written, as Kyverno before 1.19
# does not know the field; a preview does not mind (test_kyverno_stack).
NEWER = {"skipBackgroundRequests": True}
# What the API server says about each object, by kind.
WARNINGS = {
    "MutatingPolicy": [],
    "ClusterPolicy": ["kyverno.io/v1 ClusterPolicy is deprecated"],
}


@pytest.fixture(scope="module", autouse=True)
def definitions(api):
    """Install the CRDs, and wait until objects of them can be created."""
    found = [crd(kind) for kind in KINDS.values()]
    for one in found:
        api.create(one)
    for engine in KINDS:
        (policy,) = policy_manifests(JobPolicySettings(), engine)
        wait_until(lambda policy=policy: is_served(api, policy), engine)
    yield
    for one in found:
        api.delete(one)


def is_served(api, policy) -> bool:
    try:
        api.items(policy)
    except RefusedError:
        return False
    return True


@pytest.mark.parametrize("settings", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("engine", KINDS)
def test_h014_kyvernos_policies_are_stored_as_they_were_written(api, engine, settings):
    manifests = policy_manifests(settings, engine)
    answers = [api.create(manifest, dry_run=True) for manifest in manifests]

    assert [with_defaults(one) for one in manifests] == [
        answer.object["spec"] for answer in answers
    ]
    for manifest, answer in zip(manifests, answers, strict=True):
        texts = [text.partition('"')[2] for text in answer.warnings]

        assert WARNINGS[manifest["kind"]] == [t.split(" and ")[0] for t in texts]


def with_defaults(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the spec with what the newest Kyverno adds."""
    spec = deepcopy(manifest["spec"])
    if "evaluation" in spec:
        spec["evaluation"] |= NEWER
    return spec


def planted(engine: Engine, path: str, value: Any) -> dict[str, Any]:
    """Return a policy with a value in place of another."""
    (policy,) = deepcopy(policy_manifests(JobPolicySettings(), engine))
    *way, last = path.split(".")
    part: Any = policy["spec"]
    for step in way:
        part = part[int(step)] if step.isdigit() else part[step]
    part[last] = value
    return policy


@pytest.mark.parametrize(
    ("engine", "path", "value", "reason"),
    [
        ("kyverno", "matchCondition", [], 'unknown field "spec.matchCondition"'),
        ("kyverno", "failurePolicy", "Never", "spec.failurePolicy: Unsupported value"),
        ("kyverno", "reinvocationPolicy", 1, "spec.reinvocationPolicy: Invalid value"),
        (
            "kyverno",
            "matchConstraints.resourceRules",
            "pods",
            "spec.matchConstraints.resourceRules: Invalid value",
        ),
        ("kyverno", "autogen.podControllers.controller", [], "unknown field"),
        (
            "kyverno",
            "evaluation.admission.enabled",
            "yes",
            "spec.evaluation.admission.enabled: Invalid value",
        ),
        ("kyverno-legacy", "rule", [], 'unknown field "spec.rule"'),
        (
            "kyverno-legacy",
            "applyRules",
            "Some",
            "spec.applyRules: Unsupported value",
        ),
        (
            "kyverno-legacy",
            "rules.0.mutate.patch",
            {},
            'unknown field "spec.rules[0].mutate.patch"',
        ),
        (
            "kyverno-legacy",
            "webhookConfiguration.failurePolicy",
            "Never",
            "spec.webhookConfiguration.failurePolicy: Unsupported value",
        ),
    ],
)
def test_a_planted_fault_is_refused(api, engine, path, value, reason):
    with pytest.raises(RefusedError) as caught:
        api.create(planted(engine, path, value), dry_run=True)

    assert reason in str(caught.value)
