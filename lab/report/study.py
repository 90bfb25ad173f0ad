"""What a report is made of: runs of one load, and what it was measured against."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from components.spec.problems import duplicates, refuse
from lab.figures import Figures, figures
from lab.losses import Loss, losses
from lab.model import WITH_BALLOONS, Load, NodeShape, ScenarioRun
from lab.report.references import Reference, references

__all__ = ["MEANING", "Study", "Throughput"]

MEANING = "scenario"
"""The fact of a run that says what its scenario is."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Throughput:
    """
    How fast the scheduler placed pods, in time of the machine that ran it.

    Args:
        packing: What it packed by: none, affinity, scheduler or both.
        nodes: How many there were.
        pods: How many it placed.
        seconds: How long that took, more than 0.

    Raises:
        ValueError: No time passed.
    """

    packing: str
    nodes: int
    pods: int
    seconds: float

    def __post_init__(self) -> None:
        if self.seconds <= 0:
            raise ValueError(
                f"seconds must be more than 0, got seconds={self.seconds:g}"
            )

    @property
    def pods_per_second(self) -> float:
        """Pods placed in a second."""
        return self.pods / self.seconds


@dataclass(frozen=True, kw_only=True)
class Study:
    """
    Scenarios that replayed one load; the first is what the others are compared with.

    Args:
        runs: What was seen of each scenario.
        load: What was replayed.
        shapes: What the nodes offer.
        scenarios: What each scenario is, in a sentence, by its name.
        throughput: Measurements of the scheduler alone.
        notes: Anything that a reader must know, a sentence each.
        command: What repeats it.
        versions: Of the programs that took part, by their names.

    Raises:
        ValueError: No run, or two of one scenario.
    """

    runs: tuple[ScenarioRun, ...]
    load: Load
    shapes: tuple[NodeShape, ...]
    scenarios: Mapping[str, str] = field(default_factory=dict)
    throughput: tuple[Throughput, ...] = ()
    notes: tuple[str, ...] = ()
    command: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.runs:
            raise ValueError("runs must hold at least one scenario, got none")
        refuse(duplicates("runs", [run.scenario for run in self.runs]))

    @cached_property
    def figures(self) -> tuple[Figures, ...]:
        """Each scenario in numbers, in the order of the runs."""
        return tuple(figures(run, self.load) for run in self.runs)

    @property
    def first(self) -> Figures:
        """What the others are compared with."""
        return self.figures[0]

    @cached_property
    def references(self) -> tuple[Reference, Reference]:
        """What the load would need at best: the ideal, and the best fit."""
        return references(self.load, self.shapes)

    @cached_property
    def losses(self) -> tuple[Loss, ...]:
        """What each delay and each rule costs, by the model of the lab."""
        return losses(self.load, self.shapes)

    @property
    def balloon_pairs(self) -> tuple[tuple[Figures, Figures], ...]:
        """Scenarios without and with balloons, of those that ran both ways."""
        by_name = {each.scenario: each for each in self.figures}
        return tuple(
            (by_name[name.removesuffix(WITH_BALLOONS)], each)
            for name, each in by_name.items()
            if name.endswith(WITH_BALLOONS)
            and name.removesuffix(WITH_BALLOONS) in by_name
        )

    def meaning(self, run: ScenarioRun) -> str:
        """Say what a scenario is; its own facts may tell too."""
        return self.scenarios.get(run.scenario) or run.facts.get(MEANING, "")

    @property
    def groups(self) -> tuple[str, ...]:
        """The job groups of the load and of the nodes, sorted."""
        return tuple(sorted({group for each in self.figures for group in each.use}))
