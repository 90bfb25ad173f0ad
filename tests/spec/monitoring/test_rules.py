"""Rules as text: names, labels, what is left out, and equal bytes."""

import re
from dataclasses import replace

import pytest
import yaml

from components.spec.groups import Size
from components.spec.monitoring.manifests import (
    kube_state_metrics_labels,
    prometheus_rule,
    rule_file,
    rule_groups,
)
from components.spec.monitoring.promql import names
from components.spec.monitoring.recordings import recording_groups
from components.spec.monitoring.settings import Monitoring
from components.spec.monitoring.thresholds import ALERTS, Thresholds
from tests.spec.monitoring.builders import SCALERS, rules, scope, watch
from tests.spec.scaler.builders import job

NAME = re.compile(
    r"(cluster|owner|namespace_owner|group|group_owner|node|pod)"
    r":eks_jobs_[a-z0-9_]+:[a-z0-9_]+"
)
ARTICLE = (
    "group:eks_jobs_nodes:avg1d",
    "group_owner:eks_jobs_pending_seconds:avg",
    "group_owner:eks_jobs_pending_seconds:p99",
    "group_owner:eks_jobs_pending_seconds:max",
    "group:eks_jobs_image_pull_seconds:avg1h",
    "group_owner:eks_jobs_running_seconds:avg",
    "node:eks_jobs_pleg_relist_seconds:p99",
    "node:eks_jobs_pods_started:rate5m",
)


def recorded(*scalers, **settings):
    found = scope(*scalers, **settings)
    return [rule for group in recording_groups(found) for rule in group.rules]


@pytest.mark.parametrize("scaler", SCALERS)
def test_names_say_level_metric_and_operation(scaler):
    assert [] == [one.name for one in recorded(scaler) if not NAME.fullmatch(one.name)]


@pytest.mark.parametrize("scaler", SCALERS)
def test_every_figure_of_the_article_has_a_name(scaler):
    assert set(ARTICLE) <= {one.name for one in recorded(scaler)}


def test_every_figure_says_what_it_means_and_in_which_unit():
    units = {"short", "s", "h", "percentunit"}

    assert [] == [
        one.name for one in recorded() if not one.meaning or one.unit not in units
    ]


@pytest.mark.parametrize("scaler", SCALERS)
def test_a_rule_reads_only_what_was_recorded_before_it(scaler):
    seen: set[str] = set()
    early = []
    for rule in rules(rule_groups(Monitoring(), watch(scaler))):
        needed = {name for name in names(rule["expr"]) if ":" in name}
        early += [(rule, name) for name in needed - seen]
        seen.add(rule.get("record", ""))

    assert [] == early


@pytest.mark.parametrize("scaler", SCALERS)
def test_groups_are_as_small_as_managed_prometheus_wants_them(scaler):
    groups = rule_groups(Monitoring(), watch(scaler))

    assert [] == [one["name"] for one in groups if len(one["rules"]) > 20]
    assert len(groups) == len({one["name"] for one in groups})


def test_many_groups_of_jobs_make_more_groups_of_rules():
    jobs = watch().groups
    many = tuple(jobs[0] for _ in range(15))
    found = scope().watched.__class__(
        cluster="prod", groups=many, scalers=("karpenter",), pods=watch().pods
    )
    groups = rule_groups(Monitoring(), found)

    assert ["eks-jobs-nodes", "eks-jobs-nodes-2", "eks-jobs-nodes-3"] == [
        one["name"] for one in groups
    ][:3]


@pytest.mark.parametrize(
    ("scaler", "missing"),
    [
        ("karpenter", set()),
        ("cluster-autoscaler", {"JobNodeOverItsExpiry"}),
        ("auto-mode", {"JobScaleUpsFailing"}),
    ],
)
def test_alerts_exist_where_their_scaler_tells_enough(scaler, missing):
    found = rules(rule_groups(Monitoring(), watch(scaler)))

    assert set(ALERTS) - missing == {one["alert"] for one in found if "alert" in one}


