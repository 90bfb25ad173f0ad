"""The policy as Kyverno's MutatingPolicy, for clusters before 1.36."""

from typing import Any

from .definition import (
    POLICY_NAME,
    PolicyDefinition,
    definitions,
)
from .expressions import match_conditions, mutation
from .native import match_constraints
from .settings import JobPolicySettings

__all__ = ["WEBHOOK_TIMEOUT_SECONDS", "mutating_policies"]

WEBHOOK_TIMEOUT_SECONDS = 5
"""
How long the API server waits for Kyverno, in seconds, before a pod goes on as it is.

Sources:
    Half of Kyverno's default; ten times the p99 of its own load test (427 ms).
"""


def mutating_policies(
    settings: JobPolicySettings, name: str = POLICY_NAME
) -> list[dict[str, Any]]:
    """
    Return the policies; the expressions are those of the native engine.

    What Kyverno would fill in is written out, and the empty list of pod controllers
    is what keeps it from deriving policies for Jobs and Deployments. Server-side
    apply stays unset: it would replace the list of affinity terms.

    Shape:
        MutatingPolicy, policies.kyverno.io/v1. Left out is what Kyverno 1.17, the
        first with it, would refuse as unknown: `skipBackgroundRequests`, which newer
        ones set to true themselves.
    """
    return [_policy(definition) for definition in definitions(settings, name)]


def _policy(definition: PolicyDefinition) -> dict[str, Any]:
    return {
        "apiVersion": "policies.kyverno.io/v1",
        "kind": "MutatingPolicy",
        "metadata": {"name": definition.name},
        "spec": {
            "failurePolicy": "Ignore",
            "reinvocationPolicy": "IfNeeded",
            "webhookConfiguration": {"timeoutSeconds": WEBHOOK_TIMEOUT_SECONDS},
            "autogen": {
                "mutatingAdmissionPolicy": {"enabled": False},
                "podControllers": {"controllers": []},
            },
            "evaluation": {
                "admission": {"enabled": True},
                "background": {"enabled": False},
                "mutateExisting": {"enabled": False},
            },
            "matchConstraints": match_constraints(definition),
            "matchConditions": match_conditions(definition.handles),
            "mutations": [mutation(change) for change in definition.changes],
        },
    }
