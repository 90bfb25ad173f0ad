"""Networks, clusters and node groups of random stack files, see `settings_data`."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

__all__ = [
    "NETWORKS",
    "QUANTITIES",
    "REGION",
    "SHORT",
    "TEXTS",
    "TYPE_FACTS",
    "VPC_CNI",
    "Drawn",
    "Values",
    "a_few",
    "clusters",
    "groups",
    "job_groups",
    "server_groups",
    "some_of",
]

REGION = "ap-northeast-2"

Values = dict[str, Any]
Drawn = st.SearchStrategy[Values]

_TYPES = {
    "amd64": ["m7i.4xlarge", "m6i.4xlarge", "m7a.4xlarge", "r7i.8xlarge"],
    "arm64": ["m7g.4xlarge", "m8g.4xlarge", "c8g.8xlarge", "r8g.4xlarge"],
}
_JOBS = ["job", "job-arm", "batch", "j" * 40]
_SERVERS = ["server", "web", "0"]
_TEXT = st.sampled_from(["a", "data", "x_y", "9.Z", "true"])
TEXTS = st.dictionaries(
    st.sampled_from(["team", "example.com/tier", "cost-centre"]), _TEXT, max_size=2
)
SHORT = st.sampled_from(["1s", "90s", "10m", "1h30m"])
_ARN = "arn:aws:iam::123456789012:role/"


def some_of(required: Mapping[str, Any] | None = None, **optional: Any) -> Drawn:
    """Draw a map with all of *required* and some of *optional*."""
    return st.fixed_dictionaries(dict(required or {}), optional=optional)


def a_few(choices: list[str], least: int = 0, most: int = 3) -> st.SearchStrategy:
    return st.lists(
        st.sampled_from(choices), unique=True, min_size=least, max_size=most
    )


QUANTITIES = st.just({"cpu": "500m", "memory": "1Gi"})

NETWORKS = st.one_of(
    some_of(
        cidr=st.sampled_from(["10.40.0.0/16", "10.41.0.0/20", "192.168.0.0/17"]),
        zones=st.integers(2, 4)
        | st.just([f"{REGION}a", f"{REGION}c"])
        | st.just([f"{REGION}d", f"{REGION}b", f"{REGION}a"]),
        nat=st.sampled_from(["single", "per-zone"]),
        endpoints=a_few(["ec2", "ecr.api", "ecr.dkr", "sqs", "sts"]),
    ),
    some_of(
        {
            "vpc_id": st.just("vpc-0123456789abcdef0"),
            "subnet_ids": st.just(["subnet-0a1b2c3d", "subnet-0123456789abcdef0"]),
        },
        subnet_cidrs=st.just(["10.60.0.0/19", "10.60.32.0/24"]),
    ),
)

_SCORING = some_of(
    strategy=st.just("MostAllocated"),
    resources=st.just([{"name": "cpu", "weight": 3}, {"name": "memory"}]),
)

VPC_CNI = st.one_of(
    some_of({"kind": st.just("prefixes")}, warm_prefix_target=st.integers(1, 16)),
    some_of(
        {"kind": st.just("addresses")},
        minimum_ip_target=st.integers(1, 250),
        warm_ip_target=st.integers(1, 250),
    ),
    some_of({"kind": st.just("interfaces")}, warm_eni_target=st.integers(1, 15)),
)

TYPE_FACTS = st.just(
    [
        {
            "name": "m99i.4xlarge",
            "architecture": "amd64",
            "vcpus": 16,
            "memory_mib": 65536,
            "network_interfaces": 8,
            "ipv4_addresses_per_interface": 30,
            "ebs_baseline_mb_per_s": 1250.5,
            "ebs_maximum_mb_per_s": 2500,
            "ebs_baseline_iops": 40000,
            "ebs_maximum_iops": 80000,
        }
    ]
)

_USER_DATA = st.lists(
    st.sampled_from(
        [
            {"kind": "shell", "content": "#!/bin/bash\necho ready\n"},
            {
                "kind": "node-config",
                "content": "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"
                "spec: {kubelet: {config: {podPidsLimit: 4096}}}\n",
            },
        ]
    ),
    max_size=2,
)


# How nodes of a scaler are made when it does not say.
_MANAGED = {"auto-mode": "managed", "karpenter": "", "cluster-autoscaler": ""}


@st.composite
def clusters(draw: st.DrawFn, scalers: list[Values]) -> Values:
    # EKS chooses the images of its Auto Mode and of managed groups, an alias its own.
    chosen = any(
        "managed" in (one.get("groups"), _MANAGED[one["kind"]]) or "ami_alias" in one
        for one in scalers
    )
    release = st.sampled_from(["v20260714", "v20260901"])
    images = {} if chosen else {"ami_release": release}
    return draw(
        some_of(
            {"version": st.sampled_from(["1.33", "1.34", "1.35", "1.36"])},
            name=st.sampled_from(["c", "Prod_1", "n" * 40]),
            public_access_cidrs=a_few(["203.0.113.0/24", "198.51.100.7/32"]),
            private_access_cidrs=a_few(["10.8.0.0/24", "192.168.7.7/32"]),
            admins=a_few([f"{_ARN}platform", f"{_ARN}path/on-call"]),
            log_types=a_few(["api", "audit", "scheduler"]),
            log_retention_days=st.sampled_from([1, 90, 3653]),
            support=st.sampled_from(["STANDARD", "EXTENDED"]),
            deletion_protection=st.booleans(),
            service_cidr=st.sampled_from(["172.20.0.0/16", "10.100.0.0/24"]),
            scheduler=st.none() | _SCORING,
            terminated_pod_gc_threshold=st.none() | st.integers(1, 12_500),
            addons=st.just({"coredns": "v1.14.2-eksbuild.4"}),
            **images,
        )
    )


_LIMITS = {
    "min_size_gib": 20,
    "max_size_gib": 65_536,
    "min_iops": 3_000,
    "max_iops": 100_000,
    "min_throughput_mib": 125,
    "max_throughput_mib": 4_000,
    "iops_per_gib": 500,
    "iops_per_mib": 4,
}


@st.composite
def _volumes(draw: st.DrawFn, auto_mode: bool) -> Values:
    iops = draw(st.integers(3_000, 16_000 if auto_mode else 80_000))
    least = max(20, -(-iops // 500))
    most = min(iops // 4, 1_000 if auto_mode else 2_000)
    return draw(
        some_of(
            {
                "iops": st.just(iops),
                "size_gib": st.integers(least, 16_384),
                "throughput_mib": st.integers(125, most),
            },
            kms_key_id=st.just("alias/nodes"),
            limits=st.just(_LIMITS),
        )
    )


@st.composite
def _kubelets(draw: st.DrawFn) -> Values:
    qps = draw(st.integers(0, 60))
    burst = {"registry_burst": st.integers(1, 200)} if qps else {}
    return draw(
        some_of(
            {"registry_pull_qps": st.just(qps)},
            max_pods=st.integers(20, 250),
            max_parallel_image_pulls=st.none() | st.integers(1, 50),
            runtime_request_timeout=st.sampled_from(["15m", "90s"]),
            **burst,
        )
    )


@st.composite
def groups(draw: st.DrawFn, name: str, auto_mode: bool = False, **more: Any) -> Values:
    """Draw what all groups have, and some of *more*."""
    architecture = draw(st.sampled_from(["amd64", "arm64"]))
    mine = (
        {}
        if auto_mode
        else {
            "user_data": _USER_DATA,
            "metadata_hop_limit": st.integers(1, 64),
            "kubelet": _kubelets(),
        }
    )
    return draw(
        some_of(
            {
                "name": st.just(name),
                "architecture": st.just(architecture),
                "instance_types": a_few(_TYPES[architecture], least=1),
            },
            labels=TEXTS,
            tags=st.dictionaries(st.sampled_from(["owner", "Cost Centre"]), _TEXT),
            volume=_volumes(auto_mode),
            **mine,
            **more,
        )
    )


_TAINTS = st.just([{"key": "example.com/special", "value": "x"}]) | st.just(
    [
        {"key": "team", "effect": "NoExecute"},
        {"key": "node.cilium.io/agent-not-ready", "startup": True},
        {"key": "example.com/tier", "value": "2", "effect": "PreferNoSchedule"},
    ]
)


@st.composite
def server_groups(draw: st.DrawFn) -> list[Values]:
    """Draw server groups; the first can take the pods of the cluster itself."""
    names = draw(a_few(_SERVERS, least=1, most=2))
    size = st.builds(
        lambda low, more: {"min": low, "max": low + more},
        st.integers(1, 3),
        st.integers(0, 5),
    )
    return [
        draw(groups(name, size=size, **({"taints": _TAINTS} if place else {})))
        for place, name in enumerate(names)
    ]


@st.composite
def job_groups(draw: st.DrawFn, scalers: list[str]) -> list[Values]:
    auto_mode = "auto-mode" in scalers
    least = st.just(0) if set(scalers) - {"cluster-autoscaler"} else st.integers(0, 5)
    size = st.builds(
        lambda low, more: {"min": low, "max": low + more}, least, st.integers(6, 300)
    )
    image = {} if auto_mode else {"ami_id": st.just("ami-0123456789abcdef0")}
    return [
        draw(
            groups(
                name,
                auto_mode,
                size=size,
                taints=_TAINTS,
                longest_job=st.sampled_from(["45m", "6h", "12h"]),
                **image,
            )
        )
        for name in draw(a_few(_JOBS, least=1))
    ]
