"""
Objects of balloons in a real API server, with the CRDs of KEDA and Karpenter.

Not proven here: what KEDA and Karpenter make of them, see test_balloons; what KEDA's
admission webhook refuses; the CRDs of Auto Mode, which AWS publishes in no module.
"""

import os
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest

from components.spec.balloon.manifests import balloon_manifests
from components.spec.balloon.pods import balloon_namespace
from components.spec.balloon.schedule import Schedule, Window
from components.spec.balloon.settings import AnyBalloon
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.pool import PoolRules
from sandbox.cluster_api import RefusedError
from sandbox.control_plane_tools import karpenter_module, keda_module
from sandbox.keda import keda_crds
from sandbox.kwok import karpenter_crds
from tests.cluster.definitions import installed
from tests.spec.balloon.builders import buffer, office, pods, static
from tests.spec.scaler.builders import TYPES, job

WINDOWS = Schedule(
    timezone="Europe/Berlin",
    windows=(
        Window(start="08:30", end="12:00", days=("mon-fri",)),
        Window(start="22:00", end="02:00", days=("sat",), overnight=True, replicas=5),
    ),
    cooldown="0s",
)
STEPS = Schedule(
    timezone="Europe/Berlin",
    windows=(
        Window(start="08:00", end="12:00", replicas=20),
        Window(start="12:00", end="18:00", replicas=22),
    ),
)
BALLOONS: Mapping[str, AnyBalloon] = {
    "always": pods(),
    "office hours": pods(schedule=office()),
    "two windows": pods(name="shifts", schedule=WINDOWS),
    "steps of a tenth": pods(name="steps", schedule=STEPS),
    "another priority": pods(priority=-1),
    "labels and image": pods(
        labels={"team": "data"}, image="registry.k8s.io/pause:3.10.1"
    ),
    "buffer": buffer(),
    "static": static(),
}
WEIGHED = Karpenter(pools={"job": PoolRules(weight=10)})
CLASS = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "team"},
    "value": 7,
    "globalDefault": True,
}


@pytest.fixture(scope="module", autouse=True)
def definitions(api):
    """Install the CRDs, and the namespace that takes only restricted pods."""
    crds = [
        *keda_crds(keda_module(os.environ)),
        *karpenter_crds(karpenter_module(os.environ)),
    ]
    api.create(balloon_namespace())
    with installed(api, crds):
        yield


def made(
    balloon: AnyBalloon, architecture: str = "amd64", scaler=Karpenter()
) -> list[dict[str, Any]]:
    group = job(name="job", architecture=architecture)
    return list(
        balloon_manifests(
            balloon,
            group,
            scaler=scaler,
            instance_types=TYPES,
            cluster_version="1.36",
        )
    )


def of_kind(kind: str, balloon: AnyBalloon) -> dict[str, Any]:
    """Return the object of a kind; it may be changed."""
    return deepcopy(next(one for one in made(balloon) if one["kind"] == kind))


def holds(stored: Any, written: Any) -> bool:
    """
    Say whether everything that was written is stored; defaults may be added.

    A False that is the default anyway is not stored.
    """
    if isinstance(written, dict):
        return all(holds(stored.get(key, False), written[key]) for key in written)
    if isinstance(written, list):
        return len(stored) == len(written) and all(map(holds, stored, written))
    return stored == written


@pytest.mark.parametrize("architecture", ["amd64", "arm64"])
@pytest.mark.parametrize("scaler", [Karpenter(), WEIGHED, AutoMode()])
@pytest.mark.parametrize("balloon", BALLOONS.values(), ids=BALLOONS)
def test_every_object_is_stored_as_it_was_written(api, balloon, scaler, architecture):
    for manifest in made(balloon, architecture, scaler):
        answer = api.create(manifest, dry_run=True)

        assert () == answer.warnings
        assert holds(answer.object, manifest)


def test_every_kind_of_object_is_among_them():
    assert {
        "PriorityClass",
        "Deployment",
        "ScaledObject",
        "PodTemplate",
        "CapacityBuffer",
        "NodePool",
    } == {manifest["kind"] for one in BALLOONS.values() for manifest in made(one)}


def test_grace_and_no_replicas_of_a_schedule_are_stored_as_such(api):
    stored = api.create(
        of_kind("Deployment", pods(schedule=office())), dry_run=True
    ).object["spec"]

    assert 1 == stored["template"]["spec"]["terminationGracePeriodSeconds"]
    # The default of the API, which KEDA takes to 0 at its first look.
    assert 1 == stored["replicas"]


