"""
The whole platform as the engine is sent it.

Order of creation and of destruction is read from the dependencies; that the engine
keeps it, and what AWS does, is for other tests.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

import components
from components import (
    AutoMode,
    ClusterAutoscaler,
    ClusterSettings,
    ExistingNetwork,
    InstanceType,
    InstanceTypes,
    JobPlatform,
    JobPlatformArgs,
    JobPolicySettings,
    Karpenter,
    KubeletTuning,
    KyvernoSettings,
    NewNetwork,
    PoolRules,
    ResourceWeight,
    SchedulerScoring,
    ServerGroup,
    Size,
    Taint,
    WarmInterfaces,
    cluster,
)
from tests.components.builders import JOB, JOB_ARM, SERVER

COMPONENT = "eks-jobs:index:JobPlatform"
CLUSTER = f"{COMPONENT}$eks-jobs:index:Cluster"
NETWORK = f"{COMPONENT}$eks-jobs:index:Network"
CONTROL_PLANE = "eks:index:Cluster"
ADDON = "aws:eks/addon:Addon"
ASG = "aws:autoscaling/group:Group"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
ENTRY = "aws:eks/accessEntry:AccessEntry"
VPC = "aws:ec2/vpc:Vpc"
BINDING = "kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicyBinding"
KYVERNO = "kubernetes:policies.kyverno.io/v1:MutatingPolicy"
RELEASE = "kubernetes:helm.sh/v3:Release"
CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"

PINS = {"coredns": "v1.12.4-eksbuild.1"}
SMALL = replace(JOB, size=Size(max=2))
RELEASED = ClusterSettings(version="1.36", ami_release="v20260714")
FITTING = {
    "cluster-autoscaler": RELEASED,
    "karpenter": RELEASED,
    "auto-mode": ClusterSettings(version="1.36"),
}
EXISTING = ExistingNetwork(
    vpc_id="vpc-1",
    subnet_ids=("subnet-1", "subnet-2"),
    subnet_cidrs=("10.0.0.0/18", "10.0.64.0/18"),
)


def args(**overrides) -> JobPlatformArgs:
    defaults: dict[str, Any] = {
        "network": NewNetwork(),
        "cluster": ClusterSettings(version="1.36", ami_release="v20260714"),
        "servers": (SERVER,),
        "jobs": (JOB, JOB_ARM),
    }
    return JobPlatformArgs(**defaults | overrides)


def platform(**overrides) -> JobPlatform:
    return JobPlatform("platform", args(**overrides))


@pytest.fixture(scope="module")
def plain(deploy):
    """Deploy the platform of the defaults, for tests that only look at it."""
    return deploy(platform)


def paths(deployment, *types: str) -> set[str]:
    return {r.path for r in deployment.resources if r.type in types}


def test_identity_is_pinned(plain):
    own = sorted(
        r.path.removeprefix(f"{COMPONENT}$")
        for r in plain.resources
        if r.path.startswith(f"{COMPONENT}$eks-jobs:") and r.type.startswith("eks-jobs")
    )

    assert [
        "eks-jobs:index:AutoscalerController::platform-cluster-autoscaler",
        "eks-jobs:index:Cluster::platform-cluster",
        "eks-jobs:index:JobNodes::platform-job",
        "eks-jobs:index:JobNodes::platform-job-arm",
        "eks-jobs:index:JobPolicy::platform-policy",
        "eks-jobs:index:Network::platform-network",
        "eks-jobs:index:ServerNodes::platform-server",
        "eks-jobs:index:Storage::platform-storage",
        "eks-jobs:index:VpcCni::platform-vpc-cni",
    ] == own
    assert f"{COMPONENT}${ADDON}::platform-coredns" in paths(plain, ADDON)
    assert {f"{COMPONENT}::platform"} == paths(plain, COMPONENT)


def test_outputs_are_cluster_and_groups(plain):
    assert {
        "cluster_name": "platform",
        "endpoint": "https://platform.eks.example.com",
        "group_names": {
            "server": "platform-server",
            "job": "platform-job",
            "job-arm": "platform-job-arm",
        },
    } == plain.outputs[f"{COMPONENT}::platform"]


def test_a_cluster_can_have_a_name_of_its_own(deploy):
    settings = replace(args().cluster, name="alpha")
    deployment = deploy(lambda: platform(cluster=settings))

    assert "alpha" == deployment.only(CONTROL_PLANE).inputs["name"]
    assert "alpha" == deployment.only(NODE_GROUP).inputs["clusterName"]


def test_an_existing_network_is_used_and_left_alone(deploy):
    deployment = deploy(lambda: platform(network=EXISTING))

    assert set() == {
        r.type
        for r in deployment.resources
        if r.type.startswith("aws:ec2/") and "launchTemplate" not in r.type
    }
    assert ("vpc-1", ["subnet-1", "subnet-2"]) == (
        deployment.only(CONTROL_PLANE).inputs["vpcId"],
        deployment.only(CONTROL_PLANE).inputs["privateSubnetIds"],
    )
    assert ["subnet-1", "subnet-2"] == deployment.only(NODE_GROUP).inputs["subnetIds"]


def test_nodes_wait_for_the_network_and_the_first_addons(plain):
    network = {r.path for r in plain.resources if r.path.startswith(f"{NETWORK}$")}
    first = {
        f"{CLUSTER}${CONTROL_PLANE}::platform-cluster",
        f"{CLUSTER}${ADDON}::platform-cluster-kube-proxy",
        f"{CLUSTER}${ADDON}::platform-cluster-eks-pod-identity-agent",
        f"{COMPONENT}$eks-jobs:index:VpcCni${ADDON}::platform-vpc-cni",
    }

    for nodes in (*plain.of_type(NODE_GROUP), *plain.of_type(ASG)):
        assert set() == (network | first) - plain.waits_for(nodes)


def test_h075_what_runs_on_nodes_waits_for_servers_without_taints(deploy):
    tainted = ServerGroup(
        name="memory",
        architecture="amd64",
        instance_types=("r7i.xlarge", "r6i.xlarge"),
        taints=(Taint(key="memory"),),
    )
    deployment = deploy(lambda: platform(servers=(SERVER, tainted)))
    nodes = f"{COMPONENT}$eks-jobs:index:ServerNodes${NODE_GROUP}::platform-"

    for name in ("platform-coredns", "platform-storage"):
        waits = deployment.waits_for(deployment.only(ADDON, name))
        assert f"{nodes}server" in waits
        assert f"{nodes}memory" not in waits


def test_h075_no_first_addon_waits_for_a_node(plain):
    nodes = paths(plain, NODE_GROUP, ASG)

    for name in (
        "platform-vpc-cni",
        "platform-cluster-kube-proxy",
        "platform-cluster-eks-pod-identity-agent",
    ):
        addon = plain.only(ADDON, name)
        assert set() == nodes & plain.waits_for(addon)


def test_every_addon_is_there_once_and_pinned_where_the_settings_say(deploy):
    pins = {
        "vpc-cni": "v1.20.4-eksbuild.1",
        "coredns": "v1.12.4-eksbuild.1",
        "aws-ebs-csi-driver": "v1.50.0-eksbuild.1",
    }
    settings = replace(args().cluster, addons=pins)
    deployment = deploy(lambda: platform(cluster=settings))

    assert {
        "kube-proxy": "v1.0.0-eksbuild.36",
        "eks-pod-identity-agent": "v1.0.0-eksbuild.36",
        **pins,
    } == {
        r.inputs["addonName"]: r.inputs["addonVersion"]
        for r in deployment.of_type(ADDON)
    }
    assert 5 == len(deployment.of_type(ADDON))


def test_the_vpc_cni_is_tuned_as_told(deploy):
    tuning = WarmInterfaces(warm_eni_target=2)
    addon = deploy(lambda: platform(vpc_cni=tuning)).only(ADDON, "platform-vpc-cni")

    assert tuning.configuration_values() == addon.inputs["configurationValues"]


def test_h072_kubernetes_objects_go_with_the_cluster(plain):
    request = plain.only(CLASS).request

    assert (
        f"{CLUSTER}${CONTROL_PLANE}::platform-cluster"
        == (request.deletedWith.split("::", 2)[2])
    )
    assert "platform-cluster" == plain.only(CLASS).provider


def test_h076_each_role_of_self_managed_nodes_has_one_entry(plain):
    assert {
        "platform-job": "arn:test:role/platform-job",
        "platform-job-arm": "arn:test:role/platform-job-arm",
    } == {r.name: r.inputs["principalArn"] for r in plain.of_type(ENTRY)}


def test_a_group_that_goes_renames_and_changes_no_other(deploy, plain):
    every = {r.path: r.inputs for r in plain.resources}
    fewer = {
        r.path: r.inputs for r in deploy(lambda: platform(jobs=(JOB_ARM,))).resources
    }

    assert {
        path: inputs for path, inputs in every.items() if "::platform-job-arm" in path
    } == {path: inputs for path, inputs in fewer.items() if "::platform-job" in path}
    assert fewer == {path: every[path] for path in fewer}


def test_tags_reach_the_groups_and_the_network(deploy):
    deployment = deploy(lambda: platform(tags={"team": "data"}))

    assert "data" == deployment.only(NODE_GROUP).inputs["tags"]["team"]
    assert "data" == deployment.only(VPC).inputs["tags"]["team"]
    assert "data" == deployment.only(CONTROL_PLANE).inputs["tags"]["team"]


def test_facts_about_instance_types_reach_every_group(deploy):
    new = InstanceType(
        name="m99i.4xlarge",
        architecture="amd64",
        vcpus=16,
        memory_mib=65_536,
        network_interfaces=8,
        ipv4_addresses_per_interface=30,
        ebs_baseline_mb_per_s=2_000,
        ebs_maximum_mb_per_s=2_000,
        ebs_baseline_iops=40_000,
        ebs_maximum_iops=40_000,
    )
    groups = (replace(JOB, instance_types=("m99i.4xlarge", "m7i.4xlarge")),)
    table = InstanceTypes.bundled().including([new])
    without = deploy(lambda: platform(jobs=groups)).warnings
    known = deploy(lambda: platform(jobs=groups, instance_types=table)).warnings

    assert any("m99i.4xlarge" in text for _, text in without)
    assert not any("m99i.4xlarge" in text for _, text in known)


def test_what_aws_will_not_honour_is_a_warning_of_the_platform(deploy):
    settings = ClusterSettings(
        version="1.36",
        ami_release="v20260714",
        public_access_cidrs=("0.0.0.0/0",),
    )
    warnings = deploy(lambda: platform(cluster=settings)).warnings

    assert {f"{COMPONENT}::platform"} == {path for path, _ in warnings}
    assert any(text.startswith("cluster.public_access_cidrs") for _, text in warnings)
    assert (
        "jobs[0].volume: throughput_mib=800 (839 MB/s) is burst only on m7i.4xlarge, "
        "m6i.4xlarge: sustained 625 MB/s (596 MiB/s), burst 1250 MB/s (1192 MiB/s)"
    ) in [text for _, text in warnings]


def older(**overrides) -> dict[str, Any]:
    settings = replace(args().cluster, version="1.35")
    return {"cluster": settings, "policy": JobPolicySettings(**overrides)}


def test_h013_kyverno_waits_for_every_server_group(deploy):
    second = replace(SERVER, name="second", taints=(Taint(key="gpu"),))
    kyverno = KyvernoSettings(group="second")
    deployment = deploy(
        lambda: platform(servers=(SERVER, second), **older(kyverno=kyverno))
    )

    release = deployment.only(RELEASE, "platform-policy-kyverno")
    selector = release.inputs["values"]["global"]["nodeSelector"]

    assert paths(deployment, NODE_GROUP) <= deployment.waits_for(release)
    assert "second" == selector["eks-jobs/group"]


def test_a_native_policy_is_there_before_any_node_can_run_a_pod(plain):
    waits = plain.waits_for(plain.only(BINDING))

    assert set() == waits & paths(plain, NODE_GROUP, ASG)


def test_without_a_policy_pods_are_left_alone(deploy):
    kinds = {r.type for r in deploy(lambda: platform(policy=None)).resources}

    assert {CLASS, RELEASE, "pulumi:providers:kubernetes"} == {
        kind for kind in kinds if "kubernetes:" in kind or kind.endswith(":kubernetes")
    }


@pytest.mark.parametrize("packing", ["scheduler", "both"])
def test_packing_by_the_scheduler_sets_the_scoring_of_the_cluster(
    deploy, monkeypatch, packing
):
    wanted = SchedulerScoring(
        strategy="MostAllocated",
        resources=(ResourceWeight(name="cpu"), ResourceWeight(name="memory")),
    )
    written = replace(args().cluster, scheduler=wanted)

    transform = cluster.control_plane_transform
    seen: list[SchedulerScoring | None] = []

    def spy(settings, **more):
        seen.append(settings.scheduler)
        return transform(settings, **more)

    monkeypatch.setattr(cluster, "control_plane_transform", spy)
    deploy(platform)
    deploy(lambda: platform(policy=JobPolicySettings(packing=packing)))
    deploy(lambda: platform(cluster=written, policy=None))

    assert [None, wanted, wanted] == seen


def test_h073_a_preview_knows_the_graph(deploy, plain):
    preview = deploy(platform, preview=True)

    assert [r.path for r in plain.resources] == [r.path for r in preview.resources]


def test_h074_explicit_providers_make_everything(deploy):
    def program():
        provider = aws.Provider("explicit", region="eu-west-1")
        JobPlatform("platform", args(), pulumi.ResourceOptions(providers=[provider]))

    deployment = deploy(program)

    assert [] == deployment.on_default_providers()
    assert {"explicit", "platform-cluster"} == {
        r.provider for r in deployment.resources if r.request.custom
    } - {""}


def test_it_can_be_nested_and_made_twice(deploy):
    def program():
        own = pulumi.ComponentResource("acme:index:Company", "company")
        opts = pulumi.ResourceOptions(parent=own)
        JobPlatform("one", args(), opts)
        network = NewNetwork(cidr="10.41.0.0/16")
        JobPlatform("two", args(network=network), opts)

    assert [f"acme:index:Company${COMPONENT}::{name}" for name in ("one", "two")] == [
        r.path for r in deploy(program).of_type(COMPONENT)
    ]


def test_everything_waits_for_what_the_platform_waits_for(deploy):
    def program():
        first = aws.ec2.Eip("first")
        opts = pulumi.ResourceOptions(depends_on=[first])
        JobPlatform("platform", args(), opts)

    deployment = deploy(program)

    assert [] == [
        r.path
        for r in deployment.resources
        if r.name != "first"
        and r.request.custom
        and "aws:ec2/eip:Eip::first" not in deployment.waits_for(r)
    ]


def test_more_can_be_added_to_the_cluster(deploy):
    def program():
        facts = platform().facts
        more = replace(JOB, name="more")
        components.JobNodes(
            "more",
            components.JobNodesArgs(cluster=facts, group=more, ami_release="v20260714"),
        )

    deployment = deploy(program)

    assert f"{COMPONENT}$eks-jobs:index:VpcCni${ADDON}::platform-vpc-cni" in (
        deployment.waits_for(deployment.only(ASG, "more"))
    )


def test_h078_a_name_that_is_too_long_for_a_group_creates_nothing(deploy):
    name, group = "p" * 35, "j" * 20
    message = f"^name must be at most 55 characters, got 56: {name}-{group}$"

    def attempt():
        with pytest.raises(ValueError, match=message):
            JobPlatform(name, args(jobs=(replace(JOB, name=group),)))

    assert () == deploy(attempt).resources


def test_h078_a_name_that_is_too_long_for_a_role_creates_nothing(deploy):
    message = (
        r"^name must be at most 35 characters \(a role adds -cluster-eksRole-role\), "
        f"got 36: {'p' * 36}$"
    )

    def attempt():
        with pytest.raises(ValueError, match=message):
            JobPlatform("p" * 36, args(jobs=()))

    assert () == deploy(attempt).resources


@pytest.mark.parametrize("scaler", [ClusterAutoscaler(), Karpenter(), AutoMode()])
def test_h078_every_role_fits_below_the_longest_name(deploy, scaler):
    """IAM takes 64 characters, 8 are Pulumi's; the control plane's role is remote."""
    name = "p" * 35
    deployment = deploy(
        lambda: JobPlatform(
            name, args(scaler=scaler, cluster=FITTING[scaler.kind], jobs=(SMALL,))
        )
    )

    assert [] == [
        r.name for r in deployment.of_type("aws:iam/role:Role") if len(r.name) > 56
    ]
    assert 56 == len(f"{deployment.only(CONTROL_PLANE).name}-eksRole-role")


@pytest.mark.parametrize(
    ("overrides", "lines"),
    [
        (
            {"servers": ()},
            [
                "servers must have a group without taints and with size.min of at "
                "least 1: DNS of the cluster needs a node"
            ],
        ),
        (
            {"jobs": (JOB, replace(JOB_ARM, name="job"))},
            ["name must be used once, got name=job for 2 groups"],
        ),
        (
            {"cluster": ClusterSettings(version="1.36")},
            [
                f"jobs[{place}]: ami_release must be set, such as v20260714, or "
                "group.ami_id: nothing is resolved to the latest image"
                for place in (0, 1)
            ],
        ),
        (
            {
                "network": NewNetwork(cidr="172.20.0.0/16"),
                "servers": (
                    replace(
                        SERVER,
                        instance_types=("t3.medium",),
                        kubelet=KubeletTuning(max_pods=250),
                    ),
                ),
                "tags": {"aws:team": "data"},
                "jobs": (),
            },
            [
                "service_cidr must not overlap the network, got '172.20.0.0/16' and "
                "'172.20.0.0/16'",
                "servers[0]: kubelet.max_pods must reserve less than half of the "
                "memory, got max_pods=250: 3005 of 4096 MiB on t3.medium",
            ],
        ),
        (
            {
                "cluster": ClusterSettings(
                    version="1.35",
                    ami_release="v20260714",
                    scheduler=SchedulerScoring(strategy="LeastAllocated"),
                ),
                "policy": JobPolicySettings(
                    packing="both", kyverno=KyvernoSettings(group="job")
                ),
            },
            [
                "policy: packing='both' needs the cluster's scheduler strategy to be "
                "MostAllocated, got LeastAllocated",
                "policy.kyverno: group must be one of the server groups server, got "
                "group='job', which is a job group",
            ],
        ),
    ],
)
def test_h075_rejects_all_at_once(overrides, lines):
    with pytest.raises(ValueError, match=".") as caught:
        args(**overrides)

    assert lines == str(caught.value).splitlines()


def test_tags_that_aws_would_refuse_are_named_for_each_group():
    with pytest.raises(ValueError, match=".") as caught:
        args(tags={"aws:team": "data"}, jobs=())

    assert [
        "servers[0]: tags must leave out aws:team: keys that begin with aws: belong to "
        "AWS"
    ] == str(caught.value).splitlines()


def test_h081_no_arn_of_the_commercial_partition_is_in_the_package():
    package = Path(components.__file__).parent
    literal = "arn:" + "aws"

    assert [] == [
        path.name
        for path in sorted(package.rglob("*.py"))
        if literal in path.read_text()
    ]


POOL = "kubernetes:karpenter.sh/v1:NodePool"
NODE_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
AUTO_CLASS = "kubernetes:eks.amazonaws.com/v1:NodeClass"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
KARPENTER = ("platform-karpenter", "platform-karpenter-crds")
AUTOSCALER = "platform-cluster-autoscaler"
UNPINNED = ClusterSettings(version="1.36")
MANAGED = ClusterAutoscaler(groups="managed")


def names(deployment, type_: str) -> set[str]:
    return {r.name for r in deployment.of_type(type_)}


def test_one_job_group_drives_every_scaler(deploy, plain):
    """The same two groups, whatever scales them, and nothing of another scaler."""
    karpenter = deploy(lambda: platform(scaler=Karpenter()))
    managed = deploy(lambda: platform(scaler=MANAGED, cluster=UNPINNED))
    auto = deploy(lambda: platform(scaler=AutoMode(), cluster=UNPINNED))
    pools = {f"platform-karpenter-{name}" for name in ("job", "job-arm")}
    zones = {f"platform-{name}-{n}" for name in ("job", "job-arm") for n in (1, 2, 3)}

    assert (pools, pools, {*KARPENTER}, set()) == tuple(
        names(karpenter, one) for one in (POOL, NODE_CLASS, RELEASE, ASG)
    )
    assert (set(), {"platform-job", "platform-job-arm"}, {AUTOSCALER}) == tuple(
        names(plain, one) for one in (POOL, ASG, RELEASE)
    )
    assert (set(), {"platform-server"} | zones, {AUTOSCALER}) == tuple(
        names(managed, one) for one in (ASG, NODE_GROUP, RELEASE)
    )
    assert (set(), set(), {f"platform-auto-mode-{n}" for n in ("job", "job-arm")}) == (
        tuple(names(auto, one) for one in (ASG, RELEASE, AUTO_CLASS))
    )


def test_names_of_groups_are_those_of_the_scaler(deploy):
    def found(**overrides):
        outputs = deploy(lambda: platform(**overrides)).outputs
        return outputs[f"{COMPONENT}::platform"]["group_names"]

    assert {"server": "platform-server", "job": "job", "job-arm": "job-arm"} == (
        found(scaler=Karpenter())
    )
    assert (
        "platform-job-1, platform-job-2, platform-job-3"
        == (found(scaler=MANAGED, cluster=UNPINNED)["job"])
    )


@pytest.mark.parametrize(
    ("scaler", "release"),
    [
        (Karpenter(), "platform-karpenter-crds"),
        (ClusterAutoscaler(), "platform-cluster-autoscaler"),
    ],
    ids=lambda one: getattr(one, "kind", ""),
)
def test_h075_a_controller_waits_for_servers_and_for_dns(deploy, scaler, release):
    deployment = deploy(lambda: platform(scaler=scaler))
    waits = deployment.waits_for(deployment.only(RELEASE, release))

    assert paths(deployment, NODE_GROUP) <= waits
    assert f"{COMPONENT}${ADDON}::platform-coredns" in waits


def test_h070_pools_go_before_the_network_and_the_servers(deploy):
    deployment = deploy(lambda: platform(scaler=Karpenter()))
    network = {r.path for r in deployment.resources if r.path.startswith(f"{NETWORK}$")}

    for pool in deployment.of_type(POOL):
        waits = deployment.waits_for(pool)
        assert set() == (network | paths(deployment, NODE_GROUP)) - waits


def test_a_retiring_scaler_stands_beside_the_one_in_use(deploy):
    deployment = deploy(
        lambda: platform(scaler=Karpenter(), retiring_scaler=ClusterAutoscaler())
    )
    values = deployment.only(RELEASE, AUTOSCALER).inputs["values"]
    outputs = deployment.outputs[f"{COMPONENT}::platform"]

    assert {AUTOSCALER, *KARPENTER} == names(deployment, RELEASE)
    assert {"platform-job", "platform-job-arm"} == names(deployment, ASG)
    assert "1" == values["extraArgs"]["max-nodes-total"]
    assert "job" == outputs["group_names"]["job"]


def test_a_migration_changes_no_node_of_the_old_scaler(deploy, plain):
    during = deploy(
        lambda: platform(scaler=Karpenter(), retiring_scaler=ClusterAutoscaler())
    )
    nodes = {r.path: r.inputs for kind in (ASG, TEMPLATE) for r in plain.of_type(kind)}

    assert nodes == {r.path: r.inputs for r in during.resources if r.path in nodes}


def test_pools_of_a_retiring_karpenter_take_no_node(deploy):
    deployment = deploy(lambda: platform(retiring_scaler=Karpenter()))

    assert [{"nodes": "0", "cpu": "0"}] * 2 == [
        r.inputs["spec"]["limits"] for r in deployment.of_type(POOL)
    ]


@pytest.mark.parametrize(
    ("overrides", "on"),
    [
        ({}, False),
        ({"scaler": AutoMode(), "cluster": UNPINNED}, True),
        ({"retiring_scaler": AutoMode()}, True),
    ],
)
def test_h085_auto_mode_is_on_as_long_as_it_has_nodes(deploy, overrides, on):
    inputs = deploy(lambda: platform(**overrides)).only(CONTROL_PLANE).inputs

    assert on == ("autoMode" in inputs)


def test_h075_without_servers_auto_mode_brings_all_that_nodes_need(deploy):
    deployment = deploy(
        lambda: platform(scaler=AutoMode(), servers=(), cluster=UNPINNED)
    )

    assert [] == [*deployment.of_type(ADDON), *deployment.of_type(NODE_GROUP)]
    assert "ebs.csi.eks.amazonaws.com" == deployment.only(CLASS).inputs["provisioner"]


def test_servers_beside_auto_mode_keep_their_addons(deploy):
    deployment = deploy(lambda: platform(scaler=AutoMode(), cluster=UNPINNED))

    assert 5 == len(deployment.of_type(ADDON))
    assert "ebs.csi.aws.com" == deployment.only(CLASS).inputs["provisioner"]


def test_what_a_scaler_can_cost_a_job_is_a_warning_of_the_platform(deploy):
    rules = PoolRules(consolidate_after="1m")
    scaler = Karpenter(pools={"job": rules}, preference_policy="Respect")
    texts = [text for _, text in deploy(lambda: platform(scaler=scaler)).warnings]

    assert any(t.startswith("scaler.pools[job].consolidate_after: 1m") for t in texts)
    assert any(t.startswith("scaler.preference_policy: Respect") for t in texts)


@pytest.mark.parametrize(
    ("overrides", "lines"),
    [
        (
            {"scaler": Karpenter(), "cluster": UNPINNED},
            [
                "cluster: ami_release must be set, such as v20260714, or "
                "scaler.ami_alias: nothing is resolved to the latest image"
            ],
        ),
        (
            {"scaler": Karpenter(), "retiring_scaler": Karpenter(version="1.14.1")},
            [
                "retiring_scaler: kind must differ from that of scaler, "
                "got kind=karpenter"
            ],
        ),
        (
            {"retiring_scaler": Karpenter(version="1.12.0")},
            [
                "retiring_scaler: version must be 1.13.0 or newer for Kubernetes "
                "1.36, got version=1.12.0"
            ],
        ),
        (
            {"scaler": AutoMode()},
            [
                "cluster: ami_release must be left out with EKS Auto Mode, where EKS "
                "chooses the image, got ami_release=v20260714"
            ],
        ),
        (
            {
                "scaler": AutoMode(node_pools=("system",)),
                "servers": (),
                "cluster": ClusterSettings(version="1.36", addons=PINS),
                "vpc_cni": WarmInterfaces(),
            },
            [
                "scaler: node_pools must have general-purpose when there are no "
                "servers, which would find no node, got system",
                "cluster: addons must be left out when every node is one of EKS Auto "
                "Mode, which brings its own, got coredns",
                "vpc_cni: must be left out when every node is one of EKS Auto Mode, "
                "which keeps addresses ready itself, got kind=interfaces",
            ],
        ),
        (
            {
                "scaler": Karpenter(),
                "policy": JobPolicySettings(
                    protection={
                        "cluster-autoscaler.kubernetes.io/safe-to-evict": "false"
                    }
                ),
            },
            [
                "policy: protection must hold karpenter.sh/do-not-disrupt, the one "
                "that Karpenter reads, got "
                "cluster-autoscaler.kubernetes.io/safe-to-evict"
            ],
        ),
        (
            {"scaler": MANAGED, "cluster": UNPINNED, "jobs": (SMALL,)},
            [
                "jobs[0]: size.max must be at least 3, one node for each zone of a "
                "managed group, got size.max=2"
            ],
        ),
    ],
)
def test_scalers_that_do_not_fit_are_refused(overrides, lines):
    with pytest.raises(ValueError, match=".") as caught:
        args(**overrides)

    assert lines == str(caught.value).splitlines()
