"""
Every warning, word for word, and where it stays silent.

Not proven here: that a node throttles at the figures of EC2, and that anybody reads
warnings.
"""

import re
from ipaddress import IPv4Network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.spec.cluster import ClusterSettings, SchedulerScoring
from components.spec.group_review import group_addresses
from components.spec.groups import JobGroup, ServerGroup, Size
from components.spec.instance_types import InstanceType, InstanceTypes
from components.spec.kubelet import KubeletTuning
from components.spec.labels import Taint
from components.spec.network import ExistingNetwork, NewNetwork, private_addresses
from components.spec.review import Notice, review, review_group
from components.spec.volume import Gp3Volume
from components.spec.vpc_cni import WarmAddresses, WarmInterfaces, WarmPrefixes

TYPES = InstanceTypes.bundled()
BASELINE = Gp3Volume(iops=3_000, throughput_mib=125)
# Types that sustain the volume of a job group, so that other notices stand alone.
FAST = ("m6in.4xlarge", "m6idn.4xlarge")


def job(*instance_types, architecture="amd64", **overrides):
    return JobGroup(
        **(
            {
                "name": "job",
                "architecture": architecture,
                "instance_types": instance_types,
            }
            | overrides
        )
    )


def fast_job(**overrides):
    return job(*FAST, **overrides)


def server(*instance_types, **overrides):
    return ServerGroup(
        **(
            {
                "name": "server",
                "architecture": "amd64",
                "instance_types": instance_types or ("m7i.xlarge", "m6i.xlarge"),
            }
            | overrides
        )
    )


def made_type(**overrides):
    return InstanceType(
        **(
            {
                "name": "m99i.4xlarge",
                "architecture": "amd64",
                "vcpus": 16,
                "memory_mib": 65_536,
                "network_interfaces": 8,
                "ipv4_addresses_per_interface": 50,
                "ebs_baseline_mb_per_s": 1_250,
                "ebs_maximum_mb_per_s": 1_250,
                "ebs_baseline_iops": 80_000,
                "ebs_maximum_iops": 80_000,
            }
            | overrides
        )
    )


def existing(*cidrs):
    return ExistingNetwork(
        vpc_id="vpc-0a",
        subnet_ids=("subnet-0a", "subnet-0b"),
        subnet_cidrs=cidrs,
    )


def cluster(**overrides):
    return ClusterSettings(
        **({"version": "1.36", "public_access_cidrs": ("203.0.113.0/24",)} | overrides)
    )


def lines(**arguments):
    return [str(notice) for notice in review(**({"instance_types": TYPES} | arguments))]


def of_job(group, vpc_cni=None, instance_types=TYPES):
    return lines(jobs=[group], vpc_cni=vpc_cni, instance_types=instance_types)


def test_the_table_holds_what_these_tests_rest_on():
    found = {name: TYPES.find(name) for name in (*FAST, "m7i.4xlarge", "m6i.4xlarge")}

    assert [1562.5, 1562.5, 625, 625] == [
        one and one.ebs_baseline_mb_per_s for one in found.values()
    ]


def test_a_group_that_its_nodes_can_carry_has_no_notice():
    assert [] == lines(
        servers=[server()],
        jobs=[fast_job()],
        network=NewNetwork(),
        cluster=cluster(),
        vpc_cni=WarmPrefixes(),
    )


# EBS


def test_h039_a_volume_above_what_the_type_sustains_is_burst_only():
    assert [
        "jobs[0].volume: throughput_mib=800 (839 MB/s) is burst only on m7i.4xlarge, "
        "m6i.4xlarge: sustained 625 MB/s (596 MiB/s), burst 1250 MB/s (1192 MiB/s)"
    ] == of_job(job("m7i.4xlarge", "m6i.4xlarge"))


