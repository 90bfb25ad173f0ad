"""
The arithmetic of subnets, and networks that are refused.

Not proven here: that the region has the zones, and that AWS has free addresses.
"""

from ipaddress import IPv4Network
from itertools import combinations
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec.network import (
    MAX_ZONES,
    Endpoint,
    ExistingNetwork,
    NewNetwork,
    ZoneSubnets,
    endpoint_service,
    private_addresses,
    private_blocks,
    subnet_plan,
    zone_subnets,
)

CIDRS = st.builds(
    lambda prefix, place: str(
        list(IPv4Network("10.0.0.0/8").subnets(new_prefix=prefix))[place]
    ),
    st.integers(16, 20),
    st.integers(0, 255),
)
COUNTS = st.integers(2, MAX_ZONES)
LETTERS = st.lists(st.sampled_from("abcdef"), min_size=2, unique=True)


class Later:
    """Stands for a `pulumi.Output`, which the core must not look into."""

    def apply(self, function):
        return function


def existing(**overrides):
    values = {"vpc_id": "vpc-0a", "subnet_ids": ("subnet-0a", "subnet-0b")}
    return ExistingNetwork(**(values | overrides))


def refusal(make):
    with pytest.raises(ValueError, match="must") as caught:
        make()
    return str(caught.value)


def blocks(plan):
    return [IPv4Network(text) for zone in plan for text in (zone.private, zone.public)]


def test_layout_of_the_default_network():
    assert (
        ZoneSubnets(private="10.40.0.0/19", public="10.40.224.0/22"),
        ZoneSubnets(private="10.40.32.0/19", public="10.40.228.0/22"),
        ZoneSubnets(private="10.40.64.0/19", public="10.40.232.0/22"),
    ) == subnet_plan("10.40.0.0/16", 3)


@given(CIDRS, COUNTS)
def test_subnets_lie_in_the_vpc_and_never_overlap(cidr, count):
    every = blocks(subnet_plan(cidr, count))

    assert 2 * count == len(every)
    assert all(block.subnet_of(IPv4Network(cidr)) for block in every)
    assert not any(one.overlaps(other) for one, other in combinations(every, 2))


