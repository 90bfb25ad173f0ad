"""Errors whose text is all that a user needs, so that no traceback follows it."""

from botocore.exceptions import ClientError


class RefusedError(Exception):
    """A request that AWS, or the provider before it, would refuse."""


def aws_error(code: str, message: str, operation: str) -> ClientError:
    """Return an error like those that AWS answers with."""
    return ClientError({"Error": {"Code": code, "Message": message}}, operation)


def dependency_violation(message: str, operation: str) -> ClientError:
    """Return EC2's error for deleting what something else still uses."""
    return aws_error("DependencyViolation", message, operation)
