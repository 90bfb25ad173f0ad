"""All resource types and functions that are imitated."""

from sandbox.aws import (
    autoscaling,
    ec2_route,
    ec2_security,
    ec2_security_rule,
    ec2_template,
    ec2_vpc,
    eks,
    eks_access,
    events,
    iam_oidc,
    iam_policy,
    iam_role,
    kms,
    logs,
    sqs,
)
from sandbox.aws.functions import FUNCTIONS, Function
from sandbox.aws.resource import Resource
from sandbox.errors import RefusedError

RESOURCES = {
    each.token: each
    for module in (
        autoscaling,
        ec2_route,
        ec2_security,
        ec2_security_rule,
        ec2_template,
        ec2_vpc,
        eks,
        eks_access,
        events,
        iam_oidc,
        iam_policy,
        iam_role,
        kms,
        logs,
        sqs,
    )
    for each in module.RESOURCES
}
"""Resource types by token."""


def resource(token: str) -> Resource:
    """
    Return a resource type.

    Raises:
        RefusedError: The sandbox does not have it.
    """
    # A child of a component has the types of its ancestors in front.
    token = token.rpartition("$")[2]
    if token not in RESOURCES:
        raise RefusedError(f"the sandbox does not imitate the resource type {token}")
    return RESOURCES[token]


def function(token: str) -> Function:
    """
    Return a function of the provider.

    Raises:
        RefusedError: The sandbox does not have it.
    """
    if token not in FUNCTIONS:
        raise RefusedError(f"the sandbox does not imitate the function {token}")
    return FUNCTIONS[token]
