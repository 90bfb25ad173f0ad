import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec.names import (
    LIMITS,
    PULUMI_SUFFIX,
    bounded,
    check_role_name,
    is_cluster_name,
)

CLUSTERS = st.from_regex(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}", fullmatch=True)
ROLES = ("job", "job-arm", "server", "interruption", "interruption-rebalance")


@given(CLUSTERS, st.sampled_from(sorted(LIMITS)))
def test_h078_h079_names_of_one_cluster_fit_and_stay_apart(cluster, kind):
    limit = LIMITS[kind] - PULUMI_SUFFIX
    names = [bounded(f"{cluster}-{role}", limit) for role in ROLES]

    assert all(len(name) <= limit for name in names)
    assert len(ROLES) == len(set(names))


@given(st.lists(CLUSTERS, min_size=2, max_size=4, unique=True))
def test_h079_names_of_different_clusters_stay_apart(clusters):
    assert len(clusters) == len({bounded(f"{one}-job", 55) for one in clusters})


@given(st.text(min_size=1, max_size=150), st.integers(10, 120))
def test_a_bounded_name_fits_and_does_not_change_again(text, limit):
    name = bounded(text, limit)

    assert len(name) <= limit
    assert name == bounded(name, limit)


def test_h078_a_long_cluster_name_is_cut_with_a_stable_hash():
    cluster = "a" * 50

    assert f"{'a' * 46}-0d607e3f" == bounded(f"{cluster}-job-arm", 55)


def test_a_name_that_fits_is_left_alone():
    assert "x" * 63 == bounded("x" * 63, 63)
    assert f"{'x' * 54}-7ce10097" == bounded("x" * 64, 63)


def test_no_hyphen_doubles_where_a_name_is_cut():
    assert "aaaaaaaaaa-2b66af6d" == bounded("a" * 10 + "-" * 5 + "b" * 50, 24)


def test_a_limit_without_room_for_a_hash_is_refused():
    with pytest.raises(ValueError, match="^limit must be at least 10, got limit=9$"):
        bounded("name", 9)


def test_h078_the_role_with_the_longest_name_decides():
    check_role_name("n" * 43, "-eksRole-role")
    message = (
        r"^name must be at most 43 characters \(a role adds -eksRole-role\), "
        f"got 44: {'n' * 44}$"
    )

    with pytest.raises(ValueError, match=message):
        check_role_name("n" * 44, "-eksRole-role")


@pytest.mark.parametrize("name", ["a", "0", "Prod_1-eu", "x" * 100])
def test_accepts_names_that_eks_accepts(name):
    assert is_cluster_name(name)


@pytest.mark.parametrize("name", ["", "-a", "_a", "a.b", "a b", "x" * 101, "a\n", "é"])
def test_rejects_names_that_eks_rejects(name):
    assert not is_cluster_name(name)


def test_a_hash_has_eight_hexadecimal_digits():
    assert re.fullmatch(r"x+-[0-9a-f]{8}", bounded("x" * 100, 50))
