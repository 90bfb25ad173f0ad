"""
Dashboards as files and objects, read back with the schema of Grafana.

Not proven here: that a Grafana draws them. The reader is the library's own, generated
from Grafana's schemas; what it does not know it drops, and the file would differ.
"""

import ast
import json
from pathlib import Path

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard, RowPanel

from components.spec.monitoring.dashboards.before_after import before_after
from components.spec.monitoring.dashboards.job_platform import job_platform
from components.spec.monitoring.dashboards.manifests import (
    dashboard_config_maps,
    dashboard_files,
)
from components.spec.monitoring.dashboards.values import Dashboard as Shown
from components.spec.monitoring.settings import Monitoring
from tests.spec.monitoring.builders import SCALERS, scope, watch

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden" / "dashboards"
SETTINGS = Monitoring(runbook_url="https://example.com/runbooks")
NAMES = ("eks-jobs-platform.json", "eks-jobs-before-after.json")
BIGGEST = 1_048_576
"""Bytes of a ConfigMap. Source: Kubernetes, ValidateConfigMap, MaxSecretSize."""


def files(*scalers, settings=SETTINGS):
    return dashboard_files(settings, watch(*scalers))


@pytest.fixture(scope="module", params=NAMES)
def read(request):
    """Return a file as the library reads it, and as it is."""
    register_default_plugins()
    text = files("karpenter", "cluster-autoscaler")[request.param]
    return Dashboard.from_json(json.loads(text)), json.loads(text)


def panels(dashboard):
    return [one for one in dashboard.panels if not isinstance(one, RowPanel)]


def outline(dashboard: Shown) -> str:
    """Write what a dashboard shows for people, without what the library adds."""
    lines = []
    for section in dashboard.sections:
        lines.append(section.title)
        for panel, column, row in section.placed():
            place = f"{panel.width}x{panel.height} at {column},{row}"
            lines.append(f"  {panel.title} ({panel.kind}, {place})")
            for query in panel.queries:
                lines.append(f"    {query.legend}, {query.unit}")
                lines += [f"      {line}" for line in query.expr.splitlines()]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("dashboard", [job_platform, before_after])
def test_dashboards_show_what_was_reviewed(dashboard):
    made = dashboard(scope("karpenter", "cluster-autoscaler"))

    assert (GOLDEN / f"{made.name}.txt").read_text() == outline(made)


def test_the_schema_of_grafana_knows_every_key(read):
    parsed, raw = read

    assert raw == json.loads(json.dumps(parsed, cls=JSONEncoder))


def test_the_schema_of_grafana_misses_a_key_that_it_does_not_know():
    raw = json.loads(files()[NAMES[0]])
    raw["panels"][1]["gridPosition"] = raw["panels"][1].pop("gridPos")

    parsed = Dashboard.from_json(raw)

    assert raw != json.loads(json.dumps(parsed, cls=JSONEncoder))


def test_every_panel_asks_the_chosen_source(read):
    parsed, _ = read
    sources = {
        (one.datasource.type_val, one.datasource.uid)
        for panel in panels(parsed)
        if panel.type_val != "text"
        for one in (panel, *panel.targets)
    }

    assert {("prometheus", "${datasource}")} == sources


def test_every_panel_has_its_unit_and_steps(read):
    parsed, _ = read
    for panel in panels(parsed):
        if panel.type_val == "text":
            continue
        defaults = panel.field_config.defaults

        assert defaults.unit
        assert defaults.thresholds.steps[0].value is None


def test_ids_are_counted_and_given_once(read):
    parsed, _ = read

    assert list(range(1, len(parsed.panels) + 1)) == [
        one.id_val for one in parsed.panels
    ]


def test_letters_of_queries_are_given_once_a_panel(read):
    parsed, _ = read
    for panel in panels(parsed):
        letters = [one.ref_id for one in panel.targets or ()]

        assert sorted(set(letters)) == letters


def test_sections_lie_below_each_other(read):
    parsed, _ = read
    bottom = 0
    for one in parsed.panels:
        place = one.grid_pos
        if isinstance(one, RowPanel):
            assert bottom == place.y

        bottom = max(bottom, place.y + place.h)


