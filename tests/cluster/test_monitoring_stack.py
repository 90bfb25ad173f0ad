"""
The monitoring of the sandbox stack in the hands of the real engine and provider.

One story: up on a cluster without the Prometheus operator, up with its definitions, a
changed threshold, destroy. Not proven here: its controller and Grafana's sidecar,
which see the objects afterwards; that Prometheus takes the rules is in test_rules.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
import yaml

from sandbox.control_plane_tools import prometheus_operator_module
from tests.cluster.conftest import namespace
from tests.cluster.definitions import installed
from tests.cluster.policy_stack import PolicyStack, Run

PROGRAM = """
from dataclasses import replace
from pathlib import Path

import pulumi

from components import JobMonitoring, JobMonitoringArgs
from infra.settings import load_file
from local import cluster

stack = load_file(Path("checkout"), "sandbox")
hours = pulumi.Config().require("hours")
limits = replace(stack.monitoring.thresholds, kept_by_one_pod=f"{hours}h")
JobMonitoring(
    "watch",
    JobMonitoringArgs(
        cluster=cluster(stack.cluster.version),
        jobs=stack.jobs,
        settings=replace(stack.monitoring, namespace="watching", thresholds=limits),
        scalers=(stack.scaler, stack.retiring_scaler),
        policy=stack.policy,
        balloons=stack.balloons,
    ),
)
"""
KINDS = ("podmonitors", "prometheusrules", "servicemonitors")
MONITORS = "kubernetes:monitoring.coreos.com/v1"
DASHBOARD = "kubernetes:core/v1:ConfigMap"
RBAC = "kubernetes:rbac.authorization.k8s.io/v1"
OBJECTS = {
    f"{MONITORS}:PrometheusRule::watch",
    f"{MONITORS}:ServiceMonitor::watch-karpenter",
    f"{MONITORS}:ServiceMonitor::watch-cluster-autoscaler",
    f"{MONITORS}:PodMonitor::watch-vpc-cni",
    f"{RBAC}:ClusterRole::watch-scheduler-metrics",
    f"{RBAC}:ClusterRoleBinding::watch-scheduler-metrics",
    f"{MONITORS}:ServiceMonitor::watch-scheduler",
    f"{DASHBOARD}::watch-platform",
    f"{DASHBOARD}::watch-before-after",
}


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    What happened.

    Args:
        runs: Each command, by the name of the step.
        made: Resources in the state after each `up`, by the same name.
        left: Resources in the state after `destroy`.
    """

    runs: Mapping[str, Run]
    made: Mapping[str, set[str]]
    left: set[str]


@pytest.fixture(scope="module")
def story(api, built, control_plane, tmp_path_factory):
    stack = PolicyStack(
        tmp_path_factory.mktemp("monitoring"),
        built["pulumi-resource-kubernetes"],
        control_plane.kubeconfig,
        PROGRAM,
    )
    folder = prometheus_operator_module(os.environ) / "example/prometheus-operator-crd"
    files = [folder / f"monitoring.coreos.com_{kind}.yaml" for kind in KINDS]
    runs, made = {}, {}
    stack.choose("hours", "6")
    runs["without the operator"] = stack.up()
    made["without the operator"] = objects(stack)
    api.create(namespace("watching"))
    with installed(api, [yaml.safe_load(file.read_text()) for file in files]):
        try:
            runs["with the operator"] = stack.up()
            made["with the operator"] = objects(stack)
            runs["preview"] = stack.preview()
            stack.choose("hours", "12")
            runs["preview of a change"] = stack.preview()
            runs["change"] = stack.up()
            runs["preview after it"] = stack.preview()
        finally:
            runs["destroy"] = stack.destroy()
    return Story(runs=runs, made=made, left=objects(stack))


def objects(stack: PolicyStack) -> set[str]:
    return {name for name in stack.resources() if name.startswith("kubernetes:")}


def test_without_the_operator_the_first_object_says_what_is_missing(story):
    run = story.runs["without the operator"]

    assert run.code != 0
    assert "Verify that any required CRDs have been created" in run.text
    assert 'no matches for kind "PrometheusRule"' in run.text
    assert "ServiceMonitor" not in run.text
    assert set() == story.made["without the operator"]


def test_with_the_operator_the_same_command_makes_everything(story):
    assert story.runs["with the operator"].code == 0
    assert story.made["with the operator"] == OBJECTS


def test_a_second_preview_is_empty(story):
    assert {} == story.runs["preview"].steps
    assert {} == story.runs["preview after it"].steps


def test_a_threshold_changes_rules_in_place_and_replaces_its_dashboard(story):
    steps = story.runs["preview of a change"].steps

    assert "update" == steps.pop(f"{MONITORS}:PrometheusRule::watch")
    assert {f"{DASHBOARD}::watch-platform"} == set(steps)
    assert story.runs["change"].code == 0


def test_destroy_leaves_nothing(story):
    assert (0, set()) == (story.runs["destroy"].code, story.left)