def test_h039_a_volume_above_the_maximum_of_the_type_is_never_reached():
    assert [
        "jobs[0].volume: throughput_mib=800 (839 MB/s) is never reached on m5.4xlarge, "
        "m5d.4xlarge: sustained 594 MB/s (566 MiB/s), at most 594 MB/s (566 MiB/s)"
    ] == of_job(job("m5.4xlarge", "m5d.4xlarge"))


def test_h039_types_with_different_figures_are_named_apart():
    assert [
        "jobs[0].volume: throughput_mib=800 (839 MB/s) is burst only on m7g.4xlarge: "
        "sustained 625 MB/s (596 MiB/s), burst 1250 MB/s (1192 MiB/s)",
        "jobs[0].volume: throughput_mib=800 (839 MB/s) is never reached on "
        "m6g.4xlarge: sustained 594 MB/s (566 MiB/s), at most 594 MB/s (566 MiB/s)",
    ] == of_job(
        job("m7g.4xlarge", "c8gn.4xlarge", "m6g.4xlarge", architecture="arm64")
    )[1:]


@pytest.mark.parametrize(
    ("throughput_mib", "count"), [(596, 0), (597, 1), (1_192, 1), (2_000, 1)]
)
def test_h039_the_edge_is_where_mebibytes_meet_megabytes(throughput_mib, count):
    group = job(
        "m7i.4xlarge",
        "m6i.4xlarge",
        volume=Gp3Volume(throughput_mib=throughput_mib, iops=8_000),
    )

    assert count == len(of_job(group))


@pytest.mark.parametrize(
    ("volume", "notice"),
    [
        (Gp3Volume(throughput_mib=150, iops=6_000), None),
        (
            Gp3Volume(throughput_mib=140, iops=6_001),
            "jobs[0].volume: iops=6001 is burst only on m7i.xlarge, m6i.xlarge: "
            "sustained 6000, burst 40000",
        ),
        (
            Gp3Volume(throughput_mib=140, iops=40_000),
            "jobs[0].volume: iops=40000 is burst only on m7i.xlarge, m6i.xlarge: "
            "sustained 6000, burst 40000",
        ),
        (
            Gp3Volume(throughput_mib=140, iops=40_001),
            "jobs[0].volume: iops=40001 is never reached on m7i.xlarge, m6i.xlarge: "
            "sustained 6000, at most 40000",
        ),
    ],
)
def test_h039_baseline_iops_are_compared_too(volume, notice):
    group = job("m7i.xlarge", "m6i.xlarge", volume=volume)

    assert [notice] * (notice is not None) == [
        line
        for line in of_job(group)
        if "iops=" in line and "and throughput" not in line
    ]


@given(
    st.integers(125, 2_000),
    st.floats(1, 3_000, allow_nan=False),
    st.floats(0, 3_000, allow_nan=False),
)
def test_h039_a_notice_always_shows_more_wanted_than_sustained(wish, low, more):
    made = made_type(ebs_baseline_mb_per_s=low, ebs_maximum_mb_per_s=low + more)
    group = job(
        "m99i.4xlarge",
        "m6in.4xlarge",
        volume=Gp3Volume(throughput_mib=wish, iops=8_000),
    )
    megabytes = wish * 1_048_576 / 1_000_000
    shown = [
        [int(number) for number in re.findall(r"(\d+) MB/s", line)]
        for line in of_job(group, instance_types=TYPES.including([made]))
        if "on m99i.4xlarge" in line
    ]

    assert all(wanted > sustained for wanted, sustained, _ in shown)
    assert shown or megabytes <= low + 1
    assert not shown or megabytes > low


def test_a_server_group_is_measured_by_what_it_asks_for_beyond_gp3_itself():
    slow = server("c5a.large", "c5ad.large")
    asked = server(
        "c5a.large", "c5ad.large", volume=Gp3Volume(iops=4_000, throughput_mib=500)
    )

    assert [] == lines(servers=[slow])
    assert [
        "servers[0].volume: throughput_mib=500 (524 MB/s) is never reached on "
        "c5a.large, c5ad.large: sustained 25 MB/s (24 MiB/s), at most 396 MB/s (378 "
        "MiB/s)",
        "servers[0].volume: iops=4000 is burst only on c5a.large, c5ad.large: "
        "sustained 800, burst 13300",
    ] == lines(servers=[asked])


