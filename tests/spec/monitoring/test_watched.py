"""What of a stack reaches its rules."""

import pytest

from components.spec.groups import Size
from components.spec.monitoring.watched import JobPods, WatchedGroup
from components.spec.policy.settings import JobLabel, JobPolicySettings
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.pool import PoolRules
from tests.spec.monitoring.builders import watch
from tests.spec.scaler.builders import job

HOUR = 3_600


def test_groups_bring_their_limits():
    group, _ = watch("cluster-autoscaler").groups

    assert (
        WatchedGroup(
            name="job",
            architecture="amd64",
            max_nodes=50,
            fixed=False,
            iops=8_000,
            throughput_mib=800,
            longest_life_seconds=None,
        )
        == group
    )


@pytest.mark.parametrize(("least", "fixed"), [(0, False), (4, False), (5, True)])
def test_a_group_of_one_size_is_fixed(least, fixed):
    (group,) = watch(jobs=(job(size=Size(min=least, max=5)),)).groups

    assert fixed == group.fixed


@pytest.mark.parametrize(
    ("scalers", "longest_job", "life"),
    [
        ((Karpenter(),), None, 336 * HOUR),
        ((Karpenter(),), "6h", 336 * HOUR + 6 * HOUR + HOUR // 2),
        ((Karpenter(pools={"job": PoolRules(expire_after="Never")}),), None, None),
        ((AutoMode(),), None, 360 * HOUR),
        ((ClusterAutoscaler(),), "6h", None),
        ((ClusterAutoscaler(), Karpenter()), "6h", None),
    ],
)
def test_a_node_lives_as_long_as_its_age_and_its_drain(scalers, longest_job, life):
    found = watch(jobs=(job(longest_job=longest_job),), scalers=scalers)

    assert [life] == [group.longest_life_seconds for group in found.groups]
    assert tuple(one.kind for one in scalers) == found.scalers


def test_the_policy_says_which_pods_are_jobs():
    policy = JobPolicySettings(
        matchers=("batch-jobs", "dagster"),
        label=JobLabel(key="example.com/kind", value="batch"),
        exclude_namespaces=("ci",),
    )

    assert (
        JobPods(
            label=("example.com/kind", "batch"),
            owners=("Job",),
            labels=(("dagster/run-id", None),),
            left_out=("kube-system", "kube-public", "kube-node-lease", "kyverno", "ci"),
        )
        == watch(policy=policy).pods
    )


def test_without_a_policy_jobs_are_told_by_what_the_default_would_match():
    pods = watch(policy=None).pods

    assert pods.label is None
    assert ("Job", "Workflow", "EphemeralRunner", "Runner") == pods.owners
    assert (
        "kubernetes_executor",
        "kubernetes_pod_operator",
        "dagster/run-id",
        "runner-pod",
    ) == pods.label_keys


def test_a_class_of_balloons_counts_once():
    assert ("a", "b") == watch(balloon_classes=("a", "b", "a")).balloon_classes
