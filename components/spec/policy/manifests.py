"""The policy objects of whichever engine was chosen."""

from typing import Any

from components.spec.policy.cluster_policy import cluster_policies
from components.spec.policy.definition import POLICY_NAME
from components.spec.policy.engine import Engine
from components.spec.policy.kyverno import mutating_policies
from components.spec.policy.native import native_policies
from components.spec.policy.settings import JobPolicySettings

__all__ = ["policy_manifests"]

_RENDERERS = {
    "native": native_policies,
    "kyverno": mutating_policies,
    "kyverno-legacy": cluster_policies,
}


def policy_manifests(
    settings: JobPolicySettings, engine: Engine, name: str = POLICY_NAME
) -> list[dict[str, Any]]:
    """Return the objects to create, in order; all are cluster-wide."""
    return _RENDERERS[engine](settings, name)
