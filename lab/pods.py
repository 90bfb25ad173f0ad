"""Jobs of a load as objects of a cluster."""

from collections.abc import Mapping
from typing import Any

from components.spec.groups import JobGroup
from lab.model import Job, Load
from lab.pace import Pace
from sandbox.kwok import DURATION

__all__ = [
    "JOB",
    "WORKFLOW_CRD",
    "job_manifest",
    "namespace",
    "namespaces",
    "workflow",
    "workflow_pod",
]

Manifest = dict[str, Any]

JOB = "eks-jobs/lab-job"
"""Annotation of a pod: the job of the load that it runs."""

_WORKFLOW_API = "argoproj.io/v1alpha1"

WORKFLOW_CRD: Mapping[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "workflows.argoproj.io"},
    "spec": {
        "group": "argoproj.io",
        "scope": "Namespaced",
        "names": {
            "kind": "Workflow",
            "plural": "workflows",
            "singular": "workflow",
            "listKind": "WorkflowList",
        },
        "versions": [
            {
                "name": "v1alpha1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}
"""Enough of Argo for its pods to have an owner: the controller does not run here."""


def namespaces(load: Load) -> list[Manifest]:
    """Return the namespaces of a load that a cluster has not, sorted by name."""
    return [
        namespace(name)
        for name in sorted({job.namespace for job in load.jobs} - {"default"})
    ]


def namespace(name: str) -> Manifest:
    """Return a namespace."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def job_manifest(job: Job, group: JobGroup, pace: Pace) -> Manifest:
    """
    Return the Job of a job.

    A pod that is ended by others is made again and does not count as a failure.

    Shape:
        Job, batch/v1.
    """
    never = {"restartPolicy": "Never"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": job.name, "namespace": job.namespace},
        "spec": {
            "podFailurePolicy": {
                "rules": [
                    {
                        "action": "Ignore",
                        "onPodConditions": [{"type": "DisruptionTarget"}],
                    }
                ]
            },
            "template": {
                "metadata": {"annotations": _annotations(job, pace)},
                "spec": {**_pod_spec(job, group), **never},
            },
        },
    }


def workflow(job: Job) -> Manifest:
    """Return the Workflow that a pod belongs to."""
    return {
        "apiVersion": _WORKFLOW_API,
        "kind": "Workflow",
        "metadata": {"name": job.name, "namespace": job.namespace},
    }


def workflow_pod(job: Job, group: JobGroup, pace: Pace, owner: Manifest) -> Manifest:
    """
    Return the pod of a workflow of one step.

    Args:
        job: The job.
        group: Its group.
        pace: Makes it shorter.
        owner: The Workflow as it is stored. No controller makes the pod again.
    """
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": job.name,
            "namespace": job.namespace,
            "annotations": _annotations(job, pace),
            "ownerReferences": [
                {
                    "apiVersion": _WORKFLOW_API,
                    "kind": "Workflow",
                    "name": job.name,
                    "uid": owner["metadata"]["uid"],
                    "controller": True,
                }
            ],
        },
        "spec": {**_pod_spec(job, group), "restartPolicy": "Never"},
    }


def _annotations(job: Job, pace: Pace) -> dict[str, str]:
    shorter = max(1, round(1_000 * pace.shorter(job.duration)))
    return {JOB: job.name, DURATION: f"{shorter}ms"}


def _pod_spec(job: Job, group: JobGroup) -> Manifest:
    requests = {
        **({"cpu": f"{job.cpu}m"} if job.cpu else {}),
        **({"memory": f"{job.memory}Mi"} if job.memory else {}),
    }
    main: Manifest = {"name": "main", "image": "example.com/job:1"}
    if requests:
        main["resources"] = {"requests": requests}
    return {
        "nodeSelector": {
            **group.all_labels,
            "kubernetes.io/arch": job.architecture,
        },
        "tolerations": [
            {"key": taint.key, "value": taint.value, "effect": taint.effect}
            for taint in group.lasting_taints
        ],
        # Karpenter ends a pod its grace before the end of a drain.
        "terminationGracePeriodSeconds": 1,
        "containers": [main],
    }
