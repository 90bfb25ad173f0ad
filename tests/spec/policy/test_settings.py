"""These tests prove which settings are refused, and that a stack file says them all."""

import pulumi
import pytest
import yaml

from components.spec.policy.kyverno_settings import KyvernoSettings
from components.spec.policy.matchers import Label, LabelMatcher, Owner, OwnerMatcher
from components.spec.policy.settings import JobLabel, JobPolicySettings
from infra import reader
from tests.spec.policy.admission import DO_NOT_DISRUPT, SAFE_TO_EVICT

PRESETS = (
    "batch-jobs, argo-workflows, airflow, dagster, github-runners, gitlab-runner, "
    "tekton, spark"
)


def refusal(make, **kwargs):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        make(**kwargs)
    return str(caught.value)


def read(text):
    return reader.build(JobPolicySettings, "policy", yaml.safe_load(text))


def test_defaults_pack_and_protect_the_jobs_of_the_five_producers():
    settings = JobPolicySettings()

    assert (
        "batch-jobs",
        "argo-workflows",
        "airflow",
        "dagster",
        "github-runners",
    ) == settings.matchers
    assert ("affinity", 100, "all-namespaces") == (
        settings.packing,
        settings.weight,
        settings.affinity_scope,
    )
    assert {DO_NOT_DISRUPT: "true", SAFE_TO_EVICT: "false"} == settings.protection
    assert (False, False, "auto") == (
        settings.strict,
        settings.host_network,
        settings.engine,
    )


def test_h013_namespaces_left_out_begin_with_the_systems():
    settings = JobPolicySettings(
        exclude_namespaces=("argo", "kube-system"),
        kyverno=KyvernoSettings(namespace="policies"),
    )

    assert (
        "kube-system",
        "kube-public",
        "kube-node-lease",
        "policies",
        "argo",
    ) == settings.left_out


@pytest.mark.parametrize("packing", ["affinity", "both"])
def test_affinity_is_one_preferred_term(packing):
    assert {
        "weight": 100,
        "podAffinityTerm": {
            "topologyKey": "kubernetes.io/hostname",
            "labelSelector": {"matchLabels": {"eks-jobs/workload": "job"}},
            "namespaceSelector": {},
        },
    } == JobPolicySettings(packing=packing).affinity


@pytest.mark.parametrize("packing", ["scheduler", "none"])
def test_other_packings_have_no_term(packing):
    assert None is JobPolicySettings(packing=packing).affinity


