"""These tests prove the values of the chart, not that the chart takes them."""

import pytest

from components.spec.groups import JobGroup, ServerGroup, Taint
from components.spec.policy.kyverno_chart import kyverno_values
from components.spec.policy.kyverno_settings import KyvernoSettings
from tests.spec.policy.documents import text


def server(name="server", taints=()):
    return ServerGroup(
        name=name, architecture="amd64", instance_types=("m7i.xlarge",), taints=taints
    )


def job(name="job"):
    return JobGroup(name=name, architecture="amd64", instance_types=("m7i.4xlarge",))


def refusal(kyverno, servers, jobs=()):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        kyverno_values(kyverno, servers, jobs)
    return str(caught.value)


def test_values_match_their_golden_file(golden):
    golden(
        "policy/kyverno-values.yaml",
        text([kyverno_values(KyvernoSettings(), [server()])]),
    )


def test_h013_the_engine_runs_on_servers_without_taints():
    tainted = server("special", taints=(Taint(key="a", value="b"),))
    values = kyverno_values(KyvernoSettings(), [tainted, server("plain")], [job()])

    assert {
        "nodeSelector": {"kubernetes.io/os": "linux", "eks-jobs/group": "plain"},
        "tolerations": [],
    } == values["global"]


def test_h013_a_tainted_group_is_used_when_it_is_named():
    starting = Taint(key="agent-not-ready", startup=True)
    tainted = server("special", taints=(Taint(key="a", value="b"), starting))
    values = kyverno_values(
        KyvernoSettings(group="special"), [server("plain"), tainted], [job()]
    )

    assert {
        "nodeSelector": {"kubernetes.io/os": "linux", "eks-jobs/group": "special"},
        "tolerations": [
            {"key": "a", "operator": "Equal", "value": "b", "effect": "NoSchedule"}
        ],
    } == values["global"]


@pytest.mark.parametrize("replicas", [2, 3, 15])
def test_h013_one_replica_at_a_time_may_be_evicted(replicas):
    values = kyverno_values(KyvernoSettings(replicas=replicas), [server()])
    controller = values["admissionController"]

    assert replicas == controller["replicas"]
    assert {
        "enabled": True,
        "minAvailable": replicas - 1,
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
    } == controller["podDisruptionBudget"]


def test_the_engine_fails_closed_only_on_request():
    closed = kyverno_values(KyvernoSettings(fail_open=False), [server()])
    opened = kyverno_values(KyvernoSettings(), [server()])

    assert {"enabled": False} == closed["features"]["forceFailurePolicyIgnore"]
    assert {"enabled": True} == opened["features"]["forceFailurePolicyIgnore"]


def test_memory_is_the_users():
    values = kyverno_values(KyvernoSettings(memory_mib=512), [server()])

    assert {
        "requests": {"cpu": "100m", "memory": "128Mi"},
        "limits": {"memory": "512Mi"},
    } == (values["admissionController"]["container"]["resources"])


def test_h013_a_job_group_is_refused():
    assert (
        "group must be one of the server groups server, got group='job', which is a "
        "job group"
    ) == refusal(KyvernoSettings(group="job"), [server()], [job()])


def test_an_unknown_group_is_refused():
    assert (
        "group must be one of the server groups a, b, got group='c', which is no group"
    ) == refusal(KyvernoSettings(group="c"), [server("a"), server("b")], [job()])


def test_a_cluster_of_tainted_servers_must_name_one():
    assert ("group must name a server group, as none is without taints") == refusal(
        KyvernoSettings(), [server(taints=(Taint(key="a"),))]
    )
