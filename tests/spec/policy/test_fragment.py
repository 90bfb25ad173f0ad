"""These tests prove the fragments, not that each producer takes them."""

import pytest
import yaml

from components.spec.policy.fragment import (
    pod_fragment,
    pod_templates,
    render_pod_templates,
)
from components.spec.policy.native import native_policies
from components.spec.policy.settings import JobLabel, JobPolicySettings
from tests.spec.policy.admission import (
    DO_NOT_DISRUPT,
    LABEL,
    SAFE_TO_EVICT,
    TERM,
    TOLERATION,
    admit,
)

FILES = [
    "airflow.yaml",
    "argo-workflows.yaml",
    "dagster.yaml",
    "github-runners.yaml",
    "job.yaml",
]
METADATA = {
    "labels": {LABEL: "job"},
    "annotations": {DO_NOT_DISRUPT: "true", SAFE_TO_EVICT: "false"},
}
AFFINITY = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [TERM]}}


@pytest.mark.parametrize("name", FILES)
def test_templates_match_their_golden_files(golden, name):
    golden(
        f"policy/pod-templates/{name}", render_pod_templates(JobPolicySettings())[name]
    )


def test_there_is_a_template_for_each_producer():
    assert FILES == list(render_pod_templates(JobPolicySettings()))


def test_rendered_templates_say_the_same():
    settings = JobPolicySettings(host_network=True)
    rendered = render_pod_templates(settings)

    assert pod_templates(settings) == {
        name: yaml.safe_load(text) for name, text in rendered.items()
    }


def test_the_fragment_is_what_the_policy_adds():
    spec = {"affinity": AFFINITY, "tolerations": [TOLERATION]}

    assert {"metadata": METADATA, "spec": spec} == pod_fragment(JobPolicySettings())


@pytest.mark.parametrize("packing", ["scheduler", "none"])
def test_without_affinity_the_fragment_tolerates_new_nodes(packing):
    spec = {"tolerations": [TOLERATION]}

    assert {"metadata": METADATA, "spec": spec} == pod_fragment(
        JobPolicySettings(packing=packing)
    )


def test_without_affinity_and_karpenter_the_fragment_has_no_spec():
    settings = JobPolicySettings(packing="none", protection={SAFE_TO_EVICT: "false"})

    assert {"metadata": {**METADATA, "annotations": {SAFE_TO_EVICT: "false"}}} == (
        pod_fragment(settings)
    )


def test_host_network_brings_its_dns_policy():
    settings = JobPolicySettings(host_network=True, packing="none")

    assert {
        "tolerations": [TOLERATION],
        "hostNetwork": True,
        "dnsPolicy": "ClusterFirstWithHostNet",
    } == pod_fragment(settings)["spec"]


@pytest.mark.parametrize(
    "settings",
    [
        JobPolicySettings(),
        JobPolicySettings(affinity_scope="own-namespace", host_network=True),
        JobPolicySettings(packing="none", strict=True),
        JobPolicySettings(label=JobLabel(key="group"), unpacked_namespaces=("bulk",)),
        JobPolicySettings(protection={DO_NOT_DISRUPT: "4h"}),
    ],
    ids=["default", "host-network", "strict", "label", "duration"],
)
def test_h004_the_policy_has_nothing_to_add_to_a_pod_from_the_template(settings):
    template = pod_templates(settings)["job.yaml"]["spec"]["template"]
    owner = {"apiVersion": "batch/v1", "kind": "Job", "controller": True}
    metadata = {"namespace": "team-a", "ownerReferences": [owner]}
    pod = {**template, "metadata": {**template["metadata"], **metadata}}

    assert pod == admit(native_policies(settings), pod)
