"""Argo Workflows whose steps run on job nodes, with the values of its chart."""

import pulumi
import pulumi_kubernetes as kubernetes

from components import GROUP_LABEL, JobPolicySettings, pod_fragment

GROUP = "job-arm"
MESSAGE = "imminent node shutdown|pod deleted"
LOST = f"lastRetry.status == 'Error' || lastRetry.message matches '{MESSAGE}'"
group = {"key": GROUP_LABEL, "value": GROUP, "effect": "NoSchedule"}
job_pod = pod_fragment(JobPolicySettings(matchers=("argo-workflows",)))
defaults = {
    "nodeSelector": {GROUP_LABEL: GROUP},
    "tolerations": [group, *job_pod["spec"]["tolerations"]],
    "affinity": job_pod["spec"]["affinity"],
    "podMetadata": job_pod["metadata"],
    "retryStrategy": {"limit": "2", "retryPolicy": "Always", "expression": LOST},
    "podGC": {"strategy": "OnPodCompletion"},
}
request = {"requests": {"cpu": "250m", "memory": "256Mi"}}
release = kubernetes.helm.v3.Release(
    "argo-workflows",
    name="argo-workflows",
    chart="argo-workflows",
    version="0.45.22",
    repository_opts={"repo": "https://argoproj.github.io/argo-helm"},
    namespace="argo",
    create_namespace=True,
    values={
        "controller": {"workflowDefaults": {"spec": defaults}, "replicas": 2},
        "mainContainer": {"resources": request},
        "executor": {"resources": {"requests": {"cpu": "50m", "memory": "64Mi"}}},
    },
    opts=pulumi.ResourceOptions(provider=kubernetes.Provider("argo", context="ci")),
)
pulumi.export("release", release.name)
