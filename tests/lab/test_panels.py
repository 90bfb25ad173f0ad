"""
Runs of the lab, told as kube-state-metrics would, and drawn as Grafana would.

That Prometheus takes and understands what is told: tests/cluster/test_dashboards.
"""

import math
from dataclasses import replace

import pytest

from components.spec.monitoring.dashboards.values import Level, Panel, Query, Section
from lab.panels.drawing import Answer, broken, draw
from lab.panels.prometheus import steps
from lab.panels.told import Told
from tests.lab.report_study import STUDY

BEGIN = 1_767_571_200
KEY = f'namespace="data",pod="job-0",uid="{BEGIN}-0"'


def told(run):
    return Told(
        run=run,
        jobs={job.name: job for job in STUDY.load.jobs},
        label=("eks-jobs/workload", "job"),
        begin=BEGIN,
    )


def series(name, run=STUDY.runs[0], pod="job-0"):
    """Return first and last time of each series of a metric, seconds of the run."""
    found = {}
    for line in told(run).lines():
        labels, value, at = line.rsplit(" ", 2)
        if labels.startswith(f"{name}{{") and f'pod="{pod}"' in labels:
            found.setdefault((labels, float(value)), []).append(int(at) - BEGIN)
    return {key: (times[0], times[-1]) for key, times in found.items()}


def test_a_pod_goes_through_its_phases():
    """Created at 60 s, started at 100 s, interrupted at 1,900 s, listed for 300 s."""
    name = "kube_pod_status_phase"

    assert {
        (f'{name}{{{KEY},phase="Pending"}}', 1): (60, 90),
        (f'{name}{{{KEY},phase="Running"}}', 1): (105, 1_890),
        (f'{name}{{{KEY},phase="Failed"}}', 1): (1_905, 2_190),
    } == series(name)


def test_a_pod_has_its_node_once_it_is_bound():
    name = "kube_pod_info"

    assert {
        (f'{name}{{{KEY},node="",priority_class=""}}', 1): (60, 90),
        (f'{name}{{{KEY},node="node-0",priority_class=""}}', 1): (105, 2_190),
    } == series(name)


def test_times_are_told_from_when_they_are_known():
    name = "kube_pod_status_scheduled_time"

    assert {(f"{name}{{{KEY}}}", BEGIN + 100): (105, 2_190)} == series(name)


def test_an_interruption_has_its_reason():
    name = "kube_pod_status_disruption_reason"
    found = series(name)

    assert {
        (f'{name}{{{KEY},reason="EvictionByEvictionAPI"}}', 1): (1_905, 2_190)
    } == found
    assert {} == series(name, run=STUDY.runs[1])


def test_balloons_are_not_told():
    first = STUDY.runs[0]
    balloon = replace(first.pods[0], balloon=True)

    assert {} == series(
        "kube_pod_info", run=replace(first, pods=(balloon, *first.pods[1:]))
    )


def test_rules_come_after_those_that_they_read():
    rules = [
        {"record": "c", "expr": "sum(b) + a"},
        {"alert": "D", "expr": "c > 1"},
        {"record": "b", "expr": "sum(a)"},
        {"record": "a", "expr": "up"},
    ]
    found = [[rule["record"] for rule in step] for step in steps([{"rules": rules}])]

    assert [["a"], ["b"], ["c"]] == found


def test_rules_that_read_each_other_have_no_order():
    rules = [{"record": "a", "expr": "b"}, {"record": "b", "expr": "a"}]

    with pytest.raises(RuntimeError) as caught:
        list(steps([{"rules": rules}]))

    assert "rules read each other: a, b" == str(caught.value)


QUERY = Query(expr="up", legend="{{group}}", unit="s")
LEVELS = (Level(value=90.0, colour="red"),)
SECTION = Section(
    title="Now",
    panels=(
        Panel(
            kind="stat",
            title="Wait",
            description="",
            queries=(QUERY,),
            width=12,
            height=3,
            levels=LEVELS,
            empty="none",
        ),
        Panel(
            kind="timeseries",
            title="Waits",
            description="",
            queries=(QUERY,),
            width=12,
            height=7,
        ),
    ),
)


def answer(*points):
    return (Answer(query=0, title="job", labels={}, points=points),)


@pytest.mark.parametrize(
    ("seconds", "text", "colour"),
    [(45.0, "45 s", "#3f8f4f"), (90.0, "1.5 min", "#c4342d")],
)
def test_a_number_has_its_unit_and_the_colour_of_its_level(seconds, text, colour):
    picture = draw([SECTION], {"Wait": answer((0, seconds))}, 600)

    assert f">{text}</text>" in picture
    assert colour in picture


def test_a_panel_without_an_answer_says_so():
    picture = draw([SECTION], {}, 600)

    assert (1, 1) == (picture.count(">none</text>"), picture.count(">no data</text>"))


def test_a_graph_names_its_series():
    picture = draw([SECTION], {"Waits": answer((0, 1.0), (60, 2.0))}, 600)

    assert ">job</text>" in picture


def test_a_picture_is_the_same_each_time():
    answers = {"Wait": answer((0, 1.0)), "Waits": answer((0, 1.0), (60, 2.0))}

    assert draw([SECTION], answers, 600) == draw([SECTION], answers, 600)


def test_a_line_ends_where_there_was_nothing():
    """Grafana draws it so: a job that came back later did not run in between."""
    minutes, values = broken([(0, 1.0), (15, 2.0), (60, 3.0)])

    assert [0, 0.25, 1, 1] == minutes
    assert [1.0, 2.0, None, 3.0] == [
        None if math.isnan(value) else value for value in values
    ]
