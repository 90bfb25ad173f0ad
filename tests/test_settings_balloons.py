"""
Balloons in a stack file: each kind is read, and each fault is named with its place.

What a balloon may be is for tests/spec/balloon; here is the way from the file.
"""

from typing import Any

import pulumi
import pytest

from components.spec.balloon.keda import Keda
from components.spec.balloon.schedule import Schedule, Window
from components.spec.balloon.settings import (
    BufferBalloon,
    PodBalloon,
    StaticBalloon,
    WarmPoolBalloon,
)
from components.spec.scaler.checks import Resources
from infra import settings, stack_file

HELD: dict[str, Any] = {"group": "job", "replicas": 2, "cpu": "500m", "memory": "1Gi"}
OFFICE: dict[str, Any] = {"timezone": "Asia/Seoul", "start": "08:30", "end": "18:00"}

KARPENTER = {"kind": "karpenter"}
MANAGED = {"kind": "cluster-autoscaler", "groups": "managed"}


def read(*balloons, **keys) -> settings.Settings:
    group = {
        "name": "server",
        "architecture": "amd64",
        "instance_types": ["m7i.xlarge", "m6i.xlarge"],
    }
    values: dict[str, Any] = {
        "network": {"cidr": "10.40.0.0/16", "zones": 2},
        "cluster": {"version": "1.36"},
        "servers": [group],
        "jobs": [group | {"name": "job"}],
        "scaler": KARPENTER,
        "balloons": list(balloons),
    }
    return settings.read(values | keys, region="ap-northeast-2", cluster_name="c")


def refusal(*balloons, **keys) -> list[str]:
    with pytest.raises(pulumi.RunError) as caught:
        read(*balloons, **keys)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("balloon", "scaler", "expected"),
    [
        (HELD, KARPENTER, PodBalloon(**HELD)),
        (HELD | {"kind": "pods"}, KARPENTER, PodBalloon(**HELD)),
        (HELD | {"kind": "capacity-buffer"}, KARPENTER, BufferBalloon(**HELD)),
        (
            {"kind": "static", "group": "job", "nodes": 2},
            KARPENTER,
            StaticBalloon(group="job", nodes=2),
        ),
        (
            {"kind": "warm-pool", "group": "job", "min_size": 1, "state": "RUNNING"},
            MANAGED,
            WarmPoolBalloon(group="job", min_size=1, state="RUNNING"),
        ),
    ],
)
def test_one_field_chooses_the_kind_and_pods_are_the_usual_one(
    balloon, scaler, expected
):
    assert (expected,) == read(balloon, scaler=scaler).balloons


def test_a_file_without_balloons_has_none():
    assert ((), Keda()) == (read().balloons, read().keda)


def test_a_schedule_is_read_with_all_its_windows():
    windows = [
        {"days": ["mon-fri"], "start": "08:30", "end": "18:00"},
        {"start": "22:00", "end": "02:00", "overnight": True, "replicas": 1},
    ]
    schedule = {"timezone": "Asia/Seoul", "cooldown": "10m", "windows": windows}
    (balloon,) = read(HELD | {"schedule": schedule}).balloons

    assert (
        Schedule(
            timezone="Asia/Seoul",
            cooldown="10m",
            windows=(
                Window(days=("mon-fri",), start="08:30", end="18:00"),
                Window(start="22:00", end="02:00", overnight=True, replicas=1),
            ),
        )
        == balloon.schedule
    )


def test_keda_is_read():
    keda = {"version": "2.20.1", "resources": {"cpu": "50m", "memory": "128Mi"}}

    assert (
        Keda(version="2.20.1", resources=Resources(cpu="50m", memory="128Mi"))
        == read(HELD | {"schedule": OFFICE}, keda=keda).keda
    )


@pytest.mark.parametrize(
    ("balloon", "message"),
    [
        (
            HELD | {"kind": "pod"},
            "balloons[0].kind: expected one of pods, capacity-buffer, warm-pool, "
            'static, got "pod"',
        ),
        (
            HELD | {"nodes": 2},
            "balloons[0].nodes: unknown key, expected one of kind, group, replicas, "
            "cpu, memory, name, schedule, priority, image, labels, typical_job",
        ),
        (
            {"kind": "static", "group": "job"} | {"schedule": OFFICE},
            "balloons[0].nodes: missing key\n"
            "balloons[0].schedule: unknown key, expected one of kind, group, nodes, "
            "name",
        ),
        (
            HELD | {"replicas": 0},
            "balloons[0]: replicas must be at least 1, got replicas=0: leave the "
            "balloon out for none",
        ),
        (
            HELD | {"schedule": OFFICE | {"timezone": "JST"}},
            "balloons[0].schedule: timezone must be ",
        ),
        (
            HELD | {"schedule": OFFICE | {"end": "06:00"}},
            "balloons[0].schedule: end=06:00 is before start=08:30, so the window goes "
            "over midnight: swap them, or say overnight: true",
        ),
        (
            HELD | {"schedule": OFFICE | {"days": "mon-fri"}},
            'balloons[0].schedule.days: expected a list, got "mon-fri"',
        ),
        (
            HELD | {"group": "jobs"},
            "balloons[0]: group must be one of the job groups job, got group=jobs",
        ),
        (
            HELD | {"cpu": "64"},
            "balloons[0]: cpu and memory must fit on a node of every type of job: "
            "m7i.xlarge leaves ",
        ),
        (
            {"kind": "warm-pool", "group": "job", "min_size": 1},
            "balloons[0]: kind must be pods, capacity-buffer or static with scaler "
            "kind karpenter, ",
        ),
        (
            HELD | {"labels": {"eks-jobs/workload": "job"}},
            "balloons[0]: labels must leave out eks-jobs/workload, which is set by "
            "this library",
        ),
    ],
)
def test_a_wrong_balloon_names_its_place(balloon, message):
    told = "\n".join(refusal(balloon))

    assert told.startswith(message)
    assert told.count("\n") == message.count("\n")


def test_a_time_that_a_tool_reads_as_a_number_asks_for_quotes():
    """Python's YAML takes an unquoted 18:00 for 1080; Pulumi and `render` do not."""
    wrong = HELD | {"schedule": OFFICE | {"end": 1080}}

    assert [
        "balloons[0].schedule.end: expected a text, got 1080; put it in quotes"
    ] == refusal(wrong)


def test_a_time_without_quotes_is_read_as_pulumi_does(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: eks-jobs\nruntime: python\n")
    (tmp_path / "Pulumi.a.yaml").write_text("config:\n  eks-jobs:x: {end: 18:00}\n")

    assert {"eks-jobs:x": {"end": "18:00"}} == stack_file.read_config(tmp_path, "a")


def test_all_problems_are_named_at_once():
    assert [
        "balloons[0]: group must be one of the job groups job, got group=a",
        "balloons[1]: group must be one of the job groups job, got group=b",
        "keda: needs a balloon with a schedule, got none",
    ] == refusal(
        HELD | {"group": "a"}, HELD | {"group": "b"}, keda={"version": "2.20.1"}
    )


def test_a_migration_forbids_buffers():
    (problem,) = refusal(
        HELD | {"kind": "capacity-buffer"},
        retiring_scaler={"kind": "cluster-autoscaler"},
    )

    assert problem.startswith(
        "balloons[0]: kind must not be capacity-buffer before retiring_scaler is gone"
    )
