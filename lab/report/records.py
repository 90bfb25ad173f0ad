"""Keep what was seen beside the report, so that it can be written again."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.model import (
    Job,
    LeftOut,
    Load,
    NodeRecord,
    NodeShape,
    PodRecord,
    ScenarioRun,
)
from lab.report.study import Study, Throughput

__all__ = ["FILE", "read", "save"]

FILE = "records.json"
"""Name of the file, beside the report."""


def save(study: Study, folder: Path) -> None:
    """Write everything that a report needs into *folder*."""
    text = json.dumps(asdict(study), separators=(",", ":"), sort_keys=True)
    (folder / FILE).write_text(f"{text}\n")


def read(folder: Path) -> Study:
    """
    Read what `save` wrote.

    Raises:
        ValueError: There is no such file, or another program wrote it.
    """
    try:
        return _study(json.loads((folder / FILE).read_text()))
    except FileNotFoundError:
        raise ValueError(
            f"from must be a folder of a lab run, got {folder} without {FILE}"
        ) from None
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise ValueError(
            f"{folder / FILE}: must be as this version of the lab writes it, "
            f"got {type(error).__name__}: {error}"
        ) from error


def _study(data: Mapping[str, Any]) -> Study:
    fields: dict[str, Any] = {
        **data,
        "runs": tuple(_run(run) for run in data["runs"]),
        "load": _load(data["load"]),
        "shapes": tuple(NodeShape(**shape) for shape in data["shapes"]),
        "throughput": tuple(Throughput(**each) for each in data["throughput"]),
        "notes": tuple(data["notes"]),
    }
    return Study(**fields)


def _load(data: Mapping[str, Any]) -> Load:
    fields: dict[str, Any] = {
        **data,
        "jobs": tuple(Job(**job) for job in data["jobs"]),
        "left_out": tuple(LeftOut(**each) for each in data["left_out"]),
    }
    return Load(**fields)


def _run(data: Mapping[str, Any]) -> ScenarioRun:
    fields: dict[str, Any] = {
        **data,
        "pods": tuple(PodRecord(**pod) for pod in data["pods"]),
        "nodes": tuple(_node(node) for node in data["nodes"]),
    }
    return ScenarioRun(**fields)


def _node(data: Mapping[str, Any]) -> NodeRecord:
    fields: dict[str, Any] = {**data, "shape": NodeShape(**data["shape"])}
    return NodeRecord(**fields)
