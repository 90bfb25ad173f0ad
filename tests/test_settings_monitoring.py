"""
Monitoring in a stack file: when it is on, and how each fault is named.

What each key may hold is for tests/spec/monitoring; here is the way from the file.
"""

from typing import Any

import pulumi
import pytest

from components.spec.monitoring.settings import Monitoring, PrometheusAccount, Scrapes
from components.spec.monitoring.thresholds import Thresholds
from infra import settings

LEFT_OUT: Any = object()


def read(monitoring=LEFT_OUT, **keys) -> settings.Settings:
    group = {
        "name": "server",
        "architecture": "amd64",
        "instance_types": ["m7i.xlarge", "m6i.xlarge"],
    }
    values: dict[str, Any] = {
        "network": {"cidr": "10.40.0.0/16", "zones": 2},
        "cluster": {"version": "1.36"},
        "servers": [group],
        "jobs": [group | {"name": "job"}],
        "scaler": {"kind": "karpenter"},
    }
    if monitoring is not LEFT_OUT:
        values["monitoring"] = monitoring
    return settings.read(values | keys, region="ap-northeast-2", cluster_name="c")


def refusal(*monitoring, **keys) -> list[str]:
    with pytest.raises(pulumi.RunError) as caught:
        read(*monitoring, **keys)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("monitoring", "expected"),
    [
        (LEFT_OUT, None),
        (None, None),
        # What the CLI hands over for `monitoring:` with nothing behind it.
        ("", None),
        ({}, Monitoring()),
        ({"enabled": True}, Monitoring()),
        ({"enabled": False}, Monitoring(enabled=False)),
    ],
)
def test_the_key_turns_monitoring_on(monitoring, expected):
    assert expected == read(monitoring).monitoring


def test_every_part_is_read():
    monitoring = {
        "scrapes": {"vpc_cni": False, "scheduler": {"name": "prometheus"}},
        "thresholds": {"pleg_p99_seconds": 3, "kept_by_one_pod": "12h"},
        "muted": ["JobPackingPoor"],
        "alert_labels": {"team": "platform"},
    }

    assert (
        Monitoring(
            scrapes=Scrapes(
                vpc_cni=False, scheduler=PrometheusAccount(name="prometheus")
            ),
            thresholds=Thresholds(pleg_p99_seconds=3.0, kept_by_one_pod="12h"),
            muted=("JobPackingPoor",),
            alert_labels={"team": "platform"},
        )
        == read(monitoring).monitoring
    )


@pytest.mark.parametrize(
    ("monitoring", "message"),
    [
        (True, "monitoring: expected a map, got true"),
        (
            {"enabled": "yes"},
            'monitoring.enabled: expected true or false, got "yes"',
        ),
        (
            {"scrapes": {"scheduler": True}},
            "monitoring.scrapes.scheduler: expected a map, got true",
        ),
        (
            {"thresholds": {"limit_ratio": 90}},
            "monitoring.thresholds: limit_ratio must be above 0 and at most 1, got "
            "limit_ratio=90.0",
        ),
        (
            {"rules": False, "scrapes": None, "dashboards": False},
            "monitoring: rules, scrapes or dashboards must be set, got none: leave "
            "monitoring out",
        ),
    ],
)
def test_a_fault_is_named_with_its_place(monitoring, message):
    assert [message] == refusal(monitoring)


def test_an_unknown_key_is_refused_with_the_nearest():
    (line,) = refusal({"treshold": {}})

    assert line.startswith("monitoring.treshold: unknown key, expected one of enabled,")
    assert line.endswith("; did you mean thresholds?")


@pytest.mark.parametrize(
    ("monitoring", "keys", "message"),
    [
        ({}, {"jobs": []}, "jobs must hold a group for monitoring, got none"),
        (
            {"rules": False, "dashboards": False},
            {"scaler": {"kind": "auto-mode"}},
            "monitoring must create something, got rules=false, dashboards=false and "
            "scrapes of nothing that this scaler runs: leave monitoring out",
        ),
    ],
)
def test_what_only_the_whole_file_shows_is_refused(monitoring, keys, message):
    assert [message] == refusal(monitoring, **keys)
    assert None is read(None, **keys).monitoring
