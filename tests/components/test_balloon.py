"""
A balloon as the engine is sent it.

That jobs push balloons out, and that KEDA scales them, is for tests/cluster; that the
engine keeps the order, for tests/engine.
"""

import re
from dataclasses import replace
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
import pytest

from components import (
    AutoMode,
    Balloon,
    BalloonArgs,
    BufferBalloon,
    ClusterAutoscaler,
    InstanceTypes,
    JobLabel,
    JobPolicySettings,
    Karpenter,
    PodBalloon,
    Schedule,
    StaticBalloon,
    WarmPoolBalloon,
)
from components.spec.balloon.manifests import balloon_manifests
from tests.components.builders import JOB, JOB_ARM, facts

COMPONENT = "eks-jobs:index:Balloon"
PRIORITY = "kubernetes:scheduling.k8s.io/v1:PriorityClass"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
SCALED = "kubernetes:keda.sh/v1alpha1:ScaledObject"
TEMPLATE = "kubernetes:core/v1:PodTemplate"
BUFFER = "kubernetes:autoscaling.x-k8s.io/v1beta1:CapacityBuffer"
POOL = "kubernetes:karpenter.sh/v1:NodePool"

OFFICE = Schedule(timezone="Asia/Seoul", days=("mon-fri",), start="08:30", end="18:00")

ALWAYS = PodBalloon(group="job", replicas=3, cpu="500m", memory="750Mi")
SCHEDULED = replace(ALWAYS, schedule=OFFICE)
KEPT_FREE = BufferBalloon(group="job", replicas=2, cpu="1", memory="1Gi")
STATIC = StaticBalloon(group="job", nodes=2)

KINDS = [
    (ALWAYS, [PRIORITY, DEPLOYMENT]),
    (SCHEDULED, [PRIORITY, DEPLOYMENT, SCALED]),
    (KEPT_FREE, [TEMPLATE, BUFFER]),
    (STATIC, [POOL]),
]


def args(**overrides) -> BalloonArgs:
    defaults: dict[str, Any] = {
        "balloon": SCHEDULED,
        "group": JOB,
        "scaler": Karpenter(),
    }
    return BalloonArgs(**defaults | overrides)


def balloon(kind=SCHEDULED, opts=None, cluster=None, **overrides) -> Balloon:
    known = facts(provider=kubernetes.Provider("alpha"), **(cluster or {}))
    return Balloon("burst", args(cluster=known, balloon=kind, **overrides), opts)


def own(deployment):
    return [r for r in deployment.resources if r.path.startswith(f"{COMPONENT}$")]


@pytest.mark.parametrize(("kind", "types"), KINDS)
def test_identity_is_pinned(deploy, kind, types):
    deployment = deploy(lambda: balloon(kind))

    assert sorted(f"{COMPONENT}${type_}::burst" for type_ in types) == sorted(
        r.path for r in own(deployment)
    )
    assert {"name": kind.object_name} == deployment.outputs[f"{COMPONENT}::burst"]


@pytest.mark.parametrize("group", [JOB, JOB_ARM], ids=lambda group: group.architecture)
@pytest.mark.parametrize(("kind", "types"), KINDS)
def test_h060_objects_are_sent_as_they_are_rendered(deploy, kind, types, group):
    kind = replace(kind, group=group.name)
    deployment = deploy(lambda: balloon(kind, group=group, namespace="held"))
    rendered = balloon_manifests(
        kind,
        group,
        scaler=Karpenter(),
        instance_types=InstanceTypes.bundled(),
        cluster_version="1.36",
        namespace="held",
    )

    assert {one["kind"]: one for one in rendered} == {
        r.inputs["kind"]: dict(r.inputs) for r in own(deployment)
    }
    assert len(types) == len(rendered)


@pytest.mark.parametrize(("kind", "types"), KINDS)
def test_each_object_comes_after_those_that_it_names(deploy, kind, types):
    """Backwards in a destroy: a ScaledObject goes before its Deployment and KEDA."""

    def program():
        ready = aws.ec2.Eip("ready")
        balloon(kind, pulumi.ResourceOptions(depends_on=[ready]))

    deployment = deploy(program)
    order = [f"{COMPONENT}${type_}::burst" for type_ in types]

    for place, type_ in enumerate(types):
        waits = deployment.waits_for(deployment.only(type_))
        assert "aws:ec2/eip:Eip::ready" in waits
        assert set(order[:place]) == {path for path in waits if COMPONENT in path}


@pytest.mark.parametrize("kind", [SCHEDULED, ALWAYS], ids=["scheduled", "always"])
def test_up_never_waits_for_balloons(deploy, kind):
    deployment = deploy(lambda: balloon(kind)).only(DEPLOYMENT)

    assert (
        "true" == deployment.inputs["metadata"]["annotations"]["pulumi.com/skipAwait"]
    )


