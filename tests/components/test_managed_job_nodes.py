"""
Job groups as managed node groups, as AWS is sent them.

That an update leaves jobs alone is not promised: EKS evicts them then.
"""

import base64
import re
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from components import (
    ClusterAutoscaler,
    InstanceTypes,
    ManagedJobNodes,
    ManagedJobNodesArgs,
    ScaleDown,
    Size,
    Taint,
    WarmPool,
)
from components.spec.network import NewNetwork
from components.spec.node_config import NodeCluster, job_user_data, managed_user_data
from components.spec.scaler.autoscaler_groups import managed_groups_pattern
from tests.components.builders import facts, group

COMPONENT = "eks-jobs:index:ManagedJobNodes"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
TAG = "aws:autoscaling/tag:Tag"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
MANAGED = ClusterAutoscaler(groups="managed")
IMAGE = "ami-0123456789abcdef0"
PREFIX = "k8s.io/cluster-autoscaler/node-template"
KEYS = {
    *(
        f"{PREFIX}/autoscaling-options/{name}"
        for name in (
            "ignoredaemonsetsutilization",
            "scaledowngpuutilizationthreshold",
            "scaledownunneededtime",
            "scaledownunreadytime",
            "scaledownutilizationthreshold",
        )
    ),
    f"{PREFIX}/label/eks-jobs/group",
    f"{PREFIX}/label/kubernetes.io/arch",
    f"{PREFIX}/resources/cpu",
    f"{PREFIX}/resources/ephemeral-storage",
    f"{PREFIX}/resources/memory",
    f"{PREFIX}/resources/pods",
    f"{PREFIX}/taint/eks-jobs/group",
}


def args(**overrides) -> ManagedJobNodesArgs:
    defaults: dict[str, Any] = {"cluster": facts(), "group": group(), "scaler": MANAGED}
    return ManagedJobNodesArgs(**defaults | overrides)


def deployed(deploy, **overrides):
    return deploy(lambda: ManagedJobNodes("job", args(**overrides)))


def former(resource) -> str:
    """Return the name that a resource had, below the parent that it has."""
    (alias,) = resource.request.aliases
    assert "" == alias.spec.parentUrn == alias.spec.type
    return alias.spec.name


def test_identity_is_pinned(deploy):
    groups = ("job-1", "job-2")

    assert {
        f"{COMPONENT}::job",
        f"{COMPONENT}${TEMPLATE}::job",
        f"{COMPONENT}${ROLE}::job",
        f"{COMPONENT}${ATTACHMENT}::job-AmazonEC2ContainerRegistryPullOnly",
        f"{COMPONENT}${ATTACHMENT}::job-AmazonEKSWorkerNodePolicy",
        f"{COMPONENT}${ATTACHMENT}::job-AmazonEKS_CNI_Policy",
        *(f"{COMPONENT}${NODE_GROUP}::{name}" for name in groups),
        *(f"{COMPONENT}${TAG}::{name}-{key}" for name in groups for key in KEYS),
    } == {r.path for r in deployed(deploy).resources}


def test_h015_h016_a_group_of_one_zone_has_nothing_to_even_out(deploy):
    deployment = deployed(deploy, zones=("a", "c"))

    assert {"job-a": ["subnet-1"], "job-c": ["subnet-2"]} == {
        r.name: r.inputs["subnetIds"] for r in deployment.of_type(NODE_GROUP)
    }


def test_bounds_are_split_over_the_zones(deploy):
    deployment = deployed(deploy, group=group(size=Size(min=1, max=5)))

    assert {
        "job-1": {"minSize": 1, "maxSize": 3, "desiredSize": 1},
        "job-2": {"minSize": 0, "maxSize": 2, "desiredSize": 0},
    } == {r.name: r.inputs["scalingConfig"] for r in deployment.of_type(NODE_GROUP)}


def test_h097_no_update_is_forced_past_a_disruption_budget(deploy):
    groups = deployed(deploy).of_type(NODE_GROUP)

    assert [("job-1", None), ("job-2", None)] == [
        (made.name, made.inputs.get("forceUpdateVersion")) for made in groups
    ]


