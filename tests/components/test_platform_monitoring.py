"""
Monitoring of a platform as the engine is sent it.

What its objects are is for test_job_monitoring.py and tests/spec/monitoring.
"""

import re
from typing import Any

import pytest

from components import (
    AutoMode,
    ClusterAutoscaler,
    ClusterSettings,
    ExistingNetwork,
    JobPlatform,
    JobPlatformArgs,
    Karpenter,
    Monitoring,
    PodBalloon,
    ServerGroup,
    Taint,
)
from tests.components.builders import JOB, SERVER

PLATFORM = "eks-jobs:index:JobPlatform"
MONITORING = f"{PLATFORM}$eks-jobs:index:JobMonitoring"
RULE = "kubernetes:monitoring.coreos.com/v1:PrometheusRule"
SERVICES = "kubernetes:monitoring.coreos.com/v1:ServiceMonitor"

TAINTED = ServerGroup(
    name="apart",
    architecture="amd64",
    instance_types=("m7i.xlarge", "m6i.xlarge"),
    taints=(Taint(key="example.com/apart"),),
)
BALLOON = PodBalloon(group="job", replicas=3, cpu="500m", memory="750Mi")
PINNED = ClusterSettings(version="1.36", ami_release="v20260714")


def args(**overrides) -> JobPlatformArgs:
    defaults: dict[str, Any] = {
        "network": ExistingNetwork(
            vpc_id="vpc-1",
            subnet_ids=("subnet-1", "subnet-2"),
            subnet_cidrs=("10.0.0.0/18", "10.0.64.0/18"),
        ),
        "cluster": ClusterSettings(version="1.36"),
        "servers": (SERVER, TAINTED),
        "jobs": (JOB,),
        "scaler": Karpenter(ami_alias="al2023@v20260714"),
        "balloons": (BALLOON,),
        "monitoring": Monitoring(),
    }
    return JobPlatformArgs(**defaults | overrides)


def platform(**overrides) -> JobPlatform:
    return JobPlatform("platform", args(**overrides))


def watching(deployment) -> list[str]:
    return [r.path for r in deployment.resources if "JobMonitoring" in r.path]


@pytest.mark.parametrize("monitoring", [None, Monitoring(enabled=False)])
def test_nothing_is_made_unless_it_is_asked_for(deploy, monitoring):
    assert [] == watching(deploy(lambda: platform(monitoring=monitoring)))


@pytest.mark.parametrize(
    ("scaler", "cluster"),
    [
        (Karpenter(ami_alias="al2023@v20260714"), ClusterSettings(version="1.36")),
        (ClusterAutoscaler(), PINNED),
        (ClusterAutoscaler(groups="managed"), ClusterSettings(version="1.36")),
        (AutoMode(), ClusterSettings(version="1.36")),
    ],
    ids=["karpenter", "self-managed", "managed", "auto-mode"],
)
def test_all_else_is_there_when_the_operator_is_missing(deploy, scaler, cluster):
    """The API server refuses the first object then, and the update stops with it."""
    deployment = deploy(lambda: platform(scaler=scaler, cluster=cluster))
    rule = deployment.only(RULE)
    made = {
        r.path
        for r in deployment.resources
        if not r.type.startswith(("pulumi:", "eks-jobs:"))
        and r.path not in watching(deployment)
    }

    assert f"{MONITORING}${RULE}::platform-monitoring" == rule.path
    assert set() == made - deployment.waits_for(rule)


def test_what_is_watched_is_what_is_deployed(deploy):
    scalers = {
        "scaler": Karpenter(ami_alias="al2023@v20260714"),
        "retiring_scaler": ClusterAutoscaler(),
        "cluster": PINNED,
    }
    deployment = deploy(lambda: platform(**scalers))
    text = str(deployment.only(RULE).inputs["spec"])

    assert ["eks-jobs-cluster-autoscaler", "eks-jobs-karpenter"] == sorted(
        r.inputs["metadata"]["name"] for r in deployment.of_type(SERVICES)
    )
    assert 'cluster="platform"' in text
    assert "balloon-job-minus-10" in text
    assert "label_eks_jobs_workload" in text


def test_what_stays_dark_is_said_once(deploy):
    said = deploy(lambda: platform(scaler=AutoMode())).warnings
    found = [(path, text) for path, text in said if text.startswith("monitoring")]

    assert [f"{MONITORING}::platform-monitoring"] == [path for path, _ in found]


def test_monitoring_of_no_jobs_is_refused():
    message = "jobs must hold a group for monitoring, got none"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        args(jobs=(), balloons=())
