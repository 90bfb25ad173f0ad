"""One change for each key of a stack file, and the file that it starts from."""

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

from tests.conftest import REGION

__all__ = ["BASES", "CHANGES", "COVERED", "MAY_END_JOBS", "Change", "edited"]

Values = dict[str, Any]

_GROUPS: Values = {
    "network": {"zones": 2},
    "cluster": {"version": "1.36"},
    "servers": [
        {
            "name": "server",
            "architecture": "amd64",
            "instance_types": ["m7i.large", "m6i.large"],
        }
    ],
    "jobs": [
        {
            "name": "job",
            "architecture": "amd64",
            "instance_types": ["m7i.4xlarge", "m6i.4xlarge"],
        }
    ],
}

# A stack for each way in which nodes of jobs are made.
BASES: dict[str, Values] = {
    "karpenter": _GROUPS | {"scaler": {"kind": "karpenter"}},
    "self-managed": _GROUPS | {"scaler": {"kind": "cluster-autoscaler"}},
    "managed": _GROUPS
    | {"scaler": {"kind": "cluster-autoscaler", "groups": "managed"}},
    "auto-mode": _GROUPS | {"scaler": {"kind": "auto-mode"}},
}


@dataclass(frozen=True, kw_only=True)
class Change:
    """
    A change of one key.

    Args:
        key: The key as the reference names it.
        to: Its new value; None removes it.
        base: One of `BASES`.
        given: What the file says before, by path, besides the base.
    """

    key: str
    to: Any
    base: str
    given: Values

    @property
    def path(self) -> str:
        """Where the key stands in the files here."""
        return self.key.replace("[]", "[0]").replace("<name>", "job")


# Keys below these act as the key that has a row does.
COVERED = {
    "balloons[].schedule": "balloons[].schedule",
    "balloons[].typical_job": "balloons[].typical_job",
    "cluster.scheduler": "cluster.scheduler",
    "instance_types[]": "instance_types",
    "jobs[].taints[]": "jobs[].taints",
    "jobs[].user_data[]": "jobs[].user_data",
    "jobs[].volume.limits": "jobs[].volume.iops",
    "keda.resources": "keda.version",
    "monitoring.scrapes": "monitoring.scrapes",
    "monitoring.thresholds": "monitoring.thresholds",
    "policy.matchers[]": "policy.matchers",
    "retiring_scaler": "retiring_scaler",
    "scaler.pools.<name>.budgets[]": "scaler.pools.<name>.budgets",
    "scaler.resources": "scaler.replicas",
    "scaler.server_pools[]": "scaler.server_pools",
    "servers[].taints[]": "servers[].taints",
    "servers[].user_data[]": "servers[].user_data",
    "servers[].volume.limits": "servers[].volume.iops",
}

# Ways out.
_WHOLE = "EKS and EC2 cannot change it: make a second stack, and move"
_GONE = (
    "the old group goes with its nodes: add a group of another name first, and remove "
    "the old one when it is empty"
)
_REPLACED = (
    "EKS cannot change it, and the nodes of the old group go when the new one is "
    "there: add a group of another name first, as for a name"
)
_MIGRATE = "the nodes of the old way go: name it in `retiring_scaler` first"
_OTHER_GROUPS = (
    "the nodes of the old way go, and `retiring_scaler` takes no second scaler of the "
    "same kind: [migrate](migration.md) to Karpenter and back to the other groups, or "
    "change when no job runs"
)
_RENAMED = (
    "names keep the groups that a number made, but a number makes those of names anew, "
    "and the group of a zone that goes takes its nodes: keep the names, and take a "
    "zone away when no job runs in it"
)
_SUBNET = (
    "the group of a subnet that goes takes its nodes: take it away when no job runs in "
    "it"
)
_CUT = (
    "another `nat`, or another first zone where one gateway serves all, leads nodes to "
    "the outside through another NAT gateway; AWS drops the connections that are open, "
    "and others see another address: change when no job runs. A zone that goes loses "
    "its way out while its nodes run: close those, and take it away when they are gone"
)
_SHUT_OUT = (
    "the role of nodes that run goes with what lets them in: set it before the first "
    "node, or when no node of Karpenter is left, as after a "
    "[migration](migration.md#karpenter-to-cluster-autoscaler) to Cluster Autoscaler"
)
_OLD_LIMIT = (
    "to raise it, nodes that run keep the limit they were made with, and drift ends "
    "longer jobs on them: cordon them before longer jobs start, "
    "`kubectl get nodes -l eks-jobs/group=job -o name | xargs kubectl cordon`"
)
_ROLLED = (
    "EKS makes new nodes and evicts the jobs of the old ones, whatever their "
    "annotations say: change when none runs, have EKS "
    "[give up](upgrade.md#managed-job-groups) where one does, or choose "
    "`groups: self-managed` or Karpenter"
)


