"""What the controller of Karpenter may do, in six scoped policies."""

from typing import Any

from .iam import LAUNCHED, Account, document
from .versions import parsed

__all__ = ["CONTROLLER_POLICIES", "controller_policies"]

CONTROLLER_POLICIES = (
    "node-lifecycle",
    "iam-integration",
    "eks-integration",
    "interruption",
    "zonal-shift",
    "resource-discovery",
)
"""
The policies of the controller, by what they are for.

Six, because one is too long for long names: IAM allows 6,144 characters each.

Sources: Karpenter 1.15 reference, CloudFormation.
"""

_CREATING = ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]
_NODE_CLASS = "karpenter.k8s.aws/ec2nodeclass"
_REGION = "topology.kubernetes.io/region"
_CLUSTER_TAG = "eks:eks-cluster-name"
_REBOOT_SINCE = (1, 15)


def controller_policies(
    account: Account, *, node_role_arn: str, queue_arn: str, version: str
) -> dict[str, dict[str, Any]]:
    """
    Return the policies of the controller, by the names of `CONTROLLER_POLICIES`.

    It may only touch what carries the tag of the cluster and of a node pool, and
    create what will carry them.

    Args:
        account: Where the cluster lives.
        node_role_arn: Role that the controller may hand to nodes.
        queue_arn: Queue of interruptions.
        version: Version of Karpenter.

    Sources:
        Karpenter 1.15 reference, CloudFormation.
    """
    statements = {
        "node-lifecycle": _node_lifecycle(account, version),
        "iam-integration": _iam_integration(account, node_role_arn),
        "eks-integration": [
            {
                "Sid": "AllowAPIServerEndpointDiscovery",
                "Action": ["eks:DescribeCluster"],
                "Resource": [account.cluster_arn],
            }
        ],
        "interruption": [
            {
                "Sid": "AllowInterruptionQueueActions",
                "Action": [
                    "sqs:DeleteMessage",
                    "sqs:GetQueueUrl",
                    "sqs:ReceiveMessage",
                ],
                "Resource": [queue_arn],
            }
        ],
        "zonal-shift": [_zonal_shift(account)],
        "resource-discovery": _resource_discovery(account),
    }
    return {name: document(statements[name]) for name in CONTROLLER_POLICIES}


def _node_lifecycle(account: Account, version: str) -> list[dict[str, Any]]:
    launching = ["ec2:RunInstances", "ec2:CreateFleet"]
    templates = _ec2(account, "launch-template")
    reboot = ["ec2:RebootInstances"] if parsed(version)[:2] >= _REBOOT_SINCE else []
    return [
        {
            "Sid": "AllowScopedEC2InstanceAccessActions",
            "Action": launching,
            "Resource": [
                account.arn("ec2", "image/*", account=""),
                account.arn("ec2", "snapshot/*", account=""),
                *_ec2(
                    account,
                    "security-group",
                    "subnet",
                    "capacity-reservation",
                    "placement-group",
                ),
            ],
        },
        {
            "Sid": "AllowScopedEC2LaunchTemplateAccessActions",
            "Action": launching,
            "Resource": templates,
            "Condition": _owned(account),
        },
        {
            "Sid": "AllowScopedEC2InstanceActionsWithTags",
            "Action": [f"ec2:{action}" for action in _CREATING],
            "Resource": _ec2(account, *LAUNCHED),
            "Condition": _requested(account),
        },
        {
            "Sid": "AllowScopedResourceCreationTagging",
            "Action": ["ec2:CreateTags"],
            "Resource": _ec2(account, *LAUNCHED),
            "Condition": _requested(account, {"ec2:CreateAction": _CREATING}),
        },
        _later_tagging(account),
        {
            "Sid": "AllowScopedDeletion",
            "Action": ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate", *reboot],
            "Resource": _ec2(account, "instance", "launch-template"),
            "Condition": _owned(account),
        },
    ]


def _later_tagging(account: Account) -> dict[str, Any]:
    return {
        "Sid": "AllowScopedResourceTagging",
        "Action": ["ec2:CreateTags"],
        "Resource": _ec2(account, "instance"),
        "Condition": {
            **_owned(account),
            "StringEqualsIfExists": {
                f"aws:RequestTag/{_CLUSTER_TAG}": account.cluster_name
            },
            "ForAllValues:StringEquals": {
                "aws:TagKeys": [_CLUSTER_TAG, "karpenter.sh/nodeclaim", "Name"]
            },
        },
    }


