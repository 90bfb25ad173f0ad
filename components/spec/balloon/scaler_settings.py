"""What the scaler is given for balloons, so that they work and cost no job."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..scaler.auto_mode import AutoMode
from ..scaler.cluster_autoscaler import ClusterAutoscaler
from ..scaler.pool import ConsolidationPolicy, PoolRules
from ..scaler.settings import Scaler
from ..scaler.versions import parsed
from .hours import least_held
from .settings import (
    PRIORITY,
    AnyBalloon,
    BufferBalloon,
    PodBalloon,
    WarmPoolBalloon,
)

__all__ = [
    "GATES",
    "always_up",
    "balloon_policy",
    "expendable_cutoff",
    "gates_needed",
    "of_group",
    "with_balloon_values",
    "with_balloons",
]

GATES: Mapping[str, str] = {
    "capacity-buffer": "capacityBuffer",
    "static": "staticCapacity",
}
"""
Feature gate of Karpenter by the kind of balloon that needs it. Both are alpha.

Sources: Karpenter 1.15, settings.
"""

_BALANCED_SINCE = (1, 14)
_CRD = "capacitybuffers.autoscaling.x-k8s.io"


def gates_needed(balloons: Sequence[AnyBalloon]) -> tuple[str, ...]:
    """Return the feature gates that the balloons need of Karpenter."""
    kinds = {one.kind for one in balloons}
    return tuple(gate for kind, gate in GATES.items() if kind in kinds)


def balloon_policy(
    scaler: Scaler, balloons: Sequence[AnyBalloon], group: str, *, protected: bool
) -> ConsolidationPolicy | None:
    """
    Return the consolidation that the pool of a group gets because of its balloons.

    A balloon counts as a pod, so under `WhenEmpty` each that a burst left alone on a
    node keeps that node for ever. The other policies put such balloons together. They
    move everything that no annotation keeps, so they are chosen only where the job
    policy writes it. Balloons whose schedule leaves a time without them go, and their
    nodes with them. `Balanced` is taken where it exists: it makes a move only when the
    saving is worth the pods that it moves, so a few balloons are put together, and
    nodes are not exchanged for some that cost a little less.

    Args:
        scaler: What makes nodes.
        balloons: All balloons.
        group: Name of the job group.
        protected: Whether the job policy keeps jobs from being moved.

    Returns:
        None where nothing changes: Cluster Autoscaler, a pool whose rules are the
        user's, no balloon that is always up, or jobs without protection.

    Sources:
        karpenter 1.15, pkg/utils/disruption (a balloon of -10 costs 0.9999997) and
        controllers/disruption/balanced.go. aws/karpenter-provider-aws#4452.
    """
    if isinstance(scaler, ClusterAutoscaler) or group in scaler.pools or not protected:
        return None
    if not always_up(balloons, group):
        return None
    if isinstance(scaler, AutoMode) or parsed(scaler.version)[:2] < _BALANCED_SINCE:
        return "WhenEmptyOrUnderutilized"
    return "Balanced"


def always_up(balloons: Sequence[AnyBalloon], group: str) -> int:
    """
    Count the pods of balloons of a group that never go.

    Those without a schedule, and those whose windows leave no time without them.
    """
    return sum(
        one.replicas if one.schedule is None else least_held(one.schedule, one.replicas)
        for one in balloons
        if isinstance(one, PodBalloon) and one.group == group
    )


def with_balloons(
    scaler: Scaler, balloons: Sequence[AnyBalloon], *, protected: bool
) -> Scaler:
    """
    Return the scaler as it is set up for its balloons.

    Karpenter gets the gates of the kinds in use, when the library installs it. Pools
    without rules of the user's get `balloon_policy`. Cluster Autoscaler stays what it
    is: see `of_group` and `with_balloon_values`.

    Args:
        scaler: The scaler in use.
        balloons: Balloons that `validate_balloons` lets pass.
        protected: Whether the job policy keeps jobs from being moved.
    """
    if isinstance(scaler, ClusterAutoscaler):
        return scaler
    chosen = {
        group: policy
        for group in dict.fromkeys(one.group for one in balloons)
        for policy in [balloon_policy(scaler, balloons, group, protected=protected)]
        if policy is not None
    }
    pools = {
        **scaler.pools,
        **{
            group: PoolRules(consolidation_policy=policy)
            for group, policy in chosen.items()
        },
    }
    if isinstance(scaler, AutoMode):
        return replace(scaler, pools=pools)
    gates = dict.fromkeys(gates_needed(balloons) if scaler.install else (), True)
    return replace(scaler, pools=pools, feature_gates={**scaler.feature_gates, **gates})


def of_group(
    scaler: ClusterAutoscaler, balloons: Sequence[AnyBalloon], group: str
) -> ClusterAutoscaler:
    """Return the settings for the managed groups of a job group: its warm pool."""
    for one in balloons:
        if isinstance(one, WarmPoolBalloon) and one.group == group:
            return replace(scaler, warm_pool=one.warm_pool)
    return scaler


def expendable_cutoff(balloons: Sequence[AnyBalloon]) -> int:
    """Return the priority below which Cluster Autoscaler gives no node to a pod."""
    return min(
        [PRIORITY, *(one.priority for one in balloons if isinstance(one, PodBalloon))]
    )


def with_balloon_values(
    values: Mapping[str, Any], balloons: Sequence[AnyBalloon]
) -> dict[str, Any]:
    """
    Return the values of Cluster Autoscaler's chart with what balloons need.

    That is the cut-off of priorities; and for capacity buffers the controller, a
    client that can write them, the rights that it needs, and the definition of the
    resource, none of which the chart brings.

    Args:
        values: What `autoscaler_values` returns.
        balloons: Balloons that `validate_balloons` lets pass.

    Sources:
        Cluster Autoscaler 1.36, flags. kubernetes/autoscaler#9933 and
        devantler-tech/ksail#5277, #5446, for the rights; kubernetes/autoscaler#8855
        and #9603 for the client. Not run.
    """
    flags = {"expendable-pods-priority-cutoff": str(expendable_cutoff(balloons))}
    if not any(isinstance(one, BufferBalloon) for one in balloons):
        return {**values, "extraArgs": {**values["extraArgs"], **flags}}
    flags |= {
        "capacity-buffer-controller-enabled": "true",
        "capacity-buffer-pod-injection-enabled": "true",
        # Its client speaks protobuf, which custom resources are not written in: the
        # controller would fail on every buffer, and no node would come.
        "kube-api-content-type": "application/json",
    }
    return {
        **values,
        "rbac": {**values["rbac"], "additionalRules": _rules()},
        "extraArgs": {**values["extraArgs"], **flags},
        "extraObjects": [_definition()],
    }


def _rules() -> list[dict[str, Any]]:
    read, write = ["get", "list", "watch"], ["create", "patch", "update"]
    return [
        {
            "apiGroups": ["autoscaling.x-k8s.io"],
            "resources": ["capacitybuffers", "capacitybuffers/status"],
            "verbs": [*read, "patch", "update"],
        },
        {
            "apiGroups": [""],
            "resources": ["podtemplates"],
            "verbs": [*read, *write],
        },
        {"apiGroups": [""], "resources": ["resourcequotas"], "verbs": read},
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": read},
    ]


def _definition() -> dict[str, Any]:
    """
    Define the resource without its schema: the controller checks what it reads.

    Kept to what the API server must know, so that versions of the controller may add
    fields.
    """
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": _CRD},
        "spec": {
            "group": _CRD.partition(".")[2],
            "scope": "Namespaced",
            "names": {
                "kind": "CapacityBuffer",
                "listKind": "CapacityBufferList",
                "plural": "capacitybuffers",
                "singular": "capacitybuffer",
                "shortNames": ["cb"],
            },
            "versions": [
                {
                    "name": "v1beta1",
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "required": ["spec"],
                            "properties": {"spec": anything, "status": dict(anything)},
                        }
                    },
                }
            ],
        },
    }
