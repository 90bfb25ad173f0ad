"""Not proved: that Karpenter keeps to the rules; `tests/cluster` does that."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec.scaler.pool import Budget, PoolRules
from components.spec.scaler.pool_review import review_rules

# Patterns of the CRD, typed off Karpenter 1.15.
LENGTH = r"^(([0-9]+(s|m|h))+|Never)$"
WINDOW = r"^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$"
NODES = r"^((100|[0-9]{1,2})%|[0-9]+)$"


def test_h019_a_pool_only_gives_up_empty_nodes_after_minutes():
    assert PoolRules().disruption() == {
        "consolidationPolicy": "WhenEmpty",
        "consolidateAfter": "10m",
        "budgets": [
            {"nodes": "20%"},
            {
                "nodes": "0",
                "reasons": ["Drifted"],
                "schedule": "0 0 * * 1-5",
                "duration": "24h",
            },
        ],
    }


def test_h019_defaults_give_no_notice():
    assert [] == list(review_rules("scaler.pools[job]", PoolRules(), "6h"))


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (
            {"consolidation_policy": "WhenEmptyOrUnderutilized"},
            "consolidation_policy: WhenEmptyOrUnderutilized moves running jobs to save "
            "nodes: only their annotation keeps them",
        ),
        (
            {"consolidate_after": "0s"},
            "consolidate_after: 0s is below 5m: a job that is on its way to an empty "
            "node may be ended seconds after it came",
        ),
        (
            {"consolidate_after": "4m59s"},
            "consolidate_after: 4m59s is below 5m: a job that is on its way to an "
            "empty node may be ended seconds after it came",
        ),
        (
            {"consolidate_after": "Never"},
            "consolidate_after: Never: empty nodes stay, and are paid for, until they "
            "expire",
        ),
        (
            {"capacity_types": ("spot", "on-demand")},
            "capacity_types: spot: AWS takes nodes back with two minutes' notice, and "
            "no annotation keeps a job; an account that never had one needs the role "
            "of spot first: aws iam create-service-linked-role --aws-service-name "
            "spot.amazonaws.com",
        ),
        (
            {"expire_after": "5h"},
            "expire_after: 5h is below longest_job 6h: nodes stop taking pods while "
            "their first job still runs, and stand half empty",
        ),
    ],
)
def test_h019_h020_names_what_eager_rules_cost(rules, text):
    notices = review_rules("scaler.pools[job]", PoolRules(**rules), "6h")

    assert [f"scaler.pools[job].{text}"] == [str(one) for one in notices]


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (
            {"expire_after": "59m"},
            "expire_after: 59m is below 1h: nodes go almost as soon as they came",
        ),
        (
            {"termination_grace_period": "12h"},
            "termination_grace_period: drift and expiry end jobs that run longer than "
            "12h: give the group its longest_job to have that checked",
        ),
    ],
)
def test_names_what_is_lost_when_the_longest_job_is_not_known(rules, text):
    notices = review_rules("scaler.pools[job]", PoolRules(**rules), None)

    assert [f"scaler.pools[job].{text}"] == [str(one) for one in notices]


def test_h020_names_a_drain_that_is_hardly_longer_than_the_longest_job():
    def said(grace):
        rules = PoolRules(termination_grace_period=grace)
        return [str(one) for one in review_rules("pool", rules, "6h")]

    assert [
        "pool.termination_grace_period: 6h is less than 30m above longest_job 6h: pods "
        "are ended their own grace period earlier, and one that just came still pulls "
        "its image; left out it is 6h30m"
    ] == said("6h")
    assert ["6h29m"] == [text.split()[1] for text in said("6h29m")]
    assert [] == said("6h30m")


@pytest.mark.parametrize("after", ["5m", "1h"])
def test_a_patient_pool_gives_no_notice(after):
    rules = PoolRules(consolidate_after=after, expire_after="6h")

    assert [] == list(review_rules("pool", rules, "6h"))


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            {"consolidation_policy": "whenEmpty"},
            "consolidation_policy must be one of WhenEmpty, WhenEmptyOrUnderutilized, "
            "Balanced, got consolidation_policy=whenEmpty",
        ),
        (
            {"expire_after": "14d"},
            "expire_after must be hours, minutes and seconds such as 6h or 1h30m, or "
            "Never, got expire_after=14d: there are no days, write 336h",
        ),
        (
            {"termination_grace_period": "Never"},
            "termination_grace_period must be hours, minutes and seconds such as 6h or "
            "1h30m, got termination_grace_period=Never",
        ),
        (
            {"termination_grace_period": "0s"},
            "termination_grace_period must be longer than nothing, "
            "got termination_grace_period=0s",
        ),
        ({"budgets": ()}, "budgets must be 1 to 50, got 0"),
        (
            {"budgets": (Budget(nodes="1"),) * 51},
            "budgets must be 1 to 50, got 51",
        ),
        ({"weight": 0}, "weight must be 1 to 100, got weight=0"),
        ({"weight": 101}, "weight must be 1 to 100, got weight=101"),
        ({"capacity_types": ()}, "capacity_types must name at least one"),
        (
            {"capacity_types": ("reserved",)},
            "capacity_types must be of on-demand, spot, got 'reserved'",
        ),
    ],
)
def test_h043_refuses_what_the_crd_would_refuse(rules, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        PoolRules(**rules)


def test_names_all_problems_at_once():
    with pytest.raises(ValueError, match="^consolidate_after .*\nweight .*$"):
        PoolRules(consolidate_after="", weight=0)


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (
            {"nodes": "120%"},
            'nodes must be a number or a percentage in quotes such as "2" or "20%", '
            "got nodes=120%",
        ),
        (
            {"nodes": 0},
            'nodes must be a number or a percentage in quotes such as "2" or "20%", '
            "got nodes=0",
        ),
        (
            {"nodes": "0", "schedule": "0 0 * * *"},
            "schedule and duration must be given together, got schedule=0 0 * * *, "
            "duration=None",
        ),
        (
            {"nodes": "0", "duration": "8h"},
            "schedule and duration must be given together, got schedule=None, "
            "duration=8h",
        ),
        (
            {"nodes": "0", "schedule": "8:30", "duration": "8h"},
            "schedule must be five fields of cron in UTC such as 30 23 * * 1-5, or one "
            "of @annually, @yearly, @monthly, @weekly, @daily, @midnight, @hourly, got "
            "schedule=8:30",
        ),
        (
            {"nodes": "0", "schedule": "@daily", "duration": "8h30m15s"},
            "duration must be hours and minutes such as 9h30m, got duration=8h30m15s",
        ),
        (
            {"nodes": "0", "reasons": ("Empty", "Expired")},
            "reasons must be of Empty, Drifted, Underutilized, Unhealthy, "
            "got 'Expired'",
        ),
    ],
)
def test_h043_refuses_a_budget_that_the_crd_would_refuse(budget, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Budget(**budget)


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (
            "0 0 * * 7",
            "schedule: day of week must be 0 to 6: Sunday is 0, got '7' in '0 0 * * 7'",
        ),
        ("0 24 * * *", "schedule: hour must be 0 to 23, got '24' in '0 24 * * *'"),
        (
            "60 0 0 * *",
            "schedule: minute must be 0 to 59, got '60' in '60 0 0 * *'\n"
            "schedule: day of month must be 1 to 31, got '0' in '60 0 0 * *'",
        ),
        ("0 0 30 2 *", "schedule must be days that come, got schedule=0 0 30 2 *"),
        (
            "@every 1h",
            "schedule must be five fields of cron in UTC such as 30 23 * * 1-5, or one "
            "of @annually, @yearly, @monthly, @weekly, @daily, @midnight, @hourly, got "
            "schedule=@every 1h",
        ),
    ],
)
def test_h043_refuses_a_schedule_that_karpenter_could_not_read(schedule, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Budget(nodes="0", schedule=schedule, duration="8h")


@pytest.mark.parametrize(
    "schedule",
    ["@annually", "@hourly", "0 0 * * 0", "59 23 31 12 SUN-sat", "0 0 29 2 *"],
)
def test_a_schedule_that_karpenter_reads_passes_as_it_is(schedule):
    budget = Budget(nodes="0", schedule=schedule, duration="8h")

    assert {"nodes": "0", "schedule": schedule, "duration": "8h"} == budget.manifest()


@given(
    st.from_regex(r"\A[0-9]{1,3}%?\Z"),
    st.from_regex(r"\A[0-9]{1,2}[hm]([0-9]{1,2}[ms])?\Z"),
)
def test_h043_a_budget_that_passes_fits_the_patterns_of_the_crd(nodes, duration):
    try:
        made = Budget(nodes=nodes, schedule="0 0 * * *", duration=duration)
    except ValueError:
        assert not (re.match(NODES, nodes) and re.match(WINDOW, duration))
    else:
        assert re.match(NODES, made.nodes)
        assert re.match(WINDOW, str(made.duration))


@given(st.from_regex(r"\A([0-9]{1,3}[hmsd]){1,2}\Z") | st.just("Never"))
def test_h043_a_length_that_passes_fits_the_pattern_of_the_crd(text):
    try:
        PoolRules(consolidate_after=text)
    except ValueError:
        assert not re.match(LENGTH, text)
    else:
        assert re.match(LENGTH, text)
