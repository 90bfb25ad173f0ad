"""What the report says about nodes."""

from collections.abc import Iterator

from lab.figures import Figures
from lab.report import plots
from lab.report.blocks import Block, Picture, Table, Text
from lab.report.measures import (
    NODE_HOURS,
    NODE_USE,
    NONE,
    PAID,
    PEAK_NODES,
    VCPU_HOURS,
    cost,
    head,
    multiple,
    number,
    percent,
    row,
)
from lab.report.study import Study

__all__ = ["costs", "losses", "nodes", "of_references", "storm", "use"]


def costs(study: Study) -> Iterator[Block]:
    """Say what the nodes cost, against the first scenario and the references."""
    yield Text(
        sentences=[
            "A node is paid for from its request to its end, whatever it does.",
            "Differences are of vCPU-hours, which weigh large nodes more; where nodes "
            "are of one size, those of node-hours are the same.",
        ]
    )
    yield Picture(
        name="costs",
        caption="Node-hours by what the node did: it ran jobs, balloons alone held it, "
        "it started, or it was empty.",
        says="; ".join(
            f"{each.scenario} {NODE_HOURS.text(each)} node-hours"
            for each in study.figures
        ),
        svg=plots.svg("costs", plots.costs, study),
    )
    yield _costs_table(study)
    unpriced = sorted({name for each in study.figures for name in each.cost.unpriced})
    if unpriced:
        yield Text(sentences=[f"No price for {', '.join(unpriced)}."])
    yield Table(
        caption="What the load needs by reference",
        head=[
            "reference",
            *(f"{group}, node-hours" for group in study.groups),
            "node-hours",
            f"times {study.references[1].name}",
            "what is thought",
        ],
        rows=[
            [
                each.name,
                *(number(each.node_hours.get(group), 2) for group in study.groups),
                number(each.total, 2),
                multiple(each.paid, study.references[1].paid),
                each.meaning,
            ]
            for each in study.references
        ],
        words=frozenset({0, 3 + len(study.groups)}),
    )


def _costs_table(study: Study) -> Table:
    return Table(
        caption="Node-hours and cost",
        head=[
            "scenario",
            *(f"{group}, node-hours" for group in study.groups),
            "all",
            VCPU_HOURS.title,
            f"to {study.first.scenario}",
            *(f"times {reference.name}" for reference in study.references),
            "USD",
            "of it balloons alone, USD",
        ],
        rows=[
            [
                each.scenario,
                *(_group_hours(each, group) for group in study.groups),
                *row(each, NODE_HOURS, VCPU_HOURS)[1:],
                percent(PAID.difference(each, study.first)),
                *of_references(each, study),
                cost(each),
                number(each.cost.balloons, 2),
            ]
            for each in study.figures
        ],
    )


def losses(study: Study) -> list[Block]:
    """Say what each delay and each rule costs."""
    text = Text(
        sentences=[
            "The same load by a model of scheduler and scaler, which changes one thing "
            "at a time.",
            "It says where the way from the ideal to a cluster goes; what was measured "
            "stands above.",
        ]
    )
    table = Table(
        caption="What the load costs by the model, in multiples",
        head=["what is different", "times ideal", "times best fit"],
        rows=[
            [
                each.text,
                number(each.against_ideal, 2),
                number(each.against_best_fit, 2),
            ]
            for each in study.losses
        ],
    )
    return [text, table]


def _group_hours(each: Figures, group: str) -> str:
    return number(each.use[group].total if group in each.use else None, 2)


def nodes(study: Study) -> Iterator[Block]:
    """Show the nodes over time."""
    yield Picture(
        name="nodes",
        caption=f"Nodes that exist, over time. Grey: {study.references[1].name}.",
        says="; ".join(
            f"{each.scenario} {each.peak_nodes} nodes at most" for each in study.figures
        ),
        svg=plots.svg("nodes", plots.nodes, study),
    )


def use(study: Study) -> Iterator[Block]:
    """Say what the nodes were used for, and how fast they go."""
    yield Text(
        sentences=[
            "Requests of job pods as a share of what nodes offer over their life.",
            "Scale-in is the time from the end of a node's last job to the end of the "
            "node.",
        ]
    )
    yield Table(
        caption="Use of nodes",
        head=[
            *head(NODE_USE[:2]),
            "balloons CPU, %",
            "balloons memory, %",
            *head(NODE_USE[2:])[1:],
        ],
        rows=[
            [
                *row(each, *NODE_USE[:2]),
                number(100 * each.utilisation.balloon_cpu),
                number(100 * each.utilisation.balloon_memory),
                *row(each, *NODE_USE[2:])[1:],
            ]
            for each in study.figures
        ],
    )


def storm(study: Study) -> Iterator[Block]:
    """Say how many pods a node starts at once."""
    yield Text(
        sentences=[
            "The most pods that one node started within any 60 seconds of the load: "
            "what its kubelet, its disk and the registry have to bear.",
        ]
    )
    yield Table(
        caption="Pods started on one node within a minute",
        head=["scenario", "most", "minute of the load", PEAK_NODES.title],
        rows=[
            [
                each.scenario,
                f"{each.storm.pods:,}",
                number(each.storm.at / 60) if each.storm.pods else NONE,
                PEAK_NODES.text(each),
            ]
            for each in study.figures
        ],
    )


def of_references(each: Figures, study: Study) -> list[str]:
    """Return how many times each reference a scenario is."""
    return [multiple(each.paid, reference.paid) for reference in study.references]
