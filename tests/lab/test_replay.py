"""
What a replay creates, and when.

Not proven here: what becomes of it; see tests/cluster/test_lab.py.
"""

from components.spec.groups import Taint
from lab.model import Job, Load
from lab.pace import Pace
from lab.pods import job_manifest, namespaces, workflow, workflow_pod
from lab.replay import schedule
from tests.spec.scaler.builders import job as group

PACE = Pace(speed=20)


def job(**changes):
    return Job(
        **{
            "name": "report-1",
            "namespace": "reports",
            "start": 0.0,
            "duration": 90.0,
            "cpu": 500,
            "memory": 512,
            "architecture": "amd64",
            "group": "job",
        }
        | changes
    )


def load(*jobs):
    return Load(name="test", jobs=jobs)


def pod_of(manifest):
    return manifest["spec"]["template"]


def test_jobs_and_faults_come_in_order():
    first, last = job(name="a", start=10.0), job(name="b", start=100.0)

    assert [
        (10.0, first),
        (35.0, ("drift", 1)),
        (50.0, ("node-lost", 1)),
        (70.0, ("drift", 2)),
        (100.0, last),
    ] == schedule(load(first, last), ("drift", "node-lost", "expiry"))


def test_an_empty_load_is_over_at_once():
    assert [] == schedule(load(), ())


def test_namespaces_are_made_once_and_not_the_one_that_is_there():
    jobs = [job(namespace=name) for name in ("web", "data", "web", "default")]

    assert ["data", "web"] == [
        one["metadata"]["name"] for one in namespaces(load(*jobs))
    ]


def test_a_job_asks_for_nodes_of_its_group_as_users_would():
    manifest = job_manifest(job(), group(), PACE)

    assert ("Job", "reports", "report-1") == (
        manifest["kind"],
        manifest["metadata"]["namespace"],
        manifest["metadata"]["name"],
    )
    spec = pod_of(manifest)["spec"]
    assert {"eks-jobs/group": "job", "kubernetes.io/arch": "amd64"} == spec[
        "nodeSelector"
    ]
    assert [{"key": "eks-jobs/group", "value": "job", "effect": "NoSchedule"}] == spec[
        "tolerations"
    ]
    assert {"cpu": "500m", "memory": "512Mi"} == spec["containers"][0]["resources"][
        "requests"
    ]


def test_it_carries_nothing_that_the_policy_is_to_add():
    template = pod_of(job_manifest(job(), group(), PACE))

    assert {"annotations"} == template["metadata"].keys()
    assert {
        "eks-jobs/lab-job": "report-1",
        "pod-complete.stage.kwok.x-k8s.io/delay": "4500ms",
    } == template["metadata"]["annotations"]
    assert "affinity" not in template["spec"]


def test_it_tolerates_every_taint_of_its_group():
    tainted = group(taints=(Taint(key="team", value="data", effect="NoSchedule"),))
    spec = pod_of(job_manifest(job(), tainted, PACE))["spec"]

    assert ["eks-jobs/group", "team"] == [one["key"] for one in spec["tolerations"]]


def test_a_pod_without_requests_asks_for_none():
    spec = pod_of(job_manifest(job(cpu=0, memory=0), group(), PACE))["spec"]

    assert [{"name": "main", "image": "example.com/job:1"}] == spec["containers"]


def test_a_pod_that_is_ended_by_others_is_made_again():
    spec = job_manifest(job(), group(), PACE)["spec"]

    assert [
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    ] == spec["podFailurePolicy"]["rules"]


def test_a_pod_of_a_workflow_belongs_to_it():
    owner = {**workflow(job()), "metadata": {"uid": "uid-1"}}
    pod = workflow_pod(job(), group(), PACE, owner)

    assert [
        {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Workflow",
            "name": "report-1",
            "uid": "uid-1",
            "controller": True,
        }
    ] == pod["metadata"]["ownerReferences"]
    assert pod["spec"] == pod_of(job_manifest(job(), group(), PACE))["spec"]


def test_no_job_is_so_short_that_it_never_runs():
    template = pod_of(job_manifest(job(duration=0.0), group(), PACE))

    assert (
        "1ms"
        == template["metadata"]["annotations"]["pod-complete.stage.kwok.x-k8s.io/delay"]
    )
