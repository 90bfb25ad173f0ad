"""What a schedule refuses, what it warns of, and what KEDA gets."""

import pytest

from components.spec.balloon.hours import active_hours, held, least_held
from components.spec.balloon.keda_trigger import scaled_object
from components.spec.balloon.schedule import Schedule, Window
from components.spec.balloon.schedule_review import schedule_notices, step_notices
from components.spec.balloon.year import shown, zone_clock

ZONE = (
    "timezone must be a zone of the tz database with its area, such as Asia/Seoul or "
    "Europe/Berlin, or UTC, got timezone="
)
YEAR = "from Mon 2027-01-04 00:00 to Mon 2028-01-03 00:00"
LONG = (
    "because KEDA compares only the next start and the next end; the days of both must "
    "match, those of end one later over midnight (1-5 and 2-6), and longer times are "
    "several windows"
)


def schedule(**overrides):
    return Schedule(**{"timezone": "Asia/Tokyo", **overrides})


def office(**overrides):
    return schedule(**{"start": "08:30", "end": "18:00", **overrides})


def crons(start, end, **overrides):
    return schedule(start=start, end=end, **overrides)


def refusal(make, *args, **kwargs):
    with pytest.raises(ValueError, match=r"\A") as caught:
        make(*args, **kwargs)
    return str(caught.value).splitlines()


def notices(one, replicas=3):
    return [str(notice) for notice in schedule_notices("s", one, replicas)]


@pytest.mark.parametrize(
    ("window", "pair"),
    [
        ({}, ("30 8 * * *", "0 18 * * *")),
        ({"days": ("mon-fri",)}, ("30 8 * * 1-5", "0 18 * * 1-5")),
        ({"days": ("Wed", "mon")}, ("30 8 * * 1,3", "0 18 * * 1,3")),
        ({"days": ("sat-mon",)}, ("30 8 * * 0-1,6", "0 18 * * 0-1,6")),
        (
            {"start": "22:00", "end": "06:05", "overnight": True, "days": ("mon-fri",)},
            ("0 22 * * 1-5", "5 6 * * 2-6"),
        ),
        (
            {"start": "22:00", "end": "06:00", "overnight": True, "days": ("sat",)},
            ("0 22 * * 6", "0 6 * * 0"),
        ),
        (
            {"start": "08:00", "end": "00:00", "overnight": True},
            ("0 8 * * *", "0 0 * * *"),
        ),
        (
            {"start": " 30 8  * * 1-5", "end": "0 18 * * 1-5"},
            ("30 8 * * 1-5", "0 18 * * 1-5"),
        ),
        ({"start": "0 8 1 * *", "end": "0 18 1 * *"}, ("0 8 1 * *", "0 18 1 * *")),
    ],
)
def test_windows_become_two_cron_texts(window, pair):
    (one,) = office(**window).all_windows

    assert pair == one.crons


@pytest.mark.parametrize(
    ("start", "end", "more", "message"),
    [
        (
            "30 8 * * 1-5",
            "0 18 * * *",
            {},
            "start and end must make windows of at most a day, {got}: open from Fri "
            f"2027-01-08 08:30 to Sun 2027-01-10 18:00, 57.5 hours, {LONG}",
        ),
        (
            "0 22 * * 1-5",
            "0 6 * * 1-5",
            {"overnight": True},
            "start and end must make windows of at most a day, {got}: open from Fri "
            f"2027-01-08 22:00 to Mon 2027-01-11 06:00, 56 hours, {LONG}",
        ),
        (
            "30 8 * * *",
            "0 18 * * 1-5",
            {},
            "start and end must take turns, {got}: the start of Sat 2027-01-09 08:30 "
            "opens nothing, because another start comes before the next end; the days "
            "and months of both must match",
        ),
        (
            "0 8 * * *",
            "0 12,18 * * *",
            {},
            "start and end must take turns, {got}: the end of Mon 2027-01-04 12:00 "
            "closes nothing, because another end comes before the next start; the days "
            "and months of both must match",
        ),
        (
            "0 9 * * *",
            "00 9 * * *",
            {},
            f"start and end must leave a time without balloons, {{got}}: always open, "
            f"{YEAR}, because they are the same time; for balloons at all hours leave "
            "the schedule out",
        ),
        (
            "0 0 30 2 *",
            "0 18 * * *",
            {},
            f"start and end must leave a time without balloons, {{got}}: always open, "
            f"{YEAR}, because start never comes, and KEDA takes that for a start in "
            "the past; for balloons at all hours leave the schedule out",
        ),
        (
            "0 8 * * *",
            "0 0 30 2 *",
            {},
            f"start and end must make a window, {{got}}: never open, {YEAR}",
        ),
    ],
)
def test_h063_a_year_disproves_what_keda_reads_in_its_own_way(
    start, end, more, message
):
    got = f"got start={start!r} and end={end!r}"

    assert [message.format(got=got)] == refusal(crons, start, end, **more)


