"""Quantities of Kubernetes, and durations as people write them in a table."""

import re
from decimal import Decimal
from math import ceil

__all__ = ["cpu_millicores", "duration_seconds", "memory_mib"]

_QUANTITY = re.compile(
    r"(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))"
    r"(?P<unit>[numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,2})?"
)
_DECIMAL = {
    "n": -9,
    "u": -6,
    "m": -3,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_MIB = 2**20

_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(d|h|ms|m|s)")
_DURATION = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?(?:d|h|ms|m|s))+")
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")
_UNITS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def cpu_millicores(text: object) -> int:
    """
    Read a CPU quantity: `500m`, `0.5`, `2`. Parts of a millicore are rounded up.

    Raises:
        ValueError: It is spelled another way or is negative.

    Sources:
        Kubernetes, resource.Quantity.
    """
    return ceil(_amount(text, "cores such as 500m or 2") * 1_000)


def memory_mib(text: object) -> int:
    """
    Read a memory quantity: `1Gi`, `512Mi`, `1e9`. Parts of a MiB are rounded up.

    A number without a unit is bytes, as Kubernetes has it.

    Raises:
        ValueError: It is spelled another way or is negative.

    Sources:
        Kubernetes, resource.Quantity.
    """
    return ceil(_amount(text, "memory such as 512Mi or 1Gi") / _MIB)


def duration_seconds(text: str) -> float:
    """
    Read a duration: seconds, `90` or `1.5`, or units, `1h30m`.

    Raises:
        ValueError: It is spelled another way or is negative.
    """
    text = text.strip()
    if _SECONDS.fullmatch(text):
        return float(text)
    if not _DURATION.fullmatch(text):
        raise ValueError(f"must be seconds or a duration such as 1h30m, got {text!r}")
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def _amount(text: object, accepted: str) -> Decimal:
    found = _QUANTITY.fullmatch(str(text).strip())
    if isinstance(text, bool) or found is None:
        raise ValueError(f"must be {accepted}, got {text!r}")
    number, unit = Decimal(found["number"]), found["unit"] or ""
    if number < 0:
        raise ValueError(f"must not be negative, got {text!r}")
    if unit in _BINARY:
        return number * 1_024 ** _BINARY[unit]
    power = int(unit[1:]) if unit[1:] else _DECIMAL.get(unit, 0)
    return number.scaleb(power)
