"""A project of links to this checkout, with stack files and a sandbox of its own."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import yaml

from sandbox import account, checkpoint
from sandbox.environment import Layout
from tests.engine import forks

ROOT = Path(__file__).absolute().parent.parent.parent
LINKS = ("__main__.py", "Pulumi.yaml", "components", "infra", "sandbox")
REGION = "ap-northeast-2"
STACK = "sandbox"

# Where resources of a group, of which the name is left out, stand in `Run.after`.
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate::platform-{}"
SCALED = "aws:autoscaling/group:Group::platform-{}"
MANAGED = "aws:eks/nodeGroup:NodeGroup::platform-{}"
CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass::platform-karpenter-{}"
POOL = "kubernetes:karpenter.sh/v1:NodePool::platform-karpenter-{}"

# As in the shell of somebody who deploys for real: the sandbox must not use them.
REAL = {
    "AWS_ACCESS_KEY_ID": "AKIAREAL",
    "AWS_SECRET_ACCESS_KEY": "real",
    "AWS_PROFILE": "production",
    "AWS_REGION": "eu-west-1",
    "PULUMI_ACCESS_TOKEN": "pul-real",
    "PULUMI_BACKEND_URL": "s3://real",
}

WAIT_SECONDS = 180
# The CLI prints dots from another thread than lines, and may set some before a line.
_DOTS = re.compile(r"@ \w+\.+")
_DONE = re.compile(r"^ *[-+~]+ +(\S+) (\S+) (created|updated|deleted|replaced)\b", re.M)


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A resource in the state: its id is what survives, or does not."""

    type: str
    name: str
    id: str
    inputs: Mapping[str, Any]


