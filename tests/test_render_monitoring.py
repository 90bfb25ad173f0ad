"""
What `render` writes about monitoring.

The stacks that are committed are in test_render.py, with what is deployed of them.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from components.spec.monitoring.settings import Monitoring, PrometheusAccount, Scrapes
from components.spec.scaler.auto_mode import AutoMode
from infra import render, settings
from infra.summary import summary

ROOT = Path(__file__).parent.parent
FILES = [
    "monitoring/dashboards/eks-jobs-before-after.json",
    "monitoring/dashboards/eks-jobs-platform.json",
    "monitoring/rules.yaml",
]
# Kinds that only the monitoring of prod has.
OURS = ("prometheusrule", "servicemonitor", "podmonitor", "configmap")


@pytest.fixture(scope="module")
def prod() -> settings.Settings:
    """Return prod with what it has switched off until the operator is there."""
    return replace(settings.load_file(ROOT, "prod"), monitoring=Monitoring())


def monitored(prod, **fields) -> settings.Settings:
    return replace(prod, monitoring=Monitoring(**fields))


def written(selected) -> tuple[list[str], list[str]]:
    """Return the plain files, and the objects of the cluster."""
    paths = sorted(render.files("x", selected))
    return (
        [path for path in paths if path.startswith("monitoring/")],
        [
            path
            for path in paths
            if path.startswith(tuple(f"kubernetes/{k}" for k in OURS))
        ],
    )


def section(selected) -> str:
    text = summary("x", selected)
    return text.partition("## Monitoring\n\n")[2].partition("\n\n## ")[0]


def test_without_the_key_nothing_is_written(prod):
    selected = replace(prod, monitoring=None)

    assert ([], []) == written(selected)
    assert "None: no rules, alerts and dashboards." == section(selected)


def test_a_cluster_without_the_operator_gets_the_files_alone(prod):
    selected = monitored(prod, enabled=False)
    text = section(selected)

    assert (FILES, []) == written(selected)
    assert "| created in the cluster | nothing |" in text
    assert "namespace" not in text
    assert "PodMonitor" not in text


def test_the_files_hold_what_is_created(prod):
    rendered = render.files("x", prod)
    rule = yaml.safe_load(rendered["kubernetes/prometheusrule-eks-jobs.yaml"])
    boards = [
        yaml.safe_load(rendered[f"kubernetes/configmap-eks-jobs-{name}.yaml"])["data"]
        for name in ("before-after", "platform")
    ]

    assert rule["spec"] == yaml.safe_load(rendered["monitoring/rules.yaml"])
    assert boards == [{path.split("/")[-1]: rendered[path]} for path in FILES[:2]]
    assert ["eks-jobs-before-after", "eks-jobs-platform"] == [
        json.loads(rendered[path])["uid"] for path in FILES[:2]
    ]


def test_the_summary_says_who_scrapes_what(prod):
    asked = monitored(prod, scrapes=Scrapes(scheduler=PrometheusAccount()))
    left = monitored(prod, scrapes=None)
    victims = "`cluster:eks_jobs_preemption_victims:increase1h`"

    assert (
        "| kube-scheduler, read in 1.37.2 | ServiceMonitor `eks-jobs-scheduler` | "
        f"{victims} |"
    ) in section(asked)
    assert f"| kube-scheduler, read in 1.37.2 | others | {victims} |" in section(left)
    assert "| vpc-cni, read in 1.23.2 | others |" in section(left)


def test_the_summary_names_the_flag_that_others_must_set(prod):
    lines = section(prod).splitlines()
    flag = lines.index("```") + 1

    assert lines[flag].startswith("--metric-labels-allowlist=nodes=[eks-jobs/group],")
    assert "```" == lines[flag + 1]


def test_the_summary_lists_alerts_by_severity(prod):
    text = section(monitored(prod, muted=("JobInterrupted", "JobPackingPoor")))

    assert "| alerts, critical | JobPodsUnschedulable, JobNodeKubeletOverloaded |" in (
        text
    )
    assert "| alerts, info | JobNodeKeptByOnePod |" in text
    assert "| muted | JobInterrupted, JobPackingPoor |" in text


def test_what_is_accepted_and_stays_dark_is_a_note(prod):
    notes = summary("x", replace(prod, scaler=AutoMode())).partition("## Cluster")[0]

    assert "- warning, `monitoring`: EKS Auto Mode lets nobody scrape" in notes
    assert "- info, `monitoring`: needs the Prometheus operator" in notes
