"""
Karpenter as the engine is sent it.

That the controller accepts its values and the API server its objects is for
tests/cluster; that AWS grants what the policies say needs an account.
"""

import json
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
import pytest

from components import (
    InstanceTypes,
    JobGroup,
    Karpenter,
    KarpenterNodes,
    KarpenterNodesArgs,
    ServerPool,
    Size,
    UserDataPart,
)
from components.spec.scaler.iam import Account
from components.spec.scaler.interruption import event_rules, queue_policy
from components.spec.scaler.karpenter_chart import karpenter_values
from components.spec.scaler.karpenter_iam import controller_policies
from components.spec.scaler.manifests import karpenter_pools
from components.spec.scaler.node_class import Site
from tests.components.builders import JOB_ARM, SERVER, facts

COMPONENT = "eks-jobs:index:KarpenterNodes"
QUEUE = "aws:sqs/queue:Queue"
QUEUE_POLICY = "aws:sqs/queuePolicy:QueuePolicy"
RULE = "aws:cloudwatch/eventRule:EventRule"
TARGET = "aws:cloudwatch/eventTarget:EventTarget"
ROLE = "aws:iam/role:Role"
POLICY = "aws:iam/policy:Policy"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
ENTRY = "aws:eks/accessEntry:AccessEntry"
IDENTITY = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
RELEASE = "kubernetes:helm.sh/v3:Release"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"

JOB = JobGroup(
    name="job",
    architecture="amd64",
    instance_types=("m7i.4xlarge", "m6i.4xlarge"),
    longest_job="6h",
)
MORE = ServerPool(name="more", architecture="amd64", instance_types=("m7i.xlarge",))
ANSWERS = {
    "aws:iam/getRole:getRole": lambda args: {
        "id": args["name"],
        "name": args["name"],
        "arn": f"arn:test:role/path/{args['name']}",
    },
    "aws:iam/getInstanceProfile:getInstanceProfile": lambda args: {
        "id": args["name"],
        "name": args["name"],
        "roleArn": "arn:test:role/of-the-profile",
    },
}


def nodes(opts=None, cluster=None, name="k", **overrides) -> KarpenterNodes:
    provider = kubernetes.Provider("alpha")
    defaults: dict[str, Any] = {
        "cluster": facts(provider=provider, **(cluster or {})),
        "jobs": (JOB, JOB_ARM),
        "servers": (SERVER,),
        "ami_release": "v20260714",
    }
    return KarpenterNodes(name, KarpenterNodesArgs(**defaults | overrides), opts)


def deployed(deploy, **overrides):
    return deploy(lambda: nodes(**overrides), answers=ANSWERS)


def own(deployment) -> set[str]:
    return {
        r.path.removeprefix(f"{COMPONENT}$")
        for r in deployment.resources
        if r.path.startswith(f"{COMPONENT}$")
    }


def order(deployment, type_: str, name: str) -> set[str]:
    """List types and names of what must exist before a resource, and go after it."""
    waits = deployment.waits_for(deployment.only(type_, name))
    return {path.removeprefix(f"{COMPONENT}$") for path in waits}


RULES = {
    "capacity-reservation-interruption",
    "instance-state-change",
    "rebalance",
    "scheduled-change",
    "spot-interruption",
}
POLICIES = {
    "eks-integration",
    "iam-integration",
    "interruption",
    "node-lifecycle",
    "resource-discovery",
    "zonal-shift",
}
NODE = {
    f"{ROLE}::k-node-role",
    f"{ATTACHMENT}::k-node-role-AmazonEC2ContainerRegistryPullOnly",
    f"{ATTACHMENT}::k-node-role-AmazonEKSWorkerNodePolicy",
    f"{ATTACHMENT}::k-node-role-AmazonEKS_CNI_Policy",
    f"{ENTRY}::k-node-role",
}
QUEUED = {
    f"{QUEUE}::k-queue",
    f"{QUEUE_POLICY}::k-queue",
    *(f"{kind}::k-rule-{name}" for kind in (RULE, TARGET) for name in RULES),
}
PERMITTED = {
    f"{ROLE}::k-controller-role",
    f"{IDENTITY}::k-controller-role",
    *(f"{one}::k-policy-{name}" for one in (POLICY, ATTACHMENT) for name in POLICIES),
}
RELEASES = {f"{RELEASE}::k", f"{RELEASE}::k-crds"}
OBJECTS = {f"{kind}::k-{name}" for kind in (POOL, CLASS) for name in ("job", "job-arm")}


