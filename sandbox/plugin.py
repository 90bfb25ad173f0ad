"""Serves a provider until its engine ends it."""

import asyncio
import signal
from collections.abc import Iterable
from typing import Any

import grpc.aio
from pulumi.runtime._grpc_settings import _GRPC_CHANNEL_OPTIONS
from pulumi.runtime.proto import provider_pb2_grpc

from sandbox import orphan

__all__ = ["engine_of", "serve"]

# The engine kills a second later.
_GRACE_SECONDS = 4.0


def engine_of(arguments: Iterable[str]) -> str:
    """Return the address of the engine, the one argument without dashes."""
    return next((one for one in arguments if not one.startswith("-")), "")


def serve(servicer: Any) -> None:
    """
    Serve on a free port until the engine interrupts this process, or is gone.

    The first line printed is the port. What is at work is finished and answered.

    Args:
        servicer: Answers the calls of the engine.
    """
    orphan.end_with_parent()
    asyncio.run(_serve(servicer))


async def _serve(servicer: Any) -> None:
    interrupted = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, interrupted.set)
    server = grpc.aio.server(options=_GRPC_CHANNEL_OPTIONS)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await interrupted.wait()
    await server.stop(_GRACE_SECONDS)
