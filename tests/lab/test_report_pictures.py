"""
The drawings of a report: what they are made of, and that they are the same each time.

Not proven here: that they look well.
"""

import re
from dataclasses import replace

import pytest

import lab.report
from lab.report import plots, records
from tests.lab.report_study import SHAPE, STUDY, scenario

DRAWINGS = {"costs": plots.costs, "nodes": plots.nodes, "waits": plots.waits}


@pytest.fixture(scope="module")
def drawn():
    return {name: plots.svg(name, draw, STUDY) for name, draw in DRAWINGS.items()}


def words(svg):
    """Return the texts of a drawing, each once."""
    return set(re.findall(r"<text [^>]*>([^<]+)</text>", svg))


def test_equal_records_give_equal_bytes(tmp_path):
    records.save(STUDY, tmp_path)
    for folder in ("one", "two"):
        lab.report.to_markdown(tmp_path, tmp_path / folder / "lab.md")
    files = [
        {
            path.relative_to(tmp_path / folder).as_posix(): path.read_bytes()
            for path in (tmp_path / folder).rglob("*.*")
        }
        for folder in ("one", "two")
    ]

    assert ["lab.md", "lab/costs.svg", "lab/nodes.svg", "lab/waits.svg"] == sorted(
        files[0]
    )
    assert files[0] == files[1]


@pytest.mark.parametrize("name", DRAWINGS)
def test_ink_takes_the_colour_of_the_page(drawn, name):
    assert (True, False) == (
        "currentColor" in drawn[name],
        plots.INK in drawn[name],
    )


def test_drawings_share_a_page_without_sharing_ids(drawn):
    ids = [
        each for name in DRAWINGS for each in re.findall(r'\bid="([^"]+)"', drawn[name])
    ]

    assert len(ids) == len(set(ids))
    assert {"costs", "nodes", "waits"} == {each.split("-")[0] for each in ids}


@pytest.mark.parametrize("name", DRAWINGS)
def test_what_a_drawing_refers_to_is_in_it(drawn, name):
    ids = set(re.findall(r'\bid="([^"]+)"', drawn[name]))
    links = set(re.findall(r'(?:url\(#|href="#)([^")]+)', drawn[name]))

    assert set() == links - ids


def test_node_hours_are_labelled_with_their_numbers(drawn):
    assert {
        "default",
        "both",
        "4.00",
        "2.00  (-50.0 %)",
        " ideal 1.05 ",
        " best fit 1.05 ",
        "node-hours",
        "jobs",
        "balloons alone",
        "starting",
        "empty",
    } <= words(drawn["costs"])


def test_a_panel_says_how_many_nodes_there_were_at_most(drawn):
    assert {
        "default",
        "most: 4",
        "most: 2",
        "nodes",
        "best fit",
        "minutes since the begin of the load",
    } <= words(drawn["nodes"])


def test_a_panel_says_the_percentiles(drawn):
    assert {
        "p50  41 s",
        "p99  43 s",
        "p99  5 s",
        "this scenario",
        "1 s",
        "10 s",
        "wait until the container starts (logarithmic)",
    } <= words(drawn["waits"])


@pytest.mark.parametrize("draw", DRAWINGS.values(), ids=list(DRAWINGS))
def test_a_single_scenario_without_pods_is_drawn(draw):
    empty = replace(scenario("default"), pods=(), nodes=())
    study = replace(STUDY, runs=(empty,), load=replace(STUDY.load, jobs=()))

    assert "default" in words(plots.svg("one", draw, study))


def test_a_line_of_many_waits_stays_small():
    times, shares = plots.shares(range(1, 10_001))

    assert (202, 202) == (len(times), len(shares))
    assert (10_000, 100.0) == (times[-1], shares[-1])


def test_waits_below_a_second_lie_at_the_left_edge():
    assert ([1.0, 1.0, 4], [0.0, 50.0, 100.0]) == plots.shares([0.2, 4])


def test_nodes_of_several_shapes_are_drawn_in_node_hours():
    small = replace(SHAPE, vcpus=2)
    run = scenario("small")
    nodes = tuple(replace(node, shape=small) for node in run.nodes)
    study = replace(STUDY, runs=(STUDY.runs[0], replace(run, nodes=nodes)))

    assert "2.00  (-50.0 %)" in words(plots.svg("costs", plots.costs, study))
