"""Ends a plugin whose engine is gone: the CLI that is killed ends none itself."""

import os
import threading
import time

__all__ = ["end_with_parent"]

_LOOK_SECONDS = 1.0
# What the plugin is doing is finished and noted first.
_GRACE_SECONDS = 5.0


def end_with_parent() -> None:
    """Watch the process that started this one, from a thread."""
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    time.sleep(_GRACE_SECONDS)
    os._exit(0)
