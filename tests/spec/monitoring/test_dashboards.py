"""
What dashboards show, and that it is recorded, named, measured and explained.

Not proven here: that Grafana draws it; test_dashboards_files reads the JSON with the
schema of Grafana, tests/cluster asks Prometheus every query.
"""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from grafana_foundation_sdk.models import units

from components.spec.monitoring.alerts import alert_group
from components.spec.monitoring.dashboards.before_after import before_after
from components.spec.monitoring.dashboards.figures import figures
from components.spec.monitoring.dashboards.job_platform import job_platform
from components.spec.monitoring.metrics import METRICS
from components.spec.monitoring.promql import names
from components.spec.monitoring.recordings import recording_groups
from components.spec.monitoring.thresholds import ALERTS, Thresholds
from tests.spec.monitoring.builders import SCALERS, scope, watch

RUNBOOKS = Path(__file__).parents[3] / "docs" / "runbooks"
MOST = 24
"""Rows of the grid, 38 pixels each, that a screen of 1,080 pixels shows."""

KNOWN_UNITS = {value for value in vars(units).values() if isinstance(value, str)}
DASHBOARDS = {"job_platform": job_platform, "before_after": before_after}


def plain(expression):
    """Return an expression without the variables of Grafana."""
    return expression.replace("$__range", "1d").replace("$shift", "7d")


def asked(dashboard):
    return [query for panel in dashboard.panels for query in panel.queries]


def titles(dashboard):
    return {panel.title for panel in dashboard.panels}


def panel(dashboard, title):
    (found,) = [one for one in dashboard.panels if one.title == title]
    return found


@pytest.fixture(params=DASHBOARDS.values(), ids=DASHBOARDS)
def made(request):
    return request.param(scope("karpenter", "cluster-autoscaler"))


@pytest.mark.parametrize("scaler", SCALERS)
@pytest.mark.parametrize("dashboard", DASHBOARDS.values(), ids=DASHBOARDS)
def test_every_series_is_recorded_by_a_rule_of_this_cluster(scaler, dashboard):
    around = scope(scaler)
    recorded = {rule.name for group in recording_groups(around) for rule in group.rules}
    read = {
        name for query in asked(dashboard(around)) for name in names(plain(query.expr))
    }

    assert set() == read - recorded - {"ALERTS"}


def test_every_figure_of_a_group_or_an_owner_is_on_some_dashboard():
    around = scope("karpenter", "cluster-autoscaler")
    recorded = {rule.name for group in recording_groups(around) for rule in group.rules}
    read = {
        name
        for dashboard in DASHBOARDS.values()
        for query in asked(dashboard(around))
        for name in names(plain(query.expr))
    }

    # What other rules are made of, and what a reader takes from the range he chose.
    assert {
        "group:eks_jobs_balloon_hours:sum1d",
        "group:eks_jobs_nodes:avg1d",
        "node:eks_jobs_group:info",
        "pod:eks_jobs_gated:info",
        "pod:eks_jobs_interrupted:info",
        "pod:eks_jobs_job:info",
        "pod:eks_jobs_place:info",
        "pod:eks_jobs_node_wait_seconds:recent",
        "pod:eks_jobs_pending_seconds:recent",
        "pod:eks_jobs_running_seconds:recent",
    } == recorded - read


def test_every_panel_says_what_it_shows(made):
    silent = [
        one.title
        for one in made.panels
        if not (one.title and re.search(r"\w{3}.*\.", one.description))
    ]

    assert [] == silent


def test_every_panel_has_a_unit_that_grafana_knows(made):
    assert set() == {query.unit for query in asked(made)} - KNOWN_UNITS


def test_lines_of_a_panel_share_its_unit(made):
    several = {
        one.title: {query.unit for query in one.queries}
        for one in made.panels
        if one.kind in ("stat", "timeseries")
    }

    assert {1} == {len(found) for found in several.values()}


def test_every_query_has_a_legend_that_its_panel_has_once(made):
    for one in made.panels:
        legends = [query.legend for query in one.queries]

        assert all(legends)
        assert sorted(set(legends)) == sorted(legends)


def test_legends_name_labels_that_the_figure_has(made):
    levels = {
        "cluster": {"reason"},
        "group": {"group", "resource", "resource_type", "reason"},
        "group_owner": {"group", "owner_kind", "reason"},
        "namespace_owner": {"namespace", "owner_kind"},
        "node": {"group", "node"},
        "owner": {"owner_kind"},
    }
    for query in asked(made):
        named = set(re.findall(r"\{\{(\w+)\}\}", query.legend))
        (name, *_) = names(plain(query.expr))

        assert set() == named - levels.get(name.split(":")[0], set())


