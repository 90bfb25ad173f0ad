"""
Pools and node classes against Karpenter's own CRDs, in a real API server.

Not proven here: what Karpenter refuses only once it runs, and the NodeClass of EKS
Auto Mode, whose CRD AWS publishes in no module; the NodePools of Auto Mode are
checked against the CRD of Karpenter.
"""

import os
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pytest
import yaml

from components.spec.groups import JobGroup, NodeGroup, Size
from components.spec.kubelet import KubeletTuning
from components.spec.labels import Taint
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.karpenter import ServerPool
from components.spec.scaler.lifetime import auto_lifetime, lifetime
from components.spec.scaler.node_class import Site, ec2_node_class
from components.spec.scaler.node_pool import (
    AUTO_NODE_CLASS,
    EC2_NODE_CLASS,
    node_pool,
)
from components.spec.scaler.pool import Budget, PoolRules
from components.spec.user_data import UserDataPart
from components.spec.volume import Gp3Volume
from sandbox.cluster_api import RefusedError
from sandbox.control_plane_tools import karpenter_aws_module
from sandbox.environment import ROOT
from tests.cluster.definitions import installed
from tests.spec.scaler.builders import TYPES, job, site

ALIAS = "al2023@v20260714"
GOLDEN = sorted((ROOT / "tests" / "golden" / "scaler").glob("*.yaml"))
SERVERS = ServerPool(
    name="more",
    architecture="arm64",
    instance_types=("m7g.xlarge",),
    kubelet=KubeletTuning(max_pods=58),
    taints=(
        Taint(key="for", value="web", effect="PreferNoSchedule"),
        Taint(key="x"),
        Taint(key="agent-not-ready", startup=True),
    ),
)
BUSY = PoolRules(
    consolidation_policy="Balanced",
    consolidate_after="Never",
    budgets=(
        Budget(nodes="2", reasons=("Empty", "Underutilized", "Unhealthy")),
        Budget(nodes="0", schedule="@daily", duration="9h30m"),
        Budget(nodes="100%", schedule="30 23 * * 1-5", duration="8h"),
    ),
    expire_after="Never",
    termination_grace_period="1h30m15s",
    weight=100,
    capacity_types=("on-demand", "spot"),
)
NODE_CONFIG = """\
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      evictionHard: {memory.available: 200Mi}
      shutdownGracePeriod: 30s
"""
GROUPS: Mapping[str, NodeGroup] = {
    "amd64": job(),
    "arm64": job(architecture="arm64"),
    "everything": job(
        name="a" * 40,
        size=Size(min=0, max=1_000),
        labels={"team": "data", "example.com/a": ""},
        taints=(Taint(key="gpu", effect="NoExecute"),),
        tags={"cost": "1"},
        volume=Gp3Volume(size_gib=59_000, iops=80_000, throughput_mib=2_000),
        kubelet=KubeletTuning(max_parallel_image_pulls=4),
        metadata_hop_limit=2,
        user_data=(UserDataPart(kind="node-config", content=NODE_CONFIG),),
    ),
    "own image and key": job(
        ami_id="ami-0123456789abcdef0",
        volume=Gp3Volume(kms_key_id="arn:aws:kms:eu-west-1:111122223333:alias/k"),
    ),
    "unknown type": job(instance_types=("m99i.4xlarge",)),
    "servers": ServerPool(
        name="more", architecture="amd64", instance_types=("m7i.xlarge", "m6i.xlarge")
    ),
    "tuned servers": SERVERS,
}
SITES: Mapping[str, Site] = {
    "role": site(tags={"team": "data"}),
    "profile": site(
        role=None,
        instance_profile="prod-node",
        subnet_ids=[f"subnet-{number}" for number in range(30)],
    ),
}
RULES: Mapping[str, PoolRules] = {
    "default": PoolRules(),
    "at once": PoolRules(consolidate_after="0s"),
    "busy": BUSY,
    "servers": SERVERS.pool,
}
JOBS = {name: group for name, group in GROUPS.items() if isinstance(group, JobGroup)}


@pytest.fixture(scope="module", autouse=True)
def definitions(api):
    """Install the CRDs; they are read from the module of Karpenter's AWS provider."""
    folder = karpenter_aws_module(os.environ) / "pkg" / "apis" / "crds"
    found = [yaml.safe_load(file.read_text()) for file in sorted(folder.glob("*.yaml"))]
    with installed(api, found):
        yield