def test_all_groups_and_architectures_are_chosen_at_first(read):
    parsed, _ = read
    chosen = {
        one.name: (one.multi, one.include_all, one.all_value, one.current.value)
        for one in parsed.templating.list_val
        if one.name in ("group", "architecture")
    }

    everything = (True, True, ".*", "$__all")

    assert {"architecture": everything, "group": everything} == chosen


def test_this_cluster_is_chosen_at_first(read):
    parsed, _ = read
    (cluster,) = [one for one in parsed.templating.list_val if one.name == "cluster"]

    assert "prod" == cluster.current.value


def test_before_is_a_week_earlier_at_first():
    raw = json.loads(files()[NAMES[1]])
    (shift,) = [one for one in raw["templating"]["list"] if one["name"] == "shift"]

    assert "7d" == shift["current"]["value"]
    assert "7d" == next(one["value"] for one in shift["options"] if one["selected"])


def test_columns_of_a_table_have_headings():
    raw = json.loads(files()[NAMES[1]])
    (table,) = [one for one in raw["panels"] if one["title"] == "Times"]
    (organized,) = [
        one["options"] for one in table["transformations"] if one["id"] == "organize"
    ]

    assert {
        "figure": "Figure",
        "group": "Group",
        "owner_kind": "Owner",
        "Value #A": "Before",
        "Value #B": "After",
        "Value #C": "Change",
    } == organized["renameByName"]
    assert {"Time": True} == organized["excludeByName"]


def test_dashboards_find_each_other(read):
    parsed, _ = read

    assert ["eks-jobs"] == parsed.tags
    assert [(["eks-jobs"], True, True)] == [
        (one.tags, one.keep_time, one.include_vars) for one in parsed.links
    ]


def test_names_are_those_that_grafana_keeps(read):
    """Grafana refuses a uid above 40 characters."""
    parsed, _ = read

    assert f"{parsed.uid}.json" in NAMES
    assert len(parsed.uid) <= 40


@pytest.mark.parametrize("scaler", SCALERS)
def test_equal_settings_give_equal_bytes(scaler):
    assert files(scaler) == files(scaler)


@pytest.mark.parametrize("scaler", SCALERS)
def test_objects_hold_the_files(scaler):
    objects = dashboard_config_maps(SETTINGS, watch(scaler))

    assert files(scaler) == {
        name: text for one in objects for name, text in one["data"].items()
    }


def test_objects_are_found_by_the_sidecar():
    settings = Monitoring(
        namespace="observability", dashboard_labels={"b": "2", "grafana_dashboard": "1"}
    )
    objects = dashboard_config_maps(settings, watch())

    assert [
        {
            "name": name.removesuffix(".json"),
            "namespace": "observability",
            "labels": {"b": "2", "grafana_dashboard": "1"},
            "annotations": {"grafana_folder": "Jobs"},
        }
        for name in NAMES
    ] == [one["metadata"] for one in objects]


def test_objects_carry_the_label_of_grafanas_chart_unless_told_otherwise():
    objects = dashboard_config_maps(Monitoring(), watch())

    assert [{"grafana_dashboard": "1"}] * 2 == [
        one["metadata"]["labels"] for one in objects
    ]


def test_objects_fit_into_the_api_server():
    objects = dashboard_config_maps(SETTINGS, watch("karpenter", "cluster-autoscaler"))
    sizes = [
        sum(len(text.encode()) for text in one["data"].values()) for one in objects
    ]

    assert max(sizes) < BIGGEST / 4


def test_who_asks_for_no_dashboard_loads_no_library():
    """Every program of Pulumi would wait for it."""
    folder = ROOT / "components"
    early = [
        path.name
        for path in folder.rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ImportFrom | ast.Import)
        for name in (getattr(node, "module", None), *(one.name for one in node.names))
        if name in ("written", "grafana_foundation_sdk")
        or (name or "").endswith(".written")
        or (name or "").startswith("grafana_foundation_sdk.")
    ]

    assert {"written.py"} == set(early)
