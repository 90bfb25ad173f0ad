"""Roles with managed policies, in any partition of AWS."""

import json
from collections.abc import Mapping, Sequence

import pulumi
import pulumi_aws as aws

from ._children import invoke_with

__all__ = ["EC2", "PODS", "managed_policy_arn", "role"]

EC2 = "ec2"
"""Nodes. Its name ends as the partition's does, with an exception."""

PODS = "pods.eks.amazonaws.com"
"""Pods, by EKS Pod Identity. It has this name in every partition."""

_EC2_DOMAINS = {"aws-eusc": "amazonaws.com"}
"""
Domains of EC2 in partitions that have another for themselves.

Sources: pulumi-eks#2341, IAM refuses `ec2.amazonaws.eu`.
"""


def role(
    name: str,
    service: str,
    policies: Sequence[str],
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> tuple[aws.iam.Role, list[aws.iam.RolePolicyAttachment]]:
    """
    Create a role that *service* may take, and attach managed policies to it.

    What uses the role should wait for the attachments too: it works only with
    them, and on a destroy they must not go first.

    Args:
        name: Logical name of the role; an attachment adds the last part of its
            policy's name.
        service: `EC2` or `PODS`.
        policies: Names of policies that AWS manages, with their path.
        tags: Tags of the role.
        opts: Options of the children; the parent makes the call of the provider.
    """
    partition = aws.get_partition_output(opts=invoke_with(opts))
    created = aws.iam.Role(
        name,
        assume_role_policy=partition.apply(
            lambda known: _trust(_ec2(known) if service == EC2 else service)
        ),
        tags=tags,
        opts=opts,
    )
    attachments = [
        aws.iam.RolePolicyAttachment(
            f"{name}-{policy.rpartition('/')[2]}",
            role=created.name,
            policy_arn=managed_policy_arn(partition.partition, policy),
            opts=opts,
        )
        for policy in policies
    ]
    return created, attachments


def managed_policy_arn(
    partition: pulumi.Output[str], policy: str
) -> pulumi.Output[str]:
    """Name a policy that AWS manages, in the partition of the provider."""
    return partition.apply(lambda name: f"arn:{name}:iam::aws:policy/{policy}")


def _ec2(partition: aws.GetPartitionResult) -> str:
    domain = _EC2_DOMAINS.get(partition.partition, partition.dns_suffix)
    return f"{EC2}.{domain}"


def _trust(service: str) -> str:
    # Pod Identity tags its sessions; EC2 does not, and asks for nothing more.
    actions = ["sts:AssumeRole"] + (["sts:TagSession"] if service == PODS else [])
    return json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [
                {
                    "Effect": "Allow",
                    "Principal": {"Service": service},
                    "Action": actions,
                }
            ],
        }
    )
