"""Brings a stack in order after a run that was killed."""

from sandbox import checkpoint, created
from sandbox.cli import Cli, CliError
from sandbox.environment import Layout

__all__ = ["mend"]


def mend(layout: Layout, cli: Cli, stack: str) -> None:
    """
    Release the lock and settle the operations that a killed CLI left open.

    What was created, but is not in the state yet, is imported under the id that the
    plugin noted. What was updated or deleted is read again from the local AWS.

    Raises:
        CliError: The CLI could not read the stack again.
    """
    if checkpoint.is_locked(layout, stack):
        print(f"The last run on stack {stack} was killed: releasing its lock.")
        cli.keep("cancel", "--yes")
    state = checkpoint.read(layout, stack)
    if not state.pending:
        return
    print(
        f"It left {len(state.pending)} operations open: reading the stack again.",
        flush=True,
    )
    found = [
        (urn, id_)
        for urn in state.of_kind("creating")
        for id_ in created.ids(layout, urn)[:1]
        if (urn, id_) not in state.ids
    ]
    options = [f"--import-pending-creates={urn},{id_}" for urn, id_ in found]
    if cli.deploy("refresh", "--yes", "--skip-preview", *options) != 0:
        raise CliError(f"stack {stack} could not be read again")