_SCRIPT = [{"kind": "shell", "content": "#!/bin/bash\necho ready\n"}]
_TAINT = {"key": "example.com/special", "value": "x"}

_GROUP: dict[str, Any] = {
    "name": "other",
    "instance_types": ["m7i.8xlarge", "m6i.8xlarge"],
    "size.min": 3,
    "size.max": 20,
    "labels": {"team": "data"},
    "tags": {"owner": "data"},
    "volume.size_gib": 200,
    "volume.iops": 9000,
    "volume.throughput_mib": 700,
    "volume.kms_key_id": "alias/nodes",
    "user_data": _SCRIPT,
    "metadata_hop_limit": 2,
    "kubelet.max_pods": 50,
    "kubelet.registry_pull_qps": 30,
    "kubelet.registry_burst": 80,
    "kubelet.max_parallel_image_pulls": 10,
    "kubelet.runtime_request_timeout": "10m",
}
_OF_JOBS = _GROUP | {"ami_id": "ami-00000000000000001", "longest_job": "6h"}

_RULES: dict[str, Any] = {
    "consolidation_policy": "WhenEmptyOrUnderutilized",
    "consolidate_after": "20m",
    "budgets": [{"nodes": "5%"}],
    "expire_after": "400h",
    "termination_grace_period": "12h",
    "weight": 10,
    "capacity_types": ["spot"],
}


def _groups() -> list[Change]:
    arm = {"architecture": "arm64", "instance_types": ["m7g.4xlarge", "m8g.4xlarge"]}
    found = []
    for base in BASES:
        changes = _OF_JOBS | {"taints": [_TAINT], "architecture": arm}
        for key, to in changes.items():
            found.append(Change(key=f"jobs[].{key}", to=to, base=base, given={}))
    # The first group must stay without taints and above nothing.
    size = {"servers[0].size": {"min": 2, "max": 10}}
    second = {"servers[1]": _GROUPS["servers"][0] | {"name": "second"}}
    for key, to in (_GROUP | {"taints": [_TAINT], "architecture": arm}).items():
        given = second if key == "taints" else size
        found.append(
            Change(key=f"servers[].{key}", to=to, base="self-managed", given=given)
        )
    return found


def _plain(base: str, prefix: str, values: Values, given: Values | None = None):
    return [
        Change(key=f"{prefix}{key}", to=to, base=base, given=given or {})
        for key, to in values.items()
    ]


def _zones() -> list[Change]:
    """Name the zones that a number took, take one away, and change their order."""
    first, second, third = (f"{REGION}{letter}" for letter in "abc")
    changes = [
        ("managed", 2, [first, second]),
        ("managed", [first, second], 2),
        ("managed", [first, second, third], [first, second]),
        ("self-managed", [first, second], [second, first]),
        *(
            (base, [first, second, third], [first, second])
            for base in ("karpenter", "self-managed", "auto-mode")
        ),
    ]
    return [
        Change(key="network.zones", to=to, base=base, given={"network.zones": given})
        for base, given, to in changes
    ]


def _longer() -> list[Change]:
    """Raise the limits of drains that nodes were made with."""
    grace = "scaler.pools.<name>.termination_grace_period"
    limits = {"jobs[].longest_job": ("6h", "12h"), grace: ("12h", "24h")}
    return [
        replace(change, given={change.path: before})
        for key, (before, after) in limits.items()
        for base in ("karpenter", "auto-mode")
        for change in _plain(base, "", {key: after})
    ]


