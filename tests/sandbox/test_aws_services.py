"""
IAM, KMS, logs, queues and events on moto: each type lives, changes and dies.

Not proven: that a policy grants what a job needs. Nothing here evaluates policies.
"""

import json

import pytest
from botocore.exceptions import ClientError

from sandbox.aws.iam_policy import VERSIONS_KEPT
from sandbox.errors import RefusedError
from tests.sandbox.aws_driver import EC2, RefusedInputsError, policy, served, trust

ROLE = "aws:iam/role:Role"
POLICY = "aws:iam/policy:Policy"
KEY = "aws:kms/key:Key"
LOGS = "aws:cloudwatch/logGroup:LogGroup"
QUEUE = "aws:sqs/queue:Queue"
RULE = "aws:cloudwatch/eventRule:EventRule"
WORKER = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"


@pytest.fixture(scope="module")
def account():
    with served() as served_account:
        yield served_account


def role(account, name="r", **inputs):
    return account.create(ROLE, name, assumeRolePolicy=trust(EC2), **inputs)


SIMPLE = [
    (ROLE, {"assumeRolePolicy": trust(EC2)}, {"description": "d"}),
    (ROLE, {"assumeRolePolicy": trust(EC2)}, {"maxSessionDuration": 7200}),
    (ROLE, {"assumeRolePolicy": trust(EC2)}, {"managedPolicyArns": [WORKER]}),
    (
        ROLE,
        {"assumeRolePolicy": trust(EC2)},
        {"inlinePolicies": [{"name": "a", "policy": policy("s3:*")}]},
    ),
    (POLICY, {"policy": policy("s3:*")}, {"policy": policy("ec2:*")}),
    ("aws:iam/instanceProfile:InstanceProfile", {}, {"tags": {"a": "b"}}),
    (
        "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
        {"url": "https://oidc.example.com/id/A", "clientIdLists": ["sts"]},
        {"tags": {"a": "b"}},
    ),
    (KEY, {"deletionWindowInDays": 7}, {"enableKeyRotation": True}),
    (KEY, {"description": "a"}, {"description": "b", "tags": {"a": "b"}}),
    (KEY, {}, {"isEnabled": False}),
    (LOGS, {"retentionInDays": 7}, {"retentionInDays": 30}),
    (LOGS, {"retentionInDays": 7}, {"retentionInDays": None, "tags": {"a": "b"}}),
    (QUEUE, {"sqsManagedSseEnabled": True}, {"messageRetentionSeconds": 300}),
    (QUEUE, {"fifoQueue": True}, {"tags": {"a": "b"}}),
    (RULE, {"eventPattern": '{"source":["aws.ec2"]}'}, {"description": "d"}),
    (RULE, {"scheduleExpression": "rate(1 day)"}, {"tags": {"a": "b"}}),
]


@pytest.mark.parametrize(("token", "inputs", "change"), SIMPLE)
def test_lives_changes_in_place_and_dies(account, token, inputs, change):
    made = account.create(token, "x", **inputs)
    assert ({}, {}) == (made.kinds(), made.refresh())

    made.update(**change)
    assert ({}, {}) == (made.kinds(), made.refresh())

    made.delete()
    assert {"id": (made.id, None)} == made.refresh()


def test_an_attachment_lives_and_dies(account):
    made = account.create(
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "a",
        role=role(account).id,
        policyArn=WORKER,
    )
    assert ({}, {}) == (made.kinds(), made.refresh())
    made.delete()

    assert {"id": (made.id, None)} == made.refresh()


def test_a_policy_of_aws_must_exist(account):
    with pytest.raises(ClientError) as caught:
        account.create(
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            "a",
            role=role(account).id,
            policyArn="arn:aws:iam::aws:policy/AmazonEKSWorkerPolicy",
        )

    assert "NoSuchEntity" == caught.value.response["Error"]["Code"]


def test_a_role_stays_while_a_policy_is_attached(account):
    made = role(account)
    account.client("iam").attach_role_policy(RoleName=made.id, PolicyArn=WORKER)

    with pytest.raises(ClientError) as caught:
        made.delete()

    assert "DeleteConflict" == caught.value.response["Error"]["Code"]


def test_a_role_can_be_told_to_go_with_its_policies(account):
    made = role(account, forceDetachPolicies=True)
    account.client("iam").attach_role_policy(RoleName=made.id, PolicyArn=WORKER)
    made.delete()

    assert {"id": (made.id, None)} == made.refresh()


def test_an_own_policy_of_a_role_lives_and_dies(account):
    made = account.create(
        "aws:iam/rolePolicy:RolePolicy",
        "p",
        role=role(account).id,
        policy=policy("s3:*"),
    )
    made.update(policy=policy("ec2:*"))
    assert ({}, {}) == (made.kinds(), made.refresh())
    made.delete()

    assert {"id": (made.id, None)} == made.refresh()


