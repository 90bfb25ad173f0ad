"""Ends what was left behind: who is killed ends none of those that it started."""

import os
import subprocess
import threading
import time

__all__ = ["end_with_parent", "guard"]

_LOOK_SECONDS = 1.0
# What the plugin is doing is finished and noted first.
_GRACE_SECONDS = 5.0
# Nobody writes: the read returns when the other end is gone, with its process.
_GUARD = 'read -r _; kill "$0" && sleep 10 && kill -9 "$0"'


def guard(pid: int) -> subprocess.Popen[bytes]:
    """
    Have a program ended when this process is gone, `kill -9` included.

    Args:
        pid: The program, which knows nothing of it; kill the guard once it has ended.
    """
    return subprocess.Popen(
        ["sh", "-c", _GUARD, str(pid)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def end_with_parent() -> None:
    """Watch the process that started this plugin, its engine, from a thread."""
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    time.sleep(_GRACE_SECONDS)
    os._exit(0)
