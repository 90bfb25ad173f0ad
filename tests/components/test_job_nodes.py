"""
Job nodes as AWS is sent them.

That AWS leaves their jobs alone, and that Cluster Autoscaler reads the tags, needs
a real account.
"""

import base64
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest
import yaml

from components import (
    Gp3Volume,
    InstanceTypes,
    JobNodes,
    JobNodesArgs,
    KubeletTuning,
    Size,
    Taint,
)
from components.spec.node_config import NodeCluster, job_user_data
from components.spec.scaler.cluster_autoscaler import ScaleDown
from tests.components.builders import facts, group

COMPONENT = "eks-jobs:index:JobNodes"
GROUP = "aws:autoscaling/group:Group"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
PROFILE = "aws:iam/instanceProfile:InstanceProfile"
ENTRY = "aws:eks/accessEntry:AccessEntry"
PARAMETER = "aws:ssm/getParameter:getParameter"

TEMPLATE_TAG = "k8s.io/cluster-autoscaler/node-template"
OPTION_TAG = f"{TEMPLATE_TAG}/autoscaling-options"


def args(**overrides) -> JobNodesArgs:
    defaults: dict[str, Any] = {
        "cluster": facts(),
        "group": group(),
        "ami_release": "v20260714",
    }
    return JobNodesArgs(**defaults | overrides)


def deployed(deploy, **overrides):
    return deploy(lambda: JobNodes("job", args(**overrides)))


def tags(deployment) -> dict[str, str]:
    return {t["key"]: t["value"] for t in deployment.only(GROUP).inputs["tags"]}


def user_data(deployment) -> str:
    encoded = deployment.only(TEMPLATE).inputs["userData"]
    return base64.b64decode(encoded, validate=True).decode("ascii")


def test_identity_is_pinned(deploy):
    assert [
        f"{COMPONENT}${GROUP}::job",
        f"{COMPONENT}${TEMPLATE}::job",
        f"{COMPONENT}${ENTRY}::job",
        f"{COMPONENT}${PROFILE}::job",
        f"{COMPONENT}${ROLE}::job",
        f"{COMPONENT}${ATTACHMENT}::job-AmazonEC2ContainerRegistryPullOnly",
        f"{COMPONENT}${ATTACHMENT}::job-AmazonEKSWorkerNodePolicy",
        f"{COMPONENT}${ATTACHMENT}::job-AmazonEKS_CNI_Policy",
        f"{COMPONENT}::job",
    ] == [resource.path for resource in deployed(deploy).resources]


def test_inputs_match_their_golden_file(deploy, golden):
    deployment = deployed(deploy)
    sent = {
        resource.type: {
            key: value for key, value in resource.inputs.items() if key != "userData"
        }
        for resource in deployment.resources
        if resource.type != ATTACHMENT and resource.inputs
    }

    golden("components/job_nodes.yaml", yaml.safe_dump(sent))


def test_h015_az_rebalancing_never_ends_a_job(deploy):
    inputs = deployed(deploy).only(GROUP).inputs

    assert ["AZRebalance"] == inputs["suspendedProcesses"]
    assert inputs["protectFromScaleIn"]


def test_h015_nothing_else_on_the_side_of_aws_takes_running_nodes(deploy):
    takers = {
        "availabilityZoneDistribution",
        "capacityRebalance",
        "healthCheckType",
        "instanceMaintenancePolicy",
        "instanceRefresh",
        "loadBalancers",
        "maxInstanceLifetime",
        "targetGroupArns",
        "terminationPolicies",
        "trafficSources",
        "warmPool",
    }

    assert set() == takers & deployed(deploy).only(GROUP).inputs.keys()


def test_nodes_are_bought_on_demand_in_the_order_of_the_list(deploy):
    policy = deployed(deploy).only(GROUP).inputs["mixedInstancesPolicy"]

    assert {
        "instancesDistribution": {
            "onDemandAllocationStrategy": "prioritized",
            "onDemandBaseCapacity": 0,
            "onDemandPercentageAboveBaseCapacity": 100,
        },
        "launchTemplate": {
            "launchTemplateSpecification": {
                "launchTemplateId": "job-id",
                "version": "7",
            },
            "overrides": [
                {"instanceType": "m7i.4xlarge"},
                {"instanceType": "m6i.4xlarge"},
            ],
        },
    } == policy


def test_h053_the_size_that_the_autoscaler_chose_stays(deploy):
    resource = deployed(deploy, group=group(size=Size(min=1, max=5))).only(GROUP)

    assert (1, 5, 1) == (
        resource.inputs["minSize"],
        resource.inputs["maxSize"],
        resource.inputs["desiredCapacity"],
    )
    assert ["desiredCapacity"] == list(resource.request.ignoreChanges)


