"""What managed groups of servers and of jobs have in common."""

import pulumi
import pytest

from components import _nodes

CALL = "aws:eks/getNodeGroup:getNodeGroup"


def inputs(**sizes) -> dict:
    return {
        "clusterName": "alpha",
        "nodeGroupName": "job-1",
        "scalingConfig": {"desiredSize": 0.0, "minSize": 0.0, **sizes},
    }


def checked(deploy, answer) -> list[str]:
    """Return what the check of a change of the upper bound says against it."""

    async def said(hook) -> list[str]:
        change = pulumi.ResourceHookArgs(
            urn="urn",
            id="id",
            name="job-1",
            type="aws:eks/nodeGroup:NodeGroup",
            old_inputs=inputs(maxSize=9.0),
            new_inputs=inputs(maxSize=12.0),
        )
        try:
            await hook(change)
        except ValueError as error:
            return [str(error)]
        return []

    def program():
        hook = _nodes._size_check("job-1", pulumi.ResourceOptions())
        pulumi.export("said", pulumi.Output.from_input(said(hook)))

    return deploy(program, answers={CALL: answer}).exports["said"]


def test_new_bounds_are_refused_while_they_would_write_back_an_old_size(deploy):
    running = {"desiredSize": 3, "maxSize": 9, "minSize": 0}
    (line,) = checked(deploy, {"scalingConfigs": [running]})

    assert line.startswith("job-1: ")


@pytest.mark.parametrize("answer", [{}, {"scalingConfigs": []}])
def test_new_bounds_pass_while_the_provider_does_not_know_the_size(deploy, answer):
    assert [] == checked(deploy, answer)
