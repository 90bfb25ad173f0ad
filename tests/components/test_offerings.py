"""What a platform asks EC2 before its first resource, and what it makes of it."""

from dataclasses import replace

import grpc
import pulumi
import pulumi_aws as aws
import pytest

from components import (
    AutoMode,
    ClusterAutoscaler,
    ClusterSettings,
    ExistingNetwork,
    JobPlatform,
    JobPlatformArgs,
    Karpenter,
    NewNetwork,
)
from components.spec.instance_types import InstanceTypes
from tests.components.builders import JOB, JOB_ARM, SERVER
from tests.conftest import REGION

OFFERINGS = "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings"
SUBNET = "aws:ec2/getSubnet:getSubnet"
COMPONENT = "eks-jobs:index:JobPlatform::platform"
A, B, C = (f"{REGION}{letter}" for letter in "abc")
TYPES = [
    "m6i.4xlarge",
    "m6i.xlarge",
    "m7g.4xlarge",
    "m7i.4xlarge",
    "m7i.xlarge",
    "m8g.4xlarge",
]


def platform(opts=None, **overrides):
    defaults = {
        "network": NewNetwork(),
        "cluster": ClusterSettings(version="1.36", ami_release="v20260714"),
        "servers": (SERVER,),
        "jobs": (JOB, JOB_ARM),
    }
    return JobPlatform("platform", JobPlatformArgs(**defaults | overrides), opts)


def offering(**zones):
    """Answer that every type is in zones A to C, but for those given: `m8g={...}`."""

    def answer(inputs):
        pairs = [
            (name, zone)
            for name in inputs["filters"][0]["values"]
            for zone in zones.get(name.partition(".")[0], (A, B, C))
        ]
        return {
            "id": REGION,
            "instanceTypes": [name for name, _ in pairs],
            "locations": [zone for _, zone in pairs],
        }

    return {OFFERINGS: answer}


def of_types(deployment):
    return [
        text
        for path, text in deployment.warnings
        if path == COMPONENT and "offer" in text
    ]


def existing(*subnets):
    return ExistingNetwork(vpc_id="vpc-1", subnet_ids=subnets)


def in_zones(*zones):
    """Say in which zone each subnet is, `subnet-0` and so on."""
    return {
        SUBNET: lambda inputs: {
            "id": inputs["id"],
            "availabilityZone": zones[int(inputs["id"][-1])],
        }
    }


def test_h047_ec2_is_asked_once_for_the_types_of_all_groups(deploy):
    (call,) = (one for one in deploy(platform).calls if one.token == OFFERINGS)

    assert {
        "locationType": "availability-zone",
        "filters": [{"name": "instance-type", "values": TYPES}],
    } == call.inputs


def test_h047_ec2_is_asked_for_at_most_two_hundred_types_at_once(deploy):
    bundled = InstanceTypes.bundled()
    large = [x.name for x in bundled if x.architecture == "amd64" and x.vcpus >= 16]
    types = sorted(large)[:201]
    groups = {
        "servers": (replace(SERVER, instance_types=(types[0],)),),
        "jobs": (replace(JOB, instance_types=tuple(types), ami_id="ami-01234567"),),
    }
    last = offering(**{types[200].partition(".")[0]: (A,)})
    deployment = deploy(lambda: platform(**groups), answers=last)

    asked = [
        one.inputs["filters"][0]["values"]
        for one in deployment.calls
        if one.token == OFFERINGS
    ]
    assert [types[:200], types[200:]] == asked
    assert any(types[200] in text for text in of_types(deployment))


@pytest.mark.parametrize("scaler", [Karpenter(), ClusterAutoscaler()])
def test_h047_a_type_that_does_not_exist_is_refused_before_any_resource(deploy, scaler):
    def program():
        with pytest.raises(ValueError, match="no zone of this region offers m7i.4xl"):
            platform(scaler=scaler)

    deployment = deploy(program, answers=offering(m7i=()))

    assert [COMPONENT] == [one.path for one in deployment.resources]


def test_h047_a_zone_without_any_type_of_a_group_is_refused(deploy):
    message = (
        f"^jobs\\[1\\].instance_types: {C} offers none of m7g.4xlarge, m8g.4xlarge, so "
        "no node can start there: add a type that it offers, or leave the zone out of "
        "the network$"
    )

    def program():
        with pytest.raises(ValueError, match=message):
            platform(network=NewNetwork(zones=(A, C)))

    deployment = deploy(program, answers=offering(m7g={A, B}, m8g={A}))

    assert [COMPONENT] == [one.path for one in deployment.resources]


