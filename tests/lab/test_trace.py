"""Loads from what kubectl prints; that a cluster runs like this is not proven here."""

from datetime import UTC, datetime

import pytest
import yaml

from lab.model import LeftOut, NodeShape
from lab.trace import Window, load_trace, read_trace


def shape(group, architecture, **changes):
    return NodeShape(
        **{
            "group": group,
            "instance_type": "x.large",
            "architecture": architecture,
            "cpu": 4_000,
            "memory": 8_000,
            "pods": 5,
        }
        | changes
    )


SHAPES = (shape("job-arm", "arm64"), shape("job", "amd64"))
NINE = datetime(2026, 1, 5, 9, tzinfo=UTC)
WINDOW = Window(begin=NINE)


def pod(**changes):
    container = {"name": "c", "resources": {"requests": {"cpu": "500m"}}}
    return {"containers": [container]} | changes


def cron_job(name="report", schedule="*/20 * * * *", job=None, pod_spec=None, **spec):
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": name, "namespace": "data"},
        "spec": {
            "schedule": schedule,
            "jobTemplate": {
                "spec": {"template": {"spec": pod_spec or pod()}, **(job or {})}
            },
            **spec,
        },
    }


def ran(name="once", start="09:10:00", end="09:12:00", owner=None, **changes):
    owners = [{"kind": "CronJob", "name": owner}] if owner else []
    status = {}
    if start:
        status["startTime"] = f"2026-01-05T{start}Z"
    if end:
        status["completionTime"] = f"2026-01-05T{end}Z"
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "data", "ownerReferences": owners},
        "spec": {
            "template": {"spec": changes.pop("pod_spec", None) or pod()},
            **changes.pop("job", {}),
        },
        "status": status | changes.pop("status", {}),
    }


def text(*items):
    return yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": list(items)})


def read(*items, window=WINDOW, shapes=SHAPES):
    return read_trace(text(*items), "t.yaml", shapes, window)


def runs(load):
    return [(job.start, job.duration) for job in load.jobs]


def left_out(load):
    return [(one.what, one.reason) for one in load.left_out]


TAKEN = (
    "CronJob data/report: duration",
    "none of its Jobs has finished: 60 s are taken",
)


def test_a_cron_job_runs_on_its_schedule():
    load = read(cron_job())

    assert "trace t.yaml: 3 jobs, 1 hours from 2026-01-05 09:00 UTC" == load.name
    assert [(0, 60), (1_200, 60), (2_400, 60)] == runs(load)
    assert ["report-29460060", "report-29460080", "report-29460100"] == [
        job.name for job in load.jobs
    ]
    assert {("data", "Job", 500, 0, "amd64", "job")} == {
        (j.namespace, j.owner, j.cpu, j.memory, j.architecture, j.group)
        for j in load.jobs
    }
    assert [TAKEN] == left_out(load)


@pytest.mark.parametrize(
    ("schedule", "zone", "starts"),
    [
        ("30 18 * * *", "Asia/Seoul", [1_800]),
        ("TZ=Asia/Seoul 30 18 * * *", None, [1_800]),
        ("CRON_TZ=Asia/Seoul 30 18 * * MON", None, [1_800]),
        ("15,45 9-10 * jan 0-5", None, [900, 2_700]),
        ("@hourly", None, [0]),
        ("@every 25m", None, [0, 1_500, 3_000]),
        ("59 9 ? * ?", "UTC", [3_540]),
    ],
)
def test_schedules_are_read_as_kubernetes_reads_them(schedule, zone, starts):
    load = read(cron_job(schedule=schedule, timeZone=zone))

    assert starts == [job.start for job in load.jobs]


def test_a_schedule_keeps_to_its_clock_over_the_years():
    window = Window(begin=datetime(2026, 12, 1, tzinfo=UTC), hours=24 * 140)
    load = read(
        cron_job(schedule="0 12 15 1,4 *", timeZone="Europe/Berlin"), window=window
    )

    assert [45 * 24 + 11, 135 * 24 + 10] == [job.start / 3_600 for job in load.jobs]


def test_a_schedule_of_an_interval_counts_from_its_last_run():
    one = cron_job(schedule="@every 25m")
    one["status"] = {"lastScheduleTime": "2026-01-05T08:50:00Z"}

    assert [900, 2_400] == [job.start for job in read(one).jobs]


def test_runs_take_the_durations_of_the_finished_jobs_by_turns():
    load = read(
        cron_job(),
        ran("report-1", "08:00:00", "08:02:00", owner="report"),
        ran("report-29460040", "08:40:00", "08:40:30"),
    )

    assert [(0, 120), (1_200, 30), (2_400, 120)] == runs(load)
    assert [
        (
            "2 Jobs of CronJobs",
            "their CronJobs are replayed on schedule, as long as these ran",
        )
    ] == left_out(load)


