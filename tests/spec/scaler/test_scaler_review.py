"""What is accepted and worth a notice."""

from dataclasses import replace

import pytest

from components.spec.groups import Size, UserDataPart
from components.spec.labels import Taint
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler, ScaleDown
from components.spec.scaler.karpenter import Karpenter, ServerPool
from components.spec.scaler.pool import Budget, PoolRules
from components.spec.scaler.scaler_review import review_scaler
from components.spec.volume import Gp3Volume
from tests.spec.scaler.builders import job, server

ONE = ("m7i.4xlarge",)
MORE = ServerPool(name="more", architecture="amd64", instance_types=("m7i.xlarge",))
KEY = Gp3Volume(kms_key_id="alias/k")
DROP_IN = UserDataPart(
    kind="shell", content="#!/bin/bash\necho x > /etc/eks/nodeadm.d/90.yaml\n"
)


def notices(scaler, severity="warning", **overrides):
    found = review_scaler(
        scaler,
        **{
            "servers": (server(),),
            "jobs": (job(instance_types=ONE, longest_job="6h"),),
            "cluster_version": "1.36",
        }
        | overrides,
    )
    return [str(one) for one in found if one.severity == severity]


def of_keys(scaler, **overrides):
    return [line for line in notices(scaler, **overrides) if "kms_key_id" in line]


def key_text(user):
    return (
        f"the policy of the key must let {user} use it and create grants, or no node "
        "starts"
    )


@pytest.mark.parametrize("scaler", [Karpenter(), ClusterAutoscaler()])
def test_defaults_give_no_warning(scaler):
    assert [] == notices(scaler)


@pytest.mark.parametrize(
    ("scaler", "overrides", "text"),
    [
        (
            Karpenter(),
            {"cluster_version": "1.38"},
            "scaler.version: whether Karpenter 1.15.1 serves Kubernetes 1.38 is not "
            "known here (up to 1.37)",
        ),
        (
            Karpenter(ami_alias="al2023@latest"),
            {},
            "scaler.ami_alias: al2023@latest replaces every node whenever AWS releases "
            "an image: name a release",
        ),
        (
            Karpenter(),
            {"servers": (server(size=Size(min=1, max=3)),)},
            "scaler.replicas: 2 replicas want a node each, server groups without "
            "taints keep 1: the rest waits; raise size.min or lower replicas",
        ),
        (
            Karpenter(feature_gates={"nodeRepair": True}),
            {},
            "scaler.feature_gates[nodeRepair]: a node that is taken for broken goes "
            "with its jobs, whatever their annotations say",
        ),
        (
            Karpenter(pools={"job": PoolRules(capacity_types=("spot",))}),
            {},
            "scaler.pools[job].capacity_types: spot: AWS takes nodes back with two "
            "minutes' notice, and no annotation keeps a job; an account that never had "
            "one needs the role of spot first: aws iam create-service-linked-role "
            "--aws-service-name spot.amazonaws.com",
        ),
        (
            Karpenter(),
            {"jobs": (job(instance_types=ONE, user_data=(DROP_IN,)),)},
            "jobs[0].user_data[0]: writes below /etc/eks/nodeadm.d, which wins over "
            "Karpenter: when it changes pods or reserved resources, nodes come that "
            "fit no pod",
        ),
        (
            ClusterAutoscaler(scale_down_delay_after_add="4m"),
            {},
            "scaler.scale_down_delay_after_add: 4m is below 5m: a node may go before "
            "the jobs that it was made for have started on it",
        ),
        (
            ClusterAutoscaler(options={"job": ScaleDown(unneeded_time="1m")}),
            {},
            "scaler.options[job].unneeded_time: 1m is below 5m: a node goes in a short "
            "gap between two jobs, and comes again",
        ),
        (
            ClusterAutoscaler(options={"job": ScaleDown(utilization_threshold=0.5)}),
            {},
            "scaler.options[job].utilization_threshold: below 0.5 jobs are moved: only "
            "their annotation keeps them",
        ),
        (
            ClusterAutoscaler(options={"job": ScaleDown(ignore_daemonsets=False)}),
            {},
            "scaler.options[job].ignore_daemonsets: false: with the pods of DaemonSets "
            "an empty node may count as used, and stay for ever",
        ),
        (
            ClusterAutoscaler(groups="managed"),
            {},
            "scaler.groups: managed: an update of a node group evicts its jobs, "
            "whatever their annotations say, and each has its own grace period, 30 "
            "seconds by default; update when none runs",
        ),
    ],
)
def test_names_what_a_setting_costs(scaler, overrides, text):
    assert [text] == notices(scaler, **overrides)