@pytest.mark.parametrize("weight", [1, 100])
def test_the_edges_of_the_weight_are_accepted(weight):
    affinity = JobPolicySettings(weight=weight).affinity

    assert affinity is not None
    assert weight == affinity["weight"]


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"matchers": ()},
            f"matchers must name at least one of {PRESETS}, got none",
        ),
        (
            {"matchers": ("Airflow",)},
            f"matchers[0] must be one of {PRESETS}, got 'Airflow'; nearest is airflow "
            "(label kubernetes_executor=True, label kubernetes_pod_operator=True)",
        ),
        ({"weight": 0}, "weight must be 1 to 100, got weight=0"),
        ({"weight": 101}, "weight must be 1 to 100, got weight=101"),
        (
            {"engine": "gatekeeper"},
            "engine must be one of auto, native, kyverno, kyverno-legacy, "
            "got engine='gatekeeper'",
        ),
        (
            {"packing": "tight"},
            "packing must be one of affinity, scheduler, both, none, "
            "got packing='tight'",
        ),
        (
            {"affinity_scope": "mine"},
            "affinity_scope must be one of all-namespaces, own-namespace, "
            "got affinity_scope='mine'",
        ),
        (
            {"exclude_namespaces": ("Team_A",)},
            "exclude_namespaces must be 1 to 63 lower-case letters, digits and '-', "
            "with a letter or digit at both ends, got 'Team_A'",
        ),
        (
            {"exclude_namespaces": ("a", "a")},
            "exclude_namespaces must not repeat, got 'a' 2 times",
        ),
        (
            {"unpacked_namespaces": ("x" * 64,)},
            "unpacked_namespaces must be 1 to 63 lower-case letters, digits and '-', "
            f"with a letter or digit at both ends, got '{'x' * 64}'",
        ),
        (
            {"unpacked_namespaces": ("kube-system",)},
            "unpacked_namespaces must leave out kube-system, which the policy leaves "
            "alone anyway",
        ),
        (
            {"packing": "none", "unpacked_namespaces": ("bulk",)},
            "unpacked_namespaces needs packing affinity or both, "
            "got unpacked_namespaces=('bulk',)",
        ),
        (
            {"packing": "scheduler", "weight": 50, "affinity_scope": "own-namespace"},
            "weight needs packing affinity or both, got weight=50\n"
            "affinity_scope needs packing affinity or both, "
            "got affinity_scope='own-namespace'",
        ),
        (
            {"protection": {}},
            f"protection must hold one of {DO_NOT_DISRUPT}, {SAFE_TO_EVICT}, got none",
        ),
        (
            {"protection": {"karpenter.sh/do-not-evict": "true"}},
            "protection must leave out karpenter.sh/do-not-evict, which Karpenter "
            "ignores since its version 1: write karpenter.sh/do-not-disrupt",
        ),
        (
            {"matchers": (), "weight": 0, "engine": "x"},
            f"matchers must name at least one of {PRESETS}, got none\n"
            "weight must be 1 to 100, got weight=0\n"
            "engine must be one of auto, native, kyverno, kyverno-legacy, "
            "got engine='x'",
        ),
    ],
)
def test_bad_input_is_refused_by_name(kwargs, message):
    assert message == refusal(JobPolicySettings, **kwargs)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"key": "a/b/c"},
            "key of label[a/b/c] must have a DNS domain before the slash, got a/b/c",
        ),
        (
            {"value": "x" * 64},
            "label[eks-jobs/workload] must be empty or 1 to 63 letters, digits, '-', "
            f"'_' or '.', with a letter or digit at both ends, got '{'x' * 64}'",
        ),
        ({"value": ""}, "value must not be empty"),
        (
            {"value": True},
            "label[eks-jobs/workload] must be text, got True (bool): put it in quotes",
        ),
        (
            {"key": "eks-jobs/group"},
            "key must not be the node label eks-jobs/group",
        ),
        *(
            (
                {"key": key},
                "key must be one that no controller reads, such as "
                f"example.com/workload, got key={key!r}",
            )
            for key in (
                "batch.kubernetes.io/job-name",
                "app.kubernetes.io/name",
                "k8s.io/x",
                "karpenter.sh/x",
                "eks.amazonaws.com/x",
                "job-name",
                "pod-template-hash",
            )
        ),
    ],
)
def test_a_label_that_cannot_be_ours_is_refused(kwargs, message):
    assert message == refusal(JobLabel, **kwargs)


@pytest.mark.parametrize(
    "kwargs",
    [
        {"key": "group"},
        {"key": "example.com/workload", "value": "batch"},
        {"value": "v" * 63},
        {"key": "mykubernetes.io/x"},
    ],
)
def test_labels_of_the_users_choice_are_accepted(kwargs):
    JobLabel(**kwargs)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"replicas": 1},
            "replicas must be 2 to 15, or one lost node stops the policy, "
            "got replicas=1",
        ),
        (
            {"replicas": 16},
            "replicas must be 2 to 15, or one lost node stops the policy, "
            "got replicas=16",
        ),
        ({"memory_mib": 127}, "memory_mib must be 128 to 8192, got memory_mib=127"),
        ({"memory_mib": 8193}, "memory_mib must be 128 to 8192, got memory_mib=8193"),
        (
            {"namespace": "kube-system"},
            "namespace must be one of its own, got namespace='kube-system': the chart "
            "refuses kube-system",
        ),
        (
            {"namespace": "Kyverno"},
            "namespace must be 1 to 63 lower-case letters, digits and '-', with a "
            "letter or digit at both ends, got 'Kyverno'",
        ),
        (
            {"chart_version": "~3.9"},
            "chart_version must be one version such as 3.9.1, got chart_version='~3.9'",
        ),
        (
            {"chart_version": "3.6.4"},
            "chart_version must be 3.7.0 or newer, the first with MutatingPolicy v1, "
            "got chart_version='3.6.4'",
        ),
        (
            {"install": False, "replicas": 5, "group": "server", "fail_open": False},
            "replicas needs install=true, got replicas=5\n"
            "group needs install=true, got group='server'\n"
            "fail_open needs install=true, got fail_open=False",
        ),
    ],
)
def test_h013_an_unsafe_or_idle_engine_is_refused(kwargs, message):
    assert message == refusal(KyvernoSettings, **kwargs)


