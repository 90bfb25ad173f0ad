"""Settings: what is refused, in the words of the stack file."""

import re

import pytest

from components.spec.monitoring.settings import Monitoring, PrometheusAccount, Scrapes
from components.spec.monitoring.thresholds import ALERTS, Thresholds


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"rules": False, "scrapes": None, "dashboards": False},
            "rules, scrapes or dashboards must be set, got none: leave monitoring out",
        ),
        (
            {"namespace": "Monitoring"},
            "namespace must be 1 to 63 lower-case letters, digits and '-', with a "
            "letter or digit at both ends, got 'Monitoring'",
        ),
        (
            {"labels": {"release": True}},
            "labels[release] must be text, got True (bool): put it in quotes",
        ),
        (
            {"dashboard_labels": {"grafana_dashboard": 1}},
            "dashboard_labels[grafana_dashboard] must be text, got 1 (int): put it in "
            "quotes",
        ),
        (
            {"interval": "60"},
            "interval must be hours, minutes and seconds such as 6h or 1h30m, got "
            "interval=60",
        ),
        ({"interval": "2m1s"}, "interval must be 1s to 2m, got interval=2m1s"),
        (
            {"interval": "0s"},
            "interval must be longer than nothing, got interval=0s",
        ),
        (
            {"cluster_label": "group"},
            "cluster_label must be a label of Prometheus that no rule uses, such as "
            "cluster, got cluster_label=group",
        ),
        (
            {"cluster_label": "k8s-cluster"},
            "cluster_label must be a label of Prometheus that no rule uses, such as "
            "cluster, got cluster_label=k8s-cluster",
        ),
        (
            {"cluster_value": "eu"},
            "cluster_value needs cluster_label, got cluster_value='eu'",
        ),
        (
            {"cluster_label": "cluster", "cluster_value": 'a"b'},
            "cluster_value must be text without quotes, braces and backslashes, got "
            "cluster_value='a\"b'",
        ),
        (
            {"runbook_url": "docs/runbooks"},
            "runbook_url must begin with https:// or http://, got "
            "runbook_url=docs/runbooks",
        ),
        (
            {"muted": ("JobInterupted",)},
            f"muted must be of {', '.join(ALERTS)}, got 'JobInterupted'",
        ),
        (
            {"muted": ("JobInterrupted", "JobInterrupted")},
            "muted must not repeat, got 'JobInterrupted' 2 times",
        ),
        (
            {"alert_labels": {"severity": "page"}},
            "key of alert_labels must be a label of Prometheus that no rule uses, such "
            "as team, got severity",
        ),
        (
            {"alert_labels": {"team": 1}},
            "alert_labels[team] must be text, got 1: put it in quotes",
        ),
        (
            {"alert_labels": {"team": "{{ $value }}"}},
            "alert_labels[team] must be plain text, got {{ $value }}",
        ),
        (
            {"volume_device": "/dev/xvda"},
            "volume_device must be a device without /dev/, such as nvme0n1, got "
            "volume_device=/dev/xvda",
        ),
    ],
)
def test_refuses_what_would_fail_or_do_nothing(settings, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Monitoring(**settings)


@pytest.mark.parametrize("field", ["alert_labels", "cluster_label"])
@pytest.mark.parametrize("label", ["namespace", "reason", "missing", "pod", "le"])
def test_a_label_that_would_make_one_alert_of_several_is_refused(field, label):
    given = {label: "x"} if field == "alert_labels" else label

    with pytest.raises(ValueError, match=f"must be a label .*, got .*{label}$"):
        Monitoring(**{field: given})


@pytest.mark.parametrize(("name", "label"), [(None, "cluster"), ("k8s", "k8s")])
def test_an_alert_label_that_the_cluster_would_overwrite_is_refused(name, label):
    with pytest.raises(ValueError, match=f"^key of alert_labels .*, got {label}$"):
        Monitoring(cluster_label=name, alert_labels={label: "x"})


def test_all_problems_are_named_at_once():
    with pytest.raises(ValueError, match="must") as caught:
        Monitoring(namespace="", interval="1d", runbook_url="x", volume_device="")

    assert ["namespace", "interval", "runbook_url", "volume_device"] == [
        line.split()[0] for line in str(caught.value).splitlines()
    ]


def test_h011_a_label_value_that_yaml_read_as_a_number_is_refused():
    with pytest.raises(ValueError, match=r"^labels\[release\] must be text, got 1"):
        Monitoring(labels={"release": 1})


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        (
            {"pleg_p99_seconds": 10.0},
            "pleg_p99_seconds must be above 0 and below 10, got pleg_p99_seconds=10.0",
        ),
        (
            {"pleg_p99_seconds": 0},
            "pleg_p99_seconds must be above 0 and below 10, got pleg_p99_seconds=0",
        ),
        (
            {"rejected_pulls": 0},
            "rejected_pulls must be 1 or more, got rejected_pulls=0",
        ),
        (
            {"sandbox_errors": 0},
            "sandbox_errors must be 1 or more, got sandbox_errors=0",
        ),
        ({"packing_nodes": 0}, "packing_nodes must be 1 or more, got packing_nodes=0"),
        (
            {"volume_ratio": 1.1},
            "volume_ratio must be above 0 and at most 1, got volume_ratio=1.1",
        ),
        (
            {"limit_ratio": 0},
            "limit_ratio must be above 0 and at most 1, got limit_ratio=0",
        ),
        (
            {"packing_ratio": 30},
            "packing_ratio must be above 0 and at most 1, got packing_ratio=30",
        ),
        (
            {"kept_by_one_pod": "1d"},
            "kept_by_one_pod must be hours, minutes and seconds such as 6h or 1h30m, "
            "got kept_by_one_pod=1d: there are no days, write 24h",
        ),
        (
            {"unschedulable": "0m"},
            "unschedulable must be longer than nothing, got unschedulable=0m",
        ),
        (
            {"expiry_margin": ""},
            "expiry_margin must be hours, minutes and seconds such as 6h or 1h30m, got "
            "expiry_margin=",
        ),
    ],
)
def test_refuses_thresholds_out_of_their_range(thresholds, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Thresholds(**thresholds)


def test_takes_intervals_at_their_ends():
    assert ["1s", "2m"] == [Monitoring(interval=one).interval for one in ("1s", "2m")]


def test_takes_thresholds_at_their_ends():
    assert 1 == Thresholds(volume_ratio=1, limit_ratio=1, packing_ratio=1).limit_ratio
    assert 9.99 == Thresholds(pleg_p99_seconds=9.99, rejected_pulls=1).pleg_p99_seconds


def test_scrapes_of_nothing_are_refused():
    with pytest.raises(
        ValueError,
        match="^scaler, vpc_cni or scheduler must be set, got none: leave scrapes out$",
    ):
        Scrapes(scaler=False, vpc_cni=False)


def test_an_account_that_kubernetes_would_refuse_is_refused():
    with pytest.raises(ValueError, match="must") as caught:
        PrometheusAccount(namespace="A", name="B")

    assert ["namespace", "name"] == [
        line.split()[0] for line in str(caught.value).splitlines()
    ]


def test_runbooks_are_in_the_project_until_they_have_an_address():
    page = Monitoring(runbook_url="https://example.com/r/").runbook("JobInterrupted")

    assert "docs/runbooks/JobInterrupted.md" == Monitoring().runbook("JobInterrupted")
    assert "https://example.com/r/JobInterrupted.md" == page
