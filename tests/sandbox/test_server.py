"""The local AWS as a process. What it answers is moto's; see tests/sandbox/aws."""

import http.server
import json
import os
import shutil
import socket
import threading
import time

import boto3
import pytest

from sandbox import account
from sandbox.environment import Layout, for_pulumi, sealed

END_SECONDS = 20


@pytest.fixture
def layout(tmp_path):
    """Give a state folder, and end what was started for it."""
    layout = Layout(state=tmp_path / "state")
    layout.state.mkdir()
    yield layout
    account.stop(layout)


@pytest.fixture
def started(layout):
    return account.start(layout, sealed(os.environ, layout))


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """Give an account for the tests that change nothing, and its state folder."""
    layout = Layout(state=tmp_path_factory.mktemp("shared"))
    yield account.start(layout, sealed(os.environ, layout)), layout
    account.stop(layout)


def client(layout, local, service, monkeypatch):
    environ = for_pulumi(os.environ, layout, tools=layout.state, port=local.port)
    for name in ("AWS_ENDPOINT_URL", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, environ[name])
    return boto3.Session(region_name="eu-west-1").client(service)


def accepts(host, port):
    try:
        socket.create_connection((host, port), timeout=5).close()
    except OSError:
        return False
    return True


def test_a_started_account_is_found_and_answers(shared, monkeypatch):
    local, layout = shared
    identity = client(layout, local, "sts", monkeypatch).get_caller_identity()

    assert local == account.find(layout)
    assert "123456789012" == identity["Account"]


def test_the_account_knows_the_policies_that_aws_manages(shared, monkeypatch):
    local, layout = shared
    policy = client(layout, local, "iam", monkeypatch).get_policy(
        PolicyArn="arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"
    )

    assert "AmazonEKSWorkerNodePolicy" == policy["Policy"]["PolicyName"]


def test_it_listens_on_this_machine_only(shared):
    """Another loopback address would be answered if it listened on all."""
    local, _ = shared

    assert accepts("127.0.0.1", local.port)
    assert not accepts("127.0.0.2", local.port)


@pytest.mark.usefixtures("started")
def test_a_stopped_account_is_gone_and_can_be_stopped_again(layout):
    account.stop(layout)
    account.stop(layout)

    assert account.find(layout) is None
    assert not layout.server.exists()


def test_it_ends_by_itself_when_its_folder_is_deleted(layout, started):
    shutil.rmtree(layout.state)
    deadline = time.monotonic() + END_SECONDS
    while accepts("127.0.0.1", started.port) and time.monotonic() < deadline:
        time.sleep(0.05)

    assert not accepts("127.0.0.1", started.port)


def test_it_gives_way_to_a_second_one_in_its_folder(layout, started):
    second = account.start(layout, sealed(os.environ, layout))

    assert second == account.find(layout)
    assert second.pid != started.pid


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"pid": 1, "port": 1}'])
def test_a_damaged_or_stale_note_finds_nothing(layout, text):
    layout.server.write_text(text)

    assert account.find(layout) is None


def test_a_stranger_on_the_noted_port_is_not_taken_for_the_account(layout):
    class Stranger(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802 (named by http.server)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"pid": 1, "state": "/elsewhere"}')

        def log_message(self, *_):
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Stranger) as stranger:
        threading.Thread(target=stranger.handle_request, daemon=True).start()
        noted = {"pid": 1, "port": stranger.server_port}
        layout.server.write_text(json.dumps(noted))

        assert account.find(layout) is None


def test_a_start_that_fails_says_why(layout, monkeypatch):
    monkeypatch.setattr(account.sys, "executable", "/bin/false")
    with pytest.raises(account.AccountError) as caught:
        account.start(layout, sealed(os.environ, layout))

    assert f"the local AWS did not start, log {layout.server_log}\n" == str(
        caught.value
    )
