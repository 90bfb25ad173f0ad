"""
A wrong stack file names every fault, and nothing is created.

It does not prove that AWS accepts a right one.
"""

import json
from copy import deepcopy
from typing import Any

import pulumi
import pytest
import yaml
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from components.spec.groups import JobGroup, Size
from components.spec.kubeconfig import TokenSource
from components.spec.kubelet import KubeletTuning
from components.spec.network import ExistingNetwork, NewNetwork
from components.spec.policy.kyverno_settings import KyvernoSettings
from components.spec.policy.matchers import (
    Label,
    LabelMatcher,
    Owner,
    OwnerMatcher,
)
from components.spec.policy.settings import JobLabel, JobPolicySettings
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.pool import PoolRules
from components.spec.volume import Gp3Volume
from components.spec.vpc_cni import WarmAddresses, WarmPrefixes
from infra import settings, versions
from tests.stack_values import GOOD

REGION = "ap-northeast-2"


def read(values, region=REGION) -> settings.Settings:
    return settings.read(values, region=region, cluster_name="eks-jobs-test")


def changed(path: str, value) -> dict:
    """Copy GOOD with *value* at a path such as `jobs.0.volume.iops`."""
    copy = deepcopy(GOOD)
    *above, last = (int(key) if key.isdigit() else key for key in path.split("."))
    place: Any = copy
    for key in above:
        place = place.setdefault(key, {}) if isinstance(place, dict) else place[key]
    if isinstance(place, list) and last == len(place):
        place.append(value)
    else:
        place[last] = value
    return copy


def refusal(values, region=REGION) -> list[str]:
    with pytest.raises(pulumi.RunError) as caught:
        read(values, region)
    return str(caught.value).splitlines()


KEYS = (
    "network, cluster, servers, jobs, scaler, retiring_scaler, vpc_cni, policy, "
    "balloons, keda, monitoring, tags, instance_types, check_offerings"
)

JOB_KEYS = (
    "name, architecture, instance_types, size, labels, taints, tags, volume, "
    "user_data, metadata_hop_limit, kubelet, ami_id, longest_job"
)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        # Unknown keys.
        (
            "netwrok",
            {},
            f"netwrok: unknown key, expected one of {KEYS}; did you mean network?",
        ),
        *(
            (
                key,
                "x",
                f"{key}: unknown key, expected one of {KEYS}",
            )
            for key in ("region", "token", "secret_keys")
        ),
        (
            "jobs.0.volume.iop",
            1,
            "jobs[0].volume.iop: unknown key, expected one of size_gib, iops, "
            "throughput_mib, kms_key_id, limits; did you mean iops?",
        ),
        (
            "jobs.0.size.maximum",
            1,
            "jobs[0].size.maximum: unknown key, expected one of min, max",
        ),
        (
            "jobs.0.longest_jobs",
            "6h",
            f"jobs[0].longest_jobs: unknown key, expected one of {JOB_KEYS}; did you "
            "mean longest_job?",
        ),
        (
            "servers.0.ami_id",
            "ami-0123456789abcdef0",
            "servers[0].ami_id: unknown key, expected one of name, architecture, "
            "instance_types, size, labels, taints, tags, volume, user_data, "
            "metadata_hop_limit, kubelet",
        ),
        # Wrong types.
        ("network", None, "network: expected a map, got null"),
        ("network", [], "network: expected a map, got a list"),
        (
            "network.zones",
            "3",
            'network.zones: expected a whole number or a list, got "3"',
        ),
        ("jobs", {}, "jobs: expected a list, got a map"),
        ("jobs", "job", 'jobs: expected a list, got "job"'),
        ("jobs.0", None, "jobs[0]: expected a map, got null"),
        ("jobs.0.size", 3, "jobs[0].size: expected a map, got 3"),
        (
            "jobs.0.size.max",
            "3",
            'jobs[0].size.max: expected a whole number, got "3"',
        ),
        (
            "jobs.0.size.max",
            True,
            "jobs[0].size.max: expected a whole number, got true",
        ),
        ("jobs.0.size.max", 1.5, "jobs[0].size.max: expected a whole number, got 1.5"),
        (
            "jobs.0.size.max",
            1.2345678901234568e29,
            "jobs[0].size.max: expected a whole number, got 1.2345678901234568e+29",
        ),
        (
            "jobs.0.size.max",
            10**30,
            "jobs[0].size.max: expected a number of at most 9007199254740992 in size, "
            "got 1000000000000000000000000000000",
        ),
        (
            "jobs.0.instance_types",
            "m7i.4xlarge",
            'jobs[0].instance_types: expected a list, got "m7i.4xlarge"',
        ),
        (
            "jobs.0.architecture",
            "x86_64",
            'jobs[0].architecture: expected one of amd64, arm64, got "x86_64"',
        ),
        (
            "cluster.version",
            1.36,
            "cluster.version: expected a text, got 1.36; put it in quotes",
        ),
        (
            "cluster.deletion_protection",
            "true",
            'cluster.deletion_protection: expected true or false, got "true"',
        ),
        (
            "vpc_cni",
            {},
            "vpc_cni.kind: missing key, expected one of prefixes, addresses, "
            "interfaces",
        ),
        (
            "vpc_cni.kind",
            "prefix",
            "vpc_cni.kind: expected one of prefixes, addresses, interfaces, "
            'got "prefix"',
        ),
        (
            "network.vpc_id",
            "vpc-1",
            "network: cidr and vpc_id exclude each other, expected the keys cidr, "
            "zones, nat, endpoints or the keys vpc_id, subnet_ids, subnet_cidrs",
        ),
        # Values that AWS or Kubernetes would refuse.
        (
            "jobs.0.volume.iops",
            2999,
            "jobs[0].volume: iops must be 3000 to 80000, got iops=2999",
        ),
        (
            "jobs.0.volume.throughput_mib",
            2001,
            "jobs[0].volume: throughput_mib must be 125 to 2000, "
            "got throughput_mib=2001",
        ),
        (
            "jobs.0.size.min",
            11,
            "jobs[0].size: min must be 0 to max, got min=11, max=10",
        ),
        (
            "jobs.0.kubelet.max_pods",
            0,
            "jobs[0].kubelet: max_pods must be 1 to 250, got max_pods=0",
        ),
        (
            "cluster.name",
            "-x",
            "cluster: name must be 1 to 100 letters, digits, - and _, and begin with a "
            "letter or digit, got name='-x'",
        ),
        # Keys against each other.
        (
            "jobs.0.name",
            "server",
            "servers, jobs: name must be used once, got name=server for 2 groups",
        ),
        (
            "cluster.service_cidr",
            "10.40.0.0/20",
            "cluster: service_cidr must not overlap the network, got '10.40.0.0/20' "
            "and '10.40.0.0/16'",
        ),
        (
            "network.zones",
            ["us-east-1a", "us-east-1b"],
            "network.zones: expected zones of aws:region ap-northeast-2, "
            "got us-east-1a, us-east-1b",
        ),
    ],
)
def test_a_wrong_value_is_named_on_one_line(path, value, message):
    assert [message] == refusal(changed(path, value))