def test_no_update_waits_for_nodes(deploy):
    assert "0" == deployed(deploy).only(GROUP).inputs["waitForCapacityTimeout"]


def test_h055_a_replacement_can_stand_beside_the_old_group(deploy):
    named = {
        resource.name
        for resource in deployed(deploy).resources
        if {"name", "namePrefix"} & resource.inputs.keys()
    }

    assert set() == named


def test_h049_a_group_of_zero_nodes_is_known_to_the_autoscaler(deploy):
    nodes = group(
        labels={"team": "data"}, taints=(Taint(key="gpu", effect="NoExecute"),)
    )

    assert {
        "Name": "alpha-job",
        "kubernetes.io/cluster/alpha": "owned",
        "k8s.io/cluster-autoscaler/enabled": "true",
        "k8s.io/cluster-autoscaler/alpha": "owned",
        f"{TEMPLATE_TAG}/label/eks-jobs/group": "job",
        f"{TEMPLATE_TAG}/label/kubernetes.io/arch": "amd64",
        f"{TEMPLATE_TAG}/label/team": "data",
        f"{TEMPLATE_TAG}/resources/cpu": "15890m",
        f"{TEMPLATE_TAG}/resources/ephemeral-storage": "90214Mi",
        f"{TEMPLATE_TAG}/resources/memory": "64521Mi",
        f"{TEMPLATE_TAG}/resources/pods": "60",
        f"{TEMPLATE_TAG}/taint/eks-jobs/group": "job:NoSchedule",
        f"{TEMPLATE_TAG}/taint/gpu": ":NoExecute",
        f"{OPTION_TAG}/ignoredaemonsetsutilization": "true",
        f"{OPTION_TAG}/scaledowngpuutilizationthreshold": "0.01",
        f"{OPTION_TAG}/scaledownunneededtime": "10m",
        f"{OPTION_TAG}/scaledownunreadytime": "20m",
        f"{OPTION_TAG}/scaledownutilizationthreshold": "0.01",
    } == tags(deployed(deploy, group=nodes))


def test_the_autoscaler_takes_nodes_as_the_options_say(deploy):
    options = ScaleDown(unneeded_time="30m", ignore_daemonsets=False)
    found = tags(deployed(deploy, options=options))

    assert ("30m", "false") == (
        found[f"{OPTION_TAG}/scaledownunneededtime"],
        found[f"{OPTION_TAG}/ignoredaemonsetsutilization"],
    )


def test_tags_of_the_autoscaler_stay_on_the_group(deploy):
    launched = {
        tag["key"]
        for tag in deployed(deploy, tags={"team": "data"}).only(GROUP).inputs["tags"]
        if tag["propagateAtLaunch"]
    }

    assert {"Name", "team", "kubernetes.io/cluster/alpha"} == launched


def test_h048_label_taint_and_tags_use_one_key(deploy):
    deployment = deployed(deploy)

    assert "--node-labels=eks-jobs/group=job" in user_data(deployment)
    assert "key: eks-jobs/group" in user_data(deployment)
    assert "job" == tags(deployment)[f"{TEMPLATE_TAG}/label/eks-jobs/group"]


def test_h052_metadata_tags_are_off_and_one_hop_is_the_limit(deploy):
    assert {
        "httpEndpoint": "enabled",
        "httpTokens": "required",
        "httpPutResponseHopLimit": 1,
        "instanceMetadataTags": "disabled",
    } == deployed(deploy).only(TEMPLATE).inputs["metadataOptions"]


def test_h084_a_group_may_let_the_metadata_service_answer_further(deploy):
    deployment = deployed(deploy, group=group(metadata_hop_limit=2))

    assert (
        2
        == deployment.only(TEMPLATE).inputs["metadataOptions"][
            "httpPutResponseHopLimit"
        ]
    )


def test_the_root_volume_is_tuned_and_encrypted(deploy):
    assert [
        {
            "deviceName": "/dev/xvda",
            "ebs": {
                "volumeType": "gp3",
                "volumeSize": 100,
                "iops": 8000,
                "throughput": 800,
                "encrypted": "true",
                "deleteOnTermination": "true",
            },
        }
    ] == deployed(deploy).only(TEMPLATE).inputs["blockDeviceMappings"]


def test_volumes_are_tagged_because_the_group_tags_only_instances(deploy):
    sent = deployed(deploy, tags={"team": "data"}).only(TEMPLATE).inputs

    assert [
        {"resourceType": "volume", "tags": {"Name": "alpha-job", "team": "data"}}
    ] == sent["tagSpecifications"]


