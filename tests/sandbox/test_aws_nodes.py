"""
Launch templates, Auto Scaling groups and the lookups that they need, on moto.

Not proven: that an instance boots, or that AWS has the capacity.
"""

import base64

import pytest
from botocore.exceptions import ClientError

from sandbox.aws import autoscaling
from sandbox.aws.ec2_template import USER_DATA_LIMIT
from sandbox.errors import RefusedError
from tests.sandbox.aws_driver import RefusedInputsError, served

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
PARAMETER = "aws:ssm/getParameter:getParameter"
DISK = {
    "deviceName": "/dev/xvda",
    "ebs": {
        "volumeType": "gp3",
        "volumeSize": 100,
        "iops": 8000,
        "throughput": 800,
        "encrypted": "true",
    },
}


@pytest.fixture(scope="module")
def account():
    with served() as served_account:
        yield served_account


@pytest.fixture(scope="module")
def subnets(account):
    vpc = account.create("aws:ec2/vpc:Vpc", "v", cidrBlock="10.0.0.0/16")
    return [
        account.create(
            "aws:ec2/subnet:Subnet",
            f"s-{zone}",
            vpcId=vpc.id,
            availabilityZone=f"ap-northeast-2{zone}",
            cidrBlock=f"10.0.{number}.0/24",
        ).id
        for number, zone in enumerate("ab")
    ]


def encoded(text):
    return base64.b64encode(text.encode()).decode()


def parameter(arch="x86_64", version="1.36", image_arch=None, release="v20260714"):
    image = f"amazon-eks-node-al2023-{image_arch or arch}-standard-{version}-{release}"
    return (
        f"/aws/service/eks/optimized-ami/{version}/amazon-linux-2023/{arch}/standard/"
        f"{image}/image_id"
    )


def image(account, arch="x86_64"):
    return account.invoke(PARAMETER, name=parameter(arch))["value"]


def template(account, **inputs):
    defaults = {"imageId": image(account), "userData": encoded("a")}
    return account.create(
        TEMPLATE, "job", **{**defaults, "blockDeviceMappings": [DISK], **inputs}
    )


def mixed(made, *types, version="1"):
    return {
        "launchTemplate": {
            "launchTemplateSpecification": {
                "launchTemplateId": made.id,
                "version": version,
            },
            "overrides": [{"instanceType": name} for name in types],
        }
    }


def group(account, subnets, made, *types, **inputs):
    defaults = {"minSize": 0, "maxSize": 3, "suspendedProcesses": ["AZRebalance"]}
    return account.create(
        GROUP,
        "job",
        vpcZoneIdentifiers=subnets,
        mixedInstancesPolicy=mixed(made, *(types or ("m7i.4xlarge", "m6i.4xlarge"))),
        **{**defaults, **inputs},
    )


def found(account, made):
    return account.client("autoscaling").describe_auto_scaling_groups(
        AutoScalingGroupNames=[made.id]
    )["AutoScalingGroups"][0]


def versions(account, made, version):
    return account.client("ec2").describe_launch_template_versions(
        LaunchTemplateId=made.id, Versions=[version]
    )["LaunchTemplateVersions"][0]["LaunchTemplateData"]


def test_a_template_lives_and_dies(account):
    made = template(account)
    assert ({}, {}) == (made.kinds(), made.refresh())
    made.delete()

    assert {"id": (made.id, None)} == made.refresh()


def test_a_template_says_what_the_program_said(account):
    made = template(account, tagSpecifications=[{"resourceType": "volume", "tags": {}}])

    assert {
        "VolumeType": "gp3",
        "VolumeSize": 100,
        "Iops": 8000,
        "Throughput": 800,
        "Encrypted": True,
    } == versions(account, made, "1")["BlockDeviceMappings"][0]["Ebs"]


def test_a_change_of_a_template_is_a_new_version(account):
    made = template(account)
    promised = made.preview(userData=encoded("b"))
    made.update(userData=encoded("b"))

    assert promised["latestVersion"] != 1
    assert (2, 1) == (made.state["latestVersion"], made.state["defaultVersion"])
    assert encoded("b") == versions(account, made, "2")["UserData"]


def test_the_default_version_follows_when_asked(account):
    made = template(account, updateDefaultVersion=True)
    made.update(userData=encoded("b"))

    assert 2 == made.state["defaultVersion"]


