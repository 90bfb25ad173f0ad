"""The schema of the package, from which Pulumi makes SDKs of other languages."""

import json
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from plugin.offer import Offer, camel_case

__all__ = ["PACKAGE", "TOKEN", "schema"]

PACKAGE = "eks-jobs"
TOKEN = f"{PACKAGE}:index:"
"""Begin of each type token: the one that components have in Python programs too."""

_ANY = {"$ref": "pulumi.json#/Any"}
_SCALARS = {str: "string", bool: "boolean", int: "integer", float: "number"}


def schema(offers: Mapping[str, Offer], version: str) -> str:
    """
    Write the schema of the components *offers*, by their names.

    A union and a value object are `Any`: a schema tells members of a union apart by
    a property that all of them have, and ours often have none.
    """
    described = {
        f"{TOKEN}{name}": _resource(offer) for name, offer in sorted(offers.items())
    }
    return json.dumps(
        {
            "name": PACKAGE,
            "version": version,
            "description": "Amazon EKS clusters that run jobs next to servers",
            "license": "Apache-2.0",
            "resources": described,
            "language": {"python": {"respectSchemaVersion": True}},
        }
    )


def _resource(offer: Offer) -> dict[str, Any]:
    return {
        "isComponent": True,
        "description": offer.text,
        "inputProperties": {
            camel_case(name): {**_type(given.type), "description": given.text}
            for name, given in offer.inputs.items()
        },
        "requiredInputs": [
            camel_case(name) for name, given in offer.inputs.items() if given.required
        ],
        "properties": {
            camel_case(name): _type(type_) for name, type_ in offer.outputs.items()
        },
        "required": [camel_case(name) for name in offer.outputs],
    }


def _type(type_: Any) -> dict[str, Any]:
    origin, arguments = get_origin(type_), get_args(type_)
    if origin in (Union, UnionType):
        members = [one for one in arguments if one is not NoneType]
        return _type(members[0]) if len(members) == 1 else _ANY
    if origin is tuple:
        return {"type": "array", "items": _type(arguments[0])}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _type(arguments[1])}
    return {"type": _SCALARS[type_]} if type_ in _SCALARS else _ANY
