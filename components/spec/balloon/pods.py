"""
The pods of a balloon: what they are, and who else must leave them alone.

They hold their room for any job at once: a second of grace, no budget that forbids
their end, a priority below every job. They push nobody out themselves.

The second is a limit that is not reached, since `pause` ends at the first signal. With
none the API server forgets a pod at the moment that it is pushed out. Of two jobs that
come together and push out pods of one node, the second then asks for the end of a pod
that is gone, kube-scheduler waits for an event that never comes, and the job stays
pending beside free room until some other pod or node gives it another look: 3 of 12
such pairs with kube-scheduler 1.37 (H089, kubernetes#141694). And the kubelet, which
still counts a pod that it has not ended yet, may refuse the job (kubernetes#106884).

They are drawn to each other, so that a balloon of three waits on one node and not on
three: balloons that a burst left alone on a node keep that node. They are not drawn
to jobs: a preferred term works both ways in kube-scheduler, so jobs would be drawn to
balloons as if those were jobs. The spread that the scheduler gives to every pod of a
Deployment would push them apart again, the more of them there are; one constraint of
their own, which counts pods that are never there, takes its place. With kube-scheduler
1.37 and six empty nodes 24 balloons came to one node so, and to three under the spread
of the scheduler; without the affinity six came to six.

All of them on one node also means all of them in one zone.
"""

from typing import Any

from ..groups import GROUP_LABEL, JobGroup
from .settings import (
    NAMESPACE,
    PAUSE_IMAGE,
    BufferBalloon,
    PodBalloon,
)

__all__ = [
    "balloon_namespace",
    "deployment",
    "pod_labels",
    "pod_template",
    "priority_class",
    "priority_class_name",
]

_APP, _INSTANCE = "app.kubernetes.io/name", "app.kubernetes.io/instance"
_NAME = "eks-jobs-balloon"
_HOST = "kubernetes.io/hostname"

# Any user but root, the one that the image names too.
_USER = 65_535

# Long enough for the kubelet to end the pod first, see above.
_GRACE_SECONDS = 1


def balloon_namespace(name: str = NAMESPACE) -> dict[str, Any]:
    """
    Return the namespace of balloons.

    Shape:
        A `Namespace` that takes restricted pods only.
    """
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "name": name,
            "labels": {"pod-security.kubernetes.io/enforce": "restricted"},
        },
    }


def priority_class_name(balloon: PodBalloon) -> str:
    """
    Name the class of a balloon.

    The value is part of the name, since it cannot be changed: another value is
    another class, and pods never meet a time without one.
    """
    return f"{balloon.object_name}-minus-{-balloon.priority}"


def priority_class(balloon: PodBalloon) -> dict[str, Any]:
    """
    Return the class of a balloon.

    Shape:
        A `PriorityClass`, never the default of the cluster. Its pods wait for room
        and push nobody out.
    """
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": priority_class_name(balloon)},
        "value": balloon.priority,
        "globalDefault": False,
        "preemptionPolicy": "Never",
        "description": "Holds room for jobs, which push it out.",
    }


def deployment(
    balloon: PodBalloon, group: JobGroup, namespace: str = NAMESPACE
) -> dict[str, Any]:
    """
    Return the Deployment of a balloon.

    With a schedule it names no replicas, which belong to KEDA then. Pods of a new
    template come after the old ones are gone, or they would start nodes beside them.
    Pulumi does not wait for it: balloons may wait for room for ever.

    Args:
        balloon: The balloon.
        group: Its job group.
        namespace: Where it lives.

    Shape:
        A `Deployment` whose pods keep to the restricted level of Pod Security.
    """
    own = {_APP: _NAME, _INSTANCE: balloon.object_name}
    count = {} if balloon.schedule is not None else {"replicas": balloon.replicas}
    spec = {
        **pod_template(balloon, group)["spec"],
        "priorityClassName": priority_class_name(balloon),
        "affinity": _together(),
        "topologySpreadConstraints": [_spread_by_nothing()],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": balloon.object_name,
            "namespace": namespace,
            "labels": own,
            "annotations": {"pulumi.com/skipAwait": "true"},
        },
        "spec": {
            **count,
            "strategy": {"type": "Recreate"},
            "selector": {"matchLabels": own},
            "template": {
                "metadata": {"labels": pod_labels(balloon)},
                "spec": spec,
            },
        },
    }


def pod_labels(balloon: PodBalloon | BufferBalloon) -> dict[str, str]:
    """Return the labels of the pods: those of the user, and who they are."""
    labels = dict(balloon.labels) if isinstance(balloon, PodBalloon) else {}
    return {
        **dict(sorted(labels.items())),
        _APP: _NAME,
        _INSTANCE: balloon.object_name,
    }


def pod_template(
    balloon: PodBalloon | BufferBalloon, group: JobGroup
) -> dict[str, Any]:
    """
    Return the pod that a balloon is made of, on the nodes of its group.

    Shape:
        A PodTemplateSpec without priority and affinity.

    Sources:
        Kubernetes, Pod Security Standards, restricted.
    """
    image = balloon.image if isinstance(balloon, PodBalloon) else PAUSE_IMAGE
    return {
        "metadata": {"labels": pod_labels(balloon)},
        "spec": {
            "nodeSelector": {
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": group.architecture,
                GROUP_LABEL: group.name,
            },
            "tolerations": _tolerations(group),
            "terminationGracePeriodSeconds": _GRACE_SECONDS,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": _USER,
                "runAsGroup": _USER,
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "containers": [
                {
                    "name": "pause",
                    "image": image,
                    "resources": {
                        "requests": {"cpu": balloon.cpu, "memory": balloon.memory}
                    },
                    "securityContext": {
                        "allowPrivilegeEscalation": False,
                        "capabilities": {"drop": ["ALL"]},
                        "readOnlyRootFilesystem": True,
                    },
                }
            ],
        },
    }


def _tolerations(group: JobGroup) -> list[dict[str, str]]:
    return [
        {
            "key": taint.key,
            "operator": "Equal",
            "value": taint.value,
            "effect": taint.effect,
        }
        for taint in group.lasting_taints
    ]


def _together() -> dict[str, Any]:
    return {
        "podAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "weight": 100,
                    "podAffinityTerm": {
                        "topologyKey": _HOST,
                        "labelSelector": {"matchLabels": {_APP: _NAME}},
                    },
                }
            ]
        }
    }


def _spread_by_nothing() -> dict[str, Any]:
    """
    Count pods that are none of ours, in a namespace where there are no others.

    Sources:
        kube-scheduler 1.37, plugins/podtopologyspread: a pod with constraints of its
        own gets none of the scheduler's, and equal counts score all nodes the same.
    """
    return {
        "maxSkew": 1,
        "topologyKey": _HOST,
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {
            "matchExpressions": [{"key": _APP, "operator": "DoesNotExist"}]
        },
    }
