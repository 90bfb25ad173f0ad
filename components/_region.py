"""The region of an AWS provider, asked before there is a resource."""

import pulumi
import pulumi_aws as aws

__all__ = ["provider_region"]


def provider_region(provider: pulumi.ProviderResource | None) -> str | None:
    """
    Ask an AWS provider for its region; None is the provider of the stack.

    Returns:
        None while the provider is not known yet, as when it waits for a resource.

    Raises:
        ValueError: The provider cannot be asked, as without any region.
    """
    try:
        return aws.get_region(opts=pulumi.InvokeOptions(provider=provider)).region
    except Exception as error:  # Pulumi raises anything
        raise ValueError(
            f"region: the AWS provider was asked for its own and refused: {error}"
        ) from error
