"""A small stack file that is good as it stands, for tests that change one thing."""

from collections.abc import Mapping
from typing import Any

GROUPS: Mapping[str, Any] = {
    "servers": [
        {
            "name": "server",
            "architecture": "amd64",
            "instance_types": ["m7i.large", "m6i.large"],
        }
    ],
    "jobs": [
        {
            "name": "job",
            "architecture": "amd64",
            "instance_types": ["m7i.4xlarge", "m6i.4xlarge"],
        }
    ],
}

GOOD: dict[str, Any] = {
    "network": {"cidr": "10.40.0.0/16", "zones": 2},
    "cluster": {"version": "1.36"},
    **GROUPS,
}
