"""
Balloons in a burst: real scheduler, Karpenter and KEDA, machines that take 50 s.

Not proven here: what a node does before its pods run (images, the network), Karpenter's
AWS provider, Cluster Autoscaler and EKS Auto Mode, KEDA's admission webhook, and the
changes of summer time, for which the clock of KEDA would have to be another.
"""

import os
from collections import Counter
from pathlib import Path

import pytest
import tzdata

from components.spec.balloon.schedule import Schedule, Window
from components.spec.balloon.settings import PRIORITY
from components.spec.groups import GROUP_LABEL
from components.spec.policy.settings import JobPolicySettings
from sandbox.cluster_api import ClusterApi
from sandbox.control_plane import ControlPlane
from sandbox.control_plane_tools import karpenter_module, keda_module, kwok_module
from sandbox.keda import keda, keda_crds
from sandbox.kwok import karpenter, karpenter_crds, kubelets
from tests.cluster.balloon_cast import (
    ARM,
    BURSTS,
    COOLDOWN,
    CROWD,
    PER_NODE,
    POLLING,
    SCHEDULED,
    SLOW_GRACE,
    STATIC_NODES,
    WRONG,
    Cast,
)
from tests.cluster.balloon_story import NODE_START, next_mark, tell
from tests.cluster.conftest import namespace
from tests.cluster.definitions import installed
from tests.cluster.karpenter_story import machine_types, seconds_between
from tests.cluster.policies import CANARY, in_force
from tests.spec.policy.admission import LABEL

AT_ONCE = 2
# What Karpenter and the scheduler add to the start of a machine, and a busy machine.
MORE = 15
# The metrics server of the HPA is asked every 15 s.
SYNC = 15
ZONES = Path(tzdata.__file__).parent / "zoneinfo"


@pytest.fixture(scope="module")
def story(built, tmp_path_factory):
    """Run a control plane of its own: Karpenter acts on every node that it sees."""
    state = tmp_path_factory.mktemp("balloons")
    crds = [
        *karpenter_crds(karpenter_module(os.environ)),
        *keda_crds(keda_module(os.environ)),
    ]
    with ControlPlane(
        programs=built,
        state=state,
        components=("kube-scheduler", "kube-controller-manager"),
        aggregation=True,
    ) as control_plane:
        file = control_plane.kubeconfig
        kwok = (built["kwok"], kwok_module(os.environ), file, state)
        api = ClusterApi(file)
        api.create(namespace(CANARY["metadata"]["namespace"]))
        with (
            installed(api, crds),
            kubelets(*kwok),
            keda(built, ZONES, file, state),
            in_force(api, JobPolicySettings()),
        ):
            cast = Cast(next_mark())
            types, settings = machine_types(), cast.settings
            with karpenter(built["karpenter-kwok"], file, state, types, settings):
                return tell(api, cast)


def names(pods):
    return {pod["metadata"]["name"] for pod in pods}


def endings(story, pool):
    """Return the seconds that each ending balloon of a pool had, look by look."""
    ending = story.watch.ending
    return [
        ending[name] for name in names(story.pods(pool, "balloon")) if name in ending
    ]


def nodes_of(pods):
    return Counter(pod["spec"]["nodeName"] for pod in pods)


def test_a_machine_of_the_burst_takes_50_s_to_its_node(story):
    for pool in BURSTS:
        (node,) = (
            one
            for one in story.nodes(pool)
            if one["metadata"]["name"] not in story.before
        )
        (claim,) = (
            one
            for one in story.claims(pool)
            if one["status"]["nodeName"] == node["metadata"]["name"]
        )
        ordered, there = (one["metadata"]["creationTimestamp"] for one in (claim, node))

        assert NODE_START <= seconds_between(ordered, there)


def test_with_balloons_a_job_at_a_full_cluster_has_a_node_within_2_s(story):
    waits = story.waits("with")

    assert BURSTS["with"] == len(waits)
    assert AT_ONCE > max(waits)


def test_without_balloons_it_waits_for_the_machine(story):
    waits = story.waits("without")

    assert BURSTS["without"] == len(waits)
    assert NODE_START <= min(waits)
    assert NODE_START + MORE > max(waits)


