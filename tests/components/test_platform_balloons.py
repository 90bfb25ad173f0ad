"""
Balloons of a platform as the engine is sent them: with each scaler, and in order.

What one balloon is made of is for test_balloon.py.
"""

import re
from dataclasses import replace
from typing import Any

import pytest

from components import (
    AutoMode,
    BufferBalloon,
    ClusterAutoscaler,
    ClusterSettings,
    ExistingNetwork,
    JobPlatform,
    JobPlatformArgs,
    Karpenter,
    Keda,
    PodBalloon,
    PoolRules,
    Schedule,
    Size,
    StaticBalloon,
    WarmPoolBalloon,
)
from components.spec.policy.settings import JobPolicySettings
from tests.components.builders import JOB, JOB_ARM, SERVER

PLATFORM = "eks-jobs:index:JobPlatform"
BALLOON = f"{PLATFORM}$eks-jobs:index:Balloon"
NAMESPACE = "kubernetes:core/v1:Namespace"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
SCALED = "kubernetes:keda.sh/v1alpha1:ScaledObject"
BUFFER = "kubernetes:autoscaling.x-k8s.io/v1beta1:CapacityBuffer"
POOL = "kubernetes:karpenter.sh/v1:NodePool"
EC2_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
AUTO_CLASS = "kubernetes:eks.amazonaws.com/v1:NodeClass"
RELEASE = "kubernetes:helm.sh/v3:Release"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"

OFFICE = Schedule(timezone="Asia/Seoul", days=("mon-fri",), start="08:30", end="18:00")

ALWAYS = PodBalloon(group="job", replicas=3, cpu="500m", memory="750Mi")
SCHEDULED = replace(ALWAYS, group="job-arm", schedule=OFFICE)
KEPT_FREE = BufferBalloon(group="job", replicas=2, cpu="1", memory="1Gi")
STATIC = StaticBalloon(group="job", nodes=3)
WARM = WarmPoolBalloon(group="job", min_size=1)

MANAGED = ClusterAutoscaler(groups="managed")


def args(**overrides) -> JobPlatformArgs:
    defaults: dict[str, Any] = {
        "network": ExistingNetwork(
            vpc_id="vpc-1",
            subnet_ids=("subnet-1", "subnet-2"),
            subnet_cidrs=("10.0.0.0/18", "10.0.64.0/18"),
        ),
        "cluster": ClusterSettings(version="1.36"),
        "servers": (SERVER,),
        "jobs": (JOB, JOB_ARM),
        "scaler": Karpenter(ami_alias="al2023@v20260714"),
    }
    return JobPlatformArgs(**defaults | overrides)


def platform(*balloons, **overrides) -> JobPlatform:
    """Make a platform; only self-managed groups boot a release of the cluster."""
    scalers = (overrides.get("scaler"), overrides.get("retiring_scaler"))
    pinned = any(
        isinstance(one, ClusterAutoscaler) and one.groups == "self-managed"
        for one in scalers
    )
    if pinned:
        settings = ClusterSettings(version="1.36", ami_release="v20260714")
        overrides = {"cluster": settings} | overrides
    return JobPlatform("platform", args(balloons=balloons, **overrides))


def values(deployment, name: str) -> dict[str, Any]:
    return deployment.only(RELEASE, f"platform-{name}").inputs["values"]


def test_identity_is_pinned(deploy):
    deployment = deploy(lambda: platform(ALWAYS, SCHEDULED, KEPT_FREE, STATIC))
    more = {r.path for r in deployment.resources} - {
        r.path for r in deploy(platform).resources
    }

    assert {
        f"{PLATFORM}${NAMESPACE}::platform-balloons",
        f"{PLATFORM}$eks-jobs:index:KedaController::platform-keda",
        f"{PLATFORM}$eks-jobs:index:KedaController${RELEASE}::platform-keda",
        f"{BALLOON}::platform-balloon-job",
        f"{BALLOON}::platform-balloon-job-arm",
        f"{BALLOON}::platform-buffer-job",
        f"{BALLOON}::platform-static-job",
    } == {path for path in more if not path.startswith(f"{BALLOON}$")}


@pytest.mark.parametrize("balloons", [(), (STATIC,)], ids=["none", "static"])
def test_nothing_is_made_that_no_balloon_needs(deploy, balloons):
    deployment = deploy(lambda: platform(*balloons))

    assert [] == deployment.of_type(NAMESPACE)
    assert "platform-keda" not in [r.name for r in deployment.of_type(RELEASE)]


