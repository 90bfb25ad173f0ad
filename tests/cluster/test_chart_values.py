"""
Our values in the charts of Karpenter and Kyverno, rendered by Helm.

A key that no template reads changes nothing, and Helm says nothing. So each value is
changed, and what is rendered must change.

Not proven here: the chart of Cluster Autoscaler, which travels in no Go module, and
openreports, on which Kyverno's depends. The chart kyverno-api is that of the module,
not the version that Kyverno's pins. The charts in the module of Karpenter 1.15.1 call
themselves 1.14.1: they are numbered when released.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.spec.labels import Taint
from components.spec.policy.kyverno_chart import kyverno_values
from components.spec.policy.kyverno_settings import KyvernoSettings
from components.spec.scaler.feature_gates import AWS_GATES, CORE_GATES
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.karpenter_chart import (
    definition_values,
    karpenter_values,
)
from sandbox.control_plane_tools import (
    karpenter_aws_module,
    kyverno_api_module,
    kyverno_module,
)
from tests.cluster.helm import (
    Steps,
    leaves,
    merged,
    render,
    with_another,
    without_missing,
)
from tests.spec.scaler.builders import server

VALUES: Mapping[str, Mapping[str, Any]] = {
    "karpenter": karpenter_values(
        Karpenter(feature_gates=dict.fromkeys([*CORE_GATES, *AWS_GATES], True)),
        cluster_name="prod",
        queue_name="prod-karpenter",
        servers=(server(),),
    ),
    "karpenter-crd": definition_values(),
    "kyverno": kyverno_values(
        KyvernoSettings(group="server"),
        (server(taints=(Taint(key="for", value="x"),)),),
    ),
    "kyverno without taints": kyverno_values(KyvernoSettings(), (server(),)),
}
# Values that only count beside others: with those they are read as well.
BESIDE: Mapping[Steps, Mapping[str, Any]] = {
    **{
        ("features", name, "enabled"): {"reportsController": {"enabled": True}}
        for name in ("aggregateReports", "backgroundScan", "policyReports")
    },
    # From two replicas on there always is a budget.
    ("admissionController", "podDisruptionBudget", "enabled"): {
        "admissionController": {"replicas": 1}
    },
}
EVERY = [(name, path) for name, values in VALUES.items() for path in leaves(values)]


@pytest.fixture(scope="module")
def charts(tmp_path_factory) -> Mapping[str, Path]:
    karpenter = karpenter_aws_module(os.environ) / "charts"
    kyverno = without_missing(
        kyverno_module(os.environ) / "charts" / "kyverno",
        tmp_path_factory.mktemp("charts") / "kyverno",
        kyverno_api_module(os.environ) / "charts" / "kyverno-api",
    )
    return {
        "karpenter": karpenter / "karpenter",
        "karpenter-crd": karpenter / "karpenter-crd",
        "kyverno": kyverno,
        "kyverno without taints": kyverno,
    }


@pytest.fixture(scope="module")
def is_read(built, charts):
    """Return whether a template reads a value."""
    rendered: dict[str, str] = {}

    def answer(name: str, values: Mapping[str, Any], path: Steps) -> bool:
        texts = []
        for one in (values, with_another(values, path)):
            key = yaml.safe_dump([name, dict(one)])
            if key not in rendered:
                rendered[key] = render(built["helm"], charts[name], one)
            texts.append(rendered[key])
        return texts[0] != texts[1]

    return answer


@pytest.mark.parametrize(
    ("name", "path"), EVERY, ids=[f"{name}: {path}" for name, path in EVERY]
)
def test_every_value_shows_up_in_what_the_chart_renders(is_read, name, path):
    values = VALUES[name]
    beside = BESIDE.get(path)

    assert (beside is None) == is_read(name, values, path)
    if beside is not None:
        assert is_read(name, merged(values, beside), path)


@pytest.mark.parametrize(
    ("name", "path", "misspelt"),
    [
        ("karpenter", ("settings", "preferencePolicy"), "preferencesPolicy"),
        ("karpenter", ("settings", "featureGates", "nodeRepair"), "nodeRepairs"),
        ("karpenter", ("controller", "resources"), "resource"),
        ("karpenter", ("replicas",), "replicaCount"),
        ("kyverno", ("features", "forceFailurePolicyIgnore"), "forceFailureIgnore"),
        ("kyverno", ("admissionController", "replicas"), "replicaCount"),
    ],
)
def test_a_misspelt_key_is_found_out(is_read, name, path, misspelt):
    *way, last = path
    values = yaml.safe_load(yaml.safe_dump(VALUES[name]))
    part = values
    for key in way:
        part = part[key]
    part[misspelt] = part.pop(last)
    planted = [one for one in leaves(values) if one[: len(path)] == (*way, misspelt)]

    assert planted
    assert not any(is_read(name, values, one) for one in planted)


def test_the_same_values_are_rendered_alike(built, charts):
    for name, values in VALUES.items():
        once, again = (render(built["helm"], charts[name], values) for _ in range(2))

        assert once == again


def test_the_controller_of_karpenter_is_what_we_say(built, charts):
    rendered = render(built["helm"], charts["karpenter"], VALUES["karpenter"])
    (deployment,) = (
        one for one in yaml.safe_load_all(rendered) if one["kind"] == "Deployment"
    )
    pod = deployment["spec"]["template"]["spec"]
    (controller,) = pod["containers"]
    environ = {one["name"]: one.get("value") for one in controller["env"]}
    (term,) = pod["affinity"]["nodeAffinity"][
        "requiredDuringSchedulingIgnoredDuringExecution"
    ]["nodeSelectorTerms"]

    assert 2 == deployment["spec"]["replicas"]
    assert ("prod", "prod-karpenter", "Ignore") == tuple(
        environ[key]
        for key in ("CLUSTER_NAME", "INTERRUPTION_QUEUE", "PREFERENCE_POLICY")
    )
    assert ["karpenter.sh/nodepool", "eks-jobs/group"] == [
        one["key"] for one in term["matchExpressions"]
    ]
    # Ours is merged into that of the chart, which keeps its replicas apart.
    assert "podAntiAffinity" in pod["affinity"]
    assert {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "1Gi"}} == (
        controller["resources"]
    )


def test_h068_the_chart_of_the_crds_holds_those_of_the_controller(built, charts):
    rendered = render(built["helm"], charts["karpenter-crd"], VALUES["karpenter-crd"])
    installed = {
        one["metadata"]["name"]: one["spec"] for one in yaml.safe_load_all(rendered)
    }
    folder = karpenter_aws_module(os.environ) / "pkg" / "apis" / "crds"
    own = [yaml.safe_load(file.read_text()) for file in folder.glob("*.yaml")]

    assert {one["metadata"]["name"]: one["spec"] for one in own} == installed


@pytest.mark.parametrize("name", ["karpenter-crd", "kyverno"])
def test_definitions_stay_when_their_release_goes(built, charts, name):
    rendered = render(built["helm"], charts[name], VALUES[name])
    definitions = [
        one["metadata"]
        for one in yaml.safe_load_all(rendered)
        if one and one["kind"] == "CustomResourceDefinition"
    ]

    assert definitions
    assert [] == [
        one["name"]
        for one in definitions
        if one["annotations"].get("helm.sh/resource-policy") != "keep"
    ]
