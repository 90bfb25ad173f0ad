"""Dashboards as files, and as objects that Grafana's sidecar finds."""

from typing import Any

from ..rules import Scope
from ..settings import Monitoring
from ..watched import Watched
from .before_after import before_after
from .job_platform import job_platform

__all__ = ["FOLDER", "dashboard_config_maps", "dashboard_files"]

FOLDER = "Jobs"
"""Folder of the dashboards, where Grafana's sidecar is told to read it."""


def dashboard_files(settings: Monitoring, watched: Watched) -> dict[str, str]:
    """
    Return the dashboards as files that Grafana imports, by their names.

    Equal settings give equal bytes.

    Args:
        settings: What the team said.
        watched: The cluster and its groups.
    """
    # Loads a library that nobody else needs, see its docstring.
    from .written import written

    scope = Scope(settings=settings, watched=watched)
    return {
        f"{one.name}.json": written(one)
        for one in (job_platform(scope), before_after(scope))
    }


def dashboard_config_maps(
    settings: Monitoring, watched: Watched
) -> tuple[dict[str, Any], ...]:
    """
    Return an object for each dashboard, with the label that Grafana's sidecar seeks.

    Args:
        settings: What the team said.
        watched: The cluster and its groups.

    Shape:
        ConfigMaps, named like the dashboard.

    Sources:
        grafana_folder: Grafana's chart, sidecar.dashboards.folderAnnotation, in its
        own examples.
    """
    return tuple(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": name.removesuffix(".json"),
                "namespace": settings.namespace,
                "labels": dict(sorted(settings.dashboard_labels.items())),
                "annotations": {"grafana_folder": FOLDER},
            },
            "data": {name: text},
        }
        for name, text in dashboard_files(settings, watched).items()
    )