_CLUSTER: Values = {
    "name": "other",
    "public_access_cidrs": ["203.0.113.0/24"],
    "private_access_cidrs": ["10.8.0.0/24"],
    "admins": ["arn:aws:iam::123456789012:role/platform"],
    "log_types": ["api"],
    "log_retention_days": 30,
    "support": "EXTENDED",
    "deletion_protection": True,
    "service_cidr": "10.100.0.0/16",
    "scheduler": {"strategy": "MostAllocated"},
    "terminated_pod_gc_threshold": 500,
    "addons": {"coredns": "v1.14.2-eksbuild.4"},
}
_EXISTING = {
    "network": {
        "vpc_id": "vpc-0123456789abcdef0",
        "subnet_ids": ["subnet-0a1b2c3d", "subnet-0123456789abcdef0"],
    }
}
_WIDER = {
    **_EXISTING["network"],
    "subnet_ids": [*_EXISTING["network"]["subnet_ids"], "subnet-0fedcba987654321"],
}
_NETWORK: Values = {
    "cidr": "10.50.0.0/16",
    "nat": "per-zone",
    "endpoints": ["ec2"],
}
_KARPENTER: Values = {
    "kind": "cluster-autoscaler",
    "version": "1.15.0",
    "install": False,
    "preference_policy": "Respect",
    "feature_gates": {"capacityBuffer": True},
    "replicas": 1,
    "batch_idle_duration": "2s",
    "batch_max_duration": "20s",
    "rebalance_events": False,
    "extended_kubelet": True,
    "ami_alias": "al2023@v20260901",
    "node_role": "nodes",
    "instance_profile": "nodes",
    "server_pools": [
        {"name": "more", "architecture": "amd64", "instance_types": ["m7i.xlarge"]}
    ],
}
_AUTOSCALER: Values = {
    "kind": "karpenter",
    "version": "1.36.0",
    "install": False,
    "groups": "managed",
    "priorities": ["job"],
    "scale_down_delay_after_add": "5m",
    "max_node_provision_time": "20m",
    "replicas": 1,
}
_OPTIONS: Values = {
    "utilization_threshold": 0.5,
    "unneeded_time": "5m",
    "unready_time": "5m",
    "ignore_daemonsets": False,
}
_WARM: Values = {
    "min_size": 2,
    "max_prepared": 4,
    "state": "RUNNING",
    "reuse_on_scale_in": True,
}
_POLICY: Values = {
    "matchers": ["batch-jobs"],
    "exclude_namespaces": ["argo"],
    "label.key": "group",
    "label.value": "batch",
    "packing": "none",
    "weight": 50,
    "unpacked_namespaces": ["bulk"],
    "affinity_scope": "own-namespace",
    "protection": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"},
    "strict": True,
    "host_network": True,
    "engine": "kyverno",
}
_KYVERNO: Values = {
    "install": False,
    "namespace": "policies",
    "chart_version": "3.8.0",
    "replicas": 4,
    "memory_mib": 512,
    "group": "second",
    "fail_open": False,
}
_POD: Values = {"group": "job", "replicas": 3, "cpu": "500m", "memory": "1Gi"}
_WINDOW = {"timezone": "Asia/Seoul", "start": "08:30", "end": "18:00"}
_PODS: Values = {
    "group": "second",
    "replicas": 4,
    "cpu": "1",
    "memory": "2Gi",
    "name": "other",
    "priority": -9,
    "image": "registry.k8s.io/pause:3.10",
    "labels": {"team": "data"},
    "schedule": _WINDOW,
    "typical_job": {"cpu": "250m", "memory": "512Mi"},
}
_SECOND_JOBS = {"jobs[1]": _GROUPS["jobs"][0] | {"name": "second"}}
_WARM_POOL = {"kind": "warm-pool", "group": "job", "min_size": 1, "max_prepared": 2}
_STATIC = {"kind": "static", "group": "job", "nodes": 2}

