"""
A real API server, scheduler and controller-manager, one of each for all these tests.

No kubelet runs: pods are created, admitted and given to nodes, and never start.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lab.placement import scheduler_config
from sandbox import control_plane_tools
from sandbox.cluster_api import ClusterApi, settled, wait_until
from sandbox.control_plane import ControlPlane
from tests.spec.policy.admission import CASES

OWN_NAMESPACES = ("kube-system", "kube-public", "kube-node-lease")


@pytest.fixture(scope="session")
def built() -> Mapping[str, Path]:
    """Return the programs by name; half an hour of building is for `make` to begin."""
    programs = control_plane_tools.built(os.environ)
    missing = sorted(control_plane_tools.versions().keys() - programs.keys())
    if missing:
        pytest.fail(f"{', '.join(missing)} must be built first: run make cluster-tools")
    return programs


@pytest.fixture(scope="session")
def control_plane(built, tmp_path_factory):
    """Run the processes; the scheduler has a profile that packs as well."""
    with ControlPlane(
        programs=built,
        state=tmp_path_factory.mktemp("control-plane"),
        components=("kube-scheduler", "kube-controller-manager"),
        scheduler_config=scheduler_config(),
    ) as running:
        yield running


@pytest.fixture(scope="session")
def api(control_plane) -> ClusterApi:
    """Return a client; the namespaces of pods.yaml are there."""
    client = ClusterApi(control_plane.kubeconfig)
    names = {case["pod"]["metadata"]["namespace"] for case in CASES}
    wait_until(lambda: client.exists(namespace("kube-system")), "first namespaces")
    for name in sorted(names - set(OWN_NAMESPACES)):
        client.create(namespace(name))
    for name in OWN_NAMESPACES:
        wait_until(lambda name=name: client.exists(namespace(name)), name)
    return client


@pytest.fixture(scope="session", autouse=True)
def untouched(api) -> Mapping[str, dict[str, Any]]:
    """
    Return each pod of pods.yaml as the API server stores it without a policy.

    It comes before every test, so that no policy is in force yet.
    """
    return {
        case["name"]: settled(api.create(case["pod"], dry_run=True).object)
        for case in CASES
    }


def namespace(name: str, **labels: str) -> dict[str, Any]:
    metadata = {"name": name, "labels": labels}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
