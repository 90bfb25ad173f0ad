"""The figures that scenarios are compared by: one definition for every output."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lab.figures import Figures

__all__ = [
    "BALLOONS",
    "BURST_P99",
    "COST",
    "CPU",
    "EMPTY",
    "EMPTY_HOURS",
    "INTERRUPTED",
    "MEASURES",
    "MEMORY",
    "NODE_HOURS",
    "NODE_USE",
    "NONE",
    "PAID",
    "PEAK_NODES",
    "PENDING_MAX",
    "PENDING_MEAN",
    "PENDING_P50",
    "PENDING_P95",
    "PENDING_P99",
    "SCALE_IN_MEAN",
    "SCALE_IN_P95",
    "STARTING",
    "STORM",
    "UNUSED",
    "VCPU_HOURS",
    "Measure",
    "cost",
    "difference",
    "head",
    "multiple",
    "number",
    "percent",
    "row",
]

NONE = "\N{EN DASH}"
"""What stands where there is no figure."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """
    A figure of a scenario.

    Args:
        key: Its name in `report.json`.
        title: Its heading, with the unit.
        value: Computes it; None where there is none.
        digits: After the point.
    """

    key: str
    title: str
    value: Callable[[Figures], float | None]
    digits: int = 1

    def text(self, figures: Figures) -> str:
        """Return the figure of a scenario for people."""
        return number(self.value(figures), self.digits)

    def difference(self, figures: Figures, first: Figures) -> float | None:
        """Return by how many percent a scenario is above the first."""
        return difference(self.value(figures), self.value(first))


def difference(value: float | None, base: float | None) -> float | None:
    """Return by how many percent *value* is above *base*, None without a base."""
    if value is None or not base:
        return None
    return 100.0 * (value - base) / base


def number(value: float | None, digits: int = 1) -> str:
    """Write a number for people; a dash for None."""
    return NONE if value is None else f"{value:,.{digits}f}"


def percent(value: float | None) -> str:
    """Write a difference in percent with its sign; a dash for None."""
    if value is None:
        return NONE
    text = f"{value:+.1f} %"
    return "0.0 %" if text in {"+0.0 %", "-0.0 %"} else text


def multiple(value: float, base: float) -> str:
    """Write how many times *base* a value is; a dash without a base."""
    return number(value / base if base else None, 2)


def _waits(share: int) -> Callable[[Figures], float | None]:
    return lambda figures: figures.waits.percentile(share)


def _burst(figures: Figures) -> float | None:
    return None if figures.burst is None else figures.burst.waits.percentile(99)


def _part(numerator: float, whole: float) -> float:
    return 100.0 * numerator / whole if whole else 0.0


NODE_HOURS = Measure(
    key="node_hours", title="node-hours", value=lambda f: f.total.total, digits=2
)
COST = Measure(key="cost_usd", title="USD", value=lambda f: f.cost.usd, digits=2)
VCPU_HOURS = Measure(
    key="vcpu_hours",
    title="vCPU-hours",
    value=lambda f: sum(f.vcpu_hours.values()),
)
PAID = Measure(key="paid", title="paid", value=lambda f: f.paid)
PEAK_NODES = Measure(
    key="peak_nodes", title="most nodes", value=lambda f: f.peak_nodes, digits=0
)

PENDING_MEAN = Measure(
    key="pending_mean_seconds", title="mean, s", value=lambda f: f.waits.mean
)
PENDING_P50 = Measure(key="pending_p50_seconds", title="p50, s", value=_waits(50))
PENDING_P95 = Measure(key="pending_p95_seconds", title="p95, s", value=_waits(95))
PENDING_P99 = Measure(key="pending_p99_seconds", title="p99, s", value=_waits(99))
PENDING_MAX = Measure(key="pending_max_seconds", title="max, s", value=_waits(100))
BURST_P99 = Measure(key="burst_p99_seconds", title="p99 of bursts, s", value=_burst)

INTERRUPTED = Measure(
    key="jobs_interrupted",
    title="interrupted",
    value=lambda f: f.ends.interrupted,
    digits=0,
)
STORM = Measure(
    key="most_starts_per_node_minute",
    title="most starts",
    value=lambda f: f.storm.pods,
    digits=0,
)
CPU = Measure(
    key="cpu_percent", title="CPU, %", value=lambda f: 100 * f.utilisation.cpu
)
MEMORY = Measure(
    key="memory_percent", title="memory, %", value=lambda f: 100 * f.utilisation.memory
)
EMPTY_HOURS = Measure(
    key="empty_node_hours",
    title="empty, node-hours",
    value=lambda f: f.total.empty,
    digits=2,
)
EMPTY = Measure(
    key="empty_percent",
    title="empty, %",
    value=lambda f: _part(f.total.empty, f.total.total),
)
STARTING = Measure(
    key="starting_percent",
    title="starting, %",
    value=lambda f: _part(f.total.starting, f.total.total),
)
BALLOONS = Measure(
    key="balloon_percent",
    title="balloons alone, %",
    value=lambda f: _part(f.total.balloons, f.total.total),
)
SCALE_IN_MEAN = Measure(
    key="scale_in_mean_seconds",
    title="scale-in, mean s",
    value=lambda f: f.scale_in.mean,
)
SCALE_IN_P95 = Measure(
    key="scale_in_p95_seconds", title="scale-in, p95 s", value=lambda f: f.scale_in.p95
)
UNUSED = Measure(
    key="unused_nodes",
    title="nodes without a job",
    value=lambda f: f.scale_in.unused,
    digits=0,
)

NODE_USE = (
    CPU,
    MEMORY,
    EMPTY_HOURS,
    EMPTY,
    STARTING,
    BALLOONS,
    SCALE_IN_MEAN,
    SCALE_IN_P95,
    UNUSED,
)
"""What nodes were used for, and how fast they went."""

MEASURES = (
    NODE_HOURS,
    COST,
    VCPU_HOURS,
    PAID,
    PEAK_NODES,
    PENDING_MEAN,
    PENDING_P50,
    PENDING_P95,
    PENDING_P99,
    PENDING_MAX,
    BURST_P99,
    INTERRUPTED,
    STORM,
    *NODE_USE,
)
"""All of them, in the order of `report.json`."""


def cost(figures: Figures) -> str:
    """Write what a scenario costs; never 0 for want of a price."""
    return "no price" if figures.cost.unpriced else COST.text(figures)


def head(measures: Sequence[Measure]) -> list[str]:
    """Return the headings of rows: of the scenario and of its figures."""
    return ["scenario", *(measure.title for measure in measures)]


def row(figures: Figures, *measures: Measure) -> list[str]:
    """Return the cells of a scenario: its name and its figures."""
    return [figures.scenario, *(measure.text(figures) for measure in measures)]
