"""A load from a table: one line for each job, in the columns of a CSV."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from components.spec.problems import refuse
from lab.documents import rows
from lab.model import Job, Load, NodeShape
from lab.quantities import cpu_millicores, duration_seconds, memory_mib
from lab.shapes import fits

__all__ = ["COLUMNS", "load_table", "read_table"]

COLUMNS = {
    "start": ("begin",),
    "duration": ("seconds",),
    "cpu": ("requests.cpu",),
    "memory": ("mem", "requests.memory"),
    "arch": ("architecture",),
    "name": ("job",),
    "namespace": ("ns",),
    "group": (),
    "owner": ("kind",),
}
"""Columns, with the other names that each may have; the last four may be missing."""

_OPTIONAL = ("name", "namespace", "group", "owner")
_OWNERS = ("Job", "Workflow")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")

_Read = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Line:
    """What a line says, and what is wrong with it."""

    number: int
    values: _Read
    problems: tuple[str, ...]


def load_table(path: Path, shapes: Sequence[NodeShape]) -> Load:
    """
    Read a table of jobs from a file.

    Raises:
        ValueError: See `read_table`; or the file cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: must be a table of jobs, got: {error}") from error
    return read_table(text, path.name, shapes)


def read_table(text: str, name: str, shapes: Sequence[NodeShape]) -> Load:
    """
    Read a table of jobs.

    The first job begins at 0, whatever its start is, so starts may be seconds of any
    clock.

    Args:
        text: A CSV. Columns: `start` and `duration` in seconds or as `1h30m`; `cpu`
            as `500m` or `2`, `memory` as `512Mi` or `1Gi`, each empty for none;
            `arch`, amd64 or arm64. And, where wanted, `name`, `namespace`, `group`
            (or else the first group that can run it) and `owner`, Job or Workflow.
        name: Of the file, for errors.
        shapes: Nodes of the job groups.

    Raises:
        ValueError: A line cannot be read, or its job fits no node. All lines are
            named.
    """
    optional = _OPTIONAL
    lines = [_line(*row, shapes) for row in rows(text, name, COLUMNS, optional)]
    refuse(
        f"{name}:{problem}" for problem in (*_line_problems(lines), *_repeated(lines))
    )
    if not lines:
        raise ValueError(f"{name}: must have at least one job, got none")
    begin = min(line.values["start"] for line in lines)
    jobs = [_job(line, begin) for line in lines]
    return Load(
        name=f"table {name}: {len(jobs)} jobs",
        jobs=tuple(sorted(jobs, key=lambda job: (job.start, job.name))),
    )


def _line(number: int, row: dict[str, str], shapes: Sequence[NodeShape]) -> _Line:
    problems: list[str] = []
    values: _Read = {
        "name": row.get("name") or f"job-{number:06}",
        "namespace": row.get("namespace") or "default",
        "owner": row.get("owner") or "Job",
        "arch": row["arch"].lower(),
        "group": row.get("group", ""),
    }
    readers = {
        "start": duration_seconds,
        "duration": duration_seconds,
        "cpu": cpu_millicores,
        "memory": memory_mib,
    }
    for column, read in readers.items():
        try:
            empty = not row[column] and column in ("cpu", "memory")
            values[column] = 0 if empty else read(row[column])
        except ValueError as error:
            problems.append(f"{column}: {error}")
    problems += _word_problems(values, shapes)
    if not problems:
        problems += _settle(values, shapes)
    return _Line(number, values, tuple(problems))


def _word_problems(values: _Read, shapes: Sequence[NodeShape]) -> Iterator[str]:
    offered = list(dict.fromkeys(shape.architecture for shape in shapes))
    groups = list(dict.fromkeys(shape.group for shape in shapes))
    for column in ("name", "namespace"):
        if not _LABEL.fullmatch(values[column]):
            yield (
                f"{column}: must be 1 to 63 lower-case letters, digits or '-', "
                f"got {values[column]!r}"
            )
    if values["owner"] not in _OWNERS:
        yield f"owner: must be of {', '.join(_OWNERS)}, got {values['owner']!r}"
    if values["arch"] not in offered:
        yield f"arch: must be of {', '.join(offered)}, got {values['arch']!r}"
    if values["group"] and values["group"] not in groups:
        yield f"group: must be of {', '.join(groups)}, got {values['group']!r}"


def _settle(values: _Read, shapes: Sequence[NodeShape]) -> Iterator[str]:
    """Choose the group, or say that no node can run the job."""
    groups = dict.fromkeys(shape.group for shape in shapes)
    wanted = [values["group"]] if values["group"] else list(groups)
    for group in wanted:
        values["group"] = group
        if fits(_job(_Line(0, values, ()), 0.0), shapes):
            return
    sizes = ", ".join(
        f"{shape.group} {shape.cpu}m {shape.memory}Mi {shape.architecture}"
        for shape in shapes
        if shape.group in wanted
    )
    yield (
        f"cpu, memory, arch: must fit an empty node ({sizes}), "
        f"got {values['cpu']}m {values['memory']}Mi {values['arch']}"
    )


def _line_problems(lines: Sequence[_Line]) -> Iterator[str]:
    for line in lines:
        for problem in line.problems:
            yield f"{line.number}: {problem}"


def _repeated(lines: Sequence[_Line]) -> Iterator[str]:
    first: dict[str, int] = {}
    for line in lines:
        name = line.values["name"]
        if name in first:
            yield (
                f"{line.number}: name: must not repeat, got {name} of line "
                f"{first[name]} again"
            )
        first.setdefault(name, line.number)


def _job(line: _Line, begin: float) -> Job:
    values = line.values
    return Job(
        name=values["name"],
        namespace=values["namespace"],
        owner=values["owner"],
        start=round(values["start"] - begin, 3),
        duration=values["duration"],
        cpu=values["cpu"],
        memory=values["memory"],
        architecture=values["arch"],
        group=values["group"],
    )
