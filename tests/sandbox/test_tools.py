"""Which Pulumi CLI is used. What a built one can do is shown by tests/engine."""

from importlib.metadata import version
from pathlib import Path

import pytest

from sandbox import tools
from sandbox.tools import PROGRAMS, PULUMI, pulumi_folder

SDK = version("pulumi")
BUILT = Path("/built")


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Put a CLI that names the given version on PATH; others are built."""
    monkeypatch.setattr(tools, "obtain", lambda _bundle, _environ: BUILT)

    def install(answer, programs=PROGRAMS):
        for name in programs:
            (tmp_path / name).write_text(f"#!/bin/sh\necho '{answer}'\n")
            (tmp_path / name).chmod(0o755)
        return {"PATH": f"{tmp_path}:/usr/bin:/bin"}

    return install


def later(place):
    numbers = [int(number) for number in SDK.split(".")]
    numbers[place] += 1
    return ".".join(map(str, numbers))


def test_the_tools_are_the_cli_its_python_host_and_their_scripts():
    assert (
        "pulumi-language-python",
        "pulumi",
        "pulumi-language-python-exec",
        "pulumi-resource-pulumi-python",
    ) == PROGRAMS


def test_the_pinned_cli_is_not_older_than_the_sdk():
    (cli,) = (build for build in PULUMI.builds if build.name == "pulumi")

    assert tools._numbers(SDK) <= tools._numbers(cli.version)


@pytest.mark.parametrize("answer", [f"v{SDK}", f"v{later(1)}", f"v{later(2)}-dev.1"])
def test_a_cli_on_path_is_used_when_it_is_new_enough(installed, tmp_path, answer):
    assert tmp_path == pulumi_folder(installed(answer))


def test_a_link_on_path_leads_to_the_folder_of_the_cli(installed, tmp_path):
    installed(f"v{SDK}")
    links = tmp_path / "links"
    links.mkdir()
    (links / "pulumi").symlink_to(tmp_path / "pulumi")

    assert tmp_path == pulumi_folder({"PATH": f"{links}:/usr/bin:/bin"})


def test_without_a_cli_on_path_one_is_built(installed):
    environ = installed(f"v{SDK}", programs=())

    assert pulumi_folder(environ) == BUILT


@pytest.mark.parametrize(
    ("answer", "programs", "reason"),
    [
        (
            "v3.1.0",
            PROGRAMS,
            f"its version is 3.1.0, needed is {SDK} or newer, below 4",
        ),
        (
            "v4.0.0",
            PROGRAMS,
            f"its version is 4.0.0, needed is {SDK} or newer, below 4",
        ),
        ("nonsense", PROGRAMS, "`pulumi version` answers 'nonsense'"),
        (
            f"v{SDK}",
            ["pulumi"],
            "pulumi-language-python, pulumi-language-python-exec, "
            "pulumi-resource-pulumi-python is not beside it",
        ),
    ],
)
def test_another_cli_is_left_alone_and_the_reason_said(
    installed, tmp_path, capsys, answer, programs, reason
):
    assert pulumi_folder(installed(answer, programs)) == BUILT
    assert f"Not using {tmp_path}/pulumi: {reason}.\n" == capsys.readouterr().out
