"""References for a load; that a real scheduler comes near them is not proven here."""

import time
from collections import defaultdict
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from components.spec.groups import JobGroup
from lab.bounds import best_fit, floor, ideal
from lab.load import article_load
from lab.losses import losses
from lab.model import Job, Load, NodeShape
from lab.online import Rules

SMALL = NodeShape(
    group="job",
    instance_type="small",
    architecture="amd64",
    cpu=4_000,
    memory=8_000,
    pods=5,
    vcpus=4,
    price=0.2,
)
LARGE = NodeShape(
    group="job",
    instance_type="large",
    architecture="amd64",
    cpu=16_000,
    memory=24_000,
    pods=10,
    vcpus=16,
    price=0.72,
)


def job(start=0.0, duration=60.0, cpu=1_000, memory=1_000, name="one", **changes):
    return Job(
        **{
            "name": name,
            "namespace": "data",
            "start": start,
            "duration": duration,
            "cpu": cpu,
            "memory": memory,
            "architecture": "amd64",
            "group": "job",
        }
        | changes
    )


def load(*jobs):
    return Load(name="a", jobs=jobs)


numbers = st.integers(0, 40)
jobs = st.builds(
    job,
    start=numbers.map(float),
    duration=numbers.map(float),
    cpu=numbers.map(lambda n: n * 100),
    memory=numbers.map(lambda n: n * 200),
)
loads = st.lists(jobs, max_size=25).map(lambda found: load(*found))
properties = settings(max_examples=40, deadline=None)
choices = st.sampled_from(["fullest", "most-pods", "emptiest"])


@properties
@given(loads, choices, st.sampled_from([None, 20.0]), numbers)
def test_no_placement_without_delay_is_below_the_ideal(load, choice, apart, idle):
    shapes = (SMALL, LARGE)
    least = ideal(load, shapes)
    found = best_fit(load, shapes, float(idle), choice=choice, apart=apart)

    assert least.node_seconds["job"] <= found.node_seconds["job"] + 1e-6
    assert least.vcpu_seconds["job"] <= found.vcpu_seconds["job"] + 1e-6
    assert least.cost["job"] <= found.cost["job"] + 1e-9


@properties
@given(loads, choices, numbers, numbers, numbers)
def test_nothing_is_below_the_floor(load, choice, idle, boot, batch):
    shapes = (SMALL, LARGE)
    delays = {"idle": idle, "boot": boot, "batch": batch}
    least = floor(load, shapes)
    for found in (ideal(load, shapes), best_fit(load, shapes, choice=choice, **delays)):
        assert least.node_seconds["job"] <= found.node_seconds["job"] + 1e-6
        assert least.vcpu_seconds["job"] <= found.vcpu_seconds["job"] + 1e-6
        assert least.cost["job"] <= found.cost["job"] + 1e-9


@properties
@given(loads, st.sampled_from(["fullest", "most-pods"]), numbers)
def test_nodes_that_stay_empty_cost_more(load, choice, idle):
    at_once = best_fit(load, (SMALL,), choice=choice)
    later = best_fit(load, (SMALL,), idle, choice=choice)

    assert at_once.node_seconds["job"] <= later.node_seconds["job"] + 1e-6


@properties
@given(loads, choices, numbers, numbers, numbers)
def test_every_job_runs_once_and_no_node_is_over_its_capacity(
    load, choice, idle, boot, batch
):
    found = best_fit(load, (SMALL,), idle, boot, choice=choice, batch=batch)

    assert sorted(map(id, load.jobs)) == sorted(id(p.job) for p in found.placements)
    assert all(p.start >= p.job.start for p in found.placements)
    nodes = defaultdict(list)
    for placement in found.placements:
        nodes[placement.node].append(placement)
    for held in nodes.values():
        for moment in {placement.start for placement in held}:
            running = [
                p.job for p in held if p.start <= moment < p.start + p.job.duration
            ]
            assert sum(one.cpu for one in running) <= SMALL.cpu
            assert sum(one.memory for one in running) <= SMALL.memory
            assert len(running) <= SMALL.pods


