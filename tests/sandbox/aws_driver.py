"""
Drives the AWS plugin without an engine: a program of one resource after another.

The local AWS is moto behind HTTP, in this process.
"""

import asyncio
import contextlib
import json
import logging
import os
import urllib.request
from collections.abc import Generator
from typing import Any
from unittest import mock

from moto.server import ThreadedMotoServer
from pulumi.provider.experimental import provider as rpc

from sandbox.aws import moto_fixes
from sandbox.aws.journal import Journal
from sandbox.aws.provider import AwsProvider
from sandbox.wire import plain_map, wrap_map

REGION = "ap-northeast-2"
# One for all calls: at the end of each its own would look through all tasks there were.
LOOP = asyncio.new_event_loop()
EC2, EKS, PODS = (f"{name}.amazonaws.com" for name in ("ec2", "eks", "pods.eks"))


@contextlib.contextmanager
def served() -> Generator["Account"]:
    """Serve an empty account, and the plugin configured for it."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    moto_fixes.apply()
    server = ThreadedMotoServer(port=0, verbose=False)
    with mock.patch.dict(os.environ, moto_fixes.SETTINGS):
        server.start()
        _, port = server.get_host_and_port()
        url = f"http://127.0.0.1:{port}"
        try:
            reset = urllib.request.Request(f"{url}/moto-api/reset", method="POST")
            urllib.request.urlopen(reset).close()
            yield Account(url)
        finally:
            server.stop()


class RefusedInputsError(Exception):
    """What `check` found wrong, as pairs of property and reason."""


class Account:
    """
    The plugin, and the account that it works on.

    Args:
        url: Address of moto.
        settings: Settings of the provider.
    """

    def __init__(self, url: str, **settings: str) -> None:
        self.url = url
        self.provider = AwsProvider(url)
        configured = {"region": REGION, **settings}
        run(
            self.provider.configure(
                rpc.ConfigureRequest({}, wrap_map(configured), True, True)
            )
        )

    def client(self, service: str) -> Any:
        return self.provider._cloud(REGION).client(service)

    @property
    def journal(self) -> Journal:
        return Journal(self.provider._cloud(REGION))

    def create(self, token: str, name: str, /, **inputs: Any) -> "Made":
        made = Made(self, token, name)
        made.create(inputs)
        return made

    def check(self, token: str, name: str, olds: Any = None, /, **inputs: Any) -> Any:
        answer = run(
            self.provider.check(
                rpc.CheckRequest(
                    urn(token, name),
                    wrap_map(olds or {}),
                    wrap_map(inputs),
                    os.urandom(32),
                )
            )
        )
        if answer.failures:
            raise RefusedInputsError([(f.property, f.reason) for f in answer.failures])
        return plain_map(answer.inputs)

    def preview(self, token: str, name: str, /, **inputs: Any) -> Any:
        checked = self.check(token, name, **inputs)
        request = rpc.CreateRequest(urn(token, name), wrap_map(checked), 0, True)
        return plain_map(run(self.provider.create(request)).properties)

    def invoke(self, token: str, /, **args: Any) -> Any:
        answer = run(self.provider.invoke(rpc.InvokeRequest(token, wrap_map(args))))
        if answer.failures:
            raise RefusedInputsError([(f.property, f.reason) for f in answer.failures])
        return plain_map(answer.return_value)


class Made:
    """One resource, with what an engine would keep of it."""

    def __init__(self, account: Account, token: str, name: str) -> None:
        self.account, self.token, self.name = account, token, name
        self.provider = account.provider
        self.id = ""
        self.program: Any = {}
        self.inputs: Any = {}
        self.state: Any = {}

    def create(self, program: Any) -> None:
        self.program = program
        self.inputs = self.account.check(self.token, self.name, **program)
        answer = run(
            self.provider.create(
                rpc.CreateRequest(self.urn, wrap_map(self.inputs), 0, False)
            )
        )
        self.id, self.state = answer.resource_id, plain_map(answer.properties)

    @property
    def urn(self) -> str:
        return urn(self.token, self.name)

    def diff(self, ignore: tuple[str, ...] = (), **changes: Any) -> rpc.DiffResponse:
        """Compare with the same program, but for some inputs; None leaves one out."""
        checked = self._checked(changes)
        return run(
            self.provider.diff(
                rpc.DiffRequest(
                    self.urn,
                    self.id,
                    wrap_map(self.state),
                    wrap_map(checked),
                    list(ignore),
                )
            )
        )

    def kinds(self, **changes: Any) -> dict[str, str]:
        """Return what would change, and how."""
        found = self.diff(**changes).detailed_diff
        return {path: change.kind.name for path, change in found.items()}

    def update(self, **changes: Any) -> None:
        checked = self._checked(changes)
        self.state = self._updated(checked, preview=False)
        self.program = self._program(changes)
        self.inputs = checked

    def preview(self, **changes: Any) -> Any:
        return self._updated(self._checked(changes), preview=True)

    def refresh(self) -> dict[str, tuple[Any, Any]]:
        """Take over what is there; return what was different, before and after."""
        answer = run(
            self.provider.read(
                rpc.ReadRequest(
                    self.urn, self.id, wrap_map(self.state), wrap_map(self.inputs)
                )
            )
        )
        if not answer.resource_id:
            return {"id": (self.id, None)}
        before, self.state = self.state, plain_map(answer.properties)
        self.inputs = plain_map(answer.inputs)
        return {
            name: (before.get(name), self.state.get(name))
            for name in sorted({*before, *self.state})
            if before.get(name) != self.state.get(name)
        }

    def delete(self) -> None:
        request = rpc.DeleteRequest(self.urn, self.id, wrap_map(self.state), 0)
        run(self.provider.delete(request))

    def _program(self, changes: Any) -> Any:
        merged = {**self.program, **changes}
        return {key: value for key, value in merged.items() if value is not None}

    def _checked(self, changes: Any) -> Any:
        program = self._program(changes)
        return self.account.check(self.token, self.name, self.inputs, **program)

    def _updated(self, checked: Any, *, preview: bool) -> Any:
        request = rpc.UpdateRequest(
            self.urn,
            self.id,
            wrap_map(self.state),
            wrap_map(checked),
            0,
            [],
            preview,
        )
        return plain_map(run(self.provider.update(request)).properties)


def run(awaitable: Any) -> Any:
    """Wait for an answer of the plugin."""
    return LOOP.run_until_complete(awaitable)


def urn(token: str, name: str) -> str:
    """Return the URN of a resource below a component."""
    return f"urn:pulumi:test::eks-jobs::eks-jobs:index:JobNodes${token}::{name}"


def trust(service: str) -> str:
    """Return a policy that lets a service take a role."""
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": service},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def policy(action: str) -> str:
    """Return a policy of one statement."""
    statement = {"Effect": "Allow", "Action": action, "Resource": "*"}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})