def test_h064_a_swapped_pair_needs_an_explicit_yes():
    assert [
        "end=08:30 is before start=18:00, so the window goes over midnight: swap them, "
        "or say overnight: true"
    ] == refusal(office, start="18:00", end="08:30")
    assert [
        "start and end must be on one day, got start='0 18 * * *' and "
        "end='30 8 * * *': open from Mon 2027-01-04 18:00 to Tue 2027-01-05 08:30, "
        "over midnight; swap them, or say overnight: true"
    ] == refusal(crons, "0 18 * * *", "30 8 * * *")
    assert (
        101.5
        == active_hours(
            crons("0 18 * * *", "30 8 * * *", overnight=True), 1
        ).hours_per_week
    )


def test_h064_a_yes_without_a_night_is_refused():
    assert [
        "overnight must be left out, since the window ends on the day it starts, "
        "got start=08:30 and end=18:00"
    ] == refusal(office, overnight=True)
    assert [
        "overnight must be left out, since no window goes over midnight, got "
        "start='30 8 * * *' and end='0 18 * * *': the first is Mon 2027-01-04 08:30 to "
        "Mon 2027-01-04 18:00"
    ] == refusal(crons, "30 8 * * *", "0 18 * * *", overnight=True)


@pytest.mark.parametrize(
    ("given", "messages"),
    [
        (
            {"end": "08:30"},
            [
                "end must differ from start, got end=08:30: for balloons at all hours "
                "leave the schedule out"
            ],
        ),
        (
            {"end": "0 18 * * *"},
            [
                "start and end must both be times, or both be fields of cron, "
                "got end='0 18 * * *'"
            ],
        ),
        (
            {"start": "0 8 * * *", "end": "0 18 * * *", "days": ("mon",)},
            [
                "days must be left out with fields of cron, whose last field says "
                "them, got days=['mon']"
            ],
        ),
        (
            {"days": ("mon", "mon-fri", "fry")},
            [
                "days must not repeat, got 'mon-fri' among ['mon', 'mon-fri', 'fry']",
                "days must be of sun, mon, tue, wed, thu, fri, sat, or mon-fri, "
                "got 'fry'",
            ],
        ),
        (
            {"days": ()},
            ["days must name a day, or be left out for every day, got days=[]"],
        ),
        (
            {"start": "*/5 8 * * *", "end": "0 18 * * *"},
            [
                "start must name one minute of its hours, got start='*/5 8 * * *': "
                "balloons need minutes to come and go"
            ],
        ),
        (
            {"start": "0 8 1 * 1", "end": "0 18 * * 1"},
            [
                "start must restrict days of the month or days of the week, not both, "
                "got start='0 8 1 * 1': cron takes days that match either, Mon "
                "2027-01-04, Mon 2027-01-11, Mon 2027-01-18"
            ],
        ),
        ({"end": None}, ["start and end must be given, or windows, got start"]),
        (
            {"windows": (Window(start="09:00", end="10:00"),), "end": None},
            [
                "start must be left out beside windows, which say it each, "
                "got start='08:30'"
            ],
        ),
        (
            {"cooldown": "1d", "timezone": "JST"},
            [
                f"{ZONE}'JST': an abbreviation is no zone, write that of a city",
                "cooldown must be hours, minutes and seconds such as 6h or 1h30m, "
                "got cooldown=1d: there are no days, write 24h",
            ],
        ),
    ],
)
def test_all_problems_of_a_schedule_are_named(given, messages):
    assert messages == refusal(office, **given)


