"""
docs/reference.md names every key of a stack file, and nothing else.

Not proven here: that a meaning is told well.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

import pulumi
import pytest
import yaml

from infra import settings
from infra.settings import GIVEN
from scripts import reference
from scripts.reference import Key

ROOT = Path(__file__).parent.parent
SECTIONS = reference.sections()

# Maps whose keys are names of the user's, and whose values have keys of their own.
MAPS = {one.path for one in SECTIONS if one.path.endswith(".<name>")}


@dataclass(frozen=True, kw_only=True)
class Fast:
    """
    A disk.

    Args:
        iops: Operations, at most ``*`` of *size*
            and more.

    Sources:
        A guess.
    """

    kind: ClassVar[Literal["fast"]] = "fast"
    iops: int = 3


@dataclass(frozen=True, kw_only=True)
class Slow:
    """
    A tape.

    Args:
        reels: How many.
    """

    kind: ClassVar[Literal["slow"]] = "slow"
    usual_kind: ClassVar[bool] = True
    reels: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class File:
    """
    A file.

    Args:
        disk: The disk.
        names: Names.
    """

    disk: Fast | Slow = Fast(iops=4)
    names: dict[str, str] | None = field(default_factory=dict)


def test_the_document_is_what_the_command_writes():
    assert reference.reference() == (ROOT / reference.FILE).read_text()


def test_every_key_has_a_meaning_and_stands_once_in_its_section():
    assert [] == [
        key.path for _, key in reference.keys(SECTIONS) if not key.meaning.strip()
    ]
    for section in SECTIONS:
        assert len(section.keys) == len({key.name for key in section.keys})


def test_every_key_of_the_committed_stacks_is_listed():
    listed = {key.path for _, key in reference.keys(SECTIONS)}
    paths = {
        path
        for file in ROOT.glob("Pulumi.*.yaml")
        for name, value in yaml.safe_load(file.read_text())["config"].items()
        if ":" not in name
        for path in paths_of(name, value, listed)
    }

    assert "network.cidr" in paths
    assert set() == paths - listed


@pytest.mark.parametrize("name", GIVEN)
def test_what_the_program_fills_in_is_no_key(name):
    with pytest.raises(pulumi.RunError) as caught:
        settings.read({name: "x"}, region="eu-central-1", cluster_name="c")

    assert f"{name}: unknown key" in str(caught.value)


def test_a_class_is_told_by_its_fields_and_its_docstring():
    (of_file, of_fast, of_slow) = reference.sections(File)

    assert ("", "", "disk (kind: fast)", "disk (kind: slow)") == (
        of_file.path,
        of_file.variant,
        of_fast.title,
        of_slow.title,
    )
    assert [
        Key(
            path="disk.kind",
            name="kind",
            type="`fast`",
            default="",
            meaning="Says that the keys below are meant.",
        ),
        Key(
            path="disk.iops",
            name="iops",
            type="whole number",
            default="`3`",
            meaning="Operations, at most `*` of `size` and more.",
        ),
    ] == list(of_fast.keys)
    assert ["`slow`", ""] == [key.default for key in of_slow.keys]
    assert ("map", "`{kind: fast, iops: 4}`") == (
        of_file.keys[0].type,
        of_file.keys[0].default,
    )
    assert "list of whole number" == of_slow.keys[1].type


def paths_of(path: str, value: Any, listed: set[str]) -> set[str]:
    """Name the values of a file as the reference names their keys."""
    if isinstance(value, list):
        return {one for item in value for one in paths_of(f"{path}[]", item, listed)}
    if not isinstance(value, dict):
        return {path.removesuffix("[]")}
    if not any(key.startswith((f"{path}.", f"{path}[")) for key in listed):
        return {path}
    return {
        one
        for key, item in value.items()
        for one in paths_of(
            f"{path}.{key}" if f"{path}.<name>" not in MAPS else f"{path}.<name>",
            item,
            listed,
        )
    }
