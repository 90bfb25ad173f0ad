"""
Whole stack files at random: valid ones deploy, damaged ones are refused by name.

Not proven here: that AWS accepts what is deployed; the fake engine takes anything that
the SDKs know.
"""

import json
from copy import deepcopy
from functools import cache
from typing import Any

import pulumi
import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from infra import program, settings
from tests.settings_data import REGION, stack_files

# What belongs to the team and is only looked up.
ANSWERS = {
    "aws:iam/getRole:getRole": {"arn": "arn:test:role/nodes"},
    "aws:iam/getInstanceProfile:getInstanceProfile": {
        "roleArn": "arn:test:role/nodes",
        "roleName": "nodes",
    },
}

Path = tuple[str | int, ...]

# To draw a file takes some 20 ms, to read one 5 ms, to deploy one 200 ms.
FILES, DEPLOYED = 40, 6


@cache
def files() -> list[dict[str, Any]]:
    """Draw files once, for all tests of this module: small ones come first."""
    found: list[dict[str, Any]] = []

    @hypothesis_settings(
        max_examples=FILES,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(stack_files())
    def collect(values):
        # By way of JSON, since two places of a drawn file may share a value.
        found.append(json.loads(json.dumps(values)))

    collect()
    return found


def read(values: dict[str, Any]) -> settings.Settings:
    return settings.read(values, region=REGION, cluster_name="eks-jobs-test")


def test_every_file_is_read():
    for values in files():
        assert len(values["jobs"]) == len(read(values).jobs)


@pytest.mark.parametrize("place", range(1, DEPLOYED + 1))
def test_the_largest_files_deploy(deploy, place):
    values = sorted(files(), key=lambda one: len(str(one)))[-place]
    selected = read(values)

    deployment = deploy(lambda: program.deploy(selected), answers=ANSWERS)
    groups = [
        *values["servers"],
        *values["jobs"],
        *values["scaler"].get("server_pools", []),
    ]

    assert {group["name"] for group in groups} == set(deployment.exports["groups"])


def places(value: Any, path: Path = ()):
    """List every place of a tree."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))


def named(path: Path) -> str:
    """Name a place as the program does, and `pulumi config set --path`."""
    text = ""
    for key in path:
        if isinstance(key, int):
            text += f"[{key}]"
        elif not key.replace("_", "").replace("-", "").isalnum() or key[0].isdigit():
            text += f"[{json.dumps(key)}]"
        else:
            text += f".{key}" if text else key
    return text


def at(tree: Any, path: Path) -> Any:
    for key in path:
        tree = tree[key]
    return tree


# Maps whose keys are the user's own.
FREE = {
    "addons",
    "alert_labels",
    "dashboard_labels",
    "feature_gates",
    "labels",
    "options",
    "pools",
    "protection",
    "tags",
}


@st.composite
def damaged(draw, kinds):
    """Draw a valid file with one damage, and what a refusal of it may name."""
    values = deepcopy(draw(st.sampled_from(files())))
    found = {
        kind: [path for path in places(values) if fits(kind, values, path)]
        for kind in kinds
    }
    kind = draw(st.sampled_from([kind for kind in kinds if found[kind]]))
    path = draw(st.sampled_from(found[kind]))
    inside, key = at(values, path[:-1]), path[-1]
    words = [words_of(values, path)]
    if kind == "rename":
        inside[f"{key}_"] = inside.pop(key)
        return values, [(named((*path[:-1], f"{key}_")),)]
    if kind == "mistype":
        inside[key] = [[]]
    elif kind == "delete":
        del inside[key]
    elif kind == "number":
        inside[key] = draw(st.sampled_from([-1, 0, 1, 10**6, 2**60]))
    elif kind == "double":
        inside.append(deepcopy(inside[key]))
    else:
        apart = [one for one in found[kind] if not within(one, path)]
        other = draw(st.sampled_from(apart))
        there = at(values, other[:-1])
        words.append(words_of(values, other))
        inside[key], there[other[-1]] = there[other[-1]], inside[key]
    return values, words


def within(one: Path, other: Path) -> bool:
    least = min(len(one), len(other))
    return one[:least] == other[:least]


def fits(kind: str, values: dict[str, Any], path: Path) -> bool:
    value, key = at(values, path), path[-1]
    if kind == "rename":
        # What is below a map of the user's own has names of the user's.
        return isinstance(key, str) and not FREE & {path[-2:][0]}
    if kind == "number":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "double":
        return isinstance(key, int)
    return True


def words_of(values: dict[str, Any], path: Path) -> tuple[str, ...]:
    """
    Return the path of a place, then words of which a refusal must say one.

    A rule of an object names its field below the path of the object; what refers to a
    group says its name.
    """
    above = [named(path[:length]) for length in range(2, len(path))]
    key = next(key for key in reversed(path) if isinstance(key, str))
    value = at(values, path)
    name = [value["name"]] if isinstance(value, dict) and "name" in value else []
    return (named(path), *above, key, *name)


def problems(values: dict[str, Any]) -> list[str]:
    """Return the lines with which a file is refused; none when it is read."""
    try:
        read(values)
    except pulumi.RunError as error:
        return str(error).split("\n")
    return []


@hypothesis_settings(max_examples=60)
@given(damaged(["rename", "mistype"]))
def test_what_cannot_be_read_is_refused_by_its_path(drawn):
    values, ((path, *_),) = drawn

    assert [] != [line for line in problems(values) if line.startswith(path)]


@hypothesis_settings(max_examples=100)
@given(damaged(["delete", "number", "double", "swap"]))
def test_any_other_damage_is_still_valid_or_refused_by_name(drawn):
    values, touched = drawn
    lines = problems(values)
    words = {word for some in touched for word in some}

    assert [] == [line for line in lines if ": " not in line]
    assert not lines or any(word in line for word in words for line in lines)


def test_a_misspelt_kind_is_named_beside_the_missing_one():
    values = {"scaler": {"kinds": "karpenter", "version": "1.15.1"}}

    assert [
        "scaler.kind: missing key, expected one of karpenter, cluster-autoscaler, "
        "auto-mode",
        "scaler.kinds: unknown key, expected one of kind, ",
    ] == [line.partition("version")[0] for line in problems(values) if "kind" in line]


def test_a_ratio_of_nothing_is_refused_by_its_path():
    """The volume divides by it, which once ended in a traceback."""
    group = {
        "name": "job",
        "architecture": "amd64",
        "instance_types": ["m7i.4xlarge"],
        "volume": {"limits": {"iops_per_gib": 0}},
    }

    assert (
        "jobs[0].volume.limits: iops_per_gib must be at least 1, got iops_per_gib=0"
    ) in problems({"jobs": [group]})
