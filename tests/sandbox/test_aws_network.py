"""
Networks and security groups on moto: each type lives and dies as on AWS.

Not proven: that packets flow. moto has no network behind its objects.
"""

import pytest
from botocore.exceptions import ClientError

from sandbox.errors import RefusedError
from tests.sandbox.aws_driver import RefusedInputsError, served

CIDR = "10.0.0.0/16"
S3 = "com.amazonaws.ap-northeast-2.s3"
ECR = "com.amazonaws.ap-northeast-2.ecr.api"


@pytest.fixture(scope="module")
def account():
    with served() as served_account:
        yield served_account


@pytest.fixture
def vpc(account):
    return account.create(
        "aws:ec2/vpc:Vpc", "v", cidrBlock=CIDR, enableDnsHostnames=True
    )


def subnet(account, vpc, number=0, **inputs):
    zone = f"ap-northeast-2{'abc'[number]}"
    inputs = {"availabilityZone": zone, **inputs}
    return account.create(
        "aws:ec2/subnet:Subnet",
        f"s-{number}",
        vpcId=vpc.id,
        cidrBlock=f"10.0.{number}.0/24",
        **inputs,
    )


def gateway(account, vpc):
    return account.create("aws:ec2/internetGateway:InternetGateway", "i", vpcId=vpc.id)


def table(account, vpc, name="t"):
    return account.create("aws:ec2/routeTable:RouteTable", name, vpcId=vpc.id)


def group(account, vpc, name="g", **inputs):
    return account.create(
        "aws:ec2/securityGroup:SecurityGroup", name, vpcId=vpc.id, **inputs
    )


def assert_lives_and_dies(made):
    """Nothing to change, no drift, and gone after its deletion."""
    assert ({}, {}) == (made.kinds(), made.refresh())
    made.delete()

    assert {"id": (made.id, None)} == made.refresh()


def code(caught):
    return caught.value.response["Error"]["Code"]


def test_a_vpc_lives_and_dies(vpc):
    assert_lives_and_dies(vpc)


def test_a_vpc_has_what_aws_puts_into_it(account, vpc):
    groups = account.client("ec2").describe_security_groups(
        GroupIds=[vpc.state["defaultSecurityGroupId"]]
    )["SecurityGroups"]

    assert ["default"] == [item["GroupName"] for item in groups]
    assert vpc.state["mainRouteTableId"].startswith("rtb-")


def test_a_vpc_changes_in_place(account, vpc):
    vpc.update(enableDnsSupport=False)

    answer = account.client("ec2").describe_vpc_attribute(
        VpcId=vpc.id, Attribute="enableDnsSupport"
    )
    assert answer["EnableDnsSupport"]["Value"] is False


def test_a_subnet_lives_and_dies(account, vpc):
    assert_lives_and_dies(subnet(account, vpc))


def test_a_subnet_changes_in_place(account, vpc):
    made = subnet(account, vpc)
    made.update(mapPublicIpOnLaunch=True)

    assert (True, {}) == (made.state["mapPublicIpOnLaunch"], made.kinds())


def test_subnets_do_not_overlap(account, vpc):
    subnet(account, vpc)

    with pytest.raises(ClientError) as caught:
        subnet(account, vpc)

    assert "InvalidSubnet.Conflict" == code(caught)


@pytest.mark.parametrize("make", [subnet, gateway])
def test_a_vpc_stays_while_something_stands_in_it(account, vpc, make):
    make(account, vpc)

    with pytest.raises(ClientError) as caught:
        vpc.delete()

    assert "DependencyViolation" == code(caught)


def test_an_internet_gateway_lives_and_dies(account, vpc):
    assert_lives_and_dies(gateway(account, vpc))


def test_an_internet_gateway_moves(account, vpc):
    made = gateway(account, vpc)
    other = account.create("aws:ec2/vpc:Vpc", "w", cidrBlock="10.1.0.0/16")
    made.update(vpcId=other.id)

    assert (other.id, {}) == (made.state["vpcId"], made.refresh())


def nat(account, vpc):
    address = account.create("aws:ec2/eip:Eip", "e", domain="vpc")
    place = subnet(account, vpc)
    made = account.create(
        "aws:ec2/natGateway:NatGateway",
        "n",
        allocationId=address.state["allocationId"],
        subnetId=place.id,
    )
    return address, place, made


def test_a_nat_gateway_lives_and_dies(account, vpc):
    _, place, made = nat(account, vpc)

    assert vpc.id == made.state["vpcId"]
    assert_lives_and_dies(made)
    assert_lives_and_dies(place)


