"""
Values of charts.

Not proved: that every key shows up in what a chart renders; `tests/cluster` has Helm
and the chart of Karpenter.
"""

import re

import pytest

from components.spec.groups import Size, Taint
from components.spec.scaler.autoscaler_chart import (
    autoscaler_values,
    autoscaler_version,
    managed_pattern,
    priorities,
    self_managed_pattern,
)
from components.spec.scaler.checks import Resources
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.karpenter_chart import karpenter_values
from components.spec.scaler.placement import on_servers, room_for
from components.spec.scaler.versions import (
    AUTOSCALER_CHART,
    KARPENTER_CHART,
    KARPENTER_CRD_CHART,
)
from tests.spec.scaler.builders import job, server


def values(retiring=False, **overrides):
    return autoscaler_values(
        ClusterAutoscaler(**overrides),
        cluster_name="prod",
        cluster_version="1.36",
        region="ap-northeast-2",
        patterns={"job": "^a$", "job-arm": "^b$"},
        servers=(server(),),
        retiring=retiring,
    )


def test_h067_h068_crds_come_from_their_own_chart_of_the_same_version():
    charts = (KARPENTER_CRD_CHART, KARPENTER_CHART)

    assert [
        ("oci://public.ecr.aws/karpenter/karpenter-crd", None, None),
        ("oci://public.ecr.aws/karpenter/karpenter", None, None),
    ] == [(chart.name, chart.repository, chart.version) for chart in charts]


def test_the_controller_of_karpenter_runs_on_servers():
    made = karpenter_values(
        Karpenter(
            feature_gates={"capacityBuffer": True, "nodeClassCEL": False},
            resources=Resources(cpu="500m", memory="2Gi"),
        ),
        cluster_name="prod",
        queue_name="prod-queue",
        servers=(server(), server(name="gpu", taints=(Taint(key="gpu"),))),
    )

    assert made == {
        "serviceAccount": {"create": True, "name": "karpenter"},
        "replicas": 2,
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [
                        {
                            "matchExpressions": [
                                {
                                    "key": "karpenter.sh/nodepool",
                                    "operator": "DoesNotExist",
                                },
                                {
                                    "key": "eks-jobs/group",
                                    "operator": "In",
                                    "values": ["server"],
                                },
                            ]
                        }
                    ]
                }
            }
        },
        "controller": {
            "resources": {
                "requests": {"cpu": "500m", "memory": "2Gi"},
                "limits": {"memory": "2Gi"},
            }
        },
        "settings": {
            "clusterName": "prod",
            "interruptionQueue": "prod-queue",
            "preferencePolicy": "Ignore",
            "batchIdleDuration": "1s",
            "batchMaxDuration": "10s",
            "featureGates": {"capacityBuffer": True},
            "awsFeatureGates": {"nodeClassCEL": False},
        },
    }


def test_h100_the_autoscaler_looks_through_taints_of_the_start_of_every_group():
    disk = Taint(key="ebs.csi.aws.com/agent-not-ready", startup=True)
    network = Taint(key="node.cilium.io/agent-not-ready", startup=True)
    made = autoscaler_values(
        ClusterAutoscaler(),
        cluster_name="prod",
        cluster_version="1.36",
        region="ap-northeast-2",
        patterns={},
        servers=(server(taints=(network,)),),
        jobs=(
            job(taints=(network, Taint(key="gpu"))),
            job(name="job-arm", taints=(disk,)),
        ),
    )

    assert {
        "startup-taint_1": "ebs.csi.aws.com/agent-not-ready",
        "startup-taint_2": "node.cilium.io/agent-not-ready",
    } == {
        name: value
        for name, value in made["extraArgs"].items()
        if name.startswith("startup-taint")
    }


def test_without_server_groups_the_chart_decides():
    assert {} == on_servers(())
    assert {} == on_servers((server(taints=(Taint(key="gpu"),)),), keep_off="x")


