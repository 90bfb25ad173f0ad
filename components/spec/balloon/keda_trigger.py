"""A schedule as KEDA takes it: cron triggers of a ScaledObject."""

from typing import Any

from ..scaler.duration import seconds
from .schedule import Schedule

__all__ = ["POLLING_SECONDS", "scaled_object", "triggers"]

POLLING_SECONDS = 30
"""
How often KEDA looks at the clock.

Sources: the default of KEDA 2.20, ScaledObject, pollingInterval.
"""


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
) -> dict[str, Any]:
    """
    Return the object that makes KEDA the one owner of a Deployment's replicas.

    Outside of all windows there are none. It must be created after KEDA and after
    the Deployment, and removed before both, because of KEDA's finalizer.

    Args:
        name: Name of the object.
        namespace: Namespace of the object and of its target.
        target: Name of the Deployment, which must leave `replicas` out.
        schedule: The schedule.
        replicas: Balloons in windows that say no number of their own.

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
            "triggers": list(triggers(schedule, replicas)),
        },
    }
