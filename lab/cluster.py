"""
A cluster for one scenario, on this machine: everything is real but the nodes.

Each scenario has a control plane of its own, so that nothing of one reaches the next.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from components.spec.balloon.settings import NAMESPACE, PodBalloon
from components.spec.policy.native import native_policies
from components.spec.policy.settings import JobPolicySettings
from lab import balloons as held
from lab.model import NodeShape
from lab.pace import Pace
from lab.pods import WORKFLOW_CRD, namespace
from lab.pools import karpenter_settings, machines, pools
from lab.scenario import Scenario, scheduler_config
from lab.stack import Stack
from sandbox.cluster_api import ClusterApi, wait_until
from sandbox.control_plane import Component, ControlPlane
from sandbox.control_plane_tools import (
    BUNDLES,
    karpenter_module,
    kwok_module,
    programs,
)
from sandbox.kwok import karpenter, karpenter_crds, kubelets

__all__ = ["PROGRAMS", "Cluster", "Tools", "control_plane", "enforce", "running"]

Manifest = Mapping[str, Any]

PROGRAMS = (
    "etcd",
    "kube-apiserver",
    "kube-scheduler",
    "kube-controller-manager",
    "kwok",
    "karpenter-kwok",
)
"""What runs."""

_COMPONENTS: tuple[Component, ...] = ("kube-scheduler", "kube-controller-manager")
_NAMESPACE = "default"
_LOOK_SECONDS = 0.5
# The nodes of the largest burst, and room for a machine that is busy.
_BALLOON_SECONDS = 180.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Tools:
    """
    What a cluster is started from.

    Args:
        programs: Files of the programs by name.
        karpenter: Folder of Karpenter's module.
        kwok: Folder of kwok's module.
    """

    programs: Mapping[str, Path]
    karpenter: Path
    kwok: Path

    @classmethod
    def obtain(cls) -> "Tools":
        """
        Return them, after building what is missing, once.

        Raises:
            BuildError: A build failed.
        """
        needed = [bundle for bundle in BUNDLES if bundle.name in PROGRAMS]
        return cls(
            programs=programs(os.environ, needed),
            karpenter=karpenter_module(os.environ),
            kwok=kwok_module(os.environ),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Cluster:
    """
    A cluster that runs.

    Args:
        api: A client.
        kubeconfig: File that says where it is.
        pools: The NodePools, as they were created.
        balloons: The Deployments of balloons, whose pods all run.
    """

    api: ClusterApi
    kubeconfig: Path
    pools: tuple[Manifest, ...] = ()
    balloons: tuple[Manifest, ...] = ()


@contextmanager
def running(
    tools: Tools,
    *,
    stack: Stack,
    scenario: Scenario,
    shapes: Sequence[NodeShape],
    pace: Pace,
    expires: str | None,
    balloons: Sequence[PodBalloon] = (),
    logs: Path,
) -> Generator[Cluster]:
    """
    Run a cluster with the scheduler, the policy and the pools of a scenario.

    Args:
        tools: Its programs.
        stack: Whose groups.
        scenario: What is tried.
        shapes: What nodes offer.
        pace: How fast time goes.
        expires: Age at which nodes expire, None: when their groups say so.
        balloons: What waits for jobs, where the scenario has balloons.
        logs: Folder that keeps what its programs said.

    Raises:
        ControlPlaneError: A program did not start.
        TimeoutError: A program did not do what it is for; balloons found no room.
    """
    if scenario.balloons:
        scaler = held.with_held(stack.karpenter, balloons, protects=scenario.protects)
        stack = replace(stack, karpenter=scaler)
    config = scheduler_config(scenario.scoring, pace)
    with (
        control_plane(tools, config, logs) as (bare, plane, state),
        kubelets(tools.programs["kwok"], tools.kwok, plane.kubeconfig, state),
    ):
        _install(bare.api, [*karpenter_crds(tools.karpenter), WORKFLOW_CRD])
        rules = {one.name: stack.karpenter.rules(one.name) for one in stack.jobs}
        if scenario.rules is not None:
            rules = dict.fromkeys(rules, scenario.rules)
        with karpenter(
            tools.programs["karpenter-kwok"],
            bare.kubeconfig,
            state,
            machines(shapes, rules),
            karpenter_settings(stack, scenario, pace),
        ):
            made = pools(stack, scenario, pace, expires)
            for manifest in made:
                bare.api.create(manifest)
            if scenario.policy is not None:
                enforce(bare.api, scenario.policy)
            if scenario.balloons:
                made += _hold(bare.api, stack, balloons)
            yield replace(
                bare,
                pools=tuple(one for one in made if one["kind"] == "NodePool"),
                balloons=tuple(one for one in made if one["kind"] == "Deployment"),
            )


@contextmanager
def control_plane(
    tools: Tools,
    scheduler: Manifest,
    logs: Path,
    components: Sequence[Component] = _COMPONENTS,
) -> Generator[tuple[Cluster, ControlPlane, Path]]:
    """
    Run a control plane without nodes; its logs are kept.

    Yields the cluster, its processes, and the folder of its state.
    """
    with tempfile.TemporaryDirectory(prefix="eks-jobs-lab-") as folder:
        state = Path(folder)
        try:
            with ControlPlane(
                programs=tools.programs,
                state=state,
                components=components,
                scheduler_config=scheduler,
            ) as plane:
                api = ClusterApi(plane.kubeconfig)
                space = namespace(_NAMESPACE)
                wait_until(lambda: api.exists(space), f"namespace {_NAMESPACE}")
                yield Cluster(api=api, kubeconfig=plane.kubeconfig), plane, state
        finally:
            logs.mkdir(parents=True, exist_ok=True)
            for log in state.glob("*.log"):
                shutil.copy(log, logs / log.name)


def _install(api: ClusterApi, crds: Sequence[Manifest]) -> None:
    for crd in crds:
        api.create(crd)
    for crd in crds:
        name = crd["metadata"]["name"]
        wait_until(lambda crd=crd: _is_established(api.get(crd)), f"{name} served")


def _is_established(crd: Manifest) -> bool:
    return any(
        one["type"] == "Established" and one["status"] == "True"
        for one in crd.get("status", {}).get("conditions") or []
    )


def _hold(
    api: ClusterApi, stack: Stack, balloons: Sequence[PodBalloon]
) -> list[dict[str, Any]]:
    """Create balloons and wait until they have their room; a burst comes later."""
    made = [
        *held.manifests(balloons, stack.jobs, stack.karpenter, stack.instance_types)
    ]
    for manifest in made:
        api.create(manifest)
    pods = {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": NAMESPACE}}
    wanted = sum(balloon.replicas for balloon in balloons)

    def all_run() -> bool:
        phases = [pod.get("status", {}).get("phase") for pod in api.items(pods)]
        time.sleep(_LOOK_SECONDS)
        return wanted == phases.count("Running")

    wait_until(all_run, "balloons have room", _BALLOON_SECONDS)
    return made


def enforce(api: ClusterApi, policy: JobPolicySettings) -> None:
    """Create the policy, and wait until a pod shows that it is in force."""
    for manifest in native_policies(policy):
        api.create(manifest)
    owner = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": "canary",
        "uid": "canary",
        "controller": True,
    }
    canary = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "canary",
            "namespace": _NAMESPACE,
            "ownerReferences": [owner],
        },
        "spec": {"containers": [{"name": "main", "image": "example.com/job:1"}]},
    }

    def in_force() -> bool:
        stored = api.create(canary, dry_run=True).object["metadata"]
        return policy.label.key in stored.get("labels", {})

    wait_until(in_force, "job policy in force")