PRESETS = (
    "batch-jobs, argo-workflows, airflow, dagster, github-runners, gitlab-runner, "
    "tekton, spark"
)


@pytest.mark.parametrize(
    ("policy", "lines"),
    [
        # Matchers.
        (
            {"matchers": []},
            [f"policy: matchers must name at least one of {PRESETS}, got none"],
        ),
        (
            {"matchers": [{}]},
            [
                "policy.matchers[0]: expected the keys owner or the keys label, got an "
                "empty map"
            ],
        ),
        (
            {"matchers": [{"kind": "Job", "api_group": "batch"}]},
            [
                f"policy.matchers[0].{key}: unknown key, expected one of owner, label"
                for key in ("api_group", "kind")
            ],
        ),
        (
            {"matchers": [{"owner": {"api_group": "batch"}}]},
            ["policy.matchers[0].owner.kind: missing key"],
        ),
        (
            {"matchers": [{"owner": {"kind": "", "api_group": "batch"}}]},
            [
                "policy.matchers[0].owner: kind must be a Kubernetes kind such as Job, "
                "got kind=''"
            ],
        ),
        (
            {"matchers": [{"label": {"value": "x"}}]},
            ["policy.matchers[0].label.key: missing key"],
        ),
        (
            {
                "matchers": [
                    {
                        "owner": {"kind": "Job", "api_group": "batch"},
                        "label": {"key": "x"},
                    }
                ]
            },
            [
                "policy.matchers[0]: owner and label exclude each other, expected the "
                "keys owner or the keys label"
            ],
        ),
        (
            {"matchers": ["batch-jobs", "Airflow"]},
            [
                f"policy: matchers[1] must be one of {PRESETS}, got 'Airflow'; nearest "
                "is airflow (label kubernetes_executor=True, label "
                "kubernetes_pod_operator=True)"
            ],
        ),
        (
            {"matchers": ["cron-jobs"]},
            [
                f"policy: matchers[0] must be one of {PRESETS}, got 'cron-jobs'; "
                "nearest is batch-jobs (owner Job of batch) or argo-workflows (owner "
                "Workflow of argoproj.io)"
            ],
        ),
        (
            {"matchers": [{"label": {"key": "a/b/c"}}]},
            [
                "policy.matchers[0].label: key of label[a/b/c] must have a DNS domain "
                "before the slash, got a/b/c"
            ],
        ),
        # The label.
        (
            {"label": {"key": "a/b/c"}},
            [
                "policy.label: key of label[a/b/c] must have a DNS domain before the "
                "slash, got a/b/c"
            ],
        ),
        (
            {"label": {"value": "v" * 64}},
            [
                "policy.label: label[eks-jobs/workload] must be empty or 1 to 63 "
                "letters, digits, '-', '_' or '.', with a letter or digit at both "
                f"ends, got '{'v' * 64}'"
            ],
        ),
        # Packing.
        *(
            (
                {"weight": weight},
                [f"policy: weight must be 1 to 100, got weight={weight}"],
            )
            for weight in (0, 101)
        ),
        (
            {"packing": "scheduler", "weight": 50},
            ["policy: weight needs packing affinity or both, got weight=50"],
        ),
        # Engines.
        (
            {"engine": "opa"},
            [
                "policy.engine: expected one of auto, native, kyverno, kyverno-legacy, "
                'got "opa"'
            ],
        ),
        (
            {"engine": "kyverno-legacy", "kyverno": {"chart_version": "3.10.0"}},
            [
                "policy: engine=kyverno-legacy needs kyverno.chart_version below 3.10, "
                "got 3.10.0: Kyverno 1.20 no longer runs ClusterPolicy"
            ],
        ),
        (
            {"engine": "kyverno", "kyverno": {"group": "job"}},
            [
                "policy.kyverno: group must be one of the server groups server, got "
                "group='job', which is a job group"
            ],
        ),
        (
            {"kyverno": {"replicas": 1}},
            [
                "policy.kyverno: replicas must be 2 to 15, or one lost node stops the "
                "policy, got replicas=1"
            ],
        ),
        # Protection.
        (
            {"protection": {"karpenter.sh/do-not-evict": "true"}},
            [
                "policy: protection must leave out karpenter.sh/do-not-evict, which "
                "Karpenter ignores since its version 1: write "
                "karpenter.sh/do-not-disrupt"
            ],
        ),
        (
            {"protection": {"karpenter.sh/do-not-disrupt": True}},
            [
                'policy.protection["karpenter.sh/do-not-disrupt"]: expected a text, '
                "got true; put it in quotes"
            ],
        ),
        (
            {"protection": {"karpenter.sh/do-not-disrupt": "4h"}},
            [
                "policy: protection must hold "
                "cluster-autoscaler.kubernetes.io/safe-to-evict, the one that Cluster "
                "Autoscaler reads, got karpenter.sh/do-not-disrupt",
                "policy: protection[karpenter.sh/do-not-disrupt] must be "
                "\"true\" with Karpenter before 1.12, which would ignore '4h', got "
                "version unknown",
            ],
        ),
    ],
)
def test_a_wrong_policy_is_refused_by_name(policy, lines):
    assert lines == refusal(GOOD | {"policy": policy})