def test_h053_the_size_is_left_to_the_autoscaler(deploy):
    request = deployed(deploy).only(NODE_GROUP, "job-1").request

    assert ["scalingConfig.desiredSize"] == list(request.ignoreChanges)


def test_h049_h050_zero_nodes_are_known_by_labels_taints_and_pods(deploy):
    nodes = group(taints=(Taint(key="team", value="data", effect="NoExecute"),))
    deployment = deployed(deploy, group=nodes)
    made = deployment.only(NODE_GROUP, "job-1").inputs
    tags = {
        r.inputs["tag"]["key"]: r.inputs["tag"]["value"]
        for r in deployment.of_type(TAG)
        if r.inputs["autoscalingGroupName"] == "eks-job-1"
    }

    assert {"eks-jobs/group": "job"} == made["labels"]
    assert [
        {"key": "eks-jobs/group", "value": "job", "effect": "NO_SCHEDULE"},
        {"key": "team", "value": "data", "effect": "NO_EXECUTE"},
    ] == made["taints"]
    assert KEYS | {f"{PREFIX}/taint/team"} == tags.keys()
    assert ("60", "job:NoSchedule", "data:NoExecute") == (
        tags[f"{PREFIX}/resources/pods"],
        tags[f"{PREFIX}/taint/eks-jobs/group"],
        tags[f"{PREFIX}/taint/team"],
    )


def test_tags_of_the_autoscaler_stay_on_the_group(deploy):
    tags = deployed(deploy).of_type(TAG)

    assert {False} == {r.inputs["tag"]["propagateAtLaunch"] for r in tags}


def test_nodes_go_as_the_options_say(deploy):
    scaler = ClusterAutoscaler(
        groups="managed", options={"job": ScaleDown(unneeded_time="30m")}
    )
    tag = deployed(deploy, scaler=scaler).only(
        TAG, f"job-1-{PREFIX}/autoscaling-options/scaledownunneededtime"
    )

    assert "30m" == tag.inputs["tag"]["value"]


def test_h029_the_kubelet_is_tuned_by_a_drop_in(deploy):
    deployment = deployed(deploy)
    template = deployment.only(TEMPLATE).inputs
    text = managed_user_data(group(), InstanceTypes.bundled())

    assert text == base64.b64decode(template["userData"]).decode()
    assert "imageId" not in template
    assert ("AL2023_x86_64_STANDARD", "1.36") == (
        deployment.only(NODE_GROUP, "job-1").inputs["amiType"],
        deployment.only(NODE_GROUP, "job-1").inputs["version"],
    )


def test_an_image_of_ones_own_is_told_everything(deploy):
    nodes = group(ami_id=IMAGE)
    deployment = deployed(deploy, group=nodes)
    template = deployment.only(TEMPLATE).inputs
    cluster = NodeCluster(
        name="alpha",
        endpoint="https://alpha.example.com",
        certificate_authority="Y2E=",
        service_cidr="172.20.0.0/16",
    )
    text = job_user_data(cluster, nodes, InstanceTypes.bundled())

    assert (IMAGE, text) == (
        template["imageId"],
        base64.b64decode(template["userData"]).decode(),
    )
    assert set() == {"amiType", "version", "releaseVersion"} & (
        deployment.only(NODE_GROUP, "job-1").inputs.keys()
    )


def test_instances_wait_where_they_are_asked_to(deploy):
    pool = WarmPool(min_size=2, max_prepared=4)
    scaler = ClusterAutoscaler(groups="managed", warm_pool=pool)
    warm, cold = deployed(deploy, scaler=scaler), deployed(deploy)

    assert {
        "minSize": 2,
        "maxGroupPreparedCapacity": 4,
        "poolState": "STOPPED",
        "reuseOnScaleIn": False,
    } == warm.only(NODE_GROUP, "job-1").inputs["warmPoolConfig"]
    assert "warmPoolConfig" not in cold.only(NODE_GROUP, "job-1").inputs


