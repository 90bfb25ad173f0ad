"""Threads that tell an observer what the API server says."""

import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kubernetes.client import ApiClient, Configuration, CoreV1Api, CustomObjectsApi
from kubernetes.config import load_kube_config
from kubernetes.watch import Watch

from lab.observer import Observer

__all__ = ["WatchError", "placements", "watched"]

# A watch that says nothing is looked at again, to see whether it is still wanted.
_LOOK_SECONDS = 2

_CLAIMS = ("karpenter.sh", "v1", "nodeclaims")

Told = Callable[[str, Mapping[str, Any]], None]


class WatchError(Exception):
    """What was seen has a hole: the API server could not be watched any more."""


class _Watcher(threading.Thread):
    """Tells of one kind of objects until it is stopped."""

    def __init__(self, listing: Callable[..., Any], told: Told) -> None:
        super().__init__(daemon=True)
        self._list = listing
        self._told = told
        self.stopped = threading.Event()
        self.problem: str | None = None

    def run(self) -> None:
        try:
            version = "0"
            while not self.stopped.is_set():
                version = self._look(version)
        except Exception as error:
            # Whatever it was, nobody sees what comes after it.
            if not self.stopped.is_set():
                self.problem = f"{type(error).__name__}: {error}"

    def _look(self, version: str) -> str:
        stream = Watch().stream(
            self._list,
            resource_version=version,
            timeout_seconds=_LOOK_SECONDS,
            allow_watch_bookmarks=True,
            deserialize=False,
        )
        for event in stream:
            version = event["object"]["metadata"]["resourceVersion"]
            if event["type"] != "BOOKMARK":
                self._told(event["type"], event["object"])
            if self.stopped.is_set():
                break
        return version


@contextmanager
def watched(kubeconfig: Path, observer: Observer) -> Generator[Callable[[], None]]:
    """
    Let an observer see pods, nodes and NodeClaims of a cluster.

    Yields a function that raises `WatchError` when something was missed.
    """
    core, custom = CoreV1Api(_client(kubeconfig)), CustomObjectsApi(_client(kubeconfig))

    def claims(**options: Any) -> Any:
        return custom.list_cluster_custom_object(*_CLAIMS, **options)

    watchers = [
        _Watcher(core.list_pod_for_all_namespaces, observer.pod),
        _Watcher(core.list_node, observer.node),
        _Watcher(claims, observer.claim),
    ]
    with _running(watchers) as check:
        yield check


@contextmanager
def placements(kubeconfig: Path) -> Generator[Callable[[], list[float]]]:
    """Yield a function that returns the time of each pod that got a node since."""
    core = CoreV1Api(_client(kubeconfig))
    placed: dict[str, float] = {}

    def bound(**options: Any) -> Any:
        selector = "spec.nodeName!="
        return core.list_pod_for_all_namespaces(field_selector=selector, **options)

    def told(_: str, pod: Mapping[str, Any]) -> None:
        placed.setdefault(pod["metadata"]["uid"], time.monotonic())

    with _running([_Watcher(bound, told)]) as check:

        def times() -> list[float]:
            check()
            return list(placed.values())

        yield times


@contextmanager
def _running(watchers: Sequence[_Watcher]) -> Generator[Callable[[], None]]:
    def check() -> None:
        for watcher in watchers:
            if watcher.problem is not None:
                raise WatchError(watcher.problem)

    for watcher in watchers:
        watcher.start()
    try:
        yield check
    finally:
        for watcher in watchers:
            watcher.stopped.set()
        for watcher in watchers:
            watcher.join(2 * _LOOK_SECONDS)


def _client(kubeconfig: Path) -> ApiClient:
    configuration = Configuration()
    load_kube_config(str(kubeconfig), client_configuration=configuration)
    # The API server is on this machine; a proxy of the user's shell is not asked.
    configuration.proxy = None
    return ApiClient(configuration)
