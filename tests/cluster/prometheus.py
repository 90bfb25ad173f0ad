"""A real Prometheus beside a control plane, and what it is asked."""

import json
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from sandbox.control_plane import ControlPlaneError
from sandbox.processes import HOST, free_ports, start, stop, tail

__all__ = ["Prometheus", "Target", "prometheus", "target", "until"]

Target = dict[str, Any]
_READY_SECONDS = 60
_LOOK_SECONDS = 0.5


class Prometheus:
    """
    The HTTP API of a Prometheus.

    Args:
        port: Where it listens.
    """

    def __init__(self, port: int) -> None:
        self._address = f"http://{HOST}:{port}"
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    def is_ready(self) -> bool:
        """Say whether it answers."""
        try:
            with self._open(f"{self._address}/-/ready", timeout=2):
                return True
        except OSError:
            return False

    def query(self, expression: str) -> list[tuple[dict[str, str], float]]:
        """Return the samples of an expression now, with their labels."""
        query = urllib.parse.urlencode({"query": expression})
        found = self._get(f"/api/v1/query?{query}")["result"]
        return [(one["metric"], float(one["value"][1])) for one in found]

    def rules(self) -> list[dict[str, Any]]:
        """Return all rules with what became of them."""
        groups = self._get("/api/v1/rules")["groups"]
        return [rule for group in groups for rule in group["rules"]]

    def _get(self, path: str) -> Any:
        with self._open(f"{self._address}{path}", timeout=10) as answer:
            return json.load(answer)["data"]


def target(name: str, port: int, *, token: str | None = None, **more: Any) -> Target:
    """
    Return a scrape of something on this machine.

    Args:
        name: Name of the job.
        port: Its port; with a token it is asked over TLS.
        token: Who asks, as a bearer token.
        more: More of the configuration of the scrape.
    """
    secure = {
        "scheme": "https",
        "authorization": {"credentials": token},
        "tls_config": {"insecure_skip_verify": True},
    }
    return {
        "job_name": name,
        "static_configs": [{"targets": [f"{HOST}:{port}"]}],
        **(secure if token else {}),
        **more,
    }


@contextmanager
def prometheus(
    program: Path, state: Path, targets: Sequence[Target], rules: str
) -> Generator[Prometheus]:
    """
    Run Prometheus; it looks every second.

    Args:
        program: Prometheus.
        state: Folder for its data, configuration and log.
        targets: What it scrapes.
        rules: The rule file.

    Raises:
        ControlPlaneError: It ended early or was not ready in a minute.
    """
    (port,) = free_ports(1)
    config, log = state / "prometheus.yaml", state / "prometheus.log"
    (state / "rules.yaml").write_text(rules)
    settings: Mapping[str, Any] = {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s"},
        "rule_files": ["rules.yaml"],
        "scrape_configs": list(targets),
    }
    config.write_text(yaml.safe_dump(settings))
    arguments = (
        f"--config.file={config}",
        f"--storage.tsdb.path={state / 'prometheus'}",
        f"--web.listen-address={HOST}:{port}",
    )
    process, running = start(program, arguments, log), Prometheus(port)
    try:
        end = time.monotonic() + _READY_SECONDS
        while not running.is_ready():
            if process.poll() is not None or time.monotonic() > end:
                raise ControlPlaneError(f"prometheus is not ready:\n{tail(log)}")
            time.sleep(_LOOK_SECONDS)
        yield running
    finally:
        stop(process)


def until(condition: Callable[[], bool], what: str, seconds: float) -> None:
    """
    Wait until something holds.

    Raises:
        TimeoutError: It does not, in that time.
    """
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not in {seconds} s")
        time.sleep(_LOOK_SECONDS)