def test_the_number_of_scheduled_balloons_is_left_to_keda(deploy):
    assert "replicas" not in deploy(balloon).only(DEPLOYMENT).inputs["spec"]
    assert (
        3 == deploy(lambda: balloon(ALWAYS)).only(DEPLOYMENT).inputs["spec"]["replicas"]
    )


def test_h059_no_class_is_the_default_of_the_cluster(deploy):
    inputs = deploy(balloon).only(PRIORITY).inputs

    assert (-10, False, "Never") == (
        inputs["value"],
        inputs["globalDefault"],
        inputs["preemptionPolicy"],
    )


@pytest.mark.parametrize("kind", [ALWAYS, SCHEDULED, KEPT_FREE])
def test_h072_what_holds_no_nodes_goes_with_its_cluster(deploy, kind):
    def program():
        balloon(kind, cluster={"deleted_with": aws.ec2.Eip("cluster")})

    assert {"urn:pulumi:test::project::aws:ec2/eip:Eip::cluster"} == {
        r.request.deletedWith for r in own(deploy(program))
    }


def test_h070_nodes_are_ended_before_the_cluster_goes_and_let_jobs_finish(deploy):
    def program():
        balloon(
            STATIC,
            group=replace(JOB, longest_job="6h"),
            cluster={"deleted_with": aws.ec2.Eip("cluster")},
        )

    request = deploy(program).only(POOL).request

    assert ("", "7h") == (request.deletedWith, request.customTimeouts.delete)


@pytest.mark.parametrize("kind", [kind for kind, _ in KINDS])
def test_h074_each_object_is_made_by_the_provider_of_its_cluster(deploy, kind):
    deployment = deploy(lambda: balloon(kind))

    assert {"alpha"} == {r.provider for r in own(deployment)}
    assert [] == deployment.on_default_providers()


def test_two_balloons_live_side_by_side(deploy):
    def program():
        provider = kubernetes.Provider("alpha")
        for kind, group in (
            (SCHEDULED, JOB),
            (replace(ALWAYS, group="job-arm"), JOB_ARM),
        ):
            known = facts(provider=provider)
            Balloon(group.name, args(cluster=known, balloon=kind, group=group))

    assert ["job", "job-arm"] == [r.name for r in deploy(program).of_type(DEPLOYMENT)]


def test_what_works_less_well_than_it_looks_is_a_warning(deploy):
    night = Schedule(timezone="Europe/Berlin", start="02:30", end="18:00")
    ((path, text),) = deploy(lambda: balloon(replace(ALWAYS, schedule=night))).warnings

    assert f"{COMPONENT}::burst" == path
    assert text.startswith("balloon.schedule: clocks go from 02:00 to 03:00")


def test_a_caller_that_has_told_the_warnings_is_not_repeated(deploy):
    night = Schedule(timezone="Europe/Berlin", start="02:30", end="18:00")
    kind = replace(ALWAYS, schedule=night)

    assert () == deploy(lambda: balloon(kind, reviewed=True)).warnings


def test_a_static_pool_can_be_one_of_auto_mode(deploy):
    inputs = deploy(lambda: balloon(STATIC, scaler=AutoMode())).only(POOL).inputs
    reference = inputs["spec"]["template"]["spec"]["nodeClassRef"]

    assert (2, "NodeClass") == (inputs["spec"]["replicas"], reference["kind"])


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"balloon": ALWAYS},
            "cluster.provider must be given, balloons are Kubernetes objects",
        ),
        (
            {"balloon": replace(ALWAYS, group="other")},
            "cluster.provider must be given, balloons are Kubernetes objects\n"
            "balloon: group must be one of the job groups job, got group=other",
        ),
        (
            {"balloon": ALWAYS, "namespace": "Held"},
            "cluster.provider must be given, balloons are Kubernetes objects\n"
            "namespace must be 1 to 63 lower-case letters, digits and '-', with a "
            "letter or digit at both ends, got 'Held'",
        ),
        (
            {"balloon": STATIC, "scaler": ClusterAutoscaler()},
            "cluster.provider must be given, balloons are Kubernetes objects\n"
            "balloon: kind must be pods, or size.min of the group above 0 for whole "
            "nodes, with Cluster Autoscaler, which has no static pools, got "
            "kind=static",
        ),
        (
            {
                "balloon": WarmPoolBalloon(group="job", min_size=1),
                "scaler": ClusterAutoscaler(groups="managed"),
            },
            "cluster.provider must be given, balloons are Kubernetes objects\n"
            "balloon must be of pods, a buffer or static, got kind=warm-pool: node "
            "groups have it as their scaler's warm_pool",
        ),
        (
            {
                "balloon": replace(ALWAYS, labels={"team": "x"}),
                "policy": JobPolicySettings(label=JobLabel(key="team", value="job")),
            },
            "cluster.provider must be given, balloons are Kubernetes objects\n"
            "balloon: labels must leave out team, the label of jobs: balloons with it "
            "would draw jobs and be counted as such",
        ),
    ],
)
def test_what_could_not_work_is_refused(overrides, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        args(cluster=facts(), **overrides)
