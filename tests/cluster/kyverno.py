"""Kyverno without a cluster: its CLI, and the CRDs that travel in its module."""

import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from sandbox.control_plane_tools import kyverno_module
from tests.spec.policy.admission import decoded

__all__ = ["apply", "crd"]

_CRDS = {
    "MutatingPolicy": "policies.kyverno.io/policies.kyverno.io_mutatingpolicies.yaml",
    "ClusterPolicy": "kyverno/kyverno.io_clusterpolicies.yaml",
}


def crd(kind: str) -> dict[str, Any]:
    """Return a CustomResourceDefinition of Kyverno, from the module cache."""
    folder = kyverno_module(os.environ) / "config" / "crds"
    return yaml.safe_load((folder / _CRDS[kind]).read_text())


def apply(
    program: Path,
    folder: Path,
    policies: Iterable[Mapping[str, Any]],
    pods: Iterable[Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """
    Return what the CLI makes of pods by their names; the others it leaves alone.

    The CLI hands every policy the pods as they were, Kyverno as the one before left
    them: so each policy has a run of its own.

    Args:
        program: The CLI.
        folder: An empty folder.
        policies: Policies of one engine.
        pods: Pods with names of their own.
    """
    current = {pod["metadata"]["name"]: decoded(pod) for pod in pods}
    changed: dict[str, dict[str, Any]] = {}
    for number, policy in enumerate(policies):
        run = folder / str(number)
        run.mkdir()
        changed |= _run(program, run, policy, (current | changed).values())
    return changed


def _run(
    program: Path,
    folder: Path,
    policy: Mapping[str, Any],
    pods: Iterable[Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    given = list(pods)
    names = sorted({pod["metadata"]["namespace"] for pod in given})
    values = {
        "apiVersion": "cli.kyverno.io/v1alpha1",
        "kind": "Values",
        "metadata": {"name": "values"},
        "namespaceSelector": [
            {"name": name, "labels": {"kubernetes.io/metadata.name": name}}
            for name in names
        ],
        "globalValues": {"request.operation": "CREATE"},
    }
    out = folder / "out"
    out.mkdir()
    (folder / "policy.yaml").write_text(yaml.safe_dump(policy))
    (folder / "pods.yaml").write_text(yaml.safe_dump_all(given))
    (folder / "values.yaml").write_text(yaml.safe_dump(values))
    done = subprocess.run(
        [program, "apply", "policy.yaml", "--resource", "pods.yaml"]
        + ["--output", "out", "--values-file", "values.yaml"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    written = [
        pod
        for file in sorted(out.iterdir())
        for pod in yaml.safe_load_all(file.read_text())
        if pod
    ]
    assert len(written) == len({pod["metadata"]["name"] for pod in written})
    return {pod["metadata"]["name"]: decoded(pod) for pod in written}
