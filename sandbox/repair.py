"""Brings a stack in order after a run that was killed."""

import json
from collections.abc import Mapping
from typing import Any

from sandbox import account, checkpoint
from sandbox.account import Account
from sandbox.cli import Cli, CliError
from sandbox.environment import Layout

__all__ = ["mend", "noted", "settled"]


def mend(layout: Layout, cli: Cli, local: Account, stack: str) -> None:
    """
    Release the lock and settle what a killed CLI left open or half written.

    What was created without the CLI's knowledge is put into the state under the id
    that the plugin noted; then all is read again from the local AWS.

    Raises:
        CliError: The CLI could not read the stack again.
    """
    checkpoint.drop_torn_notes(layout)
    if checkpoint.is_locked(layout, stack):
        print(f"The last run on stack {stack} was killed: releasing its lock.")
        cli.keep("cancel", "--yes")
    pending = checkpoint.read(layout, stack).pending
    if not pending:
        return
    print(f"It left {len(pending)} operations open: reading the stack again.")
    urns = {operation["resource"]["urn"] for operation in pending}
    ids = {urn: noted(local, urn) for urn in sorted(urns)}
    exported = json.loads(cli.keep("stack", "export"))
    exported["deployment"] = settled(exported["deployment"], ids)
    file = layout.state / "mended.json"
    file.write_text(json.dumps(exported))
    cli.keep("stack", "import", "--file", str(file))
    file.unlink()
    if (
        cli.deploy("refresh", "--yes", "--skip-preview", "--suppress-permalink=true")
        != 0
    ):
        raise CliError(f"stack {stack} could not be read again")


def noted(local: Account, urn: str) -> str | None:
    """Return the id that the plugin of AWS noted last for a resource, or None."""
    # These load boto3, which takes longer than all else: only after a killed run.
    from sandbox.aws import notes
    from sandbox.aws.journal import Journal

    # Records of all regions share one bucket.
    note = notes.read(Journal(account.cloud(local, "us-east-1")), urn)
    return note["id"] if note else None


def settled(
    deployment: Mapping[str, Any], ids: Mapping[str, str | None]
) -> dict[str, Any]:
    """
    Return a state without open operations.

    A resource that was being created is added if it has an id that the state does
    not know. Its outputs are still unknown, so a refresh must follow. If it was to
    replace another one, that one is marked for deletion, as the CLI does it.

    Args:
        deployment: As `pulumi stack export` prints it.
        ids: The id that was last given to each URN.
    """
    resources = [dict(resource) for resource in deployment.get("resources", ())]
    for operation in deployment.get("pending_operations", ()):
        if operation["type"] == "creating":
            new = operation["resource"]
            _add(resources, new, ids.get(new["urn"]))
    rest = {k: v for k, v in deployment.items() if k != "pending_operations"}
    return {**rest, "resources": resources}


def _add(
    resources: list[dict[str, Any]], new: Mapping[str, Any], id_: str | None
) -> None:
    before = [old for old in resources if old["urn"] == new["urn"]]
    if id_ is None or id_ in [old.get("id") for old in before]:
        return
    for old in before:
        old["delete"] = True
    resources.append({**new, "id": id_, "outputs": new.get("inputs", {})})