def test_the_ideal_needs_what_the_scarcest_resource_fills():
    five = [job(cpu=0, memory=0) for _ in range(5)]

    assert 60 == ideal(load(*five), (SMALL,)).node_seconds["job"]
    assert 120 == ideal(load(*five, job(cpu=0, memory=0)), (SMALL,)).node_seconds["job"]
    assert 120 == ideal(load(job(), job(cpu=3_001)), (SMALL,)).node_seconds["job"]
    assert 120 == ideal(load(job(), job(memory=7_001)), (SMALL,)).node_seconds["job"]


def test_the_ideal_follows_the_load_over_time():
    found = ideal(load(job(0, 60, 4_000), job(30, 60, 4_000), job(200, 5)), (SMALL,))

    assert ((0, 1), (30, 2), (60, 1), (90, 0), (200, 1), (205, 0)) == found.nodes["job"]
    assert 125 == found.node_seconds["job"]
    assert 2 == found.peak


def test_each_figure_of_the_ideal_takes_the_type_that_is_cheapest_for_it():
    """Nodes: one large. vCPUs: two small. USD: parts of large ones."""
    found = ideal(load(job(0, 3_600, 3_000), job(0, 3_600, 3_000)), (SMALL, LARGE))

    assert 3_600 == found.node_seconds["job"]
    assert 3_600 * 8 == found.vcpu_seconds["job"]
    assert 6_000 * 0.72 / 16_000 == pytest.approx(found.cost["job"])


def test_the_ideal_buys_at_least_one_whole_node_of_the_smallest():
    found = ideal(load(job(0, 3_600, 10, 10)), (SMALL, replace(LARGE, vcpus=6)))

    assert 3_600 * 4 == found.vcpu_seconds["job"]
    assert 0.2 == pytest.approx(found.cost["job"])


def test_the_floor_lets_jobs_wait():
    found = floor(load(job(0, 60, 4_000), job(30, 60, 2_000)), (SMALL,))

    assert 90 == found.node_seconds["job"]
    assert 360 == found.vcpu_seconds["job"]
    assert {"job": ()} == found.nodes


def test_pods_that_stay_keep_their_node():
    """Three short jobs and a long one on each of two nodes that end up nearly empty."""
    short = [job(0, 10) for _ in range(6)]
    found = best_fit(load(*short[:3], job(0, 100), *short[3:], job(0, 100)), (SMALL,))

    assert 200 == found.node_seconds["job"]
    assert ((0, 2), (100, 0)) == found.nodes["job"]
    assert (
        120 - 10
        == ideal(load(*short, job(0, 100), job(0, 100)), (SMALL,)).node_seconds["job"]
    )


def test_long_jobs_apart_let_the_nodes_of_short_ones_go():
    jobs = [job(0, 10 if place % 4 else 100) for place in range(8)]

    assert 200 == best_fit(load(*jobs), (SMALL,)).node_seconds["job"]
    assert 120 == best_fit(load(*jobs), (SMALL,), apart=50).node_seconds["job"]


def test_a_node_that_boots_is_paid_and_its_jobs_wait():
    found = best_fit(load(job(5, 60)), (SMALL,), boot=40)

    assert 100 == found.node_seconds["job"]
    assert [45] == [placement.start for placement in found.placements]


def test_an_empty_node_is_used_again_as_long_as_it_stays():
    pair = load(job(0, 10), job(15, 10))

    assert 20 == best_fit(pair, (SMALL,)).node_seconds["job"]
    assert 30 == best_fit(pair, (SMALL,), idle=5).node_seconds["job"]
    assert [0, 0] == [p.node for p in best_fit(pair, (SMALL,), idle=5).placements]
    assert 28 == best_fit(pair, (SMALL,), idle=4).node_seconds["job"]


def test_who_waits_takes_room_that_comes_up_before_the_node():
    """The node made for the second job comes at 100, and nobody needs it."""
    found = best_fit(load(job(0, 50, 4_000), job(60, 50, 4_000)), (SMALL,), 0, 40)

    assert [(0, 40), (0, 90)] == [(p.node, p.start) for p in found.placements]
    assert 140 + 40 == found.node_seconds["job"]


