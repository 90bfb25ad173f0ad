"""A plugin process ends when its engine asks, and finishes what it is doing."""

import os
import signal
import subprocess
import sys
import time

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty
from pulumi.runtime.proto import provider_pb2_grpc

from sandbox.environment import PLUGINS, ROOT

WAIT_SECONDS = 20
# How long the engine waits for a plugin that it ends.
PATIENCE_SECONDS = 5
# Says when it is at work, and needs a while.
SLOW = """
import asyncio
from pulumi.runtime.proto import provider_pb2_grpc
from pulumi.runtime.proto.plugin_pb2 import PluginInfo
from sandbox import plugin

class Slow(provider_pb2_grpc.ResourceProviderServicer):
    async def GetPluginInfo(self, request, context):
        print("at work", flush=True)
        await asyncio.sleep(0.5)
        return PluginInfo(version="7")

plugin.serve(Slow())
"""


@pytest.mark.parametrize("name", ["aws", "eks", "kubernetes"])
def test_a_plugin_with_nothing_to_do_ends_when_the_engine_asks(name):
    """The engine asks by an interrupt, and kills after five seconds."""
    with subprocess.Popen(
        [PLUGINS / f"pulumi-resource-{name}", "127.0.0.1:1"],
        env={**os.environ, "AWS_ENDPOINT_URL": "http://127.0.0.1:1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
        text=True,
    ) as plugin:
        port = plugin.stdout.readline()
        os.killpg(plugin.pid, signal.SIGINT)
        asked = time.monotonic()
        said = plugin.communicate(timeout=WAIT_SECONDS)[1]
        waited = time.monotonic() - asked

    assert 0 < int(port)
    assert "" == said
    assert waited < PATIENCE_SECONDS


def test_a_plugin_at_work_answers_first():
    with subprocess.Popen(
        [sys.executable, "-c", SLOW], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as plugin:
        port = plugin.stdout.readline().strip()
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = provider_pb2_grpc.ResourceProviderStub(channel)
            asked = stub.GetPluginInfo.future(Empty())
            at_work = plugin.stdout.readline()
            plugin.send_signal(signal.SIGINT)
            answer = asked.result(timeout=WAIT_SECONDS)
        code = plugin.wait(timeout=WAIT_SECONDS)

    assert ("at work\n", "7", 0) == (at_work, answer.version, code)