def test_a_window_is_listed_once():
    window = Window(start="09:00", end="10:00")

    assert ["windows[1] must not repeat windows[0]"] == refusal(
        schedule, windows=(window, window)
    )


def test_h062_no_balloons_in_a_window_is_refused():
    assert [
        "replicas must be 1 or more, got replicas=0: outside of all windows there are "
        "no balloons anyway"
    ] == refusal(Window, start="09:00", end="10:00", replicas=0)


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("Tokyo", ": did you mean Asia/Tokyo?"),
        ("asia/tokyo", ": did you mean Asia/Tokyo?"),
        ("Japan", ": did you mean Asia/Tokyo?"),
        ("GMT", ": did you mean UTC?"),
        ("CRON_TZ=Asia/Tokyo", ": did you mean Asia/Tokyo?"),
        ("Mars/Base", ""),
        ("Local", ""),
        ("", ""),
        ("EST", ": an abbreviation is no zone, write that of a city"),
        ("CET", ": an abbreviation is no zone, write that of a city"),
        ("EST5EDT", ": an abbreviation is no zone, write that of a city"),
    ],
)
def test_h065_a_zone_has_an_area_and_a_place(name, way_out):
    assert [f"{ZONE}{name!r}{way_out}"] == refusal(office, timezone=name)


@pytest.mark.parametrize("name", ["UTC", "Etc/UTC", "America/Argentina/Ushuaia"])
def test_h065_zones_of_the_database_pass_without_a_word(name):
    assert [] == notices(office(timezone=name))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "Etc/GMT+9",
            "is UTC-09:00, its sign is the other way round, and has no summer time: "
            "Etc/GMT-9 is the zone UTC+09:00, and a city says it without signs",
        ),
        (
            "US/Pacific",
            "is an old name, which the database beside KEDA may lack: KEDA would then "
            "leave the balloons as they are; write America/Los_Angeles",
        ),
    ],
)
def test_h065_names_that_mean_something_else_warn(name, text):
    assert [f"s.timezone: timezone={name} {text}"] == notices(office(timezone=name))


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        (
            {"start": "02:30", "end": "18:00"},
            [
                "s: clocks go from 02:00 to 03:00 on Sun 2027-03-28, and balloons are "
                "held Sat 2027-03-27 02:30 to Sun 2027-03-28 18:00, instead of Sat "
                "2027-03-27 02:30 to Sat 2027-03-27 18:00, Sun 2027-03-28 02:30 to Sun "
                "2027-03-28 18:00, because start=02:30 is skipped that day"
            ],
        ),
        (
            {"start": "08:00", "end": "02:30", "overnight": True},
            [
                "s: clocks go from 02:00 to 03:00 on Sun 2027-03-28, and none are held "
                "Sat 2027-03-27 08:00 to Sun 2027-03-28 02:30, because end=02:30 is "
                "skipped that day"
            ],
        ),
        ({"start": "02:30", "end": "18:00", "days": ("mon-fri",)}, []),
        ({"start": "01:59", "end": "03:00"}, []),
        ({"start": "03:00", "end": "18:00"}, []),
        ({"start": "02:30", "end": "18:00", "timezone": "Asia/Tokyo"}, []),
        (
            {"start": "08:00", "end": "18:30", "timezone": "Australia/Lord_Howe"},
            [
                "s: clocks go from 02:00 to 01:30 on Sun 2027-04-04, and balloons are "
                "held Sat 2027-04-03 08:00 to Sun 2027-04-04 02:00, instead of Sat "
                "2027-04-03 08:00 to Sat 2027-04-03 18:30, because the cron library of "
                "KEDA miscounts the hours of that day",
                "s: clocks go from 02:00 to 02:30 on Sun 2027-10-03, and balloons are "
                "held Sat 2027-10-02 08:00 to Sun 2027-10-03 03:00, instead of Sat "
                "2027-10-02 08:00 to Sat 2027-10-02 18:30, because the cron library of "
                "KEDA miscounts the hours of that day",
            ],
        ),
    ],
)
def test_h066_a_change_of_clocks_warns_with_its_dates(given, texts):
    assert texts == notices(schedule(**{"timezone": "Europe/Berlin", **given}))


