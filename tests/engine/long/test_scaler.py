"""
A change of scaler in the hands of the real engine, told once.

Not proven here: that a controller makes or ends a node; that the API server takes the
objects is for tests/cluster.
"""

import pytest

from tests.engine.project import Project, Run, of, smallest

POOL = "kubernetes:karpenter.sh/v1:NodePool"
EC2_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
AUTO_CLASS = "kubernetes:eks.amazonaws.com/v1:NodeClass"
RELEASE = "kubernetes:helm.sh/v3:Release"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
SCALED = "aws:autoscaling/group:Group"
CLUSTER = "aws:eks/cluster:Cluster"

MANAGED = {"kind": "cluster-autoscaler", "groups": "managed"}
AUTOSCALER = {"kind": "cluster-autoscaler"}
KARPENTER = {"kind": "karpenter"}
AUTO_MODE = {"kind": "auto-mode"}


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("scaler"))
    steps: dict[str, Run] = {}

    def change(name: str, scaler, retiring=None) -> None:
        project.edit(lambda keys: keys.update(scaler=scaler, retiring_scaler=retiring))
        steps[name] = project.run("up")
        steps[f"preview of {name}"] = project.run("preview")

    project.edit(smallest)
    try:
        change("managed", MANAGED)
        change("karpenter beside managed", KARPENTER, MANAGED)
        change("karpenter", KARPENTER)
        change("autoscaler", AUTOSCALER)
        change("auto mode", AUTO_MODE)
    finally:
        steps["down"] = project.run("down")
    return steps


def test_every_step_succeeds(story):
    assert {} == {name: run.text for name, run in story.items() if run.code != 0}


def test_h014_no_second_preview_shows_a_change(story):
    previews = {name: run for name, run in story.items() if "preview" in name}

    assert 5 == len(previews)
    assert {} == {n: run.text for n, run in previews.items() if not run.unchanged}


def test_a_migration_touches_no_node_of_the_old_scaler(story):
    both = story["karpenter beside managed"]

    assert (set(), set()) == (both.removed, both.replaced)
    assert {f"{RELEASE}::platform-cluster-autoscaler": {"values"}} == both.changed
    assert {f"{POOL}::platform-karpenter-job"} == of(both.added, POOL)


def test_the_end_of_a_migration_removes_the_old_scaler_alone(story):
    end = story["karpenter"]

    assert (set(), set(), {}) == (end.added, end.replaced, end.changed)
    assert {f"{NODE_GROUP}::platform-job-{zone}" for zone in (1, 2)} == (
        of(end.removed, NODE_GROUP)
    )
    assert {f"{RELEASE}::platform-cluster-autoscaler"} == of(end.removed, RELEASE)


def test_h070_pools_go_before_classes_controller_and_queue(story):
    gone = [name.split()[0] for name in story["autoscaler"].done("deleted")]

    wanted = [POOL, EC2_CLASS, RELEASE, RELEASE, "aws:sqs:Queue"]

    assert wanted == [one for one in gone if one in wanted]


def test_h070_pools_go_before_servers_cluster_and_network(story):
    gone = [name.split()[0] for name in story["down"].done("deleted")]

    wanted = [POOL, AUTO_CLASS, "aws:eks:NodeGroup", "aws:eks:Cluster", "aws:ec2:Vpc"]

    assert wanted == [one for one in gone if one in wanted]


def test_h085_auto_mode_is_switched_on_without_a_new_cluster(story):
    change = story["auto mode"]
    name = f"{CLUSTER}::platform-cluster-eksCluster"

    assert {"computeConfig", "kubernetesNetworkConfig", "storageConfig"} <= (
        change.changed[name]
    )
    assert change.after[name].inputs["computeConfig"]["enabled"]
    assert not change.before[name].inputs["computeConfig"]["enabled"]
    assert {f"{SCALED}::platform-job"} == of(change.removed, SCALED)
