"""
How a resource type is described: functions on boto3 clients, and tables.

A type says only what is particular to it. `provider` does the rest for all types:
checks, names, tags, differences, previews and drift.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from sandbox.aws.cloud import Cloud
from sandbox.aws.journal import Journal
from sandbox.aws.schema import Problem

Values = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """
    One operation on one resource.

    Args:
        cloud: The account, in the region of the resource.
        journal: What moto has no place for.
        id: Physical id; empty before the resource exists.
        inputs: Inputs after `check`; on delete and read those last used.
        state: What was known before: inputs and outputs.
        tags: Own tags and the provider's default tags.
        changed: Inputs that an update is about.
    """

    cloud: Cloud
    journal: Journal
    id: str = ""
    inputs: Values = field(default_factory=dict)
    state: Values = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    changed: frozenset[str] = frozenset()

    def client(self, service: str) -> Any:
        """Return a boto3 client."""
        return self.cloud.client(service)


@dataclass(frozen=True, kw_only=True, slots=True)
class AutoName:
    """
    The name given to what the program leaves unnamed.

    Args:
        limit: Longest name that AWS takes, in characters.
        prefix: Input that may hold the beginning of the name instead.
        input: Input that holds the name.
        before: What every name begins with, such as alias/.
        after: Returns what every name must end with.
    """

    limit: int
    prefix: str | None = "namePrefix"
    input: str = "name"
    before: str = ""
    after: Callable[[Mapping[str, Any]], str] = lambda _: ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Tagging:
    """
    How tags of an existing resource are changed.

    Args:
        write: Adds tags, or changes their values.
        remove: Removes tags by key.
    """

    write: Callable[[Call, dict[str, str]], Any]
    remove: Callable[[Call, list[str]], Any]


def _no_problems(_: Mapping[str, Any]) -> Iterator[Problem]:
    yield from ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Resource:
    """
    One resource type.

    Args:
        token: Type token, such as aws:ec2/vpc:Vpc.
        create: Makes the resource and returns its id.
        read: Returns outputs and the inputs that may drift, or None when it is gone.
        delete: Removes the resource.
        inputs: Inputs that are imitated; others are refused by name.
        update: Brings the inputs in `Call.changed` about.
        replace: Inputs whose change makes a new resource; dots lead into objects.
        replace_if: Further inputs that need a new resource, by old and new values.
        computed: Inputs that AWS fills in when the program leaves them out.
        defaults: Inputs that the provider fills in.
        sets: Lists without an order.
        documents: Inputs that hold JSON, compared by meaning.
        name: How the resource is named, if it has a name.
        tagging: How tags are changed, if it has tags.
        rules: Problems between several inputs.
        moves: Outputs that an update of the given inputs changes.
    """

    token: str
    create: Callable[[Call], str]
    read: Callable[[Call], Values | None]
    delete: Callable[[Call], Any]
    inputs: frozenset[str]
    update: Callable[[Call], Any] | None = None
    replace: frozenset[str] = frozenset()
    replace_if: Callable[[Values, Values], set[str]] = lambda _old, _new: set()
    computed: frozenset[str] = frozenset()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    sets: frozenset[str] = frozenset()
    documents: frozenset[str] = frozenset()
    name: AutoName | None = None
    tagging: Tagging | None = None
    rules: Callable[[Mapping[str, Any]], Iterator[Problem]] = _no_problems
    moves: Callable[[frozenset[str]], frozenset[str]] = lambda _: frozenset()


def is_gone(error: ClientError) -> bool:
    """Tell whether AWS said that the thing asked for does not exist."""
    code = error.response["Error"]["Code"]
    text = error.response["Error"].get("Message", "")
    marks = ("NotFound", "NoSuchEntity", "NonExistent", "DoesNotExist")
    return any(mark in code for mark in marks) or (
        code == "ValidationError" and "not found" in text
    )


def code_of(error: ClientError) -> str:
    """Return the code of an AWS error."""
    return error.response["Error"]["Code"]


def given(**params: Any) -> dict[str, Any]:
    """Return the parameters of a request that have a value."""
    return {name: value for name, value in params.items() if value is not None}


def at_most_one(*names: str) -> Callable[[Mapping[str, Any]], Iterator[Problem]]:
    """Return a rule: inputs that exclude each other."""

    def rule(inputs: Mapping[str, Any]) -> Iterator[Problem]:
        found = [name for name in names if name in inputs]
        for name in found[1:]:
            yield name, f"conflicts with {found[0]}"

    return rule


def exactly_one(*names: str) -> Callable[[Mapping[str, Any]], Iterator[Problem]]:
    """Return a rule: one of several inputs is needed."""

    def rule(inputs: Mapping[str, Any]) -> Iterator[Problem]:
        yield from at_most_one(*names)(inputs)
        if not any(name in inputs for name in names):
            yield names[0], f"one of {', '.join(names)} is required"

    return rule


def all_of(
    *rules: Callable[[Mapping[str, Any]], Iterator[Problem]],
) -> Callable[[Mapping[str, Any]], Iterator[Problem]]:
    """Return a rule that holds when all of the given ones do."""

    def rule(inputs: Mapping[str, Any]) -> Iterator[Problem]:
        for each in rules:
            yield from each(inputs)

    return rule
