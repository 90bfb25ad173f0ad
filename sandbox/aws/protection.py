"""Deletion protection, which must not outlive a rehearsal."""

from sandbox.aws.cloud import Cloud
from sandbox.aws.journal import Journal


def lift(url: str) -> list[str]:
    """
    Switch off the deletion protection of every cluster in the sandbox.

    A stack file for production protects its cluster, and `pulumi destroy` then fails,
    as it does on AWS. For a rehearsal that is to be cleaned up this is in the way.

    Args:
        url: Address of the sandbox.

    Returns:
        Names of the clusters that were protected, sorted.
    """
    journal = Journal(Cloud(url, "us-east-1"))
    lifted = []
    for key, record in list(journal.below("eks/")):
        if key.split("/")[2] == "cluster" and record.get("deletionProtection"):
            journal.put(key, record | {"deletionProtection": False})
            lifted.append(record["name"])
    return sorted(lifted)
