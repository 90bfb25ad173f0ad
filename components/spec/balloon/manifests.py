"""What a balloon becomes in a cluster, in the order in which it is made."""

from typing import Any

from ..groups import JobGroup
from ..instance_types import InstanceTypes
from ..scaler.cluster_autoscaler import ClusterAutoscaler
from ..scaler.settings import Scaler
from .keda_trigger import scaled_object
from .pods import deployment, pod_template, priority_class
from .settings import (
    NAMESPACE,
    AnyBalloon,
    BufferBalloon,
    PodBalloon,
    StaticBalloon,
)
from .static_pool import static_pool

__all__ = ["CAPACITY_BUFFER_API", "balloon_manifests", "capacity_buffer"]

CAPACITY_BUFFER_API = "autoscaling.x-k8s.io/v1beta1"
"""What Karpenter 1.14 and Cluster Autoscaler 1.35 serve. Sources: their CRDs."""


def balloon_manifests(
    balloon: AnyBalloon,
    group: JobGroup,
    *,
    scaler: Scaler,
    instance_types: InstanceTypes,
    cluster_version: str,
    namespace: str = NAMESPACE,
) -> tuple[dict[str, Any], ...]:
    """
    Return the objects of one balloon: each needs those before it.

    The namespace is not among them, since balloons share it; see
    `balloon_namespace`. A warm pool has no objects.

    Args:
        balloon: A balloon that `validate_balloons` lets pass.
        group: Its job group.
        scaler: What makes nodes, with `with_balloons`.
        instance_types: Facts about the types of the group.
        cluster_version: Version of Kubernetes, `1.36`.
        namespace: Where its objects live.

    Shape:
        PriorityClass, Deployment and, with a schedule, ScaledObject; or PodTemplate
        and CapacityBuffer; or NodePool.
    """
    if isinstance(balloon, PodBalloon):
        return (
            priority_class(balloon),
            deployment(balloon, group, namespace),
            *_schedule(balloon, namespace, cluster_version),
        )
    if isinstance(balloon, BufferBalloon):
        return capacity_buffer(balloon, group, namespace)
    if isinstance(balloon, StaticBalloon) and not isinstance(scaler, ClusterAutoscaler):
        return (static_pool(balloon, group, scaler, instance_types),)
    return ()


def capacity_buffer(
    balloon: BufferBalloon, group: JobGroup, namespace: str = NAMESPACE
) -> tuple[dict[str, Any], dict[str, Any]]:
    """
    Return the pod that is kept free for, and how often.

    Args:
        balloon: The balloon.
        group: Its job group.
        namespace: Where both live.

    Shape:
        A `PodTemplate` and a `CapacityBuffer`.
    """
    place = {"name": balloon.object_name, "namespace": namespace}
    return (
        {
            "apiVersion": "v1",
            "kind": "PodTemplate",
            "metadata": place,
            "template": pod_template(balloon, group),
        },
        {
            "apiVersion": CAPACITY_BUFFER_API,
            "kind": "CapacityBuffer",
            "metadata": dict(place),
            "spec": {
                "provisioningStrategy": "buffer.x-k8s.io/active-capacity",
                "podTemplateRef": {"name": balloon.object_name},
                "replicas": balloon.replicas,
            },
        },
    )


def _schedule(
    balloon: PodBalloon, namespace: str, cluster_version: str
) -> tuple[dict[str, Any], ...]:
    if balloon.schedule is None:
        return ()
    return (
        scaled_object(
            balloon.object_name,
            namespace,
            target=balloon.object_name,
            schedule=balloon.schedule,
            replicas=balloon.replicas,
            cluster_version=cluster_version,
        ),
    )
