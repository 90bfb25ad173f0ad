"""
What a lab run found, for people and for programs.

`report.html` and `report.json` of a run, the table on the terminal, and the committed
document. All of them are functions of the records of the run, which stand beside them,
so that a report can be written again without a run.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.model import Load, NodeShape, ScenarioRun
from lab.report import document, html, markdown, records, terminal
from lab.report.progress import Bars
from lab.report.study import Study, Throughput

__all__ = ["Bars", "Study", "Throughput", "table", "to_markdown", "write"]


def write(
    runs: Sequence[ScenarioRun],
    load: Load,
    shapes: Sequence[NodeShape],
    out: Path,
    *,
    scenarios: Mapping[str, str] | None = None,
    throughput: Sequence[Throughput] = (),
    notes: Sequence[str] = (),
    command: str = "",
    versions: Mapping[str, str] | None = None,
) -> None:
    """
    Write `report.html`, `report.json` and `records.json` into *out*.

    See `Study` for the arguments and what is refused.
    """
    study = Study(
        runs=tuple(runs),
        load=load,
        shapes=tuple(shapes),
        scenarios=dict(scenarios or {}),
        throughput=tuple(throughput),
        notes=tuple(notes),
        command=command,
        versions=dict(versions or {}),
    )
    out.mkdir(parents=True, exist_ok=True)
    records.save(study, out)
    (out / "report.json").write_text(document.render(study))
    (out / "report.html").write_text(html.render(study))


def table(runs: Sequence[ScenarioRun], load: Load, shapes: Sequence[NodeShape]) -> str:
    """Return the most important figures as aligned text, a line for each scenario."""
    return terminal.render(Study(runs=tuple(runs), load=load, shapes=tuple(shapes)))


def to_markdown(run: Path, file: Path) -> None:
    """
    Write *file* and, into a folder of its name, its pictures, from the folder of a run.

    Raises:
        ValueError: The folder holds no records of this version.
    """
    markdown.write(records.read(run), file)
