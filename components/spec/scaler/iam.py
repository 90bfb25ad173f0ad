"""What documents of IAM have in common."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["LAUNCHED", "POLICY_LIMIT", "Account", "document", "text"]

LAUNCHED = (
    "fleet",
    "instance",
    "volume",
    "network-interface",
    "launch-template",
    "spot-instances-request",
)
"""
What EC2 makes when Karpenter launches a node, that of EKS Auto Mode too.

Sources: Karpenter 1.15 reference, CloudFormation.
"""

POLICY_LIMIT = 6_144
"""Longest managed policy, without white space. Source: IAM user guide, quotas."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """
    Where a cluster lives, in plain values: ask the provider, never write them down.

    Args:
        cluster_name: Name of the cluster.
        partition: Partition, the second part of an ARN.
        region: Region.
        account_id: Account, twelve digits.
    """

    cluster_name: str
    partition: str
    region: str
    account_id: str

    @property
    def cluster_arn(self) -> str:
        """ARN of the cluster."""
        return self.arn("eks", f"cluster/{self.cluster_name}")

    def arn(self, service: str, resource: str, *, account: str | None = None) -> str:
        """Name a resource of this region; its account is this one when not given."""
        owner = self.account_id if account is None else account
        return f"arn:{self.partition}:{service}:{self.region}:{owner}:{resource}"

    def global_arn(self, service: str, resource: str) -> str:
        """Name a resource that is in no region."""
        return f"arn:{self.partition}:{service}::{self.account_id}:{resource}"


def document(statements: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a policy document; statements that give no effect allow."""
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Sid": one["Sid"], "Effect": "Allow", **one} for one in statements
        ],
    }


def text(policy: Mapping[str, Any]) -> str:
    """Write a document without white space, which counts towards its limit."""
    return json.dumps(policy, separators=(",", ":"))
