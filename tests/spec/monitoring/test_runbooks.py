"""Runbooks: each alert has its page, and each page is true to the code."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from components.spec.groups import JobGroup, Size
from components.spec.kubelet import KubeletTuning
from components.spec.monitoring.recordings import recording_groups
from components.spec.monitoring.settings import Monitoring, Scrapes
from components.spec.monitoring.thresholds import ALERTS, Thresholds
from components.spec.network import ExistingNetwork, NewNetwork
from components.spec.policy.settings import JobPolicySettings
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.pool import PoolRules
from components.spec.volume import Gp3Volume
from components.spec.vpc_cni import WarmAddresses, WarmPrefixes
from tests.spec.monitoring.builders import SCALERS, scope

FOLDER = Path(__file__).parents[3] / "docs" / "runbooks"
PAGES = sorted(FOLDER.glob("*.md"))
SECTIONS = ["What it means", "What to look at", "What to change in the stack file"]
SETTINGS = (
    *(JobGroup, Size, KubeletTuning, Gp3Volume, Karpenter, PoolRules),
    *(ClusterAutoscaler, JobPolicySettings, NewNetwork, ExistingNetwork),
    *(WarmAddresses, WarmPrefixes, Monitoring, Scrapes, Thresholds),
)
TOP_LEVEL = {"monitoring", "network", "policy", "scaler", "vpc_cni"}
# Values, and parts of templates of jobs, that stand among the keys.
VALUES = {"spot", "WhenEmpty", "both", "affinity", "none", "release", "NotReady"} | {
    "TerminationByKubelet",
    "NoSchedule",
    "ecr.api",
    "ecr.dkr",
}


def test_each_alert_has_its_page_and_each_page_an_alert():
    assert sorted(ALERTS) == [page.stem for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_says_what_it_means_what_to_look_at_and_what_to_change(page):
    text = page.read_text()

    assert text.startswith(f"# {page.stem}\n")
    assert SECTIONS == re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert "```console\n" in text.split(f"## {SECTIONS[1]}")[1]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_keys_to_change_are_keys_of_a_stack_file(page):
    known = TOP_LEVEL | {field.name for kind in SETTINGS for field in fields(kind)}
    named = re.findall(r"`([^`]+)`", page.read_text().split(f"## {SECTIONS[2]}")[1])
    keys = [one for one in named if one not in VALUES]

    assert keys
    assert [] == [one for one in keys if not set(one.split(".")) <= known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_figures_that_a_page_names_are_recorded(page):
    recorded = {
        rule.name
        for scaler in SCALERS
        for group in recording_groups(scope(scaler))
        for rule in group.rules
    }
    named = re.findall(r"`([a-z_]+:eks_jobs_[a-z0-9_]+:[a-z0-9]+)`", page.read_text())

    assert [] == [one for one in named if one not in recorded]
