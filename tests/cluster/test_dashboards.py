"""
Queries of the dashboards, asked of Prometheus on series that were made up.

Not proven here: that Grafana puts the same in place of its variables as these tests.
"""

import re
from collections.abc import Iterator
from functools import cache

import pytest
import yaml

from components.spec.monitoring.dashboards.before_after import before_after
from components.spec.monitoring.dashboards.job_platform import job_platform
from components.spec.monitoring.dashboards.values import Dashboard
from components.spec.monitoring.promql import names
from components.spec.monitoring.rules import Scope
from lab.panels.__main__ import main
from lab.report import records
from tests.cluster.rule_cases import CASES, Case
from tests.cluster.rule_series import SCALERS, SETTINGS, node, watch
from tests.cluster.rule_tool import check, said
from tests.lab.report_study import STUDY

# What Grafana puts in place of its variables, with everything chosen.
CHOSEN = {
    "$__range": "1h",
    "$architecture": ".*",
    "$cluster": "prod",
    "$group": ".*",
    "$shift": "2h",
}
INTERRUPTED = "group_owner:eks_jobs_pods_interrupted:count"
DASHBOARDS = {"job_platform": job_platform, "before_after": before_after}


@pytest.fixture(scope="session", autouse=True)
def untouched() -> None:
    """Take the place of the fixture that starts a control plane: none is needed."""


@pytest.fixture(scope="session")
def promtool(built):
    return built["promtool"]


def made(name: str, scaler: str) -> Dashboard:
    return DASHBOARDS[name](Scope(settings=SETTINGS, watched=watch(scaler)))


@cache
def queries(name: str, scaler: str) -> dict[str, str]:
    """Return the expressions of a dashboard by panel and legend."""
    return {
        f"{panel.title}: {query.legend}": chosen(query.expr)
        for panel in made(name, scaler).panels
        for query in panel.queries
    }


def chosen(expression: str) -> str:
    for variable, value in CHOSEN.items():
        expression = expression.replace(variable, value)
    return expression


def as_rules(expressions: dict[str, str]) -> str:
    """Return a rule file of expressions, which is how promtool checks them."""
    rules = [
        {"record": f"panel:{number}", "expr": expression}
        for number, expression in enumerate(expressions.values())
    ]
    return yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]})


@pytest.mark.parametrize("scaler", SCALERS)
@pytest.mark.parametrize("name", DASHBOARDS)
def test_prometheus_takes_every_query(promtool, tmp_path, name, scaler):
    expressions = queries(name, scaler)

    assert "$" not in "".join(expressions.values())
    assert "" == check(promtool, tmp_path, as_rules(expressions))


def test_the_check_finds_a_fault(promtool, tmp_path):
    assert "parse error" in check(promtool, tmp_path, as_rules({"a": "sum(x{a=})"}))


def fed(case: Case, scaler: str) -> Iterator[tuple[str, str]]:
    """Return the queries of which a case records everything."""
    recorded = {name for name, found in case.recorded.items() if found}
    for name in DASHBOARDS:
        for title, expression in queries(name, scaler).items():
            if set(names(expression)) <= recorded and "offset" not in expression:
                yield title, expression


@pytest.mark.parametrize(
    ("scaler", "case"),
    [
        pytest.param(scaler, case, id=f"{scaler}-{case.name}")
        for case in CASES
        for scaler in case.scalers
        if any(fed(case, scaler))
    ],
)
def test_panels_show_what_rules_record(promtool, tmp_path, scaler: str, case: Case):
    expected = [
        {
            "expr": f"count({expression}) > bool 0",
            "eval_time": f"{case.minute}m",
            "exp_samples": [{"labels": "{}", "value": 1}],
        }
        for _, expression in fed(case, scaler)
    ]

    assert "" == said(
        promtool,
        tmp_path,
        SETTINGS,
        watch(scaler),
        case.told,
        {"promql_expr_test": expected},
    )


