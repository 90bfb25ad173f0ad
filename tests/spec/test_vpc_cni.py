"""
What the VPC CNI add-on is told.

Not proven here: that the schema of the add-on accepts the keys, and that the
plugin of a running cluster takes them up.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec.vpc_cni import WarmAddresses, WarmInterfaces, WarmPrefixes

TUNINGS = st.one_of(
    st.builds(WarmPrefixes, warm_prefix_target=st.integers(1, 16)),
    st.builds(
        WarmAddresses,
        minimum_ip_target=st.integers(1, 250),
        warm_ip_target=st.integers(1, 250),
    ),
    st.builds(WarmInterfaces, warm_eni_target=st.integers(0, 15)),
)


@pytest.mark.parametrize(
    ("tuning", "text"),
    [
        (
            WarmPrefixes(),
            '{"env":{"ENABLE_PREFIX_DELEGATION":"true","WARM_PREFIX_TARGET":"1"}}',
        ),
        (
            WarmAddresses(),
            '{"env":{"ENABLE_PREFIX_DELEGATION":"false","MINIMUM_IP_TARGET":"60",'
            '"WARM_IP_TARGET":"5"}}',
        ),
        (
            WarmInterfaces(),
            '{"env":{"ENABLE_PREFIX_DELEGATION":"false","WARM_ENI_TARGET":"1"}}',
        ),
        (
            WarmInterfaces(warm_eni_target=0),
            '{"env":{"ENABLE_PREFIX_DELEGATION":"false","WARM_ENI_TARGET":"0"}}',
        ),
    ],
)
def test_h077_configuration_is_the_exact_text_of_the_add_on(tuning, text):
    assert text == tuning.configuration_values()


@given(TUNINGS)
def test_h077_every_value_is_a_string_and_keys_are_sorted(tuning):
    document = json.loads(tuning.configuration_values())
    env = document["env"]

    assert ["env"] == list(document)
    assert sorted(env) == list(env)
    assert {str} == {type(value) for value in env.values()}


@pytest.mark.parametrize(
    ("tuning", "kind"),
    [
        (WarmPrefixes, "prefixes"),
        (WarmAddresses, "addresses"),
        (WarmInterfaces, "interfaces"),
    ],
)
def test_each_way_has_its_kind(tuning, kind):
    assert kind == tuning.kind


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: WarmPrefixes(warm_prefix_target=0),
            "warm_prefix_target must be 1 to 16, got warm_prefix_target=0: "
            "prefix mode does not work with a target of zero",
        ),
        (
            lambda: WarmPrefixes(warm_prefix_target=17),
            "warm_prefix_target must be 1 to 16, got warm_prefix_target=17",
        ),
        (
            lambda: WarmAddresses(minimum_ip_target=0, warm_ip_target=251),
            "minimum_ip_target must be 1 to 250, got minimum_ip_target=0: "
            "with zero the node takes no address beyond the other target\n"
            "warm_ip_target must be 1 to 250, got warm_ip_target=251",
        ),
        (
            lambda: WarmAddresses(warm_ip_target=0),
            "warm_ip_target must be 1 to 250, got warm_ip_target=0: "
            "with zero the node takes no address beyond the other target",
        ),
        (
            lambda: WarmInterfaces(warm_eni_target=-1),
            "warm_eni_target must be 0 to 15, got warm_eni_target=-1",
        ),
        (
            lambda: WarmInterfaces(warm_eni_target=16),
            "warm_eni_target must be 0 to 15, got warm_eni_target=16",
        ),
    ],
)
def test_h077_refuses_targets_that_the_plugin_does_not_support(make, message):
    with pytest.raises(ValueError, match="must") as caught:
        make()

    assert message == str(caught.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: WarmPrefixes(warm_prefix_target=16),
        lambda: WarmAddresses(minimum_ip_target=1, warm_ip_target=1),
        lambda: WarmAddresses(minimum_ip_target=250, warm_ip_target=250),
        lambda: WarmInterfaces(warm_eni_target=15),
    ],
)
def test_accepts_the_edges_of_the_targets(make):
    assert make() == make()


def test_h077_a_floor_never_goes_without_a_warm_target():
    env = json.loads(WarmAddresses(minimum_ip_target=30).configuration_values())["env"]

    assert ("30", "5") == (env["MINIMUM_IP_TARGET"], env["WARM_IP_TARGET"])


@pytest.mark.parametrize(
    ("tuning", "pods", "addresses"),
    [
        (WarmPrefixes(), 60, 80),
        (WarmPrefixes(), 64, 80),
        (WarmPrefixes(), 65, 96),
        (WarmPrefixes(warm_prefix_target=2), 1, 48),
        (WarmAddresses(), 20, 60),
        (WarmAddresses(), 60, 65),
        (WarmInterfaces(), 60, 60),
    ],
)
def test_h082_a_node_holds_the_addresses_of_its_pods_and_the_warm_ones(
    tuning, pods, addresses
):
    assert addresses == tuning.addresses(pods)


@given(TUNINGS, st.integers(0, 250))
def test_h082_a_node_never_holds_fewer_addresses_than_pods(tuning, pods):
    assert tuning.addresses(pods) >= pods
