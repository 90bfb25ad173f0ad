"""What a load needs at best: the lab's bounds, in the units of the report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lab.bounds import Bound, best_fit, ideal
from lab.model import Load, NodeShape
from lab.node_life import Steps, sum_steps

__all__ = ["Reference", "references"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reference:
    """
    What a load would need under a thought.

    Args:
        name: Short.
        meaning: What is thought, a sentence.
        node_hours: By job group.
        paid: What scenarios are compared by, as `Figures.paid`.
        nodes: Nodes over time, of all groups.
    """

    name: str
    meaning: str
    node_hours: Mapping[str, float]
    paid: float
    nodes: Steps

    @property
    def total(self) -> float:
        """Node-hours of all groups."""
        return sum(self.node_hours.values())


def references(load: Load, shapes: Sequence[NodeShape]) -> tuple[Reference, Reference]:
    """
    Return what the load needs when pods may move, and when they stay.

    Raises:
        ValueError: A job fits no node.
    """
    return (
        _reference(
            ideal(load, shapes),
            "Each job starts at once and running pods may move: a bound that nobody "
            "reaches who does not interrupt jobs.",
        ),
        _reference(
            best_fit(load, shapes),
            "Each job starts at once on the fullest node with room and stays there; "
            "nodes come and go at once.",
        ),
    )


def _reference(bound: Bound, meaning: str) -> Reference:
    return Reference(
        name=bound.name,
        meaning=meaning,
        node_hours={
            group: seconds / 3600 for group, seconds in bound.node_seconds.items()
        },
        paid=bound.paid / 3600,
        nodes=sum_steps(bound.nodes.values()),
    )
