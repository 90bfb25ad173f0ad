"""
What `render` writes about balloons, and that a deployment agrees with it.

The stacks that are committed are in test_render.py; here are the kinds and scalers
that none of them has.
"""

from typing import Any

import pytest
import yaml

from infra import program, render, settings
from infra.summary import summary
from tests.stack_values import GROUPS

RELEASE = "kubernetes:helm.sh/v3:Release"
HELD = {"group": "job", "replicas": 2, "cpu": "500m", "memory": "1Gi"}
OFFICE = {
    "timezone": "Asia/Seoul",
    "days": ["mon-fri"],
    "start": "08:30",
    "end": "18:00",
}


def read(**keys) -> settings.Settings:
    good: dict[str, Any] = {
        "network": {
            "vpc_id": "vpc-1",
            "subnet_ids": ["subnet-1", "subnet-2"],
            "subnet_cidrs": ["10.0.0.0/18", "10.0.64.0/18"],
        },
        "cluster": {"version": "1.36"},
        **GROUPS,
    }
    return settings.read(good | keys, region="ap-northeast-2", cluster_name="c")


AUTO_MODE = {
    "scaler": {"kind": "auto-mode"},
    "balloons": [HELD, {"kind": "static", "group": "job", "nodes": 3}],
}
MANAGED = {
    "scaler": {"kind": "cluster-autoscaler", "groups": "managed"},
    "balloons": [
        HELD | {"priority": -40, "schedule": OFFICE},
        HELD | {"kind": "capacity-buffer"},
        {"kind": "warm-pool", "group": "job", "min_size": 2, "max_prepared": 3},
    ],
}


@pytest.mark.parametrize("keys", [AUTO_MODE, MANAGED], ids=["auto-mode", "managed"])
def test_balloons_are_rendered_as_they_are_deployed(deploy, keys):
    selected = read(**keys)
    deployment = deploy(lambda: program.deploy(selected), "test")
    rendered = render.files("test", selected)
    kinds = ("Balloon", "Karpenter", "AutoMode")
    deployed = {
        f"kubernetes/{one.inputs['kind'].lower()}-"
        f"{one.inputs['metadata']['name']}.yaml": dict(one.inputs)
        for one in deployment.resources
        if one.type.startswith("kubernetes:")
        and any(f"eks-jobs:index:{kind}" in one.path for kind in kinds)
        and one.inputs["kind"] not in ("NodeClass", "EC2NodeClass")
    }
    charts = {
        f"helm/{one.inputs['name']}.yaml": one.inputs["values"]
        for one in deployment.of_type(RELEASE)
    }

    assert deployed | charts == {
        path: yaml.safe_load(rendered[path]) for path in (deployed | charts)
    }
    assert (
        set() == {path for path in rendered if path.startswith("helm/")} - charts.keys()
    )


def test_every_kind_of_the_file_is_rendered():
    def kinds(keys) -> set[str]:
        rendered = render.files("test", read(**keys))
        objects = [p for p in rendered if p.startswith("kubernetes/")]
        return {path.split("/")[1].partition("-")[0] for path in objects}

    assert {"priorityclass", "deployment", "namespace", "nodepool"} <= kinds(AUTO_MODE)
    assert {"scaledobject", "podtemplate", "capacitybuffer"} <= kinds(MANAGED)


def balloons(**keys) -> str:
    text = summary("test", read(**keys))
    return text.partition("## Balloons\n\n")[2].partition("\n\n## ")[0]


def test_the_summary_counts_what_is_held_in_a_week():
    table = balloons(**MANAGED).splitlines()[2:5]

    assert [
        "| balloon-job | pods | job | 2 times 500m and 1Gi | 47.5 | 95 | 47.5 | 95 |",
        "| buffer-job | capacity-buffer | job | 2 times 500m and 1Gi | 168 | 336 | 168 "
        "| 336 |",
        "| warm-pool-job | warm-pool | job | 2 to 3 instances a zone, STOPPED | - | - "
        "| - | - |",
    ] == table


def test_a_warm_pool_without_a_maximum_holds_its_minimum():
    text = balloons(
        scaler=MANAGED["scaler"],
        balloons=[{"kind": "warm-pool", "group": "job", "min_size": 2}],
    )

    assert "| warm-pool-job | warm-pool | job | 2 instances a zone, STOPPED |" in text


def test_the_summary_counts_static_nodes_as_nodes():
    assert "| static-job | static | job | 3 nodes | 168 | 504 | - | - |" in (
        balloons(**AUTO_MODE)
    )


def test_the_summary_lists_windows_as_the_file_says_them():
    windows = [
        {"start": "22:00", "end": "02:00", "overnight": True, "replicas": 1},
        {"start": "0 6 * * 0", "end": "30 7 * * 0"},
    ]
    text = balloons(
        balloons=[HELD | {"schedule": {"timezone": "Asia/Seoul", "windows": windows}}]
    )

    assert (
        "| balloon-job | Asia/Seoul | 22:00 | 02:00 of the next day | every day | 1 |\n"
        "| balloon-job | Asia/Seoul | `0 6 * * 0` | `30 7 * * 0` | as the fields say "
        "| 2 |"
    ) in text


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        ({}, "None: a job that finds no room waits until a node has started."),
        (
            {"balloons": [HELD | {"schedule": OFFICE}]},
            "Schedules are followed by KEDA, chart keda 2.20.2 in the namespace keda; "
            "it alone sets how many pods there are.",
        ),
        (
            {
                "balloons": [HELD | {"schedule": OFFICE}],
                "keda": {"install": False},
            },
            "Schedules are followed by a KEDA that is not installed here.",
        ),
    ],
)
def test_the_summary_ends_with_who_follows_schedules(keys, line):
    assert line == balloons(**keys).splitlines()[-1]


def test_no_schedule_needs_no_keda():
    text = balloons(balloons=[HELD])

    assert "KEDA" not in text
    assert "from" not in text.splitlines()[-1].split(" | ")


def test_the_summary_names_what_is_risky_with_its_place():
    gap = OFFICE | {"timezone": "Europe/Berlin", "start": "02:30", "days": ["sun"]}
    text = summary("test", read(balloons=[HELD | {"schedule": gap}]))

    assert "- warning, `balloons[0].schedule`: clocks go from 02:00 to 03:00" in text


def test_no_file_holds_a_link_to_another_part_of_it():
    texts = render.files("test", read(**MANAGED))

    assert [] == [path for path, text in texts.items() if "&id0" in text]
