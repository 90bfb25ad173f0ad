"""A stack that is the part of the sandbox stack which a cluster alone can hold."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sandbox.environment import ROOT, Layout, for_pulumi
from sandbox.tools import pulumi_folder
from tests.engine import forks

PROJECT = """
name: policy
runtime: {{name: python, options: {{toolchain: pip, virtualenv: {venv}}}}}
"""
# The module `local` of every program: the control plane as a cluster.
LOCAL = """
from pathlib import Path

import pulumi_kubernetes as kubernetes

from components import ClusterFacts

provider = kubernetes.Provider("cluster", kubeconfig=Path("kubeconfig").read_text())


def cluster(version):
    return ClusterFacts(
        name="local",
        endpoint="https://127.0.0.1",
        certificate_authority="Y2E=",
        service_cidr="10.96.0.0/16",
        security_group_id="sg-none",
        vpc_id="vpc-none",
        subnet_ids=["subnet-none"],
        version=version,
        provider=provider,
    )
"""
PROGRAM = """
from pathlib import Path

import pulumi

from components import JobPolicy, JobPolicyArgs, JobPolicySettings
from components.storage import StorageArgs, _storage_class
from infra.settings import load_file
from local import cluster

stack = load_file(Path("checkout"), "sandbox")
first = pulumi.Config().get_bool("first")
facts = cluster(stack.cluster.version)
JobPolicy(
    "platform-policy",
    JobPolicyArgs(
        cluster=facts,
        settings=JobPolicySettings(packing="none") if first else stack.policy,
        servers=stack.servers,
        jobs=stack.jobs,
        scheduler=stack.cluster.scheduler,
    ),
)
# The rest of `Storage` is at AWS.
_storage_class(
    "platform-storage", StorageArgs(cluster=facts), pulumi.ResourceOptions()
)
"""


@dataclass(frozen=True, kw_only=True)
class Run:
    """
    One command.

    Args:
        code: Exit status.
        text: What it said.
    """

    code: int
    text: str

    @property
    def steps(self) -> dict[str, str]:
        """What a preview would do, by type and name; without what stays."""
        assert self.code == 0, self.text
        planned = json.loads(self.text[self.text.index("{") :])["steps"]
        return {
            step["urn"].split("::", 2)[2].rpartition("$")[2]: step["op"]
            for step in planned
            if step["op"] not in ("same", "refresh")
        }


class PolicyStack:
    """
    The real engine and the real provider, sealed off from all but a control plane.

    Args:
        folder: An empty folder for the project and its state.
        provider: The program of the real provider.
        kubeconfig: How to reach the control plane.
        program: What is deployed.
    """

    def __init__(
        self, folder: Path, provider: Path, kubeconfig: Path, program: str = PROGRAM
    ) -> None:
        self._folder = folder
        layout = Layout(state=folder / "state")
        layout.backend.mkdir(parents=True)
        temporary = folder / "temporary"
        temporary.mkdir()
        self._environ = {
            **for_pulumi(os.environ, layout, tools=pulumi_folder(os.environ), port=9),
            # The provider leaves a copy of each kubeconfig among temporary files.
            "TMPDIR": str(temporary),
        }
        plugin = f"resource-kubernetes-v{version('pulumi-kubernetes')}"
        plugins = layout.home / ".pulumi" / "plugins" / plugin
        plugins.mkdir(parents=True)
        (plugins / "pulumi-resource-kubernetes").symlink_to(provider)
        venv = forks.environment(folder / ".venv")
        self._environ["PATH"] = f"{venv}/bin{os.pathsep}{self._environ['PATH']}"
        (folder / "Pulumi.yaml").write_text(PROJECT.format(venv=venv))
        (folder / "__main__.py").write_text(program)
        (folder / "local.py").write_text(LOCAL)
        (folder / "kubeconfig").write_bytes(kubeconfig.read_bytes())
        for name, target in (
            ("components", "components"),
            ("infra", "infra"),
            ("checkout", "."),
        ):
            (folder / name).symlink_to((ROOT / target).resolve())
        self._run("stack", "init", "dev")

    def first(self, *, wanted: bool) -> None:
        """Choose between a policy that packs nothing and that of the sandbox stack."""
        self.choose("first", str(wanted).lower())

    def choose(self, key: str, value: str) -> None:
        """Set a key that the program reads."""
        self._run("config", "set", key, value, "--stack", "dev")

    def up(self) -> Run:
        """Deploy."""
        return self._run("up", "--yes", "--skip-preview", "--stack", "dev")

    def preview(self, *options: str) -> Run:
        """Show what `up` would do."""
        return self._run("preview", "--json", "--stack", "dev", *options)

    def destroy(self) -> Run:
        """Remove everything."""
        return self._run("destroy", "--yes", "--skip-preview", "--stack", "dev")

    def resources(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the resources in the state, by type and name."""
        exported = json.loads(self._run("stack", "export", "--stack", "dev").text)
        return {
            one["urn"].split("::", 2)[2].rpartition("$")[2]: one
            for one in exported["deployment"].get("resources", [])
        }

    def _run(self, *words: str) -> Run:
        command = shutil.which("pulumi", path=self._environ["PATH"])
        assert command is not None
        ended = subprocess.run(
            [command, *words, "--non-interactive"],
            cwd=self._folder,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return Run(code=ended.returncode, text=f"{ended.stdout}{ended.stderr}")