def test_the_native_engine_is_refused_before_its_version():
    values = GOOD | {"cluster": {"version": "1.35"}, "policy": {"engine": "native"}}

    assert [
        "policy: engine=native needs Kubernetes 1.36 or newer, got version 1.35: use "
        "auto or kyverno"
    ] == refusal(values)


def test_a_packing_that_the_cluster_contradicts_is_refused():
    cluster = {"version": "1.36", "scheduler": {"strategy": "LeastAllocated"}}

    assert [
        "policy: packing='scheduler' needs the cluster's scheduler strategy to be "
        "MostAllocated, got LeastAllocated"
    ] == refusal(GOOD | {"cluster": cluster, "policy": {"packing": "scheduler"}})


def test_a_wrong_policy_hides_no_other_problem():
    values = GOOD | {
        "policy": {"engine": "native", "kyverno": {"namespace": "kube-system"}},
        "tags": {"aws:x": "y"},
    }

    assert [
        "policy.kyverno: namespace must be one of its own, got "
        "namespace='kube-system': the chart refuses kube-system",
        "tags: tags must leave out aws:x: keys that begin with aws: belong to AWS",
    ] == refusal(values)


def test_h087_tags_that_iam_would_refuse_are_said_once():
    values = GOOD | {"tags": {"team": "x", "name": "y"}}

    assert [
        "tags: tags must spell Name as this library does (IAM takes both for one key), "
        "got name"
    ] == refusal(values)


def test_h087_tags_of_stack_and_group_are_compared():
    values = changed("jobs.0.tags.Team", "ml") | {"tags": {"team": "data"}}

    assert [
        "jobs[0]: tags must have keys that differ by more than case (IAM takes both "
        "for one key), got team and Team"
    ] == refusal(values)


def test_a_policy_becomes_the_value_that_the_components_take():
    policy = {
        "matchers": [
            "airflow",
            {"owner": {"kind": "TFJob", "api_group": "kubeflow.org"}},
            {"label": {"key": "example.com/job"}},
        ],
        "label": {"key": "group"},
        "packing": "both",
        "protection": {"karpenter.sh/do-not-disrupt": "true"},
        "kyverno": {"install": False},
    }

    assert (
        JobPolicySettings(
            matchers=(
                "airflow",
                OwnerMatcher(owner=Owner(kind="TFJob", api_group="kubeflow.org")),
                LabelMatcher(label=Label(key="example.com/job")),
            ),
            label=JobLabel(key="group"),
            packing="both",
            protection={"karpenter.sh/do-not-disrupt": "true"},
            kyverno=KyvernoSettings(install=False),
        )
        == read(GOOD | {"scaler": {"kind": "karpenter"}, "policy": policy}).policy
    )


@pytest.mark.parametrize("null", ["", "null"])
def test_null_switches_the_policy_off(config, null):
    """The CLI hands over an empty text."""
    selected = settings.load(config(stack(GOOD) | {"eks-jobs:policy": null}))

    assert selected.policy is None


