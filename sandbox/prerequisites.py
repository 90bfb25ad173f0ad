"""What a stack file takes for granted in an account."""

from pathlib import Path

from sandbox import account, stackfile
from sandbox.account import Account
from sandbox.environment import ROOT

__all__ = ["provide"]


def provide(local: Account, stack: str, root: Path = ROOT) -> None:
    """Let the network of a stack exist, if others made it."""
    if "vpc_id" not in stackfile.check(stack, root).read_text():
        return
    # These load the SDK, which takes longer than all else.
    import pulumi

    from infra.settings import ExistingNetwork, load_file

    try:
        settings = load_file(root, stack)
    except pulumi.RunError:
        # The program is about to refuse the file, in better words.
        return
    network = settings.network
    if isinstance(network, ExistingNetwork) and settings.region:
        account.lend(
            local,
            region=settings.region,
            vpc_id=network.vpc_id,
            subnet_ids=network.subnet_ids,
        )