def stored(api, manifest: Mapping[str, Any]) -> dict[str, Any]:
    answer = api.create(manifest, dry_run=True)

    assert () == answer.warnings
    return answer.object["spec"]


def golden() -> list[tuple[str, dict[str, Any]]]:
    """Return the objects of the files that reviewers read, with their file."""
    return [
        (f"{file.stem} {document['kind']}", document)
        for file in GOLDEN
        for document in yaml.safe_load_all(file.read_text())
        if document.get("kind") in ("EC2NodeClass", "NodePool")
    ]


@pytest.mark.parametrize("manifest", [one for _, one in golden()], ids=dict(golden()))
def test_h014_h043_every_golden_object_is_stored_as_it_was_written(api, manifest):
    assert manifest["spec"] == stored(api, manifest)


def test_the_golden_objects_are_of_both_architectures_and_of_auto_mode():
    assert {
        "auto-mode-amd64 NodePool",
        "auto-mode-arm64 NodePool",
        "karpenter-1.15.1-amd64 EC2NodeClass",
        "karpenter-1.15.1-arm64 EC2NodeClass",
        "karpenter-servers NodePool",
    } <= dict(golden()).keys()


@pytest.mark.parametrize("extended", [False, True])
@pytest.mark.parametrize("where", SITES.values(), ids=SITES)
@pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS)
def test_h014_h042_a_node_class_is_stored_as_it_was_written(
    api, group, where, extended
):
    manifest = ec2_node_class(group, where, ALIAS, TYPES, extended_kubelet=extended)

    assert manifest["spec"] == stored(api, manifest)


@pytest.mark.parametrize("longest", [None, "45s", "6h", "1000h"])
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
@pytest.mark.parametrize("group", GROUPS.values(), ids=GROUPS)
def test_h014_h043_a_pool_is_stored_as_it_was_written(api, group, rules, longest):
    life = lifetime(rules, longest)
    manifest = node_pool(group, rules, life, EC2_NODE_CLASS, TYPES)

    assert manifest["spec"] == stored(api, manifest)


@pytest.mark.parametrize("group", JOBS.values(), ids=JOBS)
def test_h014_a_retiring_pool_is_stored_as_it_was_written(api, group):
    life = lifetime(PoolRules(), "6h")
    manifest = node_pool(group, PoolRules(), life, EC2_NODE_CLASS, TYPES, retiring=True)

    assert manifest["spec"] == stored(api, manifest)


@pytest.mark.parametrize("longest", [None, "6h", "480h"])
@pytest.mark.parametrize("group", JOBS.values(), ids=JOBS)
def test_h014_a_pool_of_auto_mode_is_stored_as_it_was_written(api, group, longest):
    rules = AutoMode().rules(group.name)
    life = auto_lifetime(rules, longest)
    manifest = node_pool(group, rules, life, AUTO_NODE_CLASS, TYPES)

    assert manifest["spec"] == stored(api, manifest)


def planted(kind: str, path: str, value: Any) -> dict[str, Any]:
    """Return an object with a value at a path; None takes it away."""
    life = lifetime(BUSY, None)
    manifest = deepcopy(
        node_pool(job(), BUSY, life, EC2_NODE_CLASS, TYPES)
        if kind == "NodePool"
        else ec2_node_class(job(), site(), ALIAS, TYPES)
    )
    *way, last = path.split(".")
    part: Any = manifest["spec"]
    for step in way:
        part = part[int(step)] if step.isdigit() else part[step]
    if value is None:
        del part[last]
    else:
        part[last] = value
    return manifest