def test_an_address_lives_and_dies(account):
    assert_lives_and_dies(account.create("aws:ec2/eip:Eip", "e", domain="vpc"))


def test_a_subnet_stays_while_a_nat_gateway_stands_in_it(account, vpc):
    _, place, _ = nat(account, vpc)

    with pytest.raises(ClientError) as caught:
        place.delete()

    assert "DependencyViolation" == code(caught)


def test_a_route_table_lives_and_dies(account, vpc):
    assert_lives_and_dies(table(account, vpc))


def test_routes_of_a_table_change_in_place(account, vpc):
    way_out = gateway(account, vpc)
    made = table(account, vpc)
    made.update(routes=[{"cidrBlock": "0.0.0.0/0", "gatewayId": way_out.id}])

    (found,) = account.client("ec2").describe_route_tables(RouteTableIds=[made.id])[
        "RouteTables"
    ]
    assert [CIDR, "0.0.0.0/0"] == [r["DestinationCidrBlock"] for r in found["Routes"]]
    made.update(routes=[])
    assert {} == made.kinds()


def route(account, vpc):
    way_out = gateway(account, vpc)
    return account.create(
        "aws:ec2/route:Route",
        "r",
        routeTableId=table(account, vpc).id,
        destinationCidrBlock="0.0.0.0/0",
        gatewayId=way_out.id,
    )


def test_a_route_lives_and_dies(account, vpc):
    assert_lives_and_dies(route(account, vpc))


def test_a_route_changes_its_target_in_place(account, vpc):
    made = route(account, vpc)
    _, _, target = nat(account, vpc)
    made.update(gatewayId=None, natGatewayId=target.id)

    assert ({}, {}) == (made.kinds(), made.refresh())


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        (
            {"gatewayId": "igw-1"},
            (
                "destinationCidrBlock",
                "one of destinationCidrBlock, destinationIpv6CidrBlock, "
                "destinationPrefixListId is required",
            ),
        ),
        (
            {
                "destinationCidrBlock": CIDR,
                "gatewayId": "igw-1",
                "natGatewayId": "nat-1",
            },
            ("natGatewayId", "conflicts with gatewayId"),
        ),
    ],
)
def test_a_route_has_one_destination_and_one_target(account, inputs, problem):
    with pytest.raises(RefusedInputsError) as caught:
        account.check("aws:ec2/route:Route", "r", routeTableId="rtb-1", **inputs)

    assert [problem] == caught.value.args[0]


def association(account, vpc):
    return account.create(
        "aws:ec2/routeTableAssociation:RouteTableAssociation",
        "a",
        routeTableId=table(account, vpc).id,
        subnetId=subnet(account, vpc).id,
    )


def test_an_association_lives_and_dies(account, vpc):
    assert_lives_and_dies(association(account, vpc))


def test_an_association_moves_and_can_still_be_deleted(account, vpc):
    made = association(account, vpc)
    made.update(routeTableId=table(account, vpc, "u").id)

    assert_lives_and_dies(made)


def endpoint(account, vpc, **inputs):
    return account.create(
        "aws:ec2/vpcEndpoint:VpcEndpoint", "e", vpcId=vpc.id, **inputs
    )


def test_a_gateway_endpoint_lives_and_dies(account, vpc):
    tables = [table(account, vpc).id]

    assert_lives_and_dies(endpoint(account, vpc, serviceName=S3, routeTableIds=tables))


def test_a_route_table_joins_and_leaves_a_gateway_endpoint(account, vpc):
    one, two = table(account, vpc, "one").id, table(account, vpc, "two").id
    made = endpoint(account, vpc, serviceName=S3, routeTableIds=[one])
    made.update(routeTableIds=[two])

    assert [two] == made.state["routeTableIds"]
    assert_lives_and_dies(made)


def interface(account, vpc, **inputs):
    return endpoint(
        account,
        vpc,
        vpcEndpointType="Interface",
        serviceName=ECR,
        subnetIds=[subnet(account, vpc).id],
        securityGroupIds=[group(account, vpc).id],
        privateDnsEnabled=True,
        **inputs,
    )


def test_an_interface_endpoint_lives_and_dies(account, vpc):
    assert_lives_and_dies(interface(account, vpc))


def test_private_names_need_dns_in_the_vpc(account):
    vpc = account.create("aws:ec2/vpc:Vpc", "v", cidrBlock=CIDR)

    with pytest.raises(ClientError) as caught:
        interface(account, vpc)

    assert (
        "Enabling private DNS requires both enableDnsSupport and enableDnsHostnames "
        f"VPC attributes set to true for {vpc.id}"
    ) == caught.value.response["Error"]["Message"]