def test_without_a_begin_the_last_time_of_the_trace_is_within():
    load = read(ran(), ran("late", "11:30:00", "11:59:59"), window=Window(hours=2))

    assert "trace t.yaml: 1 jobs, 2 hours from 2026-01-05 10:00 UTC" == load.name
    assert [(5_400, 1_799)] == runs(load)
    assert [
        ("1 Jobs", "they started outside of the time that is replayed")
    ] == left_out(load)


def test_a_trace_without_times_begins_on_a_monday():
    load = read(cron_job(schedule="0 0 * * 1"), window=Window())

    assert "trace t.yaml: 1 jobs, 1 hours from 2026-01-05 00:00 UTC" == load.name


def test_other_jobs_run_when_they_ran():
    load = read(ran(), ran("b.c", "09:00:30", "09:00:30"), ran("of-29460040"))

    assert [("b-c", 30, 1), ("of-29460040", 600, 120), ("once", 600, 120)] == [
        (job.name, job.start, job.duration) for job in load.jobs
    ]


def test_jobs_of_a_cron_job_that_is_not_replayed_run_when_they_ran():
    load = read(cron_job(suspend=True), ran(owner="report"))

    assert [(600, 120)] == runs(load)
    assert [("CronJob data/report", "it is suspended")] == left_out(load)


def test_a_job_that_still_runs_takes_what_it_has_run_at_least():
    load = read(ran("on", "09:00:00", None), ran("new", "09:11:30", None), ran())

    assert [(0, 720), (600, 120), (690, 60)] == runs(load)
    assert [
        ("Job data/on: duration", "it has not finished: 720 s are taken"),
        ("Job data/new: duration", "it has not finished: 60 s are taken"),
    ] == left_out(load)


def test_pods_of_one_job_follow_each_other():
    load = read(
        ran("many", "09:00:00", "09:01:30", job={"parallelism": 2, "completions": 5})
    )

    assert [(0, 30), (0, 30), (30, 30), (30, 30), (60, 30)] == runs(load)
    assert ["many-0", "many-1", "many-2", "many-3", "many-4"] == [
        job.name for job in load.jobs
    ]


@pytest.mark.parametrize(
    ("job", "pods"),
    [
        ({"parallelism": 3}, 3),
        ({"parallelism": 5, "completions": 2}, 2),
        ({"completions": 4, "completionMode": "Indexed", "parallelism": 4}, 4),
    ],
)
def test_pods_side_by_side_each_take_the_whole_time(job, pods):
    assert [(600, 120)] * pods == runs(read(ran(job=job)))


def hourly(policy, duration, **spec):
    """Every 20 minutes, with runs of *duration* seconds."""
    end = f"08:{duration // 60:02}:{duration % 60:02}"
    child = ran("child", "08:00:00", end, owner="report")
    return read(cron_job(concurrencyPolicy=policy, **spec), child)


def test_allowed_runs_overlap():
    assert [(0, 1_500), (1_200, 1_500), (2_400, 1_500)] == runs(hourly("Allow", 1_500))


def test_a_forbidden_run_waits_for_the_one_before():
    assert [(0, 1_500), (1_500, 1_500), (3_000, 1_500)] == runs(hourly("Forbid", 1_500))


def test_of_late_runs_the_last_takes_place_and_the_others_are_listed():
    load = hourly("Forbid", 2_600)

    assert [(0, 2_600), (2_600, 2_600)] == runs(load)
    assert (
        "CronJob data/report: 1 runs",
        "the one before was still running, and it forbids two at once",
    ) in left_out(load)


def test_a_late_run_that_would_begin_after_the_end_is_listed():
    load = hourly("Forbid", 2_000, job={"completions": 2})

    assert [(0, 2_000), (2_000, 2_000)] == runs(load)
    assert "CronJob data/report: 2 runs" == left_out(load)[0][0]


def test_a_run_that_is_too_late_does_not_take_place():
    load = hourly("Forbid", 1_500, startingDeadlineSeconds=299)

    assert [(0, 1_500), (2_400, 1_500)] == runs(load)
    assert "CronJob data/report: 1 runs" == left_out(load)[0][0]
    assert 3 == len(runs(hourly("Forbid", 1_500, startingDeadlineSeconds=600)))


def test_a_run_is_replaced_by_the_next():
    assert [(0, 1_200), (1_200, 1_200), (2_400, 1_500)] == runs(
        hourly("Replace", 1_500)
    )


def test_a_run_ends_at_its_deadline():
    load = read(cron_job(job={"activeDeadlineSeconds": 50, "completions": 2}))

    assert [(0, 50), (1_200, 50), (2_400, 50)] == runs(load)


