"""The policy as MutatingAdmissionPolicy: run by the API server, nothing to install."""

from typing import Any

from .definition import (
    POLICY_NAME,
    PolicyDefinition,
    definitions,
)
from .expressions import match_conditions, mutation
from .settings import JobPolicySettings

__all__ = ["match_constraints", "native_policies"]


def native_policies(
    settings: JobPolicySettings, name: str = POLICY_NAME
) -> list[dict[str, Any]]:
    """
    Return each policy, followed by its binding.

    Without a binding a policy does nothing. What the API server would fill in is
    written out, so that the stored objects equal these.

    Shape:
        MutatingAdmissionPolicy and MutatingAdmissionPolicyBinding,
        admissionregistration.k8s.io/v1.
    """
    return [
        manifest
        for definition in definitions(settings, name)
        for manifest in (_policy(definition), _binding(definition))
    ]


def match_constraints(definition: PolicyDefinition) -> dict[str, Any]:
    """
    Return which requests are looked at: pods when they are created, nothing else.

    On an update the affinity may not change any more, and the pod would hang.

    Shape:
        The `matchConstraints` of a native policy and of a MutatingPolicy.
    """
    return {
        "matchPolicy": "Equivalent",
        "namespaceSelector": definition.namespace_selector(),
        "objectSelector": {},
        "resourceRules": [
            {
                "apiGroups": [""],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["pods"],
                "scope": "Namespaced",
            }
        ],
    }


def _policy(definition: PolicyDefinition) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingAdmissionPolicy",
        "metadata": {"name": definition.name},
        "spec": {
            "failurePolicy": "Ignore",
            "reinvocationPolicy": "IfNeeded",
            "matchConstraints": match_constraints(definition),
            "matchConditions": match_conditions(definition.handles),
            "mutations": [mutation(change) for change in definition.changes],
        },
    }


def _binding(definition: PolicyDefinition) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingAdmissionPolicyBinding",
        "metadata": {"name": definition.name},
        "spec": {"policyName": definition.name},
    }