@pytest.mark.parametrize(
    ("fixed", "asked"),
    [
        ((), ['group:eks_jobs_limit:ratio{cluster="prod"} >= 1.0']),
        (
            ("job",),
            ['group:eks_jobs_limit:ratio{cluster="prod",group="job-arm"} >= 1.0'],
        ),
        (("job", "job-arm"), []),
    ],
)
def test_a_group_of_one_size_is_not_told_to_be_at_its_limit(fixed, asked):
    five = Size(min=5, max=5)
    groups = [job(), job(architecture="arm64")]
    jobs = [replace(one, size=five) if one.name in fixed else one for one in groups]
    found = watch("cluster-autoscaler", jobs=jobs)

    assert asked == [
        one["expr"]
        for one in rules(rule_groups(Monitoring(), found))
        if one.get("alert") == "JobGroupAtItsLimit"
    ]


def test_without_a_policy_nothing_asks_for_its_label():
    text = rule_file(Monitoring(), watch(policy=None))

    assert "JobPolicyNotApplied" not in text
    assert "label_eks_jobs_workload" not in text
    assert "policy_misses" not in text


@pytest.mark.parametrize(
    ("scaler", "counted"),
    [("karpenter", True), ("auto-mode", True), ("cluster-autoscaler", False)],
)
def test_h095_jobs_that_a_drain_ends_count_as_interrupted(scaler, counted):
    """How they are told is in tests/cluster/rule_cases.py."""
    rule = next(
        one for one in recorded(scaler) if one.name == "pod:eks_jobs_interrupted:info"
    )
    read = {"kube_pod_deletion_timestamp", "kube_node_spec_taint"}

    assert (read if counted else set()) == read & set(names(rule.expr))
    assert counted is ('"EndOfDrain"' in rule.expr)


@pytest.mark.parametrize(
    ("interval", "window"), [("1s", "1m1s"), ("1m", "2m"), ("2m", "3m")]
)
def test_h095_a_job_told_between_two_looks_of_the_rules_is_seen(interval, window):
    rule = next(
        one
        for one in recorded("karpenter", interval=interval)
        if one.name == "pod:eks_jobs_interrupted:info"
    )

    assert f"[{window}:15s]" in rule.expr
    assert f"[{window}]" in rule.expr


@pytest.mark.parametrize("scaler", SCALERS)
def test_h096_pods_that_a_gate_holds_back_wait_for_no_node(scaler):
    """How they are told is in tests/cluster/rule_cases.py."""
    gated = 'unless on (uid) (kube_pod_status_reason{reason="SchedulingGated"} == 1)'
    rules = {one.name: one.expr for one in recorded(scaler)}

    assert gated in rules["owner:eks_jobs_pods_unschedulable:count"]
    assert gated in rules["owner:eks_jobs_unschedulable_seconds:max"]


@pytest.mark.parametrize(
    ("unschedulable", "window"), [("15m", "1h15m"), ("90m", "2h30m"), ("48h", "49h")]
)
def test_h096_a_gate_is_remembered_longer_than_a_pod_may_wait(unschedulable, window):
    limits = Thresholds(unschedulable=unschedulable)
    rule = next(
        one
        for one in recorded(thresholds=limits)
        if one.name == "owner:eks_jobs_unschedulable_seconds:max"
    )

    assert f"[{window}:1m]" in rule.expr


def test_without_balloons_nothing_counts_them():
    text = rule_file(Monitoring(), watch(balloon_classes=()))

    assert "eks_jobs_balloon" not in text


def test_muted_alerts_are_left_out():
    text = rule_file(Monitoring(muted=("JobPackingPoor",)), watch())

    assert "JobPackingPoor" not in text
    assert "JobNodeKeptByOnePod" in text


def test_alerts_carry_the_labels_of_the_team_and_of_the_cluster():
    settings = Monitoring(alert_labels={"team": "data"})
    found = [one for one in rules(rule_groups(settings, watch())) if "alert" in one]

    assert [{"team": "data", "cluster": "prod"}] * len(found) == [
        {key: one["labels"][key] for key in ("team", "cluster")} for one in found
    ]


def test_no_label_of_the_team_replaces_one_that_an_alert_speaks_of():
    text = rule_file(Monitoring(), watch("karpenter", "cluster-autoscaler"))
    spoken = set(re.findall(r"\$labels\.(\w+)", text))

    assert {"group", "missing", "namespace", "node", "owner_kind", "reason"} == spoken
    for label in spoken:
        with pytest.raises(ValueError, match=label):
            Monitoring(alert_labels={label: "x"})


