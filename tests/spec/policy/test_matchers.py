import pytest

from components.spec.policy.matchers import (
    PRESETS,
    Label,
    LabelMatcher,
    Owner,
    OwnerMatcher,
    describe,
    handles,
    matcher_problems,
)

ALL = (
    "batch-jobs, argo-workflows, airflow, dagster, github-runners, gitlab-runner, "
    "tekton, spark"
)
AIRFLOW = "label kubernetes_executor=True, label kubernetes_pod_operator=True"


def problems(*matchers):
    return list(matcher_problems("matchers", matchers))


def test_the_presets_are_the_known_producers():
    assert ALL == ", ".join(PRESETS)


@pytest.mark.parametrize(
    ("preset", "contents"),
    [
        ("batch-jobs", "owner Job of batch"),
        ("argo-workflows", "owner Workflow of argoproj.io"),
        ("airflow", AIRFLOW),
        ("dagster", "label dagster/run-id"),
        (
            "github-runners",
            "owner EphemeralRunner of actions.github.com, label runner-pod, "
            "owner Runner of actions.summerwind.dev",
        ),
        ("gitlab-runner", "label job.runner.gitlab.com/pod"),
        ("tekton", "owner TaskRun of tekton.dev"),
        (
            "spark",
            "owner SparkApplication of sparkoperator.k8s.io, "
            "label spark-role=driver, label spark-role=executor",
        ),
    ],
)
def test_presets_hold_the_handles_of_their_producers(preset, contents):
    assert contents == ", ".join(map(describe, PRESETS[preset]))


def test_handles_are_listed_once_in_order():
    job = Owner(kind="Job", api_group="batch")
    label = Label(key="runner-pod")
    listed = handles(
        (OwnerMatcher(owner=job), "batch-jobs", "dagster", LabelMatcher(label=label))
    )

    assert (job, Label(key="dagster/run-id"), label) == listed


def test_an_owner_of_the_core_group_is_named_as_such():
    assert "owner Pod of the core group" == describe(Owner(kind="Pod", api_group=""))


def test_every_preset_is_accepted_beside_own_matchers():
    assert [] == problems(
        *PRESETS, OwnerMatcher(owner=Owner(kind="Run", api_group="example.com"))
    )


@pytest.mark.parametrize(
    ("matchers", "message"),
    [
        ((), f"matchers must name at least one of {ALL}, got none"),
        (
            ("batch-jobs", "argo-workflow"),
            f"matchers[1] must be one of {ALL}, got 'argo-workflow'; nearest is "
            "argo-workflows (owner Workflow of argoproj.io)",
        ),
        (
            ("zzz",),
            f"matchers[0] must be one of {ALL}, got 'zzz'",
        ),
        (
            ({},),
            "matchers[0] must be the name of a preset, an owner (kind and api_group) "
            "or a label (key and value), got {}",
        ),
        (
            (None,),
            "matchers[0] must be the name of a preset, an owner (kind and api_group) "
            "or a label (key and value), got None",
        ),
        (
            ("tekton", "spark", "tekton"),
            "matchers[2] must not repeat matchers[0]",
        ),
    ],
)
def test_refuses_what_is_no_matcher(matchers, message):
    assert [message] == problems(*matchers)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("Airflow", "airflow"),
        ("KubernetesExecutor", "airflow"),
        ("kubernetes_pod_operator", "airflow"),
        ("GitLab", "gitlab-runner"),
        ("github", "github-runners"),
        ("Argo", "argo-workflows"),
        ("Dagster", "dagster"),
        ("job", "batch-jobs"),
        ("Tekton", "tekton"),
    ],
)
def test_h008_an_unknown_short_name_is_answered_with_the_right_preset(name, nearest):
    (message,) = problems(name)
    contents = ", ".join(map(describe, PRESETS[nearest]))

    assert (
        f"matchers[0] must be one of {ALL}, got {name!r}; nearest is "
        f"{nearest} ({contents})"
    ) == message


@pytest.mark.parametrize(
    ("kind", "group", "preset"),
    [
        ("Airflow", "airflow.apache.org", "airflow"),
        ("Dagster", "dagster.io", "dagster"),
        ("GitLabRunner", "gitlab.com", "gitlab-runner"),
        ("CronJob", "batch", "batch-jobs"),
        ("JobSet", "jobset.x-k8s.io", "batch-jobs"),
        ("ScaledJob", "keda.sh", "batch-jobs"),
        ("CronWorkflow", "argoproj.io", "argo-workflows"),
        ("ClusterWorkflowTemplate", "argoproj.io", "argo-workflows"),
        ("AutoscalingListener", "actions.github.com", "github-runners"),
        ("PipelineRun", "tekton.dev", "tekton"),
        ("ScheduledSparkApplication", "sparkoperator.k8s.io", "spark"),
    ],
)
def test_h008_an_owner_that_controls_no_pod_names_the_preset(kind, group, preset):
    contents = ", ".join(map(describe, PRESETS[preset]))
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        Owner(kind=kind, api_group=group)

    assert (
        f"kind must be what controls the pod itself, got kind={kind!r}: use the "
        f"preset {preset} ({contents})"
    ) == str(caught.value)


