"""
Which ways of running jobs there are, and what each sets.

Not proven here: that they differ in a cluster; see tests/cluster/test_lab.py.
"""

import pytest

from components.spec.policy.packing import affinity_term
from components.spec.policy.settings import JobPolicySettings
from components.spec.scheduler import ResourceWeight, SchedulerScoring
from lab.pace import Pace
from lab.scenario import (
    DEFAULT_SCENARIOS,
    NAMES,
    packed,
    scenarios,
    scheduler_config,
)
from lab.stack import Stack
from tests.spec.scaler.builders import job

STACK = Stack(name="test", jobs=(job(),))


def one(name, stack=STACK):
    (scenario,) = scenarios(name, stack)
    return scenario


def test_each_way_of_packing_runs_with_and_without_balloons():
    plain = ("default", "none", "published", "affinity", "scheduler", "both")
    held = tuple(f"{name}+balloons" for name in plain)

    assert (*plain, "unprotected", *held) == NAMES
    assert NAMES == tuple(one.name for one in scenarios("all", STACK))


def test_what_is_compared_by_default_exists():
    assert DEFAULT_SCENARIOS.split(",") == [
        one.name for one in scenarios(DEFAULT_SCENARIOS, STACK)
    ]


def test_the_order_is_that_of_the_user():
    found = scenarios(" both, default ", STACK)

    assert ["both", "default"] == [one.name for one in found]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("", f"SCENARIOS must name one at least, of {', '.join(NAMES)}"),
        (",", f"SCENARIOS must name one at least, of {', '.join(NAMES)}"),
        (
            "binpack",
            f"SCENARIOS must be of {', '.join(NAMES)} or all, got binpack",
        ),
        ("both,both", "SCENARIOS must name each once, got both 2 times"),
    ],
)
def test_refuses_other_names(names, message):
    with pytest.raises(ValueError, match="SCENARIOS") as caught:
        scenarios(names, STACK)

    assert message == str(caught.value)


def test_all_problems_are_named_at_once():
    with pytest.raises(ValueError, match="SCENARIOS") as caught:
        scenarios("a,b", STACK)

    assert 2 == len(str(caught.value).splitlines())


@pytest.mark.parametrize("name", ["default", "unprotected"])
def test_jobs_without_a_policy_are_not_protected(name):
    assert not one(name).protects
    assert one(name).scoring is None


@pytest.mark.parametrize("name", [n for n in NAMES if "unpro" not in n])
def test_all_others_are(name):
    assert (not name.startswith("default")) == one(name).protects


def test_the_unprotected_one_always_drifts_and_expires():
    scenario = one("unprotected")

    assert ("drift", "expiry") == scenario.faults
    assert "WhenEmptyOrUnderutilized" == scenario.rules.consolidation_policy
    assert () == one("default").faults


@pytest.mark.parametrize("packing", ["none", "affinity", "scheduler", "both"])
def test_the_policy_of_the_stack_packs_another_way(packing):
    policy = JobPolicySettings(matchers=("batch-jobs",), strict=True)
    found = one(packing, Stack(name="test", jobs=(job(),), policy=policy)).policy

    assert (packing, ("batch-jobs",), True) == (
        found.packing,
        found.matchers,
        found.strict,
    )


def test_what_packing_alone_needs_goes_with_it():
    policy = JobPolicySettings(
        packing="both",
        weight=50,
        unpacked_namespaces=("web",),
        affinity_scope="own-namespace",
    )

    assert JobPolicySettings(packing="none") == packed(policy, "none")
    assert policy == packed(policy, "both")


@pytest.mark.parametrize(
    ("name", "strategy"),
    [("affinity", None), ("scheduler", "MostAllocated"), ("both", "MostAllocated")],
)
def test_the_scheduler_scores_as_eks_would(name, strategy):
    scoring = one(name).scoring

    assert strategy == (None if scoring is None else scoring.strategy)


def test_the_weights_of_the_stack_file_count():
    scoring = SchedulerScoring(
        resources=(ResourceWeight(name="cpu"), ResourceWeight(name="memory", weight=2))
    )
    stack = Stack(name="test", jobs=(job(),), scoring=scoring)

    assert scoring == one("scheduler", stack).scoring
    assert one("affinity", stack).scoring is None


def test_the_scheduler_takes_the_scoring_in_its_own_words():
    assert {
        "podMaxBackoffSeconds": 10,
        "profiles": [
            {
                "schedulerName": "default-scheduler",
                "pluginConfig": [
                    {
                        "name": "NodeResourcesFit",
                        "args": {
                            "scoringStrategy": {
                                "type": "MostAllocated",
                                "resources": [
                                    {"name": "cpu", "weight": 1},
                                    {"name": "memory", "weight": 1},
                                ],
                            }
                        },
                    }
                ],
            }
        ],
    } == scheduler_config(SchedulerScoring())
    assert {
        "podMaxBackoffSeconds": 1,
        "profiles": [{"schedulerName": "default-scheduler"}],
    } == scheduler_config(None, Pace(speed=20))


def test_the_recipe_packs_each_namespace_by_itself():
    published = one("published")
    term = affinity_term("group", "job", all_namespaces=False, unpacked=())

    assert {"weight": 100, "podAffinityTerm": term} == published.policy.affinity
    assert {"karpenter.sh/do-not-disrupt": "true"} == published.policy.protection
    assert "Respect" == published.preference_policy


def test_balloons_change_nothing_else():
    plain, held = one("affinity"), one("affinity+balloons")

    assert (False, True) == (plain.balloons, held.balloons)
    assert plain.policy == held.policy
    assert f"{plain.text}; balloons hold capacity" == held.text
