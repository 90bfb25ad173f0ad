"""
Ids that the plugins gave out, so that a killed run loses none.

A CLI that is killed while a plugin creates something never learns the id. The plugin
lives on and notes it here; `repair` reads it.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from sandbox.environment import STATE_VARIABLE, Layout

__all__ = ["ids", "note"]


def note(urn: str, id_: str, environ: Mapping[str, str] = os.environ) -> None:
    """Remember that a resource exists now. Does nothing outside of the sandbox."""
    if STATE_VARIABLE in environ:
        file = _file(Layout.of(environ), urn)
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a") as stream:
            stream.write(f"{id_}\n")


def ids(layout: Layout, urn: str) -> tuple[str, ...]:
    """Return the ids that a URN was given, the last one first."""
    try:
        return tuple(reversed(_file(layout, urn).read_text().splitlines()))
    except FileNotFoundError:
        return ()


def _file(layout: Layout, urn: str) -> Path:
    return layout.created / hashlib.sha256(urn.encode()).hexdigest()
