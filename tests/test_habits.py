"""
Files that other tools read: pins that Renovate finds, checks that hooks run.

Not proven here: that Renovate finds newer versions where it is told to look.
"""

import ast
import json
import re
from pathlib import Path

import pytest
import yaml

from components.spec.balloon.keda import KEDA_VERSION
from components.spec.balloon.settings import PAUSE_IMAGE
from components.spec.policy.engine import KYVERNO_CHART_VERSION
from components.spec.scaler.versions import (
    AUTOSCALER_CHART,
    AUTOSCALER_VERSIONS,
    KARPENTER_VERSION,
)
from infra.versions import AMI_RELEASE, KUBERNETES_VERSION

ROOT = Path(__file__).parent.parent
RENOVATE = json.loads((ROOT / "renovate.json").read_text())
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())

EXAMPLES = [
    node
    for path in sorted(ROOT.glob("examples/*/__main__.py"))
    for node in ast.walk(ast.parse(path.read_text()))
]


def images() -> list[str]:
    """Return the tags of the images that examples name."""
    named = [
        value.value
        for node in EXAMPLES
        if isinstance(node, ast.Dict)
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "image"
        if isinstance(value, ast.Constant)
    ]
    return [image.rpartition(":")[2] for image in named]


def charts(*, oci: bool) -> list[str]:
    """Return the versions of the charts that examples install, by where they lie."""
    calls = [
        {
            word.arg: word.value.value
            for word in node.keywords
            if isinstance(word.value, ast.Constant)
        }
        for node in EXAMPLES
        if isinstance(node, ast.Call)
    ]
    return [
        call["version"]
        for call in calls
        if "chart" in call and call["chart"].startswith("oci://") == oci
    ]


PINS = {
    "Release of the node image": [AMI_RELEASE],
    "Kubernetes on EKS": [KUBERNETES_VERSION],
    "Karpenter, whose charts have the version of the controller": [KARPENTER_VERSION],
    "Chart of Cluster Autoscaler": [AUTOSCALER_CHART.version],
    "Cluster Autoscaler, one image for each version of Kubernetes": [
        *AUTOSCALER_VERSIONS.values()
    ],
    "KEDA, whose chart has the version of the operator": [KEDA_VERSION],
    "Chart of Kyverno": [KYVERNO_CHART_VERSION],
    "Image of the pods that hold room": [PAUSE_IMAGE.partition(":")[2]],
    "Images of the examples": images(),
    "Charts of the examples": charts(oci=False),
    "Charts of the examples in registries of images": charts(oci=True),
}
MANAGERS = {one["description"]: one for one in RENOVATE["customManagers"]}


def found(manager) -> list[str]:
    """Return the pins that a manager finds, with JavaScript's names of groups."""
    files = [
        path
        for pattern in manager["managerFilePatterns"]
        for path in sorted(ROOT.glob("[cei]*/**/*.py"))
        if re.search(pattern.strip("/"), path.relative_to(ROOT).as_posix())
    ]
    return [
        match["currentValue"]
        for path in files
        for wanted in manager["matchStrings"]
        for match in re.finditer(wanted.replace("(?<", "(?P<"), path.read_text())
    ]


def test_every_pin_has_a_manager():
    assert PINS.keys() == MANAGERS.keys()


@pytest.mark.parametrize("name", PINS)
def test_renovate_finds_each_pin(name):
    assert PINS[name] == found(MANAGERS[name])


def test_renovate_reads_every_file_of_requirements():
    (pattern,) = RENOVATE["pip_requirements"]["managerFilePatterns"]
    files = sorted(
        path.relative_to(ROOT).as_posix()
        for folder in (ROOT, ROOT / "plugin")
        for path in folder.glob("requirements*.txt")
    )

    assert "plugin/requirements.txt" in files
    assert files == [file for file in files if re.search(pattern.strip("/"), file)]


def test_hooks_run_the_commands_of_make_check():
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", makefile(), re.MULTILINE)
    assert recipe is not None
    # Without what is for make alone: comments, and where the output goes.
    commands = [
        re.split(r" [#>]", line.strip().lstrip("@"))[0]
        for line in recipe[1].replace("$(RUN)", ".venv/bin/python").splitlines()
    ]

    assert commands == [
        hook["entry"] for repo in HOOKS["repos"] for hook in repo["hooks"]
    ]


def test_hooks_fetch_nothing():
    assert ["local"] == [repo["repo"] for repo in HOOKS["repos"]]


def makefile() -> str:
    return (ROOT / "Makefile").read_text()
