"""Small values that most tests of the monitoring begin with."""

from typing import Any

from components.spec.monitoring.rules import Scope
from components.spec.monitoring.settings import Monitoring
from components.spec.monitoring.watched import Watched, watched
from components.spec.policy.settings import JobPolicySettings
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from tests.spec.scaler.builders import job

__all__ = ["SCALERS", "rules", "scope", "watch"]

SCALERS = {
    "karpenter": Karpenter(),
    "cluster-autoscaler": ClusterAutoscaler(),
    "auto-mode": AutoMode(),
}


def watch(*scalers: str, **overrides: Any) -> Watched:
    """Return the cluster `prod` with its groups `job` and `job-arm`."""
    arguments = {
        "cluster": "prod",
        "jobs": (job(), job(architecture="arm64")),
        "scalers": [SCALERS[name] for name in scalers or ("karpenter",)],
        "policy": JobPolicySettings(),
        "balloon_classes": ("balloon-job-minus-10",),
    }
    return watched(**(arguments | overrides))


def scope(*scalers: str, **settings: Any) -> Scope:
    """Return what rules of that cluster are written from."""
    return Scope(settings=Monitoring(**settings), watched=watch(*scalers))


def rules(groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rules of all groups."""
    return [rule for group in groups for rule in group["rules"]]
