"""Not proved: that EKS accepts these; its CRDs are not published."""

import re

import pytest

from components.spec.groups import UserDataPart
from components.spec.kubelet import KubeletTuning
from components.spec.scaler.auto_mode import AutoMode, cluster_config
from components.spec.scaler.auto_mode_nodes import (
    auto_node_class,
    not_applied,
    unsupported,
)
from components.spec.scaler.pool import Budget, PoolRules
from components.spec.volume import Gp3Volume
from tests.spec.scaler.builders import job, site

WAY_OUT = ", or choose scaler kind karpenter"
CANNOT = (
    "EKS Auto Mode cannot set the kubelet, the image or user data of a node: leave out"
)


@pytest.mark.parametrize(
    ("pools", "compute"),
    [
        (
            ("general-purpose", "system"),
            {
                "enabled": True,
                "nodePools": ["general-purpose", "system"],
                "nodeRoleArn": "role",
            },
        ),
        ((), {"enabled": True}),
    ],
)
def test_h085_all_switches_are_on_and_a_role_comes_with_pools(pools, compute):
    assert cluster_config(AutoMode(node_pools=pools), "role") == {
        "computeConfig": compute,
        "kubernetesNetworkConfig": {"elasticLoadBalancing": {"enabled": True}},
        "storageConfig": {"blockStorage": {"enabled": True}},
    }


def test_h085_all_switches_are_off():
    assert cluster_config(None, "role") == {
        "computeConfig": {"enabled": False},
        "kubernetesNetworkConfig": {"elasticLoadBalancing": {"enabled": False}},
        "storageConfig": {"blockStorage": {"enabled": False}},
    }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"node_pools": ("sytem",)},
            "node_pools must be of general-purpose, system, got 'sytem'",
        ),
        (
            {"node_pools": ("system", "system")},
            "node_pools must not repeat, got 'system' 2 times",
        ),
        (
            {"pools": {"job": PoolRules(consolidation_policy="Balanced")}},
            "pools[job].consolidation_policy must be WhenEmpty or "
            "WhenEmptyOrUnderutilized with EKS Auto Mode, got Balanced",
        ),
        (
            {
                "pools": {
                    "job": PoolRules(
                        budgets=(
                            Budget(nodes="20%"),
                            Budget(nodes="1", reasons=("Empty", "Unhealthy")),
                        )
                    )
                }
            },
            "pools[job].budgets[1].reasons must be of Empty, Drifted, Underutilized "
            "with EKS Auto Mode, which does not tell whether it knows 'Unhealthy', "
            "got ['Empty', 'Unhealthy']",
        ),
    ],
)
def test_h085_refuses_pools_that_eks_does_not_have(settings, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        AutoMode(**settings)


def test_the_disk_keeps_its_tuning():
    volume = Gp3Volume(kms_key_id="alias/key")

    assert auto_node_class(job(volume=volume), site())["spec"]["ephemeralStorage"] == {
        "size": "100Gi",
        "iops": 8_000,
        "throughput": 800,
        "kmsKeyID": "alias/key",
    }


def test_h086_defaults_are_not_refused_but_named():
    assert [] == list(unsupported(job()))
    assert (
        "kubelet.max_pods=60",
        "kubelet.registry_pull_qps=40",
        "kubelet.registry_burst=60",
        "kubelet.runtime_request_timeout=15m",
    ) == not_applied(job())


def test_h086_everything_that_was_asked_for_is_named_at_once():
    group = job(
        kubelet=KubeletTuning(
            max_pods=30, registry_pull_qps=20, max_parallel_image_pulls=5
        ),
        ami_id="ami-0123456789abcdef0",
        metadata_hop_limit=2,
        user_data=(UserDataPart(kind="shell", content="#!/bin/bash\nuptime\n"),),
    )

    assert [
        f"{CANNOT} kubelet.max_pods=30, kubelet.registry_pull_qps=20, "
        "kubelet.max_parallel_image_pulls=5, ami_id=ami-0123456789abcdef0, "
        f"metadata_hop_limit=2, user_data (1 parts){WAY_OUT}"
    ] == list(unsupported(group))


@pytest.mark.parametrize(
    ("volume", "message"),
    [
        (
            {"iops": 16_001},
            "volume.iops must be at most 16000 with EKS Auto Mode, got iops=16001",
        ),
        (
            {"throughput_mib": 1_001},
            "volume.throughput_mib must be at most 1000 with EKS Auto Mode, "
            "got throughput_mib=1001",
        ),
        (
            {"size_gib": 59_001},
            "volume.size_gib must be at most 59000 with EKS Auto Mode, "
            "got size_gib=59001",
        ),
    ],
)
def test_a_disk_beyond_the_limits_of_auto_mode_is_refused(volume, message):
    group = job(volume=Gp3Volume(**{"iops": 8_000} | volume))

    assert [message] == list(unsupported(group))


def test_a_disk_at_the_limits_passes():
    volume = Gp3Volume(size_gib=59_000, iops=16_000, throughput_mib=1_000)

    assert [] == list(unsupported(job(volume=volume)))


def test_the_name_of_the_class_of_eks_is_taken():
    assert [
        "name must not be default, which is the node class of EKS Auto Mode"
    ] == list(unsupported(job(name="default")))
