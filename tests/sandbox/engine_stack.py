"""A small project on the real engine, with the plugins of the sandbox."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.environment import Layout, for_pulumi
from sandbox.standins import install
from sandbox.tools import pulumi_folder
from tests.engine import forks

HERE = Path(__file__).parent
PROJECT = """
name: project
runtime: {{name: python, options: {{toolchain: pip, virtualenv: {venv}}}}}
"""


@dataclass(frozen=True, kw_only=True)
class Run:
    code: int
    text: str


class EngineStack:
    """
    One stack in a folder of its own.

    The AWS plugin is the echo of `data/echo_aws.py`, which takes whatever it is given.

    Args:
        folder: For the project, its state and the state of the sandbox.
        program: Text of `__main__.py`.
    """

    def __init__(self, folder: Path, program: str) -> None:
        self.folder = folder
        self.layout = Layout(state=folder / "state")
        self.layout.backend.mkdir(parents=True)
        self._environ = for_pulumi(
            os.environ, self.layout, tools=pulumi_folder(os.environ), port=9
        )
        # No local AWS runs here, so every cluster counts as reachable.
        del self._environ["AWS_ENDPOINT_URL"]
        venv = forks.environment(folder / ".venv")
        (folder / "Pulumi.yaml").write_text(PROJECT.format(venv=venv))
        self._environ["PATH"] = f"{venv}/bin{os.pathsep}{self._environ['PATH']}"
        self.write(program)
        install(self.layout)
        self._echo(venv)
        self.run("stack", "init", "dev")

    def _echo(self, venv: Path) -> None:
        (launcher,) = self.layout.home.rglob("pulumi-resource-aws")
        echo = HERE / "data" / "echo_aws.py"
        launcher.write_text(f'#!/bin/sh\nexec "{venv}/bin/python" "{echo}" "$@"\n')

    def write(self, program: str) -> None:
        """Change the program."""
        (self.folder / "__main__.py").write_text(program)

    def run(self, *words: str) -> Run:
        command = shutil.which("pulumi", path=self._environ["PATH"])
        assert command is not None
        ended = subprocess.run(
            [command, *words, "--non-interactive"],
            cwd=self.folder,
            env=self._environ,
            capture_output=True,
            text=True,
            check=False,
        )
        return Run(code=ended.returncode, text=f"{ended.stdout}{ended.stderr}")

    def up(self) -> dict[str, Any]:
        """Deploy without a preview, and return the outputs."""
        done = self.run("up", "--yes", "--skip-preview", "--stack", "dev")
        assert done.code == 0, done.text
        shown = self.run("stack", "output", "--json", "--show-secrets", "-s", "dev")
        return json.loads(shown.text)

    def steps(self, *words: str) -> dict[str, str]:
        """Return what a preview would do, by the end of the URN; without what stays."""
        done = self.run("preview", "--json", "--stack", "dev", *words)
        assert done.code == 0, done.text
        planned = json.loads(done.text[done.text.index("{") :])["steps"]
        return {
            step["urn"].split("::", 2)[2]: step["op"]
            for step in planned
            if step["op"] in ("create", "update", "replace", "delete")
        }

    def resources(self) -> Mapping[str, Mapping[str, Any]]:
        """Return the inputs in the state, by the end of the URN."""
        exported = json.loads(self.run("stack", "export", "--stack", "dev").text)
        return {
            resource["urn"].split("::", 2)[2]: resource.get("inputs", {})
            for resource in exported["deployment"].get("resources", [])
        }
