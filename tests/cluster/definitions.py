"""CustomResourceDefinitions that are installed for as long as a test needs them."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sandbox.cluster_api import ClusterApi, RefusedError, wait_until

__all__ = ["installed"]


@contextmanager
def installed(api: ClusterApi, crds: Sequence[Mapping[str, Any]]) -> Generator[None]:
    """
    Hold definitions installed; objects of them can be created.

    Raises:
        RefusedError: A definition was not accepted.
        TimeoutError: Objects of one are not served, or one of before does not go.
    """
    created = []
    try:
        for crd in crds:
            # That of another test may still be on its way out.
            name = crd["metadata"]["name"]
            wait_until(lambda crd=crd: not api.exists(crd), f"{name} gone")
            api.create(crd)
            created.append(crd)
        for crd in crds:
            name = crd["metadata"]["name"]
            wait_until(lambda crd=crd: _is_served(api, crd), f"{name} served")
        yield
    finally:
        for crd in created:
            api.delete(crd)


def _is_served(api: ClusterApi, crd: Mapping[str, Any]) -> bool:
    spec = crd["spec"]
    version = next(one["name"] for one in spec["versions"] if one["served"])
    kind = {"apiVersion": f"{spec['group']}/{version}", "kind": spec["names"]["kind"]}
    try:
        api.items({**kind, "metadata": {}})
    except RefusedError:
        return False
    return True