@pytest.mark.parametrize(
    ("place", "path"),
    [
        ("tags.expires", "tags.expires"),
        ("jobs.0.tags.expires", "jobs[0].tags.expires"),
        ("jobs.0.labels.team", "jobs[0].labels.team"),
        ("servers.0.labels.team", "servers[0].labels.team"),
        ("cluster.addons.coredns", "cluster.addons.coredns"),
    ],
)
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (True, "true"),
        (7, "7"),
        (1.5, "1.5"),
        ("2026-12-31 00:00:00 +0000 UTC", "2026-12-31 00:00:00 +0000 UTC"),
    ],
)
def test_h011_what_yaml_does_not_read_as_text_is_refused(place, path, value, shown):
    message = f"{path}: expected a text, got {shown}; put it in quotes"

    assert [message] == refusal(changed(place, value))


@pytest.mark.parametrize("key", GOOD)
def test_a_missing_key_names_itself(key):
    rest = {name: value for name, value in GOOD.items() if name != key}

    assert [f"{key}: missing key"] == refusal(rest)


@pytest.mark.parametrize(
    ("region", "message"),
    [
        (None, "aws:region: missing key, expected a region such as ap-northeast-2"),
        ("", "aws:region: expected a region such as ap-northeast-2, got ''"),
        (
            "ap-northeast-2a",
            "aws:region: expected a region such as ap-northeast-2, "
            "got 'ap-northeast-2a'",
        ),
        (7, "aws:region: expected a region such as ap-northeast-2, got 7"),
    ],
)
def test_a_region_must_be_set(region, message):
    assert [message] == refusal(GOOD, region)


@pytest.mark.parametrize(
    "region", ["us-gov-west-1", "cn-north-1", "us-iso-east-1", "eusc-de-east-1"]
)
def test_a_region_of_any_partition_is_taken(region):
    assert read(GOOD, region)


def test_all_problems_of_a_file_are_reported_at_once_in_its_order():
    values = {
        "zzz": 1,
        "jobs": [
            {"name": "job", "architecture": "amd64", "instance_types": ["m7g.large"]},
            {"volume": {"iops": 1, "size_gib": 0}},
        ],
        "tags": {"aws:x": "y"},
        "cluster": {"version": "1.36", "service_cidr": "10.0.0.0/9", "name": ""},
        "network": {"cidr": "10.0.0.0/8"},
        "vpc_cni": None,
    }

    assert [
        "aws:region: missing key, expected a region such as ap-northeast-2",
        "network: cidr must be /16 to /20, got '10.0.0.0/8'",
        "cluster: name must be 1 to 100 letters, digits, - and _, and begin with a "
        "letter or digit, got name=''",
        "cluster: service_cidr must be /12 to /24, got '10.0.0.0/9'",
        "servers: missing key",
        "jobs[0]: instance_types must be amd64 like the group, got m7g.large (arm64)",
        "jobs[1].name: missing key",
        "jobs[1].architecture: missing key",
        "jobs[1].instance_types: missing key",
        "jobs[1].volume: size_gib must be 20 to 65536, got size_gib=0",
        "jobs[1].volume: iops must be 3000 to 80000, got iops=1",
        "vpc_cni: expected a map, got null",
        f"zzz: unknown key, expected one of {KEYS}",
        "tags: tags must leave out aws:x: keys that begin with aws: belong to AWS",
    ] == refusal(values, region=None)


def test_a_file_becomes_the_values_that_the_components_take():
    actual = read(
        GOOD
        | {
            "jobs": [
                GOOD["jobs"][0]
                | {
                    "size": {"max": 3},
                    "kubelet": {"max_pods": 30},
                    "volume": {"size_gib": 50},
                    "labels": {"team": "data"},
                }
            ],
            "vpc_cni": {"kind": "addresses", "warm_ip_target": 7},
        }
    )

    assert NewNetwork(cidr="10.40.0.0/16", zones=2) == actual.network
    assert WarmAddresses(warm_ip_target=7) == actual.vpc_cni
    assert (
        JobGroup(
            name="job",
            architecture="amd64",
            instance_types=("m7i.4xlarge", "m6i.4xlarge"),
            size=Size(max=3),
            kubelet=KubeletTuning(max_pods=30),
            volume=Gp3Volume(size_gib=50),
            labels={"team": "data"},
        ),
    ) == actual.jobs


def test_what_the_file_leaves_out_has_its_default():
    actual = read(GOOD)

    assert WarmPrefixes() == actual.vpc_cni
    assert JobPolicySettings() == actual.policy
    assert ({}, (), frozenset()) == (
        actual.tags,
        actual.instance_types,
        actual.secret_keys,
    )
    assert "eks-jobs-test" == actual.cluster.name
    assert versions.AMI_RELEASE == actual.cluster.ami_release


def alone(key, text, **overrides):
    """Give one value a key of its own, as `pulumi config set` does."""
    name = key.partition(".")[0]
    held = {k: v for k, v in GOOD.get(name, {}).items() if f"{name}.{k}" != key}
    return GOOD | {name: held | overrides, key: text}


