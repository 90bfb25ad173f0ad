"""
Stack files are read as the Pulumi CLI reads them.

The expected values were printed once by a program under CLI 3.274; no CLI runs here.
"""

import pulumi
import pytest

from infra import stack_file

PROJECT = "name: eks-jobs\n"


@pytest.fixture
def root(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text(PROJECT)
    (tmp_path / "Pulumi.alpha.yaml").write_text("config: {}\n")
    return tmp_path


def read(root, text: str | bytes):
    content = text if isinstance(text, bytes) else text.encode()
    (root / "Pulumi.alpha.yaml").write_bytes(content)
    return stack_file.read_config(root, "alpha")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("yes", "yes"),
        ("on", "on"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("1.36", 1.36),
        ("1.30", 1.3),
        ("3.0", 3),
        ("8e3", 8000),
        ("1_000", 1000),
        ("010", 8),
        ("0o17", 15),
        ("0x10", 16),
        ("0b11", 3),
        ("-7", -7),
        ("09", 9),
        ("0x_", "0x_"),
        ("1:30", "1:30"),
        ("123456789012345678901234567890", 1.2345678901234568e29),
        ("9" * 5000, float("inf")),
        (".inf", float("inf")),
        ("2026-01-01", "2026-01-01 00:00:00 +0000 UTC"),
        ("2026-01-01T10:20:30Z", "2026-01-01 10:20:30 +0000 UTC"),
        ("2026-13-45", "2026-13-45"),
        ('"1.36"', "1.36"),
        ("{secure: v1:abc=}", stack_file.SECRET_TEXT),
        ("[{secure: v1:abc=}]", [stack_file.SECRET_TEXT]),
        ("{secure: v1:abc=, more: 1}", {"secure": "v1:abc=", "more": 1}),
        ("{secure: 1}", {"secure": 1}),
    ],
)
def test_a_value_is_what_the_cli_hands_to_a_program(root, text, expected):
    actual = read(root, f"config:\n  eks-jobs:x: {text}\n")

    assert {"eks-jobs:x": expected} == actual
    assert type(expected) is type(actual["eks-jobs:x"])


def test_a_key_without_namespace_belongs_to_the_project(root):
    actual = read(root, "config: {network: {}, aws:region: here}\n")

    assert {"eks-jobs:network": {}, "aws:region": "here"} == actual


def test_anchors_and_merge_keys_work(root):
    actual = read(root, "config: {a: &a {x: 1}, b: {<<: *a, y: 2}}\n")

    assert {"x": 1, "y": 2} == actual["eks-jobs:b"]


@pytest.mark.parametrize("text", ["", "config:\n", "encryptionsalt: v1:x\n"])
def test_a_file_without_configuration_is_empty(root, text):
    actual = read(root, text or "{}")

    assert {} == actual


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "Pulumi.alpha.yaml: expected a map"),
        ("config: []", "Pulumi.alpha.yaml: config: expected a map"),
        ("config: x", "Pulumi.alpha.yaml: config: expected a map"),
        (
            "config: {a: 1, a: 2}",
            "Pulumi.alpha.yaml: line 1, column 16: key a stands twice",
        ),
        (
            "config: {a: {b: 1, b: 2}}",
            "Pulumi.alpha.yaml: line 1, column 20: key b stands twice",
        ),
        (
            "config: {[a]: 1}",
            "Pulumi.alpha.yaml: line 1, column 10: found unhashable key",
        ),
        (
            "config: [",
            "Pulumi.alpha.yaml: line 1, column 10: expected the node content, "
            "but found '<stream end>'",
        ),
        (
            "config: !!python/object:os.system {}",
            "Pulumi.alpha.yaml: line 1, column 9: could not determine a constructor "
            "for the tag 'tag:yaml.org,2002:python/object:os.system'",
        ),
        (
            b"config: \xff",
            "Pulumi.alpha.yaml: cannot be read: unacceptable character #x00ff: "
            'invalid start byte in "<byte string>", position 8',
        ),
        (
            "config: " + "[" * 1000,
            "Pulumi.alpha.yaml: nested too deeply",
        ),
    ],
)
def test_a_file_that_is_no_stack_file_is_refused_in_one_line(root, text, message):
    with pytest.raises(pulumi.RunError) as caught:
        read(root, text)

    assert message == str(caught.value)


def test_a_stack_without_a_file_names_those_that_have_one(root):
    (root / "Pulumi.prod.yaml").write_text("config: {}\n")

    with pytest.raises(pulumi.RunError) as caught:
        stack_file.read_config(root, "prd")

    assert (
        "Pulumi.prd.yaml: no such stack file, expected one of the stacks alpha, prod"
        == str(caught.value)
    )


def test_a_project_without_a_name_is_refused(root):
    (root / "Pulumi.yaml").write_text("runtime: python\n")

    with pytest.raises(pulumi.RunError) as caught:
        stack_file.project_name(root)

    assert "Pulumi.yaml: name: missing key" == str(caught.value)