def test_two_that_have_one_name_get_two():
    other = cron_job(schedule="0 * * * *")
    other["metadata"]["namespace"] = "web"

    assert ["report-29460060", "report-29460060-again-2"] == [
        job.name for job in read(cron_job(schedule="0 * * * *"), other).jobs
    ]


@pytest.mark.parametrize(
    ("pod_spec", "group"),
    [
        ({}, "job"),
        ({"nodeSelector": {"kubernetes.io/arch": "arm64"}}, "job-arm"),
        ({"nodeSelector": {"eks-jobs/group": "job-arm"}}, "job-arm"),
        (
            {"tolerations": [{"key": "eks-jobs/group", "value": "job-arm"}]},
            "job-arm",
        ),
        ({"tolerations": [{"key": "eks-jobs/group", "operator": "Exists"}]}, "job"),
    ],
)
def test_a_pod_gets_the_group_that_it_can_run_on(pod_spec, group):
    (job,) = read(ran(pod_spec=pod(**pod_spec))).jobs

    assert group == job.group


def test_the_usual_architecture_is_the_one_of_the_window():
    (job,) = read(ran(), window=Window(begin=NINE, architecture="arm64")).jobs

    assert "arm64" == job.architecture


GPU = {"name": "c", "resources": {"limits": {"nvidia.com/gpu": 1}}}


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"job": {"suspend": True}}, "it is suspended"),
        (
            {"job": {"parallelism": 0}},
            "it runs no pods: completions=0, parallelism=0",
        ),
        (
            {"job": {"managedBy": "kueue.x-k8s.io/multikueue"}},
            "it is managed by kueue.x-k8s.io/multikueue, which the lab does not run",
        ),
        (
            {"job": {"successPolicy": {"rules": [{"succeededCount": 1}]}}},
            "its successPolicy may end it before all pods have run",
        ),
        ({"pod_spec": {"restartPolicy": "Never"}}, "its template has no containers"),
        (
            {"pod_spec": pod(containers=[GPU])},
            "it asks for nvidia.com/gpu, which the nodes of the lab do not have",
        ),
        (
            {"pod_spec": pod(nodeSelector={"kubernetes.io/arch": "ppc64le"})},
            "no job group has a node for 500m and 0Mi on another architecture",
        ),
        (
            {"pod_spec": pod(nodeSelector={"eks-jobs/group": "gone"})},
            "it names the job group gone, and there are job-arm, job",
        ),
        (
            {"pod_spec": pod(resources={"requests": {"cpu": 5}})},
            "no job group has a node for 5000m and 0Mi on amd64 or arm64",
        ),
        ({"start": None, "end": None}, "it has not started"),
        (
            {
                "end": None,
                "status": {"conditions": [{"type": "Failed", "status": "True"}]},
            },
            "it failed: how often it was tried, and for how long, is not known",
        ),
    ],
)
def test_a_job_that_cannot_be_replayed_is_listed_with_the_reason(changes, reason):
    load = read(ran("fine"), ran(**changes))

    assert ["fine"] == [job.name for job in load.jobs]
    assert [("Job data/once", reason)] == left_out(load)


def test_a_cron_job_that_cannot_be_replayed_is_listed_with_the_reason():
    load = read(
        ran(),
        cron_job("gpu", pod_spec=pod(containers=[GPU])),
        cron_job("never", schedule="0 0 30 2 *"),
    )

    assert [
        (
            "CronJob data/gpu",
            "it asks for nvidia.com/gpu, which the nodes of the lab do not have",
        ),
        (
            "CronJob data/never: duration",
            "none of its Jobs has finished: 60 s are taken",
        ),
        ("CronJob data/never", "it has no run in this time"),
    ] == left_out(load)


def test_what_is_not_replayed_of_a_pod_is_listed():
    load = read(ran(pod_spec=pod(priorityClassName="high", nodeSelector={"pool": "a"})))

    assert 1 == len(load.jobs)
    assert (
        LeftOut(
            what="Job data/once: the node label pool",
            reason="the nodes of the lab do not have it",
        ),
        LeftOut(
            what="Job data/once: priorityClassName",
            reason="every job of the lab has the same priority",
        ),
    ) == load.left_out


def test_other_objects_are_listed():
    pod_object = {"kind": "Pod", "metadata": {"name": "a", "namespace": "b"}}
    load = read(ran(), pod_object, {"kind": "Namespace"})

    assert [
        ("Pod b/a", "only CronJobs and Jobs are replayed"),
        ("Namespace", "only CronJobs and Jobs are replayed"),
    ] == left_out(load)


