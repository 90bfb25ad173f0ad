"""IAM: what its resource types share."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sandbox.aws import ec2
from sandbox.aws.resource import Call, Tagging, given
from sandbox.aws.schema import Problem
from sandbox.wire import UNKNOWN


def tagging(noun: str, key: str) -> Tagging:
    """Return how the tags of one kind of object are written."""
    return Tagging(
        write=lambda call, tags: getattr(call.client("iam"), f"tag_{noun}")(
            **{key: call.id}, Tags=ec2.pairs(tags)
        ),
        remove=lambda call, keys: getattr(call.client("iam"), f"untag_{noun}")(
            **{key: call.id}, TagKeys=keys
        ),
    )


def documents(*names: str) -> Callable[[Mapping[str, Any]], Iterator[Problem]]:
    """Return a rule: policies are JSON objects with statements."""

    def rule(inputs: Mapping[str, Any]) -> Iterator[Problem]:
        for name in names:
            value = inputs.get(name)
            if value is None or value == UNKNOWN:
                continue
            try:
                document = json.loads(value)
            except (TypeError, ValueError):
                yield name, f"must be JSON, got {value!r}"
                continue
            if not isinstance(document, dict) or "Statement" not in document:
                yield name, "must be a policy document with a Statement"

    return rule


def tags(call: Call) -> dict[str, Any]:
    """Return the tags of a new object, as an argument."""
    return given(Tags=ec2.pairs(call.tags) or None)


def text(document: Any) -> str:
    """Return a policy as text: moto has some of them as an object."""
    return document if isinstance(document, str) else json.dumps(document)
