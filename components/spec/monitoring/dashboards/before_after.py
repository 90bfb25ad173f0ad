"""
The dashboard that compares two times: the table of the article for one's own cluster.

The range of the dashboard is the time after a change. The time before has the same
length and lies `$shift` earlier: every expression is asked twice, once with `offset`.
Grafana's own time shift would do nothing for a range between two dates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..rules import Scope
from .figures import Figures, chosen_by_reader, figures
from .panels import Line, graph
from .values import Dashboard, Panel, Query, Section, Variable

__all__ = ["before_after"]

_SHIFTS = "7d,1h,6h,1d,2d,14d,28d,56d,91d"

_HOW_TO_READ = """\
**After** is the range of this dashboard, **before** the same length `$shift` earlier.
Take whole days or weeks, and a shift of whole weeks: jobs follow the clock.
A shift shorter than the range compares a time with itself.

A row is the mean over the minutes of the range, or the highest minute where it says
so; each minute counts the same, however many pods it had.
Two times differ in their load too: look at the job pods that ran before you credit a
change with a difference. Packing buys nodes that come and go with the load and jobs
that are not killed; it does not promise fewer nodes.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Row:
    """
    A line of the table.

    Args:
        title: What it says.
        name: Name of the recording rule.
        over: The function over time.
        by: Labels that tell its rows apart.
        how: How series of the same labels become one.
    """

    title: str
    name: str
    over: str = "avg_over_time"
    by: str = "group"
    how: str = "max"


_OWNED = "group, owner_kind"
_COUNTS = (
    _Row(title="Nodes", name="group:eks_jobs_nodes:count"),
    _Row(
        title="Nodes, groups together",
        name="group:eks_jobs_nodes:count",
        by="",
        how="sum",
    ),
    _Row(title="Nodes, most", name="group:eks_jobs_nodes:count", over="max_over_time"),
    _Row(
        title="Job pods that run",
        name="group_owner:eks_jobs_pods_running:count",
        by=_OWNED,
    ),
    _Row(
        title="Starts on a node in a minute, most",
        name="group:eks_jobs_pods_started:max",
        over="max_over_time",
    ),
    _Row(title="Nodes kept by one pod", name="group:eks_jobs_nodes_with_one_pod:count"),
    _Row(
        title="Job pods interrupted, most at once",
        name="group_owner:eks_jobs_pods_interrupted:count",
        over="max_over_time",
        by=_OWNED,
        how="sum",
    ),
    _Row(
        title="Pulls rejected, most at once",
        name="group:eks_jobs_pulls_rejected:sum",
        over="max_over_time",
    ),
    _Row(title="Balloons", name="group:eks_jobs_balloons:count"),
    _Row(
        title="Pods preempted in an hour",
        name="cluster:eks_jobs_preemption_victims:increase1h",
        by="",
    ),
)
_TIMES = (
    *(
        _Row(
            title=f"{title}, {said}",
            name=f"group_owner:eks_jobs_{metric}_seconds:{operation}",
            over="max_over_time" if operation == "max" else "avg_over_time",
            by=_OWNED,
        )
        for metric, title in (
            ("pending", "Until it starts"),
            ("node_wait", "Until it has a node"),
            ("running", "Running"),
        )
        for operation, said in (("avg", "mean"), ("p99", "p99"), ("max", "longest"))
    ),
    _Row(title="Image pull, mean", name="group:eks_jobs_image_pull_seconds:avg1h"),
    _Row(title="Image pull, p99", name="group:eks_jobs_image_pull_seconds:p99_1h"),
    _Row(title="Kubelet p99, mean", name="group:eks_jobs_pleg_relist_seconds:p99"),
    _Row(
        title="Kubelet p99, longest",
        name="group:eks_jobs_pleg_relist_seconds:p99",
        over="max_over_time",
    ),
)
_SHARES = (
    _Row(
        title="Requested of non-empty nodes",
        name="group:eks_jobs_packing:ratio",
        by="group, resource",
    ),
    _Row(title="Nodes of size.max", name="group:eks_jobs_limit:ratio"),
    _Row(
        title="IOPS of the busiest node, highest",
        name="node:eks_jobs_volume_iops:ratio",
        over="max_over_time",
    ),
    _Row(
        title="Throughput of the busiest node, highest",
        name="node:eks_jobs_volume_throughput:ratio",
        over="max_over_time",
    ),
)

