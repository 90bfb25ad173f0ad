"""
The components as a package for programs in any language, on a fake engine.

Not proven here: that the engine starts the package and that SDKs of other languages are
made of its schema; `tests/engine/long/test_component_package.py` runs one.
"""

import json
from dataclasses import fields

import pulumi
import pulumi_kubernetes as kubernetes
import pytest
from pulumi.errors import InputPropertiesError
from pulumi.output import UNKNOWN, Unknown

from components import (
    ClusterSettings,
    JobGroup,
    JobPlatform,
    JobPlatformArgs,
    NewNetwork,
    ServerGroup,
    Size,
)
from infra import versions
from infra.settings import Settings
from plugin.provider import OFFERS, JobsProvider

VPC = "aws:ec2/vpc:Vpc"
CLUSTER = "eks:index:Cluster"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
POLICY = "kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicy"
SUBNETS = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]

# As they come over the wire: numbers are floats, names are those of other languages.
PLATFORM = {
    "network": {"cidr": "10.50.0.0/16", "zones": 2.0},
    "cluster": {"version": "1.36"},
    "servers": [
        {
            "name": "server",
            "architecture": "amd64",
            "instance_types": ["m7i.large"],
            "size": {"min": 2.0, "max": 4.0},
        }
    ],
    "jobs": [
        {
            "name": "job",
            "architecture": "amd64",
            "instance_types": ["m7i.4xlarge"],
            "size": {"min": 0.0, "max": 9.0},
        }
    ],
    "region": "ap-northeast-2",
}
ELSEWHERE = {"vpc_id": "vpc-0123456789abcdef0", "subnet_ids": SUBNETS}
BALLOON = {
    "version": "1.36",
    "balloon": {"group": "job", "replicas": 2.0, "cpu": "500m", "memory": "750Mi"},
    "group": PLATFORM["jobs"][0],
    "scaler": {"kind": "cluster-autoscaler"},
}


@pytest.fixture(scope="module")
def package():
    return JobsProvider()


@pytest.fixture
def construct(deploy, package):
    """Deploy one component as the engine asks a package for it."""

    def run(kind, inputs, *, preview=False, provider=False):
        def program():
            opts = pulumi.ResourceOptions()
            if provider:
                kubernetes_ = kubernetes.Provider("k", kubeconfig="{}")
                opts = pulumi.ResourceOptions(providers={"kubernetes": kubernetes_})
            made = package.construct("it", f"eks-jobs:index:{kind}", inputs, opts)
            for name, value in made.state.items():
                pulumi.export(name, value)

        return deploy(program, preview=preview)

    return run


def platform(**changed):
    return {**PLATFORM, **changed}


def test_the_schema_matches_its_golden_file(golden, package):
    golden("plugin/schema.json", json.dumps(json.loads(package.schema), indent=2))


def test_every_argument_of_the_platform_is_an_input():
    arguments = {field.name for field in fields(JobPlatformArgs)}

    assert arguments <= {field.name for field in fields(Settings)}
    # Whose credentials are taken is said to the AWS provider.
    assert arguments - {"token"} <= OFFERS["JobPlatform"].inputs.keys()


def test_a_program_may_move_to_python_without_a_replacement(construct, deploy):
    size = Size(min=2, max=4)
    arguments = JobPlatformArgs(
        network=NewNetwork(cidr="10.50.0.0/16", zones=2),
        cluster=ClusterSettings(
            version="1.36", name="it", ami_release=versions.AMI_RELEASE
        ),
        servers=(
            ServerGroup(
                name="server",
                architecture="amd64",
                instance_types=("m7i.large",),
                size=size,
            ),
        ),
        jobs=(
            JobGroup(
                name="job",
                architecture="amd64",
                instance_types=("m7i.4xlarge",),
                size=Size(min=0, max=9),
            ),
        ),
    )
    here = deploy(lambda: JobPlatform("it", arguments))
    there = construct("JobPlatform", PLATFORM)

    assert [(r.path, r.inputs) for r in here.resources] == [
        (r.path, r.inputs) for r in there.resources
    ]


def test_outputs_are_those_of_the_schema(construct, package):
    described = json.loads(package.schema)["resources"]["eks-jobs:index:JobPlatform"]
    exports = construct("JobPlatform", PLATFORM).exports

    assert described["properties"].keys() == exports.keys()
    assert "it" == exports["clusterName"]
    assert {"job", "server"} == exports["groupNames"].keys()


def test_ids_that_a_preview_does_not_know_flow_through(construct):
    unknown = {"vpc_id": UNKNOWN, "subnet_ids": [SUBNETS[0], UNKNOWN]}
    shown = construct("JobPlatform", platform(network=unknown), preview=True)

    assert [] == shown.of_type(VPC)
    first, second = shown.only(NODE_GROUP).inputs["subnetIds"]

    assert SUBNETS[0] == first
    assert isinstance(second, Unknown)
    assert isinstance(shown.only(CLUSTER).inputs["vpcId"], Unknown)


