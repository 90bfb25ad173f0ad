"""What the program does with the settings: one platform, its outputs, its secrets."""

import json
from base64 import b64decode
from contextlib import suppress
from typing import Any

import pulumi
import pytest
from pulumi.runtime import rpc

from infra import program, settings
from tests.stack_values import GOOD

OFFERINGS = "aws:ec2/getInstanceTypeOfferings:getInstanceTypeOfferings"


def read(values, secret=()) -> settings.Settings:
    return settings.read(
        values,
        region="ap-northeast-2",
        cluster_name="eks-jobs-test",
        secret_keys=frozenset(secret),
    )


@pytest.fixture(scope="module")
def run(deploy):
    """Deploy settings, equal ones once: no test changes what it looks at."""
    known = {}

    def select(values, secret=()):
        key = json.dumps([values, sorted(secret)], sort_keys=True)
        if key not in known:
            selected = read(values, secret)
            known[key] = deploy(lambda: program.deploy(selected))
        return known[key]

    return select


def test_the_stack_exports_what_people_look_for(run):
    actual = run(GOOD).exports

    assert {
        "cluster_name": "eks-jobs-test",
        "endpoint": "https://eks-jobs-test.eks.example.com",
        "groups": {"server": "platform-server", "job": "platform-job"},
        "kubeconfig_command": "aws eks update-kubeconfig --region ap-northeast-2 "
        "--name eks-jobs-test",
    } == actual


def test_everything_is_below_one_platform(run):
    outside = [
        resource.path
        for resource in run(GOOD).resources
        if not resource.path.startswith("eks-jobs:index:JobPlatform")
    ]

    assert [] == outside


def test_a_region_with_too_few_zones_is_refused_without_a_traceback(deploy):
    values = GOOD | {"network": {"zones": 5}}

    def attempt():
        with pytest.raises(pulumi.RunError) as caught:
            program.deploy(read(values))
        assert "zones must be at most 4 in this region" in str(caught.value)

    deploy(attempt)


def test_h047_types_that_ec2_does_not_offer_are_refused_without_a_traceback(deploy):
    nothing = {"instanceTypes": [], "locations": [], "locationTypes": []}

    def attempt():
        with pytest.raises(pulumi.RunError) as caught:
            program.deploy(read(GOOD))
        lines = str(caught.value).splitlines()
        assert ["servers[0].instance_types", "jobs[0].instance_types"] == [
            line.partition(":")[0] for line in lines
        ]

    deploy(attempt, answers={OFFERINGS: nothing})


def test_h047_the_stack_file_may_leave_ec2_unasked(run):
    asked, unasked = run(GOOD), run(GOOD | {"check_offerings": False})

    assert OFFERINGS in {call.token for call in asked.calls}
    assert OFFERINGS not in {call.token for call in unasked.calls}


MARK = "hush-7f3a"

WITH_SECRETS: dict[str, Any] = {
    "network": {
        "vpc_id": "vpc-5ec3e7",
        "subnet_ids": ["subnet-5ec3e7a", "subnet-5ec3e7b"],
    },
    "cluster": GOOD["cluster"]
    | {
        "public_access_cidrs": ["203.0.113.77/32"],
        "private_access_cidrs": ["10.77.0.0/24"],
    },
    "servers": [
        GOOD["servers"][0]
        | {
            "tags": {"owner": MARK},
            "volume": {
                "iops": 3000,
                "throughput_mib": 125,
                "kms_key_id": f"alias/{MARK}",
            },
        }
    ],
    "jobs": [
        GOOD["jobs"][0]
        | {
            "tags": {"owner": MARK},
            "ami_id": "ami-0123456789abc5ec3",
            "volume": {"kms_key_id": f"alias/{MARK}"},
            "user_data": [{"kind": "shell", "content": f"#!/bin/bash\n: {MARK}\n"}],
        }
    ],
    "scaler": {
        "kind": "karpenter",
        "server_pools": [
            {
                "name": "more",
                "architecture": "amd64",
                "instance_types": ["m7i.large"],
                "tags": {"owner": MARK},
            }
        ],
    },
    "policy": {"label": {"key": "group", "value": MARK}},
    "balloons": [
        {
            "group": "job",
            "replicas": 1,
            "cpu": "1",
            "memory": "1Gi",
            "image": f"{MARK}.example.com/pause:1",
            "labels": {"owner": MARK},
            "schedule": {"timezone": "Asia/Seoul", "start": "08:30", "end": "18:00"},
        },
        {
            "kind": "capacity-buffer",
            "group": "job",
            "replicas": 1,
            "cpu": "1",
            "memory": "1Gi",
        },
    ],
    "monitoring": {
        "runbook_url": f"https://{MARK}.example.com",
        "alert_labels": {"owner": MARK},
    },
    "tags": {"contact": MARK},
}

