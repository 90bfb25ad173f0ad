"""Names of metrics: rules use those that are listed, and no other."""

import re

import pytest

from components.spec.monitoring.manifests import rule_groups
from components.spec.monitoring.metrics import METRICS, SOURCES, metric_of
from components.spec.monitoring.promql import names
from tests.spec.monitoring.builders import SCALERS, rules, scope, watch

SELECTOR = re.compile(r"(?<![\w:])([a-z][a-zA-Z0-9_]*)\{([^}]*)\}")
MATCHER = re.compile(r'([a-z_0-9]+)(?:=~|!~|!=|=)"')


def every_rule():
    return [
        rule
        for scaler in SCALERS
        for rule in rules(rule_groups(scope().settings, watch(scaler)))
    ]


def test_rules_use_no_other_metric_than_the_listed_ones():
    recorded = {rule["record"] for rule in every_rule() if "record" in rule}
    read = {name for rule in every_rule() for name in names(rule["expr"])}

    assert {one.name for one in METRICS} == {
        metric_of(name).name for name in read - recorded
    }


def test_rules_ask_for_no_other_label_than_the_listed_ones():
    asked = {
        (name, label)
        for rule in every_rule()
        for name, inside in SELECTOR.findall(rule["expr"])
        for label in MATCHER.findall(inside)
        if not label.startswith("label_")
    }

    assert [] == [
        (name, label) for name, label in asked if label not in metric_of(name).labels
    ]


def test_every_source_has_a_metric_and_a_version():
    assert SOURCES.keys() == {one.source for one in METRICS}
    assert [] == [one for one in SOURCES.values() if not re.match(r"\d", one.version)]


def test_a_metric_is_listed_once():
    assert len(METRICS) == len({one.name for one in METRICS})


def test_metrics_of_the_kubelet_and_of_disruptions_are_marked_as_alpha():
    alpha = {one.name for one in METRICS if one.stability == "alpha"}

    assert {one.name for one in METRICS if one.source == "kubelet"} <= alpha
    assert "kube_pod_status_disruption_reason" in alpha
    assert "kube_pod_info" not in alpha


@pytest.mark.parametrize("name", ["kube_pod_infos", "kube_pod_info_sum", "up"])
def test_a_metric_that_is_not_listed_cannot_be_selected(name):
    with pytest.raises(KeyError, match=name):
        scope().queries.raw(name)