@pytest.mark.parametrize(
    ("key", "text", "field"),
    [
        ("cluster.version", "1.36", lambda found: found.cluster.version),
        ("cluster.name", "2026", lambda found: found.cluster.name),
        ("tags.CostCenter", "1234", lambda found: found.tags["CostCenter"]),
        ("tags.Owner", "true", lambda found: found.tags["Owner"]),
        ("tags.Owner", "null", lambda found: found.tags["Owner"]),
    ],
)
def test_a_text_that_stands_alone_needs_no_more_quotes(key, text, field):
    assert text == field(read(alone(key, text)))


@pytest.mark.parametrize(
    ("key", "text", "value", "field"),
    [
        ("network.zones", "3", 3, lambda found: found.network.zones),
        (
            "network.zones",
            '["ap-northeast-2a", "ap-northeast-2b"]',
            ("ap-northeast-2a", "ap-northeast-2b"),
            lambda found: found.network.zones,
        ),
        (
            "cluster.deletion_protection",
            "true",
            True,
            lambda found: found.cluster.deletion_protection,
        ),
        (
            "monitoring.cluster_label",
            "null",
            None,
            lambda found: found.monitoring.cluster_label,
        ),
        (
            "cluster.public_access_cidrs",
            "[]",
            (),
            lambda found: found.cluster.public_access_cidrs,
        ),
        ("cluster.name", '"2026"', "2026", lambda found: found.cluster.name),
    ],
)
def test_other_values_that_stand_alone_are_read_as_what_they_are(
    key, text, value, field
):
    assert value == field(read(alone(key, text)))


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        (
            "cluster.deletion_protection",
            "1",
            "cluster.deletion_protection: expected true or false, got 1",
        ),
        ("network.zones", "1.5", "network.zones: expected a whole number or a list, "),
        ("scaler.kind", "3", "scaler.kind: expected one of karpenter, "),
        ("cluster.version", "7", "cluster: version must be text in quotes such as "),
        # Without quotes in a file that only we read: 1.30 is 1.3 there.
        ("cluster.version", 1.36, "cluster.version: expected a text, got 1.36; "),
    ],
)
def test_a_value_that_stands_alone_is_checked_like_any_other(key, text, message):
    (line,) = refusal(alone(key, text))

    assert line.startswith(message), line


def test_a_name_and_a_release_in_the_file_are_kept():
    cluster = {"version": "1.36", "name": "blue", "ami_release": "v20260101"}
    actual = read(GOOD | {"cluster": cluster}).cluster

    assert ("blue", "v20260101") == (actual.name, actual.ami_release)


def test_a_default_name_that_eks_would_refuse_is_named():
    with pytest.raises(pulumi.RunError) as caught:
        settings.read(GOOD, region=REGION, cluster_name="x" * 101)

    assert (
        "cluster: name must be 1 to 100 letters, digits, - and _, and begin with a "
        f"letter or digit, got name='{'x' * 101}'"
    ) == str(caught.value)


def test_an_existing_network_is_told_by_its_keys():
    network = {"vpc_id": "vpc-1", "subnet_ids": ["subnet-1", "subnet-2"]}
    actual = read(GOOD | {"network": network}).network

    assert (
        ExistingNetwork(vpc_id="vpc-1", subnet_ids=("subnet-1", "subnet-2")) == actual
    )


@pytest.fixture
def config():
    """Configure a stack as the CLI does: every value a text."""

    def select(values, secret=()) -> pulumi.Config:
        pulumi.runtime.set_all_config(
            {k: v if isinstance(v, str) else json.dumps(v) for k, v in values.items()},
            list(secret),
        )
        return pulumi.Config("eks-jobs")

    yield select
    pulumi.runtime.set_all_config({}, [])


def stack(values) -> dict:
    own = {f"eks-jobs:{key}": value for key, value in values.items()}
    return {"aws:region": REGION} | own


def test_the_configuration_of_the_cli_is_read(deploy, config):
    actual = []
    deploy(lambda: actual.append(settings.load(config(stack(GOOD)))), "alpha")

    assert [GOOD["jobs"][0]["name"]] == [group.name for group in actual[0].jobs]
    assert "project-alpha" == actual[0].cluster.name


def test_keys_that_pulumi_would_ignore_are_refused(config):
    values = stack(GOOD | {"netwrok": "x"}) | {"aws:profile": "p", "other:netwrok": "y"}

    with pytest.raises(pulumi.RunError) as caught:
        settings.load(config(values))

    assert (
        f"netwrok: unknown key, expected one of {KEYS}; did you mean network?"
    ) == str(caught.value)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("eks-job:balloons", "balloons"),
        ("eks_jobs:monitoring", "monitoring"),
        ("EKS-Jobs:policy", "policy"),
        ("eksjobs:tags.Owner", "tags.Owner"),
        ("eks-jobs2:jobs[0].longest_job", "jobs[0].longest_job"),
        ("eks-job:ballons", "ballons"),
    ],
)
def test_a_key_in_a_namespace_that_is_nearly_ours_is_refused(config, key, name):
    space = key.partition(":")[0]

    with pytest.raises(pulumi.RunError) as caught:
        settings.load(config(stack(GOOD) | {key: "x"}))

    assert (
        f"{key}: unknown namespace {space}, expected {name} or eks-jobs:{name}"
    ) == str(caught.value)


