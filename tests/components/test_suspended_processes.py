"""
Processes of groups that others own.

The provider runs against moto, which keeps suspended processes as AWS does but
never launches, rebalances or ends an instance.
"""

import base64
from typing import Any

import boto3
import dill
import pulumi
import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from moto import mock_aws
from pulumi.dynamic.dynamic import serialize_provider

from components import SuspendedProcesses, SuspendedProcessesArgs
from components.suspended_processes import SuspensionProvider

COMPONENT = "eks-jobs:index:SuspendedProcesses"
SUSPENSION = "pulumi-python:dynamic/eks-jobs:Suspension"

REGION = "ap-northeast-2"
PROVIDER = SuspensionProvider()


@pytest.fixture(scope="module")
def autoscaling():
    """Make a client of an account of moto's; starting moto takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        for key in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(key, "test")
        for key in ("AWS_PROFILE", "AWS_ENDPOINT_URL"):
            patch.delenv(key, raising=False)
        with mock_aws():
            client = boto3.client("autoscaling", region_name=REGION)
            client.create_launch_configuration(
                LaunchConfigurationName="lc", ImageId="ami-1", InstanceType="m7i.large"
            )
            yield client


@pytest.fixture
def groups(autoscaling):
    """Auto Scaling groups `one` and `two`, with nothing suspended."""
    for name in ("one", "two"):
        autoscaling.create_auto_scaling_group(
            AutoScalingGroupName=name,
            LaunchConfigurationName="lc",
            MinSize=0,
            MaxSize=1,
            AvailabilityZones=[f"{REGION}a"],
        )
    yield autoscaling
    left = autoscaling.describe_auto_scaling_groups()["AutoScalingGroups"]
    for group in left:
        name = group["AutoScalingGroupName"]
        autoscaling.delete_auto_scaling_group(AutoScalingGroupName=name)


def suspended(client, name: str = "one") -> list[str]:
    (group,) = client.describe_auto_scaling_groups(AutoScalingGroupNames=[name])[
        "AutoScalingGroups"
    ]
    return sorted(process["ProcessName"] for process in group["SuspendedProcesses"])


def by_hand(client, action: str, *processes: str) -> None:
    getattr(client, f"{action}_processes")(
        AutoScalingGroupName="one", ScalingProcesses=list(processes)
    )


def props(*processes: str, **overrides) -> dict:
    return {
        "group_name": "one",
        "region": REGION,
        "processes": list(processes or ("AZRebalance",)),
    } | overrides


def created(*processes: str) -> dict[str, Any]:
    return outs_of(PROVIDER.create(props(*processes)))


def outs_of(result) -> dict[str, Any]:
    assert result.outs is not None
    return result.outs


def test_create_suspends(groups):
    result = PROVIDER.create(props())

    assert ["AZRebalance"] == suspended(groups)
    assert f"{REGION}/one" == result.id
    assert props(suspended_here=["AZRebalance"]) == result.outs


def test_create_touches_no_other_group(groups):
    created()

    assert [] == suspended(groups, "two")


def test_delete_resumes_what_was_suspended_here(groups):
    PROVIDER.delete("id", created("AZRebalance", "ReplaceUnhealthy"))

    assert [] == suspended(groups)


def test_delete_leaves_what_somebody_else_had_suspended(groups):
    by_hand(groups, "suspend", "AZRebalance", "Launch")
    outs = created("AZRebalance", "ReplaceUnhealthy")
    PROVIDER.delete("id", outs)

    assert ["ReplaceUnhealthy"] == outs["suspended_here"]
    assert ["AZRebalance", "Launch"] == suspended(groups)


def test_nothing_to_resume_resumes_nothing(groups):
    by_hand(groups, "suspend", "AZRebalance", "Launch")
    PROVIDER.delete("id", created("AZRebalance"))

    assert ["AZRebalance", "Launch"] == suspended(groups)


def test_a_refresh_shows_what_somebody_resumed(groups):
    outs = created("AZRebalance", "ReplaceUnhealthy")
    by_hand(groups, "resume", "AZRebalance")
    result = PROVIDER.read("id", outs)

    assert "id" == result.id
    assert props("ReplaceUnhealthy", suspended_here=["ReplaceUnhealthy"]) == result.outs
    assert PROVIDER.diff("id", outs_of(result), props(*outs["processes"])).changes


def test_an_update_after_drift_suspends_again_and_still_owns_it(groups):
    outs = created()
    by_hand(groups, "resume", "AZRebalance")
    drifted = outs_of(PROVIDER.read("id", outs))
    updated = outs_of(PROVIDER.update("id", drifted, props()))

    assert ["AZRebalance"] == suspended(groups)
    assert ["AZRebalance"] == updated["suspended_here"]


@pytest.mark.usefixtures("groups")
def test_a_refresh_without_drift_changes_nothing():
    outs = created()

    assert outs == PROVIDER.read("id", outs).outs
    assert not PROVIDER.diff("id", outs, props()).changes


def test_a_process_that_others_suspend_is_not_drift(groups):
    outs = created()
    by_hand(groups, "suspend", "Launch")

    assert outs == PROVIDER.read("id", outs).outs


def test_a_group_that_is_gone_is_reported_as_gone(groups):
    outs = created()
    groups.delete_auto_scaling_group(AutoScalingGroupName="one")

    assert "" == PROVIDER.read("id", outs).id


def test_a_group_that_is_gone_can_be_deleted(groups):
    outs = created()
    groups.delete_auto_scaling_group(AutoScalingGroupName="one")

    assert PROVIDER.delete("id", outs) is None


def test_an_update_suspends_and_resumes_the_difference(groups):
    outs = created("AZRebalance", "ReplaceUnhealthy")
    updated = outs_of(
        PROVIDER.update("id", outs, props("AZRebalance", "InstanceRefresh"))
    )

    assert ["AZRebalance", "InstanceRefresh"] == suspended(groups)
    assert ["AZRebalance", "InstanceRefresh"] == updated["suspended_here"]


def test_an_update_leaves_what_somebody_else_had_suspended(groups):
    by_hand(groups, "suspend", "AZRebalance")
    outs = created("AZRebalance")
    updated = outs_of(PROVIDER.update("id", outs, props("ReplaceUnhealthy")))

    assert ["AZRebalance", "ReplaceUnhealthy"] == suspended(groups)
    assert ["ReplaceUnhealthy"] == updated["suspended_here"]


@pytest.mark.parametrize(
    ("news", "changes", "replaces"),
    [
        (props("AZRebalance", "Launch"), False, []),
        (props("Launch", "AZRebalance"), False, []),
        (props("Launch"), True, []),
        (props("AZRebalance", "Launch", group_name="two"), True, ["group_name"]),
        (props("AZRebalance", "Launch", region="eu-west-1"), True, ["region"]),
        ({"processes": ["AZRebalance", "Launch"], "region": REGION}, True, []),
    ],
    ids=["same", "order", "processes", "group", "region", "unknown"],
)
def test_only_another_group_or_region_is_another_resource(news, changes, replaces):
    olds = props("AZRebalance", "Launch", suspended_here=["Launch"])
    result = PROVIDER.diff("id", olds, news)

    assert (changes, replaces) == (result.changes, result.replaces)


@pytest.mark.parametrize(
    "attempt",
    [
        lambda: PROVIDER.create(props(group_name="three")),
        lambda: PROVIDER.update(
            "id", props(suspended_here=[]), props(group_name="three")
        ),
    ],
    ids=["create", "update"],
)
@pytest.mark.usefixtures("groups")
def test_a_missing_group_names_itself(attempt):
    with pytest.raises(RuntimeError) as caught:
        attempt()

    assert (
        "Auto Scaling group three in ap-northeast-2 does not exist, so none of its "
        "processes can be suspended"
    ) == str(caught.value)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "AccessDenied",
            "Auto Scaling group one in ap-northeast-2: autoscaling:SuspendProcesses is "
            "not allowed. Allow it to the credentials that run Pulumi; the service "
            "that owns a group may also forbid it. AWS: no",
        ),
        (
            "ScalingActivityInProgress",
            "Auto Scaling group one in ap-northeast-2: autoscaling:SuspendProcesses "
            "failed, ScalingActivityInProgress: no",
        ),
    ],
)
def test_a_refused_call_says_what_to_allow(groups, monkeypatch, code, message):
    call = BaseClient._make_api_call

    def refuse(client, operation, arguments):
        if operation == "SuspendProcesses":
            error = {"Error": {"Code": code, "Message": "no"}}
            raise ClientError(error, operation)
        return call(client, operation, arguments)

    monkeypatch.setattr(BaseClient, "_make_api_call", refuse)
    with pytest.raises(RuntimeError) as caught:
        created()

    assert message == str(caught.value)
    assert [] == suspended(groups)


@pytest.mark.usefixtures("groups")
def test_the_provider_works_after_it_was_stored_and_read():
    stored = base64.b64decode(serialize_provider(PROVIDER))

    assert ["AZRebalance"] == dill.loads(stored).create(props()).outs["processes"]


def test_the_stored_provider_is_the_same_text_each_time():
    assert serialize_provider(PROVIDER) == serialize_provider(SuspensionProvider())


def args(**overrides) -> SuspendedProcessesArgs:
    defaults: dict[str, Any] = {"group_name": "one", "region": REGION}
    return SuspendedProcessesArgs(**defaults | overrides)


def test_identity_is_pinned(deploy):
    deployment = deploy(lambda: SuspendedProcesses("asg", args()))

    assert [f"{COMPONENT}::asg", f"{COMPONENT}${SUSPENSION}::asg"] == [
        resource.path for resource in deployment.resources
    ]


def test_az_rebalancing_is_what_is_suspended(deploy):
    inputs = deploy(lambda: SuspendedProcesses("asg", args())).only(SUSPENSION).inputs

    assert props() == {key: inputs[key] for key in props()}


def test_what_is_suspended_is_an_output(deploy):
    deployment = deploy(lambda: SuspendedProcesses("asg", args()))

    assert {"processes": ["AZRebalance"]} == deployment.outputs[f"{COMPONENT}::asg"]


def test_h073_the_group_may_be_an_output(deploy):
    def program():
        name = pulumi.Output.from_input("one")
        SuspendedProcesses("asg", args(group_name=name))

    assert "one" == deploy(program).only(SUSPENSION).inputs["group_name"]


def test_two_groups_live_in_one_stack(deploy):
    def program():
        SuspendedProcesses("one", args())
        SuspendedProcesses("two", args(group_name="two"))

    assert ["one", "two"] == [r.name for r in deploy(program).of_type(SUSPENSION)]


@pytest.mark.parametrize(
    ("processes", "message"),
    [
        ((), "processes must name at least one process"),
        (
            ("AZRebalance", "AZRebalance"),
            "processes must not repeat, got AZRebalance, AZRebalance",
        ),
        (
            ("AzRebalance",),
            "processes must be of AZRebalance, AddToLoadBalancer, AlarmNotification, "
            "HealthCheck, InstanceRefresh, Launch, ReplaceUnhealthy, "
            "ScheduledActions, Terminate, got 'AzRebalance'",
        ),
    ],
)
def test_rejects(processes, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        args(processes=processes)
