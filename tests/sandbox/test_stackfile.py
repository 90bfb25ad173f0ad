"""Copies of stack files. That the CLI accepts the stand-in secret: tests/engine."""

import pytest

from sandbox.environment import Layout
from sandbox.stackfile import _SALT, _STAND_IN, StackFileError, check, copy, rehearsed

PLAIN = 'config:\n  eks-jobs:cluster: {version: "1.36"}  # quoted\n  at: 12:30\n'


def test_a_file_without_secrets_only_gains_the_salt():
    assert (f"{PLAIN}encryptionsalt: {_SALT}\n", 0) == rehearsed(PLAIN)


@pytest.mark.parametrize(
    "keys",
    [
        "encryptionsalt: v1:abc:v1:def:ghi\n",
        "secretsprovider: awskms://alias/pulumi?region=eu-west-1\nencryptedkey: AQI\n",
    ],
)
def test_the_keys_of_the_real_secrets_are_left_out(keys):
    assert (f"{PLAIN}encryptionsalt: {_SALT}\n", 0) == rehearsed(keys + PLAIN)


@pytest.mark.parametrize(
    ("real", "copied"),
    [
        ("    secure: v1:abc/d+e=\n", f"    secure: {_STAND_IN}\n"),
        (
            "  token: {secure: AAAB, x: 1}\n",
            f"  token: {{secure: {_STAND_IN}, x: 1}}\n",
        ),
    ],
)
def test_a_secret_becomes_a_stand_in(real, copied):
    assert (f"{copied}encryptionsalt: {_SALT}\n", 1) == rehearsed(real)


def test_a_last_line_without_an_end_stays_its_own():
    assert f"a: 1\nencryptionsalt: {_SALT}\n" == rehearsed("a: 1")[0]


def test_originals_are_only_read(tmp_path):
    root, layout = tmp_path / "root", Layout(state=tmp_path / "state")
    root.mkdir()
    (root / "Pulumi.yaml").write_text("name: eks-jobs\n")
    (root / "Pulumi.dev.yaml").write_text(PLAIN)
    for path in root.iterdir():
        path.chmod(0o444)
    secrets = copy(layout, "dev", root)

    assert 0 == secrets
    assert PLAIN == (root / "Pulumi.dev.yaml").read_text()
    assert rehearsed(PLAIN)[0] == layout.config("dev").read_text()
    assert "name: eks-jobs\n" == (layout.project / "Pulumi.yaml").read_text()
    copy(layout, "dev", root)


@pytest.mark.parametrize("stack", ["nope", "", "../dev", "dev/../dev", "-x"])
def test_an_unknown_stack_names_the_known_ones(tmp_path, stack):
    for name in ("Pulumi.yaml", "Pulumi.prod.yaml", "Pulumi.a.b.yaml"):
        (tmp_path / name).write_text("")
    with pytest.raises(StackFileError) as caught:
        check(stack, tmp_path)

    assert f"stack must be one of a.b, prod, got stack={stack}" == str(caught.value)
