"""
What was read from the classes of the SDK, kept for the runs that follow.

To load the classes is most of what a run of the plugin costs: a second or two, for
answers that are the same until the SDK is another one.
"""

import functools
import hashlib
import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from sandbox.aws.shape import Shape

__all__ = ["file_of", "keep", "recall", "remembered"]

Answer = TypeVar("Answer", Shape, frozenset[str])

_HERE = Path(__file__).resolve().parent
_FOLDER = _HERE.parent.parent / "build" / "sandbox"
# What decides about the answers, besides the SDK.
_SOURCES = ("remembered.py", "schema.py", "shape.py")

# By what was asked, then by the token that it was asked of.
_answers: dict[str, dict[str, Any]] = {}


def remembered(
    what: str,
) -> Callable[[Callable[[str], Answer]], Callable[[str], Answer]]:
    """Ask a function once for each token; an error is not kept."""
    known = _answers.setdefault(what, {})

    def decorate(function: Callable[[str], Answer]) -> Callable[[str], Answer]:
        @functools.wraps(function)
        def answer(token: str) -> Answer:
            if token not in known:
                known[token] = function(token)
            return known[token]

        return answer

    return decorate


def file_of(version: str, folder: Path = _FOLDER) -> Path:
    """Return where answers of a version of the SDK are kept."""
    digest = hashlib.sha256()
    for name in _SOURCES:
        digest.update((_HERE / name).read_bytes())
    return folder / f"aws-{version}-{digest.hexdigest()[:16]}.json"


def recall(file: Path) -> None:
    """Take over what a file holds; one that cannot be read holds nothing."""
    try:
        document = json.loads(file.read_bytes())
        found = {
            name: {token: _read(text) for token, text in document[name].items()}
            for name in _answers
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return
    for name, known in found.items():
        _answers[name].update(known)


def keep(file: Path) -> None:
    """Add all answers to a file; where none can be written, the next run asks anew."""
    recall(file)
    document = {
        name: {token: _written(answer) for token, answer in known.items()}
        for name, known in _answers.items()
    }
    text = json.dumps(document, sort_keys=True)
    # Plugins that end together write one after the other, and each a whole file.
    own = file.with_suffix(f".{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        own.write_text(text)
        own.replace(file)


def _written(answer: Shape | frozenset[str]) -> Any:
    if isinstance(answer, frozenset):
        return sorted(answer)
    return {
        "kind": answer.kind,
        "item": None if answer.item is None else _written(answer.item),
        "fields": {name: _written(one) for name, one in answer.fields.items()},
        "required": sorted(answer.required),
    }


def _read(written: Any) -> Any:
    if isinstance(written, list):
        return frozenset(written)
    return Shape(
        kind=written["kind"],
        item=None if written["item"] is None else _read(written["item"]),
        fields={name: _read(one) for name, one in written["fields"].items()},
        required=frozenset(written["required"]),
    )
