"""
Which changes make a new resource, and which happen in place.

The table follows the fields that the Terraform provider documents as forcing a new
resource, for the types that the components use. It is about the plan only: nothing
is created here, and nothing proves that AWS can do the change in place.
"""

import asyncio

import pytest
from pulumi.provider.experimental import provider as rpc

from sandbox.aws.provider import AwsProvider
from sandbox.wire import UNKNOWN, wrap_map

ACCESS = {"type": "cluster"}
VPC_CONFIG = {"subnetIds": ["a"], "securityGroupIds": ["s"]}
SCALING = {"minSize": 0, "maxSize": 1, "desiredSize": 0}
TAG = {"key": "k", "value": "v", "propagateAtLaunch": True}

# Type, an input, its old and new value, and whether the resource is replaced.
TABLE = [
    ("aws:ec2/vpc:Vpc", "cidrBlock", "10.0.0.0/16", "10.1.0.0/16", True),
    ("aws:ec2/vpc:Vpc", "instanceTenancy", "default", "dedicated", True),
    ("aws:ec2/vpc:Vpc", "enableDnsHostnames", False, True, False),
    ("aws:ec2/vpc:Vpc", "enableDnsSupport", True, False, False),
    ("aws:ec2/vpc:Vpc", "tags", {"a": "b"}, {"a": "c"}, False),
    ("aws:ec2/subnet:Subnet", "vpcId", "vpc-1", "vpc-2", True),
    ("aws:ec2/subnet:Subnet", "availabilityZone", "a", "b", True),
    ("aws:ec2/subnet:Subnet", "cidrBlock", "10.0.0.0/24", "10.0.1.0/24", True),
    ("aws:ec2/subnet:Subnet", "mapPublicIpOnLaunch", False, True, False),
    ("aws:ec2/internetGateway:InternetGateway", "vpcId", "vpc-1", "vpc-2", False),
    ("aws:ec2/eip:Eip", "domain", "vpc", "standard", True),
    ("aws:ec2/natGateway:NatGateway", "subnetId", "a", "b", True),
    ("aws:ec2/natGateway:NatGateway", "allocationId", "a", "b", True),
    ("aws:ec2/natGateway:NatGateway", "connectivityType", "public", "private", True),
    ("aws:ec2/routeTable:RouteTable", "vpcId", "vpc-1", "vpc-2", True),
    ("aws:ec2/route:Route", "routeTableId", "a", "b", True),
    ("aws:ec2/route:Route", "destinationCidrBlock", "0.0.0.0/0", "1.0.0.0/8", True),
    ("aws:ec2/route:Route", "gatewayId", "igw-1", "igw-2", False),
    ("aws:ec2/route:Route", "natGatewayId", "nat-1", "nat-2", False),
    ("aws:ec2/routeTableAssociation:RouteTableAssociation", "subnetId", "a", "b", True),
    (
        "aws:ec2/routeTableAssociation:RouteTableAssociation",
        "routeTableId",
        "a",
        "b",
        False,
    ),
    ("aws:ec2/vpcEndpoint:VpcEndpoint", "serviceName", "a", "b", True),
    ("aws:ec2/vpcEndpoint:VpcEndpoint", "vpcId", "a", "b", True),
    (
        "aws:ec2/vpcEndpoint:VpcEndpoint",
        "vpcEndpointType",
        "Gateway",
        "Interface",
        True,
    ),
    ("aws:ec2/vpcEndpoint:VpcEndpoint", "routeTableIds", ["a"], ["a", "b"], False),
    ("aws:ec2/vpcEndpoint:VpcEndpoint", "subnetIds", ["a"], ["b"], False),
    ("aws:ec2/vpcEndpoint:VpcEndpoint", "privateDnsEnabled", False, True, False),
    ("aws:ec2/securityGroup:SecurityGroup", "name", "a", "b", True),
    ("aws:ec2/securityGroup:SecurityGroup", "description", "a", "b", True),
    ("aws:ec2/securityGroup:SecurityGroup", "vpcId", "a", "b", True),
    ("aws:ec2/securityGroup:SecurityGroup", "revokeRulesOnDelete", False, True, False),
    ("aws:ec2/securityGroupRule:SecurityGroupRule", "fromPort", 1, 2, True),
    ("aws:ec2/securityGroupRule:SecurityGroupRule", "cidrBlocks", ["a"], ["b"], True),
    ("aws:ec2/securityGroupRule:SecurityGroupRule", "type", "egress", "ingress", True),
    ("aws:ec2/securityGroupRule:SecurityGroupRule", "description", "a", "b", False),
    (
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        "securityGroupId",
        "a",
        "b",
        True,
    ),
    (
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule",
        "fromPort",
        1,
        2,
        False,
    ),
    (
        "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule",
        "cidrIpv4",
        "10.0.0.0/8",
        "11.0.0.0/8",
        False,
    ),
    ("aws:ec2/launchTemplate:LaunchTemplate", "name", "a", "b", True),
    ("aws:ec2/launchTemplate:LaunchTemplate", "namePrefix", "a", "b", True),
    ("aws:ec2/launchTemplate:LaunchTemplate", "userData", "a", "b", False),
    ("aws:ec2/launchTemplate:LaunchTemplate", "imageId", "ami-1", "ami-2", False),
    ("aws:autoscaling/group:Group", "name", "a", "b", True),
    ("aws:autoscaling/group:Group", "namePrefix", "a", "b", True),
    ("aws:autoscaling/group:Group", "maxSize", 1, 2, False),
    ("aws:autoscaling/group:Group", "vpcZoneIdentifiers", ["a"], ["b"], False),
    ("aws:autoscaling/group:Group", "suspendedProcesses", ["Launch"], [], False),
    ("aws:autoscaling/group:Group", "tags", [TAG], [TAG | {"value": "w"}], False),
    ("aws:autoscaling/tag:Tag", "autoscalingGroupName", "a", "b", True),
    ("aws:autoscaling/tag:Tag", "tag", TAG, TAG | {"key": "l"}, True),
    ("aws:autoscaling/tag:Tag", "tag", TAG, TAG | {"value": "w"}, False),
    ("aws:iam/role:Role", "name", "a", "b", True),
    ("aws:iam/role:Role", "path", "/", "/a/", True),
    ("aws:iam/role:Role", "assumeRolePolicy", "{}", "[]", False),
    ("aws:iam/role:Role", "description", "a", "b", False),
    ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "policyArn", "a", "b", True),
    ("aws:iam/rolePolicyAttachment:RolePolicyAttachment", "role", "a", "b", True),
    ("aws:iam/rolePolicy:RolePolicy", "role", "a", "b", True),
    ("aws:iam/rolePolicy:RolePolicy", "policy", "{}", "[]", False),
    ("aws:iam/policy:Policy", "description", "a", "b", True),
    ("aws:iam/policy:Policy", "policy", "{}", "[]", False),
    ("aws:iam/instanceProfile:InstanceProfile", "path", "/", "/a/", True),
    ("aws:iam/instanceProfile:InstanceProfile", "role", "a", "b", False),
    ("aws:iam/openIdConnectProvider:OpenIdConnectProvider", "url", "a", "b", True),
    ("aws:kms/key:Key", "keyUsage", "ENCRYPT_DECRYPT", "SIGN_VERIFY", True),
    ("aws:kms/key:Key", "multiRegion", False, True, True),
    ("aws:kms/key:Key", "enableKeyRotation", False, True, False),
    ("aws:kms/alias:Alias", "name", "alias/a", "alias/b", True),
    ("aws:kms/alias:Alias", "targetKeyId", "a", "b", False),
    ("aws:eks/cluster:Cluster", "name", "a", "b", True),
    ("aws:eks/cluster:Cluster", "roleArn", "a", "b", True),
    ("aws:eks/cluster:Cluster", "bootstrapSelfManagedAddons", True, False, True),
    (
        "aws:eks/cluster:Cluster",
        "accessConfig",
        {"bootstrapClusterCreatorAdminPermissions": True},
        {"bootstrapClusterCreatorAdminPermissions": False},
        True,
    ),
    (
        "aws:eks/cluster:Cluster",
        "accessConfig",
        {"authenticationMode": "API_AND_CONFIG_MAP"},
        {"authenticationMode": "API"},
        False,
    ),
    (
        "aws:eks/cluster:Cluster",
        "kubernetesNetworkConfig",
        {"serviceIpv4Cidr": "172.20.0.0/16"},
        {"serviceIpv4Cidr": "10.100.0.0/16"},
        True,
    ),
    ("aws:eks/cluster:Cluster", "version", "1.35", "1.36", False),
    (
        "aws:eks/cluster:Cluster",
        "vpcConfig",
        VPC_CONFIG,
        VPC_CONFIG | {"subnetIds": ["b"]},
        False,
    ),
    ("aws:eks/cluster:Cluster", "deletionProtection", False, True, False),
    (
        "aws:eks/cluster:Cluster",
        "kubeSchedulerConfig",
        {"nodeResourcesFit": {"scoringStrategy": {"type": "MostAllocated"}}},
        {"nodeResourcesFit": {"scoringStrategy": {"type": "LeastAllocated"}}},
        False,
    ),
    (
        "aws:eks/cluster:Cluster",
        "encryptionConfig",
        None,
        {"provider": {"keyArn": "a"}, "resources": ["secrets"]},
        False,
    ),
    (
        "aws:eks/cluster:Cluster",
        "encryptionConfig",
        {"provider": {"keyArn": "a"}, "resources": ["secrets"]},
        {"provider": {"keyArn": "b"}, "resources": ["secrets"]},
        True,
    ),
    ("aws:eks/nodeGroup:NodeGroup", "clusterName", "a", "b", True),
    ("aws:eks/nodeGroup:NodeGroup", "nodeGroupName", "a", "b", True),
    ("aws:eks/nodeGroup:NodeGroup", "nodeRoleArn", "a", "b", True),
    ("aws:eks/nodeGroup:NodeGroup", "subnetIds", ["a"], ["b"], True),
    ("aws:eks/nodeGroup:NodeGroup", "amiType", "a", "b", True),
    ("aws:eks/nodeGroup:NodeGroup", "capacityType", "ON_DEMAND", "SPOT", True),
    ("aws:eks/nodeGroup:NodeGroup", "diskSize", 20, 30, True),
    ("aws:eks/nodeGroup:NodeGroup", "instanceTypes", ["a"], ["b"], True),
    (
        "aws:eks/nodeGroup:NodeGroup",
        "launchTemplate",
        {"id": "a", "version": "1"},
        {"id": "b", "version": "1"},
        True,
    ),
    (
        "aws:eks/nodeGroup:NodeGroup",
        "launchTemplate",
        {"id": "a", "version": "1"},
        {"id": "a", "version": "2"},
        False,
    ),
    (
        "aws:eks/nodeGroup:NodeGroup",
        "scalingConfig",
        SCALING,
        SCALING | {"maxSize": 2},
        False,
    ),
    ("aws:eks/nodeGroup:NodeGroup", "labels", {"a": "b"}, {"a": "c"}, False),
    ("aws:eks/nodeGroup:NodeGroup", "version", "1.35", "1.36", False),
    ("aws:eks/addon:Addon", "clusterName", "a", "b", True),
    ("aws:eks/addon:Addon", "addonName", "a", "b", True),
    ("aws:eks/addon:Addon", "addonVersion", "a", "b", False),
    ("aws:eks/addon:Addon", "configurationValues", "{}", "{} ", False),
    ("aws:eks/accessEntry:AccessEntry", "clusterName", "a", "b", True),
    ("aws:eks/accessEntry:AccessEntry", "principalArn", "a", "b", True),
    ("aws:eks/accessEntry:AccessEntry", "type", "STANDARD", "EC2_LINUX", True),
    ("aws:eks/accessEntry:AccessEntry", "kubernetesGroups", ["a"], ["b"], False),
    (
        "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
        "accessScope",
        ACCESS,
        {"type": "namespace", "namespaces": ["a"]},
        True,
    ),
    (
        "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
        "policyArn",
        "a",
        "b",
        True,
    ),
    (
        "aws:eks/podIdentityAssociation:PodIdentityAssociation",
        "namespace",
        "a",
        "b",
        True,
    ),
    (
        "aws:eks/podIdentityAssociation:PodIdentityAssociation",
        "roleArn",
        "a",
        "b",
        False,
    ),
    ("aws:cloudwatch/logGroup:LogGroup", "name", "a", "b", True),
    ("aws:cloudwatch/logGroup:LogGroup", "retentionInDays", 7, 30, False),
    ("aws:sqs/queue:Queue", "fifoQueue", False, True, True),
    ("aws:sqs/queue:Queue", "delaySeconds", 0, 1, False),
    ("aws:sqs/queuePolicy:QueuePolicy", "queueUrl", "a", "b", True),
    ("aws:cloudwatch/eventRule:EventRule", "eventBusName", "a", "b", True),
    ("aws:cloudwatch/eventRule:EventRule", "description", "a", "b", False),
    ("aws:cloudwatch/eventTarget:EventTarget", "rule", "a", "b", True),
    ("aws:cloudwatch/eventTarget:EventTarget", "arn", "a", "b", False),
]


