"""The built-in load; that real jobs come like this is not proven here."""

import hashlib
from collections import Counter
from statistics import mean

import pytest

from components.spec.groups import JobGroup
from lab.load import article_load

JOB = JobGroup(name="job", architecture="amd64", instance_types=("m7i.4xlarge",))
ARM = JobGroup(name="job-arm", architecture="arm64", instance_types=("m7g.4xlarge",))


def load(**changes):
    return article_load(**{"groups": (JOB, ARM)} | changes)


def test_the_same_seed_gives_the_same_bytes():
    text = repr(load(seed=7, jobs=300)).encode()

    assert "962f" == hashlib.sha256(text).hexdigest()[:4]
    assert load(seed=7, jobs=300) != load(seed=8, jobs=300)


@pytest.mark.parametrize("jobs", [1, 2, 3, 999, 2_000])
def test_as_many_jobs_come_as_were_asked_for(jobs):
    names = [job.name for job in load(jobs=jobs).jobs]

    assert jobs == len(set(names))
    assert jobs == len(names)


def test_jobs_are_in_the_order_of_their_start_within_the_hours():
    starts = [job.start for job in load(hours=0.5).jobs]

    assert sorted(starts) == starts
    assert 0 <= starts[0]
    assert starts[-1] <= 1_800


def test_waves_come_every_ten_minutes_and_the_one_of_the_hour_is_three_times_as_large():
    waves = Counter(
        int(job.start - 120) // 600
        for job in load(hours=2.1).jobs
        if job.name.startswith("cron")
    )

    assert list(range(13)) == sorted(waves)
    assert [52, 157, 52] == [waves[5], waves[6], waves[7]]
    assert [52, 157] == [waves[11], waves[12]]


def test_a_wave_is_over_in_three_seconds():
    starts = [job.start for job in load().jobs if job.name.startswith("cron-")]

    assert [] == [start for start in starts if (start - 120) % 600 > 3]


def test_a_short_run_sees_the_wave_of_the_hour():
    waves = [job for job in load(hours=0.05, jobs=100).jobs if "cron" in job.name]

    assert 50 == len(waves)
    assert 90 <= waves[0].start <= 93


def test_a_step_of_a_workflow_begins_when_the_one_before_has_ended():
    steps: dict[str, dict[int, list]] = {}
    for job in load().jobs:
        if job.owner == "Workflow":
            flow, step, _ = job.name.rsplit("-", 2)
            steps.setdefault(flow, {}).setdefault(int(step), []).append(job)

    assert max(len(flow) for flow in steps.values()) > 2
    for flow in steps.values():
        for step in range(1, len(flow)):
            ends = [job.start + job.duration for job in flow[step - 1]]
            begins = {job.start for job in flow[step]}

            assert 1 == len(begins)
            assert min(begins) > max(ends)


def test_durations_are_like_those_published():
    jobs = load().jobs

    assert 250 < mean(job.duration for job in jobs if job.owner == "Job") < 330
    assert 73 < mean(job.duration for job in jobs if job.owner == "Workflow") < 138


def test_most_workflow_pods_run_on_arm64_and_most_jobs_on_amd64():
    counts = Counter((job.owner, job.architecture) for job in load().jobs)

    assert counts["Workflow", "arm64"] > 3 * counts["Workflow", "amd64"]
    assert counts["Job", "amd64"] > 2 * counts["Job", "arm64"]


def test_jobs_of_six_namespaces_come_together():
    assert 6 == len({job.namespace for job in load().jobs})


def test_groups_of_one_architecture_take_all_jobs():
    assert {("job", "amd64")} == {
        (job.group, job.architecture) for job in load(groups=[JOB]).jobs
    }


def test_no_job_is_longer_than_its_group_allows():
    group = JobGroup(
        name="quick",
        architecture="amd64",
        instance_types=("m7i.4xlarge",),
        longest_job="2m",
    )

    assert 120 == max(job.duration for job in load(groups=[group]).jobs)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hours": 0}, "hours must be more than 0, got hours=0"),
        ({"hours": float("inf")}, "hours must be more than 0, got hours=inf"),
        ({"hours": float("nan")}, "hours must be more than 0, got hours=nan"),
        ({"jobs": 0}, "jobs must be at least 1, got jobs=0"),
        ({"groups": ()}, "groups must name at least one job group, got none"),
    ],
)
def test_arguments_out_of_range_are_named(changes, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        load(**changes)
