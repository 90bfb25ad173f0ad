"""Programs beside a control plane, which say over HTTP when they are ready."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sandbox.processes import HOST, start, stop
from sandbox.readiness import answers, wait_until_ready

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
    scheme = "http" if authority is None else "https"
    url = f"{scheme}://{HOST}:{port}/readyz"
    process = start(program, arguments, log, environ)
    try:
        wait_until_ready(
            program.name,
            lambda: answers(url, authority),
            {program.name: (process, log)},
            _READY_SECONDS,
        )
        yield
    finally:
        stop(process)
