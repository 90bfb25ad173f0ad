"""
A real Prometheus scrapes the real scheduler, Karpenter and API server, with our rules.

What kube-state-metrics would tell of pods and nodes is told by `tests.cluster.state`
from the same API server. Not proven here: kubelets, node_exporter and the VPC CNI,
which need machines; Cluster Autoscaler, which needs AWS.
"""

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.spec.groups import GROUP_LABEL, Size
from components.spec.monitoring.manifests import rule_file
from components.spec.monitoring.metrics import METRICS
from components.spec.monitoring.settings import Monitoring
from components.spec.monitoring.watched import watched
from components.spec.policy.settings import JobPolicySettings
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.lifetime import lifetime
from components.spec.scaler.node_pool import node_pool
from components.spec.scaler.pool import Budget, PoolRules
from sandbox.cluster_api import ClusterApi, wait_until
from sandbox.control_plane import ControlPlane
from sandbox.control_plane_tools import karpenter_module, kwok_module
from sandbox.kwok import (
    DURATION,
    NODE_CLASS,
    karpenter,
    karpenter_crds,
    kubelets,
    node_class,
)
from sandbox.processes import HOST, free_ports, start, stop
from tests.cluster.conftest import namespace
from tests.cluster.definitions import installed
from tests.cluster.karpenter_story import machine_types
from tests.cluster.prometheus import Prometheus, prometheus, target, until
from tests.cluster.state import state_metrics
from tests.spec.scaler.builders import TYPES, job

SPACE, BALLOON = "story", "balloon"
SECONDS = 90
GROUP = job(size=Size(min=0, max=1))
EAGER = PoolRules(budgets=(Budget(nodes="100%"),), consolidate_after="5s")
LABEL = JobPolicySettings().label
HERE = {"cluster": "lab", "group": "job", "architecture": "amd64"}
OWNED = {**HERE, "owner_kind": "Job"}
RUNNING = "group_owner:eks_jobs_pods_running:count"


@pytest.fixture(scope="session", autouse=True)
def untouched() -> None:
    """Take the place of the fixture that starts a control plane: here is another."""


@pytest.fixture(scope="module")
def lab(built, tmp_path_factory) -> Generator[Prometheus]:
    """Run a control plane with Karpenter, and a Prometheus that saw all of a story."""
    folder = tmp_path_factory.mktemp("prometheus")
    with ControlPlane(
        programs=built, state=folder, components=("kube-controller-manager",)
    ) as control_plane:
        api, file = ClusterApi(control_plane.kubeconfig), control_plane.kubeconfig
        token = yaml.safe_load(file.read_text())["users"][0]["user"]["token"]
        api.create(namespace(SPACE))
        wait_until(lambda: api.exists(namespace("kube-system")), "first namespaces")
        with (
            installed(api, karpenter_crds(karpenter_module(os.environ))),
            kubelets(built["kwok"], kwok_module(os.environ), file, folder),
            karpenter(
                built["karpenter-kwok"], file, folder, machine_types(), {}
            ) as karpenter_port,
            scheduler(built["kube-scheduler"], file, folder) as scheduler_port,
            state_metrics(api, SPACE) as state_port,
            prometheus(
                built["prometheus"],
                folder,
                [
                    target(
                        "apiserver",
                        int(control_plane.server.rpartition(":")[2]),
                        token=token,
                    ),
                    target("kube-scheduler", scheduler_port, token=token),
                    target("karpenter", karpenter_port),
                    target("kube-state-metrics", state_port, honor_labels=True),
                ],
                rule_file(
                    Monitoring(interval="1s"),
                    watched(
                        "lab", (GROUP,), (Karpenter(),), JobPolicySettings(), (BALLOON,)
                    ),
                ),
            ) as running,
        ):
            tell(api, running)
            yield running


@contextmanager
def scheduler(program: Path, kubeconfig: Path, folder: Path) -> Generator[int]:
    """Run a scheduler that lets those read its metrics who may; yield its port."""
    (port,) = free_ports(1)
    files = (
        f"--{what}kubeconfig={kubeconfig}"
        for what in ("", "authentication-", "authorization-")
    )
    process = start(
        program,
        (
            *files,
            f"--secure-port={port}",
            f"--bind-address={HOST}",
            f"--cert-dir={folder / 'scheduler'}",
            "--leader-elect=false",
        ),
        folder / "kube-scheduler.log",
    )
    try:
        yield port
    finally:
        stop(process)


def tell(api: ClusterApi, running: Prometheus) -> None:
    """
    Fill the one node that may be with a balloon, and let jobs come.

    The first takes the place of the balloon, the second waits for its end, the third
    was missed by the job policy. Then the node is empty, and goes.
    """
    ups = "count(up == 1)"
    until(lambda: [({}, 4.0)] == running.query(ups), "everything is scraped", SECONDS)
    life = lifetime(EAGER, GROUP.longest_job)
    pool = node_pool(GROUP, EAGER, life, NODE_CLASS, TYPES)
    api.create(node_class(GROUP.name))
    api.create(pool)
    api.create(
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": BALLOON},
            "value": -10,
            "preemptionPolicy": "Never",
        }
    )
    api.create(_pod(BALLOON, priorityClassName=BALLOON))
    held = "group:eks_jobs_balloons:count == 1"
    until(lambda: running.query(held) != [], "the balloon holds its place", SECONDS)
    api.create(_job("first", {LABEL.key: LABEL.value}))
    until(lambda: running.query(RUNNING) != [], "the first job runs", SECONDS)
    api.create(_job("second", {LABEL.key: LABEL.value}))
    api.create(_job("missed", {}, cpu="10m"))
    gone = 'group:eks_jobs_nodes_disrupted:increase1h{reason="empty"} >= 1'
    until(lambda: running.query(gone) != [], "the empty node goes", SECONDS)
    # While Karpenter is there to let go of them.
    for manifest in (pool, node_class(GROUP.name)):
        api.delete(manifest)
        wait_until(lambda one=manifest: not api.exists(one), "it is let go")


