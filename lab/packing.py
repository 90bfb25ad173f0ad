"""How job pods are packed, as a document: `python -m lab.packing`."""

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.placement import (
    ALLOCATABLE,
    PACKINGS,
    REQUESTS,
    Run,
    measure,
    scheduler_config,
)
from sandbox.builder import BuildError
from sandbox.cluster_api import ClusterApi
from sandbox.control_plane import ControlPlane, ControlPlaneError
from sandbox.control_plane_tools import BUNDLES, programs, versions

__all__ = ["TABLES", "Table", "document"]

_PROGRAMS = ("etcd", "kube-apiserver", "kube-scheduler")

_HEAD = """\
# How job pods are packed

Pods per node, most first, measured on kube-scheduler {kubernetes} with the native job \
policy in a real API server.
Made by `.venv/bin/python -m lab.packing --out docs/packing.md`, which builds what it \
needs and then takes about a minute.

The pods come one after the other, through the policy.
Each of the 5 nodes offers {cpu} CPU, {memory} of memory and, where nothing else is \
said, 60 pods.

| packing | what packs |
| --- | --- |
| none | nothing: the scheduler's default, LeastAllocated |
| affinity | the term that the policy appends |
| scheduler | MostAllocated, cpu 1 and memory 1 |
| both | the term and MostAllocated |
"""

_TAIL = """\
## How to read it

* The affinity packs whatever pods ask for, also nothing.
* MostAllocated does as well here, and that belongs to the version: this scheduler \
draws no lots between nodes of the same score, and scores what a pod does to the \
balance of a node instead of the balance itself. On 1.34.1 an earlier trial left pods \
without requests at 10 5 5 5 5, and pods of 1 CPU at 15 7 3 3 2.
* The affinity counts pods and knows no size: a node of many small pods draws more \
than one of few large pods, until maxPods or the requests stop it.
* Without the namespace selector each namespace is packed by itself, and ten of them \
together look spread.
* The rows with affinity do not depend on luck, and a test holds them to this page. \
The others can differ from run to run.

## What this does not show

No kubelet runs, so pulls, disks and addresses of the busiest node are not loaded.
No pod ends and no autoscaler adds or takes a node: what packing saves over a day is \
another measurement.
From 100 nodes on the scheduler scores a part of them, and packing gets less exact.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """
    Measurements beside each other.

    Args:
        title: Heading.
        text: What is measured, one sentence a line.
        corner: What the names of the rows are.
        rows: Measurements, by the names of row and column.
    """

    title: str
    text: str
    corner: str
    rows: Mapping[str, Mapping[str, Run]]

    def lines(self, results: Mapping[Run, Sequence[int]]) -> dict[str, str]:
        """Return the rows as Markdown by name, those that were measured whole."""
        return {
            name: _line([name, *(_counts(results[run]) for run in runs.values())])
            for name, runs in self.rows.items()
            if results.keys() >= set(runs.values())
        }


def _by_request(**changes: Any) -> dict[str, dict[str, Run]]:
    return {
        packing: {
            request: Run(packing=packing, request=request, **changes)
            for request in REQUESTS
        }
        for packing in PACKINGS
    }


TABLES = (
    Table(
        title="From empty nodes",
        text="30 pods on 5 empty nodes.",
        corner="packing",
        rows=_by_request(),
    ),
    Table(
        title="From nodes in use",
        text=(
            "30 more pods on 5 nodes that hold 20, 7, 3, 1 and 0 job pods.\n"
            "A node that is left over holds no pod, and an autoscaler can take it."
        ),
        corner="packing",
        rows=_by_request(start=(3, 20, 7, 1, 0)),
    ),
    Table(
        title="Jobs of ten namespaces",
        text="30 pods, three from each of ten namespaces, on 5 empty nodes.",
        corner="affinity_scope",
        rows={
            scope: {"100m": Run(packing="affinity", namespaces=10, scope=scope)}
            for scope in ("all-namespaces", "own-namespace")
        },
    ),
    Table(
        title="Full nodes",
        text="150 pods without requests on 5 empty nodes: maxPods alone is the brake.",
        corner="packing",
        rows={
            "affinity": {
                f"maxPods {limit}": Run(
                    packing="affinity",
                    request="no request",
                    pods=150,
                    pods_per_node=limit,
                )
                for limit in (60, 110)
            }
        },
    ),
)
"""What `docs/packing.md` shows."""


def document(results: Mapping[Run, Sequence[int]]) -> str:
    """Return `docs/packing.md`."""
    head = _HEAD.format(
        kubernetes=versions()["kube-scheduler"],
        cpu=ALLOCATABLE["cpu"],
        memory=ALLOCATABLE["memory"],
    )
    return "\n".join([head, *(_section(table, results) for table in TABLES), _TAIL])


def main(arguments: Sequence[str]) -> int:
    """Measure everything, and print or write the document."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.packing", description=str(__doc__).strip().splitlines()[0]
    )
    parser.add_argument("--out", type=Path, help="file to write instead of printing")
    out = parser.parse_args(arguments).out
    try:
        text = document(_measure_all())
    except (BuildError, ControlPlaneError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if out is None:
        print(text, end="")
    else:
        out.write_text(text)
    return 0


def _measure_all() -> dict[Run, tuple[int, ...]]:
    needed = [bundle for bundle in BUNDLES if bundle.name in _PROGRAMS]
    runs = [
        run for table in TABLES for row in table.rows.values() for run in row.values()
    ]
    with (
        tempfile.TemporaryDirectory() as state,
        ControlPlane(
            programs=programs(os.environ, needed),
            state=Path(state),
            components=("kube-scheduler",),
            scheduler_config=scheduler_config(),
        ) as control_plane,
    ):
        return measure(ClusterApi(control_plane.kubeconfig), runs)


def _section(table: Table, results: Mapping[Run, Sequence[int]]) -> str:
    columns = list(next(iter(table.rows.values())))
    head = [_line([table.corner, *columns]), _line(["---"] * (len(columns) + 1))]
    rows = table.lines(results).values()
    return "\n".join([f"## {table.title}", "", table.text, "", *head, *rows, ""])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _counts(counts: Sequence[int]) -> str:
    """Show the nodes that hold pods."""
    return " ".join(str(count) for count in counts if count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
