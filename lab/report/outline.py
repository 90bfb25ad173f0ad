"""What was compared, and on what load."""

from collections import Counter
from collections.abc import Iterator, Sequence

from lab.model import Load, ScenarioRun
from lab.report.blocks import Block, Bullets, Section, Table, Text
from lab.report.measures import NONE, number
from lab.report.study import MEANING, Study
from lab.waits import bursts, percentile

__all__ = ["load_section", "scenario_section"]


def scenario_section(study: Study) -> Section:
    """Say what each scenario is, and what else was seen of it."""
    facts = list(dict.fromkeys(_facts(study.runs)))
    blocks: list[Block] = [
        Bullets(items=[(run.scenario, study.meaning(run)) for run in study.runs]),
        Text(sentences=[f"Differences are to the first, {study.first.scenario}."]),
    ]
    if facts:
        blocks.append(
            Table(
                caption="What else was seen",
                head=["scenario", *facts],
                rows=[
                    [run.scenario, *(run.facts.get(fact, NONE) for fact in facts)]
                    for run in study.runs
                ],
                words=frozenset(range(len(facts) + 1)),
            )
        )
    if study.notes:
        blocks.append(Bullets(items=[("", note) for note in study.notes]))
    return Section(title="What was compared?", blocks=blocks)


def _facts(runs: Sequence[ScenarioRun]) -> Iterator[str]:
    return (fact for run in runs for fact in run.facts if fact != MEANING)


def load_section(study: Study) -> Section:
    """Describe the load and the nodes that it may run on."""
    return Section(title="What was the load?", blocks=list(_load(study)))


def _load(study: Study) -> Iterator[Block]:
    load = study.load
    yield Text(sentences=[f"{load.name}.", *_sizes(load)])
    if load.jobs:
        yield _groups(load)
    yield Table(
        caption="Nodes that may run it, and what they offer to jobs",
        head=["group", "type", "vCPUs", "CPU, m", "memory, MiB", "pods", "USD an hour"],
        rows=[
            [
                shape.group,
                f"{shape.instance_type} ({shape.architecture})",
                f"{shape.vcpus:,}" if shape.vcpus else NONE,
                f"{shape.cpu:,}",
                f"{shape.memory:,}",
                f"{shape.pods:,}",
                "no price" if shape.price is None else number(shape.price, 4),
            ]
            for shape in study.shapes
        ],
        words=frozenset({0, 1}),
    )
    if load.left_out:
        yield Table(
            caption="Left out, because it cannot be replayed",
            head=["what", "why"],
            rows=[[each.what, each.reason] for each in load.left_out],
            words=frozenset({0, 1}),
        )
    else:
        yield Text(sentences=["Nothing was left out."])


def _sizes(load: Load) -> Iterator[str]:
    if not load.jobs:
        yield "It has no jobs."
        return
    owners = Counter(job.owner for job in load.jobs)
    last = max(job.start for job in load.jobs) / 60
    yield (
        f"{len(load.jobs):,} jobs start within {last:,.0f} minutes, in "
        f"{len({job.namespace for job in load.jobs}):,} namespaces: "
        + ", ".join(f"{count:,} by {owner}" for owner, count in sorted(owners.items()))
        + "."
    )
    minutes = ", ".join(str(minute) for minute in bursts(load))
    yield f"Bursts are in minute {minutes}." if minutes else "It has no bursts."


def _groups(load: Load) -> Table:
    rows = []
    for group in sorted({job.group for job in load.jobs}):
        jobs = [job for job in load.jobs if job.group == group]
        lengths = sorted(job.duration for job in jobs)
        rows.append(
            [
                group,
                f"{len(jobs):,}",
                number(sum(lengths) / 3600),
                number(percentile(lengths, 50), 0),
                number(percentile(lengths, 95), 0),
                number(lengths[-1], 0),
                number(sum(job.cpu * job.duration for job in jobs) / 3_600_000),
                number(sum(job.memory * job.duration for job in jobs) / 3600 / 1024),
            ]
        )
    return Table(
        caption="The jobs by group",
        head=[
            "group",
            "jobs",
            "job-hours",
            "length p50, s",
            "p95, s",
            "max, s",
            "CPU-hours asked for",
            "GiB-hours asked for",
        ],
        rows=rows,
    )