@given(CIDRS, COUNTS)
def test_private_subnets_are_large_and_public_ones_small(cidr, count):
    size = IPv4Network(cidr).num_addresses

    assert {(size // 8, size // 64)} == {
        (
            IPv4Network(zone.private).num_addresses,
            IPv4Network(zone.public).num_addresses,
        )
        for zone in subnet_plan(cidr, count)
    }


@given(CIDRS, st.integers(2, MAX_ZONES - 1))
def test_one_more_zone_moves_no_subnet(cidr, count):
    assert subnet_plan(cidr, count) == subnet_plan(cidr, count + 1)[:count]


@given(CIDRS, LETTERS, LETTERS)
def test_a_zone_keeps_its_subnets_whatever_the_others_are(cidr, some, others):
    first = zone_subnets(cidr, [f"ap-northeast-2{letter}" for letter in some])
    second = zone_subnets(cidr, [f"ap-northeast-2{letter}" for letter in others])
    both = first.keys() & second.keys()

    assert {zone: first[zone] for zone in both} == {zone: second[zone] for zone in both}


@given(CIDRS, COUNTS)
def test_count_and_names_agree_where_letters_have_no_gap(cidr, count):
    names = [f"eu-west-1{letter}" for letter in "abcdef"[:count]]

    assert subnet_plan(cidr, count) == tuple(zone_subnets(cidr, names).values())


def test_zones_keep_the_order_of_the_names():
    names = ["us-east-1f", "us-east-1a"]

    assert names == list(zone_subnets("10.40.0.0/16", names))


@pytest.mark.parametrize(
    ("cidr", "message"),
    [
        ("10.40.0.0/15", "cidr must be /16 to /20, got '10.40.0.0/15'"),
        ("10.40.0.0/21", "cidr must be /16 to /20, got '10.40.0.0/21'"),
        ("10.40.1.0/16", "cidr must be written as '10.40.0.0/16', got '10.40.1.0/16'"),
        ("10.40.0.0", "cidr must be written as '10.40.0.0/32', got '10.40.0.0'"),
        (
            "10.40.0.0/255.255.0.0",
            "cidr must be written as '10.40.0.0/16', got '10.40.0.0/255.255.0.0'",
        ),
        (
            "ten/16",
            "cidr must be IPv4 in CIDR form such as 10.40.0.0/16, got 'ten/16'",
        ),
        (10, "cidr must be IPv4 in CIDR form such as 10.40.0.0/16, got 10"),
        (
            "11.0.0.0/16",
            "cidr must lie in a private range (10.0.0.0/8, 172.16.0.0/12, "
            "192.168.0.0/16, 100.64.0.0/10), got '11.0.0.0/16'",
        ),
    ],
)
def test_h082_refuses_blocks_that_do_not_fit(cidr, message):
    assert message == refusal(lambda: NewNetwork(cidr=cidr))
    assert message == refusal(lambda: subnet_plan(cidr, 3))
    assert message == refusal(lambda: zone_subnets(cidr, ["eu-west-1a", "eu-west-1b"]))


def test_h083_ipv6_is_not_supported():
    assert "cidr must be IPv4, IPv6 is not supported, got 'fd00::/56'" == refusal(
        lambda: NewNetwork(cidr="fd00::/56")
    )


@pytest.mark.parametrize("cidr", ["10.0.0.0/16", "172.31.240.0/20", "100.64.0.0/18"])
def test_accepts_every_private_range(cidr):
    assert cidr == NewNetwork(cidr=cidr).cidr


@pytest.mark.parametrize(
    ("zones", "message"),
    [
        (1, "zones must be 2 to 6, got zones=1"),
        (0, "zones must be 2 to 6, got zones=0"),
        (7, "zones must be 2 to 6, got zones=7"),
        (True, "zones must be 2 to 6, got zones=True"),
        ((), "zones must name 2 to 6 zones, got 0"),
        (("eu-west-1a",), "zones must name 2 to 6 zones, got 1"),
        (
            ("eu-west-1a", "eu-west-1a"),
            "zones must not repeat, got 'eu-west-1a' 2 times",
        ),
        (
            ("eu-west-1a", "eu-west-2b"),
            "zones must be of one region, got eu-west-1, eu-west-2",
        ),
        (
            ("eu-west-1a", "euw1-az2"),
            "zones must be names of zones such as ap-northeast-2a (a zone id is not "
            "one), got 'euw1-az2'",
        ),
        (
            ("us-east-1a", "us-east-1-bos-1a"),
            "zones must be Availability Zones, EKS puts no control plane into a Local "
            "or Wavelength Zone, got 'us-east-1-bos-1a'",
        ),
        (
            ("eusc-de-east-1a", "eusc-de-east-1-ber-1a"),
            "zones must be Availability Zones, EKS puts no control plane into a Local "
            "or Wavelength Zone, got 'eusc-de-east-1-ber-1a'",
        ),
        (
            ("us-east-1a", "us-east-1g"),
            "zones must end in a letter from a to f, got 'us-east-1g'",
        ),
    ],
)
def test_h082_refuses_zones_that_eks_would_refuse(zones, message):
    assert message == refusal(lambda: NewNetwork(zones=zones))


def test_h082_a_plan_of_one_zone_is_refused():
    assert "zones must be 2 to 6, got zones=1" == refusal(
        lambda: subnet_plan("10.40.0.0/16", 1)
    )
    assert "zones must name 2 to 6 zones, got 1" == refusal(
        lambda: zone_subnets("10.40.0.0/16", ["eu-west-1a"])
    )


@pytest.mark.parametrize(
    ("zones", "count"),
    [
        (2, 2),
        (6, 6),
        (("us-gov-west-1a", "us-gov-west-1b"), 2),
        (("eusc-de-east-1a", "eusc-de-east-1b"), 2),
    ],
)
def test_zones_are_a_number_or_names(zones, count):
    assert count == NewNetwork(zones=zones).zone_count


@pytest.mark.parametrize(
    ("partition", "prefix", "region", "others"),
    [
        ("aws", "com.amazonaws", "eu-west-1", ()),
        ("aws-us-gov", "com.amazonaws", "us-gov-west-1", ()),
        (
            "aws-cn",
            "cn.com.amazonaws",
            "cn-north-1",
            ("autoscaling", "ec2", "ecr.api", "ecr.dkr", "eks", "monitoring", "sqs")
            + ("sts",),
        ),
        ("aws-eusc", "eu.amazonaws", "eusc-de-east-1", ("ecr.api", "ecr.dkr")),
    ],
)
def test_h081_each_endpoint_has_the_name_of_its_partition(
    partition, prefix, region, others
):
    assert {
        endpoint: f"{prefix if endpoint in others else 'com.amazonaws'}."
        f"{region}.{endpoint}"
        for endpoint in get_args(Endpoint)
    } == {
        endpoint: endpoint_service(
            endpoint, region=region, partition=partition, reverse_dns_prefix=prefix
        )
        for endpoint in get_args(Endpoint)
    }


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"nat": "none"}, "nat must be single or per-zone, got nat='none'"),
        (
            {"endpoints": ("s3", "sqs")},
            "endpoints must not name 's3': it always has a gateway endpoint",
        ),
        (
            {"endpoints": ("sqs", "sqs")},
            "endpoints must not repeat, got 'sqs' 2 times",
        ),
        (
            {"endpoints": ("ecr",)},
            "endpoints must be of autoscaling, ec2, ec2messages, ecr.api, ecr.dkr, "
            "eks, eks-auth, elasticloadbalancing, kms, logs, monitoring, sqs, ssm, "
            "ssmmessages, sts, got 'ecr'",
        ),
    ],
)
def test_refuses_ways_out_that_do_not_exist(kwargs, message):
    assert message == refusal(lambda: NewNetwork(**kwargs))


