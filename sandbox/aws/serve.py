"""
The plugin's server.

It differs from the SDK's own in one point: what a user can act on is said in the
words of the service, without a traceback. Bugs keep theirs.
"""

import os
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

import grpc
from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError
from pulumi.provider.experimental.server import ProviderServicer

from sandbox import plugin
from sandbox.aws import remembered
from sandbox.aws.cloud import endpoint, forget_real_account
from sandbox.aws.provider import AwsProvider
from sandbox.errors import RefusedError

VERSION = "7.51.1"
"""The version of pulumi-aws whose behaviour is imitated: that of the pinned SDK."""

# The last one is moto failing: its traceback is in the log of the daemon.
_PLAIN = (RefusedError, ClientError, BotoCoreError, ResponseParserError)
_METHODS = (
    "CheckConfig",
    "DiffConfig",
    "Configure",
    "Check",
    "Diff",
    "Create",
    "Read",
    "Update",
    "Delete",
    "Invoke",
)


class Servicer(ProviderServicer):
    """Hands the text of expected errors to the engine as it is."""


def _said_plainly(method: Callable[..., Awaitable[Any]]) -> Callable[..., Any]:
    async def wrapper(self: Servicer, request: Any, context: Any) -> Any:
        try:
            return await method(self, request, context)
        except Exception as error:
            # The SDK raises its own exception, with a traceback as the text.
            cause = error.__context__
            if isinstance(cause, _PLAIN):
                await context.abort(grpc.StatusCode.UNKNOWN, str(cause))
            raise

    return wrapper


for _name in _METHODS:
    setattr(Servicer, _name, _said_plainly(getattr(ProviderServicer, _name)))


def main(arguments: list[str]) -> int:
    """Serve until the engine ends; the first line printed is the port."""
    try:
        url = endpoint(os.environ)
    except RefusedError as error:
        print(f"pulumi-resource-aws: {error}", file=sys.stderr)
        return 1
    forget_real_account(os.environ)
    engine = plugin.engine_of(arguments)
    kept = remembered.file_of(version("pulumi-aws"))
    remembered.recall(kept)
    plugin.serve(Servicer([], VERSION, AwsProvider(url), engine_address=engine))
    remembered.keep(kept)
    return 0