def test_a_job_takes_the_room_of_a_balloon_and_no_more(story):
    evicted = [
        pod
        for pod in story.pods("with", "balloon")
        if names([pod]) <= story.before
        and story.watch.is_gone("Pod", pod["metadata"]["name"])
    ]

    assert nodes_of(story.pods("with", "burst")) == nodes_of(evicted)
    assert nodes_of(evicted).keys() <= story.before


def test_balloons_come_back_on_one_new_node(story):
    back = [
        pod
        for pod in story.present("with", "balloon")
        if not names([pod]) & story.before
    ]
    (node,) = nodes_of(back)

    assert BURSTS["with"] == len(back)
    assert PER_NODE == len(story.present("with", "balloon"))
    assert node not in story.before


def test_h058_no_node_is_made_and_given_up_for_balloons(story):
    """
    Each pool orders what it needs before the burst, and one machine after it.

    Karpenter looks for what to consolidate all the time.
    """
    claims = {name: len(story.claims(name)) for name in (*BURSTS, ARM)}

    assert {"with": 3, "without": 2, "slow": 2, "buffer": 2, ARM: 1} == claims
    assert not any(
        story.watch.is_gone("NodeClaim", claim["metadata"]["name"])
        for name in claims
        for claim in story.claims(name)
    )


def test_jobs_never_push_out_jobs(story):
    jobs = [
        pod
        for pool in BURSTS
        for role in ("running", "burst")
        for pod in story.pods(pool, role)
    ]

    assert sum(BURSTS.values()) + 2 * PER_NODE == len(jobs)
    assert set() == names(jobs) & story.watch.ending.keys()
    assert {"Running"} == {pod["status"]["phase"] for pod in jobs}
    assert not any(story.watch.is_gone("Pod", pod["metadata"]["name"]) for pod in jobs)


def test_a_job_waits_until_the_balloon_has_ended(story):
    """
    Ten seconds, where its program ignores the signal and has ten of grace.

    A look between the two steps in which the kubelet removes a pod sees none left.
    """
    (slow,) = endings(story, "slow")

    assert {0, 1} >= {left for looks in endings(story, "with") for left in looks}
    assert SLOW_GRACE - 1 <= min(story.waits("slow"))
    assert SLOW_GRACE == slow[0]


def test_h057_a_balloon_is_below_every_job_and_pushes_nobody_out(story):
    pods = [
        pod for pool in ("with", ARM, *SCHEDULED) for pod in story.pods(pool, "balloon")
    ]

    assert {(PRIORITY, "Never", 1)} == {
        (
            pod["spec"]["priority"],
            pod["spec"]["preemptionPolicy"],
            pod["spec"]["terminationGracePeriodSeconds"],
        )
        for pod in pods
    }


def test_the_job_policy_leaves_balloons_alone(story):
    pods, jobs = story.pods("with", "balloon"), story.pods("with", "burst")

    assert {False} == {LABEL in pod["metadata"]["labels"] for pod in pods}
    assert {False} == {"annotations" in pod["metadata"] for pod in pods}
    assert {True} == {LABEL in pod["metadata"]["labels"] for pod in jobs}


@pytest.mark.parametrize(("pool", "architecture"), [("with", "amd64"), (ARM, "arm64")])
def test_h061_balloons_are_on_nodes_of_their_group(story, pool, architecture):
    nodes = [
        story.watch.one("Node", name)["metadata"]["labels"]
        for name in nodes_of(story.present(pool, "balloon"))
    ]

    assert {(pool, architecture)} == {
        (one[GROUP_LABEL], one["kubernetes.io/arch"]) for one in nodes
    }


def test_a_capacity_buffer_keeps_a_node_that_nobody_is_on(story):
    """The job is there at once, and the buffer is filled up by another node."""
    first, second = story.nodes("buffer")
    (taken,) = nodes_of(story.pods("buffer", "burst"))

    assert [] == story.pods("buffer", "balloon")
    assert AT_ONCE > max(story.waits("buffer"))
    assert taken in story.before
    assert {taken} == names([first, second]) & story.before
    assert names([first, second]) <= story.watch.names("Node")


