"""What EC2 would launch for a group, and what it would not."""

import re
from collections.abc import Sequence
from typing import Any

from botocore.exceptions import ClientError

from sandbox.aws import images
from sandbox.aws.resource import Call, Values
from sandbox.errors import RefusedError

# How the types of the provider name a launch template.
_NAMES = {
    "id": "LaunchTemplateId",
    "launchTemplateId": "LaunchTemplateId",
    "launchTemplateName": "LaunchTemplateName",
    "name": "LaunchTemplateName",
}


def refuse_unlaunchable(call: Call) -> None:
    """
    Check what AWS would launch, as it does before it takes a group.

    Raises:
        RefusedError: The image is of another architecture than a type.
    """
    specification, overrides = _template(call.inputs)
    if not specification:
        return
    client = call.client("ec2")
    data = template_data(client, specification)
    types = [o["instanceType"] for o in overrides if "instanceType" in o]
    types = types or [data["InstanceType"]] if "InstanceType" in data else types
    if "ImageId" not in data:
        raise RefusedError("the launch template must name an image, got no imageId")
    _check_image(client, data["ImageId"], types)


def template_data(client: Any, specification: Values) -> dict[str, Any]:
    """Return what the version says that a specification of a template names."""
    where = {_NAMES[k]: v for k, v in specification.items() if k in _NAMES}
    version = str(specification.get("version", "$Default"))
    found = client.describe_launch_template_versions(**where, Versions=[version])
    return found["LaunchTemplateVersions"][0]["LaunchTemplateData"]


def _check_image(client: Any, image_id: str, types: Sequence[str]) -> None:
    """
    Check that an image boots on every type.

    An image of the user's own account is not known here, and taken on trust.

    Raises:
        RefusedError: It does not, or the id is not one of an image.
    """
    if not re.fullmatch(r"ami-[0-9a-f]{8}([0-9a-f]{9})?", image_id):
        raise RefusedError(f"InvalidAMIID.Malformed: Invalid id: {image_id!r}")
    where = [{"Name": "image-id", "Values": [image_id]}]
    found = client.describe_images(Filters=where)["Images"]
    if not found:
        return
    architecture = images.architecture(found[0])
    for name in types:
        supported = architectures(client, name)
        if supported and architecture not in supported:
            raise RefusedError(
                f"the architecture {', '.join(supported)} of instance type {name} "
                f"does not match the architecture {architecture} of {image_id}"
            )


def architectures(client: Any, instance_type: str) -> list[str]:
    """Return what an instance type runs; nothing if moto does not know the type."""
    try:
        answer = client.describe_instance_types(InstanceTypes=[instance_type])
    except ClientError:
        return []
    found = answer["InstanceTypes"]
    return found[0]["ProcessorInfo"]["SupportedArchitectures"] if found else []


def _template(inputs: Values) -> tuple[Values, list[Values]]:
    """Return the launch template that a group uses, and what overrides it."""
    if "launchTemplate" in inputs:
        return inputs["launchTemplate"], []
    mixed = inputs.get("mixedInstancesPolicy", {}).get("launchTemplate", {})
    return mixed.get("launchTemplateSpecification", {}), mixed.get("overrides", [])
