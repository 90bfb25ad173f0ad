"""docs/monitoring.md shows what the code says."""

import re
from pathlib import Path

import pytest

from components.spec.monitoring.manifests import kube_state_metrics_labels
from components.spec.monitoring.reference import (
    alert_table,
    figure_table,
    metric_table,
)
from tests.spec.monitoring.builders import SCALERS, scope, watch

PAGE = Path(__file__).parents[3] / "docs" / "monitoring.md"
SCOPES = [scope(scaler) for scaler in SCALERS]
TABLES = {
    "figures": figure_table(SCOPES),
    "alerts": alert_table(SCOPES),
    "metrics": metric_table(),
}


@pytest.mark.parametrize("name", TABLES)
def test_the_page_shows_the_tables_of_the_code(request, name):
    """`--update-golden` writes them."""
    place = re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- end -->)", re.DOTALL)
    if request.config.getoption("--update-golden"):
        written = place.sub(rf"\g<1>{TABLES[name]}\g<3>", PAGE.read_text())
        PAGE.write_text(written)
    (shown,) = place.findall(PAGE.read_text())

    assert TABLES[name] == shown[1]


def test_the_page_names_the_labels_that_must_be_shown():
    text = PAGE.read_text()
    labels = kube_state_metrics_labels(watch())

    assert f"\n--metric-labels-allowlist={','.join(labels)}\n" in text
    assert [True] * len(labels) == [f"\n    - {one}\n" in text for one in labels]


def test_alpha_metrics_are_marked():
    rows = {line.split(" | ")[0]: line for line in TABLES["metrics"].splitlines()}

    assert "| **alpha** |" in rows["| `kubelet_pleg_relist_duration_seconds`"]
    assert "| stable |" in rows["| `kube_pod_info`"]
