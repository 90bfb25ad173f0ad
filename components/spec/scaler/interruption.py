"""How Karpenter hears that AWS is about to take a node."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from .iam import document
from .versions import parsed

__all__ = [
    "EVENT_RULES",
    "MESSAGE_RETENTION_SECONDS",
    "TARGET_ID",
    "event_rules",
    "queue_policy",
]

MESSAGE_RETENTION_SECONDS = 300
"""
How long the queue keeps a message: an older one is about a node that is gone.

Sources: Karpenter 1.15 reference, CloudFormation.
"""

TARGET_ID = "KarpenterInterruptionQueueTarget"
"""Id of the queue as the target of a rule. Sources: as above."""

EVENT_RULES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        name: MappingProxyType({"source": [source], "detail-type": [kind]})
        for name, source, kind in (
            ("scheduled-change", "aws.health", "AWS Health Event"),
            (
                "spot-interruption",
                "aws.ec2",
                "EC2 Spot Instance Interruption Warning",
            ),
            ("rebalance", "aws.ec2", "EC2 Instance Rebalance Recommendation"),
            (
                "instance-state-change",
                "aws.ec2",
                "EC2 Instance State-change Notification",
            ),
            (
                "capacity-reservation-interruption",
                "aws.ec2",
                "EC2 Capacity Reservation Instance Interruption Warning",
            ),
        )
    }
)
"""
Patterns of the rules. A letter that is wrong matches nothing, and nobody is told.

Sources: Karpenter 1.15 reference, CloudFormation.
"""

_RESERVATIONS_SINCE = (1, 10)


def event_rules(
    version: str, *, rebalance: bool = True
) -> dict[str, Mapping[str, Any]]:
    """
    Return the event patterns that this version reads, by the name of the rule.

    Args:
        version: Version of Karpenter.
        rebalance: Whether recommendations for spot nodes are heard.
    """
    left_out = set() if rebalance else {"rebalance"}
    if parsed(version)[:2] < _RESERVATIONS_SINCE:
        left_out.add("capacity-reservation-interruption")
    return {name: EVENT_RULES[name] for name in EVENT_RULES if name not in left_out}


def queue_policy(queue_arn: str, rule_arns: Sequence[str]) -> dict[str, Any]:
    """
    Return the policy of the queue: our rules may send, and nobody without TLS.

    Sources:
        Karpenter 1.15 reference, CloudFormation, narrowed to the rules by the
        condition that the EventBridge user guide gives for queues.
    """
    return document(
        [
            {
                "Sid": "AllowOwnRules",
                "Principal": {"Service": "events.amazonaws.com"},
                "Action": "sqs:SendMessage",
                "Resource": queue_arn,
                "Condition": {"ArnEquals": {"aws:SourceArn": list(rule_arns)}},
            },
            {
                "Sid": "DenyHTTP",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "sqs:*",
                "Resource": queue_arn,
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            },
        ]
    )
