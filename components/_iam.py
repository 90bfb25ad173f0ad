"""Roles with managed policies, in any partition of AWS."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_aws as aws

from ._children import invoke_with

__all__ = ["EC2", "Pods", "managed_policy_arn", "role"]

EC2 = "ec2"
"""Nodes. Its name ends as the partition's does, with an exception."""

_PODS = "pods.eks.amazonaws.com"
"""EKS Pod Identity. It has this name in every partition."""

_EC2_DOMAINS = {"aws-eusc": "amazonaws.com"}
"""
Domains of EC2 in partitions that have another for themselves.

Sources: pulumi-eks#2341, IAM refuses `ec2.amazonaws.eu`.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pods:
    """
    Pods of one service account in one cluster, by EKS Pod Identity.

    Args:
        cluster: Name of the cluster.
        namespace: Namespace of the account.
        service_account: Name of the account.
    """

    cluster: str
    namespace: str
    service_account: str


def role(
    name: str,
    service: str | Pods,
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
        service: `EC2`, or pods.
        policies: Names of policies that AWS manages, with their path.
        tags: Tags of the role.
        opts: Options of the children; the parent makes the call of the provider.
    """
    partition = aws.get_partition_output(opts=invoke_with(opts))
    created = aws.iam.Role(
        name,
        assume_role_policy=partition.apply(
            lambda known: _trust(
                _of_pods(service) if isinstance(service, Pods) else _of_nodes(known)
            )
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


def _of_nodes(partition: aws.GetPartitionResult) -> dict[str, Any]:
    domain = _EC2_DOMAINS.get(partition.partition, partition.dns_suffix)
    return {
        "Principal": {"Service": f"{EC2}.{domain}"},
        "Action": ["sts:AssumeRole"],
    }


def _of_pods(pods: Pods) -> dict[str, Any]:
    """
    Bind a role to pods by the tags of their sessions.

    Sources:
        EKS user guide, trust policy for EKS Pod Identity, conditions, and its session
        tags: they are there unless the association turns them off.
    """
    return {
        "Principal": {"Service": _PODS},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Condition": {
            "StringEquals": {
                "aws:RequestTag/eks-cluster-name": pods.cluster,
                "aws:RequestTag/kubernetes-namespace": pods.namespace,
                "aws:RequestTag/kubernetes-service-account": pods.service_account,
            }
        },
    }


def _trust(who: Mapping[str, Any]) -> str:
    return json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", **who}]}
    )