def test_h080_nodes_carry_the_security_group_of_the_cluster_alone(deploy):
    assert ["sg-1"] == deployed(deploy).only(TEMPLATE).inputs["vpcSecurityGroupIds"]


@pytest.mark.parametrize("wrap", [str, pulumi.Output.from_input], ids=["str", "output"])
def test_h033_nodes_get_the_rendered_user_data_encoded_once(deploy, wrap):
    cluster = facts(endpoint=wrap("https://alpha.example.com"))
    expected = job_user_data(
        NodeCluster(
            name="alpha",
            endpoint="https://alpha.example.com",
            certificate_authority="Y2E=",
            service_cidr="172.20.0.0/16",
        ),
        group(),
        InstanceTypes.bundled(),
    )

    assert expected == user_data(deployed(deploy, cluster=cluster))


def test_h036_reserved_memory_follows_the_pod_count(deploy):
    nodes = group(kubelet=KubeletTuning(max_pods=60))

    assert "memory: 915Mi" in user_data(deployed(deploy, group=nodes))


@pytest.mark.parametrize(
    ("architecture", "instance_type", "name"),
    [("amd64", "m7i.4xlarge", "x86_64"), ("arm64", "m7g.4xlarge", "arm64")],
)
def test_the_image_is_one_pinned_release(deploy, architecture, instance_type, name):
    nodes = group(architecture=architecture, instance_types=(instance_type,))
    deployment = deployed(deploy, group=nodes)
    (call,) = [call for call in deployment.calls if call.token == PARAMETER]

    assert {
        "name": "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/"
        f"{name}/standard/amazon-eks-node-al2023-{name}-standard-1.36-v20260714/image_id"
    } == call.inputs
    assert "ami-0123456789abcdef0" == deployment.only(TEMPLATE).inputs["imageId"]


def test_an_image_of_ones_own_asks_nobody(deploy):
    image = "ami-00000000000000001"
    deployment = deployed(deploy, group=group(ami_id=image), ami_release=None)

    assert image == deployment.only(TEMPLATE).inputs["imageId"]
    assert PARAMETER not in [call.token for call in deployment.calls]


def test_h076_the_role_has_one_entry_of_the_type_of_nodes(deploy):
    assert {
        "clusterName": "alpha",
        "principalArn": "arn:test:role/job",
        "type": "EC2_LINUX",
        "tags": {"Name": "alpha-job"},
    } == deployed(deploy).only(ENTRY).inputs


def test_h076_groups_that_share_a_role_share_its_entry(deploy):
    def program():
        first = JobNodes("job", args())
        shared = aws.iam.InstanceProfile("shared", role=first.role_arn).arn
        arm = group(
            name="job-arm", architecture="arm64", instance_types=("m7g.4xlarge",)
        )
        JobNodes("job-arm", args(group=arm, instance_profile_arn=shared))

    deployment = deploy(program)

    assert ["job"] == [r.name for r in deployment.of_type(ENTRY)]
    assert ["job"] == [r.name for r in deployment.of_type(ROLE)]
    assert {"arn": "arn:test:profile/shared"} == (
        deployment.only(TEMPLATE, "job-arm").inputs["iamInstanceProfile"]
    )


def test_h081_role_and_policies_are_those_of_the_partition(deploy):
    deployment = deployed(deploy)

    assert '"ec2.test.example.com"' in deployment.only(ROLE).inputs["assumeRolePolicy"]
    assert [
        "arn:test:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly",
        "arn:test:iam::aws:policy/AmazonEKSWorkerNodePolicy",
        "arn:test:iam::aws:policy/AmazonEKS_CNI_Policy",
    ] == [r.inputs["policyArn"] for r in deployment.of_type(ATTACHMENT)]


def test_nodes_wait_for_the_cluster_and_their_permissions(deploy):
    def program():
        cluster = aws.ec2.Eip("cluster")
        JobNodes("job", args(cluster=facts(ready=(cluster,))))

    deployment = deploy(program)

    assert {
        "aws:ec2/eip:Eip::cluster",
        f"{COMPONENT}${TEMPLATE}::job",
        f"{COMPONENT}${ENTRY}::job",
        f"{COMPONENT}${PROFILE}::job",
        f"{COMPONENT}${ROLE}::job",
        f"{COMPONENT}${ATTACHMENT}::job-AmazonEC2ContainerRegistryPullOnly",
        f"{COMPONENT}${ATTACHMENT}::job-AmazonEKSWorkerNodePolicy",
        f"{COMPONENT}${ATTACHMENT}::job-AmazonEKS_CNI_Policy",
    } == deployment.waits_for(deployment.only(GROUP))


