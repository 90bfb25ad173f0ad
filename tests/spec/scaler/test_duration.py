"""Not proved: that a controller reads a duration as it is meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec.scaler.duration import duration_problems, seconds, spelled

EXPECTED = "after must be hours, minutes and seconds such as 6h or 1h30m"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("6h", 21_600), ("1h30m", 5_400), ("90s", 90), ("0s", 0), ("1m1m", 120)],
)
def test_counts_seconds(text, expected):
    assert [] == duration_problems("after", text, zero=True)
    assert expected == seconds(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("14d", f"{EXPECTED}, got after=14d: there are no days, write 336h"),
        ("1d12h", f"{EXPECTED}, got after=1d12h"),
        ("Never", f"{EXPECTED}, got after=Never"),
        ("", f"{EXPECTED}, got after="),
        ("6", f"{EXPECTED}, got after=6"),
        ("-6h", f"{EXPECTED}, got after=-6h"),
        ("1.5h", f"{EXPECTED}, got after=1.5h"),
        ("6h\n", f"{EXPECTED}, got after=6h\n"),
        (6, f"{EXPECTED}, got after=6"),
        ("0h0s", "after must be longer than nothing, got after=0h0s"),
    ],
)
def test_h043_refuses_what_is_no_duration(text, message):
    assert [message] == duration_problems("after", text)


def test_h043_names_never_where_it_is_accepted():
    assert [f"{EXPECTED}, or Never, got after=never"] == duration_problems(
        "after", "never", never=True
    )
    assert [] == duration_problems("after", "Never", never=True)


@given(st.integers(min_value=0, max_value=10**7))
def test_spells_what_it_counts(number):
    text = spelled(number)

    assert [] == duration_problems("after", text, zero=True)
    assert number == seconds(text)


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0, "0s"), (21_600, "6h"), (23_400, "6h30m"), (61, "1m1s"), (86_400, "24h")],
)
def test_spells_without_zeros(number, expected):
    assert expected == spelled(number)