_MONITORING: Values = {
    "enabled": False,
    "rules": False,
    "scrapes": None,
    "dashboards": False,
    "namespace": "observability",
    "labels": {"release": "other"},
    "dashboard_labels": {"dashboard": "yes"},
    "interval": "30s",
    "cluster_label": "cluster",
    "runbook_url": "https://runbooks.example.com",
    "thresholds": {"rejected_pulls": 5},
    "muted": ["JobPackingPoor"],
    "alert_labels": {"team": "data"},
    "volume_device": "nvme1n1",
}

# Keys whose effect depends on the way in which nodes are made.
_EVERYWHERE: Values = {
    "network.zones": 3,
    "cluster.version": "1.36",
    "cluster.ami_release": "v20260901",
    "tags": {"owner": "data"},
}
_FACTS = {
    "name": "m7i.4xlarge",
    "architecture": "amd64",
    "vcpus": 8,
    "memory_mib": 65536,
    "network_interfaces": 8,
    "ipv4_addresses_per_interface": 30,
    "ebs_baseline_mb_per_s": 1250,
    "ebs_maximum_mb_per_s": 1250,
    "ebs_baseline_iops": 40000,
    "ebs_maximum_iops": 40000,
}

MAY_END_JOBS: dict[tuple[str, str], str] = {
    ("network.cidr", "self-managed"): _WHOLE,
    ("cluster.name", "self-managed"): _WHOLE,
    ("cluster.service_cidr", "self-managed"): _WHOLE,
    ("network.zones", "managed"): _RENAMED,
    ("network.subnet_ids", "managed"): _SUBNET,
    **{
        ("network.zones", base): _CUT
        for base in ("karpenter", "self-managed", "auto-mode")
    },
    ("network.nat", "self-managed"): _CUT,
    **{("jobs[].name", base): _GONE for base in BASES},
    ("jobs[].architecture", "managed"): _REPLACED,
    ("jobs[].instance_types", "managed"): _REPLACED,
    ("scaler.kind", "karpenter"): _MIGRATE,
    ("scaler.kind", "auto-mode"): _MIGRATE,
    ("scaler.kind", "self-managed"): _MIGRATE,
    ("scaler.groups", "self-managed"): _OTHER_GROUPS,
    ("scaler.node_role", "karpenter"): _SHUT_OUT,
    ("scaler.instance_profile", "karpenter"): _SHUT_OUT,
    **{
        (key, base): _OLD_LIMIT
        for key in (
            "jobs[].longest_job",
            "scaler.pools.<name>.termination_grace_period",
        )
        for base in ("karpenter", "auto-mode")
    },
    **{
        (key, "managed"): _ROLLED
        for key in (
            "cluster.version",
            "tags",
            "jobs[].ami_id",
            *(
                f"jobs[].{key}"
                for key in _GROUP
                if key.startswith(("kubelet.", "volume."))
                or key in ("metadata_hop_limit", "tags", "user_data")
            ),
        )
    },
}
"""Why a change may end jobs, by key and by the way in which their nodes are made."""