@pytest.mark.parametrize(
    ("kind", "group", "advice"),
    [
        (
            "RunnerSet",
            "actions.summerwind.dev",
            "its pods are of a StatefulSet, which is never a job; write the "
            "annotations into its pod template",
        ),
        (
            "RayJob",
            "ray.io",
            "its pods are of a RayCluster, as those of a RayService are; name that "
            "kind, or a label of the pod templates",
        ),
    ],
)
def test_h008_an_owner_above_that_has_no_preset_names_what_helps(kind, group, advice):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        Owner(kind=kind, api_group=group)

    assert (
        f"kind must be what controls the pod itself, got kind={kind!r}: {advice}"
    ) == str(caught.value)


def test_h008_the_owner_below_is_accepted():
    assert "RayCluster" == Owner(kind="RayCluster", api_group="ray.io").kind


@pytest.mark.parametrize(
    ("kind", "group"),
    [
        ("ReplicaSet", "apps"),
        ("StatefulSet", "apps"),
        ("DaemonSet", "apps"),
        ("Deployment", "apps"),
        ("ReplicationController", ""),
        ("Node", ""),
        ("RayService", "ray.io"),
    ],
)
def test_pods_of_servers_cannot_be_called_jobs(kind, group):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        Owner(kind=kind, api_group=group)

    assert (
        f"kind must be one that runs to its end, got kind={kind!r}, whose pods are "
        "servers"
    ) == str(caught.value)


def test_kinds_of_that_name_in_other_groups_are_the_users():
    assert "StatefulSet" == Owner(kind="StatefulSet", api_group="example.com").kind
    assert "CronJob" == Owner(kind="CronJob", api_group="example.com").kind
    assert "RayJob" == Owner(kind="RayJob", api_group="example.com").kind


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"kind": "", "api_group": "batch"},
            "kind must be a Kubernetes kind such as Job, got kind=''",
        ),
        (
            {"kind": "job", "api_group": "batch"},
            "kind must be a Kubernetes kind such as Job, got kind='job'",
        ),
        (
            {"kind": "Job", "api_group": "batch/v1"},
            "api_group must be an API group without version such as batch, "
            "got api_group='batch/v1'",
        ),
        (
            {"kind": None, "api_group": "Batch"},
            "kind must be a Kubernetes kind such as Job, got kind=None\n"
            "api_group must be an API group without version such as batch, "
            "got api_group='Batch'",
        ),
    ],
)
def test_refuses_what_is_no_owner(kwargs, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        Owner(**kwargs)

    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"key": "a/b/c"},
            "key of label[a/b/c] must have a DNS domain before the slash, got a/b/c",
        ),
        (
            {"key": ""},
            "key of label[] must be 1 to 63 letters, digits, '-', '_' or '.', with a "
            "letter or digit at both ends, got ''",
        ),
        (
            {"key": "a", "value": "x" * 64},
            "label[a] must be empty or 1 to 63 letters, digits, '-', '_' or '.', with "
            f"a letter or digit at both ends, got '{'x' * 64}'",
        ),
        (
            {"key": "a", "value": ""},
            "value must not be empty: leave it out to match every value",
        ),
        (
            {"key": "a", "value": "it's"},
            "label[a] must be empty or 1 to 63 letters, digits, '-', '_' or '.', with "
            'a letter or digit at both ends, got "it\'s"',
        ),
    ],
)
def test_refuses_what_is_no_label(kwargs, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        Label(**kwargs)

    assert message == str(caught.value)


@pytest.mark.parametrize("value", [True, 1])
def test_h011_a_value_that_is_no_text_is_refused(value):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        Label(key="a", value=value)

    assert (
        f"label[a] must be text, got {value!r} ({type(value).__name__}): "
        "put it in quotes"
    ) == str(caught.value)


def test_the_longest_label_is_accepted():
    longest = Label(key=f"{'d' * 253}/{'k' * 63}", value="v" * 63)

    assert "v" * 63 == longest.value