@pytest.mark.parametrize(
    ("kubelet", "volume", "text"),
    [
        (
            KubeletTuning(),
            BASELINE,
            "iops=3000 and throughput_mib=125 may be too slow for registry_pull_qps=40 "
            "and max_pods=60",
        ),
        (
            KubeletTuning(registry_pull_qps=6),
            BASELINE,
            "iops=3000 and throughput_mib=125 may be too slow for registry_pull_qps=6 "
            "and max_pods=60",
        ),
        (
            KubeletTuning(registry_pull_qps=0, max_parallel_image_pulls=9),
            BASELINE,
            "iops=3000 and throughput_mib=125 may be too slow for registry_pull_qps=0 "
            "and max_pods=60",
        ),
        (
            KubeletTuning(registry_pull_qps=5, max_pods=111),
            BASELINE,
            "iops=3000 and throughput_mib=125 may be too slow for registry_pull_qps=5 "
            "and max_pods=111",
        ),
        (
            KubeletTuning(),
            Gp3Volume(iops=8_000, throughput_mib=125),
            "iops=8000 and throughput_mib=125 may be too slow for registry_pull_qps=40 "
            "and max_pods=60",
        ),
        (
            KubeletTuning(),
            Gp3Volume(iops=3_000, throughput_mib=400),
            "iops=3000 and throughput_mib=400 may be too slow for registry_pull_qps=40 "
            "and max_pods=60",
        ),
    ],
)
def test_h039_raised_pulls_on_a_baseline_volume_warn(kubelet, volume, text):
    assert [
        f"jobs[0].volume: {text}: container names stay reserved and starts fail; raise "
        "both with the pulls"
    ] == of_job(fast_job(kubelet=kubelet, volume=volume))


@pytest.mark.parametrize(
    ("kubelet", "volume"),
    [
        (KubeletTuning(registry_pull_qps=5, max_pods=110), BASELINE),
        (KubeletTuning(), Gp3Volume(iops=3_001, throughput_mib=126)),
    ],
)
def test_h039_pulls_and_volume_that_fit_are_silent(kubelet, volume):
    assert [] == of_job(fast_job(kubelet=kubelet, volume=volume))


@pytest.mark.parametrize(
    ("pods", "size", "share"), [(60, 34, 499), (250, 100, 360), (177, 100, 509)]
)
def test_h094_a_disk_that_is_small_for_its_pods_warns(pods, size, share):
    volume = Gp3Volume(size_gib=size)
    kubelet = KubeletTuning(max_pods=pods)
    found = of_job(fast_job(kubelet=kubelet, volume=volume))

    assert (
        f"jobs[0].volume.size_gib: size_gib={size} leaves {share} MiB, images "
        f"included, to each of max_pods={pods}: a node whose disk is full evicts jobs; "
        "raise it, or let jobs request ephemeral-storage"
    ) in found


@pytest.mark.parametrize(("pods", "size"), [(60, 36), (176, 100)])
def test_h094_a_disk_that_is_large_enough_is_silent(pods, size):
    volume = Gp3Volume(size_gib=size)
    found = of_job(fast_job(kubelet=KubeletTuning(max_pods=pods), volume=volume))

    assert [] == [line for line in found if "size_gib" in line]


def test_h039_holds_for_servers_with_raised_pulls():
    assert [
        "servers[0].volume: iops=3000 and throughput_mib=125 may be too slow for "
        "registry_pull_qps=40 and max_pods=50: container names stay reserved and "
        "starts fail; raise both with the pulls"
    ] == lines(servers=[server(kubelet=KubeletTuning(max_pods=50))])


