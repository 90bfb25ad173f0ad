"""What the charts of this library have in common."""

from collections.abc import Mapping

__all__ = ["KEPT"]

KEPT: Mapping[str, str] = {"helm.sh/resource-policy": "keep"}
"""
An annotation of definitions, with which they outlive their release.

Without it Helm takes them along, and Kubernetes with them every object of their
kind: pools with their nodes, policies, schedules. A release of the same name and
namespace takes them over again.

Sources: Helm, charts tips and tricks, resource policy.
"""
