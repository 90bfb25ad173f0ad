"""Names for resources that the program leaves unnamed, as pulumi-aws makes them."""

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

from sandbox.aws.resource import AutoName
from sandbox.aws.schema import Problem

SUFFIX = 7
"""Random characters after a logical name."""

PREFIXED = 26
"""Random characters after a name prefix."""


def fill_in(
    rule: AutoName,
    logical_name: str,
    inputs: dict[str, Any],
    old: Mapping[str, Any],
    seed: bytes,
) -> Problem | None:
    """
    Name a resource in *inputs*, unless it has a name.

    A name that was made for the old inputs is kept, so that a second preview shows
    no change. Returns the problem when the name would be longer than AWS takes.
    """
    if rule.input in inputs:
        return _too_long(rule, inputs)
    prefix = inputs.get(rule.prefix) if rule.prefix else None
    if _still_good(rule, old, prefix):
        name = old[rule.input]
    else:
        digest = hashlib.sha256(seed or secrets.token_bytes(32)).hexdigest()
        stem = f"{rule.before}{logical_name}-{digest[:SUFFIX]}"
        name = prefix + digest[:PREFIXED] if prefix else stem
        name += rule.after(inputs)
    inputs[rule.input] = name
    inputs["__defaults"] = [*inputs.get("__defaults", []), rule.input]
    if len(name) <= rule.limit:
        return None
    stem, count = (prefix, PREFIXED) if prefix else (rule.before + logical_name, SUFFIX)
    return rule.input, (
        f"{stem!r} plus {count} random characters must be at most {rule.limit} "
        f"characters, got {len(name)}"
    )


def _too_long(rule: AutoName, inputs: Mapping[str, Any]) -> Problem | None:
    name = inputs[rule.input]
    if not isinstance(name, str) or len(name) <= rule.limit:
        return None
    return rule.input, (
        f"must be at most {rule.limit} characters, got {len(name)}: {name!r}"
    )


def _still_good(rule: AutoName, old: Mapping[str, Any], prefix: str | None) -> bool:
    made = rule.input in old and rule.input in old.get("__defaults", [])
    return made and (prefix is None or str(old[rule.input]).startswith(prefix))
