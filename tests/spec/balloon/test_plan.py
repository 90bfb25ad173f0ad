import pytest

from components.spec.balloon.keda import Keda
from components.spec.balloon.plan import (
    needs_namespace,
    protects,
    validate_balloons,
)
from components.spec.balloon.schedule import Window
from components.spec.groups import Size
from components.spec.policy.matchers import Label, LabelMatcher
from components.spec.policy.settings import JobLabel, JobPolicySettings
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter, ServerPool
from tests.spec.balloon.builders import buffer, office, pods, static, warm
from tests.spec.scaler.builders import TYPES, job, server


def validate(*balloons, **overrides):
    validate_balloons(
        balloons,
        **{
            "jobs": (job(), job(architecture="arm64")),
            "servers": (server(),),
            "scaler": Karpenter(),
            "cluster_version": "1.36",
            "instance_types": TYPES,
            "policy": JobPolicySettings(),
            "zones": 3,
        }
        | overrides,
    )


def refusal(*balloons, **overrides):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        validate(*balloons, **overrides)
    return str(caught.value)


@pytest.mark.parametrize(
    "scaler",
    [Karpenter(), ClusterAutoscaler(), ClusterAutoscaler(groups="managed"), AutoMode()],
)
def test_balloons_of_both_architectures_pass_with_every_scaler(scaler):
    validate(pods(schedule=office()), pods(group="job-arm"), scaler=scaler)


def test_several_kinds_stand_side_by_side():
    validate(pods(), pods(name="more"), buffer(), static())
    validate(pods(), warm(), scaler=ClusterAutoscaler(groups="managed"))


def test_the_problems_of_all_balloons_are_named_with_their_paths():
    assert (
        "balloons[0]: group must be one of the job groups job, job-arm, got group=jbo\n"
        "balloons[2]: name must be used once, got name=balloon-job\n"
        "balloons[3]: kind must be pods, capacity-buffer or static with scaler kind "
        "karpenter, whose nodes are in no Auto Scaling group, got kind=warm-pool\n"
        "keda: needs a balloon with a schedule, got none"
    ) == refusal(
        pods(group="jbo"), pods(), pods(), warm(), keda=Keda(namespace="scaling")
    )


def test_a_group_has_one_warm_pool():
    assert (
        "balloons[1]: a warm pool must be the only one of its group, got group=job"
    ) == refusal(warm(), warm(min_size=1), scaler=ClusterAutoscaler(groups="managed"))


@pytest.mark.parametrize("name", ["job", "server", "more-servers", "system"])
def test_a_static_pool_takes_no_name_of_another_pool(name):
    more = ServerPool(
        name="more-servers", architecture="amd64", instance_types=("m7i.large",)
    )

    assert (
        f"balloons[0]: name must not be that of a group or pool, got name={name}"
    ) == refusal(static(name=name), scaler=Karpenter(server_pools=(more,)))


def test_static_pools_are_added_up():
    assert (
        "balloons: nodes of the static pools of job must be below its size.max=4 "
        "together, got 4"
    ) == refusal(static(), static(name="more"), jobs=(job(size=Size(max=4)),))


def test_a_balloon_with_the_label_of_jobs_is_refused():
    policy = JobPolicySettings(label=JobLabel(key="group", value="job"))

    assert (
        "balloons[0]: labels must leave out group, the label of jobs: balloons with it "
        "would draw jobs and be counted as such"
    ) == refusal(pods(labels={"group": "other"}), policy=policy)
    validate(pods(labels={"group": "other"}))
    validate(pods(labels={"group": "other"}), policy=None)


@pytest.mark.parametrize("value", [None, "data"])
def test_a_balloon_that_the_policy_calls_a_job_is_refused(value):
    matchers = ("batch-jobs", LabelMatcher(label=Label(key="team", value=value)))
    policy = JobPolicySettings(matchers=matchers)
    left_out = JobPolicySettings(
        matchers=matchers, exclude_namespaces=("eks-jobs-balloons",)
    )
    balloon = pods(labels={"team": "data"})

    assert (
        "balloons[0]: labels must not be what the policy calls a job, got team=data: "
        "leave it out, or name eks-jobs-balloons in policy.exclude_namespaces"
    ) == refusal(balloon, policy=policy)
    validate(balloon, policy=left_out)
    validate(pods(labels={"team": "web"}) if value else pods(), policy=policy)


def test_a_buffer_waits_for_the_end_of_a_migration():
    assert (
        "balloons[0]: kind must not be capacity-buffer before retiring_scaler is gone: "
        "two scalers bring one definition of it, got "
        "retiring_scaler.kind=cluster-autoscaler: use kind pods until then"
    ) == refusal(buffer(), pods(), retiring=ClusterAutoscaler())


def test_keda_as_it_is_by_default_needs_no_schedule():
    validate(pods())
    validate(pods(schedule=office()), keda=Keda(install=False))


SMALL = office(
    start=None,
    end=None,
    windows=(
        Window(start="08:00", end="12:00", replicas=20),
        Window(start="12:00", end="18:00", replicas=22),
    ),
)


def test_h091_a_keda_that_knows_no_tolerance_is_refused_for_steps_of_a_tenth():
    assert (
        "keda.version must be 2.18.0 or newer for the steps of a tenth or less of "
        "balloons[1].schedule, got keda.version=2.17.2"
    ) == refusal(
        pods(schedule=office()),
        pods(name="small", schedule=SMALL),
        keda=Keda(version="2.17.2"),
        cluster_version="1.35",
    )


@pytest.mark.parametrize(
    ("schedule", "version", "cluster_version"),
    [
        (SMALL, "2.18.0", "1.35"),
        # Nothing says a tolerance here.
        (SMALL, "2.17.2", "1.34"),
        (office(), "2.17.2", "1.35"),
    ],
)
def test_h091_an_older_keda_is_taken_where_no_tolerance_is_said(
    schedule, version, cluster_version
):
    validate(
        pods(schedule=schedule),
        keda=Keda(version=version),
        cluster_version=cluster_version,
    )


def test_only_pods_and_buffers_need_a_namespace():
    assert [True, True, False, False, False] == [
        needs_namespace(balloons)
        for balloons in ([pods()], [static(), buffer()], [static()], [warm()], [])
    ]


def test_a_policy_protects_jobs_that_have_no_end_of_their_protection():
    key = "karpenter.sh/do-not-disrupt"

    assert [True, False, False, False, False] == [
        protects(policy)
        for policy in (
            JobPolicySettings(),
            JobPolicySettings(exclude_namespaces=("team-a",)),
            JobPolicySettings(protection={key: "4h"}),
            JobPolicySettings(
                protection={"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}
            ),
            None,
        )
    ]
