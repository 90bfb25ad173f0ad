"""The wire side of the provider: the SDK's, with clean errors."""

from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.provider.experimental.server import ProviderServicer
from pulumi.runtime.proto import provider_pb2

from sandbox.errors import RefusedError
from sandbox.kubernetes import settings
from sandbox.wire import plain_map

__all__ = ["Servicer"]

Method = Callable[[Any, Any, Any], Awaitable[Any]]


def _clean(method: Method) -> Method:
    async def answer(self: Any, request: Any, context: Any) -> Any:
        try:
            return await method(self, request, context)
        except Exception as error:
            # The SDK wraps what the provider raises in a text with a traceback.
            cause = error if isinstance(error, RefusedError) else error.__context__
            if not isinstance(cause, RefusedError):
                raise
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, str(cause))

    return answer


async def _diff_config(_servicer: Any, request: Any, _context: Any) -> Any:
    # The SDK's own method answers with a boolean where the protocol has an enumeration
    # in which true means "no change".
    olds, news = (
        plain_map(PropertyValue.unmarshal_map(values))
        for values in (request.olds, request.news)
    )
    diffs, replaces = settings.changed(olds, news)
    answer = provider_pb2.DiffResponse
    return answer(
        changes=answer.DIFF_SOME if diffs else answer.DIFF_NONE,
        diffs=diffs,
        replaces=replaces,
    )


class Servicer(ProviderServicer):
    """Tells the user why something is refused, and nothing about where."""

    Call = _clean(ProviderServicer.Call)
    Check = _clean(ProviderServicer.Check)
    CheckConfig = _clean(ProviderServicer.CheckConfig)
    Construct = _clean(ProviderServicer.Construct)
    Create = _clean(ProviderServicer.Create)
    Delete = _clean(ProviderServicer.Delete)
    Diff = _clean(ProviderServicer.Diff)
    Invoke = _clean(ProviderServicer.Invoke)
    Read = _clean(ProviderServicer.Read)
    Update = _clean(ProviderServicer.Update)
    DiffConfig = _clean(_diff_config)
