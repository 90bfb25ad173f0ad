"""
Draw the dashboards with the data of a lab run.

    make lab
    python -m lab.panels --from build/lab --out docs/monitoring

The first and the last scenario of the run are written into a real Prometheus as what
kube-state-metrics would have told of them, a day apart; the recording rules are
evaluated over them, and every query of the dashboards is asked.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from components.spec.monitoring.dashboards.before_after import before_after
from components.spec.monitoring.dashboards.job_platform import job_platform
from components.spec.monitoring.dashboards.values import Dashboard, Panel, Section
from components.spec.monitoring.manifests import rule_groups
from components.spec.monitoring.rules import Scope
from components.spec.monitoring.settings import Monitoring
from components.spec.monitoring.watched import watched
from lab.panels.drawing import Answer, Answers, draw
from lab.panels.prometheus import Past, past
from lab.panels.told import Told
from lab.report import records
from lab.report.study import Study
from lab.stack import Stack, read_stack
from sandbox.control_plane_tools import built

__all__ = ["main"]

ROOT = Path(__file__).parents[2]
_DAY = 86_400
# Any Monday: pictures of one run are the same each time.
_BEGIN = 1_767_571_200
_CLUSTER = "lab"
_PROGRAMS = ("prometheus", "promtool")


def main() -> int:
    """Draw both dashboards, and name what was written."""
    parser = argparse.ArgumentParser(prog="python -m lab.panels")
    parser.add_argument("--from", dest="source", type=Path, default="build/lab")
    parser.add_argument("--out", type=Path, default="build/panels")
    parser.add_argument("--stack", default="prod", help="stack file of the lab run")
    chosen = parser.parse_args()
    programs = built(os.environ)
    if not programs.keys() >= set(_PROGRAMS):
        print("Prometheus must be built first: run make cluster-tools", file=sys.stderr)
        return 1
    try:
        study, stack = records.read(chosen.source), read_stack(ROOT, chosen.stack)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    chosen.out.mkdir(parents=True, exist_ok=True)
    scope, runs = _scope(stack), _runs(study, stack)
    groups = rule_groups(scope.settings, scope.watched)
    with (
        TemporaryDirectory() as folder,
        past(programs, Path(folder), runs, groups) as known,
    ):
        for dashboard, sections in (
            (job_platform(scope), ("Now", "Jobs")),
            (before_after(scope), ("The table", "Side by side")),
        ):
            path = chosen.out / f"{dashboard.name}.svg"
            shown = [one for one in dashboard.sections if one.title in sections]
            begin, end = _range(dashboard, runs[-1])
            answers = _answers(known, dashboard, begin, end)
            path.write_text(draw(_seen(shown), answers, end - begin))
            print(path)
    return 0


def _scope(stack: Stack) -> Scope:
    return Scope(
        settings=Monitoring(),
        watched=watched(_CLUSTER, stack.jobs, (stack.karpenter,), stack.policy),
    )


def _runs(study: Study, stack: Stack) -> tuple[Told, ...]:
    jobs = {job.name: job for job in study.load.jobs}
    label = (stack.policy.label.key, stack.policy.label.value)
    ends = (study.runs[0], study.runs[-1])
    return tuple(
        Told(run=run, jobs=jobs, label=label, begin=_BEGIN + number * _DAY)
        for number, run in enumerate(ends)
    )


def _seen(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Leave out text, which says nothing of the run."""
    return tuple(
        Section(
            title=section.title,
            panels=tuple(one for one in section.panels if one.kind != "text"),
        )
        for section in sections
    )


def _range(dashboard: Dashboard, last: Told) -> tuple[int, int]:
    """Return the whole run, or what the on-call sees of it while jobs still come."""
    return last.begin, last.busy if dashboard.refresh else last.end


def _answers(known: Past, dashboard: Dashboard, begin: int, end: int) -> Answers:
    return {
        panel.title: tuple(_asked(known, panel, begin, end))
        for panel in dashboard.panels
    }


def _asked(known: Past, panel: Panel, begin: int, end: int) -> Iterator[Answer]:
    for number, query in enumerate(panel.queries):
        expression = _chosen(query.expr, end - begin)
        found = (
            known.over_time(expression, begin, end)
            if panel.kind == "timeseries"
            else [
                (labels, [(end, value)]) for labels, value in known.at(expression, end)
            ]
        )
        for labels, points in found:
            yield Answer(
                query=number,
                title=_legend(query.legend, labels),
                labels=labels,
                points=[(at - begin, value) for at, value in points],
            )


def _chosen(expression: str, length: int) -> str:
    """Put in place of Grafana's variables what its reader would choose."""
    for variable, value in (
        ("$__range", f"{length}s"),
        ("$architecture", ".*"),
        ("$cluster", _CLUSTER),
        ("$group", ".*"),
        ("$shift", "1d"),
    ):
        expression = expression.replace(variable, value)
    return expression


def _legend(legend: str, labels: dict[str, str]) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda found: labels.get(found[1], ""), legend)


if __name__ == "__main__":
    sys.exit(main())
