"""Durations as Karpenter and Cluster Autoscaler both read them: no days."""

import re

__all__ = ["NEVER", "duration_problems", "seconds", "spelled"]

NEVER = "Never"
"""What Karpenter takes in place of a duration that never ends."""

_DURATION = re.compile(r"(?:[0-9]+[hms])+")
_PART = re.compile(r"([0-9]+)([hms])")
_DAYS = re.compile(r"([0-9]+)d")
_UNITS = {"h": 3_600, "m": 60, "s": 1}


def duration_problems(
    field: str, text: str, *, never: bool = False, zero: bool = False
) -> list[str]:
    """
    Say what is wrong with a duration of a stack file.

    Args:
        field: Name of the field.
        text: What the file says.
        never: Whether `NEVER` passes.
        zero: Whether a duration of nothing passes.

    Sources:
        CRD of NodePool, Karpenter 1.15: digits with h, m or s. Go, time.ParseDuration
        (Cluster Autoscaler) takes these too, and no days either.
    """
    if never and text == NEVER:
        return []
    if not isinstance(text, str) or not _DURATION.fullmatch(text):
        also = f", or {NEVER}" if never else ""
        return [
            f"{field} must be hours, minutes and seconds such as 6h or 1h30m{also}, "
            f"got {field}={text}{_way_out(text)}"
        ]
    if seconds(text) == 0 and not zero:
        return [f"{field} must be longer than nothing, got {field}={text}"]
    return []


def seconds(text: str) -> int:
    """Count the seconds of a duration that has no problems."""
    return sum(int(number) * _UNITS[unit] for number, unit in _PART.findall(text))


def spelled(number: int) -> str:
    """Spell seconds the short way, `6h30m`."""
    hours, rest = divmod(number, 3_600)
    parts = {"h": hours, "m": rest // 60, "s": rest % 60}
    return "".join(f"{count}{unit}" for unit, count in parts.items() if count) or "0s"


def _way_out(text: object) -> str:
    days = _DAYS.fullmatch(str(text))
    return f": there are no days, write {int(days[1]) * 24}h" if days else ""
