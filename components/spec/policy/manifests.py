"""The policy objects of whichever engine was chosen."""

from typing import Any

from .cluster_policy import cluster_policies
from .definition import POLICY_NAME
from .engine import Engine
from .kyverno import mutating_policies
from .native import native_policies
from .settings import JobPolicySettings

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
