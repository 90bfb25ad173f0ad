"""What the scalers refuse together with the groups, as a stack file shows it."""

import re
from dataclasses import dataclass, replace

import pulumi
import pytest

from components.spec.groups import Size, UserDataPart
from components.spec.kubelet import KubeletTuning
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler, ScaleDown
from components.spec.scaler.karpenter import Karpenter, ServerPool
from components.spec.scaler.pool import PoolRules
from components.spec.scaler.settings import (
    Scaler,
    controller_version,
    validate_retiring,
    validate_scaler,
)
from components.spec.volume import Gp3Volume
from infra import reader
from tests.spec.scaler.builders import job, server

EVERY = [
    Karpenter(),
    ClusterAutoscaler(),
    ClusterAutoscaler(groups="managed"),
    AutoMode(),
]
JOBS = (job(), job(architecture="arm64"))
OWN_TEAM = job(architecture="arm64", tags={"Team": "ml"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Holder:
    scaler: Scaler = Karpenter()


def validate(scaler, **overrides):
    validate_scaler(
        scaler,
        **{"servers": (server(),), "jobs": JOBS, "cluster_version": "1.36", "zones": 3}
        | overrides,
    )


def read(scaler):
    return reader.build(Holder, "", {"scaler": scaler}).scaler


@pytest.mark.parametrize("scaler", EVERY, ids=lambda one: one.kind)
def test_the_same_job_groups_drive_every_scaler(scaler):
    jobs = (job(longest_job="6h"), job(architecture="arm64", longest_job="90m"))
    validate(scaler, jobs=jobs)


def test_the_oldest_karpenter_that_serves_the_cluster_passes():
    validate(Karpenter(version="1.13.0"))


def test_a_managed_group_may_have_one_node_for_each_zone():
    validate(ClusterAutoscaler(groups="managed"), jobs=(job(size=Size(max=3)),))


@pytest.mark.parametrize("kind", ["karpenter", "cluster-autoscaler", "auto-mode"])
def test_the_kind_alone_chooses_a_scaler(kind):
    assert kind == read({"kind": kind}).kind


def test_a_stack_file_reaches_every_value():
    assert Karpenter(
        version="1.14.1",
        feature_gates={"capacityBuffer": True},
        pools={"job": PoolRules(consolidate_after="15m")},
        server_pools=(
            ServerPool(
                name="more", architecture="amd64", instance_types=("m7i.xlarge",)
            ),
        ),
    ) == read(
        {
            "kind": "karpenter",
            "version": "1.14.1",
            "feature_gates": {"capacityBuffer": True},
            "pools": {"job": {"consolidate_after": "15m"}},
            "server_pools": [
                {
                    "name": "more",
                    "architecture": "amd64",
                    "instance_types": ["m7i.xlarge"],
                }
            ],
        }
    )


@pytest.mark.parametrize(
    ("scaler", "message"),
    [
        (
            {"kind": "karpenter", "pools": {"job": {"expire_after": "14d"}}},
            "scaler.pools.job: expire_after must be hours, minutes and seconds such as "
            "6h or 1h30m, or Never, got expire_after=14d: there are no days, write "
            "336h",
        ),
        (
            {"kind": "auto-mode", "node_pools": ["sytem"]},
            "scaler.node_pools[0]: expected one of general-purpose, system, got "
            '"sytem"',
        ),
        (
            {"kind": "cluster-autoscaler", "replica": 1},
            "scaler.replica: unknown key, expected one of kind, version, install, "
            "groups, priorities, options, warm_pool, scale_down_delay_after_add, "
            "max_node_provision_time, replicas, resources; did you mean replicas?",
        ),
    ],
)
def test_a_bad_value_names_its_place_in_the_file(scaler, message):
    with pytest.raises(pulumi.RunError) as caught:
        read(scaler)

    assert message == str(caught.value)


SCRIPT = UserDataPart(kind="shell", content="#!/bin/bash\nuptime\n")
FLAG = UserDataPart(
    kind="node-config",
    content="apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"
    "spec: {kubelet: {flags: [--eviction-hard=memory.available<1Gi]}}\n",
)


@pytest.mark.parametrize(
    ("scaler", "overrides", "message"),
    [
        (
            Karpenter(version="1.12.0"),
            {},
            "scaler: version must be 1.13.0 or newer for Kubernetes 1.36, "
            "got version=1.12.0",
        ),
        (
            Karpenter(pools={"jobs": PoolRules()}),
            {},
            "scaler: pools must name job groups (job, job-arm), got jobs",
        ),
        (
            Karpenter(pools={"job": PoolRules(termination_grace_period="1h")}),
            {"jobs": (job(longest_job="6h"),)},
            "jobs[0]: termination_grace_period must be at least the longest_job, which "
            "drift and expiry would end by force, got termination_grace_period=1h, "
            "longest_job=6h",
        ),
        (
            Karpenter(),
            {"jobs": (job(size=Size(min=1, max=2)),)},
            "jobs[0]: size.min must be 0 with Karpenter, which keeps no empty nodes, "
            "got size.min=1: use scaler kind cluster-autoscaler, or balloons, for "
            "capacity that waits",
        ),
        (
            Karpenter(),
            {"jobs": (job(labels={"sub.karpenter.sh/group": "job"}),)},
            "jobs[0]: labels must leave out sub.karpenter.sh/group: domains that end "
            "with karpenter.sh belong to Karpenter",
        ),
        (
            Karpenter(),
            {"jobs": (job(tags={"karpenter.k8s.aws/ec2nodeclass": "x"}),)},
            "jobs[0]: tags must leave out karpenter.k8s.aws/ec2nodeclass, which "
            "Karpenter sets itself",
        ),
        (
            Karpenter(),
            {"jobs": (job(user_data=(FLAG,)),)},
            "jobs[0]: user_data must leave out the flag --eviction-hard, which "
            "Karpenter does not see, set spec.kubelet.config.evictionHard",
        ),
        (
            Karpenter(),
            {"jobs": (job(volume=Gp3Volume(size_gib=60_000)),)},
            "jobs[0]: volume.size_gib must be at most 59000 with Karpenter, "
            "got size_gib=60000",
        ),
        (
            Karpenter(
                server_pools=(
                    ServerPool(
                        name="server",
                        architecture="amd64",
                        instance_types=("m7i.xlarge",),
                    ),
                )
            ),
            {},
            "scaler.server_pools[0]: name must be used once, got name=server",
        ),
        (
            ClusterAutoscaler(version="1.35.2"),
            {},
            "scaler: version must be of the cluster's minor 1.36, got version=1.35.2",
        ),
        (
            ClusterAutoscaler(install=False, version="1.35.2"),
            {},
            "scaler: version must be of the cluster's minor 1.36, got version=1.35.2",
        ),
        (
            ClusterAutoscaler(priorities=("jobs",)),
            {},
            "scaler: priorities must name job groups (job, job-arm), got jobs",
        ),
        (
            ClusterAutoscaler(options={"jobs": ScaleDown()}),
            {},
            "scaler: options must name job groups (job, job-arm), got jobs",
        ),
        (
            ClusterAutoscaler(groups="managed"),
            {"jobs": (job(size=Size(max=2)),)},
            "jobs[0]: size.max must be at least 3, one node for each zone of a managed "
            "group, got size.max=2",
        ),
        (
            AutoMode(pools={"job": PoolRules(expire_after="Never")}),
            {},
            "jobs[0]: expire_after must be a duration with EKS Auto Mode, where a node "
            "lives 504h at most, got expire_after=Never",
        ),
        (
            AutoMode(),
            {"jobs": (job(kubelet=KubeletTuning(max_pods=30), user_data=(SCRIPT,)),)},
            "jobs[0]: EKS Auto Mode cannot set the kubelet, the image or user data of "
            "a node: leave out kubelet.max_pods=30, user_data (1 parts), or choose "
            "scaler kind karpenter",
        ),
        (
            AutoMode(),
            {"jobs": (job(name="system"),)},
            "jobs[0]: name must not be that of a pool of EKS Auto Mode "
            "(general-purpose, system), got name=system",
        ),
        (
            AutoMode(pools={"jobs": PoolRules()}),
            {"jobs": ()},
            "scaler: pools must name job groups (there are none), got jobs",
        ),
    ],
)
def test_refuses_with_path_value_and_way_out(scaler, overrides, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        validate(scaler, **overrides)


def test_all_problems_are_named_in_the_order_of_the_file():
    with pytest.raises(ValueError, match=r"^scaler: .*\njobs\[0\]: .*\njobs\[1\]: .*$"):
        validate(
            Karpenter(version="1.12.0"),
            jobs=tuple(
                job(architecture=one, size=Size(min=1, max=2))
                for one in ("amd64", "arm64")
            ),
        )


@pytest.mark.parametrize(
    ("scaler", "expected"),
    [
        (Karpenter(version="1.14.1"), "1.14.1"),
        (ClusterAutoscaler(), "1.36.1"),
        (ClusterAutoscaler(install=False), None),
        (ClusterAutoscaler(install=False, version="1.36.0"), "1.36.0"),
        (AutoMode(), None),
    ],
)
def test_the_version_that_protection_depends_on(scaler, expected):
    assert expected == controller_version(scaler, "1.36")


@pytest.mark.parametrize("scaler", [Karpenter(), AutoMode()], ids=lambda one: one.kind)
def test_tags_of_the_stack_that_karpenter_sets_itself_are_refused(scaler):
    message = (
        "tags: tags must leave out kubernetes.io/clusters, which Karpenter sets itself"
    )

    with pytest.raises(ValueError, match=f"^{message}$"):
        validate(scaler, tags={"kubernetes.io/clusters": "x", "team": "data"})


@pytest.mark.parametrize("scaler", EVERY, ids=lambda one: one.kind)
def test_h087_keys_of_stack_and_group_must_differ_by_more_than_case(scaler):
    text = (
        "tags must have keys that differ by more than case (IAM takes both for one "
        "key), got team and Team"
    )
    groups = {"servers": (server(tags={"Team": "web"}),), "jobs": (job(), OWN_TEAM)}

    with pytest.raises(ValueError, match=".") as caught:
        validate(scaler, tags={"team": "data"}, **groups)

    assert [f"servers[0]: {text}", f"jobs[1]: {text}"] == str(caught.value).splitlines()


def test_h087_pools_of_servers_have_the_keys_of_the_stack_too():
    pool = ServerPool(
        name="more",
        architecture="amd64",
        instance_types=("m7i.xlarge",),
        tags={"Team": "web"},
    )
    message = re.escape(
        "scaler.server_pools[0]: tags must have keys that differ by more than case "
        "(IAM takes both for one key), got team and Team"
    )

    with pytest.raises(ValueError, match=f"^{message}$"):
        validate(Karpenter(server_pools=(pool,)), tags={"team": "data"})


@pytest.mark.parametrize("scaler", EVERY, ids=lambda one: one.kind)
def test_h087_the_name_of_nodes_has_one_spelling(scaler):
    message = re.escape(
        "tags: tags must spell Name as this library does (IAM takes both for one key), "
        "got name"
    )

    validate(scaler, tags={"Name": "x"})
    with pytest.raises(ValueError, match=f"^{message}$"):
        validate(scaler, tags={"name": "x"})


@pytest.mark.parametrize("groups", ["self-managed", "managed"])
def test_groups_of_the_autoscaler_have_no_driver_for_gpus(groups):
    scaler = ClusterAutoscaler(groups=groups)
    gpu = job(name="gpu", instance_types=("m7i.4xlarge", "g6.4xlarge", "g5.4xlarge"))
    message = re.escape(
        "jobs[1]: instance_types must be without GPUs and Neuron chips, for which the "
        "standard image has no driver, got g6.4xlarge, g5.4xlarge: name an image that "
        "has it in ami_id, or choose scaler kind karpenter or auto-mode"
    )

    validate(scaler, jobs=(replace(gpu, ami_id="ami-01234567"),))
    with pytest.raises(ValueError, match=f"^{message}$"):
        validate(scaler, jobs=(job(), gpu))


@pytest.mark.parametrize("scaler", [Karpenter(), AutoMode()], ids=lambda one: one.kind)
def test_scalers_that_choose_the_image_by_the_type_take_gpus(scaler):
    validate(scaler, jobs=(job(instance_types=("g6.4xlarge",), longest_job="6h"),))


def test_a_scaler_retires_while_another_is_in_use():
    validate_retiring(Karpenter(), ClusterAutoscaler())
    message = "kind must differ from that of scaler, got kind=karpenter"

    with pytest.raises(ValueError, match=f"^{message}$"):
        validate_retiring(Karpenter(), Karpenter(version="1.14.1"))


@pytest.mark.parametrize(
    ("scaler", "retiring"), [(Karpenter(), AutoMode()), (AutoMode(), Karpenter())]
)
def test_two_scalers_never_own_one_pool(scaler, retiring):
    message = (
        "kind must be cluster-autoscaler, since EKS Auto Mode and Karpenter would both "
        f"own the pools of a group, got kind={retiring.kind}: change to "
        "cluster-autoscaler first"
    )

    with pytest.raises(ValueError, match=f"^{message}$"):
        validate_retiring(scaler, retiring)
