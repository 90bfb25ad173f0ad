"""
The generic reader: any dataclass tree out of the values of a file.

It proves nothing about the settings of this project; those are in test_settings.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Literal

import pulumi
import pytest

from infra import reader


@dataclass(frozen=True, kw_only=True, slots=True)
class Disk:
    size_gib: int = 100
    rate: float = 1.5

    def __post_init__(self) -> None:
        if self.size_gib < 1:
            raise ValueError(
                f"size_gib must be at least 1, got size_gib={self.size_gib}\n"
                f"rate must be below size_gib, got rate={self.rate}"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class Shelf:
    disk: Disk = Disk(rate=9.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Rack:
    shelf: Shelf = Shelf(disk=Disk(rate=4.0))


@dataclass(frozen=True, kw_only=True, slots=True)
class Fast:
    kind: ClassVar[Literal["fast"]] = "fast"

    speed: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Slow:
    kind: ClassVar[Literal["slow"]] = "slow"

    delay: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Even:
    kind: ClassVar[Literal["even"]] = "even"
    usual_kind: ClassVar[Literal[True]] = True

    beat: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class New:
    cidr: str = "10.0.0.0/16"
    zones: int | tuple[str, ...] = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Existing:
    vpc_id: str
    subnet_ids: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Tree:
    name: str
    network: New | Existing = New()
    mode: Fast | Slow = Fast()
    only: Fast = Fast()
    disks: tuple[Disk, ...] = ()
    nat: Literal["single", "per-zone"] = "single"
    labels: Mapping[str, str] = field(default_factory=dict)
    debug: bool = False
    limit: int | None = None
    disk: Disk | None = None
    paces: tuple[Slow | Even, ...] = ()


def build(**values) -> Tree:
    return reader.build(Tree, "", {"name": "n"} | values)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, Tree(name="n")),
        ({"limit": None, "disk": None}, Tree(name="n")),
        (
            {"limit": 3, "disk": {"size_gib": 7}},
            Tree(name="n", limit=3, disk=Disk(size_gib=7)),
        ),
        ({"disks": [{}, {"rate": 2}]}, Tree(name="n", disks=(Disk(), Disk(rate=2.0)))),
        ({"network": {}}, Tree(name="n", network=New())),
        ({"network": {"zones": 2}}, Tree(name="n", network=New(zones=2))),
        (
            {"network": {"zones": ["a", "b"]}},
            Tree(name="n", network=New(zones=("a", "b"))),
        ),
        (
            {"network": {"vpc_id": "v", "subnet_ids": ["s"]}},
            Tree(name="n", network=Existing(vpc_id="v", subnet_ids=("s",))),
        ),
        ({"mode": {"kind": "slow", "delay": 3}}, Tree(name="n", mode=Slow(delay=3))),
        ({"only": {"speed": 2}}, Tree(name="n", only=Fast(speed=2))),
        ({"only": {"kind": "fast"}}, Tree(name="n", only=Fast())),
        (
            {"paces": [{"beat": 2}, {"kind": "slow", "delay": 3}, {"kind": "even"}]},
            Tree(name="n", paces=(Even(beat=2), Slow(delay=3), Even())),
        ),
        (
            {"nat": "per-zone", "debug": True},
            Tree(name="n", nat="per-zone", debug=True),
        ),
        (
            {"labels": {"b": "1", "a/b.c": ""}},
            Tree(name="n", labels={"a/b.c": "", "b": "1"}),
        ),
    ],
)
def test_builds_a_tree_of_dataclasses(values, expected):
    actual = build(**values)

    assert expected == actual


def test_what_a_map_leaves_out_is_as_if_the_map_were_left_out():
    expected = Shelf(disk=Disk(size_gib=5, rate=9.0))

    assert expected == reader.build(Shelf, "", {"disk": {"size_gib": 5}})


def test_the_outermost_default_holds_for_maps_inside_maps():
    expected = Rack(shelf=Shelf(disk=Disk(size_gib=5, rate=4.0)))

    assert expected == reader.build(Rack, "", {"shelf": {"disk": {"size_gib": 5}}})


def test_a_number_becomes_a_float_where_one_is_wanted():
    actual = build(disks=[{"rate": 2}]).disks[0].rate

    assert (2.0, float) == (actual, type(actual))


def test_maps_are_read_in_the_order_of_their_keys():
    actual = build(labels={"b": "", "a": ""}).labels

    assert ["a", "b"] == list(actual)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"name": None}, "name: expected a text, got null"),
        ({"name": 1.36}, "name: expected a text, got 1.36; put it in quotes"),
        ({"name": True}, "name: expected a text, got true; put it in quotes"),
        (
            {"name": "2026-01-01 00:00:00 +0000 UTC"},
            "name: expected a text, got 2026-01-01 00:00:00 +0000 UTC; "
            "put it in quotes",
        ),
        ({"name": []}, "name: expected a text, got a list"),
        ({"name": "\ud800"}, 'name: expected valid Unicode, got "\\ud800"'),
        ({"limit": "3"}, 'limit: expected a whole number, got "3"'),
        ({"limit": True}, "limit: expected a whole number, got true"),
        ({"limit": 1.5}, "limit: expected a whole number, got 1.5"),
        (
            {"limit": 2**53 + 1},
            "limit: expected a number of at most 9007199254740992 in size, "
            "got 9007199254740993",
        ),
        (
            {"limit": -(10**70)},
            "limit: expected a number of at most 9007199254740992 in size, "
            f"got -1{'0' * 55}...",
        ),
        (
            {"disk": {"rate": float("nan")}},
            "disk.rate: expected a number of at most 9007199254740992 in size, got nan",
        ),
        (
            {"disk": {"rate": 10**400}},
            "disk.rate: expected a number of at most 9007199254740992 in size, "
            f"got 1{'0' * 56}...",
        ),
        ({"disk": {"rate": False}}, "disk.rate: expected a number, got false"),
        ({"disk": "big"}, 'disk: expected a map, got "big"'),
        ({"debug": "yes"}, 'debug: expected true or false, got "yes"'),
        ({"debug": 1}, "debug: expected true or false, got 1"),
        ({"nat": "both"}, 'nat: expected one of single, per-zone, got "both"'),
        ({"nat": []}, "nat: expected one of single, per-zone, got a list"),
        ({"labels": []}, "labels: expected a map, got a list"),
        (
            {"labels": {"team": True}},
            "labels.team: expected a text, got true; put it in quotes",
        ),
        (
            {"labels": {"a.b/c": 7}},
            'labels["a.b/c"]: expected a text, got 7; put it in quotes',
        ),
        ({"labels": {"team": None}}, "labels.team: expected a text, got null"),
        ({"labels": {"team": {}}}, "labels.team: expected a text, got a map"),
        ({"labels": {7: "x"}}, 'labels["7"]: expected a text as key, got 7'),
        ({"disks": {}}, "disks: expected a list, got a map"),
        ({"disks": None}, "disks: expected a list, got null"),
        ({"disks": [{}, None]}, "disks[1]: expected a map, got null"),
        (
            {"disks": [{"size_gib": 0}]},
            "disks[0]: size_gib must be at least 1, got size_gib=0\n"
            "disks[0]: rate must be below size_gib, got rate=1.5",
        ),
        (
            {"disks": [{"sise_gib": 9}]},
            "disks[0].sise_gib: unknown key, expected one of size_gib, rate; "
            "did you mean size_gib?",
        ),
        (
            {"disks": [{"x\ny": 9}]},
            'disks[0]["x\\ny"]: unknown key, expected one of size_gib, rate',
        ),
        ({"network": "new"}, 'network: expected a map, got "new"'),
        (
            {"network": {"zones": "two"}},
            'network.zones: expected a whole number or a list, got "two"',
        ),
        (
            {"network": {"zones": [1]}},
            "network.zones[0]: expected a text, got 1; put it in quotes",
        ),
        (
            {"network": {"cidr": "c", "vpc_id": "v"}},
            "network: cidr and vpc_id exclude each other, expected the keys cidr, "
            "zones or the keys vpc_id, subnet_ids",
        ),
        (
            {"network": {"vpcid": "v"}},
            "network.vpcid: unknown key, expected one of cidr, zones, vpc_id, "
            "subnet_ids; did you mean vpc_id?",
        ),
        ({"network": {"vpc_id": "v"}}, "network.subnet_ids: missing key"),
        ({"mode": {"speed": 1}}, "mode.kind: missing key, expected one of fast, slow"),
        (
            {"mode": {"kind": "fats"}},
            'mode.kind: expected one of fast, slow, got "fats"',
        ),
        ({"mode": {"kind": []}}, "mode.kind: expected one of fast, slow, got a list"),
        ({"mode": {"kind": "slow"}}, "mode.delay: missing key"),
        (
            {"mode": {"kind": "fast", "delay": 1}},
            "mode.delay: unknown key, expected one of kind, speed",
        ),
        (
            {"paces": [{"delay": 3}]},
            "paces[0].delay: unknown key, expected one of kind, beat",
        ),
        ({"mode": None}, "mode: expected a map, got null"),
        ({"only": {"kind": "slow"}}, 'only.kind: expected one of fast, got "slow"'),
    ],
)
def test_a_wrong_value_names_its_path_and_what_is_accepted(values, message):
    with pytest.raises(pulumi.RunError) as caught:
        build(**values)

    assert message == str(caught.value)


def test_all_problems_are_reported_in_the_order_of_the_fields():
    with pytest.raises(pulumi.RunError) as caught:
        reader.build(
            Tree,
            "here",
            {
                "zeta": 1,
                "alpha": 2,
                "debug": 0,
                "disks": [{"size_gib": "1", "rate": "2"}, 3, {"size_gib": 0}],
                "labels": {"b": 1, "a": 2},
            },
        )

    accepted = (
        "name, network, mode, only, disks, nat, labels, debug, limit, disk, paces"
    )
    assert [
        "here.name: missing key",
        'here.disks[0].size_gib: expected a whole number, got "1"',
        'here.disks[0].rate: expected a number, got "2"',
        "here.disks[1]: expected a map, got 3",
        "here.disks[2]: size_gib must be at least 1, got size_gib=0",
        "here.disks[2]: rate must be below size_gib, got rate=1.5",
        "here.labels.a: expected a text, got 2; put it in quotes",
        "here.labels.b: expected a text, got 1; put it in quotes",
        "here.debug: expected true or false, got 0",
        f"here.alpha: unknown key, expected one of {accepted}",
        f"here.zeta: unknown key, expected one of {accepted}",
    ] == str(caught.value).splitlines()


def test_an_unknown_key_hides_no_other_problem():
    with pytest.raises(pulumi.RunError) as caught:
        reader.build(Disk, "disk", {"size_gib": 0, "sise": 1})

    assert [
        "disk.sise: unknown key, expected one of size_gib, rate",
        "disk: size_gib must be at least 1, got size_gib=0",
        "disk: rate must be below size_gib, got rate=1.5",
    ] == str(caught.value).splitlines()


def test_fields_that_the_program_supplies_are_unknown_in_the_file():
    actual = reader.read_fields(Disk, "disk", {"rate": 1, "size_gib": 2}, ["rate"])

    problem = "disk.rate: unknown key, expected one of size_gib"
    assert ({"size_gib": 2}, [problem]) == actual


def test_what_can_be_read_is_read_beside_what_is_wrong():
    actual = reader.read_fields(Disk, "", {"rate": "1", "size_gib": 2})

    problem = 'rate: expected a number, got "1"'
    assert ({"size_gib": 2}, [problem]) == actual


def test_a_type_that_cannot_be_read_is_a_bug_and_not_a_wrong_file():
    @dataclass
    class Odd:
        value: complex

    with pytest.raises(TypeError, match="^value: cannot read <class 'complex'>$"):
        reader.build(Odd, "", {"value": 1})
