"""Expressions: selectors that only know listed metrics, and joins that stay whole."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..scaler.duration import seconds, spelled
from .metrics import metric_of

__all__ = ["Queries", "equal", "label_name", "lasting", "names", "one_of"]

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_TEXTS = re.compile(r'"(?:[^"\\]|\\.)*"')
_BRACES = re.compile(r"\{[^}]*\}")
_RANGES = re.compile(r"\[[^\]]*\]")
_LISTS = re.compile(
    r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)",
)
_NUMBERS = re.compile(r"(?<![\w:])\d[\w.]*")
_WORDS = frozenset(
    ("and", "bool", "group_left", "group_right", "offset", "or", "unless")
)
_CALL = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\s*\(")


def equal(label: str, value: str) -> str:
    """Return a matcher for one value."""
    return f'{label}="{value}"'


def one_of(label: str, values: tuple[str, ...]) -> str:
    """Return a matcher for any of the values; dots stand for themselves."""
    if len(values) == 1:
        return equal(label, values[0])
    # Go's `regexp` and YAML both read a doubled backslash differently: no escapes.
    return f'{label}=~"{"|".join(one.replace(".", "[.]") for one in values)}"'


def label_name(key: str) -> str:
    """
    Return how kube-state-metrics spells a Kubernetes label.

    Sources:
        kube-state-metrics, internal/store/utils.go: what Prometheus does not take in
        a name of a label becomes an underscore.
    """
    return "label_" + re.sub(r"[^a-zA-Z0-9_]", "_", key)


def lasting(text: str) -> str:
    """
    Spell a duration of the stack file as Prometheus reads it: hours first, each once.

    Sources:
        prometheus/common, model/time.go, ParseDuration: it refuses `30m1h`, which
        Karpenter and Go take.
    """
    return spelled(seconds(text))


def names(expression: str) -> tuple[str, ...]:
    """
    Return the series that an expression reads, each once, in their order.

    Dashboards are checked with it too: take out the variables of Grafana first.
    """
    return tuple(dict.fromkeys(_names(expression)))


def _names(expression: str) -> Iterator[str]:
    text = expression
    for pattern in (_TEXTS, _BRACES, _RANGES, _LISTS, _NUMBERS):
        text = pattern.sub(" ", text)
    text = re.sub(r"\boffset\s+", " ", text)
    calls = {one.group().rstrip("( \n") for one in _CALL.finditer(text)}
    aggregations = {
        one.group(1)
        for one in re.finditer(r"\b([a-z_]+)\s+(?:by|without)\b", expression)
    }
    for found in _NAME.finditer(text):
        word = found.group()
        if word not in _WORDS | calls | aggregations:
            yield word


@dataclass(frozen=True, kw_only=True, slots=True)
class Queries:
    """
    Writes selectors for one cluster.

    Args:
        cluster: Name of the cluster, as the value of *label*.
        label: Label of what is recorded.
        shared: Whether the Prometheus holds other clusters too: then what exporters
            tell is asked for by the label as well.
    """

    cluster: str
    label: str = "cluster"
    shared: bool = False

    @property
    def own(self) -> dict[str, str]:
        """Labels of everything that is recorded."""
        return {self.label: self.cluster}

    def raw(self, name: str, *matchers: str) -> str:
        """
        Select what an exporter tells.

        Raises:
            KeyError: The metric is not listed.
        """
        metric_of(name)
        own = (equal(self.label, self.cluster),) if self.shared else ()
        return _selector(name, (*own, *matchers))

    def recorded(self, name: str, *matchers: str) -> str:
        """Select what an earlier rule recorded."""
        return _selector(name, (equal(self.label, self.cluster), *matchers))

    def grown(
        self, name: str, window: str, *matchers: str, missed: str | None = None
    ) -> str:
        """
        Count what was added to a counter that may begin with its first event.

        `increase` alone sees nothing of a series that begins at 1. What had no
        sample yet a window ago counts whole.

        Args:
            name: Name of the counter.
            window: How far back.
            matchers: What is selected.
            missed: Targets that were there a window ago and were not scraped, by
                `instance`: what they tell may be older. None where no metric says so.
        """
        series = self.raw(name, *matchers)
        known = "" if missed is None else f"\nunless on (instance) ({missed})"
        return (
            f"(increase({series}[{window}]) > 0 "
            f"or ({series} unless {series} offset {window}{known}) > 0)"
        )


def _selector(name: str, matchers: tuple[str, ...]) -> str:
    return f"{name}{{{','.join(matchers)}}}" if matchers else name
