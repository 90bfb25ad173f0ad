"""
What the AWS plugin does for every type alike: checks, tags, previews, drift, crashes.

Shown with the cheapest types. That real AWS would take a request is not proven here.
"""

import json

import pytest
from botocore.exceptions import ClientError
from pulumi.provider.experimental import provider as rpc

from sandbox.aws.provider import AwsProvider
from sandbox.errors import RefusedError
from sandbox.wire import UNKNOWN, plain_map, wrap_map
from tests.sandbox.aws_driver import (
    EC2,
    REGION,
    Account,
    Made,
    RefusedInputsError,
    run,
    served,
    trust,
    urn,
)

VPC = "aws:ec2/vpc:Vpc"
QUEUE = "aws:sqs/queue:Queue"
ROLE = "aws:iam/role:Role"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
CIDR = "10.0.0.0/16"


@pytest.fixture(scope="module")
def account():
    with served() as served_account:
        yield served_account


def problems(caught):
    (found,) = caught.value.args
    return found


def test_all_problems_of_a_resource_are_named_at_once(account):
    with pytest.raises(RefusedInputsError) as caught:
        account.check(VPC, "v", cidr=CIDR, enableDnsSupport="yes")

    assert [
        ("cidr", "unknown property, did you mean cidrBlock"),
        ("enableDnsSupport", "must be a boolean, got 'yes'"),
    ] == problems(caught)


def test_an_input_that_is_not_imitated_is_refused_by_name(account):
    with pytest.raises(RefusedInputsError) as caught:
        account.check(VPC, "v", ipv4IpamPoolId="pool")

    assert [
        ("ipv4IpamPoolId", f"the sandbox does not imitate ipv4IpamPoolId of {VPC}")
    ] == problems(caught)


def test_an_input_that_is_not_imitated_may_have_its_default(account):
    inputs = {"vpcId": "vpc-1", "enableDns64": False}

    assert account.check("aws:ec2/subnet:Subnet", "s", **inputs)


def test_inputs_that_exclude_each_other_are_refused(account):
    inputs = {"defaultVersion": 1, "updateDefaultVersion": True}

    with pytest.raises(RefusedInputsError) as caught:
        account.check(TEMPLATE, "t", **inputs)

    assert [("updateDefaultVersion", "conflicts with defaultVersion")] == problems(
        caught
    )


def test_an_unknown_type_is_refused_by_name(account):
    with pytest.raises(
        RefusedError,
        match="^the sandbox does not imitate the resource type aws:s3/bucket:Bucket$",
    ):
        account.check("aws:s3/bucket:Bucket", "b")


def test_an_unknown_function_is_refused_by_name(account):
    with pytest.raises(
        RefusedError,
        match="^the sandbox does not imitate the function aws:ec2/getAmi:getAmi$",
    ):
        account.invoke("aws:ec2/getAmi:getAmi")


def test_a_misspelt_argument_of_a_function_is_refused(account):
    with pytest.raises(RefusedInputsError) as caught:
        account.invoke("aws:ssm/getParameter:getParameter", nam="x")

    assert [
        ("nam", "unknown argument of aws:ssm/getParameter:getParameter")
    ] == problems(caught)


def test_a_misspelt_setting_is_refused():
    request = rpc.CheckRequest(
        "urn:pulumi:t::p::pulumi:providers:aws::d",
        {},
        wrap_map({"region": REGION, "defaulttags": "{}", "version": "7.51.1"}),
        b"",
    )
    answer = run(AwsProvider("http://127.0.0.1:1").check_config(request))

    assert [("defaulttags", "unknown setting aws:defaulttags")] == [
        (failure.property, failure.reason) for failure in answer.failures
    ]


def test_a_region_is_needed(monkeypatch):
    monkeypatch.delenv("AWS_REGION", raising=False)
    provider = AwsProvider("http://127.0.0.1:1")

    with pytest.raises(RefusedError, match="^aws:region must be set, got no region$"):
        run(provider.configure(rpc.ConfigureRequest({}, {}, True, True)))


def test_another_region_is_another_provider():
    old, new = wrap_map({"region": REGION}), wrap_map({"region": "eu-west-1"})
    provider = AwsProvider("http://127.0.0.1:1")
    answer = run(provider.diff_config(rpc.DiffRequest("urn", "id", old, new, [])))

    assert ["region"] == answer.replaces


