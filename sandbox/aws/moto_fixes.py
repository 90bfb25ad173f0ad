"""
Repairs of moto, to be applied in the process that serves it.

`apply` is called before the first request. Each repair names what is wrong in the
pinned version; it can go when a newer moto does without it.
"""

from typing import Any


def apply() -> None:
    """
    Repair what is in the way.

    moto 5.2.5 keeps the user data of a *new version* of a launch template as plain
    text, and then refuses to start an instance from that version: an Auto Scaling
    group whose template ever changed could not grow.
    """
    from moto.ec2.models.launch_templates import LaunchTemplate
    from moto.ec2.utils import parse_user_data

    original = LaunchTemplate.create_version
    if getattr(original, "repaired", False):
        return

    def create_version(self: Any, data: dict[str, Any], description: str) -> Any:
        text = data.get("UserData")
        parsed = parse_user_data(text) if isinstance(text, str) else text
        return original(self, data | {"UserData": parsed}, description)

    create_version.repaired = True  # ty: ignore[unresolved-attribute] (a mark of ours)
    LaunchTemplate.create_version = create_version
