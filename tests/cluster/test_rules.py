"""
Recording rules, read by Prometheus's own tool, on series that were made up.

Not proven here: that exporters tell what the series say; their names and labels were
read in their sources, and test_prometheus scrapes those that run here.
"""

from dataclasses import replace

import pytest

from components.spec.monitoring.manifests import rule_file, rule_groups
from components.spec.monitoring.settings import Monitoring
from tests.cluster.rule_cases import CASES, OTHER, Case
from tests.cluster.rule_series import (
    SCALERS,
    SETTINGS,
    job_group,
    node,
    pod,
    series,
    watch,
)
from tests.cluster.rule_tool import check, said, samples


@pytest.fixture(scope="session", autouse=True)
def untouched() -> None:
    """Take the place of the fixture that starts a control plane: none is needed."""


@pytest.fixture(scope="session")
def promtool(built):
    return built["promtool"]


def recorded(scaler: str) -> dict[str, set[str]]:
    """Return the expressions of the recording rules by their names."""
    found: dict[str, set[str]] = {}
    for group in rule_groups(SETTINGS, watch(scaler)):
        for rule in group["rules"]:
            if "record" in rule:
                found.setdefault(rule["record"], set()).add(rule["expr"])
    return found


@pytest.mark.parametrize("scaler", SCALERS)
@pytest.mark.parametrize(
    "settings",
    [
        Monitoring(),
        Monitoring(
            cluster_label="k8s", cluster_value="prod.eu", muted=("JobInterrupted",)
        ),
    ],
    ids=["alone", "shared"],
)
def test_prometheus_takes_the_rules(promtool, tmp_path, scaler, settings):
    assert "" == check(promtool, tmp_path, rule_file(settings, watch(scaler)))


def test_prometheus_takes_the_rules_of_two_scalers(promtool, tmp_path):
    both = replace(watch("karpenter"), scalers=("karpenter", "cluster-autoscaler"))

    assert "" == check(promtool, tmp_path, rule_file(SETTINGS, both))


def test_prometheus_takes_the_rules_without_a_policy_and_groups(promtool, tmp_path):
    bare = replace(watch("karpenter"), groups=(), balloon_classes=())
    policy = replace(bare.pods, label=None, labels=(), owners=("Job",))
    text = rule_file(SETTINGS, replace(bare, pods=policy))

    assert "" == check(promtool, tmp_path, text)


def test_the_check_finds_a_fault(promtool, tmp_path):
    text = rule_file(SETTINGS, watch("karpenter")).replace(
        "max by (node)", "max by node"
    )

    assert "parse error" in check(promtool, tmp_path, text)


@pytest.mark.parametrize(
    ("scaler", "case"),
    [
        pytest.param(scaler, case, id=f"{scaler}-{case.name}")
        for case in CASES
        for scaler in case.scalers
    ],
)
def test_rules_say_what_series_tell(promtool, tmp_path, scaler: str, case: Case):
    expected = {
        "promql_expr_test": [
            samples(name, case.minute, found) for name, found in case.recorded.items()
        ]
    }

    assert "" == said(promtool, tmp_path, SETTINGS, watch(scaler), case.told, expected)


@pytest.mark.parametrize("scaler", SCALERS)
def test_every_rule_is_read_in_some_case(scaler):
    """Rules that say the same with another scaler are read with that one."""
    rules = {one: recorded(one) for one in SCALERS}
    read = {
        name
        for case in CASES
        for name, found in case.recorded.items()
        for one in case.scalers
        if found and rules[one].get(name) == rules[scaler].get(name)
    }

    assert rules[scaler].keys() == read & rules[scaler].keys()


def test_another_cluster_in_the_same_prometheus_is_not_counted(promtool, tmp_path):
    settings = replace(SETTINGS, cluster_label="k8s", cluster_value="here")
    told = [
        {**one, "series": one["series"].replace("{", f'{{k8s="{place}",')}
        for place in ("here", "there")
        for one in (*node(f"{place}-1"), *pod(f"{place}-pod", f"{place}-1"))
    ]
    mine = {"k8s": "here", "group": "job", "architecture": "amd64"}
    other = {"k8s": "here", "group": "job-arm", "architecture": "arm64"}
    found = [
        samples("group:eks_jobs_nodes:count", 60, [(mine, 1), (other, 0)]),
        samples(
            "group_owner:eks_jobs_pods_running:count",
            60,
            [({**mine, "owner_kind": "Job"}, 1)],
        ),
    ]

    assert "" == said(
        promtool,
        tmp_path,
        settings,
        watch("karpenter"),
        told,
        {"promql_expr_test": found},
    )


def test_a_node_name_that_comes_back_in_another_group_breaks_nothing(
    promtool, tmp_path
):
    moved = node("job-1", "job-arm", values="_x85 1x100")
    told = [
        *node("job-1", values="1x80 stale"),
        next(one for one in moved if one["series"].startswith("kube_node_labels")),
        *pod("a"),
    ]
    once = {
        "expr": "count(pod:eks_jobs_place:info)",
        "eval_time": "90m",
        "exp_samples": [{"labels": "{}", "value": 1}],
    }

    assert "" == said(
        promtool,
        tmp_path,
        SETTINGS,
        watch("karpenter"),
        told,
        {"promql_expr_test": [once]},
    )


def test_nodes_of_static_pools_count_for_their_group(promtool, tmp_path):
    pools = (("static-job", "job"), ("reserved", "job-arm"))
    told = [
        series(
            "karpenter_nodeclaims_disrupted_total",
            f"_x70 {count}x100",
            nodepool=name,
            reason="insufficient_capacity",
        )
        for name, count in (("job", 1), ("static-job", 2), ("reserved", 4), ("web", 8))
    ]
    told += [
        series(f"karpenter_nodepools_{what}", value, nodepool=name, resource_type=one)
        for name, one, used, most in (
            ("job", "nodes", 10, 40),
            ("static-job", "nodes", 2, 3),
        )
        for what, value in (("usage", used), ("limit", most))
    ]
    reason = {"reason": "insufficient_capacity"}
    found = [
        samples(
            "group:eks_jobs_nodes_disrupted:increase1h",
            90,
            [(job_group(**reason), 3), ({**OTHER, **reason}, 4)],
        ),
        # Static pools are full by their kind: the share is that of the other pool.
        samples(
            "group:eks_jobs_nodepool_limit:ratio",
            90,
            [(job_group(resource_type="nodes"), 0.25)],
        ),
    ]

    assert "" == said(
        promtool,
        tmp_path,
        SETTINGS,
        replace(watch("karpenter"), static_pools=pools),
        told,
        {"promql_expr_test": found},
    )


def test_jobs_without_a_policy_are_told_by_their_owners(promtool, tmp_path):
    bare = watch("karpenter")
    bare = replace(bare, pods=replace(bare.pods, label=None))
    told = [*node("job-1"), *pod("a", labels={}), *pod("b", owner=None)]
    expected = [
        samples(
            "group_owner:eks_jobs_pods_running:count",
            60,
            [(job_group(owner_kind="Job"), 1)],
        )
    ]

    assert "" == said(
        promtool, tmp_path, SETTINGS, bare, told, {"promql_expr_test": expected}
    )
