"""What goes wrong on request, and that nothing else does."""

from itertools import pairwise

import pytest

from lab.faults import (
    FAULTS,
    MOMENTS,
    busiest,
    chosen_faults,
    drift,
    expiry,
    lose_node,
    lose_zone,
)
from lab.model import Job, Load
from sandbox.cluster_api import RefusedError

POOL = {
    "apiVersion": "karpenter.sh/v1",
    "kind": "NodePool",
    "metadata": {"name": "job"},
    "spec": {"template": {"spec": {"requirements": [{"key": "kubernetes.io/arch"}]}}},
}


class Api:
    """Holds nodes and pods, and writes down what it was asked to change."""

    def __init__(self, nodes=(), pods=()):
        self.held = {"Node": list(nodes), "Pod": list(pods)}
        self.calls = []

    def items(self, manifest):
        return self.held[manifest["kind"]]

    def get(self, manifest):
        return manifest

    def merge(self, manifest, patch, part=""):
        if part:
            assert ("/status", {"metadata", "status"}) == (part, patch.keys())
        self.calls.append(("merge", manifest["kind"], name_of(manifest), patch))

    def delete(self, manifest):
        self.calls.append(("delete", manifest["kind"], name_of(manifest)))

    def deleted(self):
        return [call[1:] for call in self.calls if call[0] == "delete"]


class Changed(Api):
    """Its pods have changed since they were listed."""

    def __init__(self, nodes, pods, now):
        super().__init__(nodes, pods)
        self.now = now

    def merge(self, manifest, patch, part=""):
        if manifest["kind"] == "Pod" and "7" == patch["metadata"]["resourceVersion"]:
            raise RefusedError(409, "it has been modified")
        super().merge(manifest, patch, part)

    def get(self, manifest):
        (found,) = [one for one in self.now if name_of(one) == name_of(manifest)]
        found["metadata"]["resourceVersion"] = "8"
        return {"kind": "Pod", **found}


class Strict(Api):
    """All that it listed is gone."""

    def merge(self, manifest, patch, part=""):
        super().merge(manifest, patch, part)
        if patch == {"spec": {"unschedulable": True}}:
            raise RefusedError(404, "it is gone")

    def delete(self, manifest):
        super().delete(manifest)
        raise RefusedError(404, "it is gone")


class Broken(Api):
    """Takes no change of a kind."""

    def __init__(self, nodes, pods, kind):
        super().__init__(nodes, pods)
        self.kind = kind

    def merge(self, manifest, patch, part=""):
        if manifest["kind"] == self.kind:
            raise RefusedError(500, "etcd is away")
        super().merge(manifest, patch, part)


class Late(Api):
    """One more pod has come to a node when it is asked again."""

    def items(self, manifest):
        found = super().items(manifest)
        if manifest["kind"] == "Pod":
            self.held["Pod"] = [*found, pod("late", "n1", "Pending")]
        return found


def name_of(manifest):
    return manifest["metadata"]["name"]


def node(name, zone="zone-a"):
    labels = {
        "topology.kubernetes.io/zone": zone,
        "kubernetes.io/hostname": f"claim-{name}",
    }
    return {"metadata": {"name": name, "labels": labels}, "spec": {}}


def pod(name, place, phase="Running"):
    return {
        "metadata": {"name": name, "namespace": "team", "resourceVersion": "7"},
        "spec": {} if place is None else {"nodeName": place},
        "status": {"phase": phase},
    }


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        ("", ()),
        ("drift", ("drift",)),
        # In one order, however they were named.
        (" expiry,drift,expiry ", ("drift", "expiry")),
        ("zone,node-lost", ("node-lost", "zone")),
    ],
)
def test_faults_are_chosen_by_name(names, chosen):
    assert chosen == chosen_faults(names)


def test_refuses_other_faults():
    with pytest.raises(ValueError, match="FAULTS") as caught:
        chosen_faults("drift,fire,flood")

    assert [
        f"FAULTS must be of {', '.join(FAULTS)}, got fire",
        f"FAULTS must be of {', '.join(FAULTS)}, got flood",
    ] == str(caught.value).splitlines()


def test_each_happens_while_jobs_come():
    assert {"drift", "node-lost", "zone"} == MOMENTS.keys()
    for moments in MOMENTS.values():
        assert all(0 < moment < 1 for moment in moments)
        assert all(first < second for first, second in pairwise(moments))


@pytest.mark.parametrize(
    ("end", "age"), [(3_600.0, "36m"), (3_601.0, "36m1s"), (200.0, "2m"), (0.0, "2m")]
)
def test_nodes_expire_while_jobs_come(end, age):
    job = Job(
        name="last",
        namespace="team",
        start=end,
        duration=1.0,
        cpu=1,
        memory=1,
        architecture="amd64",
        group="job",
    )

    assert age == expiry(Load(name="test", jobs=(job,)))


def test_drift_changes_the_nodes_to_come_and_nothing_else():
    api = Api()
    drift(api, [POOL], 2)

    labels = {"eks-jobs/lab-drift": "2"}
    patch = {"spec": {"template": {"metadata": {"labels": labels}}}}
    assert [("merge", "NodePool", "job", patch)] == api.calls


