"""
Pools of EKS Auto Mode as the engine is sent them.

That EKS accepts a class, an entry and a life needs an account: its definitions are
not public.
"""

from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
import pytest

from components import (
    AutoMode,
    AutoModeNodes,
    AutoModeNodesArgs,
    InstanceTypes,
    JobGroup,
    KubeletTuning,
    PoolRules,
    Size,
    UserDataPart,
)
from components.spec.scaler.manifests import auto_mode_pools
from components.spec.scaler.node_class import Site
from tests.components.builders import JOB_ARM, facts

COMPONENT = "eks-jobs:index:AutoModeNodes"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
ENTRY = "aws:eks/accessEntry:AccessEntry"
ACCESS = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
CLASS = "kubernetes:eks.amazonaws.com/v1:NodeClass"

JOB = JobGroup(
    name="job",
    architecture="amd64",
    instance_types=("m7i.4xlarge", "m6i.4xlarge"),
    longest_job="6h",
)


def nodes(opts=None, cluster=None, name="auto", **overrides) -> AutoModeNodes:
    provider = kubernetes.Provider("alpha")
    defaults: dict[str, Any] = {
        "cluster": facts(provider=provider, **(cluster or {})),
        "jobs": (JOB, JOB_ARM),
    }
    return AutoModeNodes(name, AutoModeNodesArgs(**defaults | overrides), opts)


def test_identity_is_pinned(deploy):
    assert [
        f"{COMPONENT}${ENTRY}::auto",
        f"{COMPONENT}${ACCESS}::auto",
        f"{COMPONENT}${ROLE}::auto",
        f"{COMPONENT}${ATTACHMENT}::auto-AmazonEC2ContainerRegistryPullOnly",
        f"{COMPONENT}${ATTACHMENT}::auto-AmazonEKSWorkerNodeMinimalPolicy",
        f"{COMPONENT}::auto",
        f"{COMPONENT}${CLASS}::auto-job",
        f"{COMPONENT}${CLASS}::auto-job-arm",
        f"{COMPONENT}${POOL}::auto-job",
        f"{COMPONENT}${POOL}::auto-job-arm",
        "pulumi:providers:kubernetes::alpha",
    ] == [r.path for r in deploy(nodes).resources]


def test_objects_are_those_of_the_spec(deploy):
    deployment = deploy(lambda: nodes(tags={"team": "data"}))
    site = Site(
        cluster_name="alpha",
        subnet_ids=["subnet-1", "subnet-2"],
        security_group_ids=["sg-1"],
        role="auto",
        tags={"team": "data"},
    )

    for one in auto_mode_pools(
        AutoMode(), (JOB, JOB_ARM), site, InstanceTypes.bundled()
    ):
        name = f"auto-{one.group.name}"
        assert one.node_class == deployment.only(CLASS, name).inputs
        assert one.node_pool == deployment.only(POOL, name).inputs


def test_h076_nodes_of_the_role_are_let_in_and_may_join(deploy):
    deployment = deploy(nodes)

    assert {
        "clusterName": "alpha",
        "principalArn": "arn:test:role/auto",
        "type": "EC2",
        "tags": {},
    } == deployment.only(ENTRY).inputs
    assert {
        "clusterName": "alpha",
        "principalArn": "arn:test:role/auto",
        "policyArn": "arn:test:eks::aws:cluster-access-policy/AmazonEKSAutoNodePolicy",
        "accessScope": {"type": "cluster"},
    } == deployment.only(ACCESS).inputs


def test_h070_access_and_role_are_there_before_a_pool_and_go_after_it(deploy):
    deployment = deploy(nodes)
    own = {r.path for r in deployment.resources if r.path.startswith(f"{COMPONENT}$")}
    pools = {f"{COMPONENT}${POOL}::auto-{name}" for name in ("job", "job-arm")}
    other = f"{COMPONENT}${CLASS}::auto-job-arm"

    assert own - pools - {other} <= deployment.waits_for(
        deployment.only(POOL, "auto-job")
    )


def test_h070_pools_do_not_go_with_the_cluster(deploy):
    def program():
        owner = aws.ec2.Vpc("owner", cidr_block="10.0.0.0/16")
        nodes(cluster={"deleted_with": owner})

    deployment = deploy(program)

    assert {""} == {
        r.request.deletedWith
        for kind in (POOL, CLASS)
        for r in deployment.of_type(kind)
    }


@pytest.mark.parametrize(
    ("name", "limit"), [("auto-job", "7h"), ("auto-job-arm", "24h30m")]
)
def test_h071_a_deletion_waits_as_long_as_a_drain_may_last(deploy, name, limit):
    request = deploy(nodes).only(POOL, name).request

    assert limit == request.customTimeouts.delete


def test_a_retiring_scaler_makes_no_node(deploy):
    pool = deploy(lambda: nodes(retiring=True)).only(POOL, "auto-job")

    assert {"nodes": "0", "cpu": "0"} == pool.inputs["spec"]["limits"]


def test_h074_children_inherit_an_explicit_provider(deploy):
    def program():
        seoul = aws.Provider("seoul", region="ap-northeast-2")
        nodes(opts=pulumi.ResourceOptions(providers=[seoul]))

    assert [] == deploy(program).on_default_providers()


def test_h079_the_name_of_the_role_is_cut_where_iam_has_no_room(deploy):
    names = {
        deploy(lambda name=name: nodes(name=name)).only(ROLE).name
        for name in ("c" * 56, "c" * 57, "c" * 58)
    }

    assert 3 == len(names)
    assert {56} == {len(name) for name in names}


def group(**overrides):
    return JobGroup(
        name="job", architecture="amd64", instance_types=("m7i.4xlarge",), **overrides
    )


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {
                "jobs": (
                    group(
                        kubelet=KubeletTuning(max_pods=30),
                        user_data=(UserDataPart(kind="shell", content="#!/bin/sh\n"),),
                    ),
                )
            },
            "jobs[0]: EKS Auto Mode cannot set the kubelet, the image or user data of "
            "a node: leave out kubelet.max_pods=30, user_data (1 parts), or choose "
            "scaler kind karpenter",
        ),
        (
            {
                "jobs": (group(size=Size(min=1, max=2)),),
                "scaler": AutoMode(pools={"job": PoolRules(expire_after="Never")}),
            },
            "jobs[0]: size.min must be 0 with EKS Auto Mode, which keeps no empty "
            "nodes, got size.min=1: use scaler kind cluster-autoscaler, or balloons, "
            "for capacity that waits\n"
            "jobs[0]: expire_after must be a duration with EKS Auto Mode, where a node "
            "lives 504h at most, got expire_after=Never",
        ),
    ],
)
def test_h022_h086_refuses_what_auto_mode_cannot_do(overrides, message):
    missing = "cluster.provider must be given, pools are Kubernetes objects\n"

    with pytest.raises(ValueError, match=".") as caught:
        AutoModeNodesArgs(cluster=facts(), **overrides)

    assert missing + message == str(caught.value)
