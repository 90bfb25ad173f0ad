"""
The AWS plugin as a process: how it starts, what it refuses, how it words an error.

The engine itself is in tests/engine; here its protocol is spoken by hand.
"""

import json
import os
import subprocess
import time
from pathlib import Path

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.provider.experimental.property_value import PropertyValue
from pulumi.runtime import proto
from pulumi.runtime.proto import provider_pb2_grpc

from sandbox.wire import wrap_map
from tests.sandbox.aws_driver import REGION, served, urn

PLUGIN = Path(__file__).parents[3] / "sandbox/plugins/pulumi-resource-aws"
VPC = "aws:ec2/vpc:Vpc"
END_SECONDS = 20


def environment(**variables):
    kept = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
    return kept | {"AWS_ACCESS_KEY_ID": "real", "AWS_PROFILE": "prod"} | variables


@pytest.fixture(scope="module")
def plugin():
    with served() as account:
        process = subprocess.Popen(
            [PLUGIN, "127.0.0.1:1"],
            env=environment(AWS_ENDPOINT_URL=account.url),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = provider_pb2_grpc.ResourceProviderStub(channel)
            settings = struct({"region": REGION})
            stub.Configure(proto.ConfigureRequest(args=settings))
            yield stub
        process.terminate()
        rest = process.communicate()[0]
    assert rest == "", "only the port goes to stdout"


def struct(values):
    return PropertyValue.marshal_map(wrap_map(values))


def said(caught):
    assert isinstance(caught.value, grpc.Call)
    return caught.value.details()


def create(plugin, token, inputs):
    request = proto.CreateRequest(urn=urn(token, "x"), properties=struct(inputs))
    return plugin.Create(request)


@pytest.mark.parametrize("url", [None, "https://ec2.ap-northeast-2.amazonaws.com"])
def test_refuses_to_start_without_the_sandbox(url):
    variables = {"AWS_ENDPOINT_URL": url} if url else {}
    ended = subprocess.run(
        [PLUGIN, "127.0.0.1:1"],
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (
        1,
        "",
        "pulumi-resource-aws: AWS_ENDPOINT_URL must be the address of the sandbox on "
        f"this machine, such as http://127.0.0.1:5000, got {url or ''!r}\n",
    ) == (ended.returncode, ended.stdout, ended.stderr)


def test_ends_with_the_engine(tmp_path):
    """A shell stands in for the engine: it is gone as soon as the plugin serves."""
    script = '"$1" x >"$2" & until [ -s "$2" ]; do sleep 0.1; done; echo $!'
    started = subprocess.run(
        ["sh", "-c", script, "sh", PLUGIN, tmp_path / "port"],
        env=environment(AWS_ENDPOINT_URL="http://127.0.0.1:1"),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    pid, deadline = int(started.stdout), time.monotonic() + END_SECONDS
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.1)

    assert not is_running(pid)


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_says_which_version_it_imitates(plugin):
    nothing = empty_pb2.Empty()  # ty: ignore[missing-attribute] (made at run time)

    assert "7.51.1" == plugin.GetPluginInfo(nothing).version


def test_makes_a_resource(plugin):
    answer = create(
        plugin,
        VPC,
        {
            "cidrBlock": "10.0.0.0/16",
            "enableDnsSupport": True,
            "instanceTenancy": "default",
        },
    )

    assert answer.id.startswith("vpc-")


@pytest.mark.parametrize(
    ("token", "inputs", "text"),
    [
        (
            "aws:s3/bucket:Bucket",
            {},
            "the sandbox does not imitate the resource type aws:s3/bucket:Bucket",
        ),
        (
            VPC,
            {"cidrBlock": "10.0.0.0/8", "instanceTenancy": "none"},
            "ec2:CreateVpc: InstanceTenancy must be one of default, dedicated, host, "
            "got 'none'",
        ),
    ],
)
def test_an_error_that_a_user_can_act_on_has_no_traceback(plugin, token, inputs, text):
    with pytest.raises(grpc.RpcError) as caught:
        create(plugin, token, inputs)

    assert text == said(caught)


def test_an_error_of_the_plugin_keeps_its_traceback(plugin):
    """Inputs without the defaults of `check` are a bug of whoever sent them."""
    with pytest.raises(grpc.RpcError) as caught:
        create(plugin, VPC, {})

    assert "ec2_vpc.py" in said(caught)


def test_nested_settings_arrive_as_json(plugin):
    tags = json.dumps({"tags": {"team": "x"}})
    settings = struct({"region": REGION, "defaultTags": tags})
    plugin.Configure(proto.ConfigureRequest(args=settings))
    answer = create(
        plugin,
        "aws:sqs/queue:Queue",
        {"name": "tagged", "fifoQueue": False},
    )

    assert "x" == answer.properties["tagsAll"]["team"]
