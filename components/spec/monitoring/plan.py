"""What a whole stack makes of its monitoring."""

from collections.abc import Sequence
from typing import Any

from ..balloon.pods import priority_class_name
from ..balloon.settings import AnyBalloon, PodBalloon, StaticBalloon
from ..groups import JobGroup
from ..policy.settings import JobPolicySettings
from ..problems import refuse
from ..scaler.settings import Scaler
from .dashboards.manifests import dashboard_config_maps, dashboard_files
from .manifests import prometheus_rule, rule_file
from .scrapes import scrape_objects
from .settings import Monitoring
from .watched import Watched, watched

__all__ = [
    "monitoring_files",
    "monitoring_manifests",
    "validate_monitoring",
    "watched_stack",
]


def watched_stack(
    cluster: str,
    *,
    jobs: Sequence[JobGroup],
    scalers: Sequence[Scaler],
    policy: JobPolicySettings | None,
    balloons: Sequence[AnyBalloon] = (),
) -> Watched:
    """
    Collect what rules are written from, out of the parts of a stack.

    Args:
        cluster: Name of the cluster.
        jobs: Its job groups.
        scalers: The scaler in use, then the one on its way out.
        policy: The job policy, None without one.
        balloons: Capacity that waits; pods of balloons are counted by their class,
            and nodes of static ones belong to their group.
    """
    classes = [
        priority_class_name(one) for one in balloons if isinstance(one, PodBalloon)
    ]
    pools = [
        (one.object_name, one.group)
        for one in balloons
        if isinstance(one, StaticBalloon)
    ]
    return watched(cluster, jobs, scalers, policy, classes, pools)


def validate_monitoring(
    settings: Monitoring | None, jobs: Sequence[JobGroup], scalers: Sequence[Scaler]
) -> None:
    """
    Refuse what would watch nothing.

    Raises:
        ValueError: There is no job group, or no object would be created.
    """
    if settings is None:
        return
    if not jobs:
        refuse(["jobs must hold a group for monitoring, got none"])
    found = watched("", jobs, scalers, None)
    shown = settings.rules or settings.dashboards or not settings.enabled
    if not shown and not scrape_objects(settings, found):
        refuse(
            [
                "monitoring must create something, got rules=false, dashboards=false "
                "and scrapes of nothing that this scaler runs: leave monitoring out"
            ]
        )


def monitoring_manifests(
    settings: Monitoring | None, watched: Watched
) -> list[dict[str, Any]]:
    """
    Return what is created in the cluster, in the order of its creation.

    Shape:
        PrometheusRule; PodMonitors and ServiceMonitors, with ClusterRole and
        ClusterRoleBinding for the scheduler; ConfigMaps with dashboards.
    """
    if settings is None or not settings.enabled:
        return []
    return [
        *([prometheus_rule(settings, watched)] if settings.rules else []),
        *scrape_objects(settings, watched),
        *(dashboard_config_maps(settings, watched) if settings.dashboards else ()),
    ]


def monitoring_files(settings: Monitoring | None, watched: Watched) -> dict[str, str]:
    """
    Return rules and dashboards as files by their paths, for who has no operator.

    All of them, whatever is created in the cluster. Equal settings give equal bytes.
    """
    if settings is None:
        return {}
    dashboards = dashboard_files(settings, watched)
    return {
        "rules.yaml": rule_file(settings, watched),
        **{f"dashboards/{name}": text for name, text in dashboards.items()},
    }