def test_every_panel_shows_something_in_some_case():
    """The tables ask for much at once, and have tests of their own."""
    asked = {
        title
        for scaler in SCALERS
        for title, expression in queries("job_platform", scaler).items()
        if "ALERTS" not in expression
    }
    shown = {
        title
        for case in CASES
        for scaler in case.scalers
        for title, _ in fed(case, scaler)
    }

    assert set() == asked - shown


def rows(expression: str, *titles: str) -> str:
    """Select lines of a table by their first column."""
    return f"({expression}) and on (figure) ({' or '.join(map(named, titles))})"


def named(title: str) -> str:
    return f'label_replace(vector(1), "figure", "{title}", "", "")'


def test_the_table_of_before_and_after_compares_two_times(promtool, tmp_path):
    """One node, then three: an hour of each, two hours apart."""
    late = "_x119 1x300"
    told = [*node("job-1"), *node("job-2", values=late), *node("job-3", values=late)]
    told += node("arm-1", "job-arm")
    table = queries("before_after", "karpenter")
    expected = [
        {
            "expr": rows(
                table[f"Nodes and pods: {column}"], "Nodes", "Nodes, groups together"
            ),
            "eval_time": "200m",
            "exp_samples": [
                {"labels": '{figure="Nodes",group="job"}', "value": job},
                {"labels": '{figure="Nodes",group="job-arm"}', "value": arm},
                {"labels": '{figure="Nodes, groups together"}', "value": together},
            ],
        }
        for column, job, arm, together in (
            ("Before", 1, 1, 2),
            ("After", 3, 1, 4),
            ("Change", 2, 0, 1),
        )
    ]

    assert "" == said(
        promtool,
        tmp_path,
        SETTINGS,
        watch("karpenter"),
        told,
        {"promql_expr_test": expected},
    )


def test_an_alert_that_fires_is_listed_with_its_place(promtool, tmp_path):
    (case,) = [one for one in CASES if "its node may be gone" in one.name]
    listed = queries("job_platform", "karpenter")["Alerts that fire: How many"]
    interrupted = 'label_replace(vector(1), "alertname", "JobInterrupted", "", "")'
    fires = {"alertname": "JobInterrupted", "severity": "critical"}
    expected = {
        "expr": f"{listed} and on (alertname) {interrupted}",
        # Later both pods are known, and no news.
        "eval_time": "10m",
        "exp_samples": [
            {"labels": written({**fires, **place}), "value": 1}
            for place in (
                {key: labels[key] for key in ("group", "owner_kind", "reason")}
                for labels, _ in case.recorded[INTERRUPTED]
            )
        ],
    }

    assert "" == said(
        promtool,
        tmp_path,
        SETTINGS,
        watch("karpenter"),
        case.told,
        {"promql_expr_test": [expected]},
    )


def written(labels: dict[str, str]) -> str:
    return "{" + ",".join(f'{key}="{value}"' for key, value in labels.items()) + "}"


@pytest.mark.usefixtures("built")
def test_the_pictures_show_a_run_of_the_lab(tmp_path, monkeypatch, capsys):
    """Four nodes, then two; waits of 40 s and a second each, then of 2 s."""
    records.save(STUDY, tmp_path)
    out = tmp_path / "out"
    monkeypatch.setattr("sys.argv", ["", "--from", str(tmp_path), "--out", str(out)])

    assert 0 == main(), capsys.readouterr().err
    table = (out / "eks-jobs-before-after.svg").read_text()
    cells = re.findall(r">([^<>]+)</text>", table)

    assert ["Nodes, most", "job", "4", "2", "-50 %"] == line(cells, "Nodes, most")
    assert ["Until it starts, mean", "job", "Job", "41 s", "3 s", "-92.7 %"] == line(
        cells, "Until it starts, mean"
    )


def line(cells: list[str], title: str) -> list[str]:
    """Return the first line of a table that begins with a title."""
    begin = cells.index(title)
    return cells[begin : cells.index(title, begin + 1)]
