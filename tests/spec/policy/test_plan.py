"""These tests prove what a policy needs on a cluster, not what it does there."""

import pytest

from components.spec.cluster import ClusterSettings
from components.spec.groups import JobGroup, ServerGroup, Size
from components.spec.policy.kyverno_settings import KyvernoSettings
from components.spec.policy.plan import (
    engine_of,
    kyverno_release,
    policy_notices,
    validate_policy,
    with_scoring,
)
from components.spec.policy.settings import JobPolicySettings
from components.spec.scheduler import ResourceWeight, SchedulerScoring

SERVER = ServerGroup(
    name="server", architecture="amd64", instance_types=("m7i.xlarge",)
)
JOB = JobGroup(
    name="job",
    architecture="amd64",
    instance_types=("m7i.4xlarge",),
    size=Size(max=301),
)


@pytest.mark.parametrize(
    ("version", "settings", "installed"),
    [
        ("1.35", {}, True),
        ("1.36", {}, False),
        ("1.36", {"engine": "native"}, False),
        ("1.36", {"engine": "kyverno"}, True),
        ("1.36", {"engine": "kyverno-legacy"}, True),
        ("1.35", {"kyverno": KyvernoSettings(install=False)}, False),
    ],
)
def test_kyverno_is_installed_where_it_runs_the_policy(version, settings, installed):
    release = kyverno_release(JobPolicySettings(**settings), version, (SERVER,), ())

    assert installed == (release is not None)


def test_kyverno_is_the_chart_that_was_named():
    kyverno = KyvernoSettings(chart_version="3.8.0", namespace="policies")
    release = kyverno_release(JobPolicySettings(kyverno=kyverno), "1.35", (SERVER,), ())

    assert release is not None
    assert ("kyverno", "3.8.0", "policies") == (
        release.chart,
        release.version,
        release.namespace,
    )


def test_the_chart_that_is_named_decides_what_it_runs():
    kyverno = KyvernoSettings(chart_version="3.10.0")

    with pytest.raises(ValueError, match="below 3.10, got 3.10.0"):
        engine_of(JobPolicySettings(engine="kyverno-legacy", kyverno=kyverno), "1.35")


@pytest.mark.parametrize("packing", ["affinity", "none"])
def test_other_packings_leave_the_scoring_alone(packing):
    cluster = ClusterSettings(version="1.36")

    assert cluster == with_scoring(cluster, JobPolicySettings(packing=packing))
    assert cluster == with_scoring(cluster, None)


def test_packing_by_the_scheduler_brings_its_scoring():
    cluster = ClusterSettings(version="1.36")
    policy = JobPolicySettings(packing="scheduler")

    assert (
        SchedulerScoring(
            strategy="MostAllocated",
            resources=(ResourceWeight(name="cpu"), ResourceWeight(name="memory")),
        )
        == with_scoring(cluster, policy).scheduler
    )
    validate_policy(policy, cluster)


def test_a_scoring_of_the_user_is_kept():
    own = SchedulerScoring(resources=(ResourceWeight(name="memory", weight=7),))
    cluster = ClusterSettings(version="1.36", scheduler=own)

    assert cluster == with_scoring(cluster, JobPolicySettings(packing="both"))


def test_a_scoring_that_spreads_is_refused():
    own = SchedulerScoring(strategy="LeastAllocated")
    cluster = ClusterSettings(version="1.36", scheduler=own)

    with pytest.raises(
        ValueError,
        match="^packing='both' needs the cluster's scheduler strategy to be "
        "MostAllocated, got LeastAllocated$",
    ):
        validate_policy(JobPolicySettings(packing="both"), cluster)


def test_the_nodes_of_all_groups_are_counted():
    (notice,) = policy_notices(JobPolicySettings(), "1.36", (JOB,))

    assert "up to 301 job nodes, not tried above 300 nodes" in notice.text


def test_no_policy_is_an_information():
    (notice,) = policy_notices(None, "1.36", ())

    assert ("policy", "info") == (notice.path, notice.severity)