def test_windows_that_overlap_warn_with_their_dates():
    both = schedule(
        windows=(
            Window(start="08:00", end="12:00"),
            Window(start="11:00", end="14:00", days=("mon",), replicas=5),
        )
    )

    assert [
        "s.windows[1]: overlaps windows[0], 5 and 3 balloons, Mon 2027-01-04 11:00 to "
        "Mon 2027-01-04 12:00, Mon 2027-01-11 11:00 to Mon 2027-01-11 12:00, Mon "
        "2027-01-18 11:00 to Mon 2027-01-18 12:00 and 49 times more: the higher, 5, "
        "counts"
    ] == notices(both)


def test_a_number_that_no_window_uses_and_a_cooldown_that_never_ends_warn():
    both = schedule(
        windows=(
            Window(start="08:00", end="12:00", replicas=2),
            Window(start="13:00", end="14:00", replicas=4),
        ),
        cooldown="1h",
    )

    assert [
        "s: replicas=3 is in no window, since each says its own: 2, 4",
        "s.cooldown: cooldown=1h lasts as long as the shortest time without balloons, "
        "Mon 2027-01-04 12:00 to Mon 2027-01-04 13:00, or longer: KEDA never takes the "
        "last balloon away there",
    ] == notices(both)


def test_hours_of_a_week_add_up():
    both = schedule(
        windows=(
            Window(start="08:00", end="12:00"),
            Window(start="11:00", end="14:00", replicas=5),
        )
    )
    hours = active_hours(both, 3)

    assert (42, 7 * (3 * 3 + 3 * 5), 5) == (
        hours.hours_per_week,
        hours.balloon_hours_per_week,
        hours.most,
    )
    assert (84, 126) == (
        hours.vcpu_hours_per_week(500),
        hours.gib_hours_per_week(768),
    )


def test_balloons_without_a_schedule_hold_every_hour():
    hours = active_hours(None, 3)

    assert (168, 504, 3) == (
        hours.hours_per_week,
        hours.balloon_hours_per_week,
        hours.most,
    )


def test_windows_that_touch_leave_no_gap():
    day = schedule(
        windows=(
            Window(start="08:00", end="12:00", replicas=1),
            Window(start="12:00", end="14:00", replicas=2),
        )
    )
    zone = zone_clock("Asia/Tokyo")
    first, second, *_ = held(day, 3)

    assert [("Mon 2027-01-04 12:00", 1), ("Mon 2027-01-04 14:00", 2)] == [
        (shown(zone.wall(span.end)), count) for span, count in (first, second)
    ]


DAY_AND_NIGHT = (
    Window(start="08:00", end="20:00", replicas=20),
    Window(start="20:00", end="08:00", overnight=True, replicas=2),
)
WORK_AND_WEEKEND = (
    *(
        Window(start="08:00", end="20:00", days=(day,))
        for day in ("mon", "tue", "wed", "thu", "fri")
    ),
    Window(start="20:00", end="08:00", days=("mon-thu",), overnight=True),
)


@pytest.mark.parametrize(
    ("windows", "cooldown", "least"),
    [
        (DAY_AND_NIGHT, "0s", 2),
        (DAY_AND_NIGHT[:1], "12h", 20),
        (DAY_AND_NIGHT[:1], "11h59m59s", 0),
        (WORK_AND_WEEKEND, "59h59m59s", 0),
        # From Friday evening to Monday morning, over the end of the year as well.
        (WORK_AND_WEEKEND, "60h", 3),
    ],
)
def test_windows_that_leave_no_time_are_always_up(windows, cooldown, least):
    assert least == least_held(schedule(windows=windows, cooldown=cooldown), 3)


def test_a_window_without_a_number_counts_with_that_of_the_balloon():
    both = (DAY_AND_NIGHT[0], Window(start="20:00", end="08:00", overnight=True))

    assert 3 == least_held(schedule(windows=both), 3)


def made(one, replicas=3, version="1.36"):
    return scaled_object(
        "one",
        "balloons",
        target="job",
        schedule=one,
        replicas=replicas,
        cluster_version=version,
    )


