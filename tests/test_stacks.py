"""
Every committed stack file deploys, twice the same.

The engine and the cloud are fakes here; tests/engine runs the real engine.
"""

import json
from dataclasses import fields, replace
from pathlib import Path

import pulumi
import pytest

from components.spec.architecture import ami_parameter
from components.spec.cluster import KUBERNETES_VERSIONS
from infra import program, settings, stack_file, versions

ROOT = Path(__file__).parent.parent
STACKS = stack_file.stack_names(ROOT)

CLUSTER = "eks:index:Cluster"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
PARAMETER = "aws:ssm/getParameter:getParameter"


@pytest.fixture(scope="module")
def run(deploy):
    """
    Deploy a committed stack with the configuration that the CLI would give it.

    Once, unless *again*: no test changes what it looks at.
    """
    known = {}

    def select(stack: str, *, preview: bool = False, again: bool = False):
        if again or (stack, preview) not in known:
            configure(stack)
            known[stack, preview] = deploy(
                lambda: program.deploy(settings.load(pulumi.Config("eks-jobs"))),
                stack,
                preview=preview,
            )
        return known[stack, preview]

    yield select
    pulumi.runtime.set_all_config({}, [])


def configure(stack: str) -> None:
    """Give this process the configuration that the CLI would give the program."""
    values = stack_file.read_config(ROOT, stack)
    pulumi.runtime.set_all_config(
        {k: v if isinstance(v, str) else json.dumps(v) for k, v in values.items()}, []
    )


def test_the_stacks_of_the_readme_are_here():
    assert ["alpha", "dev", "prod", "sandbox"] == STACKS


@pytest.mark.parametrize("stack", STACKS)
def test_every_group_of_the_file_is_deployed(run, stack):
    selected = settings.load_file(ROOT, stack)
    names = {group.name for group in (*selected.servers, *selected.jobs)}
    names |= {pool.name for pool in getattr(selected.scaler, "server_pools", ())}
    deployment = run(stack)

    assert names == deployment.exports["groups"].keys()
    assert f"project-{stack}" == deployment.exports["cluster_name"]


@pytest.mark.parametrize("stack", STACKS)
def test_a_first_preview_shows_every_resource(run, stack):
    preview, update = run(stack, preview=True), run(stack)

    assert [r.path for r in update.resources] == [r.path for r in preview.resources]


@pytest.mark.parametrize("stack", STACKS)
def test_two_runs_agree_to_the_byte(run, stack):
    def sent() -> str:
        resources = run(stack, again=True).resources
        return json.dumps([(r.path, r.inputs) for r in resources], sort_keys=True)

    assert sent() == sent()


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.usefixtures("run")
def test_the_program_and_render_read_the_same_from_a_file(stack):
    configure(stack)
    online = settings.load(pulumi.Config("eks-jobs"))
    offline = settings.load_file(ROOT, stack)

    assert replace(online, cluster=offline.cluster) == offline


@pytest.mark.parametrize("stack", STACKS)
def test_keys_stand_in_the_order_of_the_settings(stack):
    known = [f"eks-jobs:{field.name}" for field in fields(settings.Settings)]
    used = [key for key in stack_file.read_config(ROOT, stack) if key in known]
    given = list(stack_file.read_config(ROOT, stack))

    assert ["aws:region", *sorted(used, key=known.index)] == given


# Why each warning is right: 800 MiB/s lasts as long as the burst of a 4xlarge does,
# which is what a burst of image pulls needs; a strategy of EKS packs servers too. The
# policy of the sandbox shows what each of its keys does, the costly ones as well, and
# its balloons one of a kind that Karpenter calls alpha.
WARNINGS = {
    "alpha": ["jobs[0].volume", "jobs[1].volume"],
    "dev": ["jobs[0].volume", "jobs[1].volume"],
    "prod": ["jobs[0].volume", "jobs[1].volume"],
    "sandbox": [
        "policy.host_network",
        "policy.packing",
        "policy.strict",
        "balloons[2].kind",
        "cluster.scheduler",
        "jobs[0].volume",
        "jobs[1].volume",
        "retiring_scaler",
    ],
}


