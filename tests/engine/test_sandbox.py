"""
The stack `sandbox` in the hands of the real engine: one story, told once.

Every test looks at steps of it, so each costs nothing and none depends on another.
Not proven here: what AWS itself would say; the stand-ins answer in its place.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from sandbox import account
from tests.engine.project import (
    CLASS,
    MANAGED,
    SCALED,
    TEMPLATE,
    Project,
    Run,
    group,
)


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    What happened.

    Args:
        steps: Each command, by the name of the step.
        sizes: Desired sizes after the autoscaler and two more runs, by group.
        untouched: Whether the stack files are what they were before.
        ended: Whether the local AWS ended with the stack.
    """

    steps: Mapping[str, Run]
    sizes: Mapping[str, int]
    untouched: bool
    ended: bool


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("engine"))
    steps: dict[str, Run] = {}
    before = files(project)
    try:
        steps["up"] = project.run("up")
        untouched = before == files(project)
        scale_out(project)
        project.edit(lambda keys: group(keys, "job").update(kubelet={"max_pods": 58}))
        steps["fewer pods"] = project.run("up")
        sizes = desired_sizes(project)
        steps["preview"] = project.run("preview")
    finally:
        steps["down"] = project.run("down")
    ended = account.find(project.layout) is None
    return Story(steps=steps, sizes=sizes, untouched=untouched, ended=ended)


def files(project: Project) -> dict[str, str]:
    return {file.name: file.read_text() for file in project.root.glob("Pulumi*.yaml")}


def scale_out(project: Project) -> None:
    """Do what an autoscaler does: more nodes, behind the program's back."""
    state = project.state()
    project.client("autoscaling").set_desired_capacity(
        AutoScalingGroupName=state[SCALED.format("job")].id, DesiredCapacity=3
    )
    server = state[MANAGED.format("server")].inputs["nodeGroupName"]
    project.client("autoscaling").set_desired_capacity(
        AutoScalingGroupName=project.behind(server), DesiredCapacity=3
    )


def desired_sizes(project: Project) -> dict[str, int]:
    state = project.state()
    server = state[MANAGED.format("server")].inputs["nodeGroupName"]
    names = {"job": state[SCALED.format("job")].id, "server": project.behind(server)}
    scaling = project.client("autoscaling")
    found = {
        name: scaling.describe_auto_scaling_groups(AutoScalingGroupNames=[group])
        for name, group in names.items()
    }
    return {
        name: answer["AutoScalingGroups"][0]["DesiredCapacity"]
        for name, answer in found.items()
    }


def test_every_step_succeeds(story):
    failed = {name: run.text for name, run in story.steps.items() if run.code != 0}

    assert {} == failed


def test_up_ends_with_the_outputs_and_where_to_look(story):
    end = story.steps["up"].text.partition("Outputs:")[2]

    assert 'cluster_name      : "eks-jobs-sandbox"' in end
    assert "Local AWS at http://127.0.0.1:" in end
    assert "Not proven here: " in end


def test_a_second_preview_shows_no_change(story):
    """H053: nor does what the autoscaler did meanwhile."""
    assert story.steps["preview"].unchanged


def test_the_stack_files_are_not_written_to(story):
    assert story.untouched


def test_h053_a_change_of_the_group_leaves_its_size_alone(story):
    assert {"job": 3, "server": 3} == story.sizes


def test_fewer_pods_change_the_launch_template_and_what_refers_to_it(story):
    run = story.steps["fewer pods"]

    assert (set(), set(), set()) == (run.added, run.removed, run.replaced)
    assert {
        TEMPLATE.format("job"): {"userData"},
        SCALED.format("job"): {"mixedInstancesPolicy", "tags"},
        CLASS.format("job"): {"spec"},
    } == run.changed


def test_a_change_of_the_launch_template_replaces_no_node(story):
    """Neither an instance refresh nor new nodes: jobs run to their end."""
    after = story.steps["fewer pods"].after[SCALED.format("job")].inputs

    assert "instanceRefresh" not in after
    assert ["AZRebalance"] == after["suspendedProcesses"]


def test_nodes_go_before_add_ons_and_the_cluster_before_its_network(story):
    order = story.steps["down"].done("deleted")
    place = {what: index for index, what in enumerate(order)}
    nodes = [
        "aws:eks:NodeGroup platform-server",
        "aws:eks:NodeGroup platform-server-arm",
    ]
    nodes += [f"aws:autoscaling:Group platform-{name}" for name in ("job", "job-arm")]
    cluster = place["aws:eks:Cluster platform-cluster-eksCluster"]

    assert max(map(place.__getitem__, nodes)) < place["aws:eks:Addon platform-vpc-cni"]
    assert place["aws:eks:Addon platform-vpc-cni"] < cluster
    assert cluster < place["aws:ec2:Vpc platform-network"]


def test_down_leaves_nothing(story):
    assert {} == story.steps["down"].after
    assert story.ended