def test_all_problems_of_a_new_network_are_named_at_once():
    assert (
        "cidr must be /16 to /20, got '10.0.0.0/8'\n"
        "zones must be 2 to 6, got zones=1\n"
        "nat must be single or per-zone, got nat='both'"
    ) == refusal(lambda: NewNetwork(cidr="10.0.0.0/8", zones=1, nat="both"))


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"vpc_id": "0a"}, "vpc_id must be vpc- and an id, got '0a'"),
        ({"vpc_id": "vpc-"}, "vpc_id must be vpc- and an id, got 'vpc-'"),
        (
            {"subnet_ids": ("subnet-0a",)},
            "subnet_ids must name at least 2 subnets in different zones, got 1",
        ),
        (
            {"subnet_ids": ()},
            "subnet_ids must name at least 2 subnets in different zones, got 0",
        ),
        (
            {"subnet_ids": ("subnet-0a", "subnet-0a")},
            "subnet_ids must not repeat, got 'subnet-0a' 2 times",
        ),
        (
            {"subnet_ids": ("subnet-0a", "vpc-0b")},
            "subnet_ids must be subnet- and an id, got 'vpc-0b'",
        ),
        (
            {"subnet_cidrs": ("10.0.0.0/24",)},
            "subnet_cidrs must be one for each of subnet_ids (2), got 1",
        ),
        (
            {"subnet_cidrs": ("10.0.0.0/24", "10.0.0.128/25")},
            "subnet_cidrs must not overlap, got '10.0.0.0/24' and '10.0.0.128/25'",
        ),
        (
            {"subnet_cidrs": ("10.0.0.0/15", "10.2.0.0/16")},
            "subnet_cidrs must be /16 to /28, got '10.0.0.0/15'",
        ),
        (
            {"subnet_cidrs": ("10.0.0.0/29", "10.0.1.1/24")},
            "subnet_cidrs must be /16 to /28, got '10.0.0.0/29'\n"
            "subnet_cidrs must be written as '10.0.1.0/24', got '10.0.1.1/24'",
        ),
    ],
)
def test_h082_refuses_existing_networks_that_eks_would_refuse(kwargs, message):
    assert message == refusal(lambda: existing(**kwargs))


def test_h073_ids_that_a_program_learns_later_pass():
    first, second, vpc = Later(), Later(), Later()
    network = existing(vpc_id=vpc, subnet_ids=(first, second, "subnet-0c"))

    assert (vpc, (first, second, "subnet-0c")) == (network.vpc_id, network.subnet_ids)


def test_h073_a_known_id_beside_a_later_one_is_still_checked():
    assert "subnet_ids must be subnet- and an id, got 'a'" == refusal(
        lambda: existing(subnet_ids=(Later(), "a"))
    )


@pytest.mark.parametrize(
    ("network", "addresses"),
    [
        (NewNetwork(), 3 * (8192 - 5)),
        (NewNetwork(cidr="10.40.0.0/20", zones=2), 2 * (512 - 5)),
        (NewNetwork(zones=("eu-west-1a", "eu-west-1c")), 2 * (8192 - 5)),
        (existing(), None),
        (existing(subnet_cidrs=("10.0.0.0/24", "10.0.1.0/28")), 251 + 11),
    ],
)
def test_h082_counts_the_addresses_that_nodes_and_pods_can_have(network, addresses):
    assert addresses == private_addresses(network)


@pytest.mark.parametrize(
    ("network", "blocks"),
    [
        (NewNetwork(zones=2), ["10.40.0.0/19", "10.40.32.0/19"]),
        (
            NewNetwork(zones=("eu-west-1a", "eu-west-1c")),
            ["10.40.0.0/19", "10.40.64.0/19"],
        ),
        (existing(), []),
        (
            existing(subnet_cidrs=("10.0.1.0/24", "10.0.0.0/24")),
            ["10.0.1.0/24", "10.0.0.0/24"],
        ),
    ],
)
def test_private_blocks_are_those_of_the_plan(network, blocks):
    assert blocks == [str(block) for block in private_blocks(network)]
