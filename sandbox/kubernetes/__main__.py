"""The plugin process: prints its port, then answers the engine."""

import asyncio
import contextlib
import sys
from importlib.metadata import version

import grpc.aio
from pulumi.runtime.proto import provider_pb2_grpc

from sandbox import orphan
from sandbox.kubernetes.provider import KubernetesProvider
from sandbox.kubernetes.servicer import Servicer

# The engine sends whole stacks in one message; gRPC's own limit is 4 MiB.
_OPTIONS = [("grpc.max_receive_message_length", 400 * 1024 * 1024)]


async def serve(engine: str) -> None:
    """Serve on a free port until the engine ends the process."""
    server = grpc.aio.server(options=_OPTIONS)
    servicer = Servicer(
        [], version("pulumi-kubernetes"), KubernetesProvider(), engine_address=engine
    )
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    print(port, flush=True)
    await server.wait_for_termination()


if __name__ == "__main__":
    orphan.end_with_parent()
    # The address of the engine is the one argument without dashes.
    (address, *_) = [word for word in sys.argv[1:] if not word.startswith("-")]
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(address))
