import pytest

from components.spec.policy.packing import (
    resource_weights,
    scoring_problems,
    weight_warnings,
)


@pytest.mark.parametrize(
    ("packing", "weights"),
    [
        ("affinity", {}),
        ("none", {}),
        ("scheduler", {"cpu": 1, "memory": 1}),
        ("both", {"cpu": 1, "memory": 1}),
    ],
)
def test_each_packing_says_what_it_needs_of_the_scheduler(packing, weights):
    assert weights == resource_weights(packing)


@pytest.mark.parametrize(
    ("packing", "version", "strategy"),
    [
        ("affinity", "1.30", None),
        ("none", "1.30", "LeastAllocated"),
        ("scheduler", "1.31", "MostAllocated"),
        ("both", "1.36", "MostAllocated"),
    ],
)
def test_a_cluster_that_packs_is_accepted(packing, version, strategy):
    assert [] == list(scoring_problems(packing, version, strategy))


@pytest.mark.parametrize("packing", ["scheduler", "both"])
def test_a_cluster_that_cannot_pack_is_refused(packing):
    assert [
        "packing must be affinity or none before Kubernetes 1.31, "
        f"got packing={packing!r} with version 1.30",
        f"packing={packing!r} needs the cluster's scheduler strategy to be "
        "MostAllocated, got None",
    ] == list(scoring_problems(packing, "1.30", None))


@pytest.mark.parametrize("packing", ["scheduler", "both"])
def test_a_cluster_that_spreads_is_refused(packing):
    assert [
        f"packing={packing!r} needs the cluster's scheduler strategy to be "
        "MostAllocated, got LeastAllocated",
    ] == list(scoring_problems(packing, "1.36", "LeastAllocated"))


@pytest.mark.parametrize(
    ("weights", "cpu", "memory"),
    [
        ({"cpu": 1, "memory": 1}, 0.005, 0.005),
        ({"cpu": 1, "memory": 1}, 0.0315, 0.0262),
        ({"cpu": 1}, 0.0629, 0.0022),
        ({"cpu": 1}, 0.01, 0.03),
        ({"memory": 1}, 0.03, 0.01),
    ],
)
def test_weights_that_pack_are_silent(weights, cpu, memory):
    assert [] == list(weight_warnings(weights, cpu_share=cpu, memory_share=memory))


@pytest.mark.parametrize(
    ("weights", "cpu", "memory", "text"),
    [
        (
            {"cpu": 1, "memory": 1},
            0.0629,
            0.0022,
            "a pod asks 6.29% of a node's CPU and 0.22% of its memory: below 0.5% the "
            "scheduler hardly packs; use packing affinity, or weigh the larger one "
            "alone",
        ),
        (
            {"cpu": 1},
            0.0063,
            0.0358,
            "a pod asks 0.63% of a node's CPU and 3.58% of its memory: weighing cpu "
            "alone spreads such pods; weigh cpu and memory, or use packing affinity",
        ),
        (
            {"memory": 1},
            0.0629,
            0.0179,
            "a pod asks 6.29% of a node's CPU and 1.79% of its memory: weighing memory "
            "alone spreads such pods; weigh cpu and memory, or use packing affinity",
        ),
    ],
)
def test_weights_that_spread_warn(weights, cpu, memory, text):
    assert [text] == list(weight_warnings(weights, cpu_share=cpu, memory_share=memory))
