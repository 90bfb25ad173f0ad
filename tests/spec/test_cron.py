"""What cron texts mean; cronsim is the second opinion."""

from datetime import UTC, datetime, timedelta

import pytest
from cronsim import CronSim
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from components.spec.cron import cron_problems, parse
from components.spec.time_zones import UTC_CLOCK

FIELDS = "the five fields of cron (minute, hour, day of month, month, day of week)"


@st.composite
def fields(draw, least, most):
    low = draw(st.integers(least, most - 1))
    high = draw(st.integers(low + 1, most))
    step = draw(st.integers(1, 7))
    return draw(
        st.sampled_from(["*", f"{low}", f"{low}-{high}", f"{low}-{high}/{step}"])
        | st.sampled_from([f"*/{step}", f"{low},{high}"])
    )


TEXTS = st.tuples(
    fields(0, 59), fields(0, 23), fields(1, 28), fields(1, 12), fields(0, 6)
)


@settings(max_examples=60, deadline=None)
@given(TEXTS, st.integers(0, 2_000_000_000))
def test_a_second_library_finds_the_same_moments(parts, moment):
    # Debian's cron, which cronsim follows, takes */2 for a star when it joins days.
    assume(not (parts[2].startswith("*/") or parts[4].startswith("*/")))
    text = " ".join(parts)
    begin = datetime.fromtimestamp(moment, UTC)
    found = parse(text).next(UTC_CLOCK, moment)

    assert next(CronSim(text, begin)) == begin + timedelta(seconds=found - moment)


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("0 9 1 * 1", ["2027-01-04", "2027-01-11", "2027-01-18"]),
        ("0 9 */2 * 1", ["2027-01-03", "2027-01-04", "2027-01-05"]),
        ("0 9 1-31 * 1", ["2027-01-02", "2027-01-03", "2027-01-04"]),
        ("0 9 */1 * 1", ["2027-01-04", "2027-01-11", "2027-01-18"]),
        ("0 9 ? * MON", ["2027-01-04", "2027-01-11", "2027-01-18"]),
        ("0 9 15/10 * *", ["2027-01-15", "2027-01-25", "2027-02-15"]),
        ("0 9 29 FEB *", ["2028-02-29", "2032-02-29", "2036-02-29"]),
    ],
)
def test_days_join_as_in_the_library_of_keda(text, dates):
    moment = int(datetime(2027, 1, 1, 12, tzinfo=UTC).timestamp())
    found = []
    for _ in dates:
        moment = parse(text).next(UTC_CLOCK, moment)
        found.append(f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}")

    assert dates == found


@pytest.mark.parametrize("text", ["0 0 30 2 *", "0 0 31 4,6 *"])
def test_a_day_that_never_comes_is_none(text):
    assert parse(text).next(UTC_CLOCK, 1_800_000_000) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0 8 * * 7", "start: day of week must be 0 to 6: Sunday is 0, got '7'"),
        ("0 8 * * 1-7", "start: day of week must be 0 to 6: Sunday is 0, got '1-7'"),
        ("60 8 * * *", "start: minute must be 0 to 59, got '60'"),
        ("0 24 * * *", "start: hour must be 0 to 23, got '24'"),
        ("0 8 0 * *", "start: day of month must be 1 to 31, got '0'"),
        ("0 8 32 * *", "start: day of month must be 1 to 31, got '32'"),
        ("0 8 * 13 *", "start: month must be 1 to 12, got '13'"),
        (
            "0 8 * * fri-mon",
            "start: day of week must be a range that rises, got 'fri-mon'",
        ),
        ("0 */0 * * *", "start: hour must have a step of at least 1, got '*/0'"),
        (
            "0 8 * * monday",
            "start: day of week must be 0 to 6 or sun, mon, tue, wed, thu, fri, sat, "
            "got 'monday'",
        ),
        (
            "0 +8 * * *",
            "start: hour must be numbers, a-b, *, */n or lists of these, got '+8'",
        ),
        (
            "0 8,,9 * * *",
            "start: hour must be numbers, a-b, *, */n or lists of these, got '8,,9'",
        ),
    ],
)
def test_refuses_what_the_library_refuses_or_may_misread(text, problem):
    assert [f"{problem} in {text!r}"] == cron_problems("start", text)


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("0 0 8 * * *", ""),
        ("0 8 * *", ""),
        ("@daily", ": KEDA takes no descriptors"),
        (
            "CRON_TZ=Asia/Tokyo 0 8 * * *",
            ": the zone has a field of its own, timezone",
        ),
        ("TZ=UTC 0 8 * * *", ": the zone has a field of its own, timezone"),
        (1080, ""),
    ],
)
def test_refuses_any_other_number_of_fields(text, way_out):
    assert [
        f"end must be a time such as 08:30, or {FIELDS}, got end={text!r}{way_out}"
    ] == cron_problems("end", text)
