"""What a whole stack makes of its monitoring, and what it refuses."""

import pytest

from components.spec.balloon.settings import BufferBalloon, PodBalloon, StaticBalloon
from components.spec.monitoring.dashboards.manifests import (
    dashboard_config_maps,
    dashboard_files,
)
from components.spec.monitoring.manifests import prometheus_rule, rule_file
from components.spec.monitoring.plan import (
    monitoring_files,
    monitoring_manifests,
    validate_monitoring,
    watched_stack,
)
from components.spec.monitoring.scrapes import scrape_objects
from components.spec.monitoring.settings import Monitoring
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.karpenter import Karpenter
from tests.spec.monitoring.builders import watch
from tests.spec.scaler.builders import job

HELD = {"group": "job", "replicas": 2, "cpu": "1", "memory": "1Gi"}


def test_pods_of_balloons_are_known_by_their_class():
    balloons = (
        PodBalloon(**HELD, priority=-40),
        PodBalloon(**HELD, name="more"),
        BufferBalloon(**HELD),
    )
    found = watched_stack(
        "c", jobs=(job(),), scalers=(Karpenter(),), policy=None, balloons=balloons
    )

    assert ("balloon-job-minus-40", "more-minus-10") == found.balloon_classes


def test_static_pools_are_known_by_their_name_and_their_group():
    balloons = (
        StaticBalloon(group="job", nodes=2),
        StaticBalloon(group="job-arm", nodes=1, name="reserved"),
        PodBalloon(**HELD),
    )
    found = watched_stack(
        "c",
        jobs=(job(), job(architecture="arm64")),
        scalers=(Karpenter(),),
        policy=None,
        balloons=balloons,
    )

    assert (("static-job", "job"), ("reserved", "job-arm")) == found.static_pools


def test_rules_come_first_and_dashboards_last():
    settings, found = Monitoring(), watch()

    assert [
        prometheus_rule(settings, found),
        *scrape_objects(settings, found),
        *dashboard_config_maps(settings, found),
    ] == monitoring_manifests(settings, found)


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        ({"rules": False}, ["ServiceMonitor", "PodMonitor", "ConfigMap", "ConfigMap"]),
        ({"scrapes": None, "dashboards": False}, ["PrometheusRule"]),
        ({"enabled": False}, []),
    ],
)
def test_what_is_turned_off_is_not_created(settings, kinds):
    made = monitoring_manifests(Monitoring(**settings), watch())

    assert kinds == [one["kind"] for one in made]


@pytest.mark.parametrize(
    "settings", [{}, {"enabled": False}, {"rules": False, "dashboards": False}]
)
def test_files_are_written_whatever_is_created(settings):
    given, found = Monitoring(**settings), watch()
    dashboards = dashboard_files(given, found)

    assert {
        "rules.yaml": rule_file(given, found),
        **{f"dashboards/{name}": text for name, text in dashboards.items()},
    } == monitoring_files(given, found)


def test_without_monitoring_there_is_nothing():
    assert ([], {}) == (
        monitoring_manifests(None, watch()),
        monitoring_files(None, watch()),
    )
    validate_monitoring(None, (), ())


NOTHING_SHOWN = Monitoring(rules=False, dashboards=False)


def test_a_stack_without_jobs_has_nothing_to_watch():
    with pytest.raises(
        ValueError, match=r"^jobs must hold a group for monitoring, got none$"
    ):
        validate_monitoring(Monitoring(), (), (Karpenter(),))


def test_monitoring_that_creates_nothing_is_refused():
    """EKS Auto Mode has nothing that could be scraped."""
    message = (
        "monitoring must create something, got rules=false, dashboards=false and "
        "scrapes of nothing that this scaler runs: leave monitoring out"
    )
    with pytest.raises(ValueError, match=f"^{message}$"):
        validate_monitoring(NOTHING_SHOWN, (job(),), (AutoMode(),))


@pytest.mark.parametrize(
    ("settings", "scaler"),
    [
        (NOTHING_SHOWN, Karpenter()),
        (Monitoring(), AutoMode()),
        (Monitoring(enabled=False, rules=False, dashboards=False), AutoMode()),
    ],
)
def test_monitoring_that_does_something_is_taken(settings, scaler):
    validate_monitoring(settings, (job(),), (scaler,))
