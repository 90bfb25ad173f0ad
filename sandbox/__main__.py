"""`python -m sandbox up|preview|down|status|tools`, see `--help`."""

import argparse
import os
import sys

from sandbox import control_plane_tools, runner, tools
from sandbox.account import AccountError
from sandbox.builder import BuildError
from sandbox.cli import CliError
from sandbox.environment import Layout
from sandbox.stackfile import StackFileError
from sandbox.turn import TurnError

_ACTIONS = {"up": runner.up, "preview": runner.preview, "down": runner.down}
_INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Run a command, and return its exit status."""
    chosen = _parser().parse_args(arguments)
    layout = Layout.of(os.environ)
    try:
        if chosen.command in _ACTIONS:
            return _ACTIONS[chosen.command](layout, os.environ, chosen.stack)
        if chosen.command == "status":
            return runner.status(layout)
        _print_tools(cluster=chosen.cluster)
    except (AccountError, BuildError, CliError, StackFileError, TurnError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    return 0


def _print_tools(*, cluster: bool) -> None:
    folder = tools.pulumi_folder(os.environ)
    found = {name: folder / name for name in tools.PROGRAMS}
    find = control_plane_tools.programs if cluster else control_plane_tools.built
    found |= find(os.environ)
    for name, path in found.items():
        print(f"{name} {path}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m sandbox",
        description="Deploys a stack file into a local AWS, never into the real one.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (
        ("up", "deploy a stack"),
        ("preview", "show what up would change"),
        ("down", "destroy a stack"),
    ):
        command = commands.add_parser(name, help=what)
        command.add_argument("--stack", default="sandbox", help="Pulumi.<stack>.yaml")
    commands.add_parser("status", help="print what is deployed")
    built = commands.add_parser(
        "tools", help="print name and path of the tools, build missing"
    )
    built.add_argument(
        "--cluster", action="store_true", help="also those of a real control plane"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
