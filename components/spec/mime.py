"""Multipart user data: built and read by the standard library, never glued together."""

from collections.abc import Sequence
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from itertools import count

__all__ = ["NODE_CONFIG", "SHELL", "USER_DATA_LIMIT", "Part", "parse", "render"]

NODE_CONFIG = "application/node.eks.aws"
SHELL = "text/x-shellscript"

USER_DATA_LIMIT = 16_384
"""Largest user data in bytes before base64. Source: EC2 user guide, user data."""

_BOUNDARY = "eks-jobs-part"


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """
    One part of a multipart document.

    Args:
        content_type: Media type, `NODE_CONFIG` or `SHELL`.
        content: Text with Unix line ends.

    Raises:
        ValueError: The text has carriage returns or NUL characters.
    """

    content_type: str
    content: str

    def __post_init__(self) -> None:
        if "\r" in self.content:
            raise ValueError("content must have Unix line ends, got carriage returns")
        if "\0" in self.content:
            raise ValueError("content must be text, got NUL characters")


def render(parts: Sequence[Part]) -> str:
    r"""
    Render a multipart document, equal bytes for equal parts.

    Raises:
        ValueError: The document is above `USER_DATA_LIMIT`.
    """
    document = Message()
    document["MIME-Version"] = "1.0"
    document["Content-Type"] = f'multipart/mixed; boundary="{_boundary(parts)}"'
    for part in parts:
        document.attach(_message(part))
    text = document.as_string()
    size = len(text.encode())
    if size > USER_DATA_LIMIT:
        raise ValueError(
            f"user_data must be at most {USER_DATA_LIMIT} bytes with what is added to "
            f"it, got {size} bytes"
        )
    return text


def parse(text: str) -> tuple[Part, ...]:
    """
    Read a multipart document back, each part byte for byte.

    Raises:
        ValueError: The text is no multipart document.
    """
    document = message_from_bytes(text.encode())
    if not document.is_multipart():
        raise ValueError("user_data must be a multipart document")
    return tuple(
        Part(content_type=part.get_content_type(), content=_content(part))
        for part in document.walk()
        if not part.is_multipart()
    )


def _message(part: Part) -> Message:
    message = Message()
    charset = '; charset="utf-8"' if part.content_type.startswith("text/") else ""
    message["Content-Type"] = part.content_type + charset
    message.set_payload(part.content)
    return message


def _content(part: Message) -> str:
    payload = part.get_payload(decode=True)
    return payload.decode() if isinstance(payload, bytes) else ""


def _boundary(parts: Sequence[Part]) -> str:
    """Return the fixed boundary, or the first numbered one that no part contains."""
    names = (_BOUNDARY if n == 0 else f"{_BOUNDARY}-{n}" for n in count())
    return next(name for name in names if all(name not in p.content for p in parts))
