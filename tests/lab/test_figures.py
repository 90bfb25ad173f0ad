"""
Figures of runs made by hand, with numbers that can be checked on paper.

Not proven here: that a run is recorded as it went; see `test_observer.py`.
"""

from dataclasses import replace

import pytest

from lab.figures import Cost, Ends, ScaleIn, Storm, Utilisation, figures
from lab.model import Job, Load, NodeRecord, NodeShape, PodRecord, ScenarioRun
from lab.node_life import NodeUse, average
from lab.waits import bursts, percentile

SHAPE = NodeShape(
    group="job",
    instance_type="m7i.4xlarge",
    architecture="amd64",
    vcpus=16,
    cpu=16_000,
    memory=32_000,
    pods=60,
    price=0.9,
)
ARM = replace(
    SHAPE, group="job-arm", instance_type="m7g.large", architecture="arm64", vcpus=2
)


def job(name, start=0.0, **changes):
    fields = {
        "name": name,
        "namespace": "data",
        "start": start,
        "duration": 600.0,
        "cpu": 4_000,
        "memory": 4_000,
        "architecture": "amd64",
        "group": "job",
    }
    return Job(**{**fields, **changes})


def pod(name, node="a", bound=100.0, started=100.0, finished=700.0, **more):
    fields = {
        "job": name,
        "group": "job",
        "node": node,
        "created": 0.0,
        "bound": bound,
        "started": started,
        "finished": finished,
        "outcome": "succeeded",
        "cpu": 4_000,
        "memory": 4_000,
    }
    return PodRecord(**{**fields, **more})


def node(name="a", created=0.0, ready=100.0, deleted=1_000.0, shape=SHAPE):
    return NodeRecord(
        name=name, shape=shape, created=created, ready=ready, deleted=deleted
    )


def run(pods=(), nodes=(), end=3_600.0):
    return ScenarioRun(
        scenario="default", pods=tuple(pods), nodes=tuple(nodes), end=end, speed=20.0
    )


def load(*jobs):
    return Load(name="by hand", jobs=jobs)


def test_each_moment_of_a_node_is_paid_for_one_thing():
    seen = run(
        pods=[
            pod("one", bound=360.0, started=360.0, finished=720.0),
            pod("two", bound=540.0, started=540.0, finished=1_080.0),
            pod("three", bound=600.0, started=600.0, finished=660.0),
            pod("balloon-0", bound=720.0, finished=1_440.0, balloon=True),
        ],
        nodes=[node(created=0.0, ready=180.0, deleted=1_800.0)],
    )

    assert {
        "job": NodeUse(jobs=0.2, balloons=0.1, starting=0.05, empty=0.15)
    } == figures(seen, load()).use


def test_node_hours_stand_by_group_and_reach_to_the_end_of_the_run():
    seen = run(
        nodes=[
            node("a", created=0.0, deleted=1_800.0),
            node("b", created=1_800.0, deleted=None),
            node("c", created=0.0, deleted=None, shape=ARM),
        ]
    )
    found = figures(seen, load())

    assert {"job": 1.0, "job-arm": 1.0} == {
        group: use.total for group, use in found.use.items()
    }
    assert {"job": 16.0, "job-arm": 2.0} == found.vcpu_hours
    assert 18.0 == found.paid


def test_node_hours_are_compared_where_vcpus_are_not_known():
    seen = run(nodes=[node(deleted=1_800.0, shape=replace(SHAPE, vcpus=0))])

    assert 0.5 == figures(seen, load()).paid


def test_nodes_that_come_and_go_are_counted_over_time():
    seen = run(
        nodes=[
            node("a", created=0.0, deleted=900.0),
            node("b", created=300.0, deleted=900.0),
            node("c", created=300.0, deleted=None, shape=ARM),
        ]
    )
    found = figures(seen, load())

    assert {
        "job": ((0.0, 1), (300.0, 2), (900.0, 0)),
        "job-arm": ((300.0, 1), (3_600.0, 0)),
    } == found.nodes
    assert ((0.0, 1), (300.0, 3), (900.0, 1), (3_600.0, 0)) == found.all_nodes
    assert 3 == found.peak_nodes


@pytest.mark.parametrize(
    ("begin", "end", "expected"), [(0, 10, 2.0), (0, 20, 1.0), (5, 10, 3.0), (0, 0, 0)]
)
def test_a_count_is_averaged_over_time(begin, end, expected):
    assert expected == average(((0, 1), (5, 3), (10, 0)), begin, end)


@pytest.mark.parametrize(
    ("percent", "expected"), [(1, 1), (50, 50), (95, 95), (99, 99), (100, 100)]
)
def test_a_percentile_is_one_of_the_values(percent, expected):
    assert expected == percentile(range(1, 101), percent)


def test_nothing_has_no_percentile():
    assert percentile((), 50) is None


def test_a_pod_that_never_started_counts_with_the_time_it_waited():
    seen = run(
        pods=[
            pod("one", created=10.0, started=12.0),
            pod("two", created=3_000.0, started=None, finished=None, node=None),
            pod("two", created=20.0, started=None, finished=70.0),
            pod("balloon-0", created=0.0, started=3_000.0, balloon=True),
        ]
    )
    waits = figures(seen, load()).waits

    assert ((2.0, 50.0, 600.0), 2) == (waits.values, waits.never)
    assert (50.0, 600.0, pytest.approx(652 / 3)) == (
        waits.percentile(50),
        waits.percentile(99),
        waits.mean,
    )


