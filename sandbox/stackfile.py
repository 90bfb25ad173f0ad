"""The copies of `Pulumi.yaml` and of the stack file that the CLI may write to."""

import re
from pathlib import Path

from sandbox.environment import ROOT, Layout

__all__ = ["StackFileError", "check", "copy", "rehearsed"]

# Made with `pulumi config set --secret` and the empty passphrase of the sandbox: the
# salt, and the text "stand-in". They protect nothing. With a fixed salt the CLI has
# no reason to write into the copy, and no secret of a real stack is ever needed.
_SALT = "v1:CRneNHmxR8U=:v1:tYrzFkNu9dN9+Pdy:As79rHZYu4lVawetEbVyBwfWg16rHA=="
_STAND_IN = "v1:b+7Sh8fG9DkLBaY3:/PMUioXpI57SE320S4XOULsDBi4UOJ+2"

_KEYS_OF_SECRETS = re.compile(
    r"^(encryptionsalt|encryptedkey|secretsprovider):.*\n?", re.MULTILINE
)
_SECRET = re.compile(r"(\bsecure:\s*)[^\s,}]+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")


class StackFileError(Exception):
    """There is no such stack file; the text names the ones there are."""


def check(stack: str, root: Path = ROOT) -> Path:
    """
    Return the file of a stack.

    Raises:
        StackFileError: The stack has no file.
    """
    file = root / f"Pulumi.{stack}.yaml"
    if _NAME.fullmatch(stack) and file.is_file():
        return file
    # Loads the SDK, which takes longer than all else: only when it is wanted.
    from infra.stack_file import stack_names

    known = ", ".join(stack_names(root))
    raise StackFileError(f"stack must be one of {known}, got stack={stack}")


def copy(layout: Layout, stack: str, root: Path = ROOT) -> int:
    """
    Copy the project file and a stack file, and return the number of secrets left out.

    Args:
        layout: Receives the copies.
        stack: Name of the stack.
        root: Folder of the originals, which are only read.

    Raises:
        StackFileError: The stack has no file.
    """
    text, secrets = rehearsed(check(stack, root).read_text())
    layout.project.mkdir(parents=True, exist_ok=True)
    (layout.project / "Pulumi.yaml").write_bytes((root / "Pulumi.yaml").read_bytes())
    layout.config(stack).write_text(text)
    return secrets


def rehearsed(text: str) -> tuple[str, int]:
    """
    Return a stack file as the sandbox runs it, and how many secrets it replaced.

    The text stays as it is, since two readers of YAML need not agree, except for the
    keys of its secrets and each encrypted value, which becomes the secret "stand-in".
    """
    text, secrets = _SECRET.subn(rf"\g<1>{_STAND_IN}", _KEYS_OF_SECRETS.sub("", text))
    end = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{end}encryptionsalt: {_SALT}\n", secrets
