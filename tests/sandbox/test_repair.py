"""What is made of the state of a killed run. With a real CLI: tests/engine."""

import os
from unittest import mock

import pytest

from sandbox import account
from sandbox.aws import notes
from sandbox.aws.cloud import Cloud
from sandbox.aws.journal import Journal
from sandbox.environment import Layout, sealed
from sandbox.repair import noted, settled

VPC = "urn:pulumi:sandbox::eks-jobs::aws:ec2/vpc:Vpc::platform"
SUBNET = "urn:pulumi:sandbox::eks-jobs::aws:ec2/subnet:Subnet::platform-a"
OLD = {"urn": VPC, "id": "vpc-1", "inputs": {"cidrBlock": "10.0.0.0/16"}}


def state(*resources, kind="creating", urn=SUBNET):
    pending = {"urn": urn, "inputs": {"cidrBlock": "10.0.0.0/20"}, "parent": VPC}
    return {
        "manifest": {"version": "v3"},
        "resources": list(resources),
        "pending_operations": [{"type": kind, "resource": pending}],
    }


def test_what_was_created_is_added_with_its_id():
    new = {
        "urn": SUBNET,
        "inputs": {"cidrBlock": "10.0.0.0/20"},
        "parent": VPC,
        "id": "subnet-1",
        "outputs": {"cidrBlock": "10.0.0.0/20"},
    }

    assert {"manifest": {"version": "v3"}, "resources": [OLD, new]} == settled(
        state(OLD), {SUBNET: "subnet-1"}
    )


def test_what_replaces_another_one_marks_that_for_deletion():
    resources = settled(state(OLD, urn=VPC), {VPC: "vpc-2"})["resources"]

    assert [("vpc-1", True), ("vpc-2", None)] == [
        (resource["id"], resource.get("delete")) for resource in resources
    ]


@pytest.mark.parametrize(
    ("before", "ids"),
    [
        (state(OLD), {SUBNET: None}),
        (state(OLD), {}),
        (state(OLD, urn=VPC), {VPC: "vpc-1"}),
        (state(OLD, urn=VPC, kind="updating"), {VPC: "vpc-1"}),
        (state(OLD, urn=VPC, kind="deleting"), {VPC: "vpc-1"}),
        (state(OLD, urn=VPC, kind="updating"), {VPC: "vpc-2"}),
    ],
    ids=[
        "not begun",
        "no note",
        "replacement not begun",
        "update",
        "deletion",
        "update of an adopted one",
    ],
)
def test_other_operations_are_dropped(before, ids):
    assert {"manifest": {"version": "v3"}, "resources": [OLD]} == settled(before, ids)


def test_a_state_without_resources_stays_one():
    assert {"resources": []} == settled({}, {})


def test_the_note_of_the_plugin_is_found_in_the_account(tmp_path):
    """Also in a shell with settings for the real AWS."""
    layout = Layout(state=tmp_path)
    local = account.start(layout, sealed({"PATH": "/usr/bin:/bin"}, layout))
    url = f"http://127.0.0.1:{local.port}"
    try:
        with mock.patch.dict(os.environ, {"AWS_PROFILE": "production"}):
            before = noted(local, VPC)
            journal = Journal(Cloud(url, "ap-northeast-2"))
            notes.write(journal, VPC, "vpc-1", {})
            after = noted(local, VPC)
    finally:
        account.stop(layout)

    assert (None, "vpc-1") == (before, after)
