"""Errors as AWS answers with them."""

from botocore.exceptions import ClientError


def aws_error(code: str, message: str, operation: str) -> ClientError:
    """Return an error like those that AWS answers with."""
    return ClientError({"Error": {"Code": code, "Message": message}}, operation)


def dependency_violation(message: str, operation: str) -> ClientError:
    """Return EC2's error for deleting what something else still uses."""
    return aws_error("DependencyViolation", message, operation)
