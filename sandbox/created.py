"""
Ids that a killed run of the CLI never learnt.

The plugin of AWS notes each id in the account right after it created something; this
is where a note is found.
"""

import hashlib

from sandbox.account import Account

__all__ = ["find", "key"]


def key(urn: str) -> str:
    """Return the key of the record about a resource in the journal of the account."""
    return f"created/{hashlib.sha256(urn.encode()).hexdigest()}"


def find(local: Account, urn: str) -> str | None:
    """Return the id that was last given to a resource, or None."""
    # Loads boto3, which takes longer than all else: only after a killed run.
    from sandbox.aws.cloud import Cloud
    from sandbox.aws.journal import Journal

    # Records of all regions share one bucket.
    journal = Journal(Cloud(f"http://127.0.0.1:{local.port}", "us-east-1"))
    record = journal.get(key(urn))
    return record["id"] if record else None
