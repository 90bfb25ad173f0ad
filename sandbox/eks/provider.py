"""The stand-in for the EKS provider: its one component is `eks:index:Cluster`."""

from importlib.metadata import version

import pulumi
from pulumi.provider import CallResult, ConstructResult, Provider

from sandbox.eks.cluster import TOKEN, Cluster

__all__ = ["EksProvider"]


class EksProvider(Provider):
    """Builds `Cluster` out of resources of the AWS and Kubernetes providers."""

    def __init__(self) -> None:
        super().__init__(version("pulumi-eks"))

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: pulumi.Inputs,
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """
        Register a component and its children.

        Raises:
            pulumi.RunError: The type, an argument or its value is not imitated.
        """
        if resource_type != TOKEN:
            raise pulumi.RunError(
                f"the sandbox does not imitate {resource_type}, only {TOKEN}"
            )
        try:
            cluster = Cluster(name, inputs, options)
        except ValueError as error:
            raise pulumi.RunError(f"{TOKEN} {name}: {error}") from error
        return ConstructResult(cluster.urn, cluster.outputs)

    def call(self, token: str, args: pulumi.Inputs) -> CallResult:
        """
        Refuse every method.

        Raises:
            pulumi.RunError: Always; it names the method.
        """
        raise pulumi.RunError(f"the sandbox does not imitate the method {token}")