CHANGES: list[Change] = [
    *(
        Change(
            key=key,
            to=to,
            base=base,
            given={"cluster.version": "1.35"} if key == "cluster.version" else {},
        )
        for key, to in _EVERYWHERE.items()
        for base in BASES
        # EKS chooses the images of the others.
        if key != "cluster.ami_release" or base in ("karpenter", "self-managed")
    ),
    *_zones(),
    *_plain("self-managed", "network.", _NETWORK),
    *_plain("self-managed", "network.", {"nat": "single"}, {"network.nat": "per-zone"}),
    *_plain(
        "self-managed",
        "network.",
        {
            "vpc_id": "vpc-0fedcba9876543210",
            "subnet_ids": ["subnet-0a1b2c3d", "subnet-0fedcba9876543210"],
            "subnet_cidrs": ["10.60.0.0/19", "10.60.32.0/19"],
        },
        _EXISTING,
    ),
    *_plain(
        "managed",
        "network.",
        {"subnet_ids": _EXISTING["network"]["subnet_ids"]},
        {"network": _WIDER},
    ),
    *_plain("self-managed", "cluster.", _CLUSTER),
    *_plain("self-managed", "cluster.", {"log_types": []}),
    *_groups(),
    *_plain("karpenter", "scaler.", _KARPENTER),
    *_plain("karpenter", "scaler.pools.<name>.", _RULES),
    *_plain("auto-mode", "scaler.pools.<name>.", _RULES),
    *_longer(),
    *_plain("auto-mode", "scaler.", {"kind": "karpenter", "node_pools": []}),
    *_plain("self-managed", "scaler.", _AUTOSCALER),
    *_plain("self-managed", "scaler.options.<name>.", _OPTIONS),
    *_plain("managed", "scaler.warm_pool.", _WARM, {"scaler.warm_pool.min_size": 1}),
    *_plain("self-managed", "vpc_cni.", {"kind": "interfaces"}),
    *_plain(
        "self-managed",
        "vpc_cni.",
        {"warm_prefix_target": 2},
        {"vpc_cni": {"kind": "prefixes"}},
    ),
    *_plain(
        "self-managed",
        "vpc_cni.",
        {"minimum_ip_target": 50, "warm_ip_target": 4},
        {"vpc_cni": {"kind": "addresses"}},
    ),
    *_plain(
        "self-managed",
        "vpc_cni.",
        {"warm_eni_target": 2},
        {"vpc_cni": {"kind": "interfaces"}},
    ),
    *_plain("self-managed", "policy.", _POLICY),
    *_plain(
        "self-managed",
        "policy.kyverno.",
        _KYVERNO,
        {
            "policy.engine": "kyverno",
            "servers[1]": _GROUPS["servers"][0] | {"name": "second"},
        },
    ),
    *_plain("karpenter", "balloons[].", _PODS, _SECOND_JOBS | {"balloons[0]": _POD}),
    *_plain(
        "karpenter",
        "balloons[].schedule.",
        {"cooldown": "10m"},
        {"balloons[0]": _POD | {"schedule": _WINDOW}},
    ),
    *_plain(
        "karpenter", "balloons[].", {"kind": "capacity-buffer"}, {"balloons[0]": _POD}
    ),
    *_plain(
        "managed",
        "balloons[].",
        _WARM | {"max_prepared": 3},
        {"balloons[0]": _WARM_POOL},
    ),
    *_plain("karpenter", "balloons[].", {"nodes": 3}, {"balloons[0]": _STATIC}),
    *_plain(
        "karpenter",
        "keda.",
        {"install": False, "version": "2.20.1", "namespace": "scaling"},
        {"balloons[0]": _POD | {"schedule": _WINDOW}},
    ),
    *_plain(
        "self-managed",
        "",
        {"instance_types": [_FACTS]},
        {"jobs[0].instance_types": ["m7i.4xlarge"]},
    ),
    *_plain("self-managed", "", {"check_offerings": False}),
    *_plain("karpenter", "", {"monitoring": {}}),
    *_plain("karpenter", "monitoring.", _MONITORING, {"monitoring": {}}),
    *_plain(
        "karpenter",
        "monitoring.",
        {"cluster_value": "other"},
        {"monitoring": {"cluster_label": "cluster"}},
    ),
    *_plain("karpenter", "", {"retiring_scaler": {"kind": "cluster-autoscaler"}}),
]


def edited(change: Change) -> tuple[Values, Values]:
    """Return the file before and after a change."""
    before = deepcopy(BASES[change.base])
    for path, value in change.given.items():
        _put(before, path, value)
    after = deepcopy(before)
    path = change.path
    if change.key.endswith("].architecture"):
        _put(after, path.removesuffix(".architecture"), change.to)
    else:
        _put(after, path, change.to)
    return before, after


def _put(values: Any, path: str, value: Any) -> None:
    """Set what stands at a path; maps on the way are made, maps at its end merged."""
    *ahead, last = path.replace("[", ".[").split(".")
    for key in ahead:
        values = _item(values, key)
    if isinstance(values, list):
        place = int(last[1:-1])
        if place == len(values):
            values.append({})
        values[place] = values[place] | deepcopy(value)
    else:
        values[last] = deepcopy(value)


def _item(values: Any, key: str) -> Any:
    if not key.startswith("["):
        is_list = key in ("balloons", "jobs", "servers")
        return values.setdefault(key, [] if is_list else {})
    place = int(key[1:-1])
    if place == len(values):
        values.append({})
    return values[place]