def _pod(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": SPACE},
        "spec": _spec("15") | spec,
    }


def _job(name: str, labels: Mapping[str, str], cpu: str = "15") -> dict[str, Any]:
    annotations = {DURATION: "10s"}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": SPACE},
        "spec": {
            "template": {
                "metadata": {"annotations": annotations, "labels": dict(labels)},
                "spec": _spec(cpu) | {"restartPolicy": "Never"},
            }
        },
    }


def _spec(cpu: str) -> dict[str, Any]:
    main = {"name": "main", "image": "example.com/task:1"}
    return {
        "nodeSelector": {GROUP_LABEL: GROUP.name},
        "tolerations": [{"key": GROUP_LABEL, "value": GROUP.name}],
        "terminationGracePeriodSeconds": 0,
        "containers": [{**main, "resources": {"requests": {"cpu": cpu}}}],
    }


def most(lab: Prometheus, name: str) -> dict[frozenset[tuple[str, str]], float]:
    """Return the largest value that each series of a rule had."""
    found = lab.query(f"max_over_time({name}[10m])")
    return {frozenset(labels.items()): value for labels, value in found}


def key(**labels: str) -> frozenset[tuple[str, str]]:
    return frozenset(labels.items())


def test_every_rule_is_evaluated_without_an_error(lab):
    rules = lab.rules()

    assert [] == [one for one in rules if one["health"] != "ok"]
    assert 60 < len(rules)


@pytest.mark.parametrize("source", ["karpenter", "kube-scheduler"])
def test_every_metric_of_a_source_is_told_with_its_labels(lab, source):
    listed = [one for one in METRICS if one.source == source]
    told = {
        one.name: lab.query(
            f"last_over_time({one.name}{'_sum' if one.histogram else ''}"
            f'{{job="{source}"}}[10m])'
        )
        for one in listed
    }

    assert [] == [name for name, series in told.items() if not series]
    assert [] == [
        one.name for one in listed if not set(one.labels) <= told[one.name][0][0].keys()
    ]


def test_the_api_server_is_scraped(lab):
    assert [] != lab.query('apiserver_request_total{job="apiserver"}')


@pytest.mark.parametrize(
    ("name", "labels", "value"),
    [
        ("group:eks_jobs_nodes:count", HERE, 1),
        ("group:eks_jobs_limit:ratio", HERE, 1),
        (RUNNING, OWNED, 2),
        ("group:eks_jobs_balloons:count", HERE, 1),
        ("group:eks_jobs_nodes_with_one_pod:count", HERE, 1),
        (
            "owner:eks_jobs_pods_unschedulable:count",
            {"cluster": "lab", "owner_kind": "Job"},
            1,
        ),
        (
            "namespace_owner:eks_jobs_policy_misses:count",
            {"cluster": "lab", "namespace": SPACE, "owner_kind": "Job"},
            1,
        ),
        (
            "group:eks_jobs_nodepool_limit:ratio",
            {**HERE, "resource_type": "nodes"},
            1,
        ),
        ("cluster:eks_jobs_scaler_unschedulable_pods:max", {"cluster": "lab"}, 1),
    ],
)
def test_rules_count_what_happened(lab, name, labels, value):
    assert value == most(lab, name)[key(**labels)]


def test_the_balloon_was_the_victim_of_the_first_job(lab):
    (victims,) = most(lab, "cluster:eks_jobs_preemption_victims:increase1h").values()

    assert 1 == round(victims)


def test_karpenter_gave_up_the_node_because_it_was_empty(lab):
    found = most(lab, "group:eks_jobs_nodes_disrupted:increase1h")

    assert [key(**HERE, reason="empty")] == list(found)


def test_the_node_was_packed_as_the_job_asked(lab):
    packed = most(lab, "group:eks_jobs_packing:ratio")

    assert 0.9 < packed[key(**HERE, resource="cpu")] <= 1
    assert 0 < packed[key(**HERE, resource="pods")] < 0.1


@pytest.mark.parametrize(
    ("metric", "least", "greatest"),
    [("pending", 0, SECONDS), ("node_wait", 0, SECONDS), ("running", 9, 40)],
)
def test_times_of_jobs_are_plausible(lab, metric, least, greatest):
    name = f"group_owner:eks_jobs_{metric}_seconds"
    found = [most(lab, f"{name}:{how}")[key(**OWNED)] for how in ("avg", "p99", "max")]

    assert sorted(found) == found
    assert least <= found[0]
    assert found[-1] <= greatest
