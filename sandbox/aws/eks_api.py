"""
What of the EKS API moto lacks: requests are checked, and kept in the journal.

A cluster or node group is created in moto too, so that any AWS client sees it. Its
record here holds all that EKS would say of it. Add-ons, access entries and pod
identity associations are known only here.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError, ParamValidationError
from botocore.validate import ParamValidator

from sandbox.aws import constraints
from sandbox.aws.cloud import ACCOUNT_ID, Cloud
from sandbox.aws.errors import aws_error
from sandbox.aws.journal import Journal, RecordExistsError
from sandbox.aws.resource import is_gone

Record = dict[str, Any]


class EksApi:
    """
    The requests that all parts of the EKS stand-in need.

    Args:
        cloud: The account.
        journal: Where records are kept.
    """

    def __init__(self, cloud: Cloud, journal: Journal) -> None:
        self.cloud = cloud
        self.journal = journal

    def check(self, operation: str, params: Mapping[str, Any]) -> None:
        """
        Hold a request against the service model.

        Raises:
            ParamValidationError: A member is missing, unknown or of a wrong type.
            RefusedError: A value is outside of what the model allows.
        """
        model = self.cloud.client("eks").meta.service_model.operation_model(operation)
        constraints.refuse(params, model)
        report = ParamValidator().validate(dict(params), model.input_shape)
        if report.has_errors():
            raise ParamValidationError(report=report.generate_report())

    def key(self, kind: str, *path: str) -> str:
        """Return the key of a record of this region."""
        return "/".join(("eks", self.cloud.region, kind, *path))

    def add(self, key: str, record: Record, operation: str, message: str) -> None:
        """
        Keep a new record.

        Raises:
            ClientError: ResourceInUseException, there is one already.
        """
        try:
            self.journal.add(key, record)
        except RecordExistsError:
            raise aws_error("ResourceInUseException", message, operation) from None

    def cluster(self, name: str, operation: str) -> Record:
        """
        Return the record of a cluster.

        Raises:
            ClientError: ResourceNotFoundException.
        """
        record = self.journal.get(self.key("cluster", name))
        if record is None:
            raise aws_error(
                "ResourceNotFoundException",
                f"No cluster found for name: {name}.",
                operation,
            )
        return record

    def require_role(self, arn: str, service: str, operation: str) -> None:
        """
        Require that a role exists here and trusts a service, if one is given.

        A role of another account is taken on trust: nothing is known about it.

        Raises:
            ClientError: InvalidParameterException.
        """
        if f":{ACCOUNT_ID}:role/" not in arn:
            return
        name = arn.rpartition("/")[2]
        try:
            role = self.cloud.client("iam").get_role(RoleName=name)["Role"]
        except ClientError as error:
            if not is_gone(error):
                raise
            role = None
        trusted = [] if role is None else _trusted(role["AssumeRolePolicyDocument"])
        if role is None or (service and service not in trusted):
            raise invalid(
                f"Role with arn: {arn}, could not be assumed by "
                f"{service or 'anybody'} because it does not exist or the trusted "
                "entity is not correct",
                operation,
            )


def _trusted(document: Any) -> list[str]:
    """Return the services that a trust policy names."""
    services: list[str] = []
    for statement in _as_list(document.get("Statement", [])):
        principal = statement.get("Principal", {})
        if isinstance(principal, Mapping) and statement.get("Effect") == "Allow":
            services += _as_list(principal.get("Service", []))
    return services


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def now() -> str:
    """Return the time as EKS writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def invalid(message: str, operation: str) -> ClientError:
    """Return EKS's error for a value that cannot be."""
    return aws_error("InvalidParameterException", message, operation)
