"""
Notes of what was created, for the run after one that was killed.

The engine learns of a new resource only when the request is answered. Killed before
that, it knows the URN at most; a note in the journal has id and inputs.
"""

import hashlib
from collections.abc import Set
from typing import Any

from sandbox.aws.journal import Journal
from sandbox.aws.resource import Resource, Values


def write(journal: Journal, urn: str, id_: str, inputs: Values) -> None:
    """Note the latest resource of a URN."""
    journal.put(_key(urn), {"id": id_, "inputs": inputs})


def read(journal: Journal, urn: str) -> dict[str, Any] | None:
    """Return id and inputs of the latest resource of a URN, or None."""
    return journal.get(_key(urn))


def forget(journal: Journal, urn: str, id_: str) -> None:
    """Remove the note of a resource that is deleted."""
    noted = read(journal, urn)
    if noted and noted["id"] == id_:
        journal.remove(_key(urn))


def lost(journal: Journal, urn: str, inputs: Values, known: Set[str]) -> str:
    """
    Return the id of what a killed run made of exactly these inputs, or nothing.

    Args:
        journal: Where notes are.
        urn: URN of the resource to be made.
        inputs: Its inputs.
        known: Ids that the engine has spoken of: those are not lost.
    """
    noted = _unknown_note(journal, urn, known)
    found = noted.get("inputs", {}).items()
    same = inputs == {key: value for key, value in found if key != "__defaults"}
    return noted["id"] if noted and same else ""


def alike(
    journal: Journal, kind: Resource, urn: str, inputs: Values, known: Set[str]
) -> Values:
    """Return the inputs of what a killed run made, if only the made name differs."""
    noted = _unknown_note(journal, urn, known)
    hidden = {"__defaults", *({kind.name.input} if kind.name else ())}

    def shown(values: Values) -> Values:
        return {key: value for key, value in values.items() if key not in hidden}

    found = noted.get("inputs", {})
    return found if noted and shown(found) == shown(inputs) else {}


def _unknown_note(journal: Journal, urn: str, known: Set[str]) -> dict[str, Any]:
    noted = read(journal, urn)
    return noted if noted and noted["id"] not in known else {}


def _key(urn: str) -> str:
    return f"created/{hashlib.sha256(urn.encode()).hexdigest()}"