def test_identity_is_pinned(deploy):
    deployment = deployed(deploy)

    assert NODE | QUEUED | PERMITTED | RELEASES | OBJECTS == own(deployment)
    assert f"{COMPONENT}::k" == deployment.only(COMPONENT).path


def test_outputs_are_pools_and_queue(deploy):
    assert {
        "group_names": {"job": "job", "job-arm": "job-arm"},
        "queue_name": "k-queue",
    } == deployed(deploy).outputs[f"{COMPONENT}::k"]


def test_h067_definitions_have_one_owner_and_come_first(deploy):
    deployment = deployed(deploy)
    crds, controller = (deployment.only(RELEASE, name) for name in ("k-crds", "k"))

    assert f"{RELEASE}::k-crds" in order(deployment, RELEASE, "k")
    assert (False, True) == (crds.inputs["skipCrds"], controller.inputs["skipCrds"])


def test_h068_both_charts_have_the_version_of_the_controller(deploy):
    releases = deployed(deploy, scaler=Karpenter(version="1.14.1")).of_type(RELEASE)

    assert {
        ("karpenter", "oci://public.ecr.aws/karpenter/karpenter", "1.14.1"),
        ("karpenter-crd", "oci://public.ecr.aws/karpenter/karpenter-crd", "1.14.1"),
    } == {(r.inputs["name"], r.inputs["chart"], r.inputs["version"]) for r in releases}
    assert {"kube-system"} == {r.inputs["namespace"] for r in releases}


def test_h069_h070_everything_is_there_before_a_pool_and_goes_after_it(deploy):
    deployment = deployed(deploy)

    for name in ("k-job", "k-job-arm"):
        before = order(deployment, POOL, name)
        assert (
            set()
            == (NODE | QUEUED | PERMITTED | RELEASES | {f"{CLASS}::{name}"}) - before
        )
        assert f"{POOL}::{name}" not in order(deployment, CLASS, name)


def test_the_controller_never_starts_without_permissions_and_queue(deploy):
    before = order(deployed(deploy), RELEASE, "k")

    assert set() == (NODE | QUEUED | PERMITTED) - before


def test_h070_pools_go_one_by_one_and_the_controller_with_the_cluster(deploy):
    def program():
        owner = aws.ec2.Vpc("owner", cidr_block="10.0.0.0/16")
        nodes(cluster={"deleted_with": owner})

    deployment = deploy(program)
    with_cluster = {
        r.path.rpartition("$")[2]: bool(r.request.deletedWith)
        for kind in (RELEASE, POOL, CLASS)
        for r in deployment.of_type(kind)
    }

    assert dict.fromkeys(RELEASES, True) | dict.fromkeys(OBJECTS, False) == with_cluster


@pytest.mark.parametrize(("name", "limit"), [("k-job", "7h"), ("k-job-arm", "1h")])
def test_h071_a_deletion_waits_as_long_as_a_drain_may_last(deploy, name, limit):
    deployment = deployed(deploy)

    assert [limit, limit] == [
        deployment.only(kind, name).request.customTimeouts.delete
        for kind in (POOL, CLASS)
    ]


def test_objects_are_those_of_the_spec(deploy):
    deployment = deployed(deploy, tags={"team": "data"})
    site = Site(
        cluster_name="alpha",
        subnet_ids=["subnet-1", "subnet-2"],
        security_group_ids=["sg-1"],
        role="k-node-role",
        tags={"team": "data"},
    )
    pools = karpenter_pools(
        Karpenter(), (JOB, JOB_ARM), site, "v20260714", InstanceTypes.bundled()
    )

    for one in pools:
        name = f"k-{one.group.name}"
        assert one.node_class == deployment.only(CLASS, name).inputs
        assert one.node_pool == deployment.only(POOL, name).inputs


def test_the_controller_gets_the_values_of_the_spec(deploy):
    values = karpenter_values(
        Karpenter(), cluster_name="alpha", queue_name="k-queue", servers=(SERVER,)
    )

    assert values == deployed(deploy).only(RELEASE, "k").inputs["values"]


def test_definitions_stay_when_their_release_goes(deploy):
    """They hold every pool; a release that stayed could not be installed again."""
    crds = deployed(deploy).only(RELEASE, "k-crds")

    assert {"additionalAnnotations": {"helm.sh/resource-policy": "keep"}} == (
        crds.inputs["values"]
    )
    assert not crds.request.retainOnDelete


