"""
Job pods on a real scheduler, under the native policy.

Not proven here: what packing saves, since no pod ends and no node comes or goes.
"""

import pytest

from components.spec.policy.packing import PACKS_BY_AFFINITY
from lab.packing import TABLES
from lab.placement import PACKINGS, REQUESTS, Run, measure
from sandbox.environment import ROOT

SPREAD = Run(packing="none")
PACKED = Run(packing="affinity")
NAMESPACES = Run(packing="affinity", namespaces=10)
FULL = Run(packing="affinity", request="no request", pods=150)
DOCUMENT = (ROOT / "docs" / "packing.md").read_text()

# The rows that do not depend on how the scheduler breaks ties.
STEADY = [
    (table, name)
    for table in TABLES
    for name, row in table.rows.items()
    if all(
        run.packing in PACKS_BY_AFFINITY and run.scope == "all-namespaces"
        for run in row.values()
    )
]


@pytest.fixture(scope="module")
def measured(api):
    runs = [run for table, name in STEADY for run in table.rows[name].values()]
    return measure(api, [SPREAD, PACKED, NAMESPACES, FULL, *runs])


def test_without_packing_30_pods_spread_over_5_nodes(measured):
    assert (6, 6, 6, 6, 6) == measured[SPREAD]


def test_the_policy_puts_30_pods_on_one_node(measured):
    assert (30, 0, 0, 0, 0) == measured[PACKED]


def test_h025_jobs_of_ten_namespaces_are_packed_together(measured):
    assert (30, 0, 0, 0, 0) == measured[NAMESPACES]


def test_max_pods_is_respected_and_the_next_node_is_filled(measured):
    assert (60, 60, 30, 0, 0) == measured[FULL]


@pytest.mark.parametrize(
    ("table", "name"), STEADY, ids=[f"{table.title}: {name}" for table, name in STEADY]
)
def test_the_document_shows_what_is_measured(measured, table, name):
    _, _, section = DOCUMENT.partition(f"## {table.title}\n")
    section, _, _ = section.partition("\n## ")

    assert table.lines(measured)[name] in section.splitlines()


def test_every_way_of_packing_and_every_request_is_measured():
    measurements = {
        run for table in TABLES for row in table.rows.values() for run in row.values()
    }

    assert {(packing, request) for packing in PACKINGS for request in REQUESTS} <= {
        (run.packing, run.request) for run in measurements
    }
