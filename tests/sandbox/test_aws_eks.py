"""
EKS, of which moto has little: what the stand-in refuses, makes and keeps.

Not proven: that EKS gives a cluster these add-ons, or that a node joins it.
"""

import base64
import json

import pytest
from botocore.exceptions import ClientError, ParamValidationError

from sandbox.errors import RefusedError
from tests.sandbox.aws_driver import (
    EC2,
    EKS,
    PODS,
    RefusedInputsError,
    served,
    trust,
)

CLUSTER = "aws:eks/cluster:Cluster"
NODES = "aws:eks/nodeGroup:NodeGroup"
ADDON = "aws:eks/addon:Addon"
ENTRY = "aws:eks/accessEntry:AccessEntry"
ACCESS = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
IDENTITY = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
ADMIN = "arn:aws:iam::111122223333:role/Admin"
ADMIN_POLICY = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
API = {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": False}


class World:
    """An account with a network and the roles of a cluster."""

    def __init__(self, account):
        self.account = account
        self.vpc = account.create("aws:ec2/vpc:Vpc", "v", cidrBlock="10.0.0.0/16").id
        self.subnets = [self.subnet(number) for number in range(2)]
        self.roles = {
            name: account.create(
                "aws:iam/role:Role",
                name.partition(".")[0],
                assumeRolePolicy=trust(name),
            ).state["arn"]
            for name in (EC2, EKS, PODS)
        }

    def subnet(self, number, zone=None):
        zone = zone or f"ap-northeast-2{'ab'[number % 2]}"
        return self.account.create(
            "aws:ec2/subnet:Subnet",
            f"s-{number}",
            vpcId=self.vpc,
            availabilityZone=zone,
            cidrBlock=f"10.0.{number}.0/24",
        ).id

    def cluster(self, name="c", **inputs):
        defaults = {
            "roleArn": self.roles[EKS],
            "version": "1.35",
            "vpcConfig": {"subnetIds": self.subnets},
            "accessConfig": API,
        }
        return self.account.create(CLUSTER, name, **{**defaults, **inputs})

    def nodes(self, cluster, name="n", **inputs):
        defaults = {
            "clusterName": cluster.id,
            "nodeRoleArn": self.roles[EC2],
            "subnetIds": self.subnets,
            "scalingConfig": {"minSize": 0, "maxSize": 3, "desiredSize": 1},
            "instanceTypes": ["m7i.xlarge"],
        }
        return self.account.create(NODES, name, **{**defaults, **inputs})


@pytest.fixture(scope="module")
def world():
    with served() as account:
        yield World(account)


@pytest.fixture(scope="module")
def cluster(world):
    return world.cluster("shared")


def assert_lives_and_dies(made):
    assert ({}, {}) == (made.kinds(), made.refresh())
    made.delete()

    assert {"id": (made.id, None)} == made.refresh()


def message(caught):
    return caught.value.response["Error"]["Message"]


def code(caught):
    return caught.value.response["Error"]["Code"]


def test_a_cluster_lives_and_dies(world):
    assert_lives_and_dies(world.cluster())


def test_a_cluster_has_what_nodes_need(world, cluster):
    state = cluster.state
    pem = base64.b64decode(state["certificateAuthority"]["data"])

    assert state["endpoint"].endswith(".gr7.ap-northeast-2.eks.amazonaws.com")
    assert state["identities"][0]["oidcs"][0]["issuer"].startswith("https://oidc.eks.")
    assert pem.startswith(b"-----BEGIN CERTIFICATE-----")
    assert "172.20.0.0/16" == state["kubernetesNetworkConfig"]["serviceIpv4Cidr"]
    assert world.vpc == state["vpcConfig"]["vpcId"]


def test_the_security_group_of_a_cluster_is_a_real_one(world, cluster):
    id_ = cluster.state["vpcConfig"]["clusterSecurityGroupId"]
    (group,) = world.account.client("ec2").describe_security_groups(GroupIds=[id_])[
        "SecurityGroups"
    ]

    assert (world.vpc, f"eks-cluster-sg-{cluster.id}") == (
        group["VpcId"],
        group["GroupName"],
    )


def test_the_security_group_goes_with_its_cluster(world):
    made = world.cluster("grouped")
    id_ = made.state["vpcConfig"]["clusterSecurityGroupId"]
    made.delete()

    with pytest.raises(ClientError):
        world.account.client("ec2").describe_security_groups(GroupIds=[id_])


def test_moto_knows_the_cluster_too(world, cluster):
    assert cluster.id in world.account.client("eks").list_clusters()["clusters"]


def test_all_parts_of_a_cluster_are_kept(world):
    key = world.account.create("aws:kms/key:Key", "k").state["arn"]
    made = world.cluster(
        "full",
        encryptionConfig={"provider": {"keyArn": key}, "resources": ["secrets"]},
        enabledClusterLogTypes=["audit", "api"],
        upgradePolicy={"supportType": "STANDARD"},
        deletionProtection=False,
        kubeSchedulerConfig={
            "nodeResourcesFit": {
                "scoringStrategy": {
                    "type": "MostAllocated",
                    "resources": [{"name": "cpu", "weight": 1}],
                }
            }
        },
        kubeControllerManagerConfig={
            "podGcControllerConfig": {"terminatedPodGcThreshold": 500}
        },
    )

    assert_lives_and_dies(made)


@pytest.mark.parametrize(
    "change",
    [
        {"enabledClusterLogTypes": ["api"]},
        {"version": "1.36"},
        {"upgradePolicy": {"supportType": "STANDARD"}},
        {"tags": {"a": "b"}},
        {
            "kubeSchedulerConfig": {
                "nodeResourcesFit": {"scoringStrategy": {"type": "MostAllocated"}}
            }
        },
    ],
)
def test_a_cluster_changes_in_place(world, change):
    made = world.cluster("changing")
    made.update(**change)

    assert ({}, {}) == (made.kinds(), made.refresh())
    made.delete()


@pytest.mark.parametrize(
    ("key", "config"),
    [
        (
            "kubeSchedulerConfig",
            {"nodeResourcesFit": {"scoringStrategy": {"type": "MostAllocated"}}},
        ),
        (
            "kubeControllerManagerConfig",
            {"podGcControllerConfig": {"terminatedPodGcThreshold": 500}},
        ),
    ],
)
def test_what_a_control_plane_was_told_stays_when_it_is_left_out(world, key, config):
    made = world.cluster("told", **{key: config})

    assert not made.diff(**{key: None}).changes
    made.delete()


def test_endpoint_access_of_a_cluster_changes_in_place(world):
    made = world.cluster("open")
    config = {
        "subnetIds": world.subnets,
        "endpointPrivateAccess": True,
        "publicAccessCidrs": ["203.0.113.0/24"],
    }
    made.update(vpcConfig=config)

    assert config.items() <= made.state["vpcConfig"].items()
    assert ({}, {}) == (made.kinds(), made.refresh())
    made.delete()


def switches(on: bool) -> dict:
    return {
        "computeConfig": {"enabled": on, **({"nodePools": []} if on else {})},
        "kubernetesNetworkConfig": {"elasticLoadBalancing": {"enabled": on}},
        "storageConfig": {"blockStorage": {"enabled": on}},
    }


def test_h085_the_switches_of_auto_mode_change_in_one_request(world):
    """EKS looks at all three: one after the other would be refused."""
    made = world.cluster("switched", **switches(False))
    made.update(**switches(True))

    assert made.state["computeConfig"]["enabled"]
    assert ({}, {}) == (made.kinds(), made.refresh())

    made.update(**switches(False))

    assert not made.state["storageConfig"]["blockStorage"]["enabled"]
    assert {} == made.kinds()
    made.delete()


def test_encryption_is_added_in_place(world):
    key = world.account.create("aws:kms/key:Key", "k").state["arn"]
    made = world.cluster("plain")
    made.update(
        encryptionConfig={"provider": {"keyArn": key}, "resources": ["secrets"]}
    )

    assert ({}, {}) == (made.kinds(), made.refresh())
    assert ["encryptionConfig"] == made.diff(encryptionConfig=None).replaces
    made.delete()


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        ({"version": "1.29"}, "unsupported Kubernetes version 1.29"),
        (
            {"roleArn": "arn:aws:iam::123456789012:role/nobody"},
            "Role with arn: arn:aws:iam::123456789012:role/nobody, could not be "
            "assumed by eks.amazonaws.com because it does not exist or the trusted "
            "entity is not correct",
        ),
        (
            {"kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/8"}},
            "serviceIpv4Cidr: 172.20.0.0/8 has host bits set",
        ),
        (
            {"kubernetesNetworkConfig": {"serviceIpv4Cidr": "8.0.0.0/16"}},
            "serviceIpv4Cidr must be a private range of /12 to /24, got 8.0.0.0/16",
        ),
        (
            {
                "computeConfig": {"enabled": True},
                "storageConfig": {"blockStorage": {"enabled": False}},
            },
            "For EKS Auto Mode, please ensure that all required configs, including "
            "computeConfig, kubernetesNetworkConfig, and blockStorage are all either "
            "fully enabled or fully disabled",
        ),
    ],
)
def test_h085_refuses_a_cluster_that_eks_refuses(world, inputs, text):
    with pytest.raises(ClientError) as caught:
        world.cluster("bad", **inputs)

    assert text == message(caught)