def steps(first, second, gap=0, cooldown="5m"):
    """Return two windows, the second so many minutes after the first."""
    return schedule(
        windows=(
            Window(start="08:00", end="12:00", replicas=first),
            Window(start=f"12:{gap:02}", end="18:00", replicas=second),
        ),
        cooldown=cooldown,
    )


CLOSE = [
    (steps(20, 22), True),
    (steps(20, 23), False),
    (steps(20, 18), True),
    (steps(20, 17), False),
    (steps(9, 10), False),
    (steps(10, 9), True),
    (steps(20, 20), False),
    # A step down to nothing lies between them.
    (steps(20, 22, gap=6), False),
    (steps(20, 22, gap=5), True),
    (steps(20, 22, gap=6, cooldown="6m"), True),
    (office(), False),
]


@pytest.mark.parametrize(("one", "close"), CLOSE)
def test_h091_windows_of_nearly_the_same_number_are_told_from_each_other(one, close):
    """An autoscaler takes a tenth for nothing, unless Kubernetes 1.35 is told."""
    exact = {"tolerance": "0"} if close else {}
    up, down = behavior(made(one))

    assert exact == {key: up[key] for key in up if key == "tolerance"}
    assert exact == {key: down[key] for key in down if key == "tolerance"}


@pytest.mark.parametrize(("one", "close"), CLOSE)
def test_h091_below_1_35_such_windows_warn(one, close):
    up, down = behavior(made(one, version="1.34"))

    assert close == bool(list(step_notices("s", one, 3)))
    assert "tolerance" not in up | down


def test_a_step_that_is_never_taken_is_named_with_its_date():
    assert [
        "s.windows: 20 balloons stay where 22 are wanted, from Mon 2027-01-04 12:00 on "
        "and 363 times more: below Kubernetes 1.35 an autoscaler takes no step of a "
        "tenth or less"
    ] == [str(notice) for notice in step_notices("s", steps(20, 22), 3)]


@pytest.mark.parametrize(
    ("cooldown", "waits"), [("0s", 0), ("5m", 300), ("1h", 3600), ("2h", 3600)]
)
def test_a_lower_number_waits_for_the_cooldown_as_none_does(cooldown, waits):
    """An hour at most, which is all that an autoscaler takes."""
    _, down = behavior(made(office(cooldown=cooldown)))

    assert {"stabilizationWindowSeconds": waits} == down


def behavior(scaled):
    found = scaled["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    return found["scaleUp"], found["scaleDown"]


def test_h062_the_object_of_keda_scales_to_nothing_outside_of_its_windows():
    both = schedule(
        windows=(
            Window(start="08:30", end="18:00", days=("mon-fri",)),
            Window(start="22:00", end="06:00", overnight=True, replicas=5),
        ),
        cooldown="1m",
    )

    assert {
        "apiVersion": "keda.sh/v1alpha1",
        "kind": "ScaledObject",
        "metadata": {"name": "one", "namespace": "balloons"},
        "spec": {
            "scaleTargetRef": {
                "apiVersion": "apps/v1",
                "kind": "Deployment",
                "name": "job",
            },
            "pollingInterval": 30,
            "cooldownPeriod": 60,
            "minReplicaCount": 0,
            "maxReplicaCount": 5,
            "advanced": {
                "horizontalPodAutoscalerConfig": {
                    "behavior": {
                        "scaleUp": {
                            "policies": [
                                {"type": "Pods", "value": 5, "periodSeconds": 15}
                            ]
                        },
                        "scaleDown": {"stabilizationWindowSeconds": 60},
                    }
                }
            },
            "triggers": [
                {
                    "type": "cron",
                    "metadata": {
                        "timezone": "Asia/Tokyo",
                        "start": "30 8 * * 1-5",
                        "end": "0 18 * * 1-5",
                        "desiredReplicas": "3",
                    },
                },
                {
                    "type": "cron",
                    "metadata": {
                        "timezone": "Asia/Tokyo",
                        "start": "0 22 * * *",
                        "end": "0 6 * * *",
                        "desiredReplicas": "5",
                    },
                },
            ],
        },
    } == made(both)
