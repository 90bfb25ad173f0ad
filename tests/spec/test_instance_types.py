"""
The table is what moto carries, a copy of EC2's answers.

Not proved: that a type is offered in a region or zone, or that EC2 says the same today.
"""

import importlib.util
import re
from pathlib import Path

import pytest

from components.spec.instance_types import InstanceType, InstanceTypes

ROOT = Path(__file__).parents[2]
FACTS = {
    "name": "m99i.4xlarge",
    "architecture": "amd64",
    "vcpus": 16,
    "memory_mib": 65_536,
    "network_interfaces": 8,
    "ipv4_addresses_per_interface": 30,
    "ebs_baseline_mb_per_s": 625.0,
    "ebs_maximum_mb_per_s": 1_250.0,
    "ebs_baseline_iops": 20_000,
    "ebs_maximum_iops": 40_000,
}


def instance_type(**overrides):
    return InstanceType(**(FACTS | overrides))


@pytest.fixture(scope="module")
def refresh():
    path = ROOT / "scripts" / "refresh_instance_types.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "pods"),
    # The row of the pod counts: DescribeInstanceTypes, default network card.
    [
        ("m7i.large", 29),
        ("m7i.xlarge", 58),
        ("m7i.2xlarge", 58),
        ("m7i.4xlarge", 234),
        ("m6g.8xlarge", 234),
        ("m7i.12xlarge", 234),
        ("m7i.16xlarge", 737),
        ("m9g.medium", 40),
        ("m8i.large", 59),
        ("m8i.xlarge", 118),
        ("m8i.4xlarge", 394),
        ("m8i.8xlarge", 492),
        ("m8i.12xlarge", 590),
        ("m8i.16xlarge", 1010),
        ("m8a.xlarge", 78),
        ("m8a.2xlarge", 158),
        ("m8a.12xlarge", 758),
        ("t3.medium", 17),
        ("t4g.large", 35),
    ],
)
def test_pods_with_an_address_follow_the_default_network_card(name, pods):
    found = InstanceTypes.bundled().find(name)

    assert pods == found.eni_pods


@pytest.mark.parametrize(
    ("name", "pods"),
    [
        ("m7i.large", 434),
        ("m7i.metal", 434),
        ("i3.metal", 434),
        ("p3dn.24xlarge", 434),
        ("i3.large", 29),
        ("m4.large", 29),
        ("p3.2xlarge", 29),
        ("t2.small", 29),
        ("x1e.xlarge", 29),
    ],
)
def test_h037_only_nitro_carries_more_pods_with_prefixes(name, pods):
    found = instance_type(
        name=name, network_interfaces=3, ipv4_addresses_per_interface=10
    )

    assert pods == found.prefix_pods


def test_types_without_prefixes_are_those_that_ec2_puts_on_xen(refresh):
    xen = {
        one["InstanceType"]
        for one in refresh.from_moto()
        if one.get("Hypervisor") == "xen" and refresh.usable(one)
    }

    assert xen == {
        one.name for one in InstanceTypes.bundled() if one.eni_pods == one.prefix_pods
    }


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("c5a.large", (25, 396.25, 800, 13_300)),
        ("m7i.4xlarge", (625, 1_250, 20_000, 40_000)),
        ("m9g.4xlarge", (750, 1_500, 24_000, 48_000)),
        ("m5.4xlarge", (593.75, 593.75, 18_750, 18_750)),
        ("c8gb.4xlarge", (3_125, 3_125, 120_000, 120_000)),
    ],
)
def test_ebs_figures_are_in_decimal_megabytes(name, figures):
    found = InstanceTypes.bundled().find(name)

    assert figures == (
        found.ebs_baseline_mb_per_s,
        found.ebs_maximum_mb_per_s,
        found.ebs_baseline_iops,
        found.ebs_maximum_iops,
    )


def test_the_committed_table_is_what_the_script_writes(refresh):
    assert refresh.table(refresh.from_moto()) == refresh.TABLE.read_text()


def test_the_order_of_the_answers_does_not_matter(refresh):
    described = refresh.from_moto()

    assert refresh.table(described) == refresh.table(reversed(described))


def test_an_account_is_read_page_by_page(refresh, monkeypatch):
    described = refresh.from_moto()
    pages = [{"InstanceTypes": described[:100]}, {"InstanceTypes": described[100:]}]

    class Client:
        def get_paginator(self, operation):
            assert operation == "describe_instance_types"
            return self

        def paginate(self):
            return pages

    monkeypatch.setattr(refresh.boto3, "client", {"ec2": Client()}.__getitem__)

    assert described == refresh.from_ec2()


def test_macs_and_types_without_ebs_figures_are_left_out(refresh):
    left_out = [one for one in refresh.from_moto() if not refresh.usable(one)]

    assert {"mac", "c1", "c3", "i2", "m1", "m2", "m3", "r3", "t1", "t2"} == {
        re.match("mac|[^.]+", one["InstanceType"]).group() for one in left_out
    }


def test_an_unknown_type_is_none_and_no_error():
    """H046: a type that is newer than the table."""
    assert InstanceTypes.bundled().find("m99i.4xlarge") is None


def test_h046_a_described_type_is_known_and_the_bundled_table_stays_as_it_is():
    types = InstanceTypes.bundled().including([instance_type()])

    assert instance_type() == types.find("m99i.4xlarge")
    assert InstanceTypes.bundled().find("m99i.4xlarge") is None
    assert len(InstanceTypes.bundled()) + 1 == len(types)


def test_a_description_of_the_user_wins():
    larger = instance_type(name="m7i.4xlarge", vcpus=32)

    assert larger == InstanceTypes.bundled().including([larger]).find("m7i.4xlarge")


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"name": "m99i"}, "name must look like m7i.4xlarge, got name=m99i"),
        (
            {"architecture": "x86_64"},
            "architecture must be amd64 or arm64, got architecture=x86_64",
        ),
        (
            {"name": "m99g.large"},
            "architecture of m99g.large must be arm64, got architecture=amd64",
        ),
        ({"vcpus": 0}, "vcpus must be at least 1, got vcpus=0"),
        ({"memory_mib": -1}, "memory_mib must be at least 1, got memory_mib=-1"),
        (
            {"ebs_maximum_mb_per_s": 624},
            "ebs_baseline_mb_per_s must be at most ebs_maximum_mb_per_s, "
            "got ebs_baseline_mb_per_s=625.0, ebs_maximum_mb_per_s=624",
        ),
        (
            {"ebs_baseline_iops": 40_001, "network_interfaces": 0},
            "network_interfaces must be at least 1, got network_interfaces=0\n"
            "ebs_baseline_iops must be at most ebs_maximum_iops, "
            "got ebs_baseline_iops=40001, ebs_maximum_iops=40000",
        ),
    ],
)
def test_rejects_facts_that_cannot_be(overrides, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        instance_type(**overrides)
