"""Not proved: that a node is spared so long; `tests/cluster` does that."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec.scaler.duration import seconds, spelled
from components.spec.scaler.lifetime import (
    Lifetime,
    auto_lifetime,
    auto_lifetime_problems,
    lifetime,
    lifetime_problems,
)
from components.spec.scaler.pool import PoolRules
from tests.spec.scaler.builders import job

LONGEST = st.integers(min_value=60, max_value=20 * 86_400).map(spelled)


@pytest.mark.parametrize(
    ("longest", "expected"),
    [
        (None, ("336h", None)),
        ("6h", ("336h", "6h30m")),
        ("84h", ("336h", "84h30m")),
        ("100h", ("400h", "100h30m")),
    ],
)
def test_h020_h021_a_node_lives_far_longer_than_its_longest_job(longest, expected):
    age, grace = expected

    assert Lifetime(expire_after=age, termination_grace_period=grace) == lifetime(
        PoolRules(), longest
    )


def test_what_is_written_is_taken():
    rules = PoolRules(expire_after="Never", termination_grace_period="7h")

    assert Lifetime(expire_after="Never", termination_grace_period="7h") == lifetime(
        rules, "6h"
    )


@given(LONGEST)
def test_h021_a_drain_never_ends_the_longest_job(longest):
    grace = lifetime(PoolRules(), longest).termination_grace_period

    assert seconds(str(grace)) > seconds(longest)


def test_h021_refuses_a_drain_that_ends_the_longest_job():
    rules = PoolRules(expire_after="336h", termination_grace_period="1h")

    assert [
        "termination_grace_period must be at least the longest_job, which drift and "
        "expiry would end by force, got termination_grace_period=1h, longest_job=6h"
    ] == list(lifetime_problems(rules, "6h"))


def test_h021_accepts_a_drain_as_long_as_the_longest_job():
    rules = PoolRules(termination_grace_period="6h")

    assert [] == list(lifetime_problems(rules, "6h"))


def test_h043_the_longest_job_has_no_days():
    message = (
        "longest_job must be hours, minutes and seconds such as 6h or 1h30m, got "
        "longest_job=2d: there are no days, write 48h"
    )

    with pytest.raises(ValueError, match=f"^{message}$"):
        job(longest_job="2d")


@pytest.mark.parametrize(
    ("rules", "longest", "expected"),
    [
        ({}, None, ("336h", "24h")),
        ({}, "6h", ("336h", "6h30m")),
        ({}, "200h", ("303h30m", "200h30m")),
        ({"expire_after": "480h"}, None, ("480h", "24h")),
        ({"termination_grace_period": "400h"}, None, ("104h", "400h")),
    ],
)
def test_h022_a_node_of_auto_mode_ends_after_21_days(rules, longest, expected):
    life = auto_lifetime(PoolRules(**rules), longest)

    assert [] == list(auto_lifetime_problems(PoolRules(**rules), longest))
    assert expected == (life.expire_after, life.termination_grace_period)


@pytest.mark.parametrize(
    ("rules", "longest", "message"),
    [
        (
            {"expire_after": "Never"},
            None,
            "expire_after must be a duration with EKS Auto Mode, where a node lives "
            "504h at most, got expire_after=Never",
        ),
        (
            {"expire_after": "505h"},
            None,
            "expire_after and termination_grace_period must be at most 504h together "
            "with EKS Auto Mode, got expire_after=505h, termination_grace_period=24h",
        ),
        (
            {"expire_after": "504h", "termination_grace_period": "24h"},
            None,
            "expire_after and termination_grace_period must be at most 504h together "
            "with EKS Auto Mode, got expire_after=504h, termination_grace_period=24h",
        ),
        (
            {"expire_after": "480h1s"},
            None,
            "expire_after and termination_grace_period must be at most 504h together "
            "with EKS Auto Mode, got expire_after=480h1s, termination_grace_period=24h",
        ),
        (
            {},
            "504h",
            "expire_after and termination_grace_period must be at most 504h together "
            "with EKS Auto Mode, got expire_after=1h, "
            "termination_grace_period=504h30m, longest_job=504h",
        ),
        (
            {"termination_grace_period": "5h"},
            "6h",
            "termination_grace_period must be at least the longest_job, which drift "
            "and expiry would end by force, got termination_grace_period=5h, "
            "longest_job=6h",
        ),
    ],
)
def test_h022_refuses_a_life_that_auto_mode_does_not_have(rules, longest, message):
    problems = list(auto_lifetime_problems(PoolRules(**rules), longest))

    assert [message] == problems


@given(LONGEST)
def test_h022_what_passes_fits_into_21_days(longest):
    life = auto_lifetime(PoolRules(), longest)
    both = seconds(life.expire_after) + seconds(str(life.termination_grace_period))

    assert (both <= 504 * 3_600) == (
        [] == list(auto_lifetime_problems(PoolRules(), longest))
    )
    assert re.fullmatch(r"([0-9]+[hms])+", life.expire_after)