def test_a_wave_is_collected_before_nodes_are_made():
    wave = [job(0, 10, 1_000), job(1, 10, 4_000), job(2, 10, 3_000)]
    found = best_fit(load(*wave), (SMALL,), batch=5)

    assert [5, 5, 5] == [placement.start for placement in found.placements]
    assert 20 == found.node_seconds["job"]


def test_nodes_are_planned_for_the_largest_first_and_filled_as_jobs_came():
    """Two nodes would do; the scheduler puts both small jobs on the first."""
    wave = [job(0, 10, cpu) for cpu in (1_000, 1_000, 3_000, 3_000)]
    found = best_fit(load(*wave), (SMALL,), batch=5)

    assert ((5, 2), (10, 3), (15, 1), (20, 0)) == found.nodes["job"]
    assert [5, 5, 5, 10] == sorted(placement.start for placement in found.placements)


def test_the_room_of_a_job_that_found_another_node_is_for_the_next():
    """At 90 the second takes the node of the first, and the third the one at 100."""
    jobs = [job(start, 50, 4_000) for start in (0, 60, 95)]
    found = best_fit(load(*jobs), (SMALL,), boot=40)

    assert [(0, 40), (0, 90), (1, 100)] == [(p.node, p.start) for p in found.placements]
    assert 140 + 90 == found.node_seconds["job"]


def test_so_is_the_room_of_a_job_that_found_an_earlier_new_node():
    """The second takes the node of the first, the third that of the second."""
    jobs = [job(0, 30, 4_000), *(job(start, 50, 4_000) for start in (31, 35, 72))]
    found = best_fit(load(*jobs), (SMALL,), boot=40)

    assert [(0, 40), (0, 70), (1, 71), (2, 75)] == [
        (placement.node, placement.start) for placement in sorted_by_start(found)
    ]
    assert 120 + 90 + 90 == found.node_seconds["job"]


def test_of_equal_nodes_a_job_takes_the_one_in_use_for_longest():
    jobs = [job(0, 100, 3_000), job(1, 100, 3_000), job(2, 5, 500)]
    found = best_fit(load(*jobs), (SMALL,))

    assert [0, 1, 0] == [p.node for p in sorted_by_start(found)]


def sorted_by_start(bound):
    return sorted(bound.placements, key=lambda placement: placement.start)


@pytest.mark.parametrize(
    ("choice", "node"), [("fullest", 0), ("most-pods", 1), ("emptiest", 2)]
)
def test_a_job_takes_the_node_of_its_choice(choice, node):
    """Node 0 is the fullest, node 1 has the most pods, node 2 has the least of all."""
    nodes = [
        job(0, 100, 3_000, 3_000),
        *(job(0, 100, 600, 600) for _ in range(3)),
        job(0, 100, 1_000, 500),
    ]
    filler = [job(0, 50, 1_000, 5_000), job(0, 50, 2_200, 6_200)]
    order = [nodes[0], filler[0], *nodes[1:4], filler[1], nodes[4]]
    found = best_fit(load(*order, job(60, 5, 500, 500)), (SMALL,), choice=choice)

    assert 3 == len({p.node for p in found.placements})
    assert node == next(p.node for p in found.placements if p.job.start == 60)


def test_a_new_node_is_the_largest_of_those_with_the_cheapest_vcpu():
    found = best_fit(load(job(0, 3_600)), (SMALL, LARGE))

    assert 3_600 * 16 == found.vcpu_seconds["job"]
    assert 0.72 == pytest.approx(found.cost["job"])


def test_without_prices_a_new_node_is_the_largest():
    shapes = [replace(shape, price=None) for shape in (SMALL, LARGE)]
    found = best_fit(load(job(0, 10)), shapes)

    assert 160 == found.vcpu_seconds["job"]


def test_groups_share_nothing():
    arm = NodeShape(
        group="arm",
        instance_type="g",
        architecture="arm64",
        cpu=4_000,
        memory=8_000,
        pods=5,
        vcpus=4,
    )
    found = best_fit(
        load(job(0, 10), job(0, 20, group="arm", architecture="arm64")), (SMALL, arm)
    )

    assert {"job": 10, "arm": 20} == found.node_seconds
    assert None is found.cost["arm"]
    assert 120 == found.paid


