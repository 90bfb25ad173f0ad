"""The part of `summary.md` that describes what adds and removes nodes."""

from collections.abc import Iterator

from components.spec.instance_types import InstanceTypes
from components.spec.scaler.auto_mode import CLUSTER_POLICIES, NODE_POLICIES, AutoMode
from components.spec.scaler.autoscaler_chart import AUTOSCALER_ACCOUNT
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.karpenter_chart import SERVICE_ACCOUNT
from components.spec.scaler.karpenter_iam import CONTROLLER_POLICIES
from components.spec.scaler.settings import Scaler, controller_version
from components.spec.scaler.versions import (
    AUTOSCALER_CHART,
    KARPENTER_CHART,
    NAMESPACE,
)
from infra import scaled_groups
from infra.markdown import table
from infra.settings import Settings

__all__ = ["access_rows", "scaler_summary"]

_NAMES = {
    "karpenter": "Karpenter",
    "cluster-autoscaler": "Cluster Autoscaler",
    "auto-mode": "EKS Auto Mode",
}


def scaler_summary(settings: Settings, types: InstanceTypes) -> Iterator[list[str]]:
    """
    Describe the scalers: what runs, with which version, and how long nodes live.

    Args:
        settings: What the stack file says.
        types: Facts about instance types.

    Returns:
        Blocks of lines.
    """
    for scaler in scaled_groups.scalers(settings):
        retiring = scaler is settings.retiring_scaler
        yield ["## Scaler that retires" if retiring else "## Scaler"]
        yield table(("setting", "value"), _facts(scaler, settings))
        lives = scaled_groups.pools(scaler, settings, types)
        if lives:
            yield table(
                ("pool", "a node drains at", "a drain ends after", "nodes"),
                [
                    (
                        one.group.name,
                        one.life.expire_after,
                        one.life.termination_grace_period or "its last job",
                        one.node_pool["spec"]["limits"]["nodes"],
                    )
                    for one in lives
                ],
            )
        if isinstance(scaler, ClusterAutoscaler) and settings.jobs:
            yield table(
                ("group", "a node goes when less is requested", "for", "not ready for"),
                [
                    (
                        group.name,
                        f"{options.utilization_threshold:g} of the node",
                        options.unneeded_time,
                        options.unready_time,
                    )
                    for group in settings.jobs
                    for options in [scaler.scale_down(group.name)]
                ],
            )


def access_rows(settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what the scalers bring into the table of principals."""
    for scaler in scaled_groups.scalers(settings):
        if isinstance(scaler, Karpenter) and scaler.install:
            account = f"role of `{NAMESPACE}/{SERVICE_ACCOUNT}` (Pod Identity)"
            yield account, f"policies of ours: {', '.join(CONTROLLER_POLICIES)}"
        if isinstance(scaler, ClusterAutoscaler) and scaler.install:
            account = f"role of `{NAMESPACE}/{AUTOSCALER_ACCOUNT}` (Pod Identity)"
            yield account, "a policy of ours: resize the groups of this cluster"
        if isinstance(scaler, AutoMode):
            more = ", ".join(CLUSTER_POLICIES[1:])
            yield "role of the control plane, for Auto Mode", f"{more}, tag nodes"
            if scaler.node_pools:
                nodes = ", ".join(NODE_POLICIES)
                yield f"role of built-in pools ({', '.join(scaler.node_pools)})", nodes


def _facts(scaler: Scaler, settings: Settings) -> Iterator[tuple[str, object]]:
    version = controller_version(scaler, settings.cluster.version)
    yield "scaler", _NAMES[scaler.kind]
    yield (
        "version",
        "chosen by EKS"
        if isinstance(scaler, AutoMode)
        else version or ("not known, it is not installed here"),
    )
    if isinstance(scaler, AutoMode):
        yield "built-in pools", ", ".join(scaler.node_pools) or "none"
        return
    if scaler.install:
        yield "chart", _chart(scaler)
        yield "replicas", scaler.replicas
    if isinstance(scaler, Karpenter):
        alias = scaler.alias(settings.cluster.ami_release or "")
        yield "image", alias
        yield "preferred affinity of pods", scaler.preference_policy
        return
    yield "groups", scaler.groups
    yield "groups to fill first", ", ".join(scaler.priorities) or "none in particular"


def _chart(scaler: Karpenter | ClusterAutoscaler) -> str:
    if isinstance(scaler, Karpenter):
        return f"{KARPENTER_CHART.name} {scaler.version}"
    return f"{AUTOSCALER_CHART.name} {AUTOSCALER_CHART.version}"