State = Mapping[str, Resource]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One command: its status, what it said, and the state before and after it."""

    code: int
    text: str
    before: State
    after: State

    @property
    def unchanged(self) -> bool:
        """Whether the CLI found nothing to do."""
        summary = self.text.rpartition("Resources:")[2].strip().splitlines()[0]
        return self.code == 0 and re.fullmatch(r"\d+ unchanged", summary) is not None

    def done(self, what: str) -> list[str]:
        """Return type and name of what was created, updated or deleted, in order."""
        found = _DONE.findall(self.text)
        return [f"{type_} {name}" for type_, name, how in found if how == what]

    @property
    def added(self) -> set[str]:
        """What is in the state only afterwards."""
        return self.after.keys() - self.before.keys()

    @property
    def removed(self) -> set[str]:
        """What is in the state only before."""
        return self.before.keys() - self.after.keys()

    @property
    def replaced(self) -> set[str]:
        """What has another id than before."""
        both = self.before.keys() & self.after.keys()
        return {key for key in both if self.before[key].id != self.after[key].id}

    @property
    def changed(self) -> dict[str, set[str]]:
        """The inputs that are not what they were, of what has kept its id."""
        found = {}
        for key in self.before.keys() & self.after.keys() - self.replaced:
            old, new = self.before[key].inputs, self.after[key].inputs
            names = {
                name
                for name in old.keys() | new.keys()
                if old.get(name) != new.get(name)
            }
            if names:
                found[key] = names
        return found


class Project:
    """
    A place to deploy from.

    Args:
        folder: An empty folder.
        saves: Whether the state is saved after each resource, which a run that does
            not end well needs, and which is most of what the CLI does.
        kills: Whether runs are killed, and not just refused or failing.
    """

    def __init__(
        self, folder: Path, *, saves: bool = False, kills: bool = False
    ) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        for name in LINKS:
            (self.root / name).symlink_to(ROOT / name)
        if kills:
            (self.root / ".venv").symlink_to(sys.prefix)
        else:
            forks.environment(self.root / ".venv")
        for file in ROOT.glob("Pulumi.*.yaml"):
            (self.root / file.name).write_bytes(file.read_bytes())
        self.layout = Layout(state=folder / "state")
        self.environ = {
            **os.environ,
            **REAL,
            "EKS_JOBS_SANDBOX": str(self.layout.state),
            "PULUMI_SKIP_CHECKPOINTS": "false" if saves else "true",
        }

    def edit(
        self, change: Callable[[dict[str, Any]], None], stack: str = STACK
    ) -> None:
        """Change the keys of a stack file; they are given without the namespace."""
        file = self.root / f"Pulumi.{stack}.yaml"
        config = yaml.safe_load(file.read_text())["config"]
        own = {key: key.removeprefix("eks-jobs:") for key in config}
        plain = {own[key]: value for key, value in config.items()}
        change(plain)
        full = {(k if ":" in k else f"eks-jobs:{k}"): v for k, v in plain.items()}
        file.write_text(yaml.safe_dump({"config": full}))

    def replace_program(self, text: str) -> None:
        """Run another program from now on."""
        program = self.root / "__main__.py"
        program.unlink()
        program.write_text(text)

    def run(self, command: str, stack: str = STACK) -> Run:
        """Run a command of the sandbox to its end."""
        before = self.state(stack)
        done = subprocess.run(
            self._command(command, stack),
            cwd=self.root,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        after = self.state(stack)
        text = without_dots(done.stdout)
        return Run(code=done.returncode, text=text, before=before, after=after)

    def kill(self, command: str, stack: str, mark: str) -> tuple[int, str]:
        """Run a command, kill the CLI once it said *mark*; return status and text."""
        log = self.layout.state.parent / "killed.log"
        with (
            log.open("w") as output,
            subprocess.Popen(
                self._command(command, stack),
                cwd=self.root,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            ) as runner,
        ):
            wait_until(lambda: mark in log.read_text() or runner.poll() is not None)
            assert runner.poll() is None, log.read_text()
            os.kill(json.loads(self.layout.lock.read_text())["cli"], 9)
            return runner.wait(), log.read_text()

    def state(self, stack: str = STACK) -> State:
        """Return the resources of a stack by the end of their URN."""
        if stack not in checkpoint.stacks(self.layout):
            return {}
        return {
            "::".join(resource["urn"].split("::")[2:]).rpartition("$")[2]: Resource(
                type=resource["type"],
                name=resource["urn"].split("::")[-1],
                id=resource.get("id", ""),
                inputs=resource.get("inputs", {}),
            )
            for resource in checkpoint.read(self.layout, stack).resources
        }

    def client(self, service: str) -> Any:
        """Return a client of the local AWS, as an autoscaler would have one."""
        local = account.find(self.layout)
        if local is None:
            raise LookupError("no local AWS runs")
        return boto3.client(
            service,
            region_name=REGION,
            endpoint_url=f"http://127.0.0.1:{local.port}",
            aws_access_key_id="test",
            aws_secret_access_key="test",
        )

    def behind(self, node_group: str) -> str:
        """Return the name of the Auto Scaling group behind a managed node group."""
        pages = self.client("autoscaling").get_paginator("describe_auto_scaling_groups")
        tag = {"Name": "tag:eks:nodegroup-name", "Values": [node_group]}
        (found,) = pages.paginate(Filters=[tag]).search("AutoScalingGroups[]")
        return found["AutoScalingGroupName"]

    def _command(self, command: str, stack: str) -> list[str]:
        python = self.root / ".venv" / "bin" / "python"
        return [str(python), "-m", "sandbox", command, "--stack", stack]


def without_dots(text: str) -> str:
    """Return what the CLI said, without the dots of its progress."""
    return _DOTS.sub("", text)


def group(keys: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the settings of a group."""
    groups = [*keys["servers"], *keys["jobs"]]
    (found,) = (each for each in groups if each["name"] == name)
    return found


def of(keys: Iterable[str], *types: str) -> set[str]:
    """Return the keys of a state that belong to resources of these types."""
    return {key for key in keys if key.split("::")[0] in types}


def smallest(keys) -> None:
    """Leave one group of each kind in the stack file of the sandbox."""
    keys["servers"], keys["jobs"] = keys["servers"][:1], keys["jobs"][:1]
    del keys["balloons"], keys["keda"], keys["monitoring"]
    keys["network"] = {"cidr": "10.42.0.0/16", "zones": 2}


def wait_until(condition: Callable[[], bool]) -> None:
    """
    Wait for something that another process does.

    Raises:
        TimeoutError: It was not done in three minutes.
    """
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.05)
