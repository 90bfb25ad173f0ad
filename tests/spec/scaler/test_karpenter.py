"""What Karpenter's settings refuse. Not proved: that a version has what it should."""

import re

import pytest

from components.spec.groups import Size
from components.spec.scaler.checks import Resources
from components.spec.scaler.karpenter import Karpenter, ServerPool
from components.spec.scaler.pool import Budget, PoolRules


def pool(**overrides):
    return ServerPool(
        **{
            "name": "more",
            "architecture": "amd64",
            "instance_types": ("m7i.xlarge", "m6i.xlarge"),
        }
        | overrides
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"version": "1.3.3"},
            "version must be 1.4.0 or newer, the first that can leave preferred "
            "affinity to the scheduler, got version=1.3.3",
        ),
        (
            {"version": "v1.15.1"},
            "version must be three numbers such as 1.15.1, without a v, "
            "got version=v1.15.1",
        ),
        (
            {"version": "1.15"},
            "version must be three numbers such as 1.15.1, without a v, "
            "got version=1.15",
        ),
        (
            {"preference_policy": "ignore"},
            "preference_policy must be Ignore or Respect, got preference_policy=ignore",
        ),
        ({"replicas": 0}, "replicas must be 1 to 5, got replicas=0"),
        ({"replicas": 6}, "replicas must be 1 to 5, got replicas=6"),
        (
            {"batch_idle_duration": "0s"},
            "batch_idle_duration must be longer than nothing, "
            "got batch_idle_duration=0s",
        ),
        (
            {"batch_max_duration": "10"},
            "batch_max_duration must be hours, minutes and seconds such as 6h or "
            "1h30m, got batch_max_duration=10",
        ),
        (
            {"extended_kubelet": True, "version": "1.14.1"},
            "extended_kubelet needs Karpenter 1.15 or newer, which takes more than "
            "twelve kubelet fields, got version=1.14.1",
        ),
        (
            {"ami_alias": "bottlerocket@latest"},
            "ami_alias must be of al2023, the only family that the user data of a "
            "group is written for, got ami_alias=bottlerocket@latest",
        ),
        (
            {"ami_alias": "al2@v20260714"},
            "ami_alias must be of al2023, the only family that the user data of a "
            "group is written for, got ami_alias=al2@v20260714",
        ),
        (
            {"ami_alias": "al2023"},
            "ami_alias must be a family and a release such as al2023@v20260714, "
            "got ami_alias=al2023",
        ),
        (
            {"node_role": "a", "instance_profile": "b"},
            "node_role and instance_profile exclude each other, got node_role=a, "
            "instance_profile=b",
        ),
        (
            {"node_role": "arn:x:iam::1:role/a"},
            "node_role must be a name, not an ARN, got node_role=arn:x:iam::1:role/a",
        ),
        (
            {"instance_profile": "arn:x:iam::1:instance-profile/a"},
            "instance_profile must be a name, not an ARN, "
            "got instance_profile=arn:x:iam::1:instance-profile/a",
        ),
        (
            {
                "version": "1.13.0",
                "pools": {"job": PoolRules(consolidation_policy="Balanced")},
            },
            "pools[job].consolidation_policy Balanced needs Karpenter 1.14 or newer, "
            "got version=1.13.0",
        ),
        (
            {
                "version": "1.14.1",
                "pools": {
                    "job": PoolRules(
                        budgets=(Budget(nodes="1", reasons=("Unhealthy",)),)
                    )
                },
            },
            "pools[job].budgets with the reason Unhealthy need Karpenter 1.15 or "
            "newer, got version=1.14.1",
        ),
        (
            {"server_pools": (pool(size=Size(min=1, max=3)),)},
            "server_pools[more].size.min must be 0, Karpenter keeps no empty nodes: "
            "give servers that must run a managed group, got 1",
        ),
        (
            {"install": False, "replicas": 3},
            "replicas needs install: true, got replicas=3",
        ),
        (
            {"install": False, "feature_gates": {"nodeRepair": True}},
            "feature_gates needs install: true, got feature_gates={'nodeRepair': True}",
        ),
    ],
)
def test_h042_h068_refuses_what_this_version_does_not_do(settings, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Karpenter(**settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"version": "1.4.0"},
        {"extended_kubelet": True, "version": "1.15.0"},
        {"ami_alias": "al2023@v20260714"},
        {"version": "1.14.0", "pools": {"job": PoolRules(weight=100)}},
        {"install": False, "version": "1.13.0", "node_role": "a"},
        {"server_pools": (pool(),)},
    ],
)
def test_accepts_what_this_version_does(settings):
    assert Karpenter(**settings)


@pytest.mark.parametrize(
    ("version", "gates", "message"),
    [
        (
            "1.15.1",
            {"noderepair": True},
            "feature_gates must be of nodeRepair, nodeOverlay, reservedCapacity, "
            "spotToSpotConsolidation, staticCapacity, capacityBuffer, "
            "terminateFirstDrift, terminateFirstRepair, podDeletionCostManagement, "
            "nodeClassCEL, rebootForRepair, got 'noderepair'",
        ),
        (
            "1.13.0",
            {"capacityBuffer": True},
            "feature_gates[capacityBuffer] needs Karpenter 1.14 or newer, "
            "got version=1.13.0",
        ),
        (
            "1.6.9",
            {"nodeOverlay": True},
            "feature_gates[nodeOverlay] needs Karpenter 1.7 or newer, "
            "got version=1.6.9",
        ),
        (
            "1.15.1",
            {"capacityBuffer": "true"},
            "feature_gates[capacityBuffer] must be true or false, got 'true'",
        ),
        (
            "1.15.1",
            {"rebootForRepair": True},
            "feature_gates[rebootForRepair] needs feature_gates[nodeRepair]",
        ),
    ],
)
def test_h099_a_gate_that_would_change_nothing_is_refused(version, gates, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Karpenter(version=version, feature_gates=gates)


@pytest.mark.parametrize(
    ("gate", "version"),
    [
        ("nodeRepair", "1.4.0"),
        ("reservedCapacity", "1.4.0"),
        ("spotToSpotConsolidation", "1.4.0"),
        ("nodeOverlay", "1.7.0"),
        ("staticCapacity", "1.8.0"),
    ],
)
def test_a_gate_is_taken_from_the_version_on_that_brought_it(gate, version):
    assert Karpenter(version=version, feature_gates={gate: True})


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        ({"cpu": "0.5", "memory": "1Gi"}, "cpu must be such as 1 or 500m, got cpu=0.5"),
        (
            {"cpu": "1", "memory": "1G"},
            "memory must be such as 512Mi or 1Gi, got memory=1G",
        ),
    ],
)
def test_refuses_quantities_of_another_spelling(resources, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Resources(**resources)


def test_the_image_is_that_of_the_cluster_until_another_is_named():
    assert "al2023@v20260714" == Karpenter().alias("v20260714")
    assert "al2023@v20260101" == Karpenter(ami_alias="al2023@v20260101").alias(
        "v20260714"
    )


def test_a_group_without_rules_has_the_defaults():
    named = PoolRules(weight=7)
    karpenter = Karpenter(pools={"job": named})

    assert named == karpenter.rules("job")
    assert PoolRules() == karpenter.rules("job-arm")
