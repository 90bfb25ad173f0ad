"""
Ids that a killed run of the CLI never learnt.

The plugin of AWS notes each id in the account right after it created something; this
is where a note is found.
"""

import hashlib

from sandbox import account
from sandbox.account import Account

__all__ = ["find", "key"]


def key(urn: str) -> str:
    """Return the key of the record about a resource in the journal of the account."""
    return f"created/{hashlib.sha256(urn.encode()).hexdigest()}"


def find(local: Account, urn: str) -> str | None:
    """Return the id that was last given to a resource, or None."""
    from sandbox.aws.journal import Journal

    # Records of all regions share one bucket.
    record = Journal(account.cloud(local, "us-east-1")).get(key(urn))
    return record["id"] if record else None