@pytest.mark.parametrize(
    ("changes", "types"),
    [
        ({"kubelet": KubeletTuning(registry_pull_qps=41)}, {TEMPLATE}),
        ({"volume": Gp3Volume(iops=9_000)}, {TEMPLATE}),
        ({"size": Size(min=1, max=50)}, {GROUP}),
        # The pod count is also a tag, by which the autoscaler plans.
        ({"kubelet": KubeletTuning(max_pods=50)}, {TEMPLATE, GROUP}),
    ],
)
def test_a_change_reaches_nothing_that_holds_running_nodes(deploy, changes, types):
    before, after = deployed(deploy), deployed(deploy, group=group(**changes))

    assert types == {
        new.type
        for old, new in zip(before.resources, after.resources, strict=True)
        if old.inputs != new.inputs
    }


def test_a_change_of_the_pod_count_changes_two_tags_of_the_group(deploy):
    nodes = group(kubelet=KubeletTuning(max_pods=50))
    before, after = deployed(deploy), deployed(deploy, group=nodes)

    assert {f"{TEMPLATE_TAG}/resources/{name}" for name in ("memory", "pods")} == {
        key for key, value in tags(after).items() if tags(before)[key] != value
    }
    assert {"tags"} == {
        key
        for key, value in after.only(GROUP).inputs.items()
        if before.only(GROUP).inputs[key] != value
    }


def test_outputs_are_name_and_role(deploy):
    assert {
        "group_name": "job",
        "role_arn": "arn:test:role/job",
    } == deployed(deploy).outputs[f"{COMPONENT}::job"]


def test_h074_an_explicit_provider_makes_everything(deploy):
    def program():
        provider = aws.Provider("explicit", region="eu-west-1")
        JobNodes("job", args(), pulumi.ResourceOptions(providers=[provider]))

    assert [] == deploy(program).on_default_providers()


def test_it_can_be_nested_in_a_component_of_ones_own(deploy):
    def program():
        own = pulumi.ComponentResource("acme:index:Team", "team")
        JobNodes("job", args(), pulumi.ResourceOptions(parent=own))

    assert f"acme:index:Team${COMPONENT}${GROUP}::job" == (
        deploy(program).only(GROUP).path
    )


def test_two_groups_live_in_one_stack(deploy):
    def program():
        JobNodes("job", args())
        JobNodes("job-two", args(group=group(name="two")))

    assert ["job", "job-two"] == [r.name for r in deploy(program).of_type(GROUP)]


def test_h073_facts_may_be_outputs_that_a_preview_does_not_know(deploy):
    def program():
        vpc = aws.ec2.Vpc("vpc")
        unknown = vpc.default_security_group_id
        cluster = facts(
            endpoint=unknown,
            certificate_authority=unknown,
            service_cidr=unknown,
            security_group_id=unknown,
            subnet_ids=[vpc.id, vpc.id],
        )
        JobNodes("job", args(cluster=cluster))

    deployment = deploy(program, preview=True)

    assert "owned" == tags(deployment)["kubernetes.io/cluster/alpha"]


@pytest.mark.parametrize("length", [56, 57])
def test_h078_a_name_fits_with_the_suffix_of_pulumi(deploy, length):
    name = "j" * length

    if length == 56:
        assert 9 == len(deploy(lambda: JobNodes(name, args())).resources)
    else:
        message = f"^name must be at most 56 characters, got 57: {name}$"
        with pytest.raises(ValueError, match=message):
            deploy(lambda: JobNodes(name, args()))


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"group": group(instance_types=("g5.xlarge",))},
            "instance_types must be without GPUs and Neuron chips, for which the "
            "standard image has no driver, got g5.xlarge: name an image that has it in "
            "ami_id, or choose scaler kind karpenter or auto-mode",
        ),
        (
            {"ami_release": None},
            "ami_release must be set, such as v20260714, or group.ami_id: nothing is "
            "resolved to the latest image",
        ),
        (
            {"tags": {"k8s.io/cluster-autoscaler/enabled": "false"}},
            "tags must leave out k8s.io/cluster-autoscaler/enabled: keys that begin "
            "with k8s.io/cluster-autoscaler/ belong to this library",
        ),
        (
            {"tags": {f"t{number}": "" for number in range(35)}},
            "tags must be at most 50 with the 16 that the library adds, got 51: t34",
        ),
    ],
)
def test_h087_rejects(overrides, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        args(**overrides)


def test_h087_as_many_tags_as_aws_takes_are_accepted(deploy):
    own = {f"t{number}": "" for number in range(34)}

    assert 50 == len(tags(deployed(deploy, tags=own)))