def test_keys_of_other_namespaces_are_not_looked_at(deploy, config):
    others = ["aws:tags", "awsx:jobs", "eks:cluster", "kubernetes:cluster"]
    others += ["pulumi:tags", "datadog:tags", "eks-job-costs:jobs", "acme:network"]
    values = stack(GOOD) | dict.fromkeys(others, "x")
    actual = []
    deploy(lambda: actual.append(settings.load(config(values))), "alpha")

    assert [GOOD["jobs"][0]["name"]] == [group.name for group in actual[0].jobs]


@pytest.mark.parametrize("space", ["shops", "eks-jobs"])
def test_a_file_is_refused_for_the_name_of_another_project(tmp_path, space):
    """The project that files are copied from is called eks-jobs."""
    (tmp_path / "Pulumi.yaml").write_text("name: shop\n")
    values = {"aws:region": REGION, **GOOD, f"{space}:check_offerings": False}
    (tmp_path / "Pulumi.dev.yaml").write_text(yaml.safe_dump({"config": values}))

    with pytest.raises(pulumi.RunError) as caught:
        settings.load_file(tmp_path, "dev")

    assert (
        f"{space}:check_offerings: unknown namespace {space}, expected check_offerings "
        "or shop:check_offerings"
    ) == str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # What the CLI makes of null.
        ("", "tags: expected a map, got null"),
        ("hello", 'tags: expected a map, got "hello"'),
        ("[1,2", 'tags: expected a map, got "[1,2"'),
        ("[1,2]", "tags: expected a map, got a list"),
        ("true", "tags: expected a map, got true"),
        ("NaN", "tags: expected a map, got nan"),
        ("9" * 5000, f'tags: expected a map, got "{"9" * 56}...'),
        ("[" * 100_000, f'tags: expected a map, got "{"[" * 56}...'),
    ],
)
def test_a_plain_text_where_a_map_belongs_is_refused(config, text, message):
    with pytest.raises(pulumi.RunError) as caught:
        settings.load(config(stack(GOOD) | {"eks-jobs:tags": text}))

    assert message == str(caught.value)


def test_a_missing_region_stops_before_the_first_resource(deploy, config):
    def attempt():
        with pytest.raises(pulumi.RunError, match="^aws:region: missing key"):
            settings.load(
                config({f"eks-jobs:{key}": value for key, value in GOOD.items()})
            )

    assert () == deploy(attempt).resources


@pytest.mark.parametrize(
    ("said", "token"),
    [
        ({}, TokenSource()),
        ({"aws:profile": "prod"}, TokenSource(profile="prod")),
        (
            {"aws:assumeRoles": [{"roleArn": "arn:aws:iam::1:role/x"}]},
            TokenSource(role_arn="arn:aws:iam::1:role/x"),
        ),
        # A chain is for the environment: the CLI assumes one.
        ({"aws:assumeRoles": [{"roleArn": "a"}, {"roleArn": "b"}]}, TokenSource()),
    ],
)
def test_who_makes_the_cluster_makes_the_objects_in_it(config, said, token):
    assert token == settings.load(config(stack(GOOD) | said)).token


def test_secret_keys_are_remembered(config):
    values = stack(GOOD | {"tags": {"owner": "x"}})
    actual = settings.load(config(values, ["eks-jobs:tags", "other:cluster"]))

    assert {"owner": "x"} == actual.tags
    assert frozenset({"tags"}) == actual.secret_keys


def test_an_encrypted_value_is_read_without_the_cli_as_a_stand_in(tmp_path):
    (tmp_path / "Pulumi.yaml").write_text("name: eks-jobs\n")
    job = GOOD["jobs"][0] | {"tags": {"owner": {"secure": "v1:abc"}}}
    own = {f"eks-jobs:{key}": GOOD[key] for key in GOOD} | {"eks-jobs:jobs": [job]}
    (tmp_path / "Pulumi.dev.yaml").write_text(
        json.dumps({"config": {"aws:region": REGION} | own})
    )
    actual = settings.load_file(tmp_path, "dev")

    assert {"owner": "secret"} == actual.jobs[0].tags
    assert ("eks-jobs-dev", REGION) == (actual.cluster.name, actual.region)


GARBAGE = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.just([]),
    st.just({}),
    st.just(10**400),
    st.just("\ud800"),
    st.just("2026-01-01 00:00:00 +0000 UTC"),
    st.recursive(
        st.none() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=5,
    ),
)

