"""Quantities, percentages and durations of a kubelet: text, never a number of YAML."""

import re

__all__ = ["percentage", "quantity_sign", "seconds"]

_NUMBER = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"
_QUANTITY = re.compile(rf"([+-]?)({_NUMBER})(?:[KMGTPE]i|[numkMGTPE]?|[eE][+-]?[0-9]+)")
_PERCENTAGE = re.compile(rf"({_NUMBER})%")
_STEP = re.compile(rf"({_NUMBER})(ns|us|µs|ms|s|m|h)")
_UNITS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "m": 60.0,
    "h": 3_600.0,
}


def quantity_sign(text: str) -> int | None:
    """
    Return -1, 0 or 1 for a quantity below, at or above nothing.

    None is a text that Kubernetes cannot read.

    Sources:
        k8s.io/apimachinery v0.37.2, pkg/api/resource/quantity.go.
    """
    found = _QUANTITY.fullmatch(text)
    if found is None:
        return None
    sign = -1 if found[1] == "-" else 1
    return sign if re.search("[1-9]", found[2]) else 0


def percentage(text: str) -> float | None:
    """Return the number in `10%`, or None for any other text."""
    found = _PERCENTAGE.fullmatch(text)
    return None if found is None else float(found[1])


def seconds(text: str) -> float | None:
    """
    Count the seconds of `1m30s`, or return None for a text that is no duration.

    Sources:
        Go, time.ParseDuration. A sign is left out: no setting of a kubelet can be
        less than no time.
    """
    if text == "0":
        return 0.0
    if not text or _STEP.sub("", text):
        return None
    return sum(float(number) * _UNITS[unit] for number, unit in _STEP.findall(text))
