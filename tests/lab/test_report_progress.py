"""The bars of a run, on a terminal and where nobody watches."""

from io import StringIO

import pytest

from lab.report import Bars


class Terminal(StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def _plain(monkeypatch):
    """Keep the terminal of the developer out of the test."""
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")


def show(stream):
    with Bars(stream) as bars:
        bars.show("default", 3, 10, "waits for nodes")
        bars.show("default", 10, 10)
        bars.show("[both]", 4, 10)


def test_a_terminal_sees_what_is_done():
    stream = Terminal()
    show(stream)
    text = stream.getvalue()

    assert ("default" in text, "10/10" in text) == (True, True)
    assert ("[both]" in text, "4/10" in text.replace(" ", "")) == (True, True)


def test_where_nobody_watches_nothing_is_written():
    stream = StringIO()
    show(stream)

    assert stream.getvalue() == ""