def test_only_untainted_nodes_that_always_exist_are_counted():
    groups = (
        server(size=Size(min=2, max=9)),
        server(name="other", size=Size(min=1, max=3)),
        server(name="gpu", taints=(Taint(key="gpu"),)),
    )

    assert 3 == room_for(groups)


def test_the_image_follows_the_cluster_and_not_the_chart():
    image = values()["image"]

    assert {
        "repository": "registry.k8s.io/autoscaling/cluster-autoscaler",
        "tag": "v1.36.1",
    } == image
    assert ("https://kubernetes.github.io/autoscaler", "9.59.0") == (
        AUTOSCALER_CHART.repository,
        AUTOSCALER_CHART.version,
    )


@pytest.mark.parametrize(
    ("version", "cluster", "expected"),
    [
        (None, "1.34", "1.34.5"),
        ("1.36.0", "1.36", "1.36.0"),
        ("1.37.0", "1.37", "1.37.0"),
    ],
)
def test_the_version_of_the_image(version, cluster, expected):
    assert expected == autoscaler_version(version, cluster)


@pytest.mark.parametrize(
    ("version", "cluster", "message"),
    [
        (
            "1.35.2",
            "1.36",
            "version must be of the cluster's minor 1.36, got version=1.35.2",
        ),
        (
            None,
            "1.37",
            "version must be given for Kubernetes 1.37, whose Cluster Autoscaler is "
            "not known here (1.32, 1.33, 1.34, 1.35, 1.36 are)",
        ),
    ],
)
def test_a_version_of_another_minor_is_refused(version, cluster, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        autoscaler_version(version, cluster)


def test_h057_flags_are_texts_and_keep_to_safe_bounds():
    assert values()["extraArgs"] == {
        "balance-similar-node-groups": "false",
        "expander": "least-waste",
        "expendable-pods-priority-cutoff": "-10",
        "max-node-provision-time": "15m",
        "scale-down-delay-after-add": "10m",
        "skip-nodes-with-local-storage": "true",
        "skip-nodes-with-system-pods": "true",
    }
    assert "expanderPriorities" not in values()


def test_preferred_groups_come_first_and_none_is_left_out():
    made = values(priorities=("job-arm", "job"))

    assert "priority,least-waste" == made["extraArgs"]["expander"]
    assert {"20": ["^b$"], "10": ["^a$"], "1": [".*"]} == made["expanderPriorities"]


def test_many_groups_have_different_priorities():
    names = [f"job-{number}" for number in range(30)]
    ranked = priorities(names, {name: name for name in names})

    assert [f"job-{number}" for number in range(30)] + [".*"] == [
        ranked[key][0] for key in sorted(ranked, key=int, reverse=True)
    ]


MANAGED = managed_pattern(["platform-job-a", "platform-job-c"])


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        (self_managed_pattern("platform-job"), "platform-job-1a2b3c4", True),
        (self_managed_pattern("platform-job"), "platform-job-arm-1a2b3c4", False),
        (self_managed_pattern("job"), "platform-job-1a2b3c4", False),
        (MANAGED, "eks-platform-job-a-1a2b3c4-5ec3e7-5e6f", True),
        (MANAGED, "eks-platform-job-c-1a2b3c4-5ec3e7-5e6f", True),
        (MANAGED, "eks-platform-job-arm-a-1a2b3c4-5ec3e7-5e6f", False),
        (managed_pattern(["job-a"]), "eks-platform-job-a-1a2b3c4-5e6f", False),
    ],
)
def test_an_expression_matches_the_groups_of_its_component(pattern, name, expected):
    assert expected == bool(re.search(pattern, name))


def test_a_retiring_autoscaler_adds_no_node_and_still_takes_empty_ones():
    plain, retiring = values()["extraArgs"], values(retiring=True)["extraArgs"]

    assert {**plain, "max-nodes-total": "1"} == retiring
