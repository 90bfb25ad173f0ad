"""Airflow whose tasks run as pods on job nodes, with the values of its chart."""

import pulumi
import pulumi_kubernetes as kubernetes

from components import GROUP_LABEL, JobPolicySettings, pod_fragment

GROUP = "job"
group = {"key": GROUP_LABEL, "value": GROUP, "effect": "NoSchedule"}
job_pod = pod_fragment(JobPolicySettings(matchers=("airflow",)))
values = {
    "executor": "KubernetesExecutor",
    "workers": {
        "nodeSelector": {GROUP_LABEL: GROUP},
        "tolerations": [group, *job_pod["spec"]["tolerations"]],
        "affinity": job_pod["spec"]["affinity"],
        "labels": job_pod["metadata"]["labels"],
        "podAnnotations": job_pod["metadata"]["annotations"],
        "resources": {
            "requests": {"cpu": "500m", "memory": "1Gi"},
            "limits": {"memory": "1Gi"},
        },
    },
    "config": {
        "core": {"default_task_retries": 2},
        "kubernetes_executor": {"worker_pods_creation_batch_size": 16},
    },
}
release = kubernetes.helm.v3.Release(
    "airflow",
    name="airflow",
    chart="airflow",
    version="1.18.0",
    repository_opts={"repo": "https://airflow.apache.org"},
    namespace="airflow",
    create_namespace=True,
    values=values,
    opts=pulumi.ResourceOptions(provider=kubernetes.Provider("airflow", context="ci")),
)
pulumi.export("release", release.name)