def test_a_cluster_keeps_the_zones_that_it_was_made_in(world, cluster):
    third = [*world.subnets, world.subnet(5, "ap-northeast-2d")]

    with pytest.raises(ClientError) as caught:
        cluster.update(vpcConfig={"subnetIds": third})

    assert message(caught).startswith("Provided subnets belong to the AZs ")


def test_h082_a_cluster_needs_two_zones(world):
    one_zone = [world.subnets[0], world.subnet(4, "ap-northeast-2a")]

    with pytest.raises(ClientError) as caught:
        world.cluster("bad", vpcConfig={"subnetIds": one_zone})

    assert "Subnets specified must be in at least two different AZs" == message(caught)


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"securityGroupIds": ["sg-0123456789abcdef0"]}, "InvalidGroup.NotFound"),
        (
            {"endpointPublicAccess": False},
            "Private and public endpoint access cannot be false",
        ),
        (
            {"publicAccessCidrs": ["10.0.0.1/8"]},
            "Invalid CIDR 10.0.0.1/8 in publicAccessCidrs",
        ),
    ],
)
def test_refuses_a_network_that_eks_refuses(world, config, text):
    with pytest.raises(ClientError) as caught:
        world.cluster("bad", vpcConfig={"subnetIds": world.subnets, **config})

    assert text in message(caught)