def test_a_security_group_lives_and_dies(account, vpc):
    assert_lives_and_dies(group(account, vpc))


def test_a_new_security_group_lets_nothing_out(account, vpc):
    made = group(account, vpc)
    (found,) = account.client("ec2").describe_security_groups(GroupIds=[made.id])[
        "SecurityGroups"
    ]

    assert [] == found["IpPermissionsEgress"]


HTTPS = {"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": [CIDR]}


def test_rules_of_a_security_group_change_in_place(account, vpc):
    made = group(account, vpc, ingress=[HTTPS])
    made.update(ingress=[HTTPS | {"toPort": 444}])

    (found,) = account.client("ec2").describe_security_groups(GroupIds=[made.id])[
        "SecurityGroups"
    ]
    assert [444] == [item["ToPort"] for item in found["IpPermissions"]]


def test_a_security_group_stays_while_an_endpoint_uses_it(account, vpc):
    used = group(account, vpc)
    made = endpoint(
        account,
        vpc,
        vpcEndpointType="Interface",
        serviceName=ECR,
        securityGroupIds=[used.id],
    )
    with pytest.raises(ClientError) as caught:
        used.delete()

    assert "DependencyViolation" == code(caught)
    made.delete()
    assert_lives_and_dies(used)


RULE = "aws:ec2/securityGroupRule:SecurityGroupRule"


def test_a_security_group_stays_while_a_rule_names_it(account, vpc):
    named, naming = group(account, vpc, "a"), group(account, vpc, "b")
    rule = account.create(
        RULE,
        "r",
        securityGroupId=naming.id,
        type="ingress",
        protocol="tcp",
        fromPort=443,
        toPort=443,
        sourceSecurityGroupId=named.id,
    )
    with pytest.raises(ClientError) as caught:
        named.delete()

    assert "DependencyViolation" == code(caught)
    assert_lives_and_dies(rule)
    assert_lives_and_dies(named)


@pytest.mark.parametrize(
    "source", [{"cidrBlocks": ["0.0.0.0/0"]}, {"self": True}, {"cidrBlocks": [CIDR]}]
)
@pytest.mark.parametrize("direction", ["ingress", "egress"])
def test_a_rule_lives_and_dies(account, vpc, source, direction):
    rule = account.create(
        RULE,
        "r",
        securityGroupId=group(account, vpc).id,
        type=direction,
        protocol="-1",
        fromPort=0,
        toPort=0,
        **source,
    )

    assert rule.state["securityGroupRuleId"].startswith("sgr-")
    assert_lives_and_dies(rule)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"type": "in"}, ("type", "must be ingress or egress, got 'in'")),
        (
            {"cidrBlocks": []},
            (
                "cidrBlocks",
                "one of cidrBlocks, ipv6CidrBlocks, prefixListIds, self, "
                "sourceSecurityGroupId is required",
            ),
        ),
    ],
)
def test_refuses_a_rule_without_direction_or_source(account, changes, problem):
    inputs = {"type": "egress", "cidrBlocks": [CIDR], **changes}
    ports = {"protocol": "tcp", "fromPort": 1, "toPort": 1}

    with pytest.raises(RefusedInputsError) as caught:
        account.check(RULE, "r", securityGroupId="sg-1", **ports, **inputs)

    assert [problem] == caught.value.args[0]


@pytest.mark.parametrize("direction", ["Ingress", "Egress"])
def test_a_single_rule_lives_changes_and_dies(account, vpc, direction):
    rule = account.create(
        f"aws:vpc/securityGroup{direction}Rule:SecurityGroup{direction}Rule",
        "r",
        securityGroupId=group(account, vpc).id,
        ipProtocol="tcp",
        fromPort=443,
        toPort=443,
        cidrIpv4=CIDR,
        tags={"a": "b"},
    )
    rule.update(toPort=444, tags={"a": "c"})

    assert {"a": "c"} == rule.state["tagsAll"]
    assert_lives_and_dies(rule)


def test_a_failed_step_of_a_deletion_is_not_taken_for_its_end(account, vpc):
    """A thing that another thing lacks is no proof that the thing is gone."""
    made = subnet(account, vpc)
    made.id = "subnet-0123456789abcdef0"
    made.delete()

    assert {"id": (made.id, None)} == made.refresh()


def test_an_association_that_is_gone_cannot_move(account, vpc):
    made = association(account, vpc)
    made.delete()

    with pytest.raises(RefusedError, match="the route table association is gone$"):
        made.update(routeTableId=table(account, vpc, "u").id)