def test_h047_only_zones_of_the_network_count(deploy):
    answers = offering(m7g={A, B}, m8g={A, B})
    deployment = deploy(
        lambda: platform(network=NewNetwork(zones=(A, B))), answers=answers
    )

    assert [] == of_types(deployment)


def test_h047_a_type_that_a_zone_lacks_warns(deploy):
    assert [
        f"jobs[1].instance_types: m8g.4xlarge is not offered in {C}: nodes there are "
        "of the other types"
    ] == of_types(deploy(platform, answers=offering(m8g={A, B})))


def test_h047_zones_of_existing_subnets_are_looked_up(deploy):
    def program():
        platform(network=existing("subnet-0", "subnet-1"))

    answers = {**offering(m8g={A, B}), **in_zones(A, C)}

    assert [
        f"jobs[1].instance_types: m8g.4xlarge is not offered in {C}: nodes there are "
        "of the other types"
    ] == of_types(deploy(program, answers=answers))


def test_subnets_of_the_same_program_are_not_looked_up(deploy):
    def program():
        made = aws.ec2.Subnet("mine", vpc_id="vpc-1", cidr_block="10.0.0.0/24")
        platform(network=existing(made.id, "subnet-1"))

    deployment = deploy(program, answers=in_zones(A, B), preview=True)

    assert [{"id": "subnet-1"}] == [
        call.inputs for call in deployment.calls if call.token == SUBNET
    ]


def test_the_provider_of_the_platform_is_asked(deploy):
    def program():
        other = aws.Provider("other", region="eu-west-1")
        platform(
            pulumi.ResourceOptions(providers=[other]),
            network=existing("subnet-0", "subnet-1"),
        )

    deployment = deploy(program, answers=in_zones(A, B))

    assert {(OFFERINGS, "other"), (SUBNET, "other")} == {
        (call.token, call.provider)
        for call in deployment.calls
        if call.token in (OFFERINGS, SUBNET)
    }


def test_nobody_is_asked_when_the_check_is_off(deploy):
    deployment = deploy(
        lambda: platform(check_offerings=False), answers=offering(m7i=())
    )

    assert set() == {OFFERINGS, SUBNET} & {call.token for call in deployment.calls}


def test_nobody_is_asked_about_no_groups(deploy):
    """EKS Auto Mode has pools of its own."""
    deployment = deploy(
        lambda: platform(
            cluster=ClusterSettings(version="1.36"),
            scaler=AutoMode(),
            servers=(),
            jobs=(),
        )
    )

    assert OFFERINGS not in {call.token for call in deployment.calls}


def test_mocks_without_an_answer_stop_nobody(deploy):
    """Importers test their stacks with mocks that answer every call with nothing."""
    network = existing("subnet-0", "subnet-1")
    deployment = deploy(
        lambda: platform(network=network), answers={OFFERINGS: {}, SUBNET: {}}
    )

    assert [] == of_types(deployment)


def test_mocks_may_know_types_and_no_subnets(deploy):
    network = existing("subnet-0", "subnet-1")
    deployment = deploy(
        lambda: platform(network=network), answers={**offering(), SUBNET: {}}
    )

    assert [] == of_types(deployment)


class DeniedError(grpc.RpcError):
    """What a provider answers when AWS refuses a call."""

    def code(self):
        return grpc.StatusCode.UNKNOWN

    def details(self):
        return "UnauthorizedOperation"


@pytest.mark.parametrize(
    ("token", "path"),
    [(OFFERINGS, "check_offerings"), (SUBNET, "network.subnet_ids: subnet-0")],
)
def test_a_call_that_fails_names_its_key_and_the_way_out(deploy, token, path):
    def fails(_inputs):
        raise DeniedError

    def program():
        with pytest.raises(ValueError, match="UnauthorizedOperation") as caught:
            platform(network=existing("subnet-0", "subnet-1"))
        assert str(caught.value).startswith(f"{path}: EC2 was asked about it")
        assert str(caught.value).endswith("set check_offerings: false")

    deploy(program, answers={**in_zones(A, B), token: fails})