FLOWING = [
    ("network", "vpc-5ec3e7"),
    ("network", "subnet-5ec3e7a"),
    ("cluster", "203.0.113.77/32"),
    ("cluster", "10.77.0.0/24"),
    ("servers", MARK),
    ("jobs", MARK),
    ("jobs", "ami-0123456789abc5ec3"),
    ("scaler", MARK),
    ("policy", MARK),
    ("balloons", MARK),
    ("monitoring", MARK),
    ("tags", MARK),
]
SCALERS = [{"kind": "cluster-autoscaler"}, {"kind": "karpenter"}]


def plain_texts(value):
    """Yield every text that is not part of a secret; user data is decoded."""
    if isinstance(value, dict):
        if rpc._special_sig_key in value:
            return
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from plain_texts(item)
    if isinstance(value, str):
        yield value
        with suppress(ValueError):
            yield b64decode(value, validate=True).decode()


def only(key: str, scaler: dict) -> dict:
    """Take the values that flow from *key* alone, the rest from GOOD."""
    # Rules ask for the label of the policy.
    more = {"monitoring": {}} if key == "policy" else {}
    return GOOD | {"scaler": scaler} | more | {key: WITH_SECRETS[key]}


@pytest.mark.parametrize("scaler", SCALERS, ids=lambda one: one["kind"])
@pytest.mark.parametrize(("key", "text"), FLOWING)
def test_a_secret_is_never_stored_in_plain(run, key, text, scaler):
    resources = run(only(key, scaler), [key]).resources
    leaks = [
        resource.path
        for resource in resources
        for found in plain_texts(resource.inputs)
        if text in found
    ]

    assert [] == leaks


@pytest.mark.parametrize("scaler", SCALERS, ids=lambda one: one["kind"])
@pytest.mark.parametrize(("key", "text"), FLOWING)
def test_a_secret_arrives_where_it_is_needed(run, key, text, scaler):
    resources = run(only(key, scaler), [key]).resources
    shown = run(only(key, scaler)).resources

    def texts(found):
        return {
            (resource.path, name)
            for resource in found
            for name, value in resource.inputs.items()
            if any(text in plain for plain in plain_texts(opened(value)))
        }

    assert texts(shown)
    assert texts(shown) == texts(resources)


def opened(value):
    """Take the wrapping off secrets."""
    if isinstance(value, dict):
        if rpc._special_sig_key in value:
            return opened(value["value"])
        return {name: opened(item) for name, item in value.items()}
    return [opened(item) for item in value] if isinstance(value, list) else value


def test_a_secret_in_every_key_changes_no_resource_and_no_name(run):
    values = WITH_SECRETS | {"vpc_cni": {"kind": "prefixes"}, "instance_types": []}
    plain, hidden = run(values), run(values, values)

    assert [r.path for r in plain.resources] == [r.path for r in hidden.resources]
    assert [opened(dict(r.inputs)) for r in hidden.resources] == [
        dict(r.inputs) for r in plain.resources
    ]


def test_without_secrets_nothing_is_hidden(run):
    hidden = [
        resource.path
        for resource in run(GOOD).resources
        if resource.inputs != opened(dict(resource.inputs))
    ]

    assert [] == hidden
