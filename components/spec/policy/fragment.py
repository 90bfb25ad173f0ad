"""
What the policy adds to a pod, for people who write pods themselves.

A pod that is made from one of these passes the policy without a change.
"""

from typing import Any

import yaml

from .settings import JobPolicySettings

__all__ = ["pod_fragment", "pod_templates", "render_pod_templates"]

_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def pod_fragment(settings: JobPolicySettings) -> dict[str, Any]:
    """
    Return what the policy would add to a pod.

    Shape:
        A PodTemplateSpec without containers; no `spec` when there is nothing to say.
    """
    fragment: dict[str, Any] = {"metadata": _metadata(settings)}
    spec = _spec(settings)
    if spec:
        fragment["spec"] = spec
    return fragment


def pod_templates(settings: JobPolicySettings) -> dict[str, dict[str, Any]]:
    """
    Return the fragment in the words of each producer, by file name.

    Shape:
        `airflow.yaml`: a `pod_template_file`; Airflow puts in image and name.
        `argo-workflows.yaml`: `workflowDefaults` of the controller's ConfigMap.
        `dagster.yaml`: the tag `dagster-k8s/config` of a job or op.
        `github-runners.yaml`: values of the chart gha-runner-scale-set.
        `job.yaml`: a Job, batch/v1; its image is an example.

    Sources:
        Airflow, provider cncf-kubernetes 10.25, pod_template_file. Argo Workflows,
        default workflow spec. dagster-k8s 0.29, container_context.py. ARC 0.14,
        chart gha-runner-scale-set.
    """
    metadata, spec = _metadata(settings), _spec(settings)
    return {
        "airflow.yaml": {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "placeholder", **metadata},
            "spec": {**spec, "containers": [{"name": "base", "image": "placeholder"}]},
        },
        "argo-workflows.yaml": {
            "workflowDefaults": {"spec": {"podMetadata": metadata, **spec}}
        },
        "dagster.yaml": {
            "dagster-k8s/config": {
                "pod_template_spec_metadata": metadata,
                "pod_spec_config": spec,
            }
        },
        "github-runners.yaml": {"template": {"metadata": metadata, "spec": spec}},
        "job.yaml": _job(metadata, spec),
    }


def render_pod_templates(settings: JobPolicySettings) -> dict[str, str]:
    """Return `pod_templates` as YAML texts, by file name."""
    return {
        name: yaml.dump(template, Dumper=_Plain, sort_keys=False)
        for name, template in pod_templates(settings).items()
    }


class _Plain(yaml.SafeDumper):
    """Writes a value that occurs twice twice, instead of pointing to the first."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 (named by yaml)
        return True


def _metadata(settings: JobPolicySettings) -> dict[str, Any]:
    return {
        "labels": {settings.label.key: settings.label.value},
        "annotations": dict(sorted(settings.protection.items(), reverse=True)),
    }


def _spec(settings: JobPolicySettings) -> dict[str, Any]:
    spec: dict[str, Any] = {}
    if settings.affinity is not None:
        spec["affinity"] = {"podAffinity": {_PREFERRED: [settings.affinity]}}
    if settings.toleration is not None:
        spec["tolerations"] = [settings.toleration]
    if settings.host_network:
        spec |= {"hostNetwork": True, "dnsPolicy": "ClusterFirstWithHostNet"}
    return spec


def _job(metadata: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "example"},
        "spec": {
            "template": {
                "metadata": metadata,
                "spec": {
                    "restartPolicy": "Never",
                    **spec,
                    "containers": [{"name": "main", "image": "example.com/job:1"}],
                },
            }
        },
    }