FULL: dict[str, Any] = GOOD | {
    "vpc_cni": {"kind": "addresses", "warm_ip_target": 7},
    "policy": {
        "matchers": [
            "batch-jobs",
            {"owner": {"kind": "TFJob", "api_group": "kubeflow.org"}},
            {"label": {"key": "example.com/job", "value": "true"}},
        ],
        "exclude_namespaces": ["monitoring"],
        "label": {"key": "group", "value": "job"},
        "packing": "both",
        "weight": 50,
        "unpacked_namespaces": ["batch"],
        "protection": {
            "karpenter.sh/do-not-disrupt": "true",
            "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
        },
        "kyverno": {"group": "server", "replicas": 2, "chart_version": "3.9.1"},
    },
    "tags": {"owner": "x"},
    "instance_types": [
        {
            "name": "m99i.large",
            "architecture": "amd64",
            "vcpus": 2,
            "memory_mib": 8192,
            "network_interfaces": 3,
            "ipv4_addresses_per_interface": 10,
            "ebs_baseline_mb_per_s": 81.25,
            "ebs_maximum_mb_per_s": 1250,
            "ebs_baseline_iops": 3600,
            "ebs_maximum_iops": 40000,
        }
    ],
    "scaler": {
        "kind": "karpenter",
        "feature_gates": {"capacityBuffer": True},
        "resources": {"cpu": "1", "memory": "1Gi"},
        "pools": {"job": {"budgets": [{"nodes": "10%", "reasons": ["Empty"]}]}},
        "server_pools": [
            {
                "name": "more",
                "architecture": "amd64",
                "instance_types": ["m7i.large"],
                "pool": {"expire_after": "24h"},
            }
        ],
    },
    "retiring_scaler": {
        "kind": "cluster-autoscaler",
        "options": {"job": {"utilization_threshold": 0.5}},
    },
    "cluster": GOOD["cluster"]
    | {
        "public_access_cidrs": ["203.0.113.0/24"],
        "private_access_cidrs": ["10.8.0.0/24"],
        "admins": ["arn:aws:iam::123456789012:role/x"],
        "scheduler": {"resources": [{"name": "cpu", "weight": 3}]},
        "terminated_pod_gc_threshold": 100,
        "addons": {"coredns": "v1.13.2-eksbuild.3"},
        "service_cidr": "172.20.0.0/16",
    },
    "jobs": [
        GOOD["jobs"][0]
        | {
            "size": {"min": 0, "max": 3},
            "labels": {"team": "data"},
            "taints": [{"key": "team", "value": "x", "effect": "NoSchedule"}],
            "tags": {"a": "b"},
            "volume": {"size_gib": 100, "iops": 8000, "throughput_mib": 800},
            "kubelet": {"max_pods": 60, "runtime_request_timeout": "15m"},
            "user_data": [
                {"kind": "shell", "content": "#!/bin/bash\n"},
                {
                    "kind": "node-config",
                    "content": "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"
                    "spec: {kubelet: {flags: [--v=2]}}\n",
                },
            ],
        }
    ],
}