def test_tags_of_a_template_are_no_new_version(account):
    made = template(account)
    promised = made.preview(tags={"a": "b"})
    made.update(tags={"a": "b"})

    assert (1, 1) == (promised["latestVersion"], made.state["latestVersion"])
    assert ({}, {}) == (made.kinds(), made.refresh())


@pytest.mark.parametrize(
    ("size", "problems"),
    [
        (USER_DATA_LIMIT, []),
        (
            USER_DATA_LIMIT + 1,
            [("userData", "must be at most 16384 bytes, got 16385")],
        ),
    ],
)
def test_user_data_has_a_limit(account, size, problems):
    inputs = {"userData": base64.b64encode(b"x" * size).decode()}
    caught = []
    try:
        account.check(TEMPLATE, "t", **inputs)
    except RefusedInputsError as error:
        (caught,) = error.args

    assert problems == caught


def test_user_data_is_base64(account):
    with pytest.raises(RefusedInputsError) as caught:
        account.check(TEMPLATE, "t", userData="#!/bin/sh")

    assert [("userData", "must be base64")] == caught.value.args[0]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (
            {"metadataOptions": {"httpTokens": "yes"}},
            "ec2:CreateLaunchTemplate: LaunchTemplateData.MetadataOptions.HttpTokens "
            "must be one of optional, required, got 'yes'",
        ),
        (
            {"tagSpecifications": [{"resourceType": "disk", "tags": {"a": "b"}}]},
            "ec2:CreateLaunchTemplate: "
            "LaunchTemplateData.TagSpecifications[0].ResourceType must be one of ",
        ),
    ],
)
def test_a_template_is_checked_against_the_service_model(account, inputs, message):
    with pytest.raises(RefusedError) as caught:
        template(account, **inputs)

    assert str(caught.value).startswith(message)


def test_a_group_lives_and_dies(account, subnets):
    made = group(account, subnets, template(account))
    assert ({}, {}) == (made.kinds(), made.refresh())
    made.delete()

    assert {"id": (made.id, None)} == made.refresh()


def test_h015_suspended_processes_are_set_and_drift_is_put_back(account, subnets):
    made = group(account, subnets, template(account))
    account.client("autoscaling").resume_processes(
        AutoScalingGroupName=made.id, ScalingProcesses=["AZRebalance"]
    )

    assert {"suspendedProcesses": (["AZRebalance"], [])} == made.refresh()
    made.update(suspendedProcesses=["AZRebalance"])
    assert ["AZRebalance"] == [
        item["ProcessName"] for item in found(account, made)["SuspendedProcesses"]
    ]


def test_h015_a_process_suspended_by_hand_is_resumed(account, subnets):
    made = group(account, subnets, template(account), suspendedProcesses=[])
    account.client("autoscaling").suspend_processes(
        AutoScalingGroupName=made.id, ScalingProcesses=["Launch"]
    )
    made.refresh()
    made.update()

    assert [] == found(account, made)["SuspendedProcesses"]


def test_the_size_that_the_autoscaler_set_is_kept(account, subnets):
    """With `ignore_changes` the engine sends the size found by the last refresh."""
    made = group(account, subnets, template(account), desiredCapacity=0)
    account.client("autoscaling").set_desired_capacity(
        AutoScalingGroupName=made.id, DesiredCapacity=2
    )

    assert {"desiredCapacity": (0, 2)} == made.refresh()
    assert not made.diff(ignore=("desiredCapacity",)).changes
    made.update(desiredCapacity=2, maxSize=4)
    assert (2, 4) == (
        found(account, made)["DesiredCapacity"],
        found(account, made)["MaxSize"],
    )


def test_a_group_starts_instances_from_a_later_version(account, subnets):
    launched = template(account)
    made = group(account, subnets, launched)
    launched.update(userData=encoded("b"))
    made.update(
        mixedInstancesPolicy=mixed(launched, "m7i.4xlarge", version="2"),
        desiredCapacity=1,
    )

    assert 1 == len(found(account, made)["Instances"])
    made.delete()


def test_protected_nodes_end_with_their_group(account, subnets):
    launched = template(account, instanceType="m7i.large")
    made = account.create(
        GROUP,
        "job",
        minSize=0,
        maxSize=2,
        desiredCapacity=2,
        protectFromScaleIn=True,
        vpcZoneIdentifiers=subnets,
        launchTemplate={"id": launched.id, "version": "1"},
    )
    nodes = [node["InstanceId"] for node in found(account, made)["Instances"]]
    made.delete()

    ended = account.client("ec2").describe_instances(InstanceIds=nodes)
    assert ["terminated"] * 2 == [
        instance["State"]["Name"]
        for reservation in ended["Reservations"]
        for instance in reservation["Instances"]
    ]


