"""The stand-in for the EKS provider: its one component is `eks:index:Cluster`."""

from importlib.metadata import version

import pulumi
from pulumi.errors import InputPropertiesError
from pulumi.provider import ConstructResult, Provider

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
            InputPropertiesError: The type, an argument or its value is not imitated.
        """
        if resource_type != TOKEN:
            raise InputPropertiesError(
                f"the sandbox does not imitate {resource_type}, only {TOKEN}", []
            )
        try:
            cluster = Cluster(name, inputs, options)
        except ValueError as error:
            raise InputPropertiesError(str(error), []) from error
        return ConstructResult(cluster.urn, cluster.outputs)