@pytest.mark.parametrize(
    "kwargs",
    [
        {"replicas": 2},
        {"replicas": 15},
        {"memory_mib": 128},
        {"memory_mib": 8192},
        {"chart_version": "3.7.0"},
        {"chart_version": "3.10.0-rc.1"},
        {"install": False, "namespace": "policies", "chart_version": "3.8.2"},
    ],
)
def test_the_edges_of_an_engine_are_accepted(kwargs):
    KyvernoSettings(**kwargs)


def test_a_stack_file_can_say_everything():
    settings = read("""
        matchers:
        - batch-jobs
        - {owner: {kind: Run, api_group: example.com}}
        - {label: {key: example.com/job}}
        - {label: {key: team, value: batch}}
        exclude_namespaces: [argo]
        label: {key: group, value: job}
        packing: both
        weight: 50
        unpacked_namespaces: [bulk]
        affinity_scope: all-namespaces
        protection: {karpenter.sh/do-not-disrupt: 4h}
        strict: true
        host_network: true
        engine: kyverno
        kyverno: {install: false, namespace: policies, chart_version: 3.9.1}
    """)

    assert (
        JobPolicySettings(
            matchers=(
                "batch-jobs",
                OwnerMatcher(owner=Owner(kind="Run", api_group="example.com")),
                LabelMatcher(label=Label(key="example.com/job")),
                LabelMatcher(label=Label(key="team", value="batch")),
            ),
            exclude_namespaces=("argo",),
            label=JobLabel(key="group", value="job"),
            packing="both",
            weight=50,
            unpacked_namespaces=("bulk",),
            protection={DO_NOT_DISRUPT: "4h"},
            strict=True,
            host_network=True,
            engine="kyverno",
            kyverno=KyvernoSettings(
                install=False, namespace="policies", chart_version="3.9.1"
            ),
        )
        == settings
    )


def test_an_empty_map_is_the_default_policy():
    assert JobPolicySettings() == read("{}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "matchers: [{owner: {api_group: batch}}]",
            "policy.matchers[0].owner.kind: missing key",
        ),
        (
            "matchers: [{owner: {kind: Job, api_group: batch/v1}}]",
            "policy.matchers[0].owner: api_group must be an API group without version "
            "such as batch, got api_group='batch/v1'",
        ),
        (
            "matchers: [{label: {value: x}}]",
            "policy.matchers[0].label.key: missing key",
        ),
        (
            "matchers: [batch-job]",
            f"policy: matchers[0] must be one of {PRESETS}, got 'batch-job'; nearest "
            "is batch-jobs (owner Job of batch)",
        ),
        (
            "{weight: 0, packing: none}",
            "policy: weight must be 1 to 100, got weight=0\n"
            "policy: weight needs packing affinity or both, got weight=0",
        ),
        (
            "label: {key: a/b/c}",
            "policy.label: key of label[a/b/c] must have a DNS domain before the "
            "slash, got a/b/c",
        ),
    ],
)
def test_a_bad_stack_file_names_the_place(text, message):
    with pytest.raises(pulumi.RunError) as caught:
        read(text)

    assert message == str(caught.value)


def test_h011_a_bare_boolean_in_a_stack_file_names_its_key():
    with pytest.raises(pulumi.RunError) as caught:
        read("protection: {karpenter.sh/do-not-disrupt: true}")

    assert (
        'policy.protection["karpenter.sh/do-not-disrupt"]: expected a text, got true; '
        "put it in quotes"
    ) == str(caught.value)


def test_a_matcher_without_owner_and_label_is_refused():
    with pytest.raises(pulumi.RunError) as caught:
        read("matchers: [{}]")

    expected = (
        "policy.matchers[0]: expected the keys owner or the keys label, got an empty "
        "map"
    )

    assert expected == str(caught.value)
