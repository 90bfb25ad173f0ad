"""Expressions: selectors, and the names that an expression reads."""

import pytest

from components.spec.monitoring.promql import (
    Queries,
    label_name,
    lasting,
    names,
    one_of,
)


@pytest.mark.parametrize(
    ("expression", "read"),
    [
        ("kube_pod_info", ("kube_pod_info",)),
        ('a{b="c{d}", e=~"f|sum(g)"} / on (h) group_left (i) j', ("a", "j")),
        ("sum by (a, b) (rate(c_bucket[5m])) >= 0", ("c_bucket",)),
        ("sum(rate(a[1h])) without (b)", ("a",)),
        ('topk by (a) (1, last_over_time(b:c:d{e="f"}[15m]))', ("b:c:d",)),
        ("max(a or b unless on (c) d offset 5m) or vector(0)", ("a", "b", "d")),
        ('label_replace(absent(a), "b", "c", "", "")', ("a",)),
        ("sum_over_time(a[1d:1m]) / 1e3 * 0.99 > bool 2", ("a",)),
        ("a + a", ("a",)),
        ("time() - max by (b) (c)", ("c",)),
    ],
)
def test_names_are_those_of_series(expression, read):
    assert read == names(expression)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("eks-jobs/group", "label_eks_jobs_group"),
        ("example.com/team.name", "label_example_com_team_name"),
        ("kubernetes_executor", "label_kubernetes_executor"),
    ],
)
def test_labels_are_spelt_as_kube_state_metrics_does(key, name):
    assert name == label_name(key)


@pytest.mark.parametrize(
    ("text", "spelt"), [("6h", "6h"), ("90m", "1h30m"), ("30m1h", "1h30m")]
)
def test_durations_are_spelt_as_prometheus_reads_them(text, spelt):
    assert spelt == lasting(text)


def test_one_value_is_matched_as_it_is_and_several_by_an_expression():
    assert 'a="b.c"' == one_of("a", ("b.c",))
    assert 'a=~"b[.]c|d-e"' == one_of("a", ("b.c", "d-e"))


def test_a_prometheus_of_several_clusters_is_asked_for_one():
    alone = Queries(cluster="prod")
    shared = Queries(cluster="prod", label="k8s", shared=True)

    assert "kube_pod_info" == alone.raw("kube_pod_info")
    assert 'kube_pod_info{k8s="prod",node!=""}' == shared.raw(
        "kube_pod_info", 'node!=""'
    )
    assert 'a:b:c{cluster="prod"}' == alone.recorded("a:b:c")
    assert {"k8s": "prod"} == shared.own
