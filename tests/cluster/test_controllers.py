"""
Real controllers under the native policy: one story, told once.

A Job is there before the policy; then come the policy, another Job, a Deployment, a
StatefulSet and a CronJob; the pod of the first Job ends. Kubelets are played by hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from components.spec.policy.settings import JobPolicySettings
from sandbox.cluster_api import ClusterApi, settled, wait_until
from tests.cluster.conftest import namespace
from tests.cluster.policies import in_force
from tests.spec.policy.admission import (
    AFFINITY,
    DO_NOT_DISRUPT,
    LABEL,
    SAFE_TO_EVICT,
    TERM,
)

SPACE = "controllers"
TRACKING = "batch.kubernetes.io/job-tracking"
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "", "namespace": SPACE}}
SPEC = {"containers": [{"name": "main", "image": "example.com/main:1"}]}
JOB_SPEC = {"template": {"spec": {**SPEC, "restartPolicy": "Never"}}}


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    What happened.

    Args:
        pods: The pod of each controller, at the end.
        ended: The first Job, at its end.
        templates: Spec of each controller, without and with the policy.
    """

    pods: Mapping[str, Mapping[str, Any]]
    ended: Mapping[str, Any]
    templates: Mapping[str, tuple[Mapping[str, Any], Mapping[str, Any]]]


@pytest.fixture(scope="module")
def story(api):
    api.create(namespace(SPACE))
    servers = [controller("Deployment"), controller("StatefulSet"), cron_job()]
    before = {one["kind"]: spec_of(api, one) for one in servers}
    api.create(job("before"))
    wait_until(lambda: len(pods_of(api, "before")) == 1, "pod of the first job")
    with in_force(api, JobPolicySettings()):
        after = {one["kind"]: spec_of(api, one) for one in servers}
        for one in (*servers, job("after")):
            api.create(one)
        names = ("before", "after", "Deployment", "StatefulSet")
        for name in names:
            wait_until(lambda name=name: len(pods_of(api, name)) == 1, name)
        (first,) = pods_of(api, "before")
        api.merge(first, {"metadata": {"labels": {"touched": "yes"}}})
        api.merge(first, {"status": {"phase": "Succeeded"}}, "/status")
        wait_until(lambda: is_complete(api.get(job("before"))), "the first job ends")
        pods = {name: pods_of(api, name)[0] for name in names}
        ended = api.get(job("before"))
    for one in (*servers, job("before"), job("after")):
        api.delete(one)
    templates = {kind: (before[kind], after[kind]) for kind in before}
    return Story(pods=pods, ended=ended, templates=templates)


def spec_of(api: ClusterApi, manifest: Mapping[str, Any]) -> dict[str, Any]:
    return settled(api.create(manifest, dry_run=True).object)["spec"]


def pods_of(api: ClusterApi, name: str) -> list[dict[str, Any]]:
    return [
        {"apiVersion": "v1", "kind": "Pod", **pod}
        for pod in api.items(POD)
        if pod["metadata"]["labels"].get("app") == name
    ]


def is_complete(stored: Mapping[str, Any]) -> bool:
    conditions = stored["status"].get("conditions", [])
    return ("Complete", "True") in [(one["type"], one["status"]) for one in conditions]


def labelled(name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    return {"metadata": {"labels": {"app": name}}, "spec": spec}


def job(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": SPACE},
        "spec": {"template": labelled(name, JOB_SPEC["template"]["spec"])},
    }


def controller(kind: str) -> dict[str, Any]:
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": kind.lower(), "namespace": SPACE},
        "spec": {
            "selector": {"matchLabels": {"app": kind}},
            "template": labelled(kind, SPEC),
        },
    }


def cron_job() -> dict[str, Any]:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "cron-job", "namespace": SPACE},
        "spec": {"schedule": "0 0 1 1 *", "jobTemplate": {"spec": JOB_SPEC}},
    }


def test_h002_a_pod_from_before_the_policy_is_left_alone(story):
    pod = story.pods["before"]

    assert LABEL not in pod["metadata"]["labels"]
    assert "annotations" not in pod["metadata"]
    assert "affinity" not in pod["spec"]


def test_h002_a_pod_from_before_the_policy_can_be_changed_and_finished(story):
    pod = story.pods["before"]

    assert "yes" == pod["metadata"]["labels"]["touched"]
    assert "finalizers" not in pod["metadata"]
    assert 1 == story.ended["status"]["succeeded"]


def test_a_pod_that_the_job_controller_creates_is_packed_and_protected(story):
    pod = story.pods["after"]

    assert [TRACKING] == pod["metadata"]["finalizers"]
    assert "job" == pod["metadata"]["labels"][LABEL]
    assert {DO_NOT_DISRUPT: "true", SAFE_TO_EVICT: "false"} == pod["metadata"][
        "annotations"
    ]
    assert [TERM] == pod["spec"]["affinity"]["podAffinity"][AFFINITY]


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_pods_of_servers_are_left_alone(story, kind):
    pod = story.pods[kind]

    assert LABEL not in pod["metadata"]["labels"]
    assert "annotations" not in pod["metadata"]
    assert "affinity" not in pod["spec"]


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "CronJob"])
def test_h005_templates_of_controllers_are_left_alone(story, kind):
    without, under_policy = story.templates[kind]

    assert without == under_policy
