"""Loads from a table."""

import pytest

from lab.model import Job, NodeShape
from lab.table import load_table, read_table


def shape(group, architecture, cpu=4_000):
    return NodeShape(
        group=group,
        instance_type="x.large",
        architecture=architecture,
        cpu=cpu,
        memory=8_000,
        pods=5,
    )


SHAPES = (
    shape("small", "amd64", 1_000),
    shape("job", "amd64"),
    shape("job-arm", "arm64"),
)
HEAD = "start,duration,cpu,memory,arch\n"


def read(text):
    return read_table(text, "jobs.csv", SHAPES)


def test_each_line_is_a_job():
    load = read(HEAD + "0,90,500m,1Gi,amd64\n10m,1h30m,2,512Mi,arm64\n")

    assert "table jobs.csv: 2 jobs" == load.name
    assert (
        Job(
            name="job-000002",
            namespace="default",
            start=0,
            duration=90,
            cpu=500,
            memory=1_024,
            architecture="amd64",
            group="small",
        ),
        Job(
            name="job-000003",
            namespace="default",
            start=600,
            duration=5_400,
            cpu=2_000,
            memory=512,
            architecture="arm64",
            group="job-arm",
        ),
    ) == load.jobs


def test_more_columns_say_more_in_any_order():
    (job,) = read(
        "Group;Name;Arch;CPU;Mem;Start;Duration;Namespace;Owner\n"
        "job;one;AMD64;;;5;1;data;Workflow\n"
    ).jobs

    assert ("job", "one", "amd64", 0, 0, "data", "Workflow") == (
        job.group,
        job.name,
        job.architecture,
        job.cpu,
        job.memory,
        job.namespace,
        job.owner,
    )


def test_the_first_job_begins_at_once_whatever_the_clock():
    load = read(HEAD + "1767225660,1,,,amd64\n1767225600.5,1,,,amd64\n")

    assert [("job-000003", 0), ("job-000002", 59.5)] == [
        (job.name, job.start) for job in load.jobs
    ]


def test_a_job_goes_to_the_first_group_that_can_run_it():
    jobs = read(HEAD + "0,1,1,1Gi,amd64\n1,1,1001m,1Gi,amd64\n").jobs

    assert ["small", "job"] == [job.group for job in jobs]


def test_all_that_is_wrong_is_named_with_line_and_field():
    with pytest.raises(ValueError, match=".") as caught:
        read(
            "start,duration,cpu,memory,arch,name,group,owner,namespace\n"
            "soon,1x,5 cores,1GB,ppc64,A,gone,Pod,Data\n"
            "\n"
            "0,1,5,1Gi,amd64,a,,,\n"
            "0,1,2,1Gi,amd64,b,small,,\n"
            "0,1,1,1Gi,arm64,b,job,,\n"
            "0,,,,amd64,c,,,\n"
        )

    assert [
        "jobs.csv:2: start: must be seconds or a duration such as 1h30m, got 'soon'",
        "jobs.csv:2: duration: must be seconds or a duration such as 1h30m, got '1x'",
        "jobs.csv:2: cpu: must be cores such as 500m or 2, got '5 cores'",
        "jobs.csv:2: memory: must be memory such as 512Mi or 1Gi, got '1GB'",
        "jobs.csv:2: name: must be 1 to 63 lower-case letters, digits or '-', got 'A'",
        "jobs.csv:2: namespace: must be 1 to 63 lower-case letters, digits or '-', "
        "got 'Data'",
        "jobs.csv:2: owner: must be of Job, Workflow, got 'Pod'",
        "jobs.csv:2: arch: must be of amd64, arm64, got 'ppc64'",
        "jobs.csv:2: group: must be of small, job, job-arm, got 'gone'",
        "jobs.csv:4: cpu, memory, arch: must fit an empty node (small 1000m 8000Mi "
        "amd64, job 4000m 8000Mi amd64, job-arm 4000m 8000Mi arm64), got 5000m 1024Mi "
        "amd64",
        "jobs.csv:5: cpu, memory, arch: must fit an empty node (small 1000m 8000Mi "
        "amd64), got 2000m 1024Mi amd64",
        "jobs.csv:6: cpu, memory, arch: must fit an empty node (job 4000m 8000Mi "
        "amd64), got 1000m 1024Mi arm64",
        "jobs.csv:7: duration: must be seconds or a duration such as 1h30m, got ''",
        "jobs.csv:6: name: must not repeat, got b of line 5 again",
    ] == str(caught.value).splitlines()


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (HEAD, ["jobs.csv: must have at least one job, got none"]),
        (
            "start,duration,cpu,gpu\n",
            [
                "jobs.csv:1: column must be of start, duration, cpu, memory, arch, "
                "name, namespace, group, owner, got 'gpu'",
                "jobs.csv:1: memory: must be a column, got none",
                "jobs.csv:1: arch: must be a column, got none",
            ],
        ),
        (HEAD + "0,1,1\n", ["jobs.csv:2: must have 5 fields, got 3"]),
    ],
)
def test_what_is_no_table_is_refused(text, problems):
    with pytest.raises(ValueError, match=".") as caught:
        read(text)

    assert problems == str(caught.value).splitlines()


def test_a_table_comes_from_a_file(tmp_path):
    path = tmp_path / "jobs.csv"
    path.write_text(HEAD + "0,1,,,amd64\n")

    assert 1 == len(load_table(path, SHAPES).jobs)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"gone\.csv: must be a table of jobs, got: "):
        load_table(tmp_path / "gone.csv", SHAPES)
