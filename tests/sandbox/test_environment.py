"""The seal around the sandbox. That the engine works inside it: tests/engine."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import boto3
import botocore.exceptions
import pytest
from botocore.config import Config

from sandbox.environment import ROOT, Layout, for_pulumi, sealed
from sandbox.standins import install

REAL = {
    "AWS_ACCESS_KEY_ID": "AKIAREAL",
    "AWS_SECRET_ACCESS_KEY": "real",
    "AWS_SESSION_TOKEN": "real",
    "AWS_PROFILE": "production",
    "AWS_DEFAULT_PROFILE": "production",
    "AWS_REGION": "eu-west-1",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.170.23/v1/credentials",
    "AWS_WEB_IDENTITY_TOKEN_FILE": "/var/run/secrets/token",
    "AWS_ROLE_ARN": "arn:aws:iam::111122223333:role/real",
    "AWS_ENDPOINT_URL_EC2": "https://ec2.eu-west-1.amazonaws.com",
    "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true",
    "PULUMI_ACCESS_TOKEN": "pul-real",
    "PULUMI_CONFIG_PASSPHRASE_FILE": "/real",
    "PULUMI_STACK": "prod",
    "PULUMI_BACKEND_URL": "s3://real",
    "KUBECONFIG": "/home/me/.kube/config",
    "HELM_REPOSITORY_CONFIG": "/home/me/helm",
    "PYTHONPATH": "/home/me/python",
    "all_proxy": "socks5://proxy:1080",
    "HTTPS_PROXY": "http://proxy:8080",
    "HOME": "/home/me",
}


@pytest.fixture
def layout(tmp_path):
    return Layout(state=tmp_path)


def test_nothing_of_the_real_account_remains(layout):
    environ = for_pulumi(
        REAL | {"PATH": "/bin"}, layout, tools=Path("/tools"), port=4566
    )

    assert [] == [
        name for name, value in environ.items() if value == REAL.get(name, object())
    ]
    assert {
        "AWS_ACCESS_KEY_ID": "sandbox",
        "AWS_SECRET_ACCESS_KEY": "sandbox",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:4566",
    } == {name: value for name, value in environ.items() if name.startswith("AWS_")}


def test_other_variables_of_the_user_stay(layout):
    environ = sealed({"LANG": "ko_KR.UTF-8", "TERM": "xterm"}, layout)

    assert ("ko_KR.UTF-8", "xterm") == (environ["LANG"], environ["TERM"])


def test_how_often_the_state_is_saved_is_for_the_caller_to_say(layout):
    given = {"PATH": "/bin", "PULUMI_SKIP_CHECKPOINTS": "true"}
    environ = for_pulumi(given, layout, tools=Path("/tools"), port=1)

    assert "true" == environ["PULUMI_SKIP_CHECKPOINTS"]


def test_the_cli_and_the_virtual_environment_come_first_on_path(layout):
    environ = for_pulumi({"PATH": "/bin"}, layout, tools=Path("/tools"), port=1)

    assert [
        "/tools",
        str(Path(sys.prefix) / "bin"),
        "/bin",
    ] == environ["PATH"].split(os.pathsep)


def test_a_provider_on_path_does_not_take_the_place_of_a_stand_in(layout):
    environ = for_pulumi({"PATH": "/bin"}, layout, tools=Path("/tools"), port=1)

    assert "true" == environ["PULUMI_IGNORE_AMBIENT_PLUGINS"]


def test_each_stand_in_is_found_under_the_version_of_its_sdk(layout):
    install(layout)
    plugins = layout.home / ".pulumi" / "plugins"
    launchers = sorted(plugins.rglob("pulumi-resource-*"))

    assert [
        f"resource-{name}-v{version(f'pulumi-{name}')}/pulumi-resource-{name}"
        for name in ("aws", "eks", "kubernetes")
    ] == [str(path.relative_to(plugins)) for path in launchers]
    assert [
        [f'exec "{ROOT}/sandbox/plugins/{path.name}" "$@"'] for path in launchers
    ] == [path.read_text().splitlines()[1:] for path in launchers]
    assert all(
        os.access(ROOT / "sandbox" / "plugins" / path.name, os.X_OK)
        for path in launchers
    )


def test_the_state_is_in_the_checkout_unless_chosen():
    assert ROOT / ".sandbox" == Layout.of({}).state
    assert Path("/chosen") == Layout.of({"EKS_JOBS_SANDBOX": "/chosen"}).state


def test_credentials_in_files_are_not_found(layout, tmp_path):
    home = tmp_path / "real-home"
    (home / ".aws").mkdir(parents=True)
    (home / ".aws" / "credentials").write_text(
        "[default]\naws_access_key_id = AKIAREAL\naws_secret_access_key = real\n"
    )
    script = "import boto3; print(boto3.Session().get_credentials().access_key)"
    environ = REAL | {"PATH": os.environ["PATH"], "HOME": str(home)}
    printed = subprocess.run(
        [sys.executable, "-c", script],
        env=sealed(environ, layout),
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert "sandbox\n" == printed


def test_a_request_to_the_real_aws_does_not_leave_the_machine(layout, monkeypatch):
    for name, value in sealed(os.environ, layout).items():
        monkeypatch.setenv(name, value)
    client = boto3.Session(region_name="eu-west-1").client(
        "sts",
        endpoint_url="https://sts.eu-west-1.amazonaws.com",
        config=Config(retries={"total_max_attempts": 1}),
    )
    with pytest.raises(botocore.exceptions.ProxyConnectionError) as caught:
        client.get_caller_identity()

    assert "http://127.0.0.1:9" in str(caught.value)