def test_tags_of_a_group_change_in_place(account, subnets):
    tags = [{"key": "a", "value": "1", "propagateAtLaunch": True}]
    made = group(account, subnets, template(account), tags=tags)
    made.update(tags=[{"key": "b", "value": "2", "propagateAtLaunch": False}])

    assert [("b", "2", False)] == [
        (tag["Key"], tag["Value"], tag["PropagateAtLaunch"])
        for tag in found(account, made)["Tags"]
    ]
    assert ({}, {}) == (made.kinds(), made.refresh())


def test_a_tag_of_its_own_is_no_drift_of_the_group(account, subnets):
    made = group(account, subnets, template(account))
    tag = account.create(
        "aws:autoscaling/tag:Tag",
        "t",
        autoscalingGroupName=made.id,
        tag={"key": "a", "value": "1", "propagateAtLaunch": False},
    )
    tag.update(tag={"key": "a", "value": "2", "propagateAtLaunch": False})

    assert ({}, {}, {}) == (made.refresh(), tag.kinds(), tag.refresh())
    tag.delete()
    assert {"id": (tag.id, None)} == tag.refresh()


def test_h045_an_image_of_another_architecture_is_refused(account, subnets):
    with pytest.raises(RefusedError) as caught:
        group(account, subnets, template(account), "m7g.4xlarge")

    assert str(caught.value).startswith(
        "the architecture arm64 of instance type m7g.4xlarge does not match the "
        "architecture x86_64 of ami-"
    )


def test_h045_an_image_of_the_same_architecture_is_taken(account, subnets):
    launched = template(account, imageId=image(account, "arm64"))

    assert group(account, subnets, launched, "m7g.4xlarge", "m8g.4xlarge").id


def test_an_image_of_the_users_own_account_is_taken_on_trust(account, subnets):
    launched = template(account, imageId="ami-0123456789abcdef0")

    assert group(account, subnets, launched, "m7g.4xlarge").id


@pytest.mark.parametrize("image_id", ["ami-x", "img-0123456789abcdef0"])
def test_an_image_id_has_its_form(account, subnets, image_id):
    with pytest.raises(RefusedError, match="^InvalidAMIID.Malformed: Invalid id: "):
        group(account, subnets, template(account, imageId=image_id))


def test_a_version_of_a_template_must_exist(account, subnets):
    made = template(account)
    policy = mixed(made, "m7i.large", version="9")

    with pytest.raises(ClientError) as caught:
        account.create(
            GROUP,
            "job",
            minSize=0,
            maxSize=1,
            vpcZoneIdentifiers=subnets,
            mixedInstancesPolicy=policy,
        )

    code = caught.value.response["Error"]["Code"]
    assert "InvalidLaunchTemplateId.VersionNotFound" == code


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        (
            {"suspendedProcesses": ["Rebalance"]},
            (
                "suspendedProcesses",
                f"must be of {', '.join(autoscaling.PROCESSES)}, got 'Rebalance'",
            ),
        ),
        (
            {"minSize": 2, "maxSize": 1},
            (
                "desiredCapacity",
                "must be minSize to maxSize, got minSize=2, maxSize=1, "
                "desiredCapacity=2",
            ),
        ),
        (
            {
                "tags": [
                    {"key": str(n), "value": "", "propagateAtLaunch": True}
                    for n in range(51)
                ]
            },
            ("tags", "must be at most 50, got 51"),
        ),
    ],
)
def test_h087_refuses_what_auto_scaling_refuses(account, inputs, problem):
    base = {"minSize": 0, "maxSize": 1, "launchTemplate": {"id": "l", "version": "1"}}

    with pytest.raises(RefusedInputsError) as caught:
        account.check(GROUP, "g", **{**base, **inputs})

    assert [problem] == caught.value.args[0]


@pytest.mark.parametrize("arch", ["x86_64", "arm64"])
def test_an_image_is_found_by_its_published_name(account, arch):
    one = account.invoke(PARAMETER, name=parameter(arch))
    two = account.invoke(PARAMETER, name=parameter(arch))

    assert one == two
    assert one["value"].startswith("ami-")


@pytest.mark.parametrize(
    "name",
    [
        parameter(version="1.29"),
        parameter(image_arch="arm64"),
        parameter(release="20260714"),
        parameter().replace("/image_id", ""),
        parameter().replace("2023", "2"),
        "/somewhere/else",
    ],
)
def test_a_name_that_aws_does_not_publish_is_not_found(account, name):
    with pytest.raises(ClientError) as caught:
        account.invoke(PARAMETER, name=name)

    assert "ParameterNotFound" == caught.value.response["Error"]["Code"]


