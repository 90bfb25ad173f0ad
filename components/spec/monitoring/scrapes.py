"""What the Prometheus operator is told to scrape."""

from collections.abc import Iterator
from typing import Any

from ..scaler.versions import NAMESPACE
from .manifests import OPERATOR_API
from .metrics import METRICS
from .settings import Monitoring, PrometheusAccount
from .watched import Watched

__all__ = ["scrape_objects"]


_RBAC = "rbac.authorization.k8s.io"
_SCHEDULER = "eks-jobs-scheduler-metrics"
_EKS_METRICS = "metrics.eks.amazonaws.com"
_ACCOUNT_FILES = "/var/run/secrets/kubernetes.io/serviceaccount"


def scrape_objects(settings: Monitoring, watched: Watched) -> list[dict[str, Any]]:
    """
    Return the objects that have exporters scraped, in the order of their creation.

    kube-state-metrics, kubelets and node_exporter are left to kube-prometheus, and
    EKS Auto Mode lets nobody scrape its controllers.

    Args:
        settings: What the team said.
        watched: The cluster and its scalers.

    Shape:
        ServiceMonitor and PodMonitor of monitoring.coreos.com/v1; ClusterRole and
        ClusterRoleBinding for the scheduler.

    Sources:
        Chart karpenter 1.15.1, templates/service.yaml. Chart cluster-autoscaler
        9.59, templates/service.yaml and _helpers.tpl. Chart aws-vpc-cni of
        amazon-vpc-cni-k8s 1.23.2, templates/daemonset.yaml. The scheduler of EKS, not
        read in a source of AWS nor asked of a cluster: path and rights are those that
        the agent and the operator of Datadog use.
    """
    return list(_objects(settings, watched))


def _objects(settings: Monitoring, watched: Watched) -> Iterator[dict[str, Any]]:
    scrapes = settings.scrapes
    if scrapes is None:
        return
    if scrapes.scaler and "karpenter" in watched.scalers:
        yield _service_monitor(settings, "karpenter", "karpenter", "http-metrics")
    if scrapes.scaler and "cluster-autoscaler" in watched.scalers:
        yield _service_monitor(
            settings, "cluster-autoscaler", "aws-cluster-autoscaler", "http"
        )
    # Nodes of EKS Auto Mode run their CNI outside of pods.
    if scrapes.vpc_cni and set(watched.scalers) != {"auto-mode"}:
        yield _vpc_cni(settings)
    if scrapes.scheduler is not None:
        yield from _scheduler(settings, scrapes.scheduler)


def _service_monitor(
    settings: Monitoring, name: str, app: str, port: str
) -> dict[str, Any]:
    return {
        "apiVersion": OPERATOR_API,
        "kind": "ServiceMonitor",
        "metadata": _metadata(settings, f"eks-jobs-{name}"),
        "spec": {
            "namespaceSelector": {"matchNames": [NAMESPACE]},
            "selector": {"matchLabels": {"app.kubernetes.io/name": app}},
            "endpoints": [{"port": port, "path": "/metrics"}],
        },
    }


def _vpc_cni(settings: Monitoring) -> dict[str, Any]:
    node = {
        "sourceLabels": ["__meta_kubernetes_pod_node_name"],
        "targetLabel": "node",
        "action": "replace",
    }
    return {
        "apiVersion": OPERATOR_API,
        "kind": "PodMonitor",
        "metadata": _metadata(settings, "eks-jobs-vpc-cni"),
        "spec": {
            "namespaceSelector": {"matchNames": [NAMESPACE]},
            "selector": {"matchLabels": {"k8s-app": "aws-node"}},
            "podMetricsEndpoints": [
                {
                    "port": "metrics",
                    "path": "/metrics",
                    "relabelings": [node],
                    "metricRelabelings": [_only("vpc-cni")],
                }
            ],
        },
    }


def _scheduler(
    settings: Monitoring, account: PrometheusAccount
) -> Iterator[dict[str, Any]]:
    role = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": _SCHEDULER}
    yield {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": _SCHEDULER},
        "rules": [
            {
                "apiGroups": [_EKS_METRICS],
                "resources": ["ksh/metrics"],
                "verbs": ["get"],
            }
        ],
    }
    yield {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": _SCHEDULER},
        "roleRef": role,
        "subjects": [
            {
                "kind": "ServiceAccount",
                "name": account.name,
                "namespace": account.namespace,
            }
        ],
    }
    yield {
        "apiVersion": OPERATOR_API,
        "kind": "ServiceMonitor",
        "metadata": _metadata(settings, "eks-jobs-scheduler"),
        "spec": {
            "namespaceSelector": {"matchNames": ["default"]},
            "selector": {
                "matchLabels": {"component": "apiserver", "provider": "kubernetes"}
            },
            "endpoints": [
                {
                    "port": "https",
                    "scheme": "https",
                    "path": f"/apis/{_EKS_METRICS}/v1/ksh/container/metrics",
                    "bearerTokenFile": f"{_ACCOUNT_FILES}/token",
                    "tlsConfig": {
                        "caFile": f"{_ACCOUNT_FILES}/ca.crt",
                        "serverName": "kubernetes",
                    },
                    "metricRelabelings": [_only("kube-scheduler")],
                }
            ],
        },
    }


def _only(source: str) -> dict[str, Any]:
    """Keep what rules read; the rest would only cost."""
    names = [
        f"{one.name}(_bucket|_count|_sum)" if one.histogram else one.name
        for one in METRICS
        if one.source == source
    ]
    return {
        "sourceLabels": ["__name__"],
        "regex": "|".join(names),
        "action": "keep",
    }


def _metadata(settings: Monitoring, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "namespace": settings.namespace,
        "labels": dict(sorted(settings.labels.items())),
    }
