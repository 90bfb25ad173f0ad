"""A Prometheus that holds the past: series are written into it, rules as well."""

import json
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from components.spec.monitoring.promql import names
from lab.panels.told import STEP, Told
from sandbox.processes import HOST, free_ports, start, stop, tail

__all__ = ["Past", "past", "steps"]

Points = list[tuple[float, float]]
# Of this machine: no proxy is asked.
_open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
_READY_SECONDS = 60
_LOOK_SECONDS = 0.2


@dataclass(frozen=True, kw_only=True, slots=True)
class Past:
    """
    What a Prometheus knows.

    Args:
        address: Where it listens.
    """

    address: str

    def over_time(
        self, expression: str, begin: int, end: int
    ) -> list[tuple[dict[str, str], Points]]:
        """Return the series of an expression, with their labels."""
        found = self._ask(
            "query_range", query=expression, start=begin, end=end, step=STEP
        )
        return [
            (one["metric"], [(at, float(value)) for at, value in one["values"]])
            for one in found
        ]

    def at(self, expression: str, when: int) -> list[tuple[dict[str, str], float]]:
        """Return the values of an expression at a time, with their labels."""
        found = self._ask("query", query=expression, time=when)
        return [(one["metric"], float(one["value"][1])) for one in found]

    def is_ready(self) -> bool:
        """Say whether it answers."""
        try:
            with _open(f"{self.address}/-/ready", timeout=2):
                return True
        except OSError:
            return False

    def _ask(self, what: str, **parameters: Any) -> Any:
        body = urllib.parse.urlencode(parameters).encode()
        with _open(f"{self.address}/api/v1/{what}", body) as answer:
            return json.load(answer)["data"]["result"]


@contextmanager
def past(
    programs: Mapping[str, Path],
    folder: Path,
    runs: Sequence[Told],
    groups: Sequence[Mapping[str, Any]],
) -> Generator[Past]:
    """
    Run a Prometheus in which runs of the lab are past, with what rules record.

    Rules of the past see only what is in blocks: those that read the results of others
    are evaluated after them, in as many steps as it takes.

    Args:
        programs: `prometheus` and `promtool`.
        folder: Empty folder for all files.
        runs: The runs.
        groups: Groups of a rule file; alerts in them are left out.

    Raises:
        RuntimeError: Prometheus did not take something.
    """
    tell = partial(_write, programs["promtool"], folder)
    tell("series", (line for run in runs for line in run.lines()))
    for number, rules in enumerate(steps(groups)):
        with _serving(programs["prometheus"], folder) as serving:
            recorded = [
                line
                for run in runs
                for rule in rules
                for line in _recorded(serving, rule, run)
            ]
        tell(f"rules-{number}", recorded)
    with _serving(programs["prometheus"], folder) as serving:
        yield serving


def _recorded(serving: Past, rule: Mapping[str, Any], run: Told) -> Iterator[str]:
    """
    Return what a rule records.

    promtool writes rules of the past too, at times that follow from the path of the
    rule file: each step would see the one before a little later, and never twice alike.
    """
    for found, points in serving.over_time(rule["expr"], run.begin, run.end):
        labels = {**found, **rule.get("labels", {})}
        labels.pop("__name__", None)
        series = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
        for at, value in points:
            yield f"{rule['record']}{{{series}}} {value} {at:.0f}"


def _write(promtool: Path, folder: Path, name: str, lines: Iterable[str]) -> None:
    file = folder / f"{name}.txt"
    file.write_text("".join(f"{line}\n" for line in (*lines, "# EOF")))
    arguments = ("tsdb", "create-blocks-from", "openmetrics", file, folder / "data")
    done = subprocess.run(
        [promtool, *arguments], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"promtool does not take {file}: {done.stderr}")


def steps(groups: Sequence[Mapping[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """
    Order recording rules into steps, each of which reads only earlier ones.

    Raises:
        RuntimeError: There is no such order.
    """
    left = [rule for group in groups for rule in group["rules"] if "record" in rule]
    while left:
        missing = {rule["record"] for rule in left}
        ready = [rule for rule in left if not missing & set(names(rule["expr"]))]
        if not ready:
            raise RuntimeError(f"rules read each other: {', '.join(sorted(missing))}")
        yield ready
        left = [rule for rule in left if rule not in ready]


@contextmanager
def _serving(program: Path, folder: Path) -> Generator[Past]:
    (port,) = free_ports(1)
    (folder / "prometheus.yaml").write_text("{}\n")
    log = folder / "prometheus.log"
    arguments = (
        f"--config.file={folder / 'prometheus.yaml'}",
        f"--storage.tsdb.path={folder / 'data'}",
        "--storage.tsdb.retention.time=100y",
        f"--web.listen-address={HOST}:{port}",
        # What is gone is gone: files cannot say that a series ended.
        f"--query.lookback-delta={STEP + 1}s",
    )
    process, serving = (
        start(program, arguments, log),
        Past(address=f"http://{HOST}:{port}"),
    )
    try:
        end = time.monotonic() + _READY_SECONDS
        while not serving.is_ready():
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"prometheus is not ready:\n{tail(log)}")
            time.sleep(_LOOK_SECONDS)
        yield serving
    finally:
        stop(process)