def test_a_cluster_is_checked_against_the_service_model(world):
    with pytest.raises(RefusedError, match="accessConfig.authenticationMode must be"):
        world.cluster("bad", accessConfig={"authenticationMode": "IAM"})


def test_a_log_type_is_checked(world):
    with pytest.raises(RefusedInputsError) as caught:
        world.cluster("bad", enabledClusterLogTypes=["kubelet"])

    assert [
        (
            "enabledClusterLogTypes",
            "must be of api, audit, authenticator, controllerManager, scheduler, got "
            "'kubelet'",
        )
    ] == caught.value.args[0]


def test_a_refused_cluster_leaves_nothing_behind(world):
    before = world.account.client("ec2").describe_security_groups()["SecurityGroups"]
    with pytest.raises(ClientError):
        world.cluster("bad", version="1.29")

    after = world.account.client("ec2").describe_security_groups()["SecurityGroups"]
    assert len(before) == len(after)


@pytest.mark.parametrize("version", ["1.34", "1.37"])
def test_a_cluster_goes_up_by_one_minor_version(cluster, version):
    with pytest.raises(ClientError) as caught:
        cluster.update(version=version)

    assert (
        f"Unsupported Kubernetes minor version update from 1.35 to {version}"
    ) == message(caught)


def test_the_way_in_changes_in_one_direction(world):
    both = {"authenticationMode": "API_AND_CONFIG_MAP"}
    made = world.cluster("ways", accessConfig=both)
    made.update(accessConfig={"authenticationMode": "API"})

    with pytest.raises(ClientError) as caught:
        made.update(accessConfig=both)
    assert message(caught).startswith("Unsupported authentication mode update from API")
    made.delete()


