"""That a hole in what was seen is not passed over."""

import time

import pytest
from kubernetes.client.exceptions import ApiException

from lab import watching
from lab.watching import WatchError, watched


@pytest.mark.parametrize(
    "error", [ApiException(410), OSError("refused"), KeyError("labels")]
)
def test_whatever_ends_a_watch_is_told(error, monkeypatch, tmp_path):
    def look(*_):
        raise error

    monkeypatch.setattr(watching._Watcher, "_look", look)
    monkeypatch.setattr(watching, "_client", lambda _: None)
    name = type(error).__name__
    with (
        watched(tmp_path, Seen()) as check,
        pytest.raises(WatchError, match=f"^{name}: "),
    ):
        until_it_raises(check)


def until_it_raises(check):
    """Look again and again: the threads do nothing but raise."""
    for _ in range(500):
        check()
        time.sleep(0.01)


class Seen:
    """Is told of nothing."""

    pod = node = claim = None
