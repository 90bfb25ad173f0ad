"""Server nodes as EKS is sent them; how EKS updates them, these tests cannot show."""

import base64
import json
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from components import (
    Gp3Volume,
    InstanceTypes,
    KubeletTuning,
    ServerGroup,
    ServerNodes,
    ServerNodesArgs,
    Size,
    Taint,
)
from components.spec.node_config import managed_user_data
from tests.components.builders import facts

COMPONENT = "eks-jobs:index:ServerNodes"
GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"


def group(**overrides) -> ServerGroup:
    defaults: dict[str, Any] = {
        "name": "server",
        "architecture": "amd64",
        "instance_types": ("m7i.xlarge", "m6i.xlarge"),
    }
    return ServerGroup(**defaults | overrides)


def args(cluster=None, tags=None, **overrides) -> ServerNodesArgs:
    return ServerNodesArgs(
        cluster=cluster or facts(), group=group(**overrides), tags=tags or {}
    )


def deployed(deploy, **overrides):
    return deploy(lambda: ServerNodes("server", args(**overrides)))


def test_identity_is_pinned(deploy):
    assert [
        f"{COMPONENT}${TEMPLATE}::server",
        f"{COMPONENT}${GROUP}::server",
        f"{COMPONENT}${ROLE}::server",
        f"{COMPONENT}${ATTACHMENT}::server-AmazonEC2ContainerRegistryPullOnly",
        f"{COMPONENT}${ATTACHMENT}::server-AmazonEKSWorkerNodePolicy",
        f"{COMPONENT}${ATTACHMENT}::server-AmazonEKS_CNI_Policy",
        f"{COMPONENT}::server",
    ] == [resource.path for resource in deployed(deploy).resources]


def test_the_node_group_is_what_the_group_says(deploy):
    assert {
        "clusterName": "alpha",
        "version": "1.36",
        "nodeRoleArn": "arn:test:role/server",
        "subnetIds": ["subnet-1", "subnet-2"],
        "amiType": "AL2023_x86_64_STANDARD",
        "capacityType": "ON_DEMAND",
        "instanceTypes": ["m7i.xlarge", "m6i.xlarge"],
        "launchTemplate": {"id": "server-id", "version": "7"},
        "scalingConfig": {"minSize": 2, "maxSize": 10, "desiredSize": 2},
        "updateConfig": {"maxUnavailable": 1},
        "labels": {"eks-jobs/group": "server"},
        "taints": [],
        "tags": {"Name": "alpha-server"},
    } == deployed(deploy).only(GROUP).inputs


def test_the_launch_template_is_what_the_group_says(deploy):
    tags = {"Name": "alpha-server"}

    assert {
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "ebs": {
                    "volumeType": "gp3",
                    "volumeSize": 100,
                    "iops": 3000,
                    "throughput": 125,
                    "encrypted": "true",
                    "deleteOnTermination": "true",
                },
            }
        ],
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpTokens": "required",
            "httpPutResponseHopLimit": 1,
            "instanceMetadataTags": "disabled",
        },
        "tagSpecifications": [
            {"resourceType": "instance", "tags": tags},
            {"resourceType": "volume", "tags": tags},
        ],
        "tags": tags,
    } == deployed(deploy).only(TEMPLATE).inputs


@pytest.mark.parametrize(
    ("architecture", "instance_type", "ami_type"),
    [
        ("amd64", "m7i.xlarge", "AL2023_x86_64_STANDARD"),
        ("arm64", "m7g.xlarge", "AL2023_ARM_64_STANDARD"),
    ],
)
def test_h045_the_image_follows_from_the_architecture(
    deploy, architecture, instance_type, ami_type
):
    deployment = deployed(
        deploy, architecture=architecture, instance_types=(instance_type,)
    )

    assert ami_type == deployment.only(GROUP).inputs["amiType"]


def test_h054_what_the_template_says_the_group_does_not(deploy):
    deployment = deployed(deploy, volume=Gp3Volume(size_gib=50))
    taken = {"diskSize", "remoteAccess"}

    assert set() == taken & deployment.only(GROUP).inputs.keys()
    assert "instanceType" not in deployment.only(TEMPLATE).inputs


def test_h053_the_size_that_the_autoscaler_chose_stays(deploy):
    request = deployed(deploy).only(GROUP).request

    assert ["scalingConfig.desiredSize"] == list(request.ignoreChanges)


def test_h055_a_replacement_can_stand_beside_the_old_group(deploy):
    deployment = deployed(deploy)

    assert "nodeGroupName" not in deployment.only(GROUP).inputs
    assert "name" not in deployment.only(TEMPLATE).inputs
    assert "name" not in deployment.only(ROLE).inputs


@pytest.mark.parametrize(
    ("effect", "sent"),
    [
        ("NoSchedule", "NO_SCHEDULE"),
        ("PreferNoSchedule", "PREFER_NO_SCHEDULE"),
        ("NoExecute", "NO_EXECUTE"),
    ],
)
def test_h050_taints_are_spelled_as_eks_does(deploy, effect, sent):
    taint = Taint(key="team", value="data", effect=effect)
    deployment = deployed(deploy, taints=(taint,))

    assert [{"key": "team", "value": "data", "effect": sent}] == (
        deployment.only(GROUP).inputs["taints"]
    )


def test_labels_join_the_one_of_the_library(deploy):
    labels = deployed(deploy, labels={"team": "web"}).only(GROUP).inputs["labels"]

    assert {"eks-jobs/group": "server", "team": "web"} == labels


def test_without_settings_of_its_own_eks_writes_the_user_data(deploy):
    assert "userData" not in deployed(deploy).only(TEMPLATE).inputs


