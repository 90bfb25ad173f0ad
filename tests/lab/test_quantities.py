"""Spellings of amounts."""

import pytest

from lab.quantities import cpu_millicores, duration_seconds, memory_mib


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("500m", 500),
        ("0.5", 500),
        (".5", 500),
        ("2", 2_000),
        (2, 2_000),
        (0.1, 100),
        ("2.", 2_000),
        ("0", 0),
        ("100u", 1),
        ("1n", 1),
        ("1k", 1_000_000),
        ("1e1", 10_000),
        ("+1", 1_000),
    ],
)
def test_cores_become_millicores_rounded_up(text, expected):
    assert expected == cpu_millicores(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("512Mi", 512),
        ("1Gi", 1_024),
        ("0.5Gi", 512),
        ("1048576", 1),
        (1_048_577, 2),
        ("64Ki", 1),
        ("1Ti", 1_048_576),
        ("1M", 1),
        ("100M", 96),
        ("1G", 954),
        ("1e9", 954),
        ("128974848000m", 123),
        ("0", 0),
    ],
)
def test_memory_becomes_mib_rounded_up(text, expected):
    assert expected == memory_mib(text)


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (cpu_millicores, "2 cores", "must be cores such as 500m or 2, got '2 cores'"),
        (cpu_millicores, "", "must be cores such as 500m or 2, got ''"),
        (cpu_millicores, True, "must be cores such as 500m or 2, got True"),
        (cpu_millicores, None, "must be cores such as 500m or 2, got None"),
        (cpu_millicores, "-1", "must not be negative, got '-1'"),
        (memory_mib, "1GB", "must be memory such as 512Mi or 1Gi, got '1GB'"),
        (memory_mib, "nan", "must be memory such as 512Mi or 1Gi, got 'nan'"),
        (
            duration_seconds,
            "1 hour",
            "must be seconds or a duration such as 1h30m, got '1 hour'",
        ),
        (
            duration_seconds,
            "-5",
            "must be seconds or a duration such as 1h30m, got '-5'",
        ),
        (duration_seconds, "", "must be seconds or a duration such as 1h30m, got ''"),
    ],
)
def test_other_spellings_are_refused(read, text, message):
    with pytest.raises(ValueError, match=".") as caught:
        read(text)

    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("90", 90),
        (" 1.5 ", 1.5),
        ("1h30m", 5_400),
        ("1d", 86_400),
        ("250ms", 0.25),
        ("1.5m", 90),
        ("0", 0),
    ],
)
def test_durations_are_seconds_or_units(text, expected):
    assert expected == duration_seconds(text)