def test_secrets_are_left_to_the_engine():
    request = rpc.ConfigureRequest({}, wrap_map({"region": REGION}), True, True)
    answer = run(AwsProvider("http://127.0.0.1:1").configure(request))

    assert (False, True) == (answer.accept_secrets, answer.supports_preview)


def test_defaults_are_marked_as_such(account):
    inputs = account.check(VPC, "v", cidrBlock=CIDR)

    assert ["enableDnsSupport", "instanceTenancy"] == inputs["__defaults"]


def test_h078_a_name_too_long_is_refused_before_anything_is_made(account):
    with pytest.raises(RefusedInputsError) as caught:
        account.check(ROLE, "r" * 57, assumeRolePolicy=trust(EC2))

    assert [
        (
            "name",
            f"'{'r' * 57}' plus 7 random characters must be at most 64 characters, "
            "got 65",
        )
    ] == problems(caught)


def test_a_preview_shows_what_will_be_known_later(account):
    state = account.preview(VPC, "v", cidrBlock=CIDR, tags={"a": "b"})

    assert (UNKNOWN, CIDR, {"a": "b"}, REGION) == (
        state["arn"],
        state["cidrBlock"],
        state["tagsAll"],
        state["region"],
    )


def test_a_preview_makes_nothing(account):
    account.preview(QUEUE, "never")

    assert [] == [url for url in queues(account) if "never" in url]


def queues(account):
    return account.client("sqs").list_queues().get("QueueUrls", [])


def test_a_part_that_aws_adds_to_an_object_is_unknown_in_a_preview(account):
    config = {"subnetIds": [UNKNOWN]}
    state = account.preview(
        "aws:eks/cluster:Cluster", "c", roleArn=UNKNOWN, vpcConfig=config
    )

    assert UNKNOWN == state["vpcConfig"]["clusterSecurityGroupId"]


def test_a_second_preview_is_empty(account):
    assert {} == account.create(VPC, "v", cidrBlock=CIDR, tags={"a": "b"}).kinds()


def test_nothing_drifts_by_itself(account):
    assert {} == account.create(VPC, "v", cidrBlock=CIDR).refresh()


def test_default_tags_join_the_tags(account):
    tagged = Account(account.url, defaultTags=json.dumps({"tags": {"team": "x"}}))
    vpc = tagged.create(VPC, "v", cidrBlock=CIDR, tags={"a": "b"})

    assert ({"a": "b"}, {"a": "b", "team": "x"}) == (
        vpc.state["tags"],
        vpc.state["tagsAll"],
    )
    assert ({}, {}) == (vpc.kinds(), vpc.refresh())


def test_own_tags_win_over_default_tags(account):
    tagged = Account(account.url, defaultTags=json.dumps({"tags": {"team": "x"}}))
    vpc = tagged.create(VPC, "v", cidrBlock=CIDR, tags={"team": "y"})

    assert {"team": "y"} == vpc.state["tagsAll"]
    assert {} == vpc.kinds()


def test_new_default_tags_are_a_change(account):
    vpc = account.create(VPC, "v", cidrBlock=CIDR)
    tags = json.dumps({"tags": {"team": "x"}})
    vpc.provider = Account(account.url, defaultTags=tags).provider

    assert {"tagsAll.team": "ADD"} == vpc.kinds()


def test_tags_are_added_changed_and_removed_in_place(account):
    vpc = account.create(VPC, "v", cidrBlock=CIDR, tags={"a": "1", "b": "1"})
    vpc.update(tags={"b": "2", "c": "1"})

    found = account.client("ec2").describe_vpcs(VpcIds=[vpc.id])["Vpcs"][0]["Tags"]
    assert [{"Key": "b", "Value": "2"}, {"Key": "c", "Value": "1"}] == found


def test_a_tag_changed_by_hand_is_seen_and_put_back(account):
    vpc = account.create(VPC, "v", cidrBlock=CIDR, tags={"a": "1"})
    by_hand = [{"Key": "a", "Value": "2"}, {"Key": "z", "Value": "1"}]
    account.client("ec2").create_tags(Resources=[vpc.id], Tags=by_hand)

    assert ({"a": "1"}, {"a": "2", "z": "1"}) == vpc.refresh()["tags"]
    assert {"tags.a": "UPDATE", "tags.z": "DELETE"} == vpc.kinds()


