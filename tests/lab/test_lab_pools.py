"""
The pools of a run are those of production on other machines.

Not proven here: that Karpenter takes them; see tests/cluster/test_lab.py.
"""

from copy import deepcopy

import pytest

from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.lifetime import lifetime
from components.spec.scaler.node_pool import node_pool
from components.spec.scaler.pool import PoolRules
from lab.pace import Pace
from lab.pools import ZONES, karpenter_settings, machines, pools
from lab.scenario import scenarios
from lab.shapes import node_shapes
from lab.stack import Stack
from sandbox.kwok import NODE_CLASS, RESERVED
from tests.spec.scaler.builders import TYPES, job

STACK = Stack(name="test", jobs=(job(longest_job="6h"), job(architecture="arm64")))
REAL = Pace(speed=1)


def scenario(name="affinity"):
    (one,) = scenarios(name, STACK)
    return one


def pool(made, name="job"):
    (one,) = (
        one
        for one in made
        if one["kind"] == "NodePool" and one["metadata"]["name"] == name
    )
    return one


def test_in_real_time_a_pool_is_that_of_production_on_machines_of_its_own():
    (group, _) = STACK.jobs
    rules = PoolRules(budgets=PoolRules().budgets[:1])
    production = node_pool(group, rules, lifetime(rules, "6h"), NODE_CLASS, TYPES)
    made = deepcopy(pool(pools(STACK, scenario(), REAL)))
    requirements = made["spec"]["template"]["spec"]["requirements"]
    for one in requirements:
        one["values"] = [value.removesuffix(".job") for value in one["values"]]

    assert production == made


def test_each_group_has_its_node_class_before_its_pool():
    made = pools(STACK, scenario(), Pace(speed=20))

    assert [
        ("KWOKNodeClass", "job"),
        ("NodePool", "job"),
        ("KWOKNodeClass", "job-arm"),
        ("NodePool", "job-arm"),
    ] == [(one["kind"], one["metadata"]["name"]) for one in made]
    assert {"nodeRegistrationDelay": "2s"} == made[0]["spec"]


@pytest.mark.parametrize(("asked", "expires"), [(None, "16h48m"), ("15m", "45s")])
def test_nodes_expire_early_on_request(asked, expires):
    made = pool(pools(STACK, scenario(), Pace(speed=20), asked))

    assert expires == made["spec"]["template"]["spec"]["expireAfter"]
    assert "19m30s" == made["spec"]["template"]["spec"]["terminationGracePeriod"]


def test_the_unprotected_scenario_has_rules_of_its_own():
    made = pool(pools(STACK, scenario("unprotected"), Pace(speed=20)))

    assert {
        "consolidationPolicy": "WhenEmptyOrUnderutilized",
        "consolidateAfter": "0s",
        "budgets": [{"nodes": "100%"}],
    } == made["spec"]["disruption"]


def test_nodes_offer_what_those_of_the_group_would():
    """What the simulated cloud keeps for itself is added before."""
    shapes = node_shapes(STACK.jobs, TYPES)
    made = [one.manifest() for one in machines(shapes, {})]

    for shape, one in zip(shapes, made, strict=True):
        offers = one["resources"]
        assert f"{shape.instance_type}.{shape.group}" == one["name"]
        assert shape.cpu + RESERVED[0] == round(1_000 * float(offers["cpu"]))
        assert f"{shape.memory + RESERVED[1]}Mi" == offers["memory"]
        assert "60" == offers["pods"]
        assert shape.architecture == one["architecture"]


def test_machines_are_bought_in_every_zone_in_every_way_of_the_pool():
    rules = {"job": PoolRules(capacity_types=("on-demand", "spot"))}
    made = machines(node_shapes(STACK.jobs, TYPES), rules)
    offerings = {one.name: len(one.manifest()["offerings"]) for one in made}

    assert {
        "m7i.4xlarge.job": 2 * len(ZONES),
        "m6i.4xlarge.job": 2 * len(ZONES),
        "m7g.4xlarge.job-arm": len(ZONES),
        "m8g.4xlarge.job-arm": len(ZONES),
    } == offerings


def test_the_cheapest_is_the_first_of_the_group_unless_prices_say_otherwise():
    shapes = node_shapes(STACK.jobs, TYPES)
    relative = [one.price for one in machines(shapes, {})]
    priced = node_shapes(STACK.jobs, TYPES, {"m7i.4xlarge": 0.9, "m6i.4xlarge": 0.8})
    first, second, *_ = machines(priced, {})

    assert sorted(relative) == relative
    assert [16.0] * 4 == [round(price, 3) for price in relative]
    assert second.price < first.price


def test_karpenter_has_the_settings_of_the_stack_in_time_of_the_machine():
    karpenter = Karpenter(
        batch_idle_duration="2s",
        batch_max_duration="20s",
        feature_gates={"nodeRepair": True},
    )
    stack = Stack(name="test", jobs=STACK.jobs, karpenter=karpenter)

    assert {
        "PREFERENCE_POLICY": "Ignore",
        "BATCH_IDLE_DURATION": "100ms",
        "BATCH_MAX_DURATION": "1000ms",
        "FEATURE_GATES": "nodeRepair=true",
    } == karpenter_settings(stack, scenario(), Pace(speed=20))
    assert (
        "Respect"
        == karpenter_settings(STACK, scenario("published"), REAL)["PREFERENCE_POLICY"]
    )
