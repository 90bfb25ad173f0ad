"""
What is read from the status of pods and nodes.

Times are the observer's own, since the API server's are whole seconds.
"""

import pytest

from lab.model import NodeShape
from lab.observer import Observer
from lab.pods import JOB

SHAPE = NodeShape(
    group="job",
    instance_type="m7i.4xlarge",
    architecture="amd64",
    cpu=15_890,
    memory=60_000,
    pods=60,
)


class Watch:
    """An observer, and the time that it believes it is."""

    def __init__(self):
        self.now = 0.0
        self.observer = Observer.of((SHAPE,), lambda: self.now)

    def pod(self, now, change="MODIFIED", **changes):
        self.now = now
        self.observer.pod(change, pod(**changes))

    def node(self, now, change="MODIFIED", **changes):
        self.now = now
        self.observer.node(change, node(**changes))

    def claim(self, now, change="MODIFIED", machine="m7i.4xlarge.job", *, going=False):
        self.now = now
        labels = {"karpenter.sh/nodepool": "job"}
        if machine:
            labels["node.kubernetes.io/instance-type"] = machine
        metadata = {"name": "claim", "labels": labels}
        if going:
            metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
        self.observer.claim(change, {"metadata": metadata})

    @property
    def interrupted(self):
        """How many jobs were ended by others, tries that were made again included."""
        return sum(
            pod.outcome == "interrupted" and not pod.balloon
            for pod in self.observer.pods()
        )

    @property
    def one(self):
        (found,) = self.observer.pods()
        return found


def pod(
    uid="uid", job="report", owner="Job", place=None, going=False, group="job", **status
):
    metadata = {"uid": uid, "name": f"{job}-x", "ownerReferences": [{"kind": owner}]}
    if owner == "ReplicaSet":
        metadata["generateName"] = "balloon-job-"
    else:
        metadata["annotations"] = {JOB: job}
    if going:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    requests = {"cpu": "500m", "memory": "1Gi"}
    return {
        "metadata": metadata,
        "spec": {
            "nodeSelector": {} if group is None else {"eks-jobs/group": group},
            "containers": [{"resources": {"requests": requests}}, {"name": "bare"}],
            **({} if place is None else {"nodeName": place}),
        },
        "status": status or {"phase": "Pending"},
    }


def node(*, ready=True, registered=True, pool="job"):
    taints = [] if registered else [{"key": "karpenter.sh/unregistered"}]
    labels = {
        "kubernetes.io/hostname": "claim",
        "node.kubernetes.io/instance-type": "m7i.4xlarge.job",
    }
    if pool:
        labels["karpenter.sh/nodepool"] = pool
    condition = {"type": "Ready", "status": "True" if ready else "False"}
    return {
        "metadata": {"name": "kwok-1", "labels": labels},
        "spec": {"taints": taints},
        "status": {"conditions": [condition]},
    }


def test_a_pod_is_followed_from_its_creation_to_its_end():
    watch = Watch()
    watch.pod(1, "ADDED")
    watch.pod(2, place="kwok-1")
    watch.pod(3, place="kwok-1", phase="Running")
    watch.pod(9, place="kwok-1", phase="Succeeded")
    watch.pod(20, "DELETED", place="kwok-1", phase="Succeeded")

    found = watch.one
    assert ("report", "job", False, "kwok-1") == (
        found.job,
        found.group,
        found.balloon,
        found.node,
    )
    assert (1, 2, 3, 9) == (found.created, found.bound, found.started, found.finished)
    assert ("succeeded", "", 500, 1_024) == (
        found.outcome,
        found.reason,
        found.cpu,
        found.memory,
    )


def test_a_pod_that_is_seen_late_has_no_gaps():
    watch = Watch()
    watch.pod(5, "ADDED", place="kwok-1", phase="Succeeded")

    assert (5, 5, 5, 5) == (
        watch.one.created,
        watch.one.bound,
        watch.one.started,
        watch.one.finished,
    )


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (
            {
                "phase": "Running",
                "conditions": [
                    {"type": "Ready", "status": "True"},
                    {
                        "type": "DisruptionTarget",
                        "status": "True",
                        "reason": "EvictionByEvictionAPI",
                    },
                ],
            },
            "EvictionByEvictionAPI",
        ),
        (
            {
                "phase": "Running",
                "conditions": [{"type": "DisruptionTarget", "status": "False"}],
            },
            "deleted",
        ),
        ({"phase": "Running", "reason": "NodeLost"}, "NodeLost"),
        ({"phase": "Pending"}, "deleted"),
    ],
)
def test_a_pod_that_is_deleted_before_its_end_was_interrupted(status, reason):
    watch = Watch()
    watch.pod(1, "ADDED", place="kwok-1", phase="Running")
    watch.pod(2, place="kwok-1", going=True, **status)
    watch.pod(3, "DELETED", place="kwok-1", going=True, **status)

    assert ("interrupted", reason, 2) == (
        watch.one.outcome,
        watch.one.reason,
        watch.one.finished,
    )
    assert 1 == watch.interrupted


