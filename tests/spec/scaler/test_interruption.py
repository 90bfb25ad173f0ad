"""
What reaches the queue, with the matcher of moto in the place of EventBridge.

Not proved: that AWS sends events of these forms; they are typed off its user guides.
"""

import json

import pytest
from moto.events.models import EventPattern

from components.spec.scaler.interruption import (
    EVENT_RULES,
    event_rules,
    queue_policy,
)

INSTANCE = {"instance-id": "i-0123456789abcdef0"}
EVENTS = {
    "scheduled-change": {
        "source": "aws.health",
        "detail-type": "AWS Health Event",
        "detail": {"service": "EC2", "eventTypeCategory": "scheduledChange"},
    },
    "spot-interruption": {
        "source": "aws.ec2",
        "detail-type": "EC2 Spot Instance Interruption Warning",
        "detail": {**INSTANCE, "instance-action": "terminate"},
    },
    "rebalance": {
        "source": "aws.ec2",
        "detail-type": "EC2 Instance Rebalance Recommendation",
        "detail": INSTANCE,
    },
    "instance-state-change": {
        "source": "aws.ec2",
        "detail-type": "EC2 Instance State-change Notification",
        "detail": {**INSTANCE, "state": "stopping"},
    },
    "capacity-reservation-interruption": {
        "source": "aws.ec2",
        "detail-type": "EC2 Capacity Reservation Instance Interruption Warning",
        "detail": {**INSTANCE, "instance-action": "terminate"},
    },
}
OTHERS = [
    {"source": "aws.autoscaling", "detail-type": "EC2 Instance Launch Successful"},
    {"source": "aws.ec2", "detail-type": "EBS Volume Notification"},
    {"source": "aws.ec2", "detail-type": "C2 Instance State-change Notification"},
]


def matching(event):
    full = {"version": "0", "account": "1" * 12, "region": "x", "detail": {}} | event
    return [
        name
        for name, pattern in EVENT_RULES.items()
        if EventPattern.load(json.dumps(dict(pattern))).matches_event(full)
    ]


@pytest.mark.parametrize("name", EVENTS)
def test_each_event_is_caught_by_its_own_rule(name):
    assert [name] == matching(EVENTS[name])


@pytest.mark.parametrize("event", OTHERS)
def test_other_events_are_caught_by_none(event):
    assert [] == matching(event)


def test_there_is_a_sample_for_every_rule():
    assert list(EVENT_RULES) == list(EVENTS)


@pytest.mark.parametrize(
    ("version", "rebalance", "missing"),
    [
        ("1.10.0", True, set()),
        ("1.9.9", True, {"capacity-reservation-interruption"}),
        ("1.15.1", False, {"rebalance"}),
    ],
)
def test_rules_follow_the_version(version, rebalance, missing):
    rules = event_rules(version, rebalance=rebalance)

    assert missing == set(EVENT_RULES) - set(rules)


def test_only_our_rules_send_and_only_with_tls():
    policy = queue_policy("arn:aws:sqs:x:1:q", ["arn:aws:events:x:1:rule/a"])

    assert policy == {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "AllowOwnRules",
                "Effect": "Allow",
                "Principal": {"Service": "events.amazonaws.com"},
                "Action": "sqs:SendMessage",
                "Resource": "arn:aws:sqs:x:1:q",
                "Condition": {
                    "ArnEquals": {"aws:SourceArn": ["arn:aws:events:x:1:rule/a"]}
                },
            },
            {
                "Sid": "DenyHTTP",
                "Effect": "Deny",
                "Principal": "*",
                "Action": "sqs:*",
                "Resource": "arn:aws:sqs:x:1:q",
                "Condition": {"Bool": {"aws:SecureTransport": "false"}},
            },
        ],
    }
