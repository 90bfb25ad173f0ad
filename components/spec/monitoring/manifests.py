"""Objects of the Prometheus operator, and the same rules as a plain file."""

from collections.abc import Mapping
from typing import Any

import yaml

from ..labels import GROUP_LABEL
from .alerts import alert_group
from .recordings import recording_groups
from .rules import Scope
from .settings import Monitoring
from .watched import Watched

__all__ = [
    "OPERATOR_API",
    "kube_state_metrics_labels",
    "prometheus_rule",
    "rule_file",
    "rule_groups",
]

OPERATOR_API = "monitoring.coreos.com/v1"
"""API version of the Prometheus operator's objects."""

_NAME = "eks-jobs"
# What Amazon Managed Prometheus takes in a group, as far as we know.
_MOST_RULES = 20


def rule_groups(settings: Monitoring, watched: Watched) -> list[dict[str, Any]]:
    """
    Return all rules, as the value of `groups` in a rule file.

    Groups have at most 20 rules each, which Amazon Managed Prometheus is said to ask
    for (unconfirmed). A group that has nothing to look at is left out.

    Args:
        settings: What the team said.
        watched: The cluster and its groups.
    """
    scope = Scope(settings=settings, watched=watched)
    groups = (*recording_groups(scope), alert_group(scope))
    return [piece for group in groups for piece in group.manifests(scope, _MOST_RULES)]


def prometheus_rule(settings: Monitoring, watched: Watched) -> dict[str, Any]:
    """
    Return the object that the Prometheus operator loads.

    Shape:
        PrometheusRule of monitoring.coreos.com/v1.
    """
    return {
        "apiVersion": OPERATOR_API,
        "kind": "PrometheusRule",
        "metadata": {
            "name": _NAME,
            "namespace": settings.namespace,
            "labels": dict(sorted(settings.labels.items())),
        },
        "spec": {"groups": rule_groups(settings, watched)},
    }


def rule_file(settings: Monitoring, watched: Watched) -> str:
    """
    Return the rules as a file that Prometheus and Amazon Managed Prometheus take.

    Equal settings give equal bytes.
    """
    return _dump({"groups": rule_groups(settings, watched)})


def kube_state_metrics_labels(watched: Watched) -> tuple[str, ...]:
    """
    Return what `--metric-labels-allowlist` of kube-state-metrics must hold.

    Joined by commas it is the value of the flag; as a list it is
    `metricLabelsAllowlist` of its chart. Without it nothing here has a value.
    """
    pods = ",".join(watched.pods.label_keys)
    return (f"nodes=[{GROUP_LABEL}]", *((f"pods=[{pods}]",) if pods else ()))


class _Dumper(yaml.SafeDumper):
    """Writes expressions as blocks, as people write them."""


def _text(dumper: _Dumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def _dump(document: Mapping[str, Any]) -> str:
    return yaml.dump(
        document, Dumper=_Dumper, sort_keys=False, width=10_000, allow_unicode=True
    )