def test_h098_a_short_time_to_join_is_refused_or_warns():
    """The autoscaler ends what has not joined by then, and buys it anew."""
    with pytest.raises(ValueError, match="max_node_provision_time must be 2m or long"):
        ClusterAutoscaler(max_node_provision_time="30s")

    assert [
        "scaler.max_node_provision_time: 2m is below 5m: an instance that boots slowly "
        "is ended before it joins, and so is the one that comes in its place"
    ] == notices(ClusterAutoscaler(max_node_provision_time="2m"))
    assert [] == notices(ClusterAutoscaler(max_node_provision_time="5m"))


def test_h097_managed_groups_are_said_to_end_jobs_when_they_are_updated():
    """They are not said to wait: what EKS retries is an eviction that is refused."""
    (text,) = notices(ClusterAutoscaler(groups="managed"))

    assert "evicts its jobs, whatever their annotations say" in text
    assert [] == notices(ClusterAutoscaler(groups="managed"), jobs=[])
    assert [] == notices(ClusterAutoscaler())


def test_a_taint_that_evicts_reaches_nodes_of_managed_groups():
    evicts = Taint(key="team", value="x", effect="NoExecute")
    starting = Taint(key="own", effect="NoExecute", startup=True)
    jobs = (job(instance_types=ONE, taints=(Taint(key="gpu"), evicts, starting)),)
    said = (
        "jobs[0].taints[1]: team=x:NoExecute: EKS gives taints of a managed group to "
        "nodes that run as well, and this one ends jobs there that do not tolerate it; "
        "add it when none runs"
    )

    assert said == notices(ClusterAutoscaler(groups="managed"), jobs=jobs)[0]
    assert [] == notices(ClusterAutoscaler(), jobs=jobs)


def test_h100_an_autoscaler_of_ones_own_must_hear_of_taints_of_the_start():
    jobs = (job(instance_types=ONE, taints=(Taint(key="own", startup=True),)),)

    assert [
        "jobs[0].taints[0]: give your own Cluster Autoscaler the flag "
        "--startup-taint=own, or it makes a second node for jobs that wait for the "
        "first"
    ] == notices(ClusterAutoscaler(install=False), jobs=jobs)
    assert [] == notices(ClusterAutoscaler(), jobs=jobs)


@pytest.mark.parametrize(
    ("scaler", "user"),
    [
        (Karpenter(), "the role of the controller"),
        (AutoMode(), "the role of the cluster"),
        (ClusterAutoscaler(), "the role AWSServiceRoleForAutoScaling"),
        (ClusterAutoscaler(groups="managed"), "the role AWSServiceRoleForAutoScaling"),
    ],
)
def test_whoever_launches_jobs_must_be_let_use_their_key(scaler, user):
    jobs = (job(instance_types=ONE, volume=KEY, longest_job="6h"),)

    assert [f"jobs[0].volume.kms_key_id: {key_text(user)}"] == of_keys(
        scaler, jobs=jobs
    )


@pytest.mark.parametrize("scaler", [Karpenter(), AutoMode(), ClusterAutoscaler()])
def test_ec2_auto_scaling_must_be_let_use_the_key_of_servers(scaler):
    text = key_text("the role AWSServiceRoleForAutoScaling")

    assert [f"servers[1].volume.kms_key_id: {text}"] == of_keys(
        scaler, servers=(server(), server(name="more", volume=KEY))
    )