def test_ids_that_are_known_are_checked_and_used(construct):
    done = construct("JobPlatform", platform(network=ELSEWHERE))

    assert ELSEWHERE["vpc_id"] == done.only(CLUSTER).inputs["vpcId"]
    assert SUBNETS == done.only(NODE_GROUP).inputs["subnetIds"]


@pytest.mark.parametrize(
    ("changed", "path"),
    [
        ({"network": {**ELSEWHERE, "subnet_ids": UNKNOWN}}, "network.subnet_ids"),
        ({"jobs": [{**PLATFORM["jobs"][0], "size": UNKNOWN}]}, "jobs[0].size"),
        ({"retiringScaler": {"kind": UNKNOWN}}, "retiringScaler.kind"),
    ],
)
def test_what_decides_about_resources_must_be_known_in_a_preview(
    construct, changed, path
):
    with pytest.raises(InputPropertiesError) as refused:
        construct("JobPlatform", platform(**changed), preview=True)

    assert (
        f"{path}: expected a value that a preview knows, since it decides which "
        "resources there are; got the output of a resource that does not exist yet"
    ) == refused.value.message


def test_a_wrong_value_is_refused_in_the_words_of_a_stack_file(construct):
    wrong = platform(
        jobs=[{**PLATFORM["jobs"][0], "volume": {"iops": 3000.0}}],
        vpcCni={"kind": "prefixes", "warm": 1.0},
        speed="fast",
    )
    with pytest.raises(InputPropertiesError) as refused:
        construct("JobPlatform", wrong)

    assert [
        "jobs[0].volume: throughput_mib=800 needs iops of at least 3200, got iops=3000",
        "vpcCni.warm: unknown key, expected one of kind, warm_prefix_target",
    ] == refused.value.message.splitlines()[:2]
    assert refused.value.message.splitlines()[2].startswith("speed: unknown key, ")


def test_false_is_no_policy(construct):
    assert [] == construct("JobPlatform", platform(policy=False)).of_type(POLICY)


def test_a_secret_stays_one_where_it_flows_into_resources(construct):
    tags = pulumi.Output.secret({"owner": "somebody"})
    done = construct("JobPlatform", platform(tags=tags))

    assert "somebody" == done.only(NODE_GROUP).inputs["tags"]["value"]["owner"]


@pytest.mark.parametrize("name", ["balloon", "group", "scaler"])
def test_what_a_balloon_makes_of_a_secret_stays_one(construct, name):
    inputs = {**BALLOON, name: pulumi.Output.secret(BALLOON[name])}
    done = construct("Balloon", inputs, provider=True)
    spec = done.only("kubernetes:apps/v1:Deployment").inputs["spec"]

    assert 2 == spec["value"]["replicas"]


@pytest.mark.parametrize("name", ["policy", "scalers"])
def test_what_a_policy_makes_of_a_secret_stays_one(construct, name):
    values = {"policy": {}, "scalers": []}
    inputs = {"version": "1.36", name: pulumi.Output.secret(values[name])}
    done = construct("JobPolicy", inputs, provider=True)

    assert "matchConstraints" in done.only(POLICY).inputs["spec"]["value"]


def test_children_wait_for_what_the_inputs_come_from(deploy, package):
    def program():
        shared = kubernetes.core.v1.Namespace("shared")
        vpc = shared.id.apply(lambda _: ELSEWHERE["vpc_id"])
        inputs = platform(network={**ELSEWHERE, "vpc_id": vpc})
        package.construct("it", "eks-jobs:index:JobPlatform", inputs)

    done = deploy(program)

    assert "kubernetes:core/v1:Namespace::shared" in done.waits_for(
        done.only(NODE_GROUP)
    )


def test_a_policy_takes_the_provider_for_kubernetes_of_its_options(construct):
    done = construct("JobPolicy", {"version": "1.36"}, provider=True)

    assert "k" == done.only(POLICY).provider
    assert {"engine": "native", "label": {"eks-jobs/workload": "job"}} == done.exports


@pytest.mark.parametrize(
    ("kind", "inputs", "what"),
    [
        ("JobPolicy", {"version": "1.36"}, "policies"),
        ("Balloon", BALLOON, "balloons"),
    ],
)
def test_without_a_provider_for_kubernetes_it_is_said_where_to_give_one(
    construct, kind, inputs, what
):
    with pytest.raises(InputPropertiesError) as refused:
        construct(kind, inputs)

    assert (
        f"providers.kubernetes must be given, {what} are Kubernetes objects"
        == refused.value.message
    )


def test_a_balloon_takes_the_keys_of_a_stack_file(construct):
    done = construct("Balloon", BALLOON, provider=True)
    deployment = done.only("kubernetes:apps/v1:Deployment")

    assert 2 == deployment.inputs["spec"]["replicas"]
    assert {"name": deployment.inputs["metadata"]["name"]} == done.exports


def test_another_component_is_not_there(construct):
    with pytest.raises(InputPropertiesError) as refused:
        construct("JobNodes", {})

    assert (
        "type must be one of eks-jobs:index:Balloon, eks-jobs:index:JobPlatform, "
        "eks-jobs:index:JobPolicy, got eks-jobs:index:JobNodes"
    ) == refused.value.message
