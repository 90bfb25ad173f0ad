"""Programs that run in the background, each with a log of its own."""

import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path

from sandbox import orphan

__all__ = ["HOST", "free_ports", "start", "stop", "tail"]

HOST = "127.0.0.1"
"""Where everything listens: nobody but this machine reaches it."""

_STOP_SECONDS = 10
_LOG_LINES = 20

# By the programs that they watch; a guard without its program is killed.
_guards: dict[int, subprocess.Popen[bytes]] = {}


def start(
    program: Path,
    arguments: tuple[str, ...],
    log: Path,
    environ: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """
    Start a program in the folder of its log; it does not outlive this process.

    Args:
        program: The file to run.
        arguments: Its arguments.
        log: File that receives everything that it says.
        environ: Its environment, None for that of this process.
    """
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(program), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            env=environ,
        )
    _guards[process.pid] = orphan.guard(process.pid)
    return process


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a program; one that does not listen is killed."""
    process.terminate()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    with _guards.pop(process.pid) as watching:
        watching.kill()


def tail(log: Path) -> str:
    """Return the last lines of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-_LOG_LINES:])


def free_ports(count: int) -> tuple[int, ...]:
    """Find ports that nobody listens on; held together, so that they differ."""
    listeners = [socket.create_server((HOST, 0)) for _ in range(count)]
    ports = tuple(listener.getsockname()[1] for listener in listeners)
    for listener in listeners:
        listener.close()
    return ports
