"""Waits for programs that say over HTTP when they are ready."""

import ssl
import subprocess
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from sandbox.processes import tail

__all__ = ["ControlPlaneError", "answers", "wait_until_ready"]


class ControlPlaneError(Exception):
    """A program of the control plane did not start; the text holds its log."""


def wait_until_ready(
    name: str,
    is_ready: Callable[[], bool],
    programs: Mapping[str, tuple[subprocess.Popen[bytes], Path]],
    seconds: float,
) -> None:
    """
    Wait for a program, and give up when one that it needs has ended.

    Args:
        name: The program.
        is_ready: Tells whether it is.
        programs: It and those that it needs, each with its log, by name.
        seconds: How long it may take.

    Raises:
        ControlPlaneError: One ended early, or the program was not ready in that time.
    """
    end = time.monotonic() + seconds
    while not is_ready():
        for other, (process, log) in programs.items():
            if process.poll() is not None:
                raise ControlPlaneError(
                    f"{other} ended with {process.returncode}:\n{tail(log)}"
                )
        if time.monotonic() > end:
            raise ControlPlaneError(
                f"{name} was not ready in {seconds} s:\n{tail(programs[name][1])}"
            )
        time.sleep(0.1)


def answers(
    url: str, authority: Path | None = None, headers: Mapping[str, str] | None = None
) -> bool:
    """
    Tell whether a program of this machine answers with success.

    Args:
        url: What to ask it.
        authority: Certificate of who signed that of the program, where it has one.
        headers: What to send.
    """
    # A proxy of the shell would be asked for a program of this machine.
    handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
    try:
        if authority is not None:
            trust = ssl.create_default_context(cafile=authority)
            handlers.append(urllib.request.HTTPSHandler(context=trust))
        request = urllib.request.Request(url, headers=dict(headers or {}))
        with urllib.request.build_opener(*handlers).open(request, timeout=2):
            return True
    except OSError:
        return False
