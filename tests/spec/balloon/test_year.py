"""
A year of KEDA: its formula, and the clock of its cron library.

GOLDEN was made by a program that calls robfig/cron 3.0.1, the library of KEDA 2.20.2,
and KEDA's formula for every minute. The same program agreed with `simulate` on some
hundred random texts around changes of clocks in thirteen zones.
What this does not prove: that KEDA in a cluster has the same database of zones.
"""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.spec.balloon.year import is_active, shown, simulate, zone_clock
from components.spec.cron import parse
from components.spec.time_zones import UTC_CLOCK

DAY = 86_400

# Zone, start, end, day of interest; what is held that starts from the day before it
# to the day after, in UTC.
GOLDEN = [
    (
        ("Asia/Seoul", "30 8 * * 1-5", "0 18 * * 1-5", "2027-03-05"),
        ["03-03 23:30 to 03-04 09:00", "03-04 23:30 to 03-05 09:00"],
    ),
    (
        ("Asia/Tokyo", "0 22 * * 1-5", "0 6 * * 2-6", "2027-03-05"),
        ["03-04 13:00 to 03-04 21:00", "03-05 13:00 to 03-05 21:00"],
    ),
    (
        ("Europe/Berlin", "30 2 * * *", "0 18 * * *", "2027-03-28"),
        ["03-27 01:30 to 03-28 16:00", "03-29 00:30 to 03-29 16:00"],
    ),
    (
        ("Europe/Berlin", "0 8 * * *", "30 2 * * *", "2027-03-28"),
        ["03-28 06:00 to 03-29 00:30", "03-29 06:00 to 03-30 00:30"],
    ),
    (
        ("Europe/Berlin", "30 2 * * *", "0 18 * * *", "2027-10-31"),
        [
            "10-30 00:30 to 10-30 16:00",
            "10-31 01:30 to 10-31 17:00",
            "11-01 01:30 to 11-01 17:00",
        ],
    ),
    (
        ("Europe/Berlin", "0 20 * * *", "30 2 * * *", "2027-10-31"),
        [
            "10-30 18:00 to 10-31 01:30",
            "10-31 19:00 to 11-01 01:30",
            "11-01 19:00 to 11-02 01:30",
        ],
    ),
    (
        ("America/New_York", "0 2 * * *", "0 6 * * *", "2027-03-14"),
        ["03-13 07:00 to 03-14 10:00", "03-15 06:00 to 03-15 10:00"],
    ),
    (
        ("America/New_York", "30 1 * * *", "0 6 * * *", "2027-11-07"),
        [
            "11-06 05:30 to 11-06 10:00",
            "11-07 06:30 to 11-07 11:00",
            "11-08 06:30 to 11-08 11:00",
        ],
    ),
    (
        ("Australia/Lord_Howe", "0 8 * * *", "30 18 * * *", "2027-10-03"),
        [
            "10-01 21:30 to 10-02 16:00",
            "10-02 21:00 to 10-03 07:30",
            "10-03 21:00 to 10-04 07:30",
        ],
    ),
    (
        ("Australia/Lord_Howe", "15 2 * * *", "0 5 * * *", "2027-10-03"),
        [
            "10-01 15:45 to 10-01 18:30",
            "10-02 16:00 to 10-02 18:00",
            "10-03 15:15 to 10-03 18:00",
        ],
    ),
    (
        ("Australia/Lord_Howe", "0 8 * * *", "30 18 * * *", "2027-04-04"),
        [
            "04-02 21:00 to 04-03 15:30",
            "04-03 21:30 to 04-04 08:00",
            "04-04 21:30 to 04-05 08:00",
        ],
    ),
    (
        ("Africa/Casablanca", "30 2 * * *", "0 18 * * *", "2026-03-22"),
        ["03-21 02:30 to 03-22 17:00", "03-23 01:30 to 03-23 17:00"],
    ),
    (
        ("Africa/Casablanca", "30 2 * * *", "0 18 * * *", "2026-02-15"),
        [
            "02-14 01:30 to 02-14 17:00",
            "02-15 02:30 to 02-15 18:00",
            "02-16 02:30 to 02-16 18:00",
        ],
    ),
    (
        ("Africa/Cairo", "30 0 * * *", "0 18 * * *", "2027-04-30"),
        ["04-28 22:30 to 04-30 15:00", "04-30 21:30 to 05-01 15:00"],
    ),
]


@pytest.mark.parametrize(("given", "held"), GOLDEN, ids=lambda one: str(one[0]))
def test_h066_a_change_of_clocks_does_what_the_library_of_keda_does(given, held):
    name, start, end, text = given
    year = int(text[:4])
    day = int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())
    zone = zone_clock(name, year)
    spans = simulate(parse(start), parse(end), zone, year).spans

    assert held == [
        f"{shown(span.start)[9:]} to {shown(span.end)[9:]}"
        for span in spans
        if day - DAY <= zone.wall(span.start) < day + 2 * DAY
    ]


@pytest.mark.parametrize(
    ("start", "end", "hours", "longest"),
    [
        ("30 8 * * *", "0 18 * * *", 66.5, 9.5),
        ("30 8 * * 1-5", "0 18 * * 1-5", 47.5, 9.5),
        ("30 8 * * 1-5", "0 18 * * *", 95.5, 57.5),
        ("30 8 * * *", "0 18 * * 1-5", 47.5, 9.5),
        ("0 18 * * *", "30 8 * * *", 101.5, 14.5),
        ("0 22 * * 1-5", "0 6 * * 1-5", 88, 56),
        ("0 22 * * 1-5", "0 6 * * 2-6", 40, 8),
        ("0 9 * * *", "00 9 * * *", 168, 168 * 52),
        ("0 0 30 2 *", "0 18 * * *", 168, 168 * 52),
        ("0 8 * * *", "0 0 30 2 *", 0, 0),
        ("0 0 31 2 *", "0 0 30 2 *", 168, 168 * 52),
    ],
)
def test_h063_a_week_has_the_hours_that_the_formula_gives(start, end, hours, longest):
    year = simulate(parse(start), parse(end), zone_clock("Asia/Tokyo"), 2027)

    assert (hours, longest) == (
        year.hours / 52,
        max((span.hours for span in year.spans), default=0),
    )


@pytest.mark.parametrize(
    ("start", "end", "active"),
    [(2, 1, True), (1, 1, True), (1, 2, False)]
    + [(None, 1, True), (None, None, True), (1, None, False)],
)
def test_only_the_next_start_and_the_next_end_count(start, end, active):
    assert active == is_active(start, end)


@settings(max_examples=20, deadline=None)
@given(
    st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Seoul"]),
    st.integers(4 * 60, 23 * 60),
    st.integers(1, 59),
    st.integers(1971, 2090),
)
def test_daytime_windows_last_the_same_in_every_zone_and_year(
    name, first, minutes, year
):
    start, end = (
        parse(f"{time % 60} {time // 60} * * *") for time in (first, first + minutes)
    )
    zone = zone_clock(name, year)
    plain = simulate(start, end, UTC_CLOCK, year).spans

    assert [(span.start, span.end) for span in plain] == [
        (zone.wall(span.start), zone.wall(span.end))
        for span in simulate(start, end, zone, year).spans
    ]