def test_the_creator_of_a_cluster_may_be_let_in(world):
    made = world.cluster("mine", accessConfig={"authenticationMode": "API"})

    with pytest.raises(ClientError) as caught:
        world.account.create(
            ENTRY,
            "creator",
            clusterName=made.id,
            principalArn="arn:aws:iam::123456789012:user/sandbox",
        )
    assert "ResourceInUseException" == code(caught)
    made.delete()


def test_a_protected_cluster_stays_until_the_protection_is_lifted(world):
    made = world.cluster("kept", deletionProtection=True)
    with pytest.raises(ClientError) as caught:
        made.delete()

    assert f"Cluster {made.id} has deletion protection enabled" == message(caught)
    made.update(deletionProtection=False)
    made.delete()
    assert {"id": (made.id, None)} == made.refresh()


def test_a_cluster_stays_while_it_has_nodes(world):
    made = world.cluster("busy")
    nodes = world.nodes(made)
    with pytest.raises(ClientError) as caught:
        made.delete()

    assert "ResourceInUseException" == code(caught)
    nodes.delete()
    made.delete()


def test_what_eks_keeps_for_a_cluster_goes_with_it(world):
    made = world.cluster("gone")
    addon = world.account.create(ADDON, "a", clusterName=made.id, addonName="coredns")
    made.delete()

    assert {"id": (addon.id, None)} == addon.refresh()


def test_a_node_group_lives_and_dies(world, cluster):
    assert_lives_and_dies(world.nodes(cluster))


def scaling_group(world, nodes):
    name = nodes.state["resources"][0]["autoscalingGroups"][0]["name"]
    (found,) = world.account.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[name]
    )["AutoScalingGroups"]
    return found


def test_a_node_group_has_a_real_scaling_group(world, cluster):
    nodes = world.nodes(cluster, "real")
    found = scaling_group(world, nodes)
    tags = {tag["Key"]: tag["Value"] for tag in found["Tags"]}

    assert (0, 3, 1) == (found["MinSize"], found["MaxSize"], len(found["Instances"]))
    assert {
        "k8s.io/cluster-autoscaler/enabled": "true",
        f"k8s.io/cluster-autoscaler/{cluster.id}": "owned",
    }.items() <= tags.items()
    nodes.delete()


@pytest.mark.parametrize(
    "change",
    [
        {"labels": {"a": "c"}},
        {"labels": {}},
        {"taints": [{"key": "k", "value": "v", "effect": "NO_SCHEDULE"}]},
        {"scalingConfig": {"minSize": 1, "maxSize": 4, "desiredSize": 2}},
        {"updateConfig": {"maxUnavailablePercentage": 50}},
        {"nodeRepairConfig": {"enabled": True}},
        {"tags": {"a": "b"}},
    ],
)
def test_a_node_group_changes_in_place(world, cluster, change):
    nodes = world.nodes(cluster, "changing", labels={"a": "b"})
    nodes.update(**change)

    assert ({}, {}) == (nodes.kinds(), nodes.refresh())
    nodes.delete()


def test_the_size_that_the_autoscaler_set_is_seen(world, cluster):
    nodes = world.nodes(cluster, "sized")
    world.account.client("autoscaling").set_desired_capacity(
        AutoScalingGroupName=scaling_group(world, nodes)["AutoScalingGroupName"],
        DesiredCapacity=3,
    )

    assert 3 == nodes.refresh()["scalingConfig"][1]["desiredSize"]
    assert not nodes.diff(ignore=("scalingConfig.desiredSize",)).changes
    nodes.delete()


def template(world, **inputs):
    return world.account.create(
        "aws:ec2/launchTemplate:LaunchTemplate",
        "t",
        **{"userData": base64.b64encode(b"a").decode(), **inputs},
    )