def test_one_that_vanishes_was_interrupted_too():
    watch = Watch()
    watch.pod(1, "ADDED", place="kwok-1", phase="Running")
    watch.pod(2, "DELETED", place="kwok-1", phase="Running")

    assert ("interrupted", 2) == (watch.one.outcome, watch.one.finished)


def test_one_that_failed_was_interrupted_since_jobs_here_never_fail():
    watch = Watch()
    watch.pod(1, "ADDED", phase="Failed", reason="Evicted")

    assert ("interrupted", "Evicted") == (watch.one.outcome, watch.one.reason)


def test_what_happens_after_success_is_no_interruption():
    watch = Watch()
    watch.pod(1, phase="Succeeded")
    watch.pod(2, phase="Succeeded", going=True)

    assert "succeeded" == watch.one.outcome
    assert 0 == watch.interrupted


def test_one_that_was_told_to_go_and_ended_well_was_not_interrupted():
    """Its Job has what it waited for, and makes no other pod."""
    watch = Watch()
    watch.pod(1, "ADDED", place="kwok-1", phase="Running")
    watch.pod(2, place="kwok-1", phase="Running", going=True)
    watch.pod(3, place="kwok-1", phase="Succeeded", going=True)
    watch.pod(4, "DELETED", place="kwok-1", phase="Succeeded", going=True)

    assert ("succeeded", "", 3) == (
        watch.one.outcome,
        watch.one.reason,
        watch.one.finished,
    )
    assert (1, 0) == (watch.observer.ended, watch.interrupted)


def test_a_pod_that_runs_on_is_unfinished():
    watch = Watch()
    watch.pod(1, "ADDED", phase="Running")

    assert ("unfinished", None) == (watch.one.outcome, watch.one.finished)


@pytest.mark.parametrize(("owner", "ended"), [("Job", 0), ("Workflow", 1)])
def test_only_a_job_makes_an_interrupted_pod_again(owner, ended):
    watch = Watch()
    watch.pod(1, owner=owner, phase="Running", going=True)

    assert ended == watch.observer.ended


def test_a_job_ends_once_however_many_pods_it_took():
    watch = Watch()
    watch.pod(1, uid="a", going=True)
    watch.pod(2, uid="b", phase="Succeeded")

    assert (1, 1) == (watch.observer.ended, watch.interrupted)
    assert ["interrupted", "succeeded"] == [
        one.outcome for one in watch.observer.pods()
    ]


def test_a_balloon_that_is_pushed_out_is_no_interrupted_job():
    watch = Watch()
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "PreemptionByScheduler",
    }
    watch.pod(
        1, owner="ReplicaSet", going=True, phase="Running", conditions=[condition]
    )

    assert (True, "balloon-job", "PreemptionByScheduler") == (
        watch.one.balloon,
        watch.one.job,
        watch.one.reason,
    )
    assert (0, 0) == (watch.interrupted, watch.observer.ended)


def test_pods_of_no_group_are_not_looked_at():
    watch = Watch()
    watch.pod(1, group=None)

    assert () == watch.observer.pods()


def test_a_node_is_paid_from_its_order_to_its_end():
    watch = Watch()
    watch.claim(1, "ADDED", machine="")
    watch.claim(2)
    watch.node(5, "ADDED", ready=False, registered=False)
    watch.node(6, registered=False)
    watch.node(7)
    watch.node(8)
    watch.node(30, "DELETED")
    watch.claim(31, "DELETED")

    (found,) = watch.observer.nodes()
    assert ("kwok-1", SHAPE, 1, 7, 30) == (
        found.name,
        found.shape,
        found.created,
        found.ready,
        found.deleted,
    )


def test_nodes_that_are_there_or_come_are_left():
    watch = Watch()
    watch.claim(1, "ADDED")

    assert 1 == watch.observer.nodes_left
    watch.claim(2, "DELETED")
    assert 0 == watch.observer.nodes_left


@pytest.mark.parametrize(
    ("pod", "busy"),
    [
        ({"place": "kwok-1", "phase": "Running"}, 1),
        ({"place": "kwok-1", "phase": "Succeeded"}, 0),
        ({"place": "kwok-2", "phase": "Running"}, 0),
        ({"place": "kwok-1", "phase": "Running", "owner": "ReplicaSet"}, 0),
    ],
)
def test_a_node_is_given_up_busy_when_jobs_run_on_it_then(pod, busy):
    watch = Watch()
    watch.claim(1, "ADDED")
    watch.node(2)
    watch.pod(3, **pod)
    watch.claim(4)

    assert 0 == watch.observer.given_up_busy
    watch.claim(5, going=True)
    assert busy == watch.observer.given_up_busy


def test_an_order_that_never_had_a_machine_costs_nothing():
    watch = Watch()
    watch.claim(1, "ADDED", machine="")
    watch.claim(2, "DELETED", machine="")

    assert () == watch.observer.nodes()


def test_nodes_of_no_pool_are_not_looked_at():
    watch = Watch()
    watch.node(1, pool="")

    assert () == watch.observer.nodes()