def test_series_of_a_legend_are_told_apart(made):
    """Two series of one name would be drawn as one that jumps."""
    needed = {"group": {"group"}, "group_owner": {"group", "owner_kind"}}
    for one in made.panels:
        for query in one.queries if one.kind == "timeseries" else ():
            (name, *_) = names(plain(query.expr))
            named = set(re.findall(r"\{\{(\w+)\}\}", query.legend))

            assert set() == needed.get(name.split(":")[0], set()) - named


def test_alpha_metrics_are_marked():
    kubelet = panel(job_platform(scope()), "Slowest kubelet, p99").description

    assert (
        "Alpha, may be renamed: kubelet_node_name, "
        "kubelet_pleg_relist_duration_seconds." in kubelet
    )
    assert "Told by kube-state-metrics 2.20, kubelet 1.37.2." in kubelet


def test_every_description_marks_the_alpha_metrics_that_it_reads(made):
    known = figures(scope("karpenter", "cluster-autoscaler"))
    alpha = {one.name for one in METRICS if one.stability == "alpha"}
    for one in made.panels:
        read = {name for query in one.queries for name in names(plain(query.expr))}
        below = set(read)
        while read := {name for one in read for name in known.reads.get(one, ())}:
            below |= read
        roots = {re.sub(r"_(bucket|count|sum)$", "", name) for name in below} | below

        assert roots & alpha == {name for name in alpha if name in one.description}


def test_what_the_on_call_needs_first_fits_on_one_screen():
    first, *_ = job_platform(scope("karpenter", "cluster-autoscaler")).sections

    assert first.height <= MOST


def test_panels_stay_on_the_grid_and_apart(made):
    for section in made.sections:
        boxes = [
            (column, row, column + one.width, row + one.height)
            for one, column, row in section.placed()
        ]

        assert 24 == max(right for _, _, right, _ in boxes)
        assert [] == [
            (a, b)
            for a, b in combinations(boxes, 2)
            if a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
        ]


@pytest.mark.parametrize(
    ("title", "threshold", "value", "begins"),
    [
        ("Slowest kubelet, p99", "pleg_p99_seconds", 2.5, 2.5),
        ("Pulls rejected on a node", "rejected_pulls", 7, 7),
        ("Busiest root volume", "volume_ratio", 0.8, 0.8),
        ("Pods without a sandbox", "sandbox_errors", 9, 9),
        ("Group nearest its limit", "limit_ratio", 0.7, 0.7),
        ("Longest wait for a node", "unschedulable", "1m30s", 90),
        ("Worst packing", "packing_ratio", 0.6, 0.6),
        ("Packing", "packing_ratio", 0.6, 0.6),
        ("Root volume of the busiest node", "volume_ratio", 0.8, 0.8),
    ],
)
def test_a_panel_turns_when_its_alert_fires(title, threshold, value, begins):
    around = scope(thresholds=Thresholds(**{threshold: value}))

    assert begins == panel(job_platform(around), title).levels[-1].value


def test_packing_is_bad_below_its_level():
    levels = panel(job_platform(scope()), "Worst packing").levels

    assert [(None, "orange"), (0.3, "green")] == [
        (one.value, one.colour) for one in levels
    ]


def test_red_is_what_wakes_somebody():
    around = scope("karpenter", "cluster-autoscaler", runbook_url="https://example.com")
    critical = {
        one.name for one in alert_group(around).rules if one.severity == "critical"
    }
    red = {
        title.removeprefix("Runbook ")
        for one in job_platform(around).panels
        if any(level.colour == "red" for level in one.levels)
        for title in one.links
    }

    assert critical == red


def test_every_alert_but_two_leads_from_a_panel_to_its_runbook():
    """Blindness has no panel, and an age has none without its group's limit."""
    around = scope("karpenter", "cluster-autoscaler", runbook_url="https://example.com")
    links = {
        title: link
        for one in job_platform(around).panels
        for title, link in one.links.items()
    }

    assert {"JobMonitoringBlind", "JobNodeOverItsExpiry"} == set(ALERTS) - {
        title.removeprefix("Runbook ") for title in links
    }
    assert {f"https://example.com/{name.split()[1]}.md" for name in links} == set(
        links.values()
    )


def test_links_lead_to_pages_that_exist():
    around = scope(runbook_url="https://example.com")
    pages = {
        link.rpartition("/")[2]
        for one in job_platform(around).panels
        for link in one.links.values()
    }

    assert set() == {page for page in pages if not (RUNBOOKS / page).exists()}


