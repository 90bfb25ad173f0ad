"""A local AWS of its own, and a folder in which the Pulumi CLI itself is called."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import JSONDecoder
from pathlib import Path
from typing import Any

import boto3

from sandbox import account, standins
from sandbox.environment import Layout, for_pulumi, sealed
from sandbox.tools import pulumi_folder
from tests.engine.project import REGION, ROOT


@dataclass(frozen=True, kw_only=True)
class Done:
    """A command of the CLI: its status, and all that it said."""

    code: int
    text: str

    @property
    def document(self) -> Any:
        """The JSON that it printed, among its warnings."""
        return JSONDecoder().raw_decode(self.text, self.text.index("{"))[0]


class Place:
    """
    Where programs of others run: as in the sandbox, but not from this checkout.

    Args:
        folder: An empty folder; the program goes into `program` below it.
        path: Folders that come first on PATH.
    """

    def __init__(self, folder: Path, path: Sequence[Path] = ()) -> None:
        self.program = folder / "program"
        self.program.mkdir()
        self._layout = Layout(state=folder / "state")
        self._layout.home.mkdir(parents=True)
        self.account = account.start(self._layout, sealed(os.environ, self._layout))
        self._layout.backend.mkdir(parents=True, exist_ok=True)
        standins.install(self._layout)
        environ = for_pulumi(
            os.environ,
            self._layout,
            tools=pulumi_folder(os.environ),
            port=self.account.port,
        )
        first = [str(one) for one in path]
        self.environ = {
            **environ,
            "PATH": os.pathsep.join([*first, environ["PATH"]]),
            # No other program on PATH has the name of a stand-in.
            "PULUMI_IGNORE_AMBIENT_PLUGINS": "false",
            # No run of these is killed, and to save is most of what the CLI does.
            "PULUMI_SKIP_CHECKPOINTS": "true",
        }

    def write(self, name: str, text: str) -> None:
        """Write a file of the program."""
        (self.program / name).write_text(text)

    def take_plugins_from(self, checkout: Path) -> None:
        """Start the stand-ins with the virtual environment of another checkout."""
        for launcher in self._layout.home.rglob("pulumi-resource-*"):
            text = launcher.read_text()
            launcher.write_text(text.replace(f"{ROOT}/", f"{checkout}/"))

    def pulumi(self, *words: str) -> Done:
        """Call the CLI in the folder of the program."""
        return self.run("pulumi", *words, "--non-interactive")

    def run(self, *words: str) -> Done:
        """Run a program that is on PATH, in the folder of the Pulumi program."""
        # What is on PATH is that of the place, not of this process.
        found = shutil.which(words[0], path=self.environ["PATH"])
        done = subprocess.run(
            [found or words[0], *words[1:]],
            cwd=self.program,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return Done(code=done.returncode, text=done.stdout)

    def resources(self, stack: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the resources in the state by the end of their URN."""
        exported = self.pulumi("stack", "export", "--stack", stack).document
        resources = exported["deployment"].get("resources", ())
        return {one["urn"].split("::", 2)[2]: one for one in resources}

    def outputs(self, stack: str) -> Mapping[str, Any]:
        """Return the outputs of a stack."""
        return self.pulumi("stack", "output", "--json", "--stack", stack).document

    def client(self, service: str) -> Any:
        """Return a client of the local AWS."""
        return boto3.client(
            service,
            region_name=REGION,
            endpoint_url=f"http://127.0.0.1:{self.account.port}",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )

    def close(self) -> None:
        """End the local AWS."""
        account.stop(self._layout)


def script(folder: Path, name: str, module: Path, root: Path) -> Path:
    """Write a program called *name* that runs a module of this checkout."""
    folder.mkdir(exist_ok=True)
    file = folder / name
    text = f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" "{module}" "$@"\n'
    file.write_text(text)
    file.chmod(0o755)
    return file
