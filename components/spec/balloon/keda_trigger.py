"""A schedule as KEDA takes it: cron triggers of a ScaledObject."""

from typing import Any

from ..policy.engine import minor
from ..scaler.duration import seconds
from .hours import close_steps
from .schedule import Schedule

__all__ = [
    "POLLING_SECONDS",
    "heeds_tolerance",
    "needs_tolerance",
    "scaled_object",
    "triggers",
]

POLLING_SECONDS = 30
"""
How often KEDA looks at the clock.

Sources: the default of KEDA 2.20, ScaledObject, pollingInterval.
"""

# How often the HPA looks, and the longest time that it may wait before it goes down.
# Sources: kube-controller-manager, flags; Kubernetes, autoscaling/validation.
_SYNC_SECONDS = 15
_LONGEST_STABILIZATION = 3_600

# Minor version of Kubernetes from which on an HPA may say its tolerance.
# Source: Kubernetes, kube_features.go, HPAConfigurableTolerance: beta in 1.35.
_TOLERANCE_SINCE = 35


def heeds_tolerance(cluster_version: str) -> bool:
    """Tell whether a cluster lets an HPA take steps of a tenth and less."""
    return minor(cluster_version) >= _TOLERANCE_SINCE


def needs_tolerance(schedule: Schedule, replicas: int, cluster_version: str) -> bool:
    """Tell whether the object of a schedule says a tolerance, which KEDA must know."""
    return heeds_tolerance(cluster_version) and bool(close_steps(schedule, replicas))


def triggers(schedule: Schedule, replicas: int) -> tuple[dict[str, Any], ...]:
    """
    Return one cron trigger for each window, in the order of the file.

    Args:
        schedule: The schedule.
        replicas: Balloons in windows that say no number of their own.

    Shape:
        Items of `spec.triggers` of a ScaledObject. All values of the metadata are
        texts, as KEDA wants them.
    """
    return tuple(
        {
            "type": "cron",
            "metadata": {
                "timezone": schedule.timezone,
                "start": start,
                "end": end,
                "desiredReplicas": str(count),
            },
        }
        for (start, end), count in zip(
            (window.crons for window in schedule.all_windows),
            schedule.counts(replicas),
            strict=True,
        )
    )


def scaled_object(
    name: str,
    namespace: str,
    *,
    target: str,
    schedule: Schedule,
    replicas: int,
    cluster_version: str,
) -> dict[str, Any]:
    """
    Return the object that makes KEDA the one owner of a Deployment's replicas.

    KEDA starts the first balloon, and its HPA the others: all at once, and exactly
    as many as the window says. Outside of all windows there are none.

    It must be created after KEDA and after the Deployment, and removed before both,
    because of KEDA's finalizer.

    Args:
        name: Name of the object.
        namespace: Namespace of the object and of its target.
        target: Name of the Deployment, which must leave `replicas` out.
        schedule: The schedule.
        replicas: Balloons in windows that say no number of their own.
        cluster_version: Version of Kubernetes, `1.36`.

    Shape:
        ScaledObject, `keda.sh/v1alpha1`.

    Sources:
        KEDA 2.20, apis/keda/v1alpha1/scaledobject_types.go. maxReplicaCount is
        what caps the HPA.
    """
    return {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "scaleTargetRef": {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "name": target,
            },
            "pollingInterval": POLLING_SECONDS,
            "cooldownPeriod": seconds(schedule.cooldown),
            "minReplicaCount": 0,
            "maxReplicaCount": max(schedule.counts(replicas)),
            "advanced": {
                "horizontalPodAutoscalerConfig": {
                    "behavior": _behavior(schedule, replicas, cluster_version)
                }
            },
            "triggers": list(triggers(schedule, replicas)),
        },
    }


def _behavior(
    schedule: Schedule, replicas: int, cluster_version: str
) -> dict[str, Any]:
    """
    Let the HPA of KEDA go to the number of a window in one step.

    Left alone it doubles every 15 s, and stops where less than a tenth is missing:
    at 16 of 17, for ever. It goes down when the cooldown is over, as KEDA does.

    Sources:
        kube-controller-manager 1.37, podautoscaler/horizontal.go
        (convertDesiredReplicasWithRules) and replica_calculator.go (isWithin).
    """
    exact = {}
    if needs_tolerance(schedule, replicas, cluster_version):
        exact = {"tolerance": "0"}
    at_once = {
        "type": "Pods",
        "value": max(schedule.counts(replicas)),
        "periodSeconds": _SYNC_SECONDS,
    }
    wait = min(seconds(schedule.cooldown), _LONGEST_STABILIZATION)
    return {
        "scaleUp": {"policies": [at_once], **exact},
        "scaleDown": {"stabilizationWindowSeconds": wait, **exact},
    }
