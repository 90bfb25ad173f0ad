"""Not proved: that Pulumi's suffix keeps its length."""

from hypothesis import given
from hypothesis import strategies as st

from components.spec.names import LIMITS, PULUMI_SUFFIX
from components.spec.scaler.generated_names import (
    IAM_POLICY,
    karpenter_names,
    managed_group_name,
)

NAMES = st.from_regex(r"\A[0-9A-Za-z][A-Za-z0-9_-]{0,99}\Z")


def limit(kind):
    if kind.startswith("rule-"):
        return LIMITS["event_rule"]
    if kind.startswith("policy-"):
        return IAM_POLICY
    return LIMITS["queue"] if kind == "queue" else LIMITS["iam_role"]


@given(NAMES)
def test_h078_h079_names_are_short_enough_and_never_the_same(component):
    names = karpenter_names(component)

    assert len(names) == len(set(names.values()))
    assert {} == {
        kind: name
        for kind, name in names.items()
        if len(name) + PULUMI_SUFFIX > limit(kind)
    }


@given(NAMES, NAMES)
def test_h079_two_components_share_no_name(one, other):
    first, second = karpenter_names(one), karpenter_names(other)

    assert (one == other) or not set(first.values()) & set(second.values())


def test_h079_a_name_of_56_characters_has_five_different_rules():
    names = karpenter_names("c" * 56)
    rules = [name for kind, name in names.items() if kind.startswith("rule-")]

    assert 5 == len(set(rules))


def test_short_names_can_be_read():
    names = karpenter_names("prod-karpenter")

    assert "prod-karpenter-rule-rebalance" == names["rule-rebalance"]
    assert "prod-karpenter-policy-node-lifecycle" == names["policy-node-lifecycle"]


@given(NAMES, st.lists(st.integers(0, 5), min_size=2, max_size=3, unique=True))
def test_h078_managed_groups_of_two_zones_have_two_names(component, zones):
    names = [managed_group_name(component, str(zone)) for zone in zones]

    assert len(zones) == len(set(names))
    assert all(len(name) + PULUMI_SUFFIX <= LIMITS["node_group"] for name in names)
