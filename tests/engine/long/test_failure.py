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
TYPES = ("m7i.4xlarge", "m6i.4xlarge")


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
    project = Project(tmp_path_factory.mktemp("failure"), saves=True)
    steps: dict[str, Run] = {}
    try:
        project.edit(lambda keys: types_of(keys, "job", NO_TYPE))
        steps["slip"] = project.run("up")
        project.edit(lambda keys: types_of(keys, "job", *TYPES))
        steps["up"] = project.run("up")
        project.edit(reorganise)
        steps["failure"] = project.run("up")
        project.edit(lambda keys: types_of(keys, "late", *TYPES))
        steps["resumption"] = project.run("up")
    finally:
        steps["down"] = project.run("down")
    return Story(steps=steps)


def types_of(keys, name: str, *types: str) -> None:
    """Give a group other instance types."""
    group(keys, name)["instance_types"] = list(types)


def reorganise(keys) -> None:
    """
    Drop a group, move another to other types, add one that AWS refuses.

    Nobody asks EC2 beforehand, or the run would end before it began.
    """
    keys["check_offerings"] = False
    keys["jobs"].remove(group(keys, "job-large"))
    group(keys, "server")["instance_types"] = ["m8i.large", "m7i.large"]
    late = {"name": "late", "architecture": "amd64", "instance_types": [NO_TYPE]}
    keys["jobs"].append(late)


def test_every_step_but_the_slip_and_the_failure_succeeds(story):
    failed = {name: run.text for name, run in story.steps.items() if run.code != 0}

    assert {"slip", "failure"} == failed.keys()


def test_h047_a_slip_in_a_type_is_heard_before_anything_is_created(story):
    run = story.steps["slip"]
    place = "jobs[0].instance_types: no zone of this region offers"
    created = [
        key
        for key, resource in run.after.items()
        if not key.startswith(("pulumi:", "eks-jobs:"))
    ]

    assert f"{place} {NO_TYPE}, expected types" in run.text
    assert "Traceback" not in run.text
    assert [] == created


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
