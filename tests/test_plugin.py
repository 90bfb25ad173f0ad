"""
The components as a package for programs in any language, on a fake engine.

Not proven here: that the engine starts the package and that SDKs of other languages are
made of its schema; `tests/engine/long/test_component_package.py` runs one.
"""

import json
from dataclasses import fields

import grpc
import pulumi
import pulumi_aws as aws
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
from tests.conftest import REGION

REGION_CALL = "aws:index/getRegion:getRegion"
KUBERNETES = "pulumi:providers:kubernetes"
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

    def run(kind, inputs, *, preview=False, provider=False, seoul=False, answers=None):
        def program():
            providers = {}
            if provider:
                providers["kubernetes"] = kubernetes.Provider("k", kubeconfig="{}")
            if seoul:
                providers["aws"] = aws.Provider("seoul", region=REGION)
            opts = pulumi.ResourceOptions(providers=providers)
            made = package.construct("it", f"eks-jobs:index:{kind}", inputs, opts)
            for name, value in made.state.items():
                pulumi.export(name, value)

        return deploy(program, preview=preview, answers=answers)

    return run


@pytest.fixture
def configured():
    """Configure the AWS provider of the stack, as `pulumi config set` does."""

    def configure(**values):
        given = {f"aws:{key}": value for key, value in values.items()}
        pulumi.runtime.set_all_config(given)

    yield configure
    pulumi.runtime.set_all_config({})


def platform(**changed):
    return {**PLATFORM, **changed}


def test_the_schema_matches_its_golden_file(golden, package):
    golden("plugin/schema.json", json.dumps(json.loads(package.schema), indent=2))


def test_every_argument_of_the_platform_is_an_input():
    arguments = {field.name for field in fields(JobPlatformArgs)}

    assert arguments <= {field.name for field in fields(Settings)}
    assert arguments <= OFFERS["JobPlatform"].inputs.keys()


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


def test_the_region_is_that_of_the_provider_of_the_program(construct, configured):
    configured(region="us-east-1")
    zones = [f"{REGION}a", f"{REGION}b"]
    network = {**PLATFORM["network"], "zones": zones}
    done = construct("JobPlatform", platform(network=network), seoul=True)

    assert zones == sorted(
        {r.inputs["availabilityZone"] for r in done.of_type("aws:ec2/subnet:Subnet")}
    )
    assert {"seoul"} == {c.provider for c in done.calls if c.token == REGION_CALL}


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        (
            {"region": "eu-west-1"},
            f"region: expected {REGION}, the region of the AWS provider, got eu-west-1",
        ),
        (
            {"network": {**PLATFORM["network"], "zones": ["eu-west-1a", "eu-west-1b"]}},
            f"network.zones: expected zones of region {REGION}, "
            "got eu-west-1a, eu-west-1b",
        ),
    ],
)
def test_another_region_than_that_of_the_provider_is_refused_before_any_resource(
    construct, monkeypatch, changed, line
):
    monkeypatch.setattr("plugin.platform.JobPlatform", None)
    with pytest.raises(InputPropertiesError) as refused:
        construct("JobPlatform", platform(**changed))

    assert line == refused.value.message


def test_a_region_that_the_provider_does_not_know_yet_may_be_said(construct):
    unknown = {REGION_CALL: {}}
    named = {**PLATFORM["network"], "zones": ["eu-west-1a", "eu-west-1b"]}
    with pytest.raises(InputPropertiesError) as refused:
        construct("JobPlatform", platform(network=named), preview=True, answers=unknown)

    assert (
        "region: expected a region such as ap-northeast-2, since the AWS provider is "
        "not known yet; got nothing"
    ) == refused.value.message
    said = platform(network=named, region="eu-west-1")
    assert construct("JobPlatform", said, preview=True, answers=unknown).of_type(VPC)


class NoRegionError(grpc.RpcError):
    """What a provider answers that has no region."""

    def code(self):
        return grpc.StatusCode.UNKNOWN

    def details(self):
        return "Missing region information"


def test_a_provider_without_a_region_is_told_of(construct):
    def fails(_inputs):
        raise NoRegionError

    with pytest.raises(InputPropertiesError) as refused:
        construct("JobPlatform", PLATFORM, answers={REGION_CALL: fails})

    assert refused.value.message.startswith(
        "region: the AWS provider was asked for its own and refused: "
    )
    assert "Missing region information" in refused.value.message


def words(deployment) -> list[str]:
    """Return the arguments with which the AWS CLI is asked for a token."""
    (provider,) = deployment.of_type(KUBERNETES)
    return json.loads(provider.inputs["kubeconfig"])["users"][0]["user"]["exec"]["args"]


ROLE = "arn:test:iam::111122223333:role/Deployer"
ROLES = json.dumps([{"roleArn": ROLE}])


def test_objects_are_made_as_the_provider_of_the_stack_is_configured(
    construct, configured
):
    configured(profile="prod", assumeRoles=ROLES)
    said = words(construct("JobPlatform", PLATFORM))

    assert ["--profile", "prod"] == said[:2]
    assert ["--role-arn", ROLE] == said[8:10]


def test_what_the_stack_says_is_not_about_the_provider_of_the_program(
    construct, configured
):
    configured(profile="prod", assumeRoles=ROLES)
    said = words(construct("JobPlatform", PLATFORM, seoul=True))

    assert [
        *("--region", REGION, "eks", "get-token", "--cluster-name", "it"),
        *("--output", "json"),
    ] == said


def test_a_program_may_say_whose_credentials_make_objects(construct, configured):
    configured(profile="prod", assumeRoles=ROLES)
    token = {"profile": "jobs"}
    said = words(construct("JobPlatform", platform(token=token), seoul=True))

    assert ["--profile", "jobs", "--region"] == said[:3]
    assert "--role-arn" not in said


def test_a_wrong_token_is_refused(construct):
    with pytest.raises(InputPropertiesError) as refused:
        construct("JobPlatform", platform(token={"role": ROLE}))

    assert refused.value.message.startswith("token.role: unknown key, ")


def test_a_secret_token_stays_one(construct):
    token = pulumi.Output.secret({"role_arn": ROLE})
    (provider,) = construct("JobPlatform", platform(token=token)).of_type(KUBERNETES)

    assert ROLE in provider.inputs["kubeconfig"]["value"]


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