def test_a_new_version_of_its_template_reaches_the_scaling_group(world, cluster):
    made = template(world)
    nodes = world.nodes(
        cluster, "rolled", launchTemplate={"id": made.id, "version": "1"}
    )
    made.update(userData=base64.b64encode(b"b").decode())
    nodes.update(launchTemplate={"id": made.id, "version": "2"})
    nodes.update(scalingConfig={"minSize": 0, "maxSize": 3, "desiredSize": 2})

    group = scaling_group(world, nodes)
    used = group["MixedInstancesPolicy"]["LaunchTemplate"][
        "LaunchTemplateSpecification"
    ]
    (found,) = world.account.client("ec2").describe_launch_template_versions(
        LaunchTemplateId=used["LaunchTemplateId"], Versions=[used["Version"]]
    )["LaunchTemplateVersions"]
    data = found["LaunchTemplateData"]["UserData"]
    assert (b"b", 2) == (base64.b64decode(data), len(group["Instances"]))
    assert_lives_and_dies(nodes)


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        (
            {"instanceTypes": ["m7g.xlarge"], "amiType": "AL2023_x86_64_STANDARD"},
            "[m7g.xlarge] is not a valid instance type for requested amiType "
            "AL2023_x86_64_STANDARD",
        ),
        (
            {"scalingConfig": {"minSize": 2, "maxSize": 1, "desiredSize": 1}},
            "Minimum capacity can't be greater than maximum",
        ),
        (
            {"scalingConfig": {"minSize": 0, "maxSize": 1, "desiredSize": 2}},
            "desired capacity 2 must be minimum 0 to maximum 1",
        ),
        (
            {"version": "1.36"},
            "Nodegroup Kubernetes version 1.36 is newer than that of its cluster, 1.35",
        ),
        ({"clusterName": "nope"}, "No cluster found for name: nope."),
    ],
)
def test_h045_refuses_nodes_that_eks_refuses(world, cluster, inputs, text):
    with pytest.raises(ClientError) as caught:
        world.nodes(cluster, "bad", **inputs)

    assert text == message(caught)


@pytest.mark.parametrize(
    ("data", "inputs", "text"),
    [
        (
            {"iamInstanceProfile": {"name": "x"}},
            {},
            "Launch template must not set IamInstanceProfile",
        ),
        (
            {"instanceType": "m7i.large"},
            {},
            "Cannot specify instance types in launch template and API request",
        ),
        (
            {},
            {"diskSize": 20},
            "Disk size must be specified within the launch template",
        ),
        (
            {"imageId": "ami-0123456789abcdef0"},
            {"amiType": "AL2023_x86_64_STANDARD"},
            "You cannot specify amiType when specifying an image id in your launch "
            "template",
        ),
    ],
)
def test_refuses_a_template_that_eks_refuses(world, cluster, data, inputs, text):
    chosen = {"id": template(world, **data).id, "version": "1"}

    with pytest.raises(ClientError) as caught:
        world.nodes(cluster, "bad", launchTemplate=chosen, **inputs)

    assert text == message(caught)


def test_a_taint_has_the_spelling_of_eks(world, cluster):
    taints = [{"key": "k", "value": "v", "effect": "NoSchedule"}]

    with pytest.raises(RefusedError, match="effect must be one of NO_SCHEDULE, "):
        world.nodes(cluster, "bad", taints=taints)


def addon(world, cluster, name="vpc-cni", **inputs):
    return world.account.create(
        ADDON, name, clusterName=cluster.id, addonName=name, **inputs
    )


def test_an_addon_lives_changes_and_dies(world, cluster):
    made = addon(
        world,
        cluster,
        addonVersion="v1.21.1-eksbuild.1",
        configurationValues='{"env":{"A":"1"}}',
        resolveConflictsOnCreate="OVERWRITE",
        podIdentityAssociations=[
            {"serviceAccount": "aws-node", "roleArn": world.roles[PODS]}
        ],
    )
    made.update(configurationValues='{"env":{"A":"2"}}', tags={"a": "b"})

    assert {"a": "b"} == made.state["tagsAll"]
    assert_lives_and_dies(made)


