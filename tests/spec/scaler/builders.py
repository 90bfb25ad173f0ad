"""Small values that most tests of the scalers begin with."""

from components.spec.groups import JobGroup, ServerGroup, Size
from components.spec.instance_types import InstanceTypes
from components.spec.scaler.iam import Account
from components.spec.scaler.node_class import Site

__all__ = ["ACCOUNTS", "TYPES", "account", "job", "server", "site"]

TYPES = InstanceTypes.bundled()

FAMILIES = {
    "amd64": ("m7i.4xlarge", "m6i.4xlarge"),
    "arm64": ("m7g.4xlarge", "m8g.4xlarge"),
}

# The longest name, in the longest regions of three partitions.
ACCOUNTS = [
    ("aws", "ap-northeast-2"),
    ("aws", "ap-southeast-2"),
    ("aws-cn", "cn-northwest-1"),
    ("aws-us-gov", "us-gov-west-1"),
]


def job(**overrides):
    architecture = overrides.get("architecture", "amd64")
    return JobGroup(
        **{
            "name": "job" if architecture == "amd64" else "job-arm",
            "architecture": architecture,
            "instance_types": FAMILIES[architecture],
            "size": Size(min=0, max=50),
        }
        | overrides
    )


def server(**overrides):
    return ServerGroup(
        **{
            "name": "server",
            "architecture": "amd64",
            "instance_types": ("m7i.xlarge", "m6i.xlarge"),
        }
        | overrides
    )


def site(**overrides):
    return Site(
        **{
            "cluster_name": "prod",
            "subnet_ids": ("subnet-a", "subnet-b"),
            "security_group_ids": ("sg-cluster",),
            "role": "prod-node",
        }
        | overrides
    )


def account(
    cluster_name="prod", partition="aws", region="ap-northeast-2", account_id="1" * 12
):
    return Account(
        cluster_name=cluster_name,
        partition=partition,
        region=region,
        account_id=account_id,
    )