# Pods and addresses


def test_h037_more_pods_than_the_interfaces_carry_warn():
    group = job("t4g.small", "c8gn.4xlarge", architecture="arm64")

    assert (
        "jobs[0].kubelet.max_pods: max_pods=60 is more pods than can have an address "
        "on t4g.small (11): the rest waits for ever; lower it, or use vpc_cni of kind "
        "prefixes"
    ) in of_job(group)


def test_h037_every_short_type_is_named_with_its_own_number():
    group = job("m7i.large", "m7i.xlarge", "m7i.8xlarge")

    assert [
        "jobs[0].kubelet.max_pods: max_pods=60 is more pods than can have an address "
        "on m7i.large (29), m7i.xlarge (58): the rest waits for ever; lower it, or use "
        "vpc_cni of kind prefixes"
    ] == [line for line in of_job(group, WarmInterfaces()) if "address" in line]


@pytest.mark.parametrize(("max_pods", "count"), [(58, 0), (59, 1)])
@pytest.mark.parametrize("vpc_cni", [None, WarmAddresses(), WarmInterfaces()])
def test_h037_the_edge_is_the_number_of_the_type(max_pods, count, vpc_cni):
    group = job("m7i.xlarge", "m6i.xlarge", kubelet=KubeletTuning(max_pods=max_pods))

    assert count == len(
        [line for line in of_job(group, vpc_cni) if "can have an address" in line]
    )


def test_h037_prefix_mode_carries_more_pods():
    assert [] == [
        line
        for line in of_job(job("t3.small", "m7i.large"), WarmPrefixes())
        if "can have an address" in line
    ]


def test_h037_the_smallest_types_are_short_even_in_prefix_mode():
    assert (
        "jobs[0].kubelet.max_pods: max_pods=60 is more pods than can have an address "
        "on t3.micro (34) even in prefix mode: the rest waits for ever; lower it"
    ) in of_job(job("t3.micro", "t3.small"), WarmPrefixes())


@pytest.mark.parametrize(
    ("vpc_cni", "words"),
    [(WarmPrefixes(), " even in prefix mode"), (WarmInterfaces(), "")],
)
def test_h037_types_before_nitro_are_short_in_every_mode(vpc_cni, words):
    assert [
        "jobs[0].kubelet.max_pods: max_pods=60 is more pods than can have an address "
        f"on m4.large (20), c4.large (29){words}: the rest waits for ever; lower it"
    ] == [
        line
        for line in of_job(job("m4.large", "c4.large"), vpc_cni)
        if "can have an address" in line
    ]


def test_h036_a_reservation_of_half_the_memory_warns():
    group = job("t3.micro", "t3.medium")

    assert [
        "jobs[0].kubelet.max_pods: max_pods=60 reserves 915 MiB of the 1024 MiB of "
        "t3.micro"
    ] == [line for line in of_job(group, WarmPrefixes()) if "reserves" in line]


@pytest.mark.parametrize(("memory_mib", "count"), [(1_830, 1), (1_831, 0)])
def test_h036_the_edge_is_half_the_memory(memory_mib, count):
    types = TYPES.including([made_type(memory_mib=memory_mib)])

    assert count == sum(
        "reserves" in line
        for line in of_job(job("m99i.4xlarge", "m6in.4xlarge"), instance_types=types)
    )