def test_a_balloon_that_goes_changes_no_other(deploy):
    every = {
        r.path: r.inputs for r in deploy(lambda: platform(ALWAYS, SCHEDULED)).resources
    }
    fewer = {r.path: r.inputs for r in deploy(lambda: platform(SCHEDULED)).resources}
    gone = {path for path in every if path.endswith("::platform-balloon-job")}

    assert gone == {p for p in every.keys() - fewer.keys() if BALLOON in p}
    assert {p: every[p] for p in fewer if BALLOON in p} == {
        p: inputs for p, inputs in fewer.items() if BALLOON in p
    }


def test_what_follows_a_schedule_is_there_before_it_and_goes_after_it(deploy):
    deployment = deploy(lambda: platform(SCHEDULED))
    waits = deployment.waits_for(deployment.only(SCALED))

    assert {
        f"{PLATFORM}$eks-jobs:index:KedaController${RELEASE}::platform-keda",
        f"{PLATFORM}${NAMESPACE}::platform-balloons",
        f"{BALLOON}${DEPLOYMENT}::platform-balloon-job-arm",
    } <= waits


def test_h075_keda_waits_for_servers_and_dns(deploy):
    deployment = deploy(lambda: platform(SCHEDULED))
    waits = deployment.waits_for(deployment.only(RELEASE, "platform-keda"))

    assert f"{PLATFORM}$aws:eks/addon:Addon::platform-coredns" in waits
    assert f"{PLATFORM}$eks-jobs:index:ServerNodes${NODE_GROUP}::platform-server" in (
        waits
    )


def test_a_keda_that_exists_is_not_installed(deploy):
    deployment = deploy(lambda: platform(SCHEDULED, keda=Keda(install=False)))

    assert "platform-keda" not in [r.name for r in deployment.of_type(RELEASE)]
    assert 1 == len(deployment.of_type(SCALED))


@pytest.mark.parametrize(
    ("scaler", "release"),
    [
        (Karpenter(ami_alias="al2023@v20260714"), "platform-karpenter"),
        (MANAGED, "platform-cluster-autoscaler"),
    ],
    ids=["karpenter", "cluster-autoscaler"],
)
def test_h069_a_buffer_waits_for_the_controller_that_brings_its_definition(
    deploy, scaler, release
):
    deployment = deploy(lambda: platform(KEPT_FREE, scaler=scaler))
    waits = deployment.waits_for(deployment.only(BUFFER))

    assert [release] == [
        path.split("::")[1]
        for path in waits
        if f"${RELEASE}::" in path and path.endswith(release)
    ]


@pytest.mark.parametrize(
    ("scaler", "node_class", "name"),
    [
        (Karpenter(ami_alias="al2023@v20260714"), EC2_CLASS, "platform-karpenter-job"),
        (AutoMode(), AUTO_CLASS, "platform-auto-mode-job"),
    ],
    ids=["karpenter", "auto-mode"],
)
def test_a_static_pool_waits_for_the_class_of_its_nodes(
    deploy, scaler, node_class, name
):
    deployment = deploy(lambda: platform(STATIC, scaler=scaler))
    waits = deployment.waits_for(deployment.only(POOL, "platform-static-job"))

    assert [name] == [
        path.split("::")[1]
        for path in waits
        if f"{node_class}::" in path and path.endswith("-job")
    ]


@pytest.mark.parametrize(
    "scaler",
    [Karpenter(ami_alias="al2023@v20260714"), AutoMode()],
    ids=lambda one: one.kind,
)
def test_nodes_of_static_pools_are_a_part_of_the_group(deploy, scaler):
    deployment = deploy(lambda: platform(STATIC, scaler=scaler))
    static = deployment.only(POOL, "platform-static-job").inputs["spec"]
    other = deployment.only(POOL, f"platform-{scaler.kind}-job").inputs["spec"]

    assert (3, str(JOB.size.max - 3)) == (static["replicas"], other["limits"]["nodes"])


def test_karpenter_is_told_what_its_kinds_need(deploy):
    def gates(*balloons):
        deployment = deploy(lambda: platform(*balloons))
        return values(deployment, "karpenter")["settings"].get("featureGates", {})

    assert {} == gates(ALWAYS)
    assert {"capacityBuffer": True} == gates(KEPT_FREE)
    assert {"staticCapacity": True} == gates(STATIC)


def policies(deployment) -> dict[str, str]:
    return {
        r.inputs["metadata"]["name"]: r.inputs["spec"]["disruption"][
            "consolidationPolicy"
        ]
        for r in deployment.of_type(POOL)
    }


