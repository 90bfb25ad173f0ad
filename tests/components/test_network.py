"""The VPC of a cluster. What a router makes of it, these tests cannot show."""

import pulumi
import pulumi_aws as aws
import pytest

from components import Network, NetworkArgs, NewNetwork

COMPONENT = "eks-jobs:index:Network"
VPC = "aws:ec2/vpc:Vpc"
SUBNET = "aws:ec2/subnet:Subnet"
ROUTE = "aws:ec2/route:Route"
TABLE = "aws:ec2/routeTable:RouteTable"
ASSOCIATION = "aws:ec2/routeTableAssociation:RouteTableAssociation"
GATEWAY = "aws:ec2/internetGateway:InternetGateway"
NAT = "aws:ec2/natGateway:NatGateway"
EIP = "aws:ec2/eip:Eip"
ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
GROUP = "aws:ec2/securityGroup:SecurityGroup"
RULE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
ZONES_CALL = "aws:index/getAvailabilityZones:getAvailabilityZones"
PARTITION_CALL = "aws:index/getPartition:getPartition"
REGION_CALL = "aws:index/getRegion:getRegion"

A, B, C = (f"ap-northeast-2{letter}" for letter in "abc")


def network(**overrides):
    return Network("net", NetworkArgs(network=NewNetwork(**overrides)))


def blocks(deployment) -> dict[str, str]:
    return {r.name: r.inputs["cidrBlock"] for r in deployment.of_type(SUBNET)}


def test_identity_is_pinned(deploy):
    deployment = deploy(lambda: network(zones=2))

    assert [
        f"{COMPONENT}${EIP}::net-nat-{A}",
        f"{COMPONENT}${GATEWAY}::net",
        f"{COMPONENT}${NAT}::net-nat-{A}",
        f"{COMPONENT}${ROUTE}::net-private-{A}",
        f"{COMPONENT}${ROUTE}::net-private-{B}",
        f"{COMPONENT}${ROUTE}::net-public",
        f"{COMPONENT}${TABLE}::net-private-{A}",
        f"{COMPONENT}${TABLE}::net-private-{B}",
        f"{COMPONENT}${TABLE}::net-public",
        f"{COMPONENT}${ASSOCIATION}::net-private-{A}",
        f"{COMPONENT}${ASSOCIATION}::net-private-{B}",
        f"{COMPONENT}${ASSOCIATION}::net-public-{A}",
        f"{COMPONENT}${ASSOCIATION}::net-public-{B}",
        f"{COMPONENT}${SUBNET}::net-private-{A}",
        f"{COMPONENT}${SUBNET}::net-private-{B}",
        f"{COMPONENT}${SUBNET}::net-public-{A}",
        f"{COMPONENT}${SUBNET}::net-public-{B}",
        f"{COMPONENT}${VPC}::net",
        f"{COMPONENT}${ENDPOINT}::net-s3",
        f"{COMPONENT}::net",
    ] == [resource.path for resource in deployment.resources]


def test_outputs_follow_the_order_of_the_zones(deploy):
    deployment = deploy(lambda: network(zones=(C, A)))

    assert {
        "vpc_id": "net-id",
        "subnet_ids": [f"net-private-{C}-id", f"net-private-{A}-id"],
        "public_subnet_ids": [f"net-public-{C}-id", f"net-public-{A}-id"],
    } == deployment.outputs[f"{COMPONENT}::net"]


def test_the_private_endpoint_can_be_found_by_its_name(deploy):
    vpc = deploy(network).only(VPC)

    assert {
        "cidrBlock": "10.40.0.0/16",
        "enableDnsSupport": True,
        "enableDnsHostnames": True,
        "tags": {"Name": "net"},
    } == vpc.inputs


def test_a_number_of_zones_takes_the_first_that_every_account_has(deploy):
    names = [f"{zone}" for zone in (C, A, B)]
    deployment = deploy(
        lambda: network(zones=2), answers={ZONES_CALL: {"id": "r", "names": names}}
    )
    (call,) = [call for call in deployment.calls if call.token == ZONES_CALL]

    assert [A, B] == [
        r.inputs["availabilityZone"]
        for r in deployment.of_type(SUBNET)
        if "-private-" in r.name
    ]
    assert {
        "state": "available",
        "filters": [{"name": "opt-in-status", "values": ["opt-in-not-required"]}],
        "excludeZoneIds": ["cac1-az3", "use1-az3", "usw1-az2"],
    } == call.inputs