def test_drift_without_refresh_is_not_looked_for(account):
    vpc = account.create(VPC, "v", cidrBlock=CIDR, tags={"a": "1"})
    by_hand = [{"Key": "a", "Value": "2"}]
    account.client("ec2").create_tags(Resources=[vpc.id], Tags=by_hand)

    assert {} == vpc.kinds()


def test_what_is_gone_has_no_id_after_a_refresh(account):
    queue = account.create(QUEUE, "gone")
    account.client("sqs").delete_queue(QueueUrl=queue.id)

    assert {"id": (queue.id, None)} == queue.refresh()


def test_deleting_twice_is_no_error(account):
    vpc = account.create(VPC, "v", cidrBlock=CIDR)
    vpc.delete()
    vpc.delete()

    assert {"id": (vpc.id, None)} == vpc.refresh()


def test_an_update_in_a_preview_changes_nothing(account):
    vpc = account.create(VPC, "v", cidrBlock=CIDR, tags={"a": "1"})
    state = vpc.preview(tags={"a": "2"})

    assert ({"a": "2"}, vpc.state["arn"]) == (state["tagsAll"], state["arn"])
    assert {} == vpc.refresh()


def test_an_error_of_aws_fails_the_resource(account):
    with pytest.raises(ClientError) as caught:
        account.create(VPC, "v", cidrBlock="300.0.0.0/16")

    assert "InvalidParameterValue" == caught.value.response["Error"]["Code"]


def test_a_region_of_its_own_is_used(account):
    vpc = account.create(VPC, "v", cidrBlock=CIDR, region="eu-west-1")

    assert "arn:aws:ec2:eu-west-1:123456789012:vpc/" + vpc.id == vpc.state["arn"]


def killed(account, token, logical_name, /, **inputs):
    """Create something in a run that ends before the engine learns of it."""
    return Account(account.url).create(token, logical_name, **inputs)


def test_what_a_killed_run_made_is_taken_over(account):
    lost = killed(account, QUEUE, "lost", delaySeconds=1)
    found = account.create(QUEUE, "lost", delaySeconds=1)

    assert (lost.id, {}) == (found.id, found.kinds())


def test_a_given_name_does_not_block_the_run_after_a_killed_one(account):
    lost = killed(account, ROLE, "lost", name="lost", assumeRolePolicy=trust(EC2))
    found = account.create(ROLE, "lost", name="lost", assumeRolePolicy=trust(EC2))

    assert lost.id == found.id


def test_what_a_killed_run_made_otherwise_is_left_alone(account):
    lost = killed(account, QUEUE, "other", delaySeconds=1)

    assert lost.id != account.create(QUEUE, "other", delaySeconds=2).id


def test_what_the_engine_knows_is_not_taken_over(account):
    """A replacement stands beside the old resource, whatever the reason for it."""
    old = account.create(QUEUE, "twice")

    assert old.id != account.create(QUEUE, "twice").id


def test_a_lost_resource_can_be_read_by_its_id_alone(account):
    lost = killed(account, QUEUE, "imported", delaySeconds=3)
    request = rpc.ReadRequest(urn(QUEUE, "imported"), lost.id, {}, {})
    answer = run(account.provider.read(request))
    found = Made(account, QUEUE, "imported")
    found.program = {"delaySeconds": 3}
    found.id, found.state = answer.resource_id, plain_map(answer.properties)
    found.inputs = plain_map(answer.inputs)

    assert (lost.id, lost.state, {}) == (found.id, found.state, found.kinds())


def test_what_others_made_cannot_be_read(account):
    vpc = account.client("ec2").create_vpc(CidrBlock=CIDR)["Vpc"]["VpcId"]

    with pytest.raises(
        RefusedError,
        match=f"^{VPC}: the sandbox can only read what its stack made, got id={vpc}$",
    ):
        run(account.provider.read(rpc.ReadRequest(urn(VPC, "v"), vpc, {}, {})))


def test_a_note_goes_with_its_resource(account):
    queue = account.create(QUEUE, "noted")
    before = len(list(account.journal.below("created/")))
    queue.delete()

    assert before - 1 == len(list(account.journal.below("created/")))
