"""Deletion protection of clusters, which a rehearsal must be able to leave behind."""

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox import account
from sandbox.account import Account
from sandbox.checkpoint import Checkpoint

__all__ = ["lift"]

_CLUSTER = "aws:eks/cluster:Cluster"


def lift(local: Account, state: Checkpoint) -> None:
    """Do for each protected cluster of a stack what AWS wants done by hand first."""
    for cluster in _protected(state):
        # These load boto3, which takes longer than all else.
        from sandbox.aws import eks_cluster_api
        from sandbox.aws.eks_api import EksApi
        from sandbox.aws.journal import Journal

        name = cluster["id"]
        cloud = account.cloud(local, cluster["outputs"]["region"])
        eks_cluster_api.update(
            EksApi(cloud, Journal(cloud)), {"name": name, "deletionProtection": False}
        )
        print(
            f"Deletion protection of cluster {name} is lifted. On AWS, deploy "
            "`deletion_protection: false` before you destroy the stack.",
            flush=True,
        )


def _protected(state: Checkpoint) -> Iterator[Mapping[str, Any]]:
    for resource in state.resources:
        is_cluster = resource["type"] == _CLUSTER
        if is_cluster and resource["inputs"].get("deletionProtection"):
            yield resource
