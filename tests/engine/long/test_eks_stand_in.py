"""
The EKS stand-in on the real engine.

AWS is an echo: what is proven is that the engine builds the component, that its outputs
are resources, and that transforms of the program reach its children.
"""

import pytest

from tests.sandbox.engine_stack import EngineStack

PROGRAM = """
import pulumi
import pulumi_eks as eks
import pulumi_kubernetes as kubernetes


def transform(args):
    if args.type_ != "aws:eks/cluster:Cluster":
        return None
    scoring = {"scoringStrategy": {"type": "MostAllocated"}}
    added = {"kubeSchedulerConfig": {"nodeResourcesFit": scoring}}
    return pulumi.ResourceTransformResult({**args.props, **added}, args.opts)


cluster = eks.Cluster(
    "c",
    authentication_mode=eks.AuthenticationMode.API,
    version="1.36",
    vpc_id="vpc-1",
    subnet_ids=["s1", "s2"],
    skip_default_node_group=True,
    opts=pulumi.ResourceOptions(transforms=[transform]),
)
provider = kubernetes.Provider("p", kubeconfig=cluster.kubeconfig_json)
kubernetes.core.v1.Namespace(
    "jobs",
    metadata={"name": "jobs", "annotations": {"cluster": cluster.eks_cluster.arn}},
    opts=pulumi.ResourceOptions(provider=provider),
)
pulumi.export("arn", cluster.eks_cluster.arn)
pulumi.export("vpc", cluster.core.vpc_id)
pulumi.export("core", cluster.core.cluster.endpoint)
pulumi.export("group", cluster.node_security_group.id)
pulumi.export("issuer", cluster.oidc_issuer)
"""


@pytest.fixture
def stack(tmp_path):
    return EngineStack(tmp_path, PROGRAM)


def test_outputs_are_resources_and_transforms_reach_children(stack):
    outputs = stack.up()
    cluster = stack.resources()[
        "eks:index:Cluster$aws:eks/cluster:Cluster::c-eksCluster"
    ]

    assert {
        "arn": "arn:aws:eks:ap-northeast-2:111122223333:cluster/c",
        "core": "https://c.eks.example.com",
        "group": "c-nodeSecurityGroup-id",
        "issuer": "oidc.eks.ap-northeast-2.amazonaws.com/id/1",
        "vpc": "vpc-1",
    } == outputs
    assert {
        "nodeResourcesFit": {"scoringStrategy": {"type": "MostAllocated"}}
    } == cluster["kubeSchedulerConfig"]


def test_a_refusal_reaches_the_user_in_words(stack):
    stack.write(PROGRAM.replace("version=", "fargate=True, version="))
    done = stack.run("preview", "--stack", "dev")

    assert 0 != done.code
    assert (
        "eks:index:Cluster resource 'c' has a problem: fargate is not imitated by the "
        "sandbox"
    ) in done.text