def test_a_balloon_is_a_pod_that_a_restricted_namespace_takes(api):
    template = of_kind("Deployment", pods())["spec"]["template"]
    place = balloon_namespace()["metadata"]["name"]
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {**template["metadata"], "name": "pod", "namespace": place},
        "spec": {**template["spec"], "priorityClassName": ""},
    }
    api.create(pod, dry_run=True)
    del pod["spec"]["containers"][0]["securityContext"]

    with pytest.raises(RefusedError) as caught:
        api.create(pod, dry_run=True)

    assert 'violates PodSecurity "restricted' in str(caught.value)


def test_h059_a_second_default_class_is_refused_and_that_of_balloons_is_none(api):
    ours = of_kind("PriorityClass", pods())
    api.create(CLASS)
    try:
        api.create(ours, dry_run=True)
        with pytest.raises(RefusedError) as caught:
            api.create({**ours, "globalDefault": True}, dry_run=True)
    finally:
        api.delete(CLASS)

    assert "PriorityClass team is already marked as default" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"value": -9}, "value: Forbidden: may not be changed"),
        (
            {"preemptionPolicy": "PreemptLowerPriority"},
            "preemptionPolicy: Invalid value",
        ),
    ],
)
def test_a_class_never_changes_so_its_name_tells_its_value(api, change, reason):
    ours = of_kind("PriorityClass", pods())
    other = of_kind("PriorityClass", pods(priority=-9))
    api.create(ours)
    try:
        with pytest.raises(RefusedError) as caught:
            api.merge(ours, change)
    finally:
        api.delete(ours)

    assert reason in str(caught.value)
    assert ours["metadata"]["name"] != other["metadata"]["name"]


SCHEDULED = pods(schedule=office())


def behavior(up: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the HPA of a ScaledObject goes up."""
    inner = {"behavior": {"scaleUp": dict(up)}}
    return {"advanced": {"horizontalPodAutoscalerConfig": inner}}


@pytest.mark.parametrize(
    ("kind", "balloon", "change", "reason"),
    [
        ("ScaledObject", SCHEDULED, {"triggers": []}, "triggers: Invalid value"),
        ("ScaledObject", SCHEDULED, {"pollingInterval": 0}, "pollingInterval: Invalid"),
        ("ScaledObject", SCHEDULED, {"cooldownPeriod": -1}, "cooldownPeriod: Invalid"),
        ("ScaledObject", SCHEDULED, {"maxReplicaCount": 0}, "maxReplicaCount: Invalid"),
        ("ScaledObject", SCHEDULED, {"minReplicaCount": 9}, "must be less than or eq"),
        ("ScaledObject", SCHEDULED, {"cooldown": 1}, 'unknown field "spec.cooldown"'),
        (
            "ScaledObject",
            SCHEDULED,
            behavior({"tolerance": "a tenth"}),
            "scaleUp.tolerance: Invalid value",
        ),
        ("CapacityBuffer", buffer(), {"replicas": -1}, "replicas: Invalid value"),
        ("CapacityBuffer", buffer(), {"replica": 1}, 'unknown field "spec.replica"'),
        (
            "CapacityBuffer",
            buffer(),
            {"scalableRef": {"kind": "Deployment", "name": "x"}},
            "either PodTemplateRef or ScalableRef, but not both",
        ),
        ("NodePool", static(), {"weight": 1}, "not supported on static NodePools"),
        ("NodePool", static(), {"replicas": -1}, "spec.replicas: Invalid value"),
        (
            "NodePool",
            static(),
            {"limits": {"nodes": "3", "cpu": "9"}},
            "only 'limits.nodes' is supported on static NodePools",
        ),
    ],
)
def test_a_fault_planted_in_an_object_is_refused(api, kind, balloon, change, reason):
    manifest = of_kind(kind, balloon)
    manifest["spec"] |= change

    with pytest.raises(RefusedError) as caught:
        api.create(manifest, dry_run=True)

    assert reason in str(caught.value)


def test_a_buffer_needs_a_number(api):
    manifest = of_kind("CapacityBuffer", buffer())
    del manifest["spec"]["replicas"]

    with pytest.raises(RefusedError) as caught:
        api.create(manifest, dry_run=True)

    assert "replicas or limits must also be set" in str(caught.value)


def test_a_static_pool_never_becomes_another(api):
    """So it is a pool of its own beside that of its group."""
    pool = of_kind("NodePool", static())
    api.create(pool)
    try:
        with pytest.raises(RefusedError) as caught:
            api.merge(pool, {"spec": {"replicas": None}})
    finally:
        api.delete(pool)

    assert "Cannot transition NodePool between static" in str(caught.value)
    assert "job" != pool["metadata"]["name"]
