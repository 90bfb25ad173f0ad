"""
The stack `prod` under a CLI that is killed: one story, told once.

Not proven here: what is left of a plugin that is killed in the middle of a request.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from sandbox import account, checkpoint
from tests.engine.project import Project, Run

STACK = "prod"
KILLED = 128 + 9


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    What happened.

    Args:
        killed: Exit status and text of the runs that were killed.
        open: How many operations the killed runs left open, by the next step.
        steps: Each other command, by the name of the step.
        unknown: What is in the account and not in the state, after the repair.
        ended: Whether the local AWS ended with the stack.
    """

    killed: list[tuple[int, str]]
    open: Mapping[str, int]
    steps: Mapping[str, Run]
    unknown: Mapping[str, set[str]]
    ended: bool


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("crash"), saves=True, kills=True)
    steps: dict[str, Run] = {}
    left: dict[str, int] = {}
    try:
        killed = [project.kill("up", STACK, "Vpc platform-network created")]
        left["up"] = len(checkpoint.read(project.layout, STACK).pending)
        steps["up"] = project.run("up", STACK)
        unknown = unknown_to(project)
        killed += [project.kill("down", STACK, " deleted")]
        left["down"] = len(checkpoint.read(project.layout, STACK).pending)
    finally:
        steps["down"] = project.run("down", STACK)
    steps["second down"] = project.run("down", STACK)
    ended = account.find(project.layout) is None
    return Story(killed=killed, open=left, steps=steps, unknown=unknown, ended=ended)


def unknown_to(project: Project) -> dict[str, set[str]]:
    """Return the ids of what the account holds and the state does not."""
    known = {resource.id for resource in project.state(STACK).values()}
    ec2, iam = project.client("ec2"), project.client("iam")
    held: dict[str, list[Any]] = {
        "VpcId": ec2.describe_vpcs()["Vpcs"],
        "SubnetId": ec2.describe_subnets()["Subnets"],
        "InternetGatewayId": ec2.describe_internet_gateways()["InternetGateways"],
        "AllocationId": ec2.describe_addresses()["Addresses"],
        "LaunchTemplateId": ec2.describe_launch_templates()["LaunchTemplates"],
        "RoleName": iam.list_roles()["Roles"],
    }
    return {
        name: {item[name] for item in items if not is_of_aws(item)} - known
        for name, items in held.items()
    }


def is_of_aws(item: Mapping[str, Any]) -> bool:
    """Tell what AWS makes by itself: the default network, templates of node groups."""
    is_default = item.get("IsDefault") or item.get("DefaultForAz")
    return bool(is_default) or item.get("LaunchTemplateName", "").startswith("eks-")


def test_a_killed_run_says_so(story):
    end = "\nPulumi was ended by signal 9. What is done is kept: `make {} STACK=prod` "

    assert [KILLED, KILLED] == [status for status, _ in story.killed]
    assert all(
        end.format(command) in text
        for command, (_, text) in zip(("up", "down"), story.killed, strict=True)
    )


def test_every_other_step_succeeds(story):
    assert {} == {name: run.text for name, run in story.steps.items() if run.code != 0}


@pytest.mark.parametrize("step", ["up", "down"])
def test_the_lock_and_the_open_operations_are_settled_first(story, step):
    text, left = story.steps[step].text, story.open[step]
    said = f"It left {left} operations open: reading the stack again.\n" if left else ""

    assert text.startswith(
        f"The last run on stack prod was killed: releasing its lock.\n{said}"
    )


def test_a_killed_run_leaves_operations_open(story):
    """Otherwise the tests around this one prove less than they say."""
    assert sum(story.open.values()) > 0


def test_nothing_that_the_killed_run_made_is_lost_or_made_twice(story):
    assert [] == [(kind, ids) for kind, ids in story.unknown.items() if ids]


def test_down_lifts_the_protection_of_the_cluster(story):
    _, text = story.killed[1]

    assert "Deletion protection of cluster eks-jobs-prod is lifted." in text


def test_down_finishes_what_the_killed_one_began(story):
    assert {} == story.steps["down"].after
    assert story.ended


def test_down_twice_is_no_fault(story):
    assert "Nothing to remove: stack prod is not deployed.\n" == (
        story.steps["second down"].text
    )
