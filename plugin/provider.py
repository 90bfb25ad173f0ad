"""Makes the components for programs in any language."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pulumi
from pulumi.errors import InputPropertiesError
from pulumi.provider import ConstructResult, Provider

from infra.checks import REGION
from infra.program import keep_secrets
from plugin.balloon import BALLOON
from plugin.offer import Made, Offer, camel_case
from plugin.platform import PLATFORM
from plugin.policy import POLICY
from plugin.schema import TOKEN, schema
from plugin.values import plain, receive, unknown_paths

__all__ = ["OFFERS", "JobsProvider"]

OFFERS: Mapping[str, Offer] = {
    "Balloon": BALLOON,
    "JobPlatform": PLATFORM,
    "JobPolicy": POLICY,
}
"""What the package offers, by the last part of the type token."""

_PROJECT = Path(__file__).parent.parent / "pyproject.toml"

# How arguments of the components are called here.
_WORDS = {"cluster.provider": "providers.kubernetes", "settings.": "policy."}

# The key of a stack file that has what an input has, where it is called otherwise.
_KEYS = {"balloon": "balloons", "group": "jobs", "scalers": "scaler"}


class JobsProvider(Provider):
    """
    Makes components below the same URN as a program in Python would.

    A program may so move from one language to another: nothing is replaced.
    """

    def __init__(self) -> None:
        version = tomllib.loads(_PROJECT.read_text())["project"]["version"]
        super().__init__(version, schema(OFFERS, version))

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: pulumi.Inputs,
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """
        Make a component and its children.

        Raises:
            InputPropertiesError: There is no such component, an input is refused, or
                a preview does not know one that decides which resources there are.
        """
        offer = OFFERS.get(resource_type.removeprefix(TOKEN))
        if offer is None:
            accepted = ", ".join(f"{TOKEN}{known}" for known in OFFERS)
            raise InputPropertiesError(
                f"type must be one of {accepted}, got {resource_type}", []
            )

        # It runs in a preview as well, with what is unknown marked as such.
        made = receive(dict(inputs)).apply(
            lambda received: _make(offer, name, received, options),
            run_with_unknowns=True,
        )
        return ConstructResult(
            made.apply(lambda it: it.component.urn),
            {
                camel_case(output): made.apply(lambda it, key=output: it.outputs[key])
                for output in offer.outputs
            },
        )


def _make(
    offer: Offer,
    name: str,
    received: Mapping[str, Any],
    options: pulumi.ResourceOptions | None,
) -> Made:
    names = {camel_case(known): known for known in offer.inputs}
    values = {names.get(k, k): plain(v) for k, v in received["values"].items()}
    unknown = [
        path
        for path in unknown_paths("", values)
        if not path.startswith(offer.flowing or "\0")
    ]
    if unknown:
        lines = _reworded(map(_unknown, unknown), offer.inputs)
        raise InputPropertiesError("\n".join(lines), [])
    secret = {
        names.get(key, key) for key, holds in received["secrets"].items() if holds
    }
    secret = {_KEYS.get(name, name) for name in secret}
    opts = pulumi.ResourceOptions.merge(
        options,
        pulumi.ResourceOptions(
            depends_on=list(received["resources"]),
            transformations=[keep_secrets(frozenset(secret))],
        ),
    )
    try:
        return offer.make(name, values, opts)
    except (ValueError, pulumi.RunError) as error:
        lines = _reworded(str(error).splitlines(), offer.inputs)
        raise InputPropertiesError("\n".join(lines), []) from error


def _unknown(path: str) -> str:
    return (
        f"{path}: expected a value that a preview knows, since it decides which "
        "resources there are; got the output of a resource that does not exist yet"
    )


def _reworded(lines: Iterable[str], inputs: Iterable[str]) -> Iterator[str]:
    """Name inputs as the program does; what is below them is called as in a file."""
    known = "|".join(inputs)
    for line in lines:
        for argument, word in _WORDS.items():
            if line.startswith(argument):
                line = word + line.removeprefix(argument)
        # The provider decides about the region, whatever the stack says.
        line = line.replace(REGION, "region")
        yield re.sub(rf"^({known})\b", lambda found: camel_case(found[0]), line)
