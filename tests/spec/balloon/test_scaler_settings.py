"""
What scalers are given for balloons.

Not proved here: that the controllers do with it what their sources say.
"""

import pytest

from components.spec.balloon.scaler_settings import (
    balloon_policy,
    expendable_cutoff,
    of_group,
    with_balloon_values,
    with_balloons,
)
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.autoscaler_chart import autoscaler_values
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler, WarmPool
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.pool import PoolRules
from sandbox.kubernetes.kinds import Kind
from sandbox.kubernetes.schema import problems
from tests.spec.balloon.builders import buffer, office, pods, static, warm
from tests.spec.policy import documents

OWN = {"job": PoolRules()}


def values(*balloons, **overrides):
    made = autoscaler_values(
        ClusterAutoscaler(**overrides),
        cluster_name="prod",
        cluster_version="1.36",
        region="ap-northeast-2",
        patterns={},
    )
    return with_balloon_values(made, balloons)


@pytest.mark.parametrize(
    ("scaler", "balloon", "protected", "policy"),
    [
        (Karpenter(), pods(), True, "Balanced"),
        (Karpenter(version="1.14.0"), pods(), True, "Balanced"),
        (Karpenter(version="1.13.9"), pods(), True, "WhenEmptyOrUnderutilized"),
        (AutoMode(), pods(), True, "WhenEmptyOrUnderutilized"),
        # Jobs would be moved.
        (Karpenter(), pods(), False, None),
        # The rules are the user's.
        (Karpenter(pools=OWN), pods(), True, None),
        (AutoMode(pools=OWN), pods(), True, None),
        # Balloons go every day, and their nodes with them.
        (Karpenter(), pods(schedule=office()), True, None),
        # These never go.
        (Karpenter(), pods(schedule=office(cooldown="62h30m")), True, "Balanced"),
        # No pods.
        (Karpenter(), buffer(), True, None),
        (Karpenter(), static(), True, None),
        # Of another group.
        (Karpenter(), pods(group="job-arm"), True, None),
        (ClusterAutoscaler(), pods(), True, None),
    ],
)
def test_h058_a_pool_of_balloons_that_are_always_up_neither_pins_nor_loops(
    scaler, balloon, protected, policy
):
    assert policy == balloon_policy(scaler, [balloon], "job", protected=protected)


def test_the_rest_of_the_rules_stays():
    given = Karpenter(pools={"job-arm": PoolRules(weight=7)})
    made = with_balloons(given, [pods()], protected=True)

    assert {
        "job-arm": PoolRules(weight=7),
        "job": PoolRules(consolidation_policy="Balanced"),
    } == made.pools


@pytest.mark.parametrize("scaler", [Karpenter(), AutoMode(), ClusterAutoscaler()])
def test_a_scaler_without_balloons_stays_what_it_is(scaler):
    assert scaler == with_balloons(scaler, [], protected=True)


def test_karpenter_gets_the_gates_of_the_kinds_in_use():
    given = Karpenter(feature_gates={"nodeRepair": True})
    made = with_balloons(given, [buffer(), static(), pods()], protected=False)

    assert {
        "nodeRepair": True,
        "capacityBuffer": True,
        "staticCapacity": True,
    } == made.feature_gates
    assert {} == with_balloons(Karpenter(), [pods()], protected=False).feature_gates


def test_a_karpenter_of_others_keeps_its_gates():
    made = with_balloons(Karpenter(install=False), [buffer()], protected=True)

    assert {} == made.feature_gates


def test_a_warm_pool_is_that_of_one_group():
    given = ClusterAutoscaler(groups="managed")

    assert WarmPool(min_size=2) == of_group(given, [pods(), warm()], "job").warm_pool
    assert given == of_group(given, [pods(), warm()], "job-arm")


@pytest.mark.parametrize(
    ("priorities", "cutoff"), [([], -10), ([-1], -10), ([-10], -10), ([-11, -40], -40)]
)
def test_h057_the_cut_off_of_cluster_autoscaler_follows_the_lowest_balloon(
    priorities, cutoff
):
    balloons = [pods(priority=one, name=f"n{-one}") for one in priorities]

    assert cutoff == expendable_cutoff(balloons)
    assert (
        str(cutoff)
        == (values(*balloons)["extraArgs"]["expendable-pods-priority-cutoff"])
    )


def test_balloons_of_pods_change_nothing_but_the_cut_off():
    plain = values()
    lower = values(pods(priority=-11))
    plain["extraArgs"]["expendable-pods-priority-cutoff"] = "-11"

    assert plain == lower


def test_buffers_bring_flags_rights_and_definition(golden):
    golden("balloon/autoscaler-values.yaml", documents.text([values(buffer())]))


def test_the_client_of_the_controller_can_write_buffers():
    """In protobuf, its own way, it fails on every one: kubernetes/autoscaler#8855."""
    flag = "kube-api-content-type"

    assert "application/json" == values(buffer())["extraArgs"][flag]
    assert flag not in values(pods())["extraArgs"]


def test_values_that_are_given_are_not_changed():
    given = {"extraArgs": {"v": "4"}, "rbac": {"serviceAccount": {}}}
    with_balloon_values(given, [buffer()])

    assert {"extraArgs": {"v": "4"}, "rbac": {"serviceAccount": {}}} == given


def test_kubernetes_takes_the_definition_of_buffers():
    (definition,) = values(buffer())["extraObjects"]
    kind = Kind(
        group="apiextensions.k8s.io", version="v1", name="CustomResourceDefinition"
    )

    assert [] == list(problems(kind, definition, "1.36"))