def test_an_addon_without_a_version_keeps_the_default(world, cluster):
    made = addon(world, cluster, "kube-proxy")

    assert "v1.35.0-eksbuild.2" == made.state["addonVersion"]
    assert_lives_and_dies(made)


@pytest.mark.parametrize(
    ("name", "inputs", "text"),
    [
        ("nope", {}, "Addon nope specified is not supported"),
        (
            "coredns",
            {"addonVersion": "1.2.3"},
            "Addon version 1.2.3 is not supported, expected a version such as "
            "v1.2.3-eksbuild.1",
        ),
        (
            "coredns",
            {"configurationValues": "[]"},
            "ConfigurationValue must be an object",
        ),
        (
            "coredns",
            {"serviceAccountRoleArn": "arn:aws:iam::123456789012:role/nobody"},
            "Role with arn: arn:aws:iam::123456789012:role/nobody, could not be "
            "assumed by anybody because it does not exist or the trusted entity is "
            "not correct",
        ),
    ],
)
def test_refuses_an_addon_that_eks_refuses(world, cluster, name, inputs, text):
    with pytest.raises(ClientError) as caught:
        addon(world, cluster, name, **inputs)

    assert text == message(caught)


def test_an_addon_is_installed_once(world, cluster):
    made = addon(world, cluster, "metrics-server")
    with pytest.raises(ClientError) as caught:
        world.account.create(
            ADDON, "again", clusterName=cluster.id, addonName="metrics-server"
        )

    assert "ResourceInUseException" == code(caught)
    made.delete()


def entry(world, cluster, arn=ADMIN, **inputs):
    return world.account.create(
        ENTRY,
        arn.rpartition("/")[2],
        clusterName=cluster.id,
        principalArn=arn,
        **inputs,
    )


def test_an_access_entry_lives_changes_and_dies(world, cluster):
    made = entry(world, cluster, kubernetesGroups=["admins"])
    made.update(kubernetesGroups=["others"], tags={"a": "b"})

    assert (
        "arn:aws:sts::111122223333:assumed-role/Admin/{{SessionName}}"
    ) == made.state["userName"]
    assert_lives_and_dies(made)


def test_nodes_get_the_names_of_nodes(world, cluster):
    role = world.account.create("aws:iam/role:Role", "j", assumeRolePolicy=trust(EC2))
    made = entry(world, cluster, role.state["arn"], type="EC2_LINUX")

    assert ("system:node:{{EC2PrivateDNSName}}", ["system:nodes"]) == (
        made.state["userName"],
        made.state["kubernetesGroups"],
    )
    assert_lives_and_dies(made)


def test_h076_a_role_of_a_managed_group_has_an_entry_already(world):
    made = world.cluster("entries")
    nodes = world.nodes(made)

    with pytest.raises(ClientError) as caught:
        entry(world, made, world.roles[EC2], type="EC2_LINUX")
    assert "ResourceInUseException" == code(caught)
    nodes.delete()
    made.delete()


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        (
            {"kubernetesGroups": ["system:masters"]},
            "The kubernetes group name system:masters is invalid, it cannot start with "
            "system:, eks:, aws:, amazon:, iam:",
        ),
        (
            {"type": "EC2_BSD"},
            "type must be one of EC2, EC2_LINUX, EC2_WINDOWS, FARGATE_LINUX, "
            "HYBRID_LINUX, HYPERPOD_LINUX, STANDARD, got EC2_BSD",
        ),
        (
            {"type": "EC2_LINUX", "kubernetesGroups": ["a"]},
            "kubernetesGroups and username cannot be set for type EC2_LINUX",
        ),
        (
            {"arn": "arn:aws:iam::123456789012:role/nobody", "type": "EC2_LINUX"},
            "Role with arn: arn:aws:iam::123456789012:role/nobody, could not be "
            "assumed by ec2.amazonaws.com because it does not exist or the trusted "
            "entity is not correct",
        ),
        ({"arn": "admin"}, "The specified principalArn is invalid: admin"),
    ],
)
def test_h076_refuses_an_entry_that_eks_refuses(world, cluster, inputs, text):
    with pytest.raises(ClientError) as caught:
        entry(world, cluster, **inputs)

    assert text == message(caught)


