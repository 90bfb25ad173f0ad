"""
The controller of Cluster Autoscaler as the engine is sent it.

That it finds and resizes groups needs an account; that its chart takes the values is
for tests/cluster.
"""

import json
from dataclasses import replace
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
import pytest

from components import (
    AutoscalerController,
    AutoscalerControllerArgs,
    ClusterAutoscaler,
)
from components.spec.labels import Taint
from components.spec.scaler.autoscaler_chart import autoscaler_values
from components.spec.scaler.autoscaler_iam import autoscaler_policy
from components.spec.scaler.iam import Account
from tests.components.builders import JOB, SERVER, facts

COMPONENT = "eks-jobs:index:AutoscalerController"
ROLE = "aws:iam/role:Role"
POLICY = "aws:iam/policy:Policy"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
IDENTITY = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
RELEASE = "kubernetes:helm.sh/v3:Release"

PATTERNS = {"job": "^alpha-job-[0-9a-f]{7}$"}


def controller(opts=None, cluster=None, name="ca", **overrides):
    provider = kubernetes.Provider("alpha")
    defaults: dict[str, Any] = {
        "cluster": facts(provider=provider, **(cluster or {})),
        "patterns": PATTERNS,
        "servers": (SERVER,),
    }
    args = AutoscalerControllerArgs(**defaults | overrides)
    return AutoscalerController(name, args, opts)


def test_identity_is_pinned(deploy):
    assert [
        f"{COMPONENT}${IDENTITY}::ca",
        f"{COMPONENT}${POLICY}::ca",
        f"{COMPONENT}${ROLE}::ca",
        f"{COMPONENT}${ATTACHMENT}::ca",
        f"{COMPONENT}::ca",
        f"{COMPONENT}${RELEASE}::ca",
        "pulumi:providers:kubernetes::alpha",
    ] == [r.path for r in deploy(controller).resources]


@pytest.mark.parametrize("retiring", [False, True])
def test_the_controller_gets_the_values_of_the_spec(deploy, retiring):
    scaler = ClusterAutoscaler(priorities=("job",))
    job = replace(JOB, taints=(Taint(key="agent-not-ready", startup=True),))
    values = autoscaler_values(
        scaler,
        cluster_name="alpha",
        cluster_version="1.36",
        region="ap-northeast-2",
        patterns=PATTERNS,
        servers=(SERVER,),
        jobs=(job,),
        retiring=retiring,
    )
    release = deploy(
        lambda: controller(scaler=scaler, jobs=(job,), retiring=retiring)
    ).only(RELEASE)

    assert values == release.inputs["values"]
    assert "agent-not-ready" == values["extraArgs"]["startup-taint_1"]


def test_the_chart_is_pinned_and_runs_beside_the_api_server(deploy):
    inputs = deploy(controller).only(RELEASE).inputs

    assert {
        "name": "cluster-autoscaler",
        "chart": "cluster-autoscaler",
        "version": "9.59.0",
        "repositoryOpts": {"repo": "https://kubernetes.github.io/autoscaler"},
        "namespace": "kube-system",
    }.items() <= inputs.items()


def test_it_may_resize_the_groups_of_its_cluster_alone(deploy):
    account = Account(
        cluster_name="alpha",
        partition="test",
        region="ap-northeast-2",
        account_id="111122223333",
    )

    assert autoscaler_policy(account) == json.loads(
        deploy(controller).only(POLICY).inputs["policy"]
    )


def test_it_takes_its_role_by_pod_identity_and_waits_for_it(deploy):
    deployment = deploy(controller)
    waits = deployment.waits_for(deployment.only(RELEASE))

    assert {
        "clusterName": "alpha",
        "namespace": "kube-system",
        "serviceAccount": "cluster-autoscaler",
        "roleArn": "arn:test:role/ca",
        "tags": {},
    } == deployment.only(IDENTITY).inputs
    assert {
        f"{COMPONENT}${kind}::ca" for kind in (IDENTITY, POLICY, ROLE, ATTACHMENT)
    } <= waits


def test_h072_the_release_goes_with_the_cluster(deploy):
    def program():
        owner = aws.ec2.Vpc("owner", cidr_block="10.0.0.0/16")
        controller(cluster={"deleted_with": owner})

    assert deploy(program).only(RELEASE).request.deletedWith.endswith("::owner")


def test_h074_children_inherit_an_explicit_provider(deploy):
    def program():
        seoul = aws.Provider("seoul", region="ap-northeast-2")
        controller(opts=pulumi.ResourceOptions(providers=[seoul]))

    assert [] == deploy(program).on_default_providers()


def test_h079_the_name_of_the_role_is_cut_where_iam_has_no_room(deploy):
    names = {
        deploy(lambda name=name: controller(name=name)).only(ROLE).name
        for name in ("c" * 56, "c" * 57, "c" * 58)
    }

    assert 3 == len(names)
    assert {56} == {len(name) for name in names}


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {},
            "cluster.provider must be given, the controller runs in the cluster",
        ),
        (
            {"scaler": ClusterAutoscaler(install=False)},
            "cluster.provider must be given, the controller runs in the cluster\n"
            "scaler.install must be true, this component is the installation",
        ),
        (
            {"scaler": ClusterAutoscaler(version="1.35.2", priorities=("jobs",))},
            "cluster.provider must be given, the controller runs in the cluster\n"
            "scaler.version must be of the cluster's minor 1.36, got version=1.35.2\n"
            "scaler.priorities must name job groups (job), got jobs",
        ),
    ],
)
def test_refuses_before_the_first_resource(overrides, message):
    with pytest.raises(ValueError, match=".") as caught:
        AutoscalerControllerArgs(cluster=facts(), patterns=PATTERNS, **overrides)

    assert message == str(caught.value)