@pytest.mark.parametrize("stack", STACKS)
def test_no_stack_warns_without_a_reason(run, stack):
    places = [text.partition(":")[0] for _, text in run(stack).warnings]

    assert WARNINGS[stack] == places


@pytest.mark.parametrize("stack", STACKS)
def test_the_version_of_kubernetes_is_the_pinned_one(stack):
    actual = settings.load_file(ROOT, stack).cluster.version

    assert versions.KUBERNETES_VERSION == actual


def test_the_pinned_version_is_the_newest_that_is_known():
    assert versions.KUBERNETES_VERSION == list(KUBERNETES_VERSIONS)[-1]


@pytest.mark.parametrize("stack", STACKS)
def test_nodes_boot_the_pinned_release_and_nothing_called_latest(run, stack):
    selected = settings.load_file(ROOT, stack)
    scalers = {selected.scaler.kind, getattr(selected.retiring_scaler, "kind", None)}
    wanted = {
        ami_parameter(
            group.architecture, versions.KUBERNETES_VERSION, versions.AMI_RELEASE
        )
        for group in selected.jobs
        if "cluster-autoscaler" in scalers
    }
    asked = {
        call.inputs["name"] for call in run(stack).calls if call.token == PARAMETER
    }

    classes = run(stack).of_type("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass")

    assert wanted == asked
    assert {f"al2023@{versions.AMI_RELEASE}"} >= {
        term["alias"]
        for one in classes
        for term in one.inputs["spec"]["amiSelectorTerms"]
    }


@pytest.mark.parametrize(
    ("stack", "kinds"),
    [
        ("alpha", ["cluster-autoscaler"]),
        ("dev", ["karpenter"]),
        ("prod", ["karpenter"]),
        ("sandbox", ["karpenter", "cluster-autoscaler"]),
    ],
)
def test_every_stack_says_what_scales_it(run, stack, kinds):
    releases = run(stack).of_type("kubernetes:helm.sh/v3:Release")

    assert sorted(kinds) == sorted(
        r.inputs["name"] for r in releases if r.inputs["name"] in kinds
    )
    assert "eks-jobs:scaler" in stack_file.read_config(ROOT, stack)


def test_prod_is_private_protected_and_spread_over_three_zones(run):
    cluster = run("prod").only(CLUSTER).inputs

    assert (True, False) == (
        cluster["endpointPrivateAccess"],
        cluster["endpointPublicAccess"],
    )
    assert cluster["deletionProtection"]
    assert {"supportType": "STANDARD"} == cluster["upgradePolicy"]
    assert 3 == len(cluster["privateSubnetIds"])


def test_prod_runs_the_numbers_of_the_brief():
    for group in settings.load_file(ROOT, "prod").jobs:
        kubelet, volume = group.kubelet, group.volume

        assert (60, 40, 60) == (
            kubelet.max_pods,
            kubelet.registry_pull_qps,
            kubelet.burst,
        )
        assert (8_000, 800) == (volume.iops, volume.throughput_mib)
        assert len(group.instance_types) > 1


# A name and an image have good defaults, secrets need a passphrase, and the API server
# of the sandbox runs the policy itself. A role of one's own excludes ours.
NOT_IN_THE_SANDBOX = {
    "ami_alias",
    "instance_profile",
    "node_role",
    "kyverno",
    "name",
    "ami_release",
    "ami_id",
    "secret_keys",
    "token",
    "service_cidr",
}


def test_the_sandbox_uses_every_key():
    text = (ROOT / "Pulumi.sandbox.yaml").read_text()
    selected = settings.load_file(ROOT, "sandbox")
    unused = [
        f"{type(value).__name__}.{field.name}"
        for value in (
            *(selected, selected.cluster, selected.network, selected.jobs[-1]),
            *(selected.policy, selected.scaler, *selected.scaler.pools.values()),
            *(selected.keda, *selected.balloons, selected.balloons[0].schedule),
            *selected.balloons[0].schedule.windows,
            *(selected.monitoring, selected.monitoring.scrapes),
            *(selected.monitoring.scrapes.scheduler, selected.monitoring.thresholds),
        )
        for field in fields(value)
        if f"{field.name}:" not in text and field.name not in NOT_IN_THE_SANDBOX
    ]

    assert [] == unused
