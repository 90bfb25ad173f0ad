"""
New bounds of managed groups that an autoscaler has scaled, told once.

Not proven here: that EKS itself takes and refuses what the stand-in does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from tests.engine.project import (
    MANAGED,
    REGION,
    ROOT,
    Project,
    Run,
    group,
    smallest,
)

CLUSTER = "aws:eks/cluster:Cluster::platform-cluster-eksCluster"
JOB, SERVER = MANAGED.format("job-1"), MANAGED.format("server")


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    What happened.

    Args:
        steps: Each command, by the name of the step.
        sizes: Minimum, maximum and size of a group of jobs after the step.
    """

    steps: Mapping[str, Run]
    sizes: Mapping[str, tuple[int, int, int]]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("managed-size"))
    steps: dict[str, Run] = {}
    sizes: dict[str, tuple[int, int, int]] = {}

    def run(name: str, command: str = "up", *, refresh: bool = False) -> None:
        refreshes(project, wanted=refresh)
        steps[name] = project.run(command)
        sizes[name] = size_of(project, JOB)

    project.edit(around_managed_groups)
    try:
        run("first")
        set_size(project, JOB, DesiredCapacity=3)
        project.edit(lambda keys: bound(keys, "job", min=0, max=12))
        run("preview", "preview")
        run("more")
        run("more, refreshed", refresh=True)
        project.edit(lambda keys: bound(keys, "job", min=0, max=4))
        run("fewer than run")
        project.edit(lambda keys: bound(keys, "job", min=0, max=12))
        project.edit(lambda keys: bound(keys, "server", min=3, max=6))
        run("higher minimum")
        set_size(project, SERVER, MinSize=3, MaxSize=6, DesiredCapacity=3)
        run("higher minimum, refreshed", refresh=True)
        project.edit(lambda keys: keys["network"].update(zones=3))
        run("third zone", refresh=True)
        names = [f"{REGION}{letter}" for letter in "abc"]
        project.edit(lambda keys: keys["network"].update(zones=names))
        refreshes(project, wanted=False)
        steps["names"] = project.run("up")
    finally:
        steps["down"] = project.run("down")
    return Story(steps=steps, sizes=sizes)


def around_managed_groups(keys) -> None:
    smallest(keys)
    keys["scaler"] = {"kind": "cluster-autoscaler", "groups": "managed"}
    keys["retiring_scaler"] = None
    bound(keys, "job", min=0, max=8)
    bound(keys, "server", min=2, max=6)


def refreshes(project: Project, *, wanted: bool) -> None:
    """Do as `--refresh` does, which the commands of the sandbox do not take."""
    file = project.root / "Pulumi.yaml"
    file.unlink()
    always = "options: {refresh: always}\n" if wanted else ""
    file.write_text((ROOT / "Pulumi.yaml").read_text() + always)


def bound(keys, name: str, **bounds: int) -> None:
    """Give a group other bounds; those of jobs are shared by two zones."""
    group(keys, name)["size"] = bounds


def set_size(project: Project, key: str, **sizes: int) -> None:
    """Do what an autoscaler or a person does, behind the program's back."""
    # moto forgets what is not said again.
    policy = found(project, key)["MixedInstancesPolicy"]
    policy["LaunchTemplate"]["LaunchTemplateSpecification"].pop("LaunchTemplateId")
    project.client("autoscaling").update_auto_scaling_group(
        AutoScalingGroupName=behind(project, key), MixedInstancesPolicy=policy, **sizes
    )


def size_of(project: Project, key: str) -> tuple[int, int, int]:
    now = found(project, key)
    return now["MinSize"], now["MaxSize"], now["DesiredCapacity"]


def found(project: Project, key: str) -> dict[str, Any]:
    (one,) = project.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[behind(project, key)]
    )["AutoScalingGroups"]
    return one


def behind(project: Project, key: str) -> str:
    return project.behind(project.state()[key].inputs["nodeGroupName"])


def test_only_what_would_end_nodes_or_fail_at_aws_is_refused(story):
    failed = [name for name, run in story.steps.items() if run.code != 0]

    assert ["preview", "more", "fewer than run", "higher minimum"] == failed


@pytest.mark.parametrize("step", ["preview", "more"])
def test_h053_new_bounds_do_not_bring_back_an_old_size(story, step):
    said = "the group has 3 nodes, and Pulumi knows of 0"

    assert said in story.steps[step].text
    assert "run `pulumi up --refresh`" in story.steps[step].text
    assert (0, 4, 3) == story.sizes[step]


def test_h053_after_a_refresh_new_bounds_keep_every_node(story):
    assert (0, 6, 3) == story.sizes["more, refreshed"]


def test_a_third_zone_leaves_the_control_plane_and_the_nodes_where_they_are(story):
    run = story.steps["third zone"]
    subnets = "aws:ec2/subnet:Subnet::platform-network-private-ap-northeast-2c"

    assert subnets in run.added
    assert MANAGED.format("job-3") in run.added
    # EKS makes servers in the new zone by a new group, as docs/updates.md says.
    assert ({SERVER}, set()) == (run.replaced, run.removed)
    assert CLUSTER not in run.changed
    assert (0, 4, 3) == story.sizes["third zone"]


def test_zones_that_get_names_keep_their_groups_and_nodes(story):
    run = story.steps["names"]
    before, after = (
        {one.name: one.id for one in state.values() if "NodeGroup" in one.type}
        for state in (run.before, run.after)
    )

    assert [] == run.done("created") + run.done("deleted") + run.done("replaced")
    assert after == {
        "platform-server": before["platform-server"],
        f"platform-job-{REGION}a": before["platform-job-1"],
        f"platform-job-{REGION}b": before["platform-job-2"],
        f"platform-job-{REGION}c": before["platform-job-3"],
    }


def test_a_maximum_below_the_nodes_that_run_ends_none(story):
    said = "max=2 is below the 3 nodes of the group"

    assert said in story.steps["fewer than run"].text
    assert (0, 6, 3) == story.sizes["fewer than run"]


def test_a_higher_minimum_says_how_the_nodes_come_first(story):
    said = "minSize=3,maxSize=6,desiredSize=3"

    assert said in story.steps["higher minimum"].text
    after = story.steps["higher minimum, refreshed"].after[SERVER]
    assert {"minSize": 3, "maxSize": 6, "desiredSize": 3} == (
        after.inputs["scalingConfig"]
    )
