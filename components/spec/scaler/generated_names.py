"""Names of what is made for a scaler, short enough and never the same."""

from ..names import LIMITS, PULUMI_SUFFIX, bounded
from .interruption import EVENT_RULES
from .karpenter_iam import CONTROLLER_POLICIES

__all__ = ["IAM_POLICY", "karpenter_names", "managed_group_name"]

IAM_POLICY = 128
"""Longest name of a managed policy. Source: IAM API, CreatePolicy."""


def karpenter_names(component: str) -> dict[str, str]:
    """
    Return logical names for the resources of Karpenter.

    Pulumi makes the physical ones from them, with a suffix of its own; roles and
    policies need that, since IAM knows no regions.

    Args:
        component: Name of the component, which may be long.

    Shape:
        The queue, the roles, then rules and policies, by what they are.
    """
    kinds = {
        "queue": LIMITS["queue"],
        "node-role": LIMITS["iam_role"],
        "controller-role": LIMITS["iam_role"],
        **{f"rule-{name}": LIMITS["event_rule"] for name in EVENT_RULES},
        **{f"policy-{name}": IAM_POLICY for name in CONTROLLER_POLICIES},
    }
    return {
        kind: bounded(f"{component}-{kind}", limit - PULUMI_SUFFIX)
        for kind, limit in kinds.items()
    }


def managed_group_name(component: str, zone: str) -> str:
    """
    Return the logical name of the managed node group of one zone.

    Args:
        component: Name of the component of the job group.
        zone: Name or number of the zone.
    """
    return bounded(f"{component}-{zone}", LIMITS["node_group"] - PULUMI_SUFFIX)
