"""
The account behind the plugin: boto3 clients that reach the sandbox and nothing else.

Credentials are made up here and the endpoint must be on this machine, so no request
can reach AWS whatever the environment holds.
"""

import functools
import ipaddress
import os
import urllib.parse
from collections.abc import Mapping, MutableMapping
from typing import Any

import boto3
from botocore.config import Config

from sandbox.aws import constraints
from sandbox.errors import RefusedError

ENDPOINT = "AWS_ENDPOINT_URL"
KEPT = (ENDPOINT, "AWS_REGION", "AWS_DEFAULT_REGION")
"""The only AWS settings that the plugin reads from its environment."""

ACCOUNT_ID = "123456789012"
"""The account that moto plays."""


def endpoint(environment: Mapping[str, str]) -> str:
    """
    Return the address of the sandbox.

    Raises:
        RefusedError: There is none, or it is not on this machine.
    """
    url = environment.get(ENDPOINT, "")
    if not _is_local(url):
        raise RefusedError(
            f"{ENDPOINT} must be the address of the sandbox on this machine, such as "
            f"http://127.0.0.1:5000, got {url!r}"
        )
    return url


def _is_local(url: str) -> bool:
    host = urllib.parse.urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def forget_real_account(environment: MutableMapping[str, str]) -> None:
    """Remove every AWS setting but those in `KEPT`, and the paths to the rest."""
    for name in [name for name in environment if name.startswith("AWS_")]:
        if name not in KEPT:
            del environment[name]
    environment["AWS_CONFIG_FILE"] = os.devnull
    environment["AWS_SHARED_CREDENTIALS_FILE"] = os.devnull
    environment["AWS_EC2_METADATA_DISABLED"] = "true"


@functools.cache
def _session() -> boto3.Session:
    """Make the session that reads the description of each service once."""
    return boto3.Session()


class Cloud:
    """
    Clients of one account in one region.

    Args:
        url: Address of the sandbox.
        region: Region of the requests.
    """

    def __init__(self, url: str, region: str) -> None:
        self.url = url
        self.region = region
        self._session = _session()
        self._clients: dict[str, Any] = {}

    def client(self, service: str) -> Any:
        """Return the client of a service; made once, since loading takes a while."""
        if service not in self._clients:
            client = self._session.client(
                service,
                endpoint_url=self.url,
                region_name=self.region,
                aws_access_key_id="sandbox",
                aws_secret_access_key="sandbox",
                config=Config(
                    proxies={}, retries={"total_max_attempts": 1}, read_timeout=60
                ),
            )
            client.meta.events.register("before-parameter-build", constraints.refuse)
            self._clients[service] = client
        return self._clients[service]

    @functools.cached_property
    def partition(self) -> str:
        """The partition of the region, such as aws or aws-cn."""
        return self._session.get_partition_for_region(self.region)

    @functools.cached_property
    def dns_suffix(self) -> str:
        """The domain of the partition's services."""
        return "amazonaws.com.cn" if self.partition == "aws-cn" else "amazonaws.com"

    def arn(self, service: str, path: str) -> str:
        """Return the ARN of something of this account and region."""
        return f"arn:{self.partition}:{service}:{self.region}:{ACCOUNT_ID}:{path}"