def test_zones_are_sorted_by_name(account):
    answer = account.invoke(
        "aws:index/getAvailabilityZones:getAvailabilityZones",
        state="available",
        filters=[{"name": "opt-in-status", "values": ["opt-in-not-required"]}],
        excludeNames=["ap-northeast-2d"],
    )

    assert [f"ap-northeast-2{zone}" for zone in "abc"] == answer["names"]


@pytest.mark.parametrize(
    ("token", "args", "key", "expected"),
    [
        ("aws:index/getPartition:getPartition", {}, "partition", "aws"),
        (
            "aws:index/getPartition:getPartition",
            {"region": "cn-north-1"},
            "reverseDnsPrefix",
            "cn.com.amazonaws",
        ),
        ("aws:index/getRegion:getRegion", {}, "region", "ap-northeast-2"),
        (
            "aws:index/getCallerIdentity:getCallerIdentity",
            {},
            "accountId",
            "123456789012",
        ),
        (
            "aws:ec2/getInstanceType:getInstanceType",
            {"instanceType": "m7g.4xlarge"},
            "supportedArchitectures",
            ["arm64"],
        ),
        (
            "aws:eks/getAddonVersion:getAddonVersion",
            {"addonName": "kube-proxy", "kubernetesVersion": "1.36"},
            "version",
            "v1.36.0-eksbuild.2",
        ),
        (
            "aws:eks/getAddonVersion:getAddonVersion",
            {"addonName": "vpc-cni", "kubernetesVersion": "1.36", "mostRecent": True},
            "version",
            "v1.23.1-eksbuild.1",
        ),
    ],
)
def test_answers_what_a_program_looks_up(account, token, args, key, expected):
    if "region" in args and token.endswith("getPartition"):
        args = {k: v for k, v in args.items() if k != "region"}
        account.provider._region, before = "cn-north-1", account.provider._region
        answer = account.invoke(token, **args)
        account.provider._region = before
    else:
        answer = account.invoke(token, **args)

    assert expected == answer[key]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            {"addonName": "nope", "kubernetesVersion": "1.36"},
            "addonName: EKS has no add-on nope for 1.36",
        ),
        (
            {"addonName": "vpc-cni", "kubernetesVersion": "1.20"},
            "kubernetesVersion must be one of 1.30, 1.31, 1.32, 1.33, 1.34, 1.35, "
            "1.36, got 1.20",
        ),
    ],
)
def test_refuses_to_look_up_what_is_not_there(account, args, message):
    with pytest.raises(RefusedError, match=f"^{message}$"):
        account.invoke("aws:eks/getAddonVersion:getAddonVersion", **args)


def test_subnets_are_found(account, subnets):
    one = account.invoke("aws:ec2/getSubnet:getSubnet", id=subnets[0])
    vpc = [{"name": "vpc-id", "values": [one["vpcId"]]}]
    answer = account.invoke("aws:ec2/getSubnets:getSubnets", filters=vpc)
    found_vpc = account.invoke("aws:ec2/getVpc:getVpc", id=one["vpcId"])

    assert ("10.0.0.0/24", sorted(subnets)) == (one["cidrBlock"], answer["ids"])
    assert "10.0.0.0/16" == found_vpc["cidrBlock"]


@pytest.mark.parametrize(
    ("region", "zones"),
    [
        ("ap-northeast-2", "abcd"),
        # moto knows its zones, and nothing of its types.
        ("mx-central-1", "abc"),
    ],
)
def test_a_region_offers_the_types_that_it_has_in_its_zones(account, region, zones):
    answer = account.invoke(
        "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings",
        region=region,
        locationType="availability-zone",
        filters=[{"name": "instance-type", "values": ["m7i.4xlarge", "m7j.4xlarge"]}],
    )
    offered = zip(answer["instanceTypes"], answer["locations"], strict=True)

    assert {("m7i.4xlarge", f"{region}{letter}") for letter in zones} == {*offered}
    assert {"availability-zone"} == {*answer["locationTypes"]}


@pytest.mark.parametrize("token", ["getSubnet", "getVpc"])
def test_one_thing_is_looked_up_and_not_several(account, token):
    with pytest.raises(RefusedError):
        account.invoke(f"aws:ec2/{token}:{token}")