def test_thresholds_reach_the_alerts():
    settings = Monitoring(
        thresholds=Thresholds(
            pleg_p99_seconds=1.5,
            rejected_pulls=7,
            volume_ratio=0.5,
            sandbox_errors=8,
            limit_ratio=0.75,
            kept_by_one_pod="2h",
            unschedulable="5m",
            expiry_margin="3h",
            packing_ratio=0.125,
            packing_nodes=9,
        )
    )
    found = {
        one["alert"]: one["expr"]
        for one in rules(rule_groups(settings, watch()))
        if "alert" in one
    }

    assert found["JobNodeKubeletOverloaded"].endswith(">= 1.5")
    assert found["JobImagePullsRejected"].endswith(">= 7")
    assert 2 == found["JobNodeVolumeThrottled"].count(">= 0.5")
    assert found["JobPodAddressesShort"].endswith(">= 8")
    assert found["JobGroupAtItsLimit"].endswith(">= 0.75")
    assert "> 7200\n" in found["JobNodeKeptByOnePod"]
    assert "[2h]" in found["JobNodeKeptByOnePod"]
    assert found["JobPodsUnschedulable"].endswith("> 300")
    assert 2 == found["JobNodeOverItsExpiry"].count(f"> {(336 + 3) * 3_600}")
    assert "< 0.125\n" in found["JobPackingPoor"]
    assert found["JobPackingPoor"].endswith(">= 9")


def test_durations_reach_rules_in_the_only_order_that_prometheus_takes():
    settings = Monitoring(
        interval="30s1m", thresholds=Thresholds(kept_by_one_pod="30m1h")
    )
    groups = rule_groups(settings, watch())
    (kept,) = [
        one["expr"]
        for one in rules(groups)
        if one.get("alert") == "JobNodeKeptByOnePod"
    ]

    assert {"1m30s"} == {one["interval"] for one in groups}
    assert "[1h30m]" in kept


def test_settings_of_the_volume_reach_its_figures():
    text = rule_file(Monitoring(volume_device="xvda"), watch())

    assert 'device="xvda"' in text
    assert "nvme0n1" not in text


def test_a_shared_prometheus_is_asked_for_this_cluster_by_every_selector():
    settings = Monitoring(cluster_label="k8s", cluster_value="eu")
    found = rules(rule_groups(settings, watch()))
    blind = [
        (rule["expr"], name)
        for rule in found
        for name in names(rule["expr"])
        if rule["expr"].count(name) != rule["expr"].count(f'{name}{{k8s="eu"')
        and ":" in name
    ]
    raw = [
        (rule["expr"], name)
        for rule in found
        for name in names(rule["expr"])
        if f'{name}{{k8s="eu"' not in rule["expr"]
    ]

    assert [] == blind
    assert [] == raw
    assert {"eu"} == {rule["labels"]["k8s"] for rule in found}


def test_the_file_holds_the_rules_of_the_object():
    settings, found = Monitoring(interval="30s"), watch()
    document = prometheus_rule(settings, found)

    assert document["spec"] == yaml.safe_load(rule_file(settings, found))
    assert {"30s"} == {one["interval"] for one in document["spec"]["groups"]}


def test_equal_settings_give_equal_bytes():
    assert rule_file(Monitoring(), watch()) == rule_file(Monitoring(), watch())


def test_the_object_is_found_by_the_operator():
    settings = Monitoring(namespace="metrics", labels={"b": "2", "a": "1"})
    document = prometheus_rule(settings, watch())

    assert {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {
            "name": "eks-jobs",
            "namespace": "metrics",
            "labels": {"a": "1", "b": "2"},
        },
    } == {key: document[key] for key in ("apiVersion", "kind", "metadata")}


def test_kube_state_metrics_is_told_the_labels_that_rules_read():
    found = watch()
    allowed = ",".join(kube_state_metrics_labels(found))
    read = set(
        re.findall(r"label_([a-z_]+?)(?:=~|!=|=)", rule_file(Monitoring(), found))
    )
    keys = re.findall(r"[\w./-]+(?=[,\]])", allowed)

    assert (
        "nodes=[eks-jobs/group]",
        "pods=[eks-jobs/workload,kubernetes_executor,kubernetes_pod_operator,"
        "dagster/run-id,runner-pod]",
    ) == kube_state_metrics_labels(found)
    assert read == {re.sub(r"[^a-z_]", "_", key) for key in keys}


@pytest.mark.parametrize("scaler", SCALERS)
def test_rules_match_their_golden_file(golden, scaler):
    golden(f"monitoring/rules-{scaler}.yaml", rule_file(Monitoring(), watch(scaler)))