@pytest.mark.parametrize(
    ("kubelet", "notices"),
    [
        (
            KubeletTuning(registry_burst=39),
            [
                "jobs[0].kubelet.registry_burst: registry_burst=39 is below "
                "registry_pull_qps=40: a burst of pods gets 39 pulls, the others fail "
                "and are tried again"
            ],
        ),
        (KubeletTuning(registry_burst=40), []),
        (
            KubeletTuning(registry_pull_qps=0),
            [
                "jobs[0].kubelet.registry_pull_qps: registry_pull_qps=0 is no limit: "
                "max_pods=60 pods may pull at once; max_parallel_image_pulls caps them"
            ],
        ),
        (KubeletTuning(registry_pull_qps=0, max_parallel_image_pulls=5), []),
        (KubeletTuning(registry_pull_qps=1), []),
    ],
)
def test_h038_pull_limits_that_do_not_work_together_warn(kubelet, notices):
    assert notices == of_job(fast_job(kubelet=kubelet))


def test_h082_more_pods_than_addresses_warn_with_both_numbers():
    group = job("m7i.24xlarge", "m6in.24xlarge", name="big", size=Size(min=0, max=100))

    assert [
        "network: at their largest the groups take 8750 addresses (server 10 x 65, big "
        "100 x 81), the private subnets have 1014: pods beyond that wait for ever"
    ] == [
        line
        for line in lines(
            servers=[server(kubelet=KubeletTuning(max_pods=40, registry_pull_qps=5))],
            jobs=[group],
            network=NewNetwork(cidr="10.40.0.0/20", zones=2),
            vpc_cni=WarmPrefixes(),
        )
        if line.startswith("network")
    ]


@pytest.mark.parametrize(("nodes", "count"), [(2, 0), (3, 1)])
def test_h082_the_edge_is_the_number_of_free_addresses(nodes, count):
    network = existing("10.0.0.0/24", "10.0.1.0/24")
    group = fast_job(size=Size(max=nodes), kubelet=KubeletTuning(max_pods=250))

    assert 502 == private_addresses(network)
    assert count == sum(
        line.startswith("network: ")
        for line in lines(jobs=[group], network=network, vpc_cni=WarmInterfaces())
    )


