"""
Monitoring as the engine is sent it, alone on a cluster that exists.

That Prometheus takes the rules and the API server the objects is for tests/cluster.
"""

from typing import Any

import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
import pytest
from pulumi import ResourceOptions

from components import (
    AutoMode,
    ClusterAutoscaler,
    JobMonitoring,
    JobMonitoringArgs,
    JobPolicySettings,
    Karpenter,
    Monitoring,
    PodBalloon,
    PrometheusAccount,
    Scrapes,
)
from components.spec.monitoring.plan import monitoring_manifests, watched_stack
from tests.components.builders import JOB, JOB_ARM, facts

COMPONENT = "eks-jobs:index:JobMonitoring"
RULE = "kubernetes:monitoring.coreos.com/v1:PrometheusRule"
SERVICES = "kubernetes:monitoring.coreos.com/v1:ServiceMonitor"
PODS = "kubernetes:monitoring.coreos.com/v1:PodMonitor"
ROLE = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole"
BINDING = "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding"
DASHBOARD = "kubernetes:core/v1:ConfigMap"

BALLOON = PodBalloon(group="job", replicas=3, cpu="500m", memory="750Mi")
# Everything that may be scraped, in a namespace of its own.
FULL = Monitoring(
    namespace="watching", scrapes=Scrapes(scheduler=PrometheusAccount(name="asks"))
)
BOTH = (Karpenter(), ClusterAutoscaler())

# In the order in which they are made.
CHILDREN = [
    f"{RULE}::watch",
    f"{SERVICES}::watch-karpenter",
    f"{SERVICES}::watch-cluster-autoscaler",
    f"{PODS}::watch-vpc-cni",
    f"{ROLE}::watch-scheduler-metrics",
    f"{BINDING}::watch-scheduler-metrics",
    f"{SERVICES}::watch-scheduler",
    f"{DASHBOARD}::watch-platform",
    f"{DASHBOARD}::watch-before-after",
]


def monitoring(opts=None, cluster=None, **overrides) -> JobMonitoring:
    known = facts(provider=kubernetes.Provider("alpha"), **(cluster or {}))
    given: dict[str, Any] = {"jobs": (JOB, JOB_ARM), "scalers": BOTH}
    return JobMonitoring(
        "watch", JobMonitoringArgs(cluster=known, **given | overrides), opts
    )


def own(deployment):
    return [r for r in deployment.resources if r.path.startswith(f"{COMPONENT}$")]


@pytest.fixture(scope="module")
def full(deploy):
    """Deploy everything that may be, once: no test changes what it looks at."""

    def program():
        ready = aws.ec2.Eip("ready")
        gone = aws.ec2.Eip("cluster")
        monitoring(
            ResourceOptions(depends_on=[ready]),
            cluster={"deleted_with": gone},
            settings=FULL,
            policy=JobPolicySettings(),
            balloons=(BALLOON,),
        )

    return deploy(program)


def test_identity_is_pinned(full):
    assert [f"{COMPONENT}${child}" for child in sorted(CHILDREN)] == sorted(
        r.path for r in own(full)
    )
    assert {"namespace": "watching"} == full.outputs[f"{COMPONENT}::watch"]


def test_objects_are_sent_as_they_are_rendered(full):
    watched = watched_stack(
        "alpha",
        jobs=(JOB, JOB_ARM),
        scalers=BOTH,
        policy=JobPolicySettings(),
        balloons=(BALLOON,),
    )
    rendered = monitoring_manifests(FULL, watched)

    assert {(one["kind"], one["metadata"]["name"]): one for one in rendered} == {
        (r.inputs["kind"], r.inputs["metadata"]["name"]): dict(r.inputs)
        for r in own(full)
    }


def test_each_object_waits_for_those_before_it_and_for_what_the_caller_names(full):
    """Without the operator the API server then refuses one object, and not nine."""
    for place, child in enumerate(CHILDREN):
        type_, _, name = child.rpartition("::")
        waits = full.waits_for(full.only(type_, name))

        assert "aws:ec2/eip:Eip::ready" in waits
        assert {f"{COMPONENT}${one}" for one in CHILDREN[:place]} == {
            path for path in waits if COMPONENT in path
        }


def test_h072_objects_go_with_their_cluster(full):
    assert {"urn:pulumi:test::project::aws:ec2/eip:Eip::cluster"} == {
        r.request.deletedWith for r in own(full)
    }


def test_h074_each_object_is_made_by_the_provider_of_its_cluster(full):
    assert {"alpha"} == {r.provider for r in own(full)}


def test_what_stays_dark_is_said_by_the_component(deploy):
    said = deploy(lambda: monitoring(scalers=(AutoMode(),))).warnings

    assert [(f"{COMPONENT}::watch", "monitoring: EKS Auto Mode")] == [
        (path, text[:25]) for path, text in said
    ]


@pytest.mark.parametrize(
    ("settings", "scalers", "made"),
    [
        ({}, (), [RULE, PODS, DASHBOARD, DASHBOARD]),
        ({}, (Karpenter(),), [RULE, SERVICES, PODS, DASHBOARD, DASHBOARD]),
        ({}, (AutoMode(),), [RULE, DASHBOARD, DASHBOARD]),
        ({"dashboards": False, "scrapes": None}, BOTH, [RULE]),
        ({"rules": False, "scrapes": None}, BOTH, [DASHBOARD, DASHBOARD]),
        ({"rules": False, "dashboards": False}, (Karpenter(),), [SERVICES, PODS]),
    ],
)
def test_parts_that_are_turned_off_are_not_made(deploy, settings, scalers, made):
    deployment = deploy(
        lambda: monitoring(settings=Monitoring(**settings), scalers=scalers)
    )

    assert sorted(made) == sorted(r.type for r in own(deployment))


def test_all_problems_are_named_at_once():
    with pytest.raises(ValueError, match=".") as caught:
        JobMonitoringArgs(cluster=facts(), jobs=(), settings=Monitoring(enabled=False))

    assert [
        "cluster.provider must be given, rules are Kubernetes objects",
        "settings.enabled must be true, this component is what it turns on",
        "jobs must hold a group for monitoring, got none",
    ] == str(caught.value).splitlines()
