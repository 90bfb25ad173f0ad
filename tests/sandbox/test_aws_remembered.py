"""Answers about the SDK of AWS that the plugin keeps for its next run."""

import subprocess
import sys
from importlib.metadata import version

import pytest

from sandbox.aws import remembered, schema, serve
from tests.engine.project import ROOT

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
FUNCTION = "aws:ec2/getSubnet:getSubnet"

NEXT_RUN = f"""
import sys
from pathlib import Path

from sandbox.aws import remembered, schema

remembered.recall(Path(sys.argv[1]))
assert schema.arguments("{TEMPLATE}").fields["userData"].kind == "string"
assert "region" in schema.outputs("{TEMPLATE}")
assert "filters" in schema.function_arguments("{FUNCTION}")
assert "endpoints" in schema.configuration().fields
print("pulumi_aws" in sys.modules)
"""


@pytest.fixture
def kept(tmp_path):
    """Return a file that holds what was asked of one type and one function."""
    schema.arguments(TEMPLATE)
    schema.outputs(TEMPLATE)
    schema.function_arguments(FUNCTION)
    schema.configuration()
    file = remembered.file_of("1.2.3", tmp_path / "new")
    remembered.keep(file)
    return file


def recalled(file, monkeypatch):
    """Return what a process that knows nothing takes over from a file."""
    names = list(remembered._answers)
    with monkeypatch.context() as patch:
        patch.setattr(remembered, "_answers", {name: {} for name in names})
        remembered.recall(file)
        return remembered._answers


def test_the_next_run_loads_no_class_of_the_sdk(kept):
    done = subprocess.run(
        [sys.executable, "-c", NEXT_RUN, kept],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert ("False\n", "") == (done.stdout, done.stderr)


def test_every_answer_comes_back_as_it_was(kept, monkeypatch):
    assert remembered._answers == recalled(kept, monkeypatch)


def test_what_another_run_has_kept_stays(kept, monkeypatch):
    before = kept.read_text()
    names = list(remembered._answers)
    monkeypatch.setattr(remembered, "_answers", {name: {} for name in names})
    remembered.keep(kept)

    assert before == kept.read_text()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"arguments": {"a": {"kind": "list"}}}']
)
def test_a_broken_file_counts_as_none(kept, monkeypatch, text):
    kept.write_text(text)

    assert not any(recalled(kept, monkeypatch).values())


def test_a_type_that_does_not_exist_is_asked_for_each_time():
    for _ in range(2):
        with pytest.raises(LookupError, match="no resource type aws:ec2/vcp:Vcp"):
            schema.arguments("aws:ec2/vcp:Vcp")


def test_another_version_has_another_file(tmp_path):
    first, second = (remembered.file_of(one, tmp_path) for one in ("1.0.0", "1.0.1"))

    assert first != second


def test_other_code_has_another_file(tmp_path, monkeypatch):
    for name in remembered._SOURCES:
        (tmp_path / name).write_bytes((remembered._HERE / name).read_bytes())
    files = [remembered.file_of("1.0.0", tmp_path)]
    monkeypatch.setattr(remembered, "_HERE", tmp_path)
    files.append(remembered.file_of("1.0.0", tmp_path))
    for name in remembered._SOURCES:
        (tmp_path / name).write_text("")
        files.append(remembered.file_of("1.0.0", tmp_path))

    assert files[0] == files[1]
    assert 1 + len(remembered._SOURCES) == len(set(files))


def test_the_plugin_recalls_before_it_serves_and_keeps_afterwards(monkeypatch):
    done = []
    monkeypatch.setattr(serve, "endpoint", lambda _: "http://127.0.0.1:1")
    monkeypatch.setattr(serve, "forget_real_account", lambda _: None)
    monkeypatch.setattr(remembered, "recall", lambda file: done.append(file))
    monkeypatch.setattr(serve.plugin, "serve", lambda _: done.append("served"))
    monkeypatch.setattr(remembered, "keep", lambda file: done.append(file))
    file = remembered.file_of(version("pulumi-aws"))

    assert 0 == serve.main(["127.0.0.1:1"])
    assert [file, "served", file] == done


def test_without_a_folder_to_write_to_nothing_is_kept(tmp_path):
    (tmp_path / "file").write_text("")
    remembered.keep(tmp_path / "file" / "below.json")

    assert [tmp_path / "file"] == [one for one in tmp_path.iterdir() if one.is_file()]