def test_without_vcpus_nodes_are_compared():
    unknown = NodeShape(
        group="job",
        instance_type="x",
        architecture="amd64",
        cpu=4_000,
        memory=8_000,
        pods=5,
    )

    assert 10 == best_fit(load(job(0, 10)), (unknown,)).paid
    assert 10 == ideal(load(job(0, 10)), (unknown,)).paid


def test_jobs_that_fit_no_node_are_named():
    lost = [job(cpu=5_000, name=f"job-{place}") for place in range(5)]
    for reference in (ideal, floor, best_fit):
        with pytest.raises(ValueError, match="jobs must fit") as caught:
            reference(load(job(), *lost), (SMALL,))

        assert (
            "jobs must fit an empty node of their group, got job-0, job-1, job-2 "
            "and 2 more"
        ) == str(caught.value)


def test_rules_out_of_range_are_named_at_once():
    with pytest.raises(ValueError, match="idle") as caught:
        Rules(choice="best", idle=-1, boot=float("nan"), batch=-2, apart=-3)

    assert [
        "choice must be of fullest, most-pods, emptiest, got choice=best",
        "idle must be 0 or more, got idle=-1",
        "boot must be 0 or more, got boot=nan",
        "batch must be 0 or more, got batch=-2",
        "apart must be 0 or more, got apart=-3",
    ] == str(caught.value).splitlines()


def test_the_table_of_losses_begins_with_the_references():
    rows = losses(load(job(0, 60), job(5, 700)), (SMALL,), idle=30)

    assert [
        "all nodes full, jobs wait",
        "pods move (ideal)",
        "pods stay (best fit)",
        "by pod count",
        "by the emptiest node",
        "empty nodes stay 30 s",
        "nodes take 40 s",
        "nodes take 40 s, for a wave at once",
        "jobs above 600 s apart",
        "LeastAllocated, all delays",
        "LeastAllocated, all delays, long jobs apart",
        "affinity, all delays",
        "affinity, all delays, long jobs apart",
        "MostAllocated, all delays",
        "MostAllocated, all delays, long jobs apart",
        "affinity, all delays, empty nodes stay 3 s",
        "affinity, all delays, nodes of half the size",
        "affinity, all delays, nodes of twice the size",
    ] == [row.text for row in rows]
    assert [1, 1] == [row.against_best_fit for row in rows[1:3]]
    assert pytest.approx(735 / 705) == rows[5].against_ideal


def test_other_sizes_of_nodes_are_paid_by_their_size():
    """Four jobs of 1 CPU for a minute: one node of 4, two of 2, or half of one of 8."""
    jobs = [job(duration=60, memory=100, name=str(place)) for place in range(4)]
    rows = {
        row.text: row.against_best_fit
        for row in losses(load(*jobs), (SMALL,), idle=0, boot=0, batch=0)
    }

    assert [1.0, 1.0, 2.0] == [
        rows[f"affinity, all delays{text}"]
        for text in ("", ", nodes of half the size", ", nodes of twice the size")
    ]


def test_a_size_that_is_too_small_for_a_job_is_not_compared():
    rows = losses(load(job(cpu=3_000)), (SMALL,))

    assert "affinity, all delays, nodes of twice the size" == rows[-1].text
    assert not [row for row in rows if "half" in row.text]


def test_a_load_without_jobs_loses_nothing():
    rows = losses(load(), (SMALL,))

    assert {(1.0, 1.0)} == {(row.against_ideal, row.against_best_fit) for row in rows}


def test_ten_thousand_jobs_take_a_moment():
    """Processor time, so that a busy machine does not fail it."""
    group = JobGroup(name="job", architecture="amd64", instance_types=("m7i.4xlarge",))
    many, began = article_load(jobs=10_000, groups=[group]), time.process_time()
    for reference in (ideal, best_fit):
        reference(many, (replace(LARGE, pods=60),))

    assert time.process_time() - began < 2
