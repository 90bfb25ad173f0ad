"""The native policy held in force on a real API server, for as long as a test needs."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from components.spec.policy.matchers import PRESETS
from components.spec.policy.native import native_policies
from components.spec.policy.protection import SAFE_TO_EVICT
from components.spec.policy.settings import JobLabel, JobPolicySettings
from sandbox.cluster_api import ClusterApi, applied

EVERY = tuple(PRESETS)
EVERY_PRESET = JobPolicySettings(matchers=EVERY)
VARIANTS: Mapping[str, JobPolicySettings] = {
    "default": JobPolicySettings(),
    "strict": JobPolicySettings(matchers=EVERY, strict=True),
    "host network": JobPolicySettings(matchers=EVERY, host_network=True),
    "own namespace": JobPolicySettings(matchers=EVERY, affinity_scope="own-namespace"),
    "unpacked namespace": JobPolicySettings(
        matchers=EVERY, unpacked_namespaces=("team-b",)
    ),
    "left out": JobPolicySettings(matchers=EVERY, exclude_namespaces=("team-a",)),
    "no packing": JobPolicySettings(matchers=EVERY, packing="none"),
    "Cluster Autoscaler alone": JobPolicySettings(
        matchers=EVERY, protection={SAFE_TO_EVICT: "false"}
    ),
    "label of the recipe": JobPolicySettings(
        matchers=EVERY, label=JobLabel(key="group", value="job")
    ),
}
CANARY: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "canary",
        "namespace": "airflow",
        "labels": {"kubernetes_executor": "True"},
    },
    "spec": {"containers": [{"name": "base", "image": "example.com/task:1"}]},
}


def in_force(
    api: ClusterApi, settings: JobPolicySettings
) -> AbstractContextManager[None]:
    """Hold the policy in force; the host network comes last, so it is waited for."""

    def ready(pod: Mapping[str, Any]) -> bool:
        if settings.host_network:
            return pod["spec"].get("hostNetwork", False)
        return settings.label.key in pod["metadata"]["labels"]

    return applied(api, native_policies(settings), CANARY, ready)


def job_pod(name: str = "p", space: str = "team-a", **spec: Any) -> dict[str, Any]:
    """Return a pod of a Job that does not exist; for dry runs."""
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": "u"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": space,
            "ownerReferences": [{**owner, "controller": True}],
        },
        "spec": {"containers": [{"name": "c", "image": "example.com/c:1"}], **spec},
    }
