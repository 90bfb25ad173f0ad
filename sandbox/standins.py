"""
The provider plugins of the sandbox, put where the CLI looks for the real ones.

The CLI takes a plugin of exactly the version that an SDK asks for from its own
folder, says nothing about it, and looks nowhere else.
"""

from importlib.metadata import version

from sandbox.environment import PLUGINS, Layout

__all__ = ["install"]

_PROVIDERS = ("aws", "eks", "kubernetes")


def install(layout: Layout) -> None:
    """Write a launcher of each stand-in for the version of the installed SDK."""
    for name in _PROVIDERS:
        program = f"pulumi-resource-{name}"
        folder = f"resource-{name}-v{version(f'pulumi-{name}')}"
        launcher = layout.home / ".pulumi" / "plugins" / folder / program
        launcher.parent.mkdir(parents=True, exist_ok=True)
        # In a process group of its own, so Ctrl-C of a terminal is for the CLI, which
        # interrupts a plugin when it has nothing left to do.
        text = f'#!/bin/sh\nexec "{PLUGINS / program}" "$@"\n'
        launcher.write_text(text)
        launcher.chmod(0o755)
