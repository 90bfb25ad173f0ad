"""
Processes of Python that have the SDKs imported: that is half of what a program costs.

One for each process of the tests imports them. For each program and plugin it is
forked, and the fork is a process like any other then: with arguments, folder,
environment, files and modules of its own. But it is no child of whoever started it, so
tests that kill go without.
"""

import atexit
import gc
import importlib
import marshal
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).absolute().parent.parent.parent
CLIENT = Path(__file__).with_name("forks_client.py")
# With all that these import, but for what is of the checkout: a program may have links
# to it, and would not be where it is.
MODULES = (
    "infra.program",
    "sandbox.aws.serve",
    "sandbox.eks.provider",
    "sandbox.kubernetes.servicer",
    "boto3.s3.transfer",
    "grpc.experimental",
    "jsonschema",
    "kubernetes_validate.utils",
    "moto.ec2.models",
    "moto.eks.models",
    "moto.moto_server.werkzeug_app",
    "pip._internal.cli.main",
    "pip._internal.commands.list",
    "pip._internal.metadata.importlib",
    "pulumi_aws.autoscaling",
    "pulumi_aws.cloudwatch",
    "pulumi_aws.ec2",
    "pulumi_aws.eks",
    "pulumi_aws.iam",
    "pulumi_aws.kms",
    "pulumi_aws.sqs",
    "pulumi_aws.ssm",
    "pulumi_aws.vpc",
    "pulumi_kubernetes.admissionregistration.v1",
    "pulumi_kubernetes.core.v1",
    "pulumi_kubernetes.helm.v3",
    "pulumi_kubernetes.storage.v1",
)
OF_CHECKOUT = ("components", "infra", "sandbox")


def environment(folder: Path) -> Path:
    """
    Make a virtual environment equal to that of the tests, of which programs are forks.

    Elsewhere than on Linux it is that of the tests, and nothing is forked.

    Args:
        folder: Where; nothing is there yet.

    Returns:
        The folder.
    """
    if sys.platform != "linux":
        folder.symlink_to(sys.prefix)
        return folder
    programs = folder / "bin"
    programs.mkdir(parents=True)
    for name in ("lib", "pyvenv.cfg"):
        (folder / name).symlink_to(Path(sys.prefix) / name)
    plain = programs / "python-itself"
    plain.symlink_to(os.path.realpath(sys.executable))
    for name in ("python", "python3"):
        launcher = programs / name
        launcher.write_text(
            f'#!/bin/sh\nexec "{plain}" -IS "{CLIENT}" "{_server()}" "{plain}" "$@"\n'
        )
        launcher.chmod(0o755)
    return folder


def checkout(folder: Path) -> Path:
    """Make a checkout, of links, with such an environment; return the folder."""
    folder.mkdir()
    for name in OF_CHECKOUT:
        (folder / name).symlink_to(ROOT / name)
    environment(folder / ".venv")
    return folder


@cache
def _server() -> str:
    """Start what is forked, which ends with this process; return where it listens."""
    path = f"{tempfile.mkdtemp(prefix='forks-')}/socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        server = subprocess.Popen(
            [sys.executable, __file__, str(listener.fileno()), path],
            stdin=subprocess.PIPE,
            pass_fds=(listener.fileno(),),
        )
    atexit.register(server.communicate)
    return path


@dataclass(frozen=True, kw_only=True)
class Fork:
    """A program at work, for the client that waits for it."""

    process: int
    ended: int
    client: socket.socket


class Server:
    """
    Forks for each client, passes signals on, and says how the fork ended.

    Args:
        listener: Where clients come.
    """

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._selector = selectors.DefaultSelector()
        for source in (listener, sys.stdin):
            self._selector.register(source, selectors.EVENT_READ)

    def serve(self) -> bytes | None:
        """Return a request in the fork that is for it; None when the tests are over."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    return None
                if key.fileobj is self._listener:
                    if request := self._accept():
                        return request
                elif key.fileobj == key.data.ended:
                    self._end(key.data)
                else:
                    self._pass_on(key.data)

    def _accept(self) -> bytes | None:
        client, _ = self._listener.accept()
        length, files, _, _ = socket.recv_fds(client, 8, 3)
        request = client.recv(int.from_bytes(length), socket.MSG_WAITALL)
        # Nothing comes from a client that was killed at once.
        process = os.fork() if request else None
        if process == 0:
            client.close()
            self._leave(files)
            return request
        for file in files:
            os.close(file)
        if process is None:
            client.close()
            return None
        fork = Fork(process=process, ended=os.pidfd_open(process), client=client)
        for source in (fork.ended, client):
            self._selector.register(source, selectors.EVENT_READ, fork)
        return None

    def _leave(self, files: Sequence[int]) -> None:
        """Let go of what is the server's, and take the files of the client."""
        for key in list(self._selector.get_map().values()):
            if isinstance(key.fileobj, socket.socket):
                key.fileobj.close()
            elif isinstance(key.fileobj, int):
                os.close(key.fileobj)
        self._selector.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)

    def _end(self, fork: Fork) -> None:
        _, status = os.waitpid(fork.process, 0)
        self._selector.unregister(fork.ended)
        os.close(fork.ended)
        if fork.client.fileno() >= 0:
            # Not if the client is killed in this moment.
            with suppress(BrokenPipeError):
                fork.client.send(status.to_bytes(4))
            self._forget(fork.client)

    def _pass_on(self, fork: Fork) -> None:
        """Send the signal that the client got; if it was killed, kill."""
        # It may have ended in the same moment.
        if fork.client.fileno() < 0:
            return
        number = fork.client.recv(1)
        os.kill(fork.process, number[0] if number else signal.SIGKILL)
        if not number:
            self._forget(fork.client)

    def _forget(self, client: socket.socket) -> None:
        self._selector.unregister(client)
        client.close()


def prepare() -> None:
    """Import what programs import."""
    # Looking for garbage among the classes of the SDKs takes as long as to import them.
    gc.disable()
    sys.path.insert(0, str(ROOT))
    for name in MODULES:
        # The SDKs load a module once something of it is asked for.
        hasattr(importlib.import_module(name), "__all__")
    sys.path.remove(str(ROOT))
    for name in list(sys.modules):
        if name.partition(".")[0] in OF_CHECKOUT:
            del sys.modules[name]
    gc.freeze()
    gc.enable()


def become(python: str, folder: str, arguments: list[str], environ: dict) -> None:
    """Run `python *arguments`: `-m module ...` or `script ...`."""
    sys.executable = python
    os.chdir(folder)
    os.environb.clear()
    os.environb.update(environ)
    if path := os.environ.get("PYTHONPATH"):
        sys.path[1:1] = path.split(os.pathsep)
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path[0] = folder
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path[0] = os.path.dirname(arguments[0])
        runpy.run_path(arguments[0], run_name="__main__")


def status_of(program: Callable[[], None]) -> int:
    """Run a program, and return what the interpreter would exit with."""
    try:
        program()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def leave(status: int) -> NoReturn:
    """Exit without taking the SDKs apart, which takes as long as to import them."""
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.current_thread():
            thread.join()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def main(listener: int, path: str) -> None:
    """Serve until the tests are over."""
    prepare()
    with socket.socket(fileno=listener) as listening:
        request = Server(listening).serve()
    if request:
        leave(status_of(lambda: become(*marshal.loads(request))))
    os.unlink(path)
    os.rmdir(os.path.dirname(path))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
