"""What the report says about jobs."""

from collections.abc import Iterator

from lab.report import plots
from lab.report.blocks import Block, Picture, Table, Text
from lab.report.measures import (
    BURST_P99,
    NODE_HOURS,
    NONE,
    PENDING_MAX,
    PENDING_MEAN,
    PENDING_P50,
    PENDING_P95,
    PENDING_P99,
    head,
    number,
    percent,
    row,
)
from lab.report.study import Study

__all__ = ["ends", "waits"]


def waits(study: Study) -> Iterator[Block]:
    """Say how long jobs wait, in bursts too."""
    yield Text(
        sentences=[
            "A job pod waits from its creation to the start of its container.",
            "One that never started counts with the time it waited.",
            "Bursts are minutes in which twice the average number of jobs start, or "
            "more.",
        ]
    )
    yield Picture(
        name="waits",
        caption="Which share of the pods waits no longer than a time, under 1 s at the "
        f"left edge. Grey: {study.first.scenario}.",
        says="; ".join(
            f"{each.scenario} median {PENDING_P50.text(each)} s, 99th percentile "
            f"{PENDING_P99.text(each)} s"
            for each in study.figures
        ),
        svg=plots.svg("waits", plots.waits, study),
    )
    measures = (PENDING_MEAN, PENDING_P50, PENDING_P95, PENDING_P99, PENDING_MAX)
    yield Table(
        caption="Seconds that job pods wait",
        head=[
            *head(measures),
            f"p99 to {study.first.scenario}",
            BURST_P99.title,
            "bursts to " + study.first.scenario,
            "pods",
            "never started",
        ],
        rows=[
            [
                *row(each, *measures),
                percent(PENDING_P99.difference(each, study.first)),
                BURST_P99.text(each),
                percent(BURST_P99.difference(each, study.first)),
                f"{len(each.waits.values):,}",
                f"{each.waits.never:,}",
            ]
            for each in study.figures
        ],
    )
    if study.first.burst is None:
        yield Text(sentences=["The load has no burst."])
    elif study.balloon_pairs:
        yield _balloons(study)


def _balloons(study: Study) -> Table:
    return Table(
        caption="Bursts without and with balloons",
        head=[
            "scenario",
            "p99 without, s",
            "p99 with, s",
            "change",
            "node-hours without",
            "node-hours with",
            "of it balloons alone",
        ],
        rows=[
            [
                without.scenario,
                BURST_P99.text(without),
                BURST_P99.text(each),
                percent(BURST_P99.difference(each, without)),
                NODE_HOURS.text(without),
                NODE_HOURS.text(each),
                number(each.total.balloons, 2),
            ]
            for without, each in study.balloon_pairs
        ],
    )


def ends(study: Study) -> Iterator[Block]:
    """Say how the jobs ended."""
    yield Text(
        sentences=[
            "A job counts as interrupted when the status of one of its pods says that "
            "somebody ended it, even when it succeeded at another try.",
            _proof(study),
        ]
    )
    yield Table(
        caption="How the jobs ended",
        head=[
            "scenario",
            "jobs",
            "succeeded",
            "interrupted",
            "unfinished",
            "never seen",
            "balloons ended by others",
            "reasons",
        ],
        rows=[
            [
                each.scenario,
                f"{each.ends.jobs:,}",
                f"{each.ends.succeeded:,}",
                f"{each.ends.interrupted:,}",
                f"{each.ends.unfinished:,}",
                f"{each.ends.unseen:,}",
                f"{each.balloons_displaced:,}",
                ", ".join(f"{why} {n:,}" for why, n in each.ends.reasons.items())
                or NONE,
            ]
            for each in study.figures
        ],
        words=frozenset({0, 7}),
    )


def _proof(study: Study) -> str:
    if any(each.ends.interrupted for each in study.figures):
        return (
            "The scenarios that lost some prove that nodes went from under running "
            "jobs; those that lost none were kept from it."
        )
    return (
        "No scenario lost a job, so that this run does not prove that the protection "
        "does anything: compare with one that is not protected."
    )