def test_named_zones_ask_nobody(deploy):
    deployment = deploy(lambda: network(zones=(A, B)))

    assert [] == [call for call in deployment.calls if call.token == ZONES_CALL]


def test_a_region_with_too_few_zones_is_named(deploy):
    message = f"^zones must be at most 2 in this region \\({A}, {B}\\), got zones=3$"

    with pytest.raises(ValueError, match=message):
        deploy(
            lambda: network(zones=3), answers={ZONES_CALL: {"id": "", "names": [A, B]}}
        )


def test_a_number_of_zones_needs_a_provider_that_answers(deploy):
    """In a preview an unknown provider answers nothing, as do mocks of importers."""
    message = (
        "^zones must be names while the AWS provider is not known yet, as when it "
        "waits for another resource, got zones=3: name them in network.zones$"
    )

    with pytest.raises(ValueError, match=message):
        deploy(lambda: network(zones=3), answers={ZONES_CALL: {}})


@pytest.mark.parametrize("fewer", [(A, B), (A, C), (B, C)])
def test_a_zone_that_goes_moves_nothing_of_the_others(deploy, fewer):
    every = blocks(deploy(lambda: network(zones=(A, B, C))))
    left = blocks(deploy(lambda: network(zones=fewer)))

    assert left == {name: every[name] for name in left}
    assert 4 == len(left)


def test_load_balancers_find_their_subnets(deploy):
    tags = {r.name: r.inputs["tags"] for r in deploy(network).of_type(SUBNET)}

    assert {
        "Name": f"net-public-{A}",
        "kubernetes.io/role/elb": "1",
    } == tags[f"net-public-{A}"]
    assert {
        "Name": f"net-private-{A}",
        "kubernetes.io/role/internal-elb": "1",
    } == tags[f"net-private-{A}"]


def test_nodes_get_no_public_address(deploy):
    subnets = deploy(network).of_type(SUBNET)

    assert 6 == len(subnets)
    assert set() == {
        key for r in subnets for key in r.inputs if key == "mapPublicIpOnLaunch"
    }


@pytest.mark.parametrize(
    ("nat", "gateways"), [("single", [A, A, A]), ("per-zone", [A, B, C])]
)
def test_each_zone_has_its_way_out(deploy, nat, gateways):
    deployment = deploy(lambda: network(nat=nat))

    assert {
        f"net-private-{zone}": f"net-nat-{gateway}-id"
        for zone, gateway in zip((A, B, C), gateways, strict=True)
    } == {
        r.name: r.inputs["natGatewayId"]
        for r in deployment.of_type(ROUTE)
        if r.name != "net-public"
    }
    assert [f"net-nat-{zone}" for zone in sorted(set(gateways))] == [
        r.name for r in deployment.of_type(NAT)
    ]


def test_a_nat_gateway_is_public_and_waits_for_the_way_out(deploy):
    deployment = deploy(network)
    nat = deployment.only(NAT)

    assert {
        "allocationId": f"eipalloc-net-nat-{A}",
        "subnetId": f"net-public-{A}-id",
        "tags": {"Name": f"net-nat-{A}"},
    } == nat.inputs
    assert f"{COMPONENT}${ROUTE}::net-public" in deployment.waits_for(nat)


def test_image_layers_do_not_pay_for_nat(deploy):
    endpoint = deploy(network).only(ENDPOINT)

    assert {
        "vpcId": "net-id",
        "vpcEndpointType": "Gateway",
        "serviceName": "com.amazonaws.ap-northeast-2.s3",
        "routeTableIds": [f"net-private-{zone}-id" for zone in (A, B, C)],
        "tags": {"Name": "net-s3"},
    } == endpoint.inputs


