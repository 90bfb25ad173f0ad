"""
The definitions of Karpenter outlive their release, told once.

The engine and the provider with its Helm are the real ones, and so is the API server.
Not proven here: that a controller which comes later takes the nodes over.
"""

import os
from dataclasses import dataclass

import pytest
import yaml

from components.spec.scaler.lifetime import lifetime
from components.spec.scaler.node_pool import EC2_NODE_CLASS, node_pool
from components.spec.scaler.pool import PoolRules
from sandbox.cluster_api import RefusedError, wait_until
from sandbox.control_plane_tools import karpenter_aws_module
from tests.cluster.policy_stack import PolicyStack, Run
from tests.spec.scaler.builders import TYPES, job

# The chart travels in the module of Karpenter; its registry is not asked.
PROGRAM = """
import pulumi

from components import _controllers
from components.spec.scaler.karpenter_chart import definition_values
from components.spec.scaler.versions import Chart
from local import cluster

if pulumi.Config().require_bool("installed"):
    _controllers.release(
        "karpenter-crds",
        "karpenter-crd",
        Chart(name="CHART"),
        "1.15.1",
        definition_values(),
        cluster("1.36"),
        pulumi.ResourceOptions(),
    )
"""
POOL = node_pool(job(), PoolRules(), lifetime(PoolRules(), "6h"), EC2_NODE_CLASS, TYPES)
RELEASE = "kubernetes:helm.sh/v3:Release::karpenter-crds"


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    What happened.

    Args:
        runs: Each deployment, in order.
        uids: Uid of the pool after each; None when it is gone.
        releases: Whether the state had the release after each.
    """

    runs: list[Run]
    uids: list[str | None]
    releases: list[bool]


@pytest.fixture(scope="module")
def story(built, control_plane, api, tmp_path_factory):
    module = karpenter_aws_module(os.environ)
    chart = module / "charts" / "karpenter-crd"
    stack = PolicyStack(
        tmp_path_factory.mktemp("definitions"),
        built["pulumi-resource-kubernetes"],
        control_plane.kubeconfig,
        PROGRAM.replace("CHART", str(chart)),
    )
    told = Story(runs=[], uids=[], releases=[])

    def deploy(*, installed: bool) -> None:
        stack.choose("installed", str(installed).lower())
        told.runs.append(stack.up())
        if len(told.runs) == 1:
            wait_until(are_pools_served, "pools are served")
            api.create(POOL)
        uid = api.get(POOL)["metadata"]["uid"] if api.exists(POOL) else None
        told.uids.append(uid)
        told.releases.append(RELEASE in stack.resources())

    def are_pools_served() -> bool:
        try:
            return api.items(POOL) == []
        except RefusedError:
            return False

    try:
        for installed in (True, False, True):
            deploy(installed=installed)
    finally:
        stack.destroy()
        for file in (module / "pkg" / "apis" / "crds").glob("*.yaml"):
            crd = yaml.safe_load(file.read_text())
            if api.exists(crd):
                api.delete(crd)
    return told


def test_every_deployment_succeeds(story):
    assert {} == {n: run.text for n, run in enumerate(story.runs) if run.code != 0}


def test_a_pool_outlives_the_release_of_its_definition(story):
    """With the definition, a pool would end its nodes and all jobs on them."""
    before, between, again = story.uids

    assert [True, False, True] == story.releases
    assert before is not None
    assert (before, before) == (between, again)
