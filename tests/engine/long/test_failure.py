"""
The stack `sandbox` when AWS refuses a group in the middle: one story, told once.

Not proven here: what AWS itself would say; the stand-ins answer in its place.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from tests.engine.project import (
    CLASS,
    MANAGED,
    POOL,
    SCALED,
    TEMPLATE,
    Project,
    Run,
    group,
)

# A size that the family does not have: only AWS can know.
NO_TYPE = "m7i.5xlarge"


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    What happened.

    Args:
        steps: Each command, by the name of the step.
    """

    steps: Mapping[str, Run]


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    project = Project(tmp_path_factory.mktemp("failure"))
    steps: dict[str, Run] = {}
    try:
        steps["up"] = project.run("up")
        project.edit(reorganise)
        steps["failure"] = project.run("up")
        project.edit(
            lambda keys: group(keys, "late").update(instance_types=["m7i.4xlarge"])
        )
        steps["resumption"] = project.run("up")
    finally:
        steps["down"] = project.run("down")
    return Story(steps=steps)


def reorganise(keys) -> None:
    """Drop a group, move another to other types, add one that AWS refuses."""
    keys["jobs"].remove(group(keys, "job-large"))
    group(keys, "server")["instance_types"] = ["m8i.large", "m7i.large"]
    late = {"name": "late", "architecture": "amd64", "instance_types": [NO_TYPE]}
    keys["jobs"].append(late)


def test_every_step_but_the_failure_succeeds(story):
    failed = {name: run.text for name, run in story.steps.items() if run.code != 0}

    assert {"failure"} == failed.keys()


def test_a_removed_group_takes_only_its_own_resources_with_it(story):
    before = story.steps["up"].after
    gone = before.keys() - story.steps["resumption"].after.keys()

    assert {SCALED.format("job-large"), TEMPLATE.format("job-large")} <= gone
    assert {CLASS.format("job-large"), POOL.format("job-large")} <= gone
    assert [] == [key for key in gone if "-job-large" not in key]


def test_a_failure_in_the_middle_names_the_resource_and_the_reason(story):
    run = story.steps["failure"]

    assert "aws:autoscaling:Group (platform-late):" in run.text
    assert f"got '{NO_TYPE}'" in run.text
    assert run.text.endswith("`make up STACK=sandbox` goes on from there.\n")


def test_what_succeeded_before_a_failure_is_kept_and_not_made_again(story):
    failure, resumption = story.steps["failure"], story.steps["resumption"]

    assert TEMPLATE.format("late") in failure.added
    assert SCALED.format("late") not in failure.after
    assert SCALED.format("late") in resumption.added
    assert resumption.replaced <= {MANAGED.format("server")}


def test_h055_a_replaced_node_group_exists_beside_the_old_one(story):
    """Made first, removed last, under another generated name."""
    before = story.steps["up"].after[MANAGED.format("server")]
    after = story.steps["resumption"].after[MANAGED.format("server")]
    log = story.steps["failure"].text + story.steps["resumption"].text
    made = log.index("aws:eks:NodeGroup platform-server created replacement")
    removed = log.index("aws:eks:NodeGroup platform-server deleted original")

    assert before.inputs["nodeGroupName"] != after.inputs["nodeGroupName"]
    assert made < removed
