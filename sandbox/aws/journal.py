"""
What moto has no place for, kept where moto keeps the rest.

Records are JSON objects in an S3 bucket of the sandbox account. They begin and end
with the daemon, like everything else there: no file can outlive the account that it
describes. Several plugin processes share them; a record is made only if there is
none, which S3 decides in one request.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from botocore.exceptions import ClientError

from sandbox.aws.cloud import Cloud

BUCKET = "eks-jobs-sandbox-journal"


class RecordExistsError(Exception):
    """Another record has this key."""


class Journal:
    """
    Records by key, such as `access-entry/<cluster>/<principal>`.

    Args:
        cloud: The account; records of all regions share the bucket.
    """

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def add(self, key: str, record: Mapping[str, Any]) -> None:
        """
        Write a new record.

        Raises:
            RecordExistsError: The key is taken.
        """
        try:
            self._write(key, record, IfNoneMatch="*")
        except ClientError as error:
            if error.response["Error"]["Code"] == "PreconditionFailed":
                raise RecordExistsError(key) from None
            raise

    def put(self, key: str, record: Mapping[str, Any]) -> None:
        """Write a record, whether or not there is one."""
        self._write(key, record)

    def get(self, key: str) -> dict[str, Any] | None:
        """Return a record, or None."""
        missing = self._client.exceptions
        try:
            answer = self._client.get_object(Bucket=BUCKET, Key=key)
        except (missing.NoSuchKey, missing.NoSuchBucket):
            return None
        return json.loads(answer["Body"].read())

    def remove(self, key: str) -> None:
        """Remove a record, if there is one."""
        with suppress(self._client.exceptions.NoSuchBucket):
            self._client.delete_object(Bucket=BUCKET, Key=key)

    def below(self, prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield keys and records whose key begins with *prefix*, sorted by key."""
        for key in self._keys(prefix):
            record = self.get(key)
            if record is not None:
                yield key, record

    def _keys(self, prefix: str) -> list[str]:
        pages = self._client.get_paginator("list_objects_v2")
        try:
            return [
                item["Key"]
                for page in pages.paginate(Bucket=BUCKET, Prefix=prefix)
                for item in page.get("Contents", [])
            ]
        except self._client.exceptions.NoSuchBucket:
            return []

    def _write(self, key: str, record: Mapping[str, Any], **condition: str) -> None:
        body = json.dumps(record, sort_keys=True).encode()
        wanted = {"Bucket": BUCKET, "Key": key, "Body": body, **condition}
        try:
            self._client.put_object(**wanted)
        except self._client.exceptions.NoSuchBucket:
            self._make_bucket()
            self._client.put_object(**wanted)

    def _make_bucket(self) -> None:
        region = {"LocationConstraint": self._cloud.region}
        own = {} if self._cloud.region == "us-east-1" else region
        try:
            self._client.create_bucket(
                Bucket=BUCKET, **({"CreateBucketConfiguration": own} if own else {})
            )
        except ClientError as error:
            # Another process was faster.
            if error.response["Error"]["Code"] not in _OURS_ALREADY:
                raise

    @property
    def _client(self) -> Any:
        return self._cloud.client("s3")


_OURS_ALREADY = ("BucketAlreadyOwnedByYou", "BucketAlreadyExists")
