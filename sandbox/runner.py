"""Deploys a stack file into the local AWS: up, preview, down, status."""

import shutil
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from sandbox import (
    account,
    checkpoint,
    prerequisites,
    protection,
    repair,
    stackfile,
    standins,
    tools,
    turn,
)
from sandbox.account import Account
from sandbox.cli import Cli
from sandbox.environment import Layout, for_pulumi, sealed

__all__ = ["down", "preview", "status", "up"]

_NOT_PROVEN = (
    "Not proven here: that AWS grants the permissions and has the capacity, that "
    "nodes boot and join, that pods are scheduled."
)


def up(layout: Layout, environ: Mapping[str, str], stack: str) -> int:
    """Deploy a stack, and return the exit status of the CLI."""
    with _at_work(layout, environ, stack, "up") as (cli, local):
        code = cli.deploy("up", "--yes", "--skip-preview", "--suppress-permalink=true")
        if code == 0:
            _say_where(layout, local, stack)
        return _explained(code, f"make up STACK={stack}")


def preview(layout: Layout, environ: Mapping[str, str], stack: str) -> int:
    """Show what `up` would change, and return the exit status of the CLI."""
    with _at_work(layout, environ, stack, "preview") as (cli, _):
        code = cli.deploy("preview", "--suppress-permalink=true")
        return _explained(code)


def down(layout: Layout, environ: Mapping[str, str], stack: str) -> int:
    """Destroy a stack; the local AWS ends with the last one."""
    if not layout.state.exists():
        print(f"Nothing to remove: stack {stack} is not deployed.")
        return 0
    with turn.take(layout, f"down of stack {stack}") as own:
        local = _account(layout)
        if local is None or stack not in checkpoint.stacks(layout):
            print(f"Nothing to remove: stack {stack} is not deployed.")
            _end_if_empty(layout)
            return 0
        cli = Cli(layout, _environment(layout, environ, local), stack, own)
        repair.mend(layout, cli, local, stack)
        protection.lift(local, checkpoint.read(layout, stack))
        code = cli.deploy(
            "destroy", "--yes", "--skip-preview", "--suppress-permalink=true"
        )
        if code == 0:
            cli.keep("stack", "rm", "--yes", "--preserve-config")
            shutil.rmtree(layout.manifests / stack, ignore_errors=True)
            print(f"Stack {stack} is removed, with its state.")
            _end_if_empty(layout)
        return _explained(code, f"make down STACK={stack}")


def status(layout: Layout) -> int:
    """Print what there is: the account, the stacks, where to look."""
    local = account.find(layout)
    if local is None:
        print("Nothing is deployed: no local AWS runs.")
        return 0
    _say_account(layout, local)
    for stack in checkpoint.stacks(layout):
        state = checkpoint.read(layout, stack)
        open_ = f", {len(state.pending)} operations open" if state.pending else ""
        print(f"  stack {stack}: {len(state.resources)} resources{open_}")
    return 0


@contextmanager
def _at_work(
    layout: Layout, environ: Mapping[str, str], stack: str, what: str
) -> Generator[tuple[Cli, Account]]:
    """Yield the CLI of a stack that exists and is in order, and its account."""
    stackfile.check(stack)
    with turn.take(layout, f"{what} of stack {stack}") as own:
        local = _account(layout) or _open_account(layout, environ)
        cli = Cli(layout, _environment(layout, environ, local), stack, own)
        secrets = stackfile.copy(layout, stack)
        if secrets:
            print(f"Secrets of the stack file replaced by a stand-in: {secrets}.")
        if stack in checkpoint.stacks(layout):
            repair.mend(layout, cli, local, stack)
        else:
            cli.keep("stack", "init", "--no-select")
        prerequisites.provide(local, stack)
        yield cli, local


def _environment(
    layout: Layout, environ: Mapping[str, str], local: Account
) -> Mapping[str, str]:
    folder = tools.pulumi_folder(environ)
    layout.backend.mkdir(parents=True, exist_ok=True)
    standins.install(layout)
    return for_pulumi(environ, layout, tools=folder, port=local.port)


def _account(layout: Layout) -> Account | None:
    """Return the account; if it or a state is lost, forget the rest as well."""
    local = account.find(layout)
    if local is None:
        _forget(layout, "The local AWS of an earlier run has ended")
        return None
    damaged = checkpoint.damaged(layout)
    if damaged:
        account.stop(layout)
        _forget(layout, f"The state of {', '.join(damaged)} cannot be read")
        return None
    return local


def _forget(layout: Layout, reason: str) -> None:
    lost = checkpoint.stacks(layout)
    if lost:
        print(f"{reason}: forgetting all that was deployed ({', '.join(lost)}).")
    for folder in (layout.backend, layout.manifests):
        shutil.rmtree(folder, ignore_errors=True)


def _open_account(layout: Layout, environ: Mapping[str, str]) -> Account:
    layout.home.mkdir(parents=True, exist_ok=True)
    return account.start(layout, sealed(environ, layout))


def _end_if_empty(layout: Layout) -> None:
    if not checkpoint.stacks(layout):
        account.stop(layout)


def _explained(code: int, again: str | None = None) -> int:
    """Say how to go on after a failure, and return an exit status of 0 to 255."""
    if code != 0:
        end = f"was ended by signal {-code}" if code < 0 else f"failed, status {code}"
        # A CLI that was killed leaves an unfinished line.
        start = "\n" if code < 0 else ""
        kept = f" What is done is kept: `{again}` goes on from there." if again else ""
        print(f"{start}Pulumi {end}.{kept}")
    return 128 - code if code < 0 else code


def _say_where(layout: Layout, local: Account, stack: str) -> None:
    _say_account(layout, local)
    print(f"  manifests    {layout.manifests / stack}")
    print(_NOT_PROVEN)


def _say_account(layout: Layout, local: Account) -> None:
    print(f"Local AWS at http://127.0.0.1:{local.port}, process {local.pid}")
    print(f"  its log      {layout.server_log}")
    print(f"  Pulumi state {layout.backend}")
