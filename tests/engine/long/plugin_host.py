"""
A language host that runs plugins in Python as the current one does.

The last host that is a Go module knows an older form of the request. This one does what
the current one says it does with a folder that is no package: it runs the folder.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import grpc
from google.protobuf import empty_pb2
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2


class PluginHost(language_pb2_grpc.LanguageRuntimeServicer):
    """Serves what the CLI asks for when a package is a folder of Python."""

    def GetPluginInfo(self, _request, _context):  # noqa: N802 (named by the protocol)
        return plugin_pb2.PluginInfo(version="3.0.0")

    def InstallDependencies(self, _request, _context):  # noqa: N802 (see above)
        """Have nothing to install: the interpreter holds every pin."""
        return iter(())

    def RunPlugin(self, request, context):  # noqa: N802 (named by the protocol)
        process = subprocess.Popen(
            [sys.executable, request.info.program_directory, *request.args],
            cwd=request.pwd,
            env=dict(one.split("=", 1) for one in request.env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        context.add_callback(process.terminate)
        assert process.stdout is not None
        for line in process.stdout:
            yield language_pb2.RunPluginResponse(stdout=line)
        yield language_pb2.RunPluginResponse(exitcode=process.wait())

    def Cancel(self, _request, _context):  # noqa: N802 (named by the protocol)
        return empty_pb2.Empty()


def main() -> None:
    """Serve until the CLI interrupts this process, or is gone."""
    server = grpc.server(ThreadPoolExecutor(max_workers=8))
    language_pb2_grpc.add_LanguageRuntimeServicer_to_server(PluginHost(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    parent = os.getppid()
    with suppress(KeyboardInterrupt):
        while os.getppid() == parent:
            server.wait_for_termination(timeout=1)


if __name__ == "__main__":
    main()