def test_a_policy_changes_more_often_than_aws_keeps_versions(account):
    made = account.create(POLICY, "p", policy=policy("s3:*"))
    for number in range(VERSIONS_KEPT + 1):
        made.update(policy=policy(f"s3:Get{number}"))

    versions = account.client("iam").list_policy_versions(PolicyArn=made.id)
    assert VERSIONS_KEPT == len(versions["Versions"])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "must be JSON, got '{'"),
        ("[]", "must be a policy document with a Statement"),
    ],
)
def test_a_policy_is_a_document(account, text, reason):
    with pytest.raises(RefusedInputsError) as caught:
        account.check(POLICY, "p", policy=text)

    assert [("policy", reason)] == caught.value.args[0]


def test_a_policy_given_as_a_document_becomes_text(account):
    document = json.loads(trust(EC2))
    inputs = account.check(ROLE, "r", assumeRolePolicy=document)

    assert document == json.loads(inputs["assumeRolePolicy"])


def test_a_policy_changed_by_hand_is_seen(account):
    made = account.create(POLICY, "p", policy=policy("s3:*"))
    account.client("iam").create_policy_version(
        PolicyArn=made.id, PolicyDocument=policy("iam:*"), SetAsDefault=True
    )

    assert ["policy"] == list(made.refresh())
    assert {"policy": "UPDATE"} == made.kinds()


def test_an_instance_profile_changes_its_role(account):
    one, two = role(account, "one"), role(account, "two")
    made = account.create("aws:iam/instanceProfile:InstanceProfile", "p", role=one.id)
    made.update(role=two.id)

    assert (two.id, {}) == (made.state["role"], made.refresh())


def test_what_moto_cannot_change_is_refused_by_name(account):
    made = account.create(
        "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
        "o",
        url="https://oidc.example.com/id/B",
        clientIdLists=["sts"],
    )

    with pytest.raises(
        RefusedError,
        match="^the sandbox does not imitate a change of clientIdLists: moto cannot$",
    ):
        made.update(clientIdLists=["sts", "other"])


def test_a_role_name_is_checked_against_the_service_model(account):
    with pytest.raises(RefusedError, match="^iam:CreateRole: RoleName must match "):
        role(account, name="a b")


def test_an_alias_follows_its_key(account):
    one, two = account.create(KEY, "one"), account.create(KEY, "two")
    made = account.create("aws:kms/alias:Alias", "a", targetKeyId=one.state["arn"])
    made.update(targetKeyId=two.state["keyId"])

    assert made.id.startswith("alias/a-")
    assert two.state["arn"] == made.state["targetKeyArn"]
    assert ({}, {}) == (made.kinds(), made.refresh())
    made.delete()
    assert {"id": (made.id, None)} == made.refresh()


def test_a_log_group_may_outlive_its_stack(account):
    made = account.create(LOGS, "l", skipDestroy=True)
    with pytest.raises(AssertionError):
        assert {"id": (made.id, None)} == made.refresh()
    made.delete()

    assert {} == made.refresh()


@pytest.mark.parametrize(
    ("inputs", "problem"),
    [
        ({"delaySeconds": 901}, ("delaySeconds", "must be 0 to 900, got 901")),
        (
            {"messageRetentionSeconds": 59},
            ("messageRetentionSeconds", "must be 60 to 1209600, got 59"),
        ),
        (
            {"sqsManagedSseEnabled": True, "kmsMasterKeyId": "k"},
            ("sqsManagedSseEnabled", "conflicts with kmsMasterKeyId"),
        ),
    ],
)
def test_a_queue_keeps_its_limits(account, inputs, problem):
    with pytest.raises(RefusedInputsError) as caught:
        account.check(QUEUE, "q", **inputs)

    assert [problem] == caught.value.args[0]


def test_a_fifo_queue_is_named_as_one(account):
    assert account.check(QUEUE, "q", fifoQueue=True)["name"].endswith(".fifo")


def test_a_queue_policy_lives_changes_and_dies(account):
    queue = account.create(QUEUE, "q")

    def document(action):
        statement = json.loads(policy(action))["Statement"][0]
        statement |= {"Resource": queue.state["arn"], "Principal": "*"}
        return json.dumps({"Version": "2012-10-17", "Statement": [statement]})

    made = account.create(
        "aws:sqs/queuePolicy:QueuePolicy",
        "p",
        queueUrl=queue.id,
        policy=document("sqs:SendMessage"),
    )
    made.update(policy=document("sqs:*"))
    assert ({}, {}) == (made.kinds(), made.refresh())
    made.delete()

    assert {"id": (made.id, None)} == made.refresh()
    assert {} == queue.kinds()


def test_a_rule_stays_while_it_has_a_target(account):
    rule = account.create(RULE, "r", eventPattern='{"source":["aws.ec2"]}')
    queue = account.create(QUEUE, "q")
    target = account.create(
        "aws:cloudwatch/eventTarget:EventTarget",
        "t",
        rule=rule.state["name"],
        arn=queue.state["arn"],
    )
    assert ({}, {}) == (target.kinds(), target.refresh())
    with pytest.raises(ClientError) as caught:
        rule.delete()

    assert "ValidationException" == caught.value.response["Error"]["Code"]
    target.delete()
    rule.delete()
    assert {"id": (rule.id, None)} == rule.refresh()