def test_karpenter_must_be_let_use_the_key_of_its_servers():
    scaler = Karpenter(server_pools=(MORE, replace(MORE, name="own", volume=KEY)))

    assert [
        "scaler.server_pools[1].volume.kms_key_id: "
        f"{key_text('the role of the controller')}"
    ] == of_keys(scaler)


def test_h086_auto_mode_names_the_defaults_that_it_does_not_apply():
    assert [
        "jobs[0].kubelet: EKS Auto Mode does not apply the defaults "
        "kubelet.max_pods=60, kubelet.registry_pull_qps=40, kubelet.registry_burst=60, "
        "kubelet.runtime_request_timeout=15m: it decides itself, 110 pods at most"
    ] == notices(AutoMode())


def test_auto_mode_ends_jobs_that_nobody_announced():
    assert notices(
        AutoMode(pools={"job": PoolRules(budgets=(Budget(nodes="10%"),))}),
        jobs=(job(instance_types=ONE),),
    )[1:] == [
        "jobs[0].longest_job: not given: EKS Auto Mode ends jobs 24h after their node "
        "began to drain, and it drains for new images about every week",
        "scaler.pools[job].budgets: none for Drifted: new images drain nodes at any "
        "hour, about every week",
    ]


def test_h071_what_can_hold_up_a_destroy_is_said():
    assert notices(Karpenter(), "info", jobs=(job(),)) == [
        "scaler.preference_policy: Ignore holds for the whole cluster: preferred "
        "affinity and ScheduleAnyway spreads of servers are not planned for either",
        "scaler.server_pools: none: Karpenter does not scale the managed groups of "
        "servers, which stay at size.min",
        "jobs[0].longest_job: not given: a node that drains waits for its jobs without "
        "an end, one that hangs keeps its node and holds up `pulumi destroy`",
        "jobs[0].instance_types: the cheapest type that fits is bought, whatever their "
        "order",
    ]


def test_a_team_that_runs_karpenter_already_hears_nothing_about_its_controller():
    scaler = Karpenter(install=False, server_pools=(MORE,))

    assert [] == notices(scaler, "info")


def stored(strategy):
    return UserDataPart(
        kind="node-config",
        content="apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"
        f"spec: {{instance: {{localStorage: {{strategy: {strategy}}}}}}}\n",
    )


@pytest.mark.parametrize("strategy", ["RAID0", "RAID10"])
def test_an_autoscaler_that_does_not_know_the_disk_of_pods_is_told(strategy):
    group = job(instance_types=ONE, user_data=(stored(strategy),))

    assert [
        f"jobs[0].user_data: {strategy} moves pods to the disks of the instance, and "
        "while the group has no node the autoscaler plans with the root volume of "
        f"{group.volume.size_gib} GiB"
    ] == notices(ClusterAutoscaler(), jobs=(group,))


def test_karpenter_knows_one_kind_of_array():
    group = job(instance_types=ONE, longest_job="6h", user_data=(stored("RAID10"),))
    pool = replace(MORE, user_data=(stored("RAID10"),))
    text = (
        "RAID10 moves pods to the disks of the instance, and Karpenter plans with the "
        "root volume of {} GiB: with RAID0 it plans with the disks"
    )

    assert [
        "scaler.server_pools[0].user_data: " + text.format(pool.volume.size_gib),
        "jobs[0].user_data: " + text.format(group.volume.size_gib),
    ] == notices(Karpenter(server_pools=(pool,)), jobs=(group,))


@pytest.mark.parametrize(
    ("scaler", "strategy"),
    [
        (Karpenter(), "RAID0"),
        (Karpenter(), "Mount"),
        (ClusterAutoscaler(), "Mount"),
    ],
)
def test_disks_that_are_planned_with_or_beside_the_pods_are_no_news(scaler, strategy):
    group = job(instance_types=ONE, longest_job="6h", user_data=(stored(strategy),))

    assert [] == notices(scaler, jobs=(group,))