def test_h081_interface_endpoints_are_named_by_the_partition(deploy):
    deployment = deploy(lambda: network(endpoints=("ecr.api", "sts")))

    assert {
        "net-ecr-api": "com.example.test.ap-northeast-2.ecr.api",
        "net-sts": "com.example.test.ap-northeast-2.sts",
    } == {
        r.name: r.inputs["serviceName"]
        for r in deployment.of_type(ENDPOINT)
        if r.name != "net-s3"
    }


def test_h081_endpoints_of_china_have_two_prefixes(deploy):
    region, endpoints = "cn-north-1", ("ecr.api", "logs")
    deployment = deploy(
        lambda: network(zones=("cn-north-1a", "cn-north-1b"), endpoints=endpoints),
        answers={
            PARTITION_CALL: {
                "id": "aws-cn",
                "partition": "aws-cn",
                "dnsSuffix": "amazonaws.com.cn",
                "reverseDnsPrefix": "cn.com.amazonaws",
            },
            REGION_CALL: {"id": region, "region": region},
        },
    )

    assert {
        "net-ecr-api": "cn.com.amazonaws.cn-north-1.ecr.api",
        "net-logs": "com.amazonaws.cn-north-1.logs",
        "net-s3": "com.amazonaws.cn-north-1.s3",
    } == {r.name: r.inputs["serviceName"] for r in deployment.of_type(ENDPOINT)}


def test_interface_endpoints_answer_the_vpc_alone(deploy):
    deployment = deploy(lambda: network(endpoints=("sts",)))
    endpoint = deployment.only(ENDPOINT, "net-sts").inputs

    assert ["net-endpoints-id"] == endpoint["securityGroupIds"]
    assert [f"net-private-{z}-id" for z in (A, B, C)] == endpoint["subnetIds"]
    assert endpoint["privateDnsEnabled"]
    assert {
        "securityGroupId": "net-endpoints-id",
        "ipProtocol": "tcp",
        "fromPort": 443,
        "toPort": 443,
        "cidrIpv4": "10.40.0.0/16",
        "tags": {"Name": "net-endpoints"},
    } == deployment.only(RULE).inputs


def test_without_endpoints_there_is_no_security_group(deploy):
    assert [] == deploy(network).of_type(GROUP)


def test_h080_no_security_group_carries_the_tag_of_a_cluster(deploy):
    group = deploy(lambda: network(endpoints=("sts",))).only(GROUP)

    assert {"Name": "net-endpoints"} == group.inputs["tags"]


def test_own_tags_reach_everything_that_can_have_them(deploy):
    args = NetworkArgs(network=NewNetwork(endpoints=("sts",)), tags={"team": "jobs"})
    deployment = deploy(lambda: Network("net", args))
    untagged = {COMPONENT, ROUTE, ASSOCIATION}

    assert untagged == {
        r.type
        for r in deployment.resources
        if r.inputs.get("tags", {}).get("team") != "jobs"
    }


def test_h074_an_explicit_provider_makes_everything(deploy):
    def program():
        provider = aws.Provider("explicit", region="eu-west-1")
        opts = pulumi.ResourceOptions(providers=[provider])
        Network("net", NetworkArgs(network=NewNetwork(endpoints=("sts",))), opts)

    assert [] == deploy(program).on_default_providers()


def test_two_networks_live_in_one_stack(deploy):
    def program():
        Network("one", NetworkArgs())
        Network("two", NetworkArgs(network=NewNetwork(cidr="10.41.0.0/16")))

    assert ["one", "two"] == [r.name for r in deploy(program).of_type(VPC)]


def test_h073_a_preview_knows_the_graph(deploy):
    deployment = deploy(network, preview=True)

    assert 6 == len(deployment.of_type(SUBNET))


def test_children_wait_for_what_the_network_waits_for(deploy):
    def program():
        first = aws.ec2.Vpc("first")
        Network("net", NetworkArgs(), pulumi.ResourceOptions(depends_on=[first]))

    deployment = deploy(program)

    assert f"{VPC}::first" in deployment.waits_for(deployment.only(VPC, "net"))


def test_rejects_tags_that_aws_would_refuse():
    with pytest.raises(ValueError, match=r"^key of tags\[a;b\] must have letters, "):
        NetworkArgs(tags={"a;b": "c"})
