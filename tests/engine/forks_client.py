"""
Stands for a program that is a fork of the server of `forks`, for whoever waits for it.

Run as `python -IS forks_client.py SOCKET PYTHON *ARGUMENTS`, with few imports: it is
started for each program.
"""

import marshal
import os
import signal
import sys

SCRIPT = "pulumi-language-python-exec"
MODULES = ("pip", "sandbox.aws", "sandbox.eks", "sandbox.kubernetes")
PASSED_ON = (signal.SIGINT, signal.SIGTERM)


def main(address: str, python: str, *arguments: str) -> None:
    """Have what Pulumi runs forked, and become the interpreter for anything else."""
    first, second = (*arguments, "", "")[:2]
    if os.path.basename(first) != SCRIPT and not (first == "-m" and second in MODULES):
        os.execv(python, [python, *arguments])
    status = forked(address, (python, os.getcwd(), list(arguments), {**os.environb}))
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        for number in PASSED_ON:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def forked(address: str, request: tuple) -> int:
    """Return the status that the fork ended with, as `os.wait` gives it."""
    # Not for what becomes the interpreter.
    import socket

    with socket.socket(socket.AF_UNIX) as server:
        for number in PASSED_ON:
            signal.signal(number, lambda number, _: server.send(bytes([number])))
        server.connect(address)
        text = marshal.dumps(request)
        socket.send_fds(server, [len(text).to_bytes(8)], (0, 1, 2))
        server.sendall(text)
        status = server.recv(4)
    if not status:
        sys.exit(f"{address}: the server of tests/engine/forks.py has ended")
    return int.from_bytes(status)


if __name__ == "__main__":
    main(*sys.argv[1:])
