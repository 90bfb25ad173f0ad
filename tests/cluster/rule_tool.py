"""promtool: Prometheus's own reading of rules, and of what they say."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from components.spec.monitoring.manifests import rule_file, rule_groups
from components.spec.monitoring.settings import Monitoring
from components.spec.monitoring.watched import Watched
from tests.cluster.rule_series import Labels, Series

__all__ = ["check", "said", "samples"]


def check(promtool: Path, folder: Path, text: str) -> str:
    """Return what is wrong with a rule file, or nothing."""
    path = folder / "rules.yaml"
    path.write_text(text)
    done = _run(promtool, "check", "rules", "--lint-fatal", str(path))
    return "" if done.returncode == 0 else done.stdout + done.stderr


def said(
    promtool: Path,
    folder: Path,
    settings: Monitoring,
    watched: Watched,
    told: Sequence[Series],
    expected: Mapping[str, Any],
) -> str:
    """
    Return where rules say something else than *expected*, or nothing.

    Args:
        promtool: The program.
        folder: Empty folder for its files.
        settings: Settings of the rules.
        watched: The cluster.
        told: What exporters tell, a value a minute.
        expected: `promql_expr_test` and `alert_rule_test` of a test of promtool.
    """
    (folder / "rules.yaml").write_text(rule_file(settings, watched))
    groups = [group["name"] for group in rule_groups(settings, watched)]
    document = {
        "rule_files": ["rules.yaml"],
        "evaluation_interval": "1m",
        "group_eval_order": groups,
        "fuzzy_compare": True,
        "tests": [{"interval": "1m", "input_series": list(told), **expected}],
    }
    path = folder / "test.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False))
    done = _run(promtool, "test", "rules", str(path))
    return "" if done.returncode == 0 else done.stdout + done.stderr


def samples(name: str, minute: int, found: Sequence[tuple[Labels, float]]) -> Any:
    """Return a test that a rule recorded these samples, and no other."""
    return {
        "expr": name,
        "eval_time": f"{minute}m",
        "exp_samples": [
            {"labels": _written(name, labels), "value": value}
            for labels, value in found
        ],
    }


def _written(name: str, labels: Labels) -> str:
    text = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
    return f"{name}{{{text}}}"


def _run(promtool: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(promtool), *arguments], capture_output=True, text=True, check=False
    )