@given(
    st.integers(1, 200),
    st.integers(1, 250),
    st.integers(16, 20),
    st.integers(2, 6),
    st.sampled_from([None, WarmPrefixes(), WarmAddresses(), WarmInterfaces()]),
)
def test_h082_max_pods_times_nodes_above_the_free_addresses_always_warns(
    nodes, pods, prefix, zones, vpc_cni
):
    network = NewNetwork(cidr=f"10.0.0.0/{prefix}", zones=zones)
    group = fast_job(size=Size(max=nodes), kubelet=KubeletTuning(max_pods=pods))
    free = zones * (IPv4Network(network.cidr).num_addresses // 8 - 5)

    notices = lines(jobs=[group], network=network, vpc_cni=vpc_cni)

    assert (nodes * pods > free) <= any(
        line.startswith("network: ") for line in notices
    )


@pytest.mark.parametrize(
    ("group", "vpc_cni", "addresses"),
    [
        (fast_job(), None, 61),
        (fast_job(), WarmPrefixes(), 81),
        (fast_job(), WarmAddresses(), 66),
        (server(kubelet=KubeletTuning(max_pods=20)), WarmInterfaces(), 21),
        (server("m7i.large", "m7i.xlarge"), WarmInterfaces(), 59),
        (server("m7i.large", "m7i.xlarge"), None, 59),
        (server("m7i.4xlarge"), WarmInterfaces(), 111),
        (server("m7i.8xlarge"), WarmInterfaces(), 235),
        (server("m7i.large"), WarmPrefixes(), 129),
        (server("m7i.24xlarge"), WarmInterfaces(), 251),
        (server("m99i.large"), WarmInterfaces(), 111),
    ],
)
def test_h082_a_full_node_takes_the_addresses_of_its_pods(group, vpc_cni, addresses):
    assert addresses == group_addresses(group, TYPES, vpc_cni)


@pytest.mark.parametrize(("vcpus", "addresses"), [(29, 111), (30, 251)])
def test_h082_eks_gives_more_pods_from_thirty_processors_on(vcpus, addresses):
    types = TYPES.including([made_type(vcpus=vcpus)])

    assert addresses == group_addresses(server("m99i.4xlarge"), types, None)


def test_h082_unknown_subnets_are_an_information_and_no_warning():
    assert (
        Notice(
            path="network.subnet_cidrs",
            text="not given, so free addresses are not checked: at their largest the "
            "groups take 810",
            severity="info",
        ),
    ) == review(
        jobs=[fast_job()],
        instance_types=TYPES,
        network=existing(),
        vpc_cni=WarmPrefixes(),
    )


def test_prefix_mode_in_small_subnets_warns():
    small = existing("10.0.0.0/24", "10.0.1.0/25")

    assert [
        "network.subnet_cidrs[1]: 10.0.1.0/25 is smaller than /24: prefix mode needs "
        "whole free blocks of 16 addresses, and it has 8 at most"
    ] == lines(network=small, vpc_cni=WarmPrefixes())
    assert [] == lines(network=small, vpc_cni=WarmInterfaces())


@pytest.mark.parametrize("zones", [2, 6, ("eu-west-1a", "eu-west-1f")])
def test_a_new_network_is_never_too_small_for_prefix_mode(zones):
    assert [] == lines(
        network=NewNetwork(cidr="10.0.0.0/20", zones=zones), vpc_cni=WarmPrefixes()
    )


# Instance types


def test_h046_unknown_types_warn_and_pass():
    group = job("m99i.4xlarge", "m6in.4xlarge", "m98i.4xlarge")

    assert [
        "jobs[0].instance_types: not in the table of instance types: m99i.4xlarge, "
        "m98i.4xlarge; pods, reserved resources and EBS limits are not checked until "
        "the key instance_types of the stack describes them"
    ] == of_job(group)


def test_h046_a_described_type_is_known():
    assert [] == of_job(
        job("m99i.4xlarge", "m6in.4xlarge"),
        instance_types=TYPES.including([made_type(ebs_baseline_mb_per_s=839)]),
    )


def test_h047_a_single_type_warns():
    assert [
        "servers[0].instance_types: only m7i.xlarge: a zone that does not offer it, or "
        "has none left, gives no node; name two types or more of one size"
    ] == lines(servers=[server("m7i.xlarge")])


def test_h084_a_hop_limit_that_reaches_pods_warns():
    assert [
        "servers[0].metadata_hop_limit: metadata_hop_limit=2 lets every pod of the "
        "group take the credentials of the node: give pods a role of their own (Pod "
        "Identity)"
    ] == lines(servers=[server(metadata_hop_limit=2)])


AGENT = "node.cilium.io/agent-not-ready"


@pytest.mark.parametrize("key", [AGENT, "ebs.csi.aws.com/agent-not-ready"])
def test_h090_a_taint_that_goes_and_evicts_warns(key):
    staying = Taint(key="team", effect="NoExecute")
    going = Taint(key=key, value="true", effect="NoExecute", startup=True)
    group = fast_job(taints=(staying, going))

    assert [
        Notice(
            path="jobs[0].taints[1]",
            text=f"{key}=true:NoExecute goes when its agent is ready, and Kubernetes "
            "may then end a job that has just come to the node; NoSchedule holds jobs "
            "back as well and ends none",
        )
    ] == list(review_group("jobs[0]", group, TYPES, None))


def test_h090_a_taint_of_the_start_warns_whatever_its_name():
    group = fast_job(taints=(Taint(key="own", effect="NoExecute", startup=True),))

    assert ["jobs[0].taints[0]"] == [
        one.path for one in review_group("jobs[0]", group, TYPES, None)
    ]


@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute"])
def test_h100_a_taint_that_keeps_every_node_away_warns(effect):
    group = fast_job(taints=(Taint(key=AGENT, effect=effect),))

    assert Notice(
        path="jobs[0].taints[0]",
        text=f"{AGENT}=:{effect} goes when its agent is ready, and until then no "
        "scaler makes a node for jobs that do not tolerate it: set startup: true",
    ) == next(review_group("jobs[0]", group, TYPES, None))


@pytest.mark.parametrize(
    "taint",
    [
        Taint(key=AGENT, effect="NoSchedule", startup=True),
        Taint(key=AGENT, effect="PreferNoSchedule"),
    ],
)
def test_h090_h100_a_taint_that_only_holds_pods_back_is_silent(taint):
    group = fast_job(taints=(taint,))

    assert [] == list(review_group("jobs[0]", group, TYPES, None))


def test_h090_servers_are_started_again_elsewhere():
    group = server(taints=(Taint(key=AGENT, effect="NoExecute"),))

    assert [] == list(review_group("servers[0]", group, TYPES, None))


def test_h051_types_of_different_size_warn_and_name_the_odd_one():
    assert [
        "servers[0].instance_types: m6i.large has 2 vCPU and 8192 MiB, m6i.4xlarge has "
        "16 vCPU and 65536 MiB: the autoscaler plans every node like the first type"
    ] == lines(servers=[server("m6i.4xlarge", "m7i.4xlarge", "m6i.large")])


def test_h051_the_same_processors_with_less_memory_are_odd():
    assert [
        "servers[0].instance_types: c7i.4xlarge has 16 vCPU and 32768 MiB, m7i.4xlarge "
        "has 16 vCPU and 65536 MiB: the autoscaler plans every node like the first type"
    ] == lines(servers=[server("m7i.4xlarge", "c7i.4xlarge")])


# Control plane


@pytest.mark.parametrize(
    ("overrides", "notices"),
    [
        ({}, []),
        (
            {"version": "1.37"},
            [
                "cluster.version: 1.37 is newer than what is known here (up to 1.36): "
                "whether EKS offers it, and until when, is not checked"
            ],
        ),
        (
            {"version": "1.33"},
            [
                "cluster.version: 1.33 left standard support on 2026-07-29: with "
                "support STANDARD EKS upgrades the cluster by itself"
            ],
        ),
        (
            {"version": "1.32", "support": "EXTENDED"},
            [
                "cluster.version: 1.32 left standard support on 2026-03-23: with "
                "support EXTENDED EKS charges extended support until 2027-03-23"
            ],
        ),
        (
            {"public_access_cidrs": ("203.0.113.0/24", "0.0.0.0/0")},
            [
                "cluster.public_access_cidrs[1]: 0.0.0.0/0 lets 4294967296 addresses "
                "of the internet reach the API server: name the networks of your "
                "people and CI"
            ],
        ),
        (
            {"public_access_cidrs": ("128.0.0.0/7", "8.0.0.0/8", "10.0.0.0/8")},
            [
                "cluster.public_access_cidrs[0]: 128.0.0.0/7 lets 33554432 addresses "
                "of the internet reach the API server: name the networks of your "
                "people and CI",
                "cluster.public_access_cidrs[2]: 10.0.0.0/8 is a private range: the "
                "public endpoint only ever sees public addresses",
            ],
        ),
        (
            {"scheduler": SchedulerScoring()},
            [
                "cluster.scheduler: MostAllocated holds for the whole cluster: pods of "
                "servers crowd together too"
            ],
        ),
        (
            {"scheduler": SchedulerScoring(strategy="LeastAllocated")},
            [
                "cluster.scheduler: LeastAllocated holds for the whole cluster: pods "
                "of jobs spread too, and nodes empty late"
            ],
        ),
    ],
)
def test_the_control_plane_is_reviewed(overrides, notices):
    assert notices == lines(cluster=cluster(**overrides))


def test_a_private_endpoint_says_where_pulumi_must_run():
    named = cluster(public_access_cidrs=(), private_access_cidrs=("10.8.0.0/24",))

    assert (
        Notice(
            path="cluster.public_access_cidrs",
            text="the API server has a private address alone: `pulumi up` must come "
            "from 10.8.0.0/24 to create Kubernetes objects",
            severity="info",
        ),
    ) == review(cluster=named, instance_types=TYPES)


def test_a_private_endpoint_that_lets_nobody_in_is_a_warning():
    assert [
        "cluster.public_access_cidrs: the API server answers nodes and pods alone: "
        "`pulumi up` must run in a pod to create Kubernetes objects; let a VPN, a "
        "runner or a host in the VPC in by private_access_cidrs"
    ] == lines(cluster=cluster(public_access_cidrs=()))


# VPC CNI


THROTTLED = (
    "vpc_cni: kind addresses with warm_ip_target=5 calls EC2 for almost every pod that "
    "starts or ends, on every node of the cluster, and EC2 throttles: kind prefixes "
    "calls once for 16 pods"
)


@pytest.mark.parametrize(
    ("vpc_cni", "notices"),
    [
        (None, []),
        (WarmPrefixes(), []),
        (WarmInterfaces(), []),
        (WarmAddresses(), [THROTTLED]),
        (
            WarmAddresses(minimum_ip_target=59),
            [
                THROTTLED,
                "vpc_cni.minimum_ip_target: minimum_ip_target=59 is below max_pods=60: "
                "a burst on a new node waits for addresses",
            ],
        ),
    ],
)
def test_h077_single_addresses_on_a_job_cluster_warn(vpc_cni, notices):
    assert notices == lines(jobs=[fast_job()], vpc_cni=vpc_cni)


# The whole


def everything():
    return {
        "servers": [server("m7i.xlarge"), server("t3.small", name="small")],
        "jobs": [job("m7i.4xlarge"), fast_job(name="job-arm", volume=BASELINE)],
        "network": existing("10.0.0.0/26", "10.0.1.0/26"),
        "cluster": cluster(version="1.37", public_access_cidrs=("0.0.0.0/0",)),
        "vpc_cni": WarmAddresses(),
        "instance_types": TYPES,
    }


def test_notices_follow_the_order_of_the_stack_file():
    assert [
        "network",
        "cluster.version",
        "cluster.public_access_cidrs[0]",
        "vpc_cni",
        "servers[0].instance_types",
        "servers[1].instance_types",
        "jobs[0].instance_types",
        "jobs[0].volume",
        "jobs[1].volume",
    ] == [notice.path for notice in review(**everything())]


def test_equal_settings_give_equal_notices():
    assert review(**everything()) == review(**everything())


def test_one_group_can_be_reviewed_under_a_path_of_its_own():
    notices = review_group("workers", job("m7i.4xlarge"), TYPES, None)

    assert ["workers.instance_types", "workers.volume"] == [
        notice.path for notice in notices
    ]


SIZES = ("m7i.4xlarge", "m7i.8xlarge")


def by_scaler(scaler, **overrides) -> list[str]:
    groups = (JobGroup(name="job", architecture="amd64", **overrides),)
    found = review(jobs=groups, instance_types=InstanceTypes.bundled(), scaler=scaler)
    return [one.path for one in found]


@pytest.mark.parametrize(
    ("scaler", "named"),
    [("cluster-autoscaler", True), ("karpenter", False), ("auto-mode", False)],
)
def test_h051_only_one_scaler_plans_with_the_first_type(scaler, named):
    paths = by_scaler(scaler, instance_types=SIZES)

    assert named == ("jobs[0].instance_types" in paths)


@pytest.mark.parametrize(
    ("scaler", "named"), [("karpenter", True), ("auto-mode", False)]
)
def test_h086_limits_that_auto_mode_does_not_take_are_not_measured(scaler, named):
    tuning = KubeletTuning(max_pods=250)
    paths = by_scaler(scaler, instance_types=("m7i.large", "m6i.large"), kubelet=tuning)

    assert named == ("jobs[0].kubelet.max_pods" in paths)
