"""
Time of the load and time of the machine.

Not proven here: that nodes really go when they would; a run with the same speed shows
its scale-in delay.
"""

import pytest

from components.spec.scaler.lifetime import Lifetime
from components.spec.scaler.pool import Budget, PoolRules
from lab.pace import Pace


@pytest.mark.parametrize("speed", [1, 20, 100])
def test_takes_these_speeds(speed):
    assert 60 / speed == Pace(speed=speed).shorter(60)


@pytest.mark.parametrize("speed", [0, 0.99, -1, 100.5])
def test_refuses_what_shows_nothing(speed):
    with pytest.raises(ValueError, match=f"^speed must be 1 to 100, got speed={speed}"):
        Pace(speed=speed)


@pytest.mark.parametrize(
    ("text", "shorter"),
    [("Never", "Never"), ("10m", "30s"), ("30s", "2s"), ("5s", "1s"), ("0s", "0s")],
)
def test_durations_of_karpenter_are_whole_seconds(text, shorter):
    assert shorter == Pace(speed=20).duration(text)


def test_batches_are_shorter_by_parts_of_seconds():
    pace = Pace(speed=20)

    assert "50ms" == pace.milliseconds("1s")
    assert "500ms" == pace.milliseconds("10s")
    assert "10ms" == Pace(speed=100).milliseconds("1s")


@pytest.mark.parametrize(("speed", "seconds"), [(1, 40), (20, 2), (100, 1)])
def test_a_node_starts_after_a_whole_second_at_least(speed, seconds):
    assert seconds == Pace(speed=speed).start_seconds


@pytest.mark.parametrize(("speed", "seconds"), [(1, 10), (5, 2), (20, 1), (100, 1)])
def test_a_pod_that_found_no_node_waits_a_second_at_least(speed, seconds):
    assert seconds == Pace(speed=speed).backoff_seconds


@pytest.mark.parametrize(
    ("speed", "after", "quiet"),
    [
        # 600 s less nothing; 120 s less 20 s; 30 s less 24 s.
        (1, "10m", "10m"),
        (5, "10m", "1m40s"),
        (20, "10m", "6s"),
        (20, "1m", "1s"),
        (20, "0s", "0s"),
        (20, "Never", "Never"),
    ],
)
def test_the_time_that_karpenter_takes_counts_as_idle(speed, after, quiet):
    rules = PoolRules(consolidate_after=after)

    assert quiet == Pace(speed=speed).rules(rules).consolidate_after


def test_budgets_are_wider_because_karpenter_acts_less_often():
    rules = PoolRules(
        budgets=(
            Budget(nodes="20%"),
            Budget(nodes="2%", reasons=("Empty",)),
            Budget(nodes="1"),
            Budget(nodes="0"),
        )
    )

    assert (
        Budget(nodes="100%"),
        Budget(nodes="40%", reasons=("Empty",)),
        Budget(nodes="20"),
        Budget(nodes="0"),
    ) == Pace(speed=20).rules(rules).budgets


def test_budgets_of_the_wall_clock_are_left_out():
    budget = Budget(nodes="0", schedule="0 0 * * *", duration="10h")
    rules = PoolRules(budgets=(budget,))

    assert (Budget(nodes="100%"),) == Pace(speed=20).rules(rules).budgets


def test_the_life_of_a_node_is_shorter():
    life = Lifetime(expire_after="20m", termination_grace_period="6h30m")

    assert Lifetime(expire_after="1m", termination_grace_period="19m30s") == Pace(
        speed=20
    ).lifetime(life)


def test_a_drain_without_an_end_keeps_none():
    life = Lifetime(expire_after="Never", termination_grace_period=None)

    assert life == Pace(speed=20).lifetime(life)


def test_says_what_is_not_as_in_real_time():
    assert ("Nothing was compressed.",) == Pace(speed=1).notes()
    assert 5 == len(Pace(speed=20).notes())
    assert "20 times faster" in Pace(speed=20).notes()[0]


@pytest.mark.parametrize(
    ("speed", "note"),
    [
        (2, "Karpenter and Kubernetes count whole seconds, 2 s here."),
        (20, "Karpenter and Kubernetes count whole seconds, 20 s here."),
        (
            30,
            "Karpenter and Kubernetes count whole seconds, 30 s here; a node starts in "
            "30 s instead of 40 s.",
        ),
    ],
)
def test_the_start_of_a_node_is_named_where_it_takes_another_time(speed, note):
    assert note == Pace(speed=speed).notes()[2]