def test_waits_are_told_apart_by_owner():
    seen = run(pods=[pod("one", started=1.0), pod("two", started=2.0)])
    found = figures(seen, load(job("one"), job("two", owner="Workflow")))

    assert {"Job": (1.0,), "Workflow": (2.0,)} == {
        owner: waits.values for owner, waits in found.waits_by_owner.items()
    }


def test_a_burst_is_a_minute_with_twice_the_usual_starts():
    wave = [job(f"wave-{n}", 120.0 + n) for n in range(4)]
    others = [job("first", 0.0), job("last", 239.0)]

    assert (2,) == bursts(load(*wave, *others))


def test_an_even_load_has_no_burst():
    even = load(*(job(f"job-{n}", 60.0 * n) for n in range(5)))

    assert () == bursts(even)
    assert figures(run(pods=[pod("job-0")]), even).burst is None


def test_the_wait_of_a_burst_is_that_of_its_first_pods():
    wave = [job(f"wave-{n}", 120.0) for n in range(4)]
    seen = run(
        pods=[
            *(pod(f"wave-{n}", created=120.0, started=130.0 + n) for n in range(4)),
            pod("wave-0", created=500.0, started=900.0),
            pod("first", created=0.0, started=900.0),
        ]
    )
    burst = figures(seen, load(*wave, job("first"), job("last", 180.0))).burst

    assert (1, (10.0, 11.0, 12.0, 13.0)) == (burst.minutes, burst.waits.values)


def test_the_hardest_minute_of_a_node_may_begin_at_any_second():
    starts = {"a": [0.0, 70.0, 129.9, 130.0], "b": [30.0, 31.0]}
    seen = run(
        pods=[
            pod(f"{name}-{start}", node=name, started=start)
            for name, times in starts.items()
            for start in times
        ]
        + [pod("balloon-0", node="a", started=71.0, balloon=True)]
    )

    # 70, 71 and 129.9; 130 is a minute later.
    assert Storm(pods=3, node="a", at=70.0) == figures(seen, load()).storm


def test_of_equal_storms_the_earliest_is_named():
    seen = run(pods=[pod("two", node="b", started=5.0), pod("one", node="a")])

    assert Storm(pods=1, node="b", at=5.0) == figures(seen, load()).storm


def test_utilisation_is_requests_against_what_nodes_offer_over_their_life():
    seen = run(
        pods=[
            pod("one", bound=0.0, finished=500.0),
            pod("two", bound=500.0, finished=None),
            pod("elsewhere", node="server", bound=0.0, finished=1_000.0),
            pod("balloon-0", bound=0.0, finished=1_000.0, balloon=True, memory=8_000),
        ],
        nodes=[node()],
    )

    assert (
        Utilisation(cpu=0.25, memory=0.125, balloon_cpu=0.25, balloon_memory=0.25)
        == figures(seen, load()).utilisation
    )


def test_an_interrupted_job_counts_once_even_when_it_succeeds_later():
    evicted = {"outcome": "interrupted", "reason": "EvictionByEvictionAPI"}
    seen = run(
        pods=[
            pod("one", **evicted),
            pod("one", **evicted),
            pod("one"),
            pod("two", outcome="interrupted"),
            pod("three", outcome="unfinished", finished=None),
            pod("four"),
            pod("balloon-0", balloon=True, outcome="interrupted"),
        ]
    )
    jobs = load(*(job(name) for name in ("one", "two", "three", "four", "five")))
    found = figures(seen, jobs)

    assert found.ends == Ends(
        jobs=5,
        succeeded=2,
        interrupted=2,
        unfinished=2,
        unseen=1,
        reasons={"EvictionByEvictionAPI": 2, "no reason given": 1},
    )
    assert 1 == found.balloons_displaced


def test_scale_in_begins_with_the_end_of_the_last_job():
    seen = run(
        pods=[
            pod("one", node="a", finished=700.0),
            pod("two", node="a", finished=800.0),
            pod("balloon-0", node="a", finished=1_000.0, balloon=True),
            pod("three", node="b", finished=None, outcome="interrupted"),
            pod("four", node="c", finished=700.0),
        ],
        nodes=[node("a"), node("b"), node("c", deleted=None), node("d")],
    )
    found = figures(seen, load()).scale_in

    assert ScaleIn(delays=(0.0, 200.0), kept=1, unused=1) == found
    assert (100.0, 200.0) == (found.mean, found.p95)


def test_nodes_cost_what_their_types_cost():
    seen = run(
        pods=[pod("balloon-0", bound=100.0, finished=500.0, balloon=True)],
        nodes=[
            node("a", deleted=1_000.0),
            node("b", deleted=3_600.0, shape=replace(ARM, price=0.1)),
        ],
    )

    assert (
        Cost(usd=pytest.approx(0.35), balloons=pytest.approx(0.1))
        == figures(seen, load()).cost
    )


def test_a_missing_price_is_named_and_never_zero():
    seen = run(nodes=[node("a"), node("b", shape=replace(SHAPE, price=None))])

    assert (
        Cost(usd=None, balloons=None, unpriced=("m7i.4xlarge",))
        == figures(seen, load()).cost
    )


def test_a_run_without_anything_has_figures_too():
    found = figures(run(), load(job("one")))

    assert {"job": NodeUse()} == found.use
    assert (0, 0.0, Storm(), Utilisation()) == (
        found.peak_nodes,
        found.paid,
        found.storm,
        found.utilisation,
    )
    assert (None, None, None) == (
        found.waits.mean,
        found.waits.percentile(99),
        found.scale_in.mean,
    )