def test_h029_h033_the_pod_count_is_written_once_encoded(deploy):
    kubelet = KubeletTuning(max_pods=40)
    deployment = deployed(deploy, kubelet=kubelet)
    rendered = managed_user_data(group(kubelet=kubelet), InstanceTypes.bundled())

    assert rendered == base64.b64decode(
        deployment.only(TEMPLATE).inputs["userData"], validate=True
    ).decode("ascii")


def test_h080_nodes_carry_the_security_group_of_the_cluster_alone(deploy):
    inputs = deployed(deploy).only(TEMPLATE).inputs

    assert set() == {"vpcSecurityGroupIds", "networkInterfaces"} & inputs.keys()


def test_h076_eks_makes_the_access_entry(deploy):
    assert [] == deployed(deploy).of_type("aws:eks/accessEntry:AccessEntry")


def test_h081_the_sovereign_cloud_has_ec2_under_its_commercial_name(deploy):
    deployment = deploy(
        lambda: ServerNodes("server", args()),
        answers={
            "aws:index/getPartition:getPartition": {
                "id": "aws-eusc",
                "partition": "aws-eusc",
                "dnsSuffix": "amazonaws.eu",
            }
        },
    )
    trust = json.loads(deployment.only(ROLE).inputs["assumeRolePolicy"])

    assert {"Service": "ec2.amazonaws.com"} == trust["Statement"][0]["Principal"]


def test_h081_role_and_policies_are_those_of_the_partition(deploy):
    deployment = deployed(deploy)

    assert {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "ec2.test.example.com"},
                "Action": ["sts:AssumeRole"],
            }
        ],
    } == json.loads(deployment.only(ROLE).inputs["assumeRolePolicy"])
    assert [
        "arn:test:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly",
        "arn:test:iam::aws:policy/AmazonEKSWorkerNodePolicy",
        "arn:test:iam::aws:policy/AmazonEKS_CNI_Policy",
    ] == [r.inputs["policyArn"] for r in deployment.of_type(ATTACHMENT)]


def test_h016_rebalancing_has_no_switch_that_would_do_nothing():
    with pytest.raises(TypeError, match="suspended_processes"):
        group(suspended_processes=("AZRebalance",))


def test_nodes_wait_for_the_cluster_and_their_permissions(deploy):
    def program():
        cluster = aws.ec2.Eip("cluster")
        ServerNodes("server", args(cluster=facts(ready=(cluster,))))

    deployment = deploy(program)

    assert {
        "aws:ec2/eip:Eip::cluster",
        f"{COMPONENT}${TEMPLATE}::server",
        f"{COMPONENT}${ROLE}::server",
        f"{COMPONENT}${ATTACHMENT}::server-AmazonEC2ContainerRegistryPullOnly",
        f"{COMPONENT}${ATTACHMENT}::server-AmazonEKSWorkerNodePolicy",
        f"{COMPONENT}${ATTACHMENT}::server-AmazonEKS_CNI_Policy",
    } == deployment.waits_for(deployment.only(GROUP))


def test_outputs_are_name_and_role(deploy):
    assert {
        "group_name": "server",
        "role_arn": "arn:test:role/server",
    } == deployed(deploy).outputs[f"{COMPONENT}::server"]


def test_tags_of_the_group_win_over_those_of_the_platform(deploy):
    deployment = deployed(
        deploy, tags={"team": "web", "cost": "1"}, size=Size(min=1, max=2)
    )
    nodes = ServerNodesArgs(
        cluster=facts(), group=group(tags={"team": "db"}), tags={"team": "web"}
    )
    other = deploy(lambda: ServerNodes("server", nodes))

    assert {"Name": "alpha-server", "team": "web", "cost": "1"} == (
        deployment.only(GROUP).inputs["tags"]
    )
    assert "db" == other.only(GROUP).inputs["tags"]["team"]


def test_h074_an_explicit_provider_makes_everything(deploy):
    def program():
        provider = aws.Provider("explicit", region="eu-west-1")
        opts = pulumi.ResourceOptions(providers=[provider])
        ServerNodes("server", args(), opts)

    assert [] == deploy(program).on_default_providers()


def test_two_groups_live_in_one_stack(deploy):
    def program():
        ServerNodes("one", args())
        ServerNodes("two", args(name="other"))

    assert ["one", "two"] == [r.name for r in deploy(program).of_type(GROUP)]


def test_h073_facts_may_be_outputs_that_a_preview_does_not_know(deploy):
    def program():
        vpc = aws.ec2.Vpc("vpc")
        unknown = vpc.default_security_group_id
        cluster = facts(
            endpoint=unknown, security_group_id=unknown, subnet_ids=[vpc.id, vpc.id]
        )
        ServerNodes("server", args(cluster=cluster, kubelet=KubeletTuning()))

    deployment = deploy(program, preview=True)

    assert "alpha" == deployment.only(GROUP).inputs["clusterName"]


@pytest.mark.parametrize("length", [55, 56])
def test_h078_a_name_fits_with_the_suffix_of_pulumi(deploy, length):
    name = "s" * length

    if length == 55:
        assert 7 == len(deploy(lambda: ServerNodes(name, args())).resources)
    else:
        message = f"^name must be at most 55 characters, got 56: {name}$"
        with pytest.raises(ValueError, match=message):
            deploy(lambda: ServerNodes(name, args()))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"tags": {"aws:team": "jobs"}},
            "tags must leave out aws:team: keys that begin with aws: belong to AWS",
        ),
        (
            {"instance_types": ("t3.medium",), "kubelet": KubeletTuning(max_pods=250)},
            "kubelet.max_pods must reserve less than half of the memory, "
            "got max_pods=250: 3005 of 4096 MiB on t3.medium",
        ),
    ],
)
def test_rejects(given, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        args(**given)
