"""Pools with a fixed number of nodes. tests/cluster checks them against the CRD."""

import pytest

from components.spec.balloon.static_pool import (
    beside_static,
    static_life,
    static_pool,
)
from components.spec.groups import Size
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.lifetime import auto_lifetime, lifetime
from components.spec.scaler.node_pool import (
    AUTO_NODE_CLASS,
    EC2_NODE_CLASS,
    node_pool,
)
from components.spec.scaler.pool import PoolRules
from tests.spec.balloon.builders import pods, static
from tests.spec.scaler.builders import TYPES, job

RULES = PoolRules(weight=10, consolidate_after="15m")


@pytest.mark.parametrize(
    ("scaler", "node_class", "life"),
    [
        (Karpenter(pools={"job": RULES}), EC2_NODE_CLASS, lifetime),
        (AutoMode(pools={"job": RULES}), AUTO_NODE_CLASS, auto_lifetime),
    ],
)
def test_nodes_are_those_of_the_group(scaler, node_class, life):
    group = job(longest_job="6h")
    whole = node_pool(group, RULES, life(RULES, "6h"), node_class, TYPES)
    made = static_pool(static(), group, scaler, TYPES)

    assert "static-job" == made["metadata"]["name"]
    assert whole["spec"]["template"] == made["spec"]["template"]
    assert whole["spec"]["disruption"] == made["spec"]["disruption"]
    assert "job" == made["spec"]["template"]["spec"]["nodeClassRef"]["name"]
    assert life(RULES, "6h") == static_life(group, scaler)


def test_a_static_pool_has_neither_weight_nor_limit_of_cores():
    scaler = Karpenter(pools={"job": RULES})
    spec = static_pool(static(), job(), scaler, TYPES)["spec"]

    assert {"template", "disruption", "replicas", "limits"} == set(spec)


@pytest.mark.parametrize(
    ("nodes", "limit"), [(1, "2"), (5, "6"), (6, "8"), (10, "12"), (50, "60")]
)
def test_nodes_can_be_replaced_one_for_one(nodes, limit):
    spec = static_pool(static(nodes=nodes), job(), Karpenter(), TYPES)["spec"]

    assert (nodes, {"nodes": limit}) == (spec["replicas"], spec["limits"])


def test_static_nodes_are_a_part_of_the_group():
    groups = (job(size=Size(max=10)), job(name="other", size=Size(max=10)))
    balloons = [static(nodes=2), static(nodes=3, name="more"), pods()]

    assert (job(size=Size(max=5)), groups[1]) == beside_static(groups, balloons)