def test_h058_pools_with_balloons_that_are_always_up_move_them_together(deploy):
    deployment = deploy(lambda: platform(ALWAYS, SCHEDULED))

    assert {"job": "Balanced", "job-arm": "WhenEmpty"} == policies(deployment)


@pytest.mark.parametrize(
    "policy", [None, JobPolicySettings(exclude_namespaces=("team-a",))]
)
def test_h058_no_pool_moves_jobs_that_nothing_protects(deploy, policy):
    deployment = deploy(lambda: platform(ALWAYS, policy=policy))

    assert {"job": "WhenEmpty", "job-arm": "WhenEmpty"} == policies(deployment)


def test_rules_of_the_user_stay(deploy):
    rules = {"job": PoolRules(consolidation_policy="WhenEmpty")}
    scaler = Karpenter(ami_alias="al2023@v20260714", pools=rules)

    assert (
        "WhenEmpty" == policies(deploy(lambda: platform(ALWAYS, scaler=scaler)))["job"]
    )


def test_h057_cluster_autoscaler_gives_nodes_to_every_balloon(deploy):
    def flags(*balloons):
        deployment = deploy(lambda: platform(*balloons, scaler=ClusterAutoscaler()))
        return values(deployment, "cluster-autoscaler")["extraArgs"]

    cutoff = "expendable-pods-priority-cutoff"
    assert "-10" == flags(ALWAYS)[cutoff]
    assert "-50" == flags(replace(ALWAYS, priority=-50))[cutoff]
    assert "true" == flags(KEPT_FREE)["capacity-buffer-pod-injection-enabled"]


def test_a_scaler_on_its_way_out_makes_no_nodes_for_balloons(deploy):
    low = replace(ALWAYS, priority=-50)
    deployment = deploy(
        lambda: platform(
            low,
            scaler=Karpenter(ami_alias="al2023@v20260714"),
            retiring_scaler=ClusterAutoscaler(),
        )
    )
    flags = values(deployment, "cluster-autoscaler")["extraArgs"]

    assert "-10" == flags["expendable-pods-priority-cutoff"]


def test_a_warm_pool_is_a_part_of_the_groups_of_its_job_group(deploy):
    deployment = deploy(lambda: platform(WARM, scaler=MANAGED))
    pools = {
        r.name: r.inputs.get("warmPoolConfig")
        for r in deployment.of_type(NODE_GROUP)
        if r.name.startswith("platform-job")
    }
    waiting = {
        "minSize": 1,
        "maxGroupPreparedCapacity": 1,
        "poolState": "STOPPED",
        "reuseOnScaleIn": False,
    }

    assert {
        "platform-job-subnet-1": waiting,
        "platform-job-subnet-2": waiting,
        "platform-job-arm-subnet-1": None,
        "platform-job-arm-subnet-2": None,
    } == pools
    assert [] == [r.path for r in deployment.resources if BALLOON in r.path]


def test_each_warning_is_told_once_in_the_words_of_the_stack_file(deploy):
    gap = Schedule(timezone="Europe/Berlin", start="02:30", end="18:00")
    deployment = deploy(lambda: platform(ALWAYS, replace(SCHEDULED, schedule=gap)))
    told = [
        (path, text.partition(":")[0])
        for path, text in deployment.warnings
        if "lloon" in text
    ]

    assert [
        (f"{PLATFORM}::platform", "balloons[1].schedule"),
        (f"{PLATFORM}::platform", "scaler.pools[job].consolidation_policy"),
    ] == told


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"balloons": (replace(ALWAYS, group="jobs"),)},
            "balloons[0]: group must be one of the job groups job, job-arm, got "
            "group=jobs",
        ),
        (
            {"balloons": (WARM,)},
            "balloons[0]: kind must be pods, capacity-buffer or static with scaler "
            "kind karpenter, whose nodes are in no Auto Scaling group, got "
            "kind=warm-pool",
        ),
        (
            {"balloons": (replace(STATIC, nodes=JOB.size.max),)},
            "balloons[0]: nodes must be below size.max=10 of job, of which they are a "
            "part, got nodes=10",
        ),
        (
            {"keda": Keda(version="2.20.1")},
            "keda: needs a balloon with a schedule, got none",
        ),
        (
            {
                "balloons": (replace(WARM, min_size=2, max_prepared=2),),
                "scaler": MANAGED,
                "jobs": (replace(JOB, size=Size(max=2)),),
            },
            "balloons[0]: min_size and max_prepared must be at most 1, which is what "
            "size.max=2 of job leaves to each of 2 zones, got 2",
        ),
    ],
)
def test_what_could_not_work_is_refused_before_anything_is_made(overrides, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        args(**overrides)
