"""What was seen of a cluster while a story was told."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.cluster_api import ClusterApi

__all__ = ["History"]

_LOOK_SECONDS = 0.3


class History:
    """
    Objects as they were when they were seen last.

    Args:
        api: The cluster.
        kinds: API version, and the namespace of those that have one, by kind.
    """

    def __init__(
        self, api: ClusterApi, kinds: Mapping[str, tuple[str, str | None]]
    ) -> None:
        self._api = api
        self._kinds = kinds
        self._last: dict[str, dict[str, dict[str, Any]]] = {}
        self._present: dict[str, set[str]] = {}

    def look(self) -> None:
        """Take in what is there now."""
        for kind, (version, space) in self._kinds.items():
            metadata = {} if space is None else {"namespace": space}
            found = self._api.items(
                {"apiVersion": version, "kind": kind, "metadata": metadata}
            )
            named = {one["metadata"]["name"]: one for one in found}
            self._last.setdefault(kind, {}).update(named)
            self._present[kind] = set(named)

    def all(self, kind: str) -> list[dict[str, Any]]:
        """Return every object of a kind that ever was seen."""
        return list(self._last[kind].values())

    def one(self, kind: str, name: str) -> dict[str, Any]:
        """Return an object that was seen."""
        return self._last[kind][name]

    def names(self, kind: str) -> set[str]:
        """Return the names of those that were there at the last look."""
        return set(self._present[kind])

    def is_gone(self, kind: str, name: str) -> bool:
        """Say whether an object was seen, and is not there any more."""
        return name in self._last[kind] and name not in self._present[kind]

    def until(self, condition: Callable[[], bool], what: str, end: float) -> None:
        """
        Look until something holds.

        Args:
            condition: What shall hold.
            what: Its name, for the message.
            end: When to give up, by the monotonic clock.

        Raises:
            TimeoutError: It does not hold at *end*.
        """
        self.look()
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: not in time")
            time.sleep(_LOOK_SECONDS)
            self.look()
