"""
Processes of a group that others own, suspended through the real engine.

The engine starts the provider from the program itself; no stand-in is involved.
"""

import os
from dataclasses import dataclass

import pytest

from sandbox import account
from sandbox.environment import sealed
from tests.engine.project import REGION, Project, Run

GROUP = "eks-server"
SUSPENDED = f"""
from components import SuspendedProcesses, SuspendedProcessesArgs

SuspendedProcesses(
    "server", SuspendedProcessesArgs(group_name={GROUP!r}, region={REGION!r})
)
"""


@dataclass(frozen=True, kw_only=True)
class Story:
    """Each run, and the suspended processes after it."""

    runs: dict[str, Run]
    suspended: dict[str, list[str]]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("dynamic"))
    account.start(project.layout, sealed(os.environ, project.layout))
    scaling = project.client("autoscaling")
    make_group(scaling)
    runs, suspended = {}, {}
    try:
        for step, program in (
            ("up", SUSPENDED),
            ("second up", SUSPENDED),
            ("removal", "import pulumi"),
        ):
            project.replace_program(program)
            runs[step] = project.run("up")
            suspended[step] = suspended_processes(scaling)
    finally:
        project.run("down")
    return Story(runs=runs, suspended=suspended)


def make_group(scaling) -> None:
    scaling.create_launch_configuration(
        LaunchConfigurationName="server", ImageId="ami-1", InstanceType="m7i.large"
    )
    scaling.create_auto_scaling_group(
        AutoScalingGroupName=GROUP,
        LaunchConfigurationName="server",
        MinSize=0,
        MaxSize=3,
        AvailabilityZones=[f"{REGION}a"],
    )


def suspended_processes(scaling) -> list[str]:
    (group,) = scaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    return [process["ProcessName"] for process in group["SuspendedProcesses"]]


def test_every_step_succeeds(story):
    assert {} == {name: run.text for name, run in story.runs.items() if run.code != 0}


def test_az_rebalancing_is_suspended(story):
    assert ["AZRebalance"] == story.suspended["up"]


def test_a_second_up_changes_nothing(story):
    assert story.runs["second up"].unchanged
    assert ["AZRebalance"] == story.suspended["second up"]


def test_what_was_suspended_is_resumed_in_the_end(story):
    assert [] == story.suspended["removal"]
