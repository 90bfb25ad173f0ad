"""
Who says how many balloons there are: the real engine, provider and API server.

KEDA is played by a write to the scale of the Deployment, which is what KEDA does. Not
proven here: that KEDA does it in time, which test_balloons.py shows.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass

import pytest

from sandbox.control_plane_tools import keda_module
from sandbox.keda import keda_crds
from tests.cluster.definitions import installed
from tests.cluster.policy_stack import PolicyStack, Run

PROGRAM = """
import pulumi
import pulumi_kubernetes as kubernetes

from components import (
    Balloon,
    BalloonArgs,
    JobGroup,
    Karpenter,
    PodBalloon,
    Schedule,
)
from local import cluster, provider

config = pulumi.Config()
space = kubernetes.core.v1.Namespace(
    "held", metadata={"name": "held"}, opts=pulumi.ResourceOptions(provider=provider)
)
office = Schedule(timezone="Asia/Seoul", start="08:30", end="18:00")
balloon = PodBalloon(
    group="job",
    replicas=2,
    cpu="500m",
    memory="750Mi",
    labels={"team": config.require("team")},
    schedule=office if config.require_bool("scheduled") else None,
)
Balloon(
    "held",
    BalloonArgs(
        cluster=cluster("1.36"),
        balloon=balloon,
        group=JobGroup(
            name="job", architecture="amd64", instance_types=("m7i.4xlarge",)
        ),
        scaler=Karpenter(install=False),
        namespace="held",
    ),
    pulumi.ResourceOptions(depends_on=[space]),
)
"""
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "balloon-job", "namespace": "held"},
}
CLASS = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "balloon-job-minus-10"},
}
NAME = "kubernetes:apps/v1:Deployment::held"
SCALED = "kubernetes:keda.sh/v1alpha1:ScaledObject::held"


@dataclass(frozen=True, kw_only=True)
class Story:
    """
    What happened.

    Args:
        runs: Each command, by the name of the step.
        replicas: What the Deployment wanted after it.
        left: Resources in the state after `destroy`, and objects in the API server.
    """

    runs: Mapping[str, Run]
    replicas: Mapping[str, int]
    left: list[str]


@pytest.fixture(scope="module")
def story(api, built, control_plane, tmp_path_factory):
    stack = PolicyStack(
        tmp_path_factory.mktemp("balloons"),
        built["pulumi-resource-kubernetes"],
        control_plane.kubeconfig,
        PROGRAM,
    )
    runs: dict[str, Run] = {}
    replicas: dict[str, int] = {}

    def note(step: str, run: Run) -> None:
        runs[step], replicas[step] = run, api.get(DEPLOYMENT)["spec"]["replicas"]

    def choose(team: str, *, scheduled: bool) -> None:
        stack.choose("team", team)
        stack.choose("scheduled", str(scheduled).lower())

    with installed(api, keda_crds(keda_module(os.environ))):
        try:
            choose("one", scheduled=True)
            note("up", stack.up())
            scale(api, 5)
            note("preview", stack.preview())
            note("refresh", stack.preview("--refresh"))
            choose("two", scheduled=True)
            note("another label", stack.up())
            scale(api, 4)
            choose("two", scheduled=False)
            note("no schedule", stack.up())
            note("last preview", stack.preview("--refresh"))
        finally:
            runs["destroy"] = stack.destroy()
        left = [one["kind"] for one in (DEPLOYMENT, CLASS) if api.exists(one)]
        return Story(runs=runs, replicas=replicas, left=[*stack.resources(), *left])


def scale(api, replicas: int) -> None:
    """Do what KEDA does: write to the scale of the Deployment."""
    api.merge(DEPLOYMENT, {"spec": {"replicas": replicas}}, "/scale")


def test_every_command_succeeds(story):
    failed = {name: run.text for name, run in story.runs.items() if run.code != 0}

    assert {} == failed


def test_up_ends_although_no_balloon_finds_room(story):
    """There is no node at all: Pulumi waits for none of them."""
    assert 1 == story.replicas["up"]


@pytest.mark.parametrize("step", ["preview", "refresh"])
def test_h014_a_second_preview_is_empty_although_replicas_moved(story, step):
    assert {} == story.runs[step].steps
    assert 5 == story.replicas[step]


def test_an_update_leaves_the_number_alone(story):
    assert 5 == story.replicas["another label"]


def test_a_number_of_the_file_is_taken_over_from_keda(story):
    """No conflict: writes to the scale of what names no replicas are nobody's."""
    assert 2 == story.replicas["no schedule"]
    assert {} == story.runs["last preview"].steps


def test_destroy_leaves_nothing(story):
    assert [] == story.left