def test_entries_need_a_cluster_that_uses_them(world):
    made = world.cluster("old", accessConfig={"authenticationMode": "CONFIG_MAP"})

    with pytest.raises(ClientError) as caught:
        entry(world, made)
    assert "InvalidRequestException" == code(caught)
    made.delete()


def access(world, cluster, **inputs):
    defaults = {"policyArn": ADMIN_POLICY, "accessScope": {"type": "cluster"}}
    return world.account.create(
        ACCESS,
        "a",
        clusterName=cluster.id,
        principalArn=ADMIN,
        **{**defaults, **inputs},
    )


def test_an_access_policy_lives_and_dies(world, cluster):
    principal = entry(world, cluster)
    assert_lives_and_dies(access(world, cluster))
    principal.delete()


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        (
            {"policyArn": "arn:aws:iam::aws:policy/AdministratorAccess"},
            "The policyArn parameter format is not valid: "
            "arn:aws:iam::aws:policy/AdministratorAccess",
        ),
        (
            {"accessScope": {"type": "namespace"}},
            "namespaces must be given for scope namespace and no other",
        ),
    ],
)
def test_refuses_an_access_policy_that_eks_refuses(world, cluster, inputs, text):
    principal = entry(world, cluster)
    with pytest.raises(ClientError) as caught:
        access(world, cluster, **inputs)

    assert text == message(caught)
    principal.delete()


def test_an_access_policy_needs_an_entry(world, cluster):
    with pytest.raises(ClientError) as caught:
        access(world, cluster)

    assert "ResourceNotFoundException" == code(caught)


def identity(world, cluster, **inputs):
    defaults = {"roleArn": world.roles[PODS], "serviceAccount": "scaler"}
    return world.account.create(
        IDENTITY,
        "i",
        clusterName=cluster.id,
        namespace="kube-system",
        **{**defaults, **inputs},
    )


def test_a_pod_identity_lives_changes_and_dies(world, cluster):
    made = identity(world, cluster)
    other = world.account.create(
        "aws:iam/role:Role", "p2", assumeRolePolicy=trust(PODS)
    )
    made.update(roleArn=other.state["arn"], tags={"a": "b"})

    assert_lives_and_dies(made)


def test_a_pod_identity_needs_a_role_that_trusts_pods(world, cluster):
    with pytest.raises(ClientError) as caught:
        identity(world, cluster, roleArn=world.roles[EC2])

    assert "could not be assumed by pods.eks.amazonaws.com" in message(caught)


def test_a_service_account_has_one_identity(world, cluster):
    made = identity(world, cluster, serviceAccount="one")
    with pytest.raises(ClientError) as caught:
        identity(world, cluster, serviceAccount="one", disableSessionTags=True)

    assert "ResourceInUseException" == code(caught)
    made.delete()


def test_a_cluster_is_looked_up(world, cluster):
    found = world.account.invoke("aws:eks/getCluster:getCluster", name=cluster.id)

    assert cluster.state["endpoint"] == found["endpoint"]
    assert [cluster.state["certificateAuthority"]] == found["certificateAuthorities"]


def test_a_request_of_a_wrong_type_is_refused_by_the_model(world, cluster):
    """The types of the SDK let an object through where its member has none."""
    from sandbox.aws.eks_api import EksApi

    api = EksApi(world.account.provider._cloud("ap-northeast-2"), world.account.journal)

    with pytest.raises(ParamValidationError):
        api.check("CreateAddon", {"clusterName": cluster.id, "addonName": 3})


def test_records_are_readable_json(world, cluster):
    key = f"eks/ap-northeast-2/cluster/{cluster.id}"
    record = world.account.journal.get(key)

    assert cluster.id == json.loads(json.dumps(record))["name"]
