"""GitHub Actions runners on job nodes, with the values of the scale set's chart."""

import pulumi
import pulumi_kubernetes as kubernetes

from components import GROUP_LABEL, JobPolicySettings, pod_fragment

GROUP = "job"
group = {"key": GROUP_LABEL, "value": GROUP, "effect": "NoSchedule"}
job_pod = pod_fragment(JobPolicySettings(matchers=("github-runners",)))
resources = {"requests": {"cpu": "2", "memory": "4Gi"}, "limits": {"memory": "4Gi"}}
runner = {
    "name": "runner",
    "image": "ghcr.io/actions/actions-runner:2.338.0",
    "command": ["/home/runner/run.sh"],
    "resources": resources,
}
spec = {
    **job_pod["spec"],
    "nodeSelector": {GROUP_LABEL: GROUP},
    "tolerations": [group, *job_pod["spec"]["tolerations"]],
    "containers": [runner],
}
release = kubernetes.helm.v3.Release(
    "runners",
    name="eks-jobs",
    chart="oci://ghcr.io/actions/actions-runner-controller-charts/gha-runner-scale-set",
    version="0.14.2",
    namespace="arc-runners",
    create_namespace=True,
    values={
        "githubConfigUrl": "https://github.com/example",
        "githubConfigSecret": "github-app",
        "maxRunners": 100,
        "template": {"metadata": job_pod["metadata"], "spec": spec},
    },
    opts=pulumi.ResourceOptions(provider=kubernetes.Provider("github", context="ci")),
)
pulumi.export("release", release.name)