def test_a_trace_may_be_several_documents_or_json():
    documents = f"{text(ran())}---\n---\n{yaml.safe_dump(ran('two'))}"
    json = '{"kind": "JobList", "items": []}'

    assert 2 == len(read_trace(documents, "t.yaml", SHAPES, WINDOW).jobs)
    with pytest.raises(ValueError, match=r"^t.json: must have something to replay"):
        read_trace(json, "t.json", SHAPES)


def test_times_without_quotes_are_times():
    unquoted = text(ran()).replace("'2026", "2026").replace("Z'", "Z")

    assert "startTime: 2026" in unquoted
    assert [(600, 120)] == runs(read_trace(unquoted, "t.yaml", SHAPES, WINDOW))


def test_a_trace_of_which_nothing_can_be_replayed_says_why():
    with pytest.raises(ValueError, match=".") as caught:
        read(cron_job(suspend=True))

    assert (
        "t.yaml: must have something to replay, got nothing\n"
        "CronJob data/report: it is suspended"
    ) == str(caught.value)


def test_all_that_is_wrong_is_named_with_line_and_field():
    bad = """\
kind: List
items:
- kind: CronJob
  metadata: {name: a, namespace: data}
  spec:
    schedule: 61 * * * *
    timeZone: Mars/Base
    concurrencyPolicy: Never
    startingDeadlineSeconds: soon
    jobTemplate:
      spec:
        completions: -1
        template:
          spec:
            containers:
            - resources: {requests: {cpu: 1 core}}
- kind: CronJob
  metadata:
    namespace: data
  spec: {schedule: often}
- kind: Job
  metadata: {name: b}
  spec: 5
  status:
    startTime: yesterday
- kind: Job
  metadata: {name: c}
  spec: {template: {spec: {containers: []}}}
  status:
    startTime: "2026-01-05T10:00:00Z"
    completionTime: "2026-01-05T09:00:00Z"
- metadata: {name: d}
- nonsense
"""
    with pytest.raises(ValueError, match=".") as caught:
        read_trace(bad, "t.yaml", SHAPES)

    assert [
        "t.yaml:2: must be an object or a list of them, got 'nonsense'",
        "t.yaml:6: spec.schedule: minute must be 0 to 59, got '61' in '61 * * * *'",
        "t.yaml:7: spec.timeZone: must be a zone of the tz database, got 'Mars/Base'",
        "t.yaml:8: spec.concurrencyPolicy: must be of Allow, Forbid, Replace, got "
        "'Never'",
        "t.yaml:9: spec.startingDeadlineSeconds: must be a whole number, got 'soon'",
        "t.yaml:12: spec.jobTemplate.spec.completions: must be a whole number, got -1",
        "t.yaml:14: spec.jobTemplate.spec.template.spec.containers[0].resources"
        ".requests.cpu: must be cores such as 500m or 2, got '1 core'",
        "t.yaml:19: metadata.name: must be a name, got None",
        "t.yaml:20: spec.jobTemplate: must be a map, got None",
        "t.yaml:20: spec.schedule: must be five fields of cron, @hourly and the like, "
        "or @every 1h30m, got 'often'",
        "t.yaml:23: spec: must be a map, got 5",
        "t.yaml:25: status.startTime: must be a time such as 2026-01-05T10:00:00Z, "
        "got 'yesterday'",
        "t.yaml:31: status.completionTime: must not be before status.startTime",
        "t.yaml:32: kind: must be a kind such as Job, got None",
    ] == str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("- a\n", "t.yaml:1: must be an object or a list of them, got \"['a']\""),
        (
            "kind: [\n",
            "t.yaml:2: must be YAML, got: did not find expected node content",
        ),
        ("kind: List\n", "t.yaml:1: items: must be a list, got None"),
        (
            text(ran(), ran()),
            "t.yaml: Job data/once: must be there once, got it 2 times",
        ),
    ],
)
def test_what_is_no_trace_is_refused(bad, message):
    with pytest.raises(ValueError, match=".") as caught:
        read_trace(bad, "t.yaml", SHAPES)

    assert message == str(caught.value)


def test_a_window_out_of_range_is_named():
    with pytest.raises(ValueError, match=".") as caught:
        Window(hours=0, default_seconds=-1)

    assert [
        "hours must be above 0, got hours=0",
        "default_seconds must be above 0, got default_seconds=-1",
    ] == str(caught.value).splitlines()


def test_a_trace_comes_from_a_file(tmp_path):
    path = tmp_path / "trace.yaml"
    path.write_text(text(ran()))

    assert 1 == len(load_trace(path, SHAPES).jobs)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"gone\.yaml: must be a trace, got: "):
        load_trace(tmp_path / "gone.yaml", SHAPES)
