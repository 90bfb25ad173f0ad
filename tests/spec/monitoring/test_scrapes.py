"""Scrapes: what the operator is told, and what it cannot be told."""

import pytest
import yaml

from components.spec.monitoring.metrics import METRICS
from components.spec.monitoring.scrapes import scrape_objects
from components.spec.monitoring.settings import Monitoring, PrometheusAccount, Scrapes
from tests.spec.monitoring.builders import watch

ALL = Scrapes(scheduler=PrometheusAccount(namespace="metrics", name="prometheus"))


def found(*scalers, **settings):
    objects = scrape_objects(Monitoring(**settings), watch(*scalers))
    return [f"{one['kind']}/{one['metadata']['name']}" for one in objects]


@pytest.mark.parametrize(
    ("scalers", "objects"),
    [
        (
            ("karpenter",),
            ["ServiceMonitor/eks-jobs-karpenter", "PodMonitor/eks-jobs-vpc-cni"],
        ),
        (
            ("cluster-autoscaler",),
            [
                "ServiceMonitor/eks-jobs-cluster-autoscaler",
                "PodMonitor/eks-jobs-vpc-cni",
            ],
        ),
        (
            ("karpenter", "cluster-autoscaler"),
            [
                "ServiceMonitor/eks-jobs-karpenter",
                "ServiceMonitor/eks-jobs-cluster-autoscaler",
                "PodMonitor/eks-jobs-vpc-cni",
            ],
        ),
        (("auto-mode",), []),
    ],
)
def test_the_scalers_of_the_cluster_are_scraped(scalers, objects):
    assert objects == found(*scalers)


def test_nothing_is_scraped_that_was_not_asked_for():
    assert [] == found(scrapes=None)
    assert ["PodMonitor/eks-jobs-vpc-cni"] == found(scrapes=Scrapes(scaler=False))
    assert ["ServiceMonitor/eks-jobs-karpenter"] == found(
        scrapes=Scrapes(vpc_cni=False)
    )


def test_what_is_kept_of_an_exporter_is_what_rules_read():
    objects = scrape_objects(Monitoring(scrapes=ALL), watch())
    kept = {
        one["metadata"]["name"]: endpoint["metricRelabelings"][0]["regex"]
        for one in objects
        for endpoint in one.get("spec", {}).get("podMetricsEndpoints", [])
        + one.get("spec", {}).get("endpoints", [])
        if "metricRelabelings" in endpoint
    }

    assert {
        "eks-jobs-vpc-cni": "awscni_no_available_ip_addresses",
        "eks-jobs-scheduler": "scheduler_preemption_victims(_bucket|_count|_sum)",
    } == kept
    assert {"vpc-cni", "kube-scheduler"} <= {one.source for one in METRICS}


def test_the_golden_file_shows_every_object(golden):
    objects = scrape_objects(
        Monitoring(scrapes=ALL), watch("karpenter", "cluster-autoscaler")
    )

    golden("monitoring/scrapes.yaml", yaml.safe_dump_all(objects, sort_keys=False))