def _iam_integration(account: Account, node_role_arn: str) -> list[dict[str, Any]]:
    profiles = [account.global_arn("iam", "instance-profile/*")]
    there = {
        f"aws:ResourceTag/{_cluster_key(account)}": "owned",
        f"aws:ResourceTag/{_REGION}": account.region,
    }
    asked = {
        f"aws:RequestTag/{_cluster_key(account)}": "owned",
        f"aws:RequestTag/{_CLUSTER_TAG}": account.cluster_name,
        f"aws:RequestTag/{_REGION}": account.region,
    }
    class_there = {f"aws:ResourceTag/{_NODE_CLASS}": "*"}
    class_asked = {f"aws:RequestTag/{_NODE_CLASS}": "*"}
    return [
        {
            "Sid": "AllowPassingInstanceRole",
            "Action": ["iam:PassRole"],
            "Resource": [node_role_arn],
            "Condition": {
                "StringEquals": {
                    "iam:PassedToService": [
                        "ec2.amazonaws.com",
                        "ec2.amazonaws.com.cn",
                    ]
                }
            },
        },
        {
            "Sid": "AllowScopedInstanceProfileCreationActions",
            "Action": ["iam:CreateInstanceProfile"],
            "Resource": profiles,
            "Condition": {"StringEquals": asked, "StringLike": class_asked},
        },
        {
            "Sid": "AllowScopedInstanceProfileTagActions",
            "Action": ["iam:TagInstanceProfile"],
            "Resource": profiles,
            "Condition": {
                "StringEquals": {**there, **asked},
                "StringLike": {**class_there, **class_asked},
            },
        },
        {
            "Sid": "AllowScopedInstanceProfileActions",
            "Action": [
                "iam:AddRoleToInstanceProfile",
                "iam:RemoveRoleFromInstanceProfile",
                "iam:DeleteInstanceProfile",
            ],
            "Resource": profiles,
            "Condition": {"StringEquals": there, "StringLike": class_there},
        },
    ]


def _zonal_shift(account: Account) -> dict[str, Any]:
    """Clusters are no resource of this action, so a condition names the one."""
    return {
        "Sid": "AllowZonalShiftStatusReadOnly",
        "Action": ["arc-zonal-shift:GetManagedResource"],
        "Resource": ["*"],
        "Condition": {
            "StringEquals": {"arc-zonal-shift:ResourceIdentifier": account.cluster_arn}
        },
    }


def _resource_discovery(account: Account) -> list[dict[str, Any]]:
    return [
        {
            "Sid": "AllowRegionalReadActions",
            "Action": [
                "ec2:DescribeCapacityReservations",
                "ec2:DescribeImages",
                "ec2:DescribeInstances",
                "ec2:DescribeInstanceStatus",
                "ec2:DescribeInstanceTypeOfferings",
                "ec2:DescribeInstanceTypes",
                "ec2:DescribeLaunchTemplates",
                "ec2:DescribePlacementGroups",
                "ec2:DescribeSecurityGroups",
                "ec2:DescribeSpotPriceHistory",
                "ec2:DescribeSubnets",
            ],
            "Resource": ["*"],
            "Condition": {"StringEquals": {"aws:RequestedRegion": account.region}},
        },
        {
            "Sid": "AllowSSMReadActions",
            "Action": ["ssm:GetParameter"],
            "Resource": [account.arn("ssm", "parameter/aws/service/*", account="")],
        },
        {
            "Sid": "AllowPricingReadActions",
            "Action": ["pricing:GetProducts"],
            "Resource": ["*"],
        },
        {
            "Sid": "AllowUnscopedInstanceProfileListAction",
            "Action": ["iam:ListInstanceProfiles"],
            "Resource": ["*"],
        },
        {
            "Sid": "AllowInstanceProfileReadActions",
            "Action": ["iam:GetInstanceProfile"],
            "Resource": [account.global_arn("iam", "instance-profile/*")],
        },
    ]


def _ec2(account: Account, *kinds: str) -> list[str]:
    return [account.arn("ec2", f"{kind}/*", account="*") for kind in kinds]


def _cluster_key(account: Account) -> str:
    return f"kubernetes.io/cluster/{account.cluster_name}"


def _owned(account: Account) -> dict[str, Any]:
    return {
        "StringEquals": {f"aws:ResourceTag/{_cluster_key(account)}": "owned"},
        "StringLike": {"aws:ResourceTag/karpenter.sh/nodepool": "*"},
    }


def _requested(account: Account, also: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "StringEquals": {
            f"aws:RequestTag/{_cluster_key(account)}": "owned",
            f"aws:RequestTag/{_CLUSTER_TAG}": account.cluster_name,
            **(also or {}),
        },
        "StringLike": {"aws:RequestTag/karpenter.sh/nodepool": "*"},
    }
