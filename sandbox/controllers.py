"""Programs beside a control plane, which say over HTTP when they are ready."""

import ssl
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sandbox.control_plane import ControlPlaneError
from sandbox.processes import HOST, start, stop, tail

__all__ = ["running"]

_READY_SECONDS = 60


@contextmanager
def running(
    program: Path,
    arguments: tuple[str, ...],
    log: Path,
    port: int,
    environ: Mapping[str, str] | None = None,
    authority: Path | None = None,
) -> Generator[None]:
    """
    Run a program until the block ends, come what may.

    Args:
        program: The file to run.
        arguments: Its arguments.
        log: File that receives everything that it says.
        port: Where it answers `/readyz`.
        environ: Its environment, None for that of this process.
        authority: Certificate of who signed that of the program, which then answers
            over TLS. None is plain HTTP.

    Raises:
        ControlPlaneError: It ended early or was not ready in a minute.
    """
    process = start(program, arguments, log, environ)
    try:
        _wait_until_ready(process, program.name, log, port, authority)
        yield
    finally:
        stop(process)


def _wait_until_ready(
    process: subprocess.Popen[bytes],
    name: str,
    log: Path,
    port: int,
    authority: Path | None,
) -> None:
    end = time.monotonic() + _READY_SECONDS
    while not _is_ready(port, authority):
        if process.poll() is not None:
            raise ControlPlaneError(
                f"{name} ended with {process.returncode}:\n{tail(log)}"
            )
        if time.monotonic() > end:
            raise ControlPlaneError(
                f"{name} was not ready in {_READY_SECONDS} s:\n{tail(log)}"
            )
        time.sleep(0.1)


def _is_ready(port: int, authority: Path | None) -> bool:
    handlers: list[urllib.request.BaseHandler] = [urllib.request.ProxyHandler({})]
    if authority is not None:
        trust = ssl.create_default_context(cafile=authority)
        handlers.append(urllib.request.HTTPSHandler(context=trust))
    scheme = "http" if authority is None else "https"
    direct = urllib.request.build_opener(*handlers)
    try:
        with direct.open(f"{scheme}://{HOST}:{port}/readyz", timeout=2):
            return True
    except (OSError, urllib.error.URLError):
        return False
