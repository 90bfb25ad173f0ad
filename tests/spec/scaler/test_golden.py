"""What each scaler makes of the two job groups, in files that a reviewer reads."""

import pytest
import yaml

from components.spec.node_config import job_user_data, usual_cluster
from components.spec.scaler.auto_mode import AutoMode, tagging_policy
from components.spec.scaler.auto_mode_nodes import auto_node_class
from components.spec.scaler.autoscaler_chart import (
    autoscaler_values,
    self_managed_pattern,
)
from components.spec.scaler.autoscaler_groups import (
    managed_group_tags,
    self_managed_group_tags,
)
from components.spec.scaler.autoscaler_iam import autoscaler_policy
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.interruption import event_rules, queue_policy
from components.spec.scaler.karpenter import Karpenter, ServerPool
from components.spec.scaler.karpenter_chart import karpenter_values
from components.spec.scaler.karpenter_iam import controller_policies
from components.spec.scaler.lifetime import auto_lifetime, lifetime
from components.spec.scaler.node_class import ec2_node_class
from components.spec.scaler.node_pool import (
    AUTO_NODE_CLASS,
    EC2_NODE_CLASS,
    node_pool,
)
from tests.spec.policy import documents
from tests.spec.scaler.builders import TYPES, account, job, server, site

ARCHITECTURES = ["amd64", "arm64"]
ALIAS = "al2023@v20260714"


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("version", ["1.14.1", "1.15.1"])
def test_karpenter(golden, architecture, version):
    group = job(architecture=architecture)
    karpenter = Karpenter(version=version, extended_kubelet=version == "1.15.1")
    rules = karpenter.rules(group.name)

    golden(
        f"scaler/karpenter-{version}-{architecture}.yaml",
        documents.text(
            [
                ec2_node_class(
                    group,
                    site(tags={"team": "data"}),
                    ALIAS,
                    TYPES,
                    extended_kubelet=karpenter.extended_kubelet,
                ),
                node_pool(group, rules, lifetime(rules, "6h"), EC2_NODE_CLASS, TYPES),
            ]
        ),
    )


def test_a_pool_for_servers(golden):
    pool = ServerPool(
        name="more", architecture="amd64", instance_types=("m7i.xlarge", "m6i.xlarge")
    )

    golden(
        "scaler/karpenter-servers.yaml",
        documents.text(
            [
                ec2_node_class(pool, site(), ALIAS, TYPES),
                node_pool(
                    pool, pool.pool, lifetime(pool.pool, None), EC2_NODE_CLASS, TYPES
                ),
            ]
        ),
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_auto_mode(golden, architecture):
    group = job(architecture=architecture)
    rules = AutoMode().rules(group.name)

    golden(
        f"scaler/auto-mode-{architecture}.yaml",
        documents.text(
            [
                auto_node_class(group, site()),
                node_pool(
                    group, rules, auto_lifetime(rules, "6h"), AUTO_NODE_CLASS, TYPES
                ),
            ]
        ),
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_cluster_autoscaler(golden, architecture):
    group = job(architecture=architecture)
    options = ClusterAutoscaler().scale_down(group.name)

    golden(
        f"scaler/cluster-autoscaler-{architecture}.yaml",
        documents.text(
            [
                {
                    "self-managed": self_managed_group_tags(
                        "prod", group, options, TYPES
                    )
                },
                {"managed": managed_group_tags("prod", group, options, TYPES)},
            ]
        ),
    )


def test_controllers(golden):
    names = ("job", "job-arm")

    golden(
        "scaler/chart-values.yaml",
        documents.text(
            [
                {
                    "karpenter": karpenter_values(
                        Karpenter(),
                        cluster_name="prod",
                        queue_name="prod-karpenter",
                        servers=(server(),),
                    )
                },
                {
                    "cluster-autoscaler": autoscaler_values(
                        ClusterAutoscaler(priorities=names),
                        cluster_name="prod",
                        cluster_version="1.36",
                        region="ap-northeast-2",
                        patterns={name: self_managed_pattern(name) for name in names},
                        servers=(server(),),
                    )
                },
            ]
        ),
    )


def test_policies(golden):
    where = account()
    queue = where.arn("sqs", "prod-karpenter")
    rules = event_rules("1.15.1")

    golden(
        "scaler/iam.yaml",
        documents.text(
            [
                controller_policies(
                    where,
                    node_role_arn=where.global_arn("iam", "role/prod-node"),
                    queue_arn=queue,
                    version="1.15.1",
                ),
                {
                    "queue": queue_policy(
                        queue, [where.arn("events", f"rule/{name}") for name in rules]
                    ),
                    "rules": {name: dict(pattern) for name, pattern in rules.items()},
                },
                {"cluster-autoscaler": autoscaler_policy(where)},
                {"auto-mode-tags": tagging_policy("aws")},
            ]
        ),
    )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_h027_a_node_of_karpenter_is_told_what_a_self_managed_one_is(architecture):
    """Both ways give one kubelet configuration, but for what Karpenter adds."""
    group = job(architecture=architecture)
    spec = ec2_node_class(group, site(), ALIAS, TYPES)["spec"]
    both = [spec["userData"], job_user_data(usual_cluster(), group, TYPES)]
    configs = [
        yaml.safe_load(text.split("\n\n")[2].partition("\n--")[0])["spec"]["kubelet"]
        for text in both
    ]
    theirs = {**configs[1]["config"]}
    theirs.pop("registerWithTaints")

    assert theirs == {**spec["kubelet"], **configs[0]["config"]}