def test_without_an_address_panels_name_the_page_of_the_runbook():
    found = panel(job_platform(scope()), "Slowest kubelet, p99")

    assert {} == found.links
    assert found.description.endswith(
        "Runbook: docs/runbooks/JobNodeKubeletOverloaded.md."
    )


def test_the_list_of_alerts_leads_to_the_runbook_of_each():
    around = scope(runbook_url="https://example.com/")
    found = panel(job_platform(around), "Alerts that fire")

    assert {"Alert": "https://example.com/${__value.text}.md"} == found.cell_links


def test_muted_alerts_are_neither_listed_nor_linked():
    around = scope(muted=("JobInterrupted",), runbook_url="https://example.com")
    made = job_platform(around)

    assert "JobInterrupted" not in panel(made, "Alerts that fire").queries[0].expr
    assert {} == panel(made, "Job pods interrupted").links


def test_each_scaler_shows_what_it_can_tell():
    found = {name: titles(job_platform(scope(name))) for name in SCALERS}

    assert {
        "karpenter": {
            "NodePools as a share of their limits",
            "Nodes that Karpenter gave up in an hour",
        },
        "cluster-autoscaler": {
            "Nodes that Cluster Autoscaler did not get in an hour",
            "Pods that Cluster Autoscaler evicted in an hour",
        },
        "auto-mode": set(),
    } == {name: shown - found["auto-mode"] for name, shown in found.items()}


def test_without_a_policy_nothing_is_said_of_what_it_missed():
    around = replace(scope(), watched=watch(policy=None))

    assert set() == {
        "Missed by the job policy",
        "Job pods missed by the policy",
    } & titles(job_platform(around))


def test_without_balloons_preemptions_stay():
    around = replace(scope(), watched=watch(balloon_classes=()))
    found = panel(job_platform(around), "Balloons and pods that made room")

    assert ["preempted in an hour"] == [query.legend for query in found.queries]


@pytest.mark.parametrize("dashboard", DASHBOARDS.values(), ids=DASHBOARDS)
def test_everything_is_asked_for_the_chosen_cluster(dashboard):
    around = scope(cluster_label="k8s", cluster_value="prod.eu")
    made = dashboard(around)
    (cluster,) = [one for one in made.variables if one.name == "cluster"]

    assert "label_values(group:eks_jobs_nodes:count, k8s)" == cluster.values
    assert "prod.eu" == cluster.chosen
    for query in asked(made):
        selectors = re.findall(r"\{([^}]*)\}", query.expr)

        assert all(one.startswith('k8s="$cluster"') for one in selectors)


def test_figures_of_groups_are_asked_for_the_chosen_groups(made):
    for query in asked(made):
        for name, matchers in re.findall(r"([\w:]+)\{([^}]*)\}", query.expr):
            grouped = name.split(":")[0] in ("group", "group_owner", "node")

            assert grouped == ('group=~"$group"' in matchers)
            assert grouped == ('architecture=~"$architecture"' in matchers)


def test_readers_choose_source_cluster_architecture_and_group(made):
    chosen = [one.name for one in made.variables if one.name != "shift"]

    assert ["datasource", "cluster", "architecture", "group"] == chosen


def test_before_is_asked_earlier_than_after():
    made = before_after(scope())
    for one in made.panels:
        for query in one.queries:
            shifted = query.expr.count("offset $shift")
            selectors = query.expr.count("{")
            share = {"Before": 1, "After": 0, "Change": 0.5}.get(
                query.legend, "before" in one.title
            )

            assert share * selectors == shifted


def test_the_table_holds_every_figure_of_the_article():
    """Average nodes, image pull, pending at worst and on average, running time."""
    expr = "".join(query.expr for query in asked(before_after(scope())))
    figures_of_it = (
        "avg_over_time(group:eks_jobs_nodes:count",
        "avg_over_time(group:eks_jobs_image_pull_seconds:avg1h",
        "max_over_time(group_owner:eks_jobs_pending_seconds:max",
        "avg_over_time(group_owner:eks_jobs_pending_seconds:avg",
        "avg_over_time(group_owner:eks_jobs_running_seconds:avg",
    )

    assert [] == [one for one in figures_of_it if one not in expr]


def test_rows_of_the_table_have_names_of_their_own():
    tables = [one for one in before_after(scope()).panels if one.kind == "table"]
    rows = [
        name
        for one in tables
        for name in re.findall(r'"figure", "([^"]+)"', one.queries[0].expr)
    ]

    assert sorted(set(rows)) == sorted(rows)
