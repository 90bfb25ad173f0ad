"""The life of the local AWS, seen from outside: find, start, stop, and its port."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from typing import TYPE_CHECKING

from sandbox.environment import ROOT, Layout
from sandbox.server import IDENTITY_PATH, NETWORK_PATH

if TYPE_CHECKING:
    from sandbox.aws.cloud import Cloud

__all__ = ["Account", "AccountError", "cloud", "find", "lend", "start", "stop"]

_ANSWER_SECONDS = 5.0
_STOP_SECONDS = 10.0


class AccountError(Exception):
    """The local AWS did not start or did not stop; the text says what it said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Account:
    """
    A local AWS that answers.

    Args:
        pid: Its process.
        port: Its port on 127.0.0.1.
    """

    pid: int
    port: int


def find(layout: Layout) -> Account | None:
    """Return the account of this state folder, or None if none answers."""
    try:
        noted = json.loads(layout.server.read_text())
        account = Account(pid=noted["pid"], port=noted["port"])
        answer = _ask(account, IDENTITY_PATH)
    except (OSError, HTTPException, ValueError, LookupError, TypeError):
        return None
    expected = {"pid": account.pid, "state": str(layout.state)}
    return account if answer == expected else None


def start(layout: Layout, environ: Mapping[str, str]) -> Account:
    """
    Start an empty account.

    Raises:
        AccountError: It did not answer.
    """
    layout.server.unlink(missing_ok=True)
    started = subprocess.run(
        [sys.executable, "-m", "sandbox.server"],
        cwd=ROOT,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    account = find(layout)
    if account is None:
        said = (started.stdout + started.stderr).strip()
        raise AccountError(
            f"the local AWS did not start, log {layout.server_log}\n{said}"
        )
    return account


def stop(layout: Layout) -> None:
    """
    End the account, if it runs; what it held is gone.

    Raises:
        AccountError: It still answers.
    """
    account = find(layout)
    if account is None:
        return
    os.kill(account.pid, signal.SIGTERM)
    deadline = time.monotonic() + _STOP_SECONDS
    while find(layout):
        if time.monotonic() > deadline:
            raise AccountError(f"the local AWS, process {account.pid}, does not end")
        time.sleep(0.05)
    layout.server.unlink(missing_ok=True)


def cloud(local: Account, region: str) -> "Cloud":
    """
    Return clients of the account.

    The settings of the real one leave the environment of this process: boto3 would
    stumble over a profile that is not there.
    """
    # Loads boto3, which takes longer than all else: only when it is wanted.
    from sandbox.aws.cloud import Cloud, forget_real_account

    forget_real_account(os.environ)
    return Cloud(f"http://127.0.0.1:{local.port}", region)


def lend(
    local: Account, *, region: str, vpc_id: str, subnet_ids: Sequence[str]
) -> None:
    """Let a network of others exist in the account, see `lent`."""
    network = {"region": region, "vpc_id": vpc_id, "subnet_ids": list(subnet_ids)}
    _ask(local, NETWORK_PATH, json.dumps(network).encode())


def _ask(local: Account, path: str, body: bytes | None = None) -> object:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    url = f"http://127.0.0.1:{local.port}{path}"
    with opener.open(url, data=body, timeout=_ANSWER_SECONDS) as answer:
        return json.load(answer)
