"""
Alerts, read by Prometheus's own tool: each fires, and each is silent.

Not proven here: that exporters tell what the series say, and that Alertmanager
passes anything on.
"""

import pytest

from components.spec.monitoring.manifests import rule_groups
from components.spec.monitoring.thresholds import ALERTS
from tests.cluster.rule_alert_cases import CASES, AlertCase, Firing, healthy
from tests.cluster.rule_series import SCALERS, SETTINGS, watch
from tests.cluster.rule_tool import said

CALM_MINUTES = (30, 130)


@pytest.fixture(scope="session", autouse=True)
def untouched() -> None:
    """Take the place of the fixture that starts a control plane: none is needed."""


@pytest.fixture(scope="session")
def promtool(built):
    return built["promtool"]


def alerts(scaler: str) -> list[str]:
    groups = rule_groups(SETTINGS, watch(scaler))
    rules = [rule for group in groups for rule in group["rules"]]
    return [rule["alert"] for rule in rules if "alert" in rule]


def written(alert: str, severity: str, firing: Firing) -> dict[str, dict[str, str]]:
    return {
        "exp_labels": {**firing.labels, "severity": severity},
        "exp_annotations": {
            "summary": firing.summary,
            "description": firing.description,
            "runbook_url": f"https://example.com/runbooks/{alert}.md",
        },
    }


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=f"{case.scaler}-{case.alert}-{case.name}")
        for case in CASES
    ],
)
def test_an_alert_fires_when_it_should(promtool, tmp_path, case: AlertCase):
    expected = [
        {
            "eval_time": f"{minute}m",
            "alertname": case.alert,
            "exp_alerts": [written(case.alert, case.severity, one) for one in firing],
        }
        for minute, firing in case.firing.items()
    ]

    assert "" == said(
        promtool,
        tmp_path,
        SETTINGS,
        watch(case.scaler),
        case.told,
        {"alert_rule_test": expected},
    )


@pytest.mark.parametrize("scaler", SCALERS)
def test_no_alert_fires_where_all_is_well(promtool, tmp_path, scaler):
    expected = [
        {"eval_time": f"{minute}m", "alertname": alert, "exp_alerts": []}
        for alert in alerts(scaler)
        for minute in CALM_MINUTES
    ]

    assert "" == said(
        promtool,
        tmp_path,
        SETTINGS,
        watch(scaler),
        healthy(scaler),
        {"alert_rule_test": expected},
    )


def test_every_alert_fires_and_is_silent_in_some_case():
    fired = {case.alert for case in CASES if any(case.firing.values())}
    silent = {case.alert for case in CASES if not all(case.firing.values())}

    assert set(ALERTS) == fired
    assert set(ALERTS) == silent
