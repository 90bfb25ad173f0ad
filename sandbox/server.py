"""
The local AWS: moto behind one port of 127.0.0.1, in a process that stays.

`python -m sandbox.server` binds a free port, detaches, and returns when it answers.
What it holds lives in its memory. It ends when it is told to, or by itself when its
`server.json` is gone or names another process.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sandbox.environment import Layout
from sandbox.lent import lend

__all__ = ["IDENTITY_PATH", "NETWORK_PATH", "main"]

IDENTITY_PATH = "/sandbox/identity"
NETWORK_PATH = "/sandbox/network"
_WATCH_SECONDS = 1.0

_StartResponse = Callable[..., Any]


def main() -> None:
    """Start a server for the state folder of the environment."""
    layout = Layout.of(os.environ)
    layout.state.mkdir(parents=True, exist_ok=True)
    server = _bind(layout.state)
    _detach(layout.server_log, lambda: _announce(layout, server.server_port))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    threading.Thread(target=_watch, args=(layout,), daemon=True).start()
    server.serve_forever()


def _bind(state: Path) -> Any:
    from sandbox.aws import moto_fixes

    os.environ.update(moto_fixes.SETTINGS)

    from moto.moto_server import werkzeug_app
    from werkzeug.serving import make_server

    moto_fixes.apply()
    moto = werkzeug_app.DomainDispatcherApplication(werkzeug_app.create_backend_app)
    return make_server(
        "127.0.0.1",
        0,
        _extended(moto, state),
        threaded=True,
        request_handler=werkzeug_app.MotoRequestHandler,
    )


def _extended(moto: Any, state: Path) -> Any:
    """Add to AWS who this is, to tell it from a stranger, and networks of others."""

    def identity(_: dict[str, Any]) -> dict[str, Any]:
        return {"pid": os.getpid(), "state": str(state)}

    def network(environ: dict[str, Any]) -> dict[str, Any]:
        length = int(environ["CONTENT_LENGTH"])
        lend(**json.loads(environ["wsgi.input"].read(length)))
        return {}

    own = {IDENTITY_PATH: identity, NETWORK_PATH: network}

    def application(
        environ: dict[str, Any], start_response: _StartResponse
    ) -> Iterable[bytes]:
        if environ["PATH_INFO"] in own:
            answer = own[environ["PATH_INFO"]](environ)
            start_response("200 OK", [("Content-Type", "application/json")])
            return [json.dumps(answer).encode()]
        return moto.get_application(environ)(environ, start_response)

    return application


def _detach(log: Path, ready: Callable[[], None]) -> None:
    """Go on in a child of its own session; the parent ends when *ready* has run."""
    read, write = os.pipe()
    if os.fork():
        os.close(write)
        started = os.read(read, 1)
        os._exit(0 if started else 1)
    os.close(read)
    os.setsid()
    ready()
    os.write(write, b"1")
    os.close(write)
    with Path(os.devnull).open("rb") as nothing, log.open("ab") as output:
        os.dup2(nothing.fileno(), 0)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)


def _announce(layout: Layout, port: int) -> None:
    draft = layout.server.with_suffix(".draft")
    draft.write_text(json.dumps({"pid": os.getpid(), "port": port}))
    draft.rename(layout.server)


def _watch(layout: Layout) -> None:
    """End the process when the state folder no longer speaks of it."""
    while _is_announced(layout):
        time.sleep(_WATCH_SECONDS)
    os._exit(0)


def _is_announced(layout: Layout) -> bool:
    try:
        return json.loads(layout.server.read_text())["pid"] == os.getpid()
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    main()