def diff(token, old, new, ignore=()):
    request = rpc.DiffRequest(
        f"urn:pulumi:t::p::{token}::n",
        "id",
        wrap_map(old),
        wrap_map(new),
        list(ignore),
    )
    return asyncio.run(AwsProvider("http://127.0.0.1:1").diff(request))


@pytest.mark.parametrize(("token", "name", "old", "new", "replaces"), TABLE)
def test_replaces_what_the_provider_replaces(token, name, old, new, replaces):
    answer = diff(token, {name: old}, {name: new})

    assert ([name], [name] if replaces else []) == (answer.diffs, answer.replaces)


@pytest.mark.parametrize(("token", "name", "old", "new", "replaces"), TABLE)
def test_the_details_say_the_same(token, name, old, new, replaces):
    answer = diff(token, {name: old}, {name: new})

    assert replaces is any(
        change.kind.name.endswith("REPLACE") for change in answer.detailed_diff.values()
    )


def test_a_value_known_only_later_may_replace():
    answer = diff("aws:ec2/subnet:Subnet", {"vpcId": "a"}, {"vpcId": UNKNOWN})

    assert ["vpcId"] == answer.replaces


def test_two_resources_of_one_given_name_do_not_stand_beside_each_other():
    old, new = {"name": "a", "path": "/"}, {"name": "a", "path": "/b/"}

    assert diff("aws:iam/role:Role", old, new).delete_before_replace


def test_a_made_name_lets_the_new_resource_come_first():
    old = {"name": "a-1", "path": "/"}
    new = {"name": "a-1", "path": "/b/", "__defaults": ["name"]}

    assert not diff("aws:iam/role:Role", old, new).delete_before_replace


def test_another_name_lets_the_new_resource_come_first():
    assert not diff(
        "aws:iam/role:Role", {"name": "a"}, {"name": "b"}
    ).delete_before_replace


@pytest.mark.parametrize(
    ("token", "old", "new", "ignore"),
    [
        ("aws:ec2/vpc:Vpc", {"tags": {"a": "b"}}, {}, ["tags"]),
        (
            "aws:eks/nodeGroup:NodeGroup",
            {"scalingConfig": SCALING},
            {"scalingConfig": SCALING | {"desiredSize": 1}},
            ["scalingConfig.desiredSize"],
        ),
        (
            "aws:autoscaling/group:Group",
            {"desiredCapacity": 7},
            {"desiredCapacity": 0},
            ["desiredCapacity"],
        ),
    ],
)
def test_ignored_changes_are_no_changes(token, old, new, ignore):
    assert diff(token, old, new).changes
    assert not diff(token, old, new, ignore).changes