LABELS = "template.metadata.labels"
POOL = "template.spec"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        (f"{POOL}.expireAfter", "14d", f"spec.{POOL}.expireAfter: Invalid value"),
        ("disruption.consolidateAfter", "1d", "consolidateAfter: Invalid value"),
        (f"{POOL}.terminationGracePeriod", "Never", "terminationGracePeriod: Invalid"),
        (LABELS, {"karpenter.sh/group": "job"}, 'domain "karpenter.sh" is restricted'),
        (LABELS, {"a.karpenter.sh/b": "c"}, 'domain "karpenter.sh" is restricted'),
        (
            LABELS,
            {"karpenter.k8s.aws/job": "x"},
            'domain "karpenter.k8s.aws" is restricted',
        ),
        (LABELS, {"kubernetes.io/hostname": "x"}, 'hostname" is restricted'),
        (LABELS, {"eks-jobs/group": 1}, "eks-jobs/group: Invalid value"),
        (
            f"{POOL}.requirements.0.key",
            "karpenter.sh/job",
            'domain "karpenter.sh" is restricted',
        ),
        (f"{POOL}.requirements.0.values", [], "must have a value defined"),
        (f"{POOL}.taints.0.value", "", "taints[0].value: Invalid value"),
        (f"{POOL}.taints.0.effect", "NO_SCHEDULE", "effect: Unsupported value"),
        (f"{POOL}.nodeClassRef.name", "", "name may not be empty"),
        (f"{POOL}.expireafter", "14h", f'unknown field "spec.{POOL}.expireafter"'),
        ("disruption.consolidationPolicy", "WhenFull", "Unsupported value"),
        ("disruption.budgets.0.nodes", "101%", "nodes: Invalid value"),
        ("disruption.budgets.1.duration", None, "must be set with 'duration'"),
        ("disruption.budgets.1.duration", "24h0m1s", "duration: Invalid value"),
        ("disruption.budgets.0.reasons", ["Expired"], "Unsupported value"),
        ("weight", 101, "spec.weight: Invalid value"),
        ("limits.nodes", "many", "limits.nodes: Invalid value"),
    ],
)
def test_h043_a_fault_planted_in_a_pool_is_refused(api, path, value, reason):
    with pytest.raises(RefusedError) as caught:
        api.create(planted("NodePool", path, value), dry_run=True)

    assert reason in str(caught.value)


IMAGES = "amiSelectorTerms"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("amiFamily", "Bottlerocket", "must be 'AL2023' or 'Custom'"),
        (IMAGES, [{"alias": "al2@v20260714"}], "must be 'AL2' or 'Custom'"),
        (IMAGES, [{"alias": "al2024@latest"}], "family is not supported"),
        (IMAGES, [{"alias": "al2023"}], "must match the format 'family@version'"),
        (IMAGES, [{"alias": ALIAS}, {"id": "ami-1"}], "'alias' is mutually exclusive"),
        (IMAGES, [{"alias": ALIAS, "id": "ami-1"}], "is mutually exclusive"),
        (IMAGES, [], f"spec.{IMAGES}: Invalid value"),
        ("instanceProfile", "p", "exactly one of ['role', 'instanceProfile']"),
        ("role", None, "exactly one of ['role', 'instanceProfile']"),
        ("subnetSelectorTerms", [], "subnetSelectorTerms cannot be empty"),
        ("securityGroupSelectorTerms", [{}], "expected at least one, got none"),
        ("tags", {"kubernetes.io/cluster/prod": "owned"}, "restricted tag"),
        ("tags", {"karpenter.k8s.aws/ec2nodeclass": "job"}, "restricted tag"),
        ("blockDeviceMappings.0.ebs.volumeSize", "60000Gi", "volumeSize"),
        ("blockDeviceMappings.0.ebs.volumeType", "gp4", "Unsupported value"),
        ("blockDeviceMappings.0.ebs.size", 1, 'unknown field "spec.blockDevice'),
        ("metadataOptions.httpPutResponseHopLimit", 65, "Invalid value"),
        ("metadataOptions.httpTokens", "maybe", "Unsupported value"),
        ("detailedMonitor", True, 'unknown field "spec.detailedMonitor"'),
    ],
)
def test_h042_a_fault_planted_in_a_node_class_is_refused(api, path, value, reason):
    with pytest.raises(RefusedError) as caught:
        api.create(planted("EC2NodeClass", path, value), dry_run=True)

    assert reason in str(caught.value)


@pytest.mark.parametrize("key", ["group", "kind"])
def test_h043_a_pool_never_changes_the_kind_of_its_class(api, key):
    manifest = node_pool(
        job(), PoolRules(), lifetime(PoolRules(), None), EC2_NODE_CLASS, TYPES
    )
    change = {"template": {"spec": {"nodeClassRef": {key: "other"}}}}
    api.create(manifest)
    try:
        with pytest.raises(RefusedError) as caught:
            api.merge(manifest, {"spec": change})
    finally:
        api.delete(manifest)

    assert f"nodeClassRef.{key} is immutable" in str(caught.value)