def test_the_expression_of_the_expander_matches_the_groups():
    network = NewNetwork(zones=("eu-west-1a", "eu-west-1c"))
    pattern = managed_groups_pattern("platform-job", network)
    groups = [
        f"eks-platform-{name}-1a2b3c4-5ec3e7-0000"
        for name in ("job-eu-west-1a", "job-2", "job-3", "job-arm-eu-west-1a")
    ]

    assert [True, True, False, False] == [
        re.search(pattern, one) is not None for one in groups
    ]


def test_zones_that_get_names_keep_their_groups_and_tags(deploy):
    numbered, named = deployed(deploy), deployed(deploy, zones=("a", "c"))
    renamed = {"a": "1", "c": "2"}
    children = named.of_type(NODE_GROUP) + named.of_type(TAG)

    assert {
        one.name: (one.type, f"job-{renamed[one.name[4]]}{one.name[5:]}")
        for one in children
    } == {one.name: (one.type, former(one)) for one in children}
    assert {former(one) for one in children} == {
        one.name for one in numbered.of_type(NODE_GROUP) + numbered.of_type(TAG)
    }
    assert {()} == {tuple(one.request.aliases) for one in numbered.resources}


def test_zones_in_another_order_keep_the_groups_that_they_had(deploy):
    deployment = deployed(deploy, zones=("c", "a"), former_zones=("2", "1"))

    assert {"job-a": "job-1", "job-c": "job-2"} == {
        one.name: former(one) for one in deployment.of_type(NODE_GROUP)
    }


def test_values_that_are_not_known_yet_show_in_a_first_preview(deploy):
    def program():
        ManagedJobNodes("job", args())

    preview, update = deploy(program, preview=True), deploy(program)

    assert [r.path for r in update.resources] == [r.path for r in preview.resources]


def test_h074_children_inherit_an_explicit_provider(deploy):
    def program():
        seoul = aws.Provider("seoul", region="ap-northeast-2")
        ManagedJobNodes("job", args(), pulumi.ResourceOptions(providers=[seoul]))

    assert [] == deploy(program).on_default_providers()


@pytest.mark.parametrize("length", [55, 56])
def test_h078_a_name_fits_with_what_is_added(deploy, length):
    name = "j" * length

    if length == 55:
        groups = deploy(lambda: ManagedJobNodes(name, args())).of_type(NODE_GROUP)
        assert all(len(one.name) <= 55 for one in groups)
        assert 2 == len({one.name for one in groups})
    else:
        with pytest.raises(ValueError, match=r"^name must be at most 55 characters"):
            deploy(lambda: ManagedJobNodes(name, args()))


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"scaler": ClusterAutoscaler()},
            "scaler.groups must be managed, got groups=self-managed",
        ),
        (
            {"zones": ("a", "a")},
            "zones must be 2 different texts, one for each subnet, got a, a",
        ),
        (
            {"former_zones": ("1",)},
            "former_zones must be 2 different texts, one for each subnet, got 1",
        ),
        (
            {"group": group(instance_types=("g5.xlarge",))},
            "instance_types must be without GPUs and Neuron chips, for which the "
            "standard image has no driver, got g5.xlarge: name an image that has it in "
            "ami_id, or choose scaler kind karpenter or auto-mode",
        ),
        (
            {"group": group(size=Size(max=1))},
            "size.max must be at least 2, one node for each zone of a managed group, "
            "got size.max=1",
        ),
        (
            {
                "group": group(ami_id=IMAGE),
                "scaler": ClusterAutoscaler(
                    groups="managed", warm_pool=WarmPool(min_size=1)
                ),
            },
            "ami_id must be left out with scaler.warm_pool, EKS has no warm pools for "
            f"images of your own, got ami_id={IMAGE}",
        ),
    ],
)
def test_refuses_before_the_first_resource(overrides, message):
    with pytest.raises(ValueError, match=".") as caught:
        args(**overrides)

    assert message == str(caught.value)
