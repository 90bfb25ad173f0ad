"""What Cluster Autoscaler may do: read, and resize groups of its own cluster."""

from typing import Any

from .iam import Account, document

__all__ = ["autoscaler_policy"]


def autoscaler_policy(account: Account) -> dict[str, Any]:
    """
    Return the policy of the controller.

    Groups are told apart by the tag that discovery reads too, so a group of another
    cluster cannot be touched.

    Args:
        account: Where the cluster lives.

    Sources:
        Cluster Autoscaler 1.36, cloudprovider/aws README.
    """
    groups = account.arn("autoscaling", "autoScalingGroup:*:autoScalingGroupName/*")
    nodegroups = account.arn("eks", f"nodegroup/{account.cluster_name}/*/*")
    tag = f"aws:ResourceTag/k8s.io/cluster-autoscaler/{account.cluster_name}"
    return document(
        [
            {
                "Sid": "ReadGroups",
                "Action": [
                    "autoscaling:DescribeAutoScalingGroups",
                    "autoscaling:DescribeAutoScalingInstances",
                    "autoscaling:DescribeLaunchConfigurations",
                    "autoscaling:DescribeScalingActivities",
                    "autoscaling:DescribeTags",
                    "ec2:DescribeImages",
                    "ec2:DescribeInstanceTypes",
                    "ec2:DescribeLaunchTemplateVersions",
                    "ec2:GetInstanceTypesFromInstanceRequirements",
                ],
                "Resource": ["*"],
                "Condition": {"StringEquals": {"aws:RequestedRegion": account.region}},
            },
            {
                "Sid": "ReadManagedGroups",
                "Action": ["eks:DescribeNodegroup"],
                "Resource": [nodegroups],
            },
            {
                "Sid": "ResizeOwnGroups",
                "Action": [
                    "autoscaling:SetDesiredCapacity",
                    "autoscaling:TerminateInstanceInAutoScalingGroup",
                ],
                "Resource": [groups],
                "Condition": {"StringEquals": {tag: "owned"}},
            },
        ]
    )
