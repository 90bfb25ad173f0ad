"""
`report.json`: what the report says, for programs.

Shape:
    An object. Keys name their units; times are of the load. Counts over time are lists
    of `[seconds, count]`, each of which holds until the next. null: there is no such
    figure, such as a cost without a price.

    * `format`: 1. It changes when a key goes or changes its meaning.
    * `load`: name, size and bursts of the load, and what was left out of it.
    * `shapes`: what the nodes offer, see `NodeShape`.
    * `references`: node-hours of the ideal and the best fit, with nodes over time.
    * `losses`: what delays and rules cost by the model, in multiples.
    * `scenarios`: in the order of the runs. `figures` is a flat object of numbers that
      scenarios are compared by, `difference_percent` the same keys against the first
      scenario; `paid` is vCPU-hours, or node-hours where a type's vCPUs are not known,
      and `times_reference` divides it by that of the references.
    * `throughput`: the scheduler alone, by packing.
    * `article`: the published figures, and ours in the same terms.
    * `distortions` and `notes`: sentences.
    * `command` and `versions`: what repeats it.

    What is left out: single pods and nodes, which `records.json` holds.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from lab.figures import Figures
from lab.model import Load
from lab.node_life import NodeUse
from lab.report import article, distortions
from lab.report.measures import MEASURES
from lab.report.references import Reference
from lab.report.study import Study
from lab.waits import bursts

__all__ = ["FORMAT", "document", "render"]

FORMAT = 1

_QUANTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99, 100)


def document(study: Study) -> dict[str, Any]:
    """Return `report.json`."""
    return {
        "format": FORMAT,
        "load": _load(study.load),
        "shapes": [asdict(shape) for shape in study.shapes],
        "references": [_reference(each) for each in study.references],
        "losses": [
            {
                "text": each.text,
                "against_ideal": _round(each.against_ideal),
                "against_best_fit": _round(each.against_best_fit),
            }
            for each in study.losses
        ],
        "scenarios": [
            {
                "name": each.scenario,
                "meaning": study.meaning(run),
                "speed": run.speed,
                "facts": dict(sorted(run.facts.items())),
                **_scenario(each, study),
            }
            for run, each in zip(study.runs, study.figures, strict=True)
        ],
        "throughput": [
            {**asdict(each), "pods_per_second": _round(each.pods_per_second)}
            for each in study.throughput
        ],
        "article": {
            "published": [asdict(row) for row in article.PUBLISHED],
            "ours": [_rounded(asdict(row)) for row in article.ours(study.figures)],
        },
        "distortions": [
            *distortions.compressed(study.runs),
            *(f"{what}: {why}" for what, why in distortions.simulated()),
        ],
        "notes": list(study.notes),
        "command": study.command,
        "versions": dict(sorted(study.versions.items())),
    }


def render(study: Study) -> str:
    """Return the text of `report.json`."""
    return json.dumps(document(study), indent=1, ensure_ascii=False) + "\n"


def _load(load: Load) -> dict[str, Any]:
    return {
        "name": load.name,
        "jobs": len(load.jobs),
        "last_start_seconds": _round(_last_start(load)),
        "job_hours": _round(sum(job.duration for job in load.jobs) / 3600),
        "burst_minutes": list(bursts(load)),
        "left_out": [asdict(each) for each in load.left_out],
    }


def _last_start(load: Load) -> float:
    return max((job.start for job in load.jobs), default=0.0)


def _reference(reference: Reference) -> dict[str, Any]:
    return {
        "name": reference.name,
        "meaning": reference.meaning,
        "node_hours": _round(reference.total),
        "node_hours_by_group": _rounded(reference.node_hours),
        "nodes": [list(step) for step in reference.nodes],
    }


def _scenario(figures: Figures, study: Study) -> dict[str, Any]:
    return {
        "seconds": figures.seconds,
        "figures": {each.key: _round(each.value(figures)) for each in MEASURES},
        "difference_percent": {
            each.key: _round(each.difference(figures, study.first)) for each in MEASURES
        },
        "times_reference": {
            each.name: _round(figures.paid / each.paid) if each.paid else None
            for each in study.references
        },
        "node_hours_by_group": {
            group: _use(use) for group, use in sorted(figures.use.items())
        },
        "nodes_by_group": {
            group: [list(step) for step in steps]
            for group, steps in sorted(figures.nodes.items())
        },
        "pending": {
            "pods": len(figures.waits.values),
            "never_started": figures.waits.never,
            "seconds_by_percent": {
                str(percent): _round(figures.waits.percentile(percent))
                for percent in _QUANTILES
            },
        },
        "jobs": asdict(figures.ends),
        "most_starts": asdict(figures.storm),
        "utilisation": _rounded(asdict(figures.utilisation)),
        "balloons_displaced": figures.balloons_displaced,
        "unpriced": list(figures.cost.unpriced),
    }


def _use(use: NodeUse) -> dict[str, float | None]:
    return _rounded({**asdict(use), "total": use.total})


def _rounded(numbers: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: _round(value) if isinstance(value, float) else value
        for key, value in numbers.items()
    }


def _round(value: float | None) -> float | None:
    """Leave out what no run can tell."""
    return None if value is None else round(value, 6)
