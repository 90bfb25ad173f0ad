"""
What docs/lab.md says of the committed reports stands in them.

Not proven here: that another run says the same; each report ends with its command.
"""

import re

import pytest

from lab.model import WITH_BALLOONS
from lab.scenario import NAMES
from sandbox.environment import ROOT

UNPROTECTED = {"default", f"default{WITH_BALLOONS}", "unprotected"}
FIGURES = "The figures that matter most"
WAITS = "Seconds that job pods wait"
ENDS = "How the jobs ended"


def table(report, caption):
    """Return the rows of a table by their first cell, each with its cells by name."""
    text = (ROOT / "docs" / "lab" / f"{report}.md").read_text()
    lines = text.partition(f"{caption}:\n\n")[2].partition("\n\n")[0].splitlines()
    head, _, *rows = [line.strip("| ").split(" | ") for line in lines]
    return {row[0]: dict(zip(head, row, strict=True)) for row in rows}


def number(cell):
    return float(cell.replace(",", "").removesuffix(" %"))


def test_no_protected_job_was_interrupted_while_nodes_drifted_and_expired():
    ends = table("faults", ENDS)

    assert set(NAMES) == ends.keys()
    assert {2_000} == {number(row["jobs"]) for row in ends.values()}
    assert {name for name in NAMES if number(ends[name]["interrupted"])} == UNPROTECTED
    assert {2_000} == {
        number(row["succeeded"])
        for name, row in ends.items()
        if name not in UNPROTECTED
    }


def test_affinity_is_near_the_best_fit_and_far_below_the_default():
    affinity = table("packing", FIGURES)["affinity"]

    assert 1.15 >= number(affinity["times best fit"])
    assert -10 >= number(affinity["to default"])


def test_with_balloons_a_burst_waits_less_than_a_tenth():
    waits = table("bursts", WAITS)
    without, balloons = waits["affinity"], waits[f"affinity{WITH_BALLOONS}"]

    assert number(without["p99 of bursts, s"]) / 10 > number(
        balloons["p99 of bursts, s"]
    )


@pytest.mark.parametrize("report", ["packing", "faults", "bursts"])
def test_the_overview_quotes_its_reports(report):
    overview = (ROOT / "docs" / "lab.md").read_text()
    (row,) = [line for line in overview.splitlines() if f"(lab/{report}.md)" in line]
    quoted = set(re.findall(r"\d+\.\d+|\d{3,}", row.replace(",", "")))
    text = (ROOT / "docs" / "lab" / f"{report}.md").read_text().replace(",", "")

    assert quoted
    assert [] == sorted(one for one in quoted if f" {one} " not in text)
