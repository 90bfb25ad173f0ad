"""
How KEDA is installed.

Not proved: that the chart takes every value; it is not had from where the tests get
their tools.
"""

import pytest

from components.spec.balloon.keda import Keda, keda_release
from components.spec.groups import Taint
from components.spec.scaler.checks import Resources
from tests.spec.balloon.builders import buffer, office, pods
from tests.spec.policy import documents
from tests.spec.scaler.builders import server

SCHEDULED = [pods(schedule=office())]


def test_the_release_matches_its_golden_file(golden):
    release = keda_release(Keda(), SCHEDULED, [server()])

    golden("balloon/keda-values.yaml", documents.text([release.values]))
    assert (
        "keda",
        "keda",
        "https://kedacore.github.io/charts",
        "2.20.2",
        "keda",
    ) == (
        release.name,
        release.chart,
        release.repository,
        release.version,
        release.namespace,
    )


def test_keda_runs_on_servers_without_taints():
    tainted = server(name="special", taints=(Taint(key="a"),))
    release = keda_release(Keda(), SCHEDULED, [tainted, server()])
    (term,) = release.values["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]["nodeSelectorTerms"]

    assert [{"key": "eks-jobs/group", "operator": "In", "values": ["server"]}] == term[
        "matchExpressions"
    ]


def test_a_cluster_of_auto_mode_alone_has_no_servers_to_name():
    assert "affinity" not in keda_release(Keda(), SCHEDULED, []).values


def test_each_part_requests_what_the_user_says():
    keda = Keda(resources=Resources(cpu="50m", memory="128Mi"))
    wanted = {
        "requests": {"cpu": "50m", "memory": "128Mi"},
        "limits": {"memory": "128Mi"},
    }

    assert {"operator": wanted, "metricServer": wanted, "webhooks": wanted} == (
        keda_release(keda, SCHEDULED, []).values["resources"]
    )


@pytest.mark.parametrize(
    ("keda", "balloons"),
    [
        (Keda(install=False), SCHEDULED),
        (Keda(), []),
        (Keda(), [pods(), buffer()]),
    ],
)
def test_keda_is_installed_for_a_schedule_only_and_only_when_asked(keda, balloons):
    assert keda_release(keda, balloons, [server()]) is None


def test_settings_that_would_do_nothing_are_refused():
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        Keda(install=False, namespace="scaling")

    assert "namespace needs install: true, got namespace='scaling'" == str(caught.value)


def test_all_problems_are_named_at_once():
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        Keda(version="v2.20", namespace="kube-system")

    assert (
        "version must be three numbers such as 1.15.1, without a v, got version=v2.20\n"
        "namespace must be one of its own, got namespace='kube-system'"
    ) == str(caught.value)
