"""What the report says, question by question."""

import shlex
from collections.abc import Iterable, Iterator

from lab.report import article, distortions, job_sections, node_sections
from lab.report.blocks import Block, Bullets, Code, Section, Table, Text
from lab.report.measures import (
    NODE_HOURS,
    PAID,
    PENDING_P50,
    PENDING_P99,
    cost,
    difference,
    multiple,
    number,
    percent,
    row,
)
from lab.report.outline import load_section, scenario_section
from lab.report.study import Study

__all__ = ["TITLE", "sections"]

TITLE = "What these settings do to jobs and nodes"

# Of `lab.options`, where a run says no other.
_OUT = "build/lab"


def sections(study: Study) -> tuple[Section, ...]:
    """Return the report, in order."""
    return (
        _section("In short", _short(study)),
        scenario_section(study),
        load_section(study),
        _section("What does it cost?", node_sections.costs(study)),
        _section("What costs the rest?", node_sections.losses(study)),
        _section("How many nodes are there?", node_sections.nodes(study)),
        _section("How long do jobs wait?", job_sections.waits(study)),
        _section("Was any job interrupted?", job_sections.ends(study)),
        _section("How well are nodes used?", node_sections.use(study)),
        _section("How hard is a node hit?", node_sections.storm(study)),
        *_throughput(study),
        _section("How does it compare with the article?", _article(study)),
        _section("What does the replay distort?", _distorted(study)),
        _section("How is it repeated?", _repeated(study)),
    )


def _section(title: str, blocks: Iterable[Block]) -> Section:
    return Section(title=title, blocks=list(blocks))


def _short(study: Study) -> Iterator[Block]:
    first = study.first
    yield Text(
        sentences=[_saved(study), _fastest(study), _spared(study), *_whole(study)]
    )
    yield Table(
        caption="The figures that matter most",
        head=[
            "scenario",
            NODE_HOURS.title,
            f"to {first.scenario}",
            *(f"times {reference.name}" for reference in study.references),
            "USD",
            "wait p50, s",
            "wait p99, s",
            "jobs interrupted",
        ],
        rows=[
            [
                *row(each, NODE_HOURS),
                percent(PAID.difference(each, first)),
                *node_sections.of_references(each, study),
                cost(each),
                *row(each, PENDING_P50, PENDING_P99)[1:],
                f"{each.ends.interrupted:,}",
            ]
            for each in study.figures
        ],
    )


def _saved(study: Study) -> str:
    best = min(study.figures, key=lambda each: each.paid)
    reference = study.references[1]
    text = (
        f"The least nodes are paid for with {best.scenario}: {NODE_HOURS.text(best)} "
        f"node-hours, {multiple(best.paid, reference.paid)} times the {reference.name}"
    )
    if best is not study.first:
        change = percent(PAID.difference(best, study.first))
        text += f" and {change} to {study.first.scenario}"
    lost = f", with {best.ends.interrupted:,} jobs interrupted"
    return f"{text}{lost if best.ends.interrupted else ''}."


def _fastest(study: Study) -> str:
    waiting = {
        each.scenario: seconds
        for each in study.figures
        if (seconds := PENDING_P99.value(each)) is not None
    }
    if not waiting:
        return "No job pod was seen."
    best, worst = min(waiting.values()), max(waiting.values())
    if worst - best < max(run.speed for run in study.runs):
        return (
            f"99 of 100 job pods start within {number(worst)} s in every scenario; the "
            "differences are below what a run can tell."
        )
    named = ", ".join(name for name, seconds in waiting.items() if seconds == best)
    return (
        f"Jobs wait least with {named}: 99 of 100 pods start within {number(best)} s, "
        f"and within {number(worst)} s at worst."
    )


def _spared(study: Study) -> str:
    hit = [each for each in study.figures if each.ends.interrupted]
    if not hit:
        return "No job was interrupted in any scenario."
    named = ", ".join(f"{each.ends.interrupted:,} with {each.scenario}" for each in hit)
    others = "" if len(hit) == len(study.figures) else "; none in the other scenarios"
    return f"Jobs were interrupted: {named}{others}."


def _whole(study: Study) -> Iterator[str]:
    """Name the scenarios that are not to be compared: not all of their jobs ended."""
    for each in study.figures:
        open_jobs = each.ends.unfinished + each.ends.unseen
        if open_jobs:
            yield (
                f"{open_jobs:,} of {each.ends.jobs:,} jobs did not succeed with "
                f"{each.scenario}: its node-hours are too low by what they need."
            )


def _throughput(study: Study) -> Iterator[Section]:
    if study.throughput:
        table = Table(
            caption="Scheduler alone, in time of this machine",
            head=["packing", "nodes", "pods", "seconds", "pods a second"],
            rows=[
                [
                    each.packing,
                    f"{each.nodes:,}",
                    f"{each.pods:,}",
                    number(each.seconds),
                    number(each.pods_per_second),
                ]
                for each in study.throughput
            ],
        )
        yield Section(title="How fast is the scheduler?", blocks=[table])


def _article(study: Study) -> list[Block]:
    before = article.PUBLISHED[0]
    ours = article.ours(study.figures)
    rows = [(before, each) for each in article.PUBLISHED]
    rows += [(ours[0], each) for each in ours]
    return [
        Table(
            caption="Published figures and ours",
            head=[
                "",
                "average nodes, job",
                "job-arm",
                "all groups",
                "workflow pods wait at most, s",
                "average wait, s",
                "nodes, change",
                "average wait, change",
            ],
            rows=[
                [
                    each.name,
                    number(each.job, 2),
                    number(each.job_arm, 2),
                    number(each.nodes, 2),
                    number(each.pending_max),
                    number(each.pending_mean, 2),
                    percent(difference(each.nodes, base.nodes)),
                    percent(difference(each.pending_mean, base.pending_mean)),
                ]
                for base, each in rows
            ],
        ),
        Bullets(items=article.WHY),
    ]


def _distorted(study: Study) -> list[Block]:
    compressed = [("", note) for note in distortions.compressed(study.runs)]
    return [Bullets(items=[*compressed, *distortions.simulated()])]


def _repeated(study: Study) -> Iterator[Block]:
    said = _said(study.command)
    if study.command:
        variables = [
            f"{name.upper()}={shlex.quote(value)}" for name, value in said.items()
        ]
        yield Code(text=" ".join(["make lab", *variables]))
        yield Text(sentences=["It sets everything up, and then runs:"])
        yield Code(text=study.command)
    yield Text(sentences=["From the records of a run, these pages are written by:"])
    folder = shlex.quote(said.get("out", _OUT))
    yield Code(text=f".venv/bin/python -m lab report --from {folder} --docs lab.md")
    if study.versions:
        yield Table(
            caption="Versions",
            head=["program", "version"],
            rows=[list(item) for item in sorted(study.versions.items())],
            words=frozenset({0, 1}),
        )


def _said(command: str) -> dict[str, str]:
    """Return the options of a command such as `python -m lab run --speed 5`."""
    words = shlex.split(command)[4:]
    parts = [
        part
        for word in words
        for part in (word.split("=", 1) if word.startswith("--") else [word])
    ]
    names = [name.removeprefix("--") for name in parts[::2]]
    return dict(zip(names, parts[1::2], strict=True))