def places(value, path=()):
    """List every place of a tree."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*path, key)
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))


@st.composite
def damaged(draw):
    tree = deepcopy(FULL)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(places(tree))))
        place: Any = tree
        for key in path[:-1]:
            place = place[key]
        kind = draw(st.sampled_from(["replace", "remove", "add"]))
        if kind == "remove":
            del place[path[-1]]
        elif kind == "add" and isinstance(place, dict):
            place[draw(st.text(max_size=8))] = draw(GARBAGE)
        else:
            place[path[-1]] = draw(GARBAGE)
        if not tree:
            break
    return tree


def test_the_undamaged_file_is_read():
    assert read(FULL)


@hypothesis_settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(damaged())
def test_a_damaged_file_is_read_or_refused_by_path_and_never_breaks(values):
    try:
        read(values)
    except pulumi.RunError as error:
        lines = str(error).split("\n")
        roots = [*FULL, *values]

        assert [] == [
            line
            for line in lines
            if not any(
                line.startswith((root, f"[{json.dumps(root)}]")) for root in roots
            )
            or ": " not in line
        ]


def karpenter(**more) -> dict:
    return {"kind": "karpenter", **more}


def job_with(**more) -> dict:
    return {"jobs": [GOOD["jobs"][0] | more]}


AUTOSCALER = {"kind": "cluster-autoscaler"}
ALONE = {"servers": [], "scaler": {"kind": "auto-mode"}}


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        (
            {"scaler": {}},
            [
                "scaler.kind: missing key, expected one of karpenter, "
                "cluster-autoscaler, auto-mode"
            ],
        ),
        (
            {"scaler": karpenter(versoin="1.15.1")},
            [
                "scaler.versoin: unknown key, expected one of kind, version, install, "
                "preference_policy, feature_gates, replicas, resources, "
                "batch_idle_duration, batch_max_duration, rebalance_events, "
                "extended_kubelet, ami_alias, node_role, instance_profile, pools, "
                "server_pools; did you mean version?"
            ],
        ),
        (
            {"scaler": karpenter(), **job_with(longest_job="14d")},
            [
                "jobs[0]: longest_job must be hours, minutes and seconds such as 6h or "
                "1h30m, got longest_job=14d: there are no days, write 336h"
            ],
        ),
        (
            {"scaler": karpenter(pools={"job": {"expire_after": "14d"}})},
            [
                "scaler.pools.job: expire_after must be hours, minutes and seconds "
                "such as 6h or 1h30m, or Never, got expire_after=14d: there are no "
                "days, write 336h"
            ],
        ),
        (
            {
                "scaler": {
                    "kind": "auto-mode",
                    "pools": {"job": {"expire_after": "Never"}},
                }
            },
            [
                "jobs[0]: expire_after must be a duration with EKS Auto Mode, where a "
                "node lives 504h at most, got expire_after=Never"
            ],
        ),
        (
            {
                "scaler": karpenter(pools={"job": {"termination_grace_period": "1h"}}),
                **job_with(longest_job="6h"),
            },
            [
                "jobs[0]: termination_grace_period must be at least the longest_job, "
                "which drift and expiry would end by force, got "
                "termination_grace_period=1h, longest_job=6h"
            ],
        ),
        (
            {"scaler": karpenter(), **job_with(labels={"x.karpenter.sh/a": "b"})},
            [
                "jobs[0]: labels must leave out x.karpenter.sh/a: domains that end "
                "with karpenter.sh belong to Karpenter"
            ],
        ),
        (
            {"scaler": karpenter(ami_alias="al2@v20260714")},
            [
                "scaler: ami_alias must be of al2023, the only family that the user "
                "data of a group is written for, got ami_alias=al2@v20260714"
            ],
        ),
        (
            {"scaler": AUTOSCALER | {"version": "1.35.2"}},
            ["scaler: version must be of the cluster's minor 1.36, got version=1.35.2"],
        ),
        (
            {"scaler": karpenter(), **job_with(size={"min": 1, "max": 2})},
            [
                "jobs[0]: size.min must be 0 with Karpenter, which keeps no empty "
                "nodes, got size.min=1: use scaler kind cluster-autoscaler, or "
                "balloons, for capacity that waits"
            ],
        ),
        (
            {"scaler": {"kind": "auto-mode"}, **job_with(kubelet={"max_pods": 30})},
            [
                "jobs[0]: EKS Auto Mode cannot set the kubelet, the image or user data "
                "of a node: leave out kubelet.max_pods=30, or choose scaler kind "
                "karpenter"
            ],
        ),
        (
            {
                "scaler": {"kind": "auto-mode"},
                "cluster": GOOD["cluster"] | {"ami_release": "v20260714"},
            },
            [
                "cluster: ami_release must be left out with EKS Auto Mode, where EKS "
                "chooses the image, got ami_release=v20260714"
            ],
        ),
        (
            {"retiring_scaler": AUTOSCALER},
            [
                "retiring_scaler: kind must differ from that of scaler, "
                "got kind=cluster-autoscaler"
            ],
        ),
        (
            {"retiring_scaler": karpenter(version="1.12.0")},
            [
                "retiring_scaler: version must be 1.13.0 or newer for Kubernetes 1.36, "
                "got version=1.12.0"
            ],
        ),
        (
            {"scaler": karpenter(), "retiring_scaler": {"kind": "auto-mode"}},
            [
                "retiring_scaler: kind must be cluster-autoscaler, since EKS Auto Mode "
                "and Karpenter would both own the pools of a group, got "
                "kind=auto-mode: change to cluster-autoscaler first"
            ],
        ),
        (
            ALONE | {"vpc_cni": {"kind": "addresses"}},
            [
                "vpc_cni: must be left out when every node is one of EKS Auto Mode, "
                "which keeps addresses ready itself, got kind=addresses"
            ],
        ),
        (
            {"servers": []},
            [
                "servers, jobs: servers must have a group without taints and with "
                "size.min of at least 1: DNS of the cluster needs a node"
            ],
        ),
        (
            {"scaler": AUTOSCALER | {"groups": "managed"}, **job_with(size={"max": 1})},
            [
                "jobs[0]: size.max must be at least 2, one node for each zone of a "
                "managed group, got size.max=1"
            ],
        ),
    ],
)
def test_a_wrong_scaler_is_refused_by_name(values, lines):
    assert lines == refusal(GOOD | values)


def test_the_scaler_of_the_file_is_the_value_that_the_components_take():
    pools = {"job": {"consolidate_after": "15m"}}
    actual = read(
        GOOD
        | {
            "scaler": karpenter(pools=pools),
            "retiring_scaler": AUTOSCALER | {"priorities": ["job"]},
        }
        | job_with(longest_job="6h")
    )

    assert Karpenter(pools={"job": PoolRules(consolidate_after="15m")}) == actual.scaler
    assert ClusterAutoscaler(priorities=("job",)) == actual.retiring_scaler
    assert ["6h"] == [group.longest_job for group in actual.jobs]


def test_without_a_scaler_it_is_cluster_autoscaler():
    actual = read(GOOD)

    assert (ClusterAutoscaler(), None) == (actual.scaler, actual.retiring_scaler)


@pytest.mark.parametrize(
    ("scaler", "release"),
    [
        ({"kind": "auto-mode"}, None),
        (AUTOSCALER | {"groups": "managed"}, None),
        (AUTOSCALER, versions.AMI_RELEASE),
        (karpenter(), versions.AMI_RELEASE),
    ],
)
def test_images_are_pinned_where_nodes_boot_them(scaler, release):
    assert release == read(GOOD | {"scaler": scaler}).cluster.ami_release


def test_a_cluster_of_auto_mode_alone_needs_no_servers():
    assert () == read(GOOD | ALONE).servers
