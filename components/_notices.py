"""How a component tells what is accepted and will not work as well as it looks."""

from collections.abc import Iterable

import pulumi

from .spec.group_review import Notice

__all__ = ["announce"]


def announce(component: pulumi.Resource, notices: Iterable[Notice]) -> None:
    """Log each notice, as a warning or an information of *component*."""
    for notice in notices:
        warning = notice.severity == "warning"
        tell = pulumi.log.warn if warning else pulumi.log.info
        tell(str(notice), resource=component)