def test_the_busiest_is_where_most_pods_run():
    pods = [
        pod("a", "n1"),
        pod("b", "n2"),
        pod("c", "n2"),
        pod("d", "n1", "Succeeded"),
        pod("e", "n1", "Succeeded"),
        pod("f", None, "Pending"),
        pod("g", "elsewhere"),
    ]

    assert "n2" == busiest(pods, {"n1": "n1", "n2": "n2"})
    assert "zone" == busiest(pods, {"n1": "zone", "n2": "zone"})


def test_of_equal_ones_the_first_by_name_is_lost():
    pods = [pod("a", "n2"), pod("b", "n1")]

    assert "n1" == busiest(pods, {"n1": "n1", "n2": "n2"})


def test_nothing_runs_nowhere():
    assert busiest([pod("a", None, "Pending")], {"n1": "n1"}) is None


def test_a_lost_node_takes_its_pods_along():
    """And its NodeClaim: in AWS the machine would be gone. Pods fail after that."""
    pods = [pod("a", "n1"), pod("b", "n1"), pod("c", "n2"), pod("d", None, "Pending")]
    api = Api([node("n1"), node("n2")], pods)

    assert "n1" == lose_node(api)
    assert [
        ("Node", "n1"),
        ("NodeClaim", "claim-n1"),
        ("Pod", "a"),
        ("Pod", "b"),
    ] == api.deleted()


def test_a_lost_node_takes_no_pods_before_it_goes():
    api = Api([node("n1")], [pod("a", "n1")])
    lose_node(api)

    assert ("merge", "Node", "n1", {"spec": {"unschedulable": True}}) == api.calls[0]


def test_a_pod_that_came_to_a_node_that_is_lost_goes_with_it():
    api = Late([node("n1")], [pod("a", "n1")])
    lose_node(api)

    assert [("Pod", "a"), ("Pod", "late")] == api.deleted()[-2:]


def test_what_waits_for_a_drain_does_not_keep_a_lost_node():
    api = Api([node("n1")], [pod("a", "n1")])
    lose_node(api)

    free = {"metadata": {"finalizers": None}}
    assert ("merge", "Node", "n1", free) in api.calls
    assert ("merge", "NodeClaim", "claim-n1", free) in api.calls


def test_pods_of_a_lost_node_fail_as_kubernetes_fails_them():
    """A Job makes another pod then, and does not count the failure."""
    running, ended = pod("a", "n1"), pod("b", "n1", "Succeeded")
    running["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    api = Api([node("n1")], [running, ended])
    lose_node(api)

    ((status, conditions),) = failures(api)
    assert "Failed" == status
    assert [("Ready", None), ("DisruptionTarget", "DeletionByPodGC")] == [
        (one["type"], one.get("reason")) for one in conditions
    ]
    assert [("Pod", "a"), ("Pod", "b")] == api.deleted()[-2:]


def failures(api):
    return [
        (patch["status"]["phase"], patch["status"]["conditions"])
        for verb, kind, _, *patches in api.calls
        if (verb, kind) == ("merge", "Pod")
        for patch in patches
    ]


def test_a_pod_that_ended_meanwhile_does_not_fail():
    api = Changed([node("n1")], [pod("a", "n1")], [pod("a", "n1", "Succeeded")])

    assert "n1" == lose_node(api)
    assert [] == failures(api)
    assert ("Pod", "a") == api.deleted()[-1]


def test_a_pod_that_changed_meanwhile_fails_as_it_is_now():
    now = pod("a", "n1")
    now["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    api = Changed([node("n1")], [pod("a", "n1")], [now])

    assert "n1" == lose_node(api)
    ((_, conditions),) = failures(api)
    assert ["Ready", "DisruptionTarget"] == [one["type"] for one in conditions]
    assert ("Pod", "a") == api.deleted()[-1]


def test_what_is_gone_already_does_not_matter():
    api = Strict([node("n1")], [pod("a", "n1")])

    assert "n1" == lose_node(api)
    assert 3 == len(api.deleted())


@pytest.mark.parametrize("kind", ["Node", "NodeClaim", "Pod"])
def test_what_cannot_be_ended_ends_the_run(kind):
    """Else a Job would never run again, or run on, and nobody would know why."""
    with pytest.raises(RefusedError, match="etcd is away"):
        lose_node(Broken([node("n1")], [pod("a", "n1")], kind))


def test_an_idle_cluster_loses_nothing():
    api = Api([node("n1")])

    assert "no node held a running pod" == lose_node(api)
    assert "no zone held a running pod" == lose_zone(api, [POOL])
    assert [] == api.calls


def test_a_lost_zone_takes_its_nodes_and_gives_no_more():
    api = Api(
        [node("n1"), node("n2", "zone-b"), node("n3", "zone-b")],
        [pod("a", "n1"), pod("b", "n2"), pod("c", "n3")],
    )

    assert "zone-b" == lose_zone(api, [POOL])
    assert [("Node", "n2"), ("Node", "n3")] == [
        one for one in api.deleted() if one[0] == "Node"
    ]
    assert [("Pod", "b"), ("Pod", "c")] == [
        one for one in api.deleted() if one[0] == "Pod"
    ]
    requirements = [
        {"key": "kubernetes.io/arch"},
        {
            "key": "topology.kubernetes.io/zone",
            "operator": "NotIn",
            "values": ["zone-b"],
        },
    ]
    patch = {"spec": {"template": {"spec": {"requirements": requirements}}}}
    assert ("merge", "NodePool", "job", patch) in api.calls
