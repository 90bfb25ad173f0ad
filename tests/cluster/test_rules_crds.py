"""
Our objects against the Prometheus operator's own CRDs, in a real API server.

Not proven here: what its admission webhook says about expressions, which promtool
reads in test_rules.
"""

import os
from copy import deepcopy

import pytest
import yaml

from components.spec.monitoring.manifests import prometheus_rule
from components.spec.monitoring.scrapes import scrape_objects
from components.spec.monitoring.settings import Monitoring, PrometheusAccount, Scrapes
from sandbox.cluster_api import RefusedError
from sandbox.control_plane_tools import prometheus_operator_module
from tests.cluster.conftest import namespace
from tests.cluster.definitions import installed
from tests.spec.monitoring.builders import SCALERS, watch

KINDS = ("podmonitors", "prometheusrules", "servicemonitors")
SETTINGS = Monitoring(
    namespace="monitoring", scrapes=Scrapes(scheduler=PrometheusAccount())
)
OBJECTS = [
    *(prometheus_rule(SETTINGS, watch(scaler)) for scaler in SCALERS),
    *scrape_objects(SETTINGS, watch("karpenter", "cluster-autoscaler")),
]


@pytest.fixture(scope="module")
def operated(api):
    """Return the API server with the CRDs of the operator."""
    folder = prometheus_operator_module(os.environ) / "example/prometheus-operator-crd"
    files = [folder / f"monitoring.coreos.com_{kind}.yaml" for kind in KINDS]
    api.create(namespace("monitoring"))
    with installed(api, [yaml.safe_load(file.read_text()) for file in files]):
        yield api


@pytest.mark.parametrize(
    "document",
    OBJECTS,
    ids=[f"{one['kind']}-{number}" for number, one in enumerate(OBJECTS)],
)
def test_h014_the_api_server_takes_every_object_and_adds_nothing(operated, document):
    answer = operated.create(document, dry_run=True)
    kept = {key: answer.object[key] for key in document if key != "metadata"}

    assert () == answer.warnings
    assert {key: document[key] for key in kept} == kept


def test_the_crd_refuses_what_is_no_rule(operated):
    broken = deepcopy(OBJECTS[0])
    broken["spec"]["groups"][0]["rules"][0]["for"] = "a while"

    with pytest.raises(RefusedError, match=r"for"):
        operated.create(broken, dry_run=True)
