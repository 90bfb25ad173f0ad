"""Where a controller runs: on nodes of servers, never on those that it ends."""

from collections.abc import Sequence
from typing import Any

from ..groups import GROUP_LABEL, ServerGroup, open_groups

__all__ = ["on_servers", "room_for"]


def on_servers(
    servers: Sequence[ServerGroup], *, keep_off: str | None = None
) -> dict[str, Any]:
    """
    Return the `affinity` of a chart, or nothing when no server group is known.

    Args:
        servers: Server groups; those without taints are named.
        keep_off: A label of nodes that the controller must not run on.
    """
    names = [group.name for group in open_groups(servers)]
    if not names:
        return {}
    expressions: list[dict[str, Any]] = [
        {"key": GROUP_LABEL, "operator": "In", "values": names}
    ]
    if keep_off is not None:
        expressions.insert(0, {"key": keep_off, "operator": "DoesNotExist"})
    return {
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": expressions}]
                }
            }
        }
    }


def room_for(servers: Sequence[ServerGroup]) -> int:
    """Count the nodes without taints that server groups always have."""
    return sum(group.size.min for group in open_groups(servers))