def test_the_policies_are_those_of_the_spec_for_this_account(deploy):
    expected = controller_policies(
        Account(
            cluster_name="alpha",
            partition="test",
            region="ap-northeast-2",
            account_id="111122223333",
        ),
        node_role_arn="arn:test:role/k-node-role",
        queue_arn="arn:test:queue/k-queue",
        version="1.15.1",
    )
    found = deployed(deploy).of_type(POLICY)

    assert {f"k-policy-{name}": policy for name, policy in expected.items()} == {
        r.name: json.loads(r.inputs["policy"]) for r in found
    }
    assert not any(" " in r.inputs["policy"] for r in found)


def test_the_controller_takes_its_role_by_pod_identity(deploy):
    deployment = deployed(deploy)

    assert {
        "clusterName": "alpha",
        "namespace": "kube-system",
        "serviceAccount": "karpenter",
        "roleArn": "arn:test:role/k-controller-role",
        "tags": {},
    } == deployment.only(IDENTITY).inputs
    assert (
        "pods.eks.amazonaws.com"
        in (deployment.only(ROLE, "k-controller-role").inputs["assumeRolePolicy"])
    )


def test_no_other_account_and_no_other_cluster_gets_the_role_of_the_controller(deploy):
    role = deployed(deploy).only(ROLE, "k-controller-role").inputs
    (statement,) = json.loads(role["assumeRolePolicy"])["Statement"]

    assert {
        "StringEquals": {
            "aws:RequestTag/eks-cluster-name": "alpha",
            "aws:RequestTag/kubernetes-namespace": "kube-system",
            "aws:RequestTag/kubernetes-service-account": "karpenter",
        }
    } == statement["Condition"]


def test_the_queue_hears_all_five_events_and_nobody_else(deploy):
    deployment = deployed(deploy)
    queue = deployment.only(QUEUE).inputs
    patterns = {
        r.name.removeprefix("k-rule-"): json.loads(r.inputs["eventPattern"])
        for r in deployment.of_type(RULE)
    }
    sent = {
        (r.inputs["rule"], r.inputs["arn"], r.inputs["targetId"])
        for r in deployment.of_type(TARGET)
    }
    policy = json.loads(deployment.only(QUEUE_POLICY).inputs["policy"])
    allowed = policy["Statement"][0]["Condition"]["ArnEquals"]["aws:SourceArn"]

    assert {n: dict(p) for n, p in event_rules("1.15.1").items()} == patterns
    assert (300, True) == (
        queue["messageRetentionSeconds"],
        queue["sqsManagedSseEnabled"],
    )
    target = "KarpenterInterruptionQueueTarget"
    assert {
        (f"k-rule-{name}", "arn:test:queue/k-queue", target) for name in RULES
    } == sent
    assert {f"arn:test:rule/k-rule-{name}" for name in RULES} == set(allowed)
    assert queue_policy("arn:test:queue/k-queue", allowed) == policy


def test_h076_nodes_join_by_one_entry_for_their_role(deploy):
    assert {
        "clusterName": "alpha",
        "principalArn": "arn:test:role/k-node-role",
        "type": "EC2_LINUX",
        "tags": {},
    } == deployed(deploy).only(ENTRY).inputs


@pytest.mark.parametrize(
    ("scaler", "identity", "role_arn"),
    [
        (Karpenter(node_role="mine"), {"role": "mine"}, "arn:test:role/path/mine"),
        (
            Karpenter(instance_profile="mine"),
            {"instanceProfile": "mine"},
            "arn:test:role/of-the-profile",
        ),
    ],
)
def test_a_role_or_profile_of_ones_own_is_used_and_may_be_passed(
    deploy, scaler, identity, role_arn
):
    deployment = deployed(deploy, scaler=scaler)
    passed = json.loads(
        deployment.only(POLICY, "k-policy-iam-integration").inputs["policy"]
    )

    assert [] == deployment.of_type(ENTRY)
    assert ["k-controller-role"] == [r.name for r in deployment.of_type(ROLE)]
    assert identity.items() <= deployment.only(CLASS, "k-job").inputs["spec"].items()
    assert [role_arn] == passed["Statement"][0]["Resource"]


def test_a_team_that_runs_karpenter_already_gets_pools_alone(deploy):
    deployment = deployed(deploy, scaler=Karpenter(install=False))

    assert NODE | OBJECTS == own(deployment)
    assert NODE | {f"{CLASS}::k-job"} <= order(deployment, POOL, "k-job")