def test_a_static_pool_has_its_nodes_without_any_pod(story):
    nodes = story.nodes("static")
    taint = {"key": GROUP_LABEL, "value": "static", "effect": "NoSchedule"}

    assert STATIC_NODES == len(nodes) == len(names(nodes) & story.before)
    assert all(taint in node["spec"]["taints"] for node in nodes)
    assert {"static"} == {node["metadata"]["labels"][GROUP_LABEL] for node in nodes}


def test_a_schedule_that_begins_has_no_balloons_before_and_all_after(story):
    before = [wanted for when, wanted in story.steps("opening") if when <= 0]
    (up,) = (when for when, wanted in story.steps("opening") if wanted == PER_NODE)

    assert 0 == before[-1]
    assert 0 < up < POLLING + 2 * SYNC
    assert PER_NODE == len(story.present("opening", "balloon"))


def test_a_schedule_that_ends_keeps_balloons_until_then_and_none_after(story):
    """The cooldown counts from KEDA's last look inside the window."""
    before = [wanted for when, wanted in story.steps("window") if when <= 0]
    down, left = story.steps("window")[-1]

    assert (PER_NODE, 0) == (before[-1], left)
    assert COOLDOWN - POLLING <= down < COOLDOWN + 3 * POLLING
    assert [] == story.present("window", "balloon")


def test_h091_a_window_has_exactly_its_number_after_one_step(story):
    """One balloon of KEDA, then all: and one more at the mark, which is 6 %."""
    before, after = CROWD
    steps = [wanted for _, wanted in story.steps("crowd")]
    up = [when for when, wanted in story.steps("crowd") if wanted == after]

    assert [1, before, after] == [wanted for wanted in steps if wanted]
    assert 0 < up[0] < POLLING + 2 * SYNC


def test_the_nodes_of_balloons_go_with_them(story):
    nodes = story.nodes("window")

    assert 1 == len(nodes)
    assert story.watch.is_gone("Node", nodes[0]["metadata"]["name"])


def test_outside_of_all_windows_there_are_no_balloons_and_no_nodes(story):
    assert 0 == story.steps("closed")[-1][1]
    assert [] == story.present("closed", "balloon")
    assert all(
        story.watch.is_gone("Node", node["metadata"]["name"])
        for node in story.nodes("closed")
    )


@pytest.mark.parametrize("pool", SCHEDULED)
def test_keda_takes_the_schedule_and_owns_the_replicas(story, pool):
    name = f"balloon-{pool}"
    taken = story.watch.one("ScaledObject", name)["status"]["conditions"]
    scaler = story.watch.one("HorizontalPodAutoscaler", f"keda-hpa-{name}")["spec"]

    assert ("Ready", "True") in [(one["type"], one["status"]) for one in taken]
    assert (1, PER_NODE) == (scaler["minReplicas"], scaler["maxReplicas"])
    assert ["External"] == [metric["type"] for metric in scaler["metrics"]]
    assert name == scaler["scaleTargetRef"]["name"]


@pytest.mark.parametrize(
    ("pool", "wanted", "ready", "reason"),
    [
        ("zone", 1, "False", "an abbreviation is no zone"),
        ("none", 1, "False", "replicas must be 1 or more"),
        ("same", PER_NODE, "True", "they are the same time"),
        ("never", PER_NODE, "True", "start never comes"),
    ],
)
def test_h062_h065_what_the_library_refuses_would_hold_balloons_at_all_hours(
    story, pool, wanted, ready, reason
):
    """KEDA leaves what the Deployment began with, or is active for ever."""
    taken = story.watch.one("ScaledObject", f"balloon-{pool}")["status"]["conditions"]
    given = {"timezone": "UTC", "start": "08:30", "end": "18:00"} | WRONG[pool]
    replicas = int(given.get("desiredReplicas", PER_NODE))

    assert wanted == story.steps(pool)[-1][1]
    assert ("Ready", ready) in [(one["type"], one["status"]) for one in taken]
    with pytest.raises(ValueError, match=reason):
        Schedule(
            timezone=given["timezone"],
            windows=(
                Window(start=given["start"], end=given["end"], replicas=replicas),
            ),
        )
