"""
From which version on the API server runs the native policy.

The API server emulates older versions: it offers their APIs and their features.
"""

from collections.abc import Mapping
from contextlib import contextmanager

import pytest

from components.spec.policy.engine import choose_engine
from components.spec.policy.native import native_policies
from components.spec.policy.settings import JobPolicySettings
from sandbox.cluster_api import ClusterApi, RefusedError, settled, wait_until
from sandbox.control_plane import ControlPlane
from tests.cluster.conftest import namespace
from tests.cluster.policies import CANARY, EVERY_PRESET, in_force
from tests.spec.policy.admission import CASES, admit


@contextmanager
def api_server(built: Mapping, folder, version: str):
    """Run an API server that emulates *version*, with the namespaces of the pods."""
    with ControlPlane(
        programs=built, state=folder, emulated_version=version
    ) as control_plane:
        api = ClusterApi(control_plane.kubeconfig)
        wait_until(lambda: api.exists(namespace("kube-system")), "first namespaces")
        for name in {case["pod"]["metadata"]["namespace"] for case in CASES}:
            if not name.startswith("kube-"):
                api.create(namespace(name))
        yield api


def admitted(api, pod):
    return settled(api.create(pod, dry_run=True).object)


def test_the_oldest_version_with_the_native_engine_runs_it(built, tmp_path):
    assert "native" == choose_engine("auto", cluster_version="1.36")

    pods = [case["pod"] for case in CASES]
    with api_server(built, tmp_path, "1.36") as api:
        before = [admitted(api, pod) for pod in pods]
        with in_force(api, EVERY_PRESET):
            after = [admitted(api, pod) for pod in pods]
            again = [admitted(api, pod) for pod in after]

    assert [admit(native_policies(EVERY_PRESET), pod) for pod in before] == after
    assert after == again


def test_the_version_before_does_not_know_the_policy(built, tmp_path):
    assert "kyverno" == choose_engine("auto", cluster_version="1.35")

    (policy, _) = native_policies(JobPolicySettings())
    with api_server(built, tmp_path, "1.35") as api:
        with pytest.raises(RefusedError) as caught:
            api.create(policy)
        untouched = admitted(api, CANARY)

    assert 404 == caught.value.status
    assert {"kubernetes_executor": "True"} == untouched["metadata"]["labels"]