_PICTURES = (
    ("Nodes", "group:eks_jobs_nodes:count", "{{group}}"),
    (
        "Job pods that run",
        "group_owner:eks_jobs_pods_running:count",
        "{{group}} {{owner_kind}}",
    ),
    (
        "Time until a job starts, mean",
        "group_owner:eks_jobs_pending_seconds:avg",
        "{{group}} {{owner_kind}}",
    ),
    (
        "Image pull, mean of an hour",
        "group:eks_jobs_image_pull_seconds:avg1h",
        "{{group}}",
    ),
    (
        "Time that jobs run, mean",
        "group_owner:eks_jobs_running_seconds:avg",
        "{{group}} {{owner_kind}}",
    ),
    ("Packing", "group:eks_jobs_packing:ratio", "{{group}} {{resource}}"),
)


def before_after(scope: Scope) -> Dashboard:
    """
    Return the dashboard that compares two times.

    Args:
        scope: The settings and the cluster; what it does not record is left out.
    """
    known = figures(scope)
    tables = (
        *_table(known, "Nodes and pods", _COUNTS, 11),
        *_table(known, "Times", _TIMES, 15),
        *_table(known, "Shares", _SHARES, 8),
    )
    sections = (
        Section(title="The table", panels=(*tables, _how_to_read())),
        Section(title="Side by side", panels=tuple(_pictures(known))),
    )
    return Dashboard(
        name="eks-jobs-before-after",
        title="Jobs before and after",
        description="The figures of jobs and their nodes, at two times.",
        begin="now-7d",
        refresh="",
        variables=(
            *chosen_by_reader(known),
            Variable(
                name="shift",
                title="Before is earlier by",
                kind="choice",
                values=_SHIFTS,
            ),
        ),
        sections=tuple(one for one in sections if one.panels),
    )


def _how_to_read() -> Panel:
    return Panel(
        kind="text",
        title="How to read it",
        description=_HOW_TO_READ,
        width=24,
        height=6,
    )


def _table(
    known: Figures, title: str, rows: Sequence[_Row], height: int
) -> Iterator[Panel]:
    shown = [row for row in rows if known.has(row.name)]
    if not shown:
        return
    before, after = (
        "\nor ".join(_told(row, _over(known, row, offset)) for row in shown)
        for offset in (" offset $shift", "")
    )
    change = "\nor ".join(_told(row, _change(known, row)) for row in shown)
    unit = known.known[shown[0].name].unit
    yield Panel(
        kind="table",
        title=title,
        description="The same figures at two times.\n\n"
        + known.meaning(*dict.fromkeys(row.name for row in shown)),
        queries=(
            Query(expr=before, legend="Before", unit=unit),
            Query(expr=after, legend="After", unit=unit),
            Query(expr=change, legend="Change", unit="percentunit"),
        ),
        width=24,
        height=height,
        columns=_columns(shown),
    )


def _columns(rows: Sequence[_Row]) -> dict[str, str]:
    titles = {"group": "Group", "owner_kind": "Owner", "resource": "Resource"}
    used = {label for row in rows for label in row.by.split(", ")}
    return {
        "figure": "Figure",
        **{label: title for label, title in titles.items() if label in used},
    }


def _told(row: _Row, expr: str) -> str:
    """Name the figure in a label: it becomes the first column."""
    return f'label_replace({expr}, "figure", "{row.title}", "", "")'


def _over(known: Figures, row: _Row, offset: str) -> str:
    series = f"{known.select(row.name)}[$__range]{offset}"
    by = f" by ({row.by})" if row.by else ""
    return f"{row.how}{by} ({row.over}({series}))"


def _change(known: Figures, row: _Row) -> str:
    before = _over(known, row, " offset $shift")
    return f"{_over(known, row, '')} / ({before} != 0) - 1"


def _pictures(known: Figures) -> Iterator[Panel]:
    for title, name, legend in _PICTURES:
        for when, offset in (("before", " offset $shift"), ("after", "")):
            yield from graph(
                known,
                f"{title}, {when}",
                [Line(name=name, legend=legend, around=f"{{}}{offset}")],
                note="At the times of after, which lie $shift later. "
                if offset
                else "",
                width=12,
            )