def test_pools_for_servers_come_beside_those_for_jobs(deploy):
    scaler = Karpenter(server_pools=(MORE,))
    deployment = deployed(deploy, scaler=scaler)

    assert {"k-job", "k-job-arm", "k-more"} == {
        r.name for r in deployment.of_type(POOL)
    }
    assert (
        "taints"
        not in (deployment.only(POOL, "k-more").inputs["spec"]["template"]["spec"])
    )


def test_a_retiring_scaler_keeps_everything_and_makes_no_node(deploy):
    active, retiring = deployed(deploy), deployed(deploy, retiring=True)
    changed = {
        new.path.rpartition("$")[2]
        for old, new in zip(active.resources, retiring.resources, strict=True)
        if old.inputs != new.inputs
    }

    assert {f"{POOL}::k-job", f"{POOL}::k-job-arm"} == changed
    assert {"nodes": "0", "cpu": "0"} == (
        retiring.only(POOL, "k-job").inputs["spec"]["limits"]
    )


def test_h074_children_inherit_an_explicit_provider(deploy):
    def program():
        seoul = aws.Provider("seoul", region="ap-northeast-2")
        nodes(opts=pulumi.ResourceOptions(providers=[seoul]))

    assert [] == deploy(program).on_default_providers()


def test_children_wait_for_what_the_component_waits_for(deploy):
    def program():
        server = aws.ec2.Vpc("server", cidr_block="10.0.0.0/16")
        nodes(opts=pulumi.ResourceOptions(depends_on=[server]))

    assert "aws:ec2/vpc:Vpc::server" in order(deploy(program), RELEASE, "k-crds")


def test_values_that_are_not_known_yet_show_in_a_first_preview(deploy):
    preview = deploy(nodes, preview=True)

    assert own(deployed(deploy)) == own(preview)


def test_h079_names_stay_apart_for_the_longest_component(deploy):
    name = "n" * 100
    found = own(deployed(deploy, name=name))

    assert len(own(deployed(deploy))) == len(found)
    assert all(
        len(path.rpartition("::")[2]) <= 56 for path in found if path.startswith(ROLE)
    )


TEXT = UserDataPart(kind="shell", content="#!/bin/bash\n" + "#" * 16_384)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"cluster": facts()},
            "cluster.provider must be given, pools are Kubernetes objects",
        ),
        (
            {"ami_release": None},
            "ami_release must be set, such as v20260714, or scaler.ami_alias: nothing "
            "is resolved to the latest image",
        ),
        (
            {
                "jobs": (
                    JobGroup(
                        name="job",
                        architecture="amd64",
                        instance_types=("m7i.4xlarge",),
                        size=Size(min=1, max=2),
                    ),
                )
            },
            "jobs[0]: size.min must be 0 with Karpenter, which keeps no empty nodes, "
            "got size.min=1: use scaler kind cluster-autoscaler, or balloons, for "
            "capacity that waits",
        ),
        (
            {
                "jobs": (
                    JobGroup(
                        name="job",
                        architecture="amd64",
                        instance_types=("m7i.4xlarge",),
                        user_data=(TEXT,),
                    ),
                )
            },
            "jobs[0]: user_data",
        ),
    ],
)
def test_refuses_before_the_first_resource(deploy, overrides, message):
    def program():
        with pytest.raises(ValueError, match=".") as caught:
            nodes(**overrides)
        assert str(caught.value).startswith(message)

    def bare():
        with pytest.raises(ValueError, match=".") as caught:
            KarpenterNodesArgs(cluster=overrides["cluster"], ami_release="v20260714")
        assert message == str(caught.value)

    deploy(bare if "cluster" in overrides else program)


def test_an_alias_or_images_of_ones_own_need_no_release(deploy):
    image = "ami-0123456789abcdef0"
    scaler = Karpenter(ami_alias="al2023@v20260801")
    group = JobGroup(
        name="job",
        architecture="amd64",
        instance_types=("m7i.4xlarge",),
        ami_id=image,
    )
    aliased = deployed(deploy, scaler=scaler, ami_release=None)
    own_image = deployed(deploy, jobs=(group,), ami_release=None)

    assert ([{"alias": "al2023@v20260801"}], [{"id": image}]) == (
        aliased.only(CLASS, "k-job").inputs["spec"]["amiSelectorTerms"],
        own_image.only(CLASS, "k-job").inputs["spec"]["amiSelectorTerms"],
    )
