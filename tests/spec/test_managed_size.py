"""What a change of the bounds of a managed node group does to its nodes."""

import pytest

from components.spec.managed_size import size_problem

NAMES = ("prod", "job-1a")


@pytest.mark.parametrize(("running", "sent"), [(0, 0), (3, 3), (3, 5), (8, 8)], ids=str)
def test_bounds_around_the_nodes_are_sent(running, sent):
    assert size_problem(*NAMES, running=running, sent=sent, low=0, high=8) is None


def test_h053_an_old_size_below_the_nodes_is_never_sent():
    problem = size_problem(*NAMES, running=30, sent=0, low=0, high=60)

    assert (
        "the group has 30 nodes, and Pulumi knows of 0: to send that with the new "
        "bounds would end 30 of them, with what runs there; run `pulumi up --refresh`, "
        "which asks for the number first"
    ) == problem


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        (
            {"running": 2, "sent": 9, "low": 0, "high": 8},
            "Pulumi knows of 9 nodes, more than the new max=8, and the group has 2; ",
        ),
        (
            {"running": 9, "sent": 9, "low": 0, "high": 8},
            "max=8 is below the 9 nodes of the group, which EKS refuses; ",
        ),
        (
            {"running": 2, "sent": 2, "low": 3, "high": 8},
            "min=3 is above the 2 nodes of the group, which EKS refuses; ",
        ),
    ],
)
def test_what_eks_would_refuse_is_said_with_the_way_out(sizes, said):
    problem = size_problem(*NAMES, **sizes)

    assert problem is not None
    assert problem.startswith(said)
    assert problem.count("`pulumi up --refresh`") == 1


def test_a_higher_minimum_names_the_call_that_gives_the_nodes_first():
    problem = size_problem(*NAMES, running=2, sent=2, low=3, high=8)

    assert problem is not None
    assert (
        "`aws eks update-nodegroup-config --cluster-name prod --nodegroup-name job-1a "
        "--scaling-config minSize=3,maxSize=8,desiredSize=3`"
    ) in problem
