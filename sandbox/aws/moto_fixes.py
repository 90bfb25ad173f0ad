"""
Repairs of moto, to be applied in the process that serves it.

`apply` is called before the first request. Each repair names what is wrong in the
pinned version, 5.2.5; it can go when a newer moto does without it.
"""

import functools
from typing import Any

from sandbox.aws.cloud import ACCOUNT_ID

SETTINGS = {
    "MOTO_ACCOUNT_ID": ACCOUNT_ID,
    "MOTO_IAM_LOAD_MANAGED_POLICIES": "true",
}
"""
What moto must find in the environment before it is imported.

The managed policies are what roles attach. An account that is not named is looked
for in the IAM of every partition, each of which reads all these policies.
"""


def apply() -> None:
    """Repair what is in the way; a second call changes nothing."""
    from moto import backends
    from moto.core import responses
    from moto.ec2.models.launch_templates import LaunchTemplate
    from moto.ec2.models.vpcs import VPCBackend
    from moto.eks import utils

    if LaunchTemplate.create_version.__module__ != __name__:
        _keep_user_data_startable(LaunchTemplate)
        _route_to_endpoints(VPCBackend)
        _read_once(backends, responses, utils)


def _keep_user_data_startable(template: Any) -> None:
    """
    Let instances start from later versions of a launch template.

    moto keeps the user data of a new version as plain text and then refuses it: an
    Auto Scaling group whose template ever changed could not grow.
    """
    from moto.ec2.utils import parse_user_data

    original = template.create_version

    def create_version(self: Any, data: dict[str, Any], description: str) -> Any:
        text = data.get("UserData")
        parsed = parse_user_data(text) if isinstance(text, str) else text
        return original(self, data | {"UserData": parsed}, description)

    template.create_version = create_version


def _route_to_endpoints(backend: Any) -> None:
    """
    Give route tables their route to a gateway endpoint also when they join later.

    moto makes that route only with the endpoint, and fails to delete an endpoint
    whose tables lack it.
    """
    original = backend.modify_vpc_endpoint

    def modify_vpc_endpoint(self: Any, vpc_id: str, *args: Any, **kwargs: Any) -> None:
        endpoint = self.describe_vpc_endpoints(vpc_end_point_ids=[vpc_id])[0]
        before = set(endpoint.route_table_ids)
        original(self, vpc_id, *args, **kwargs)
        prefixes = endpoint.destination_prefix_list_id
        after = set(endpoint.route_table_ids) if prefixes else before
        for table in sorted(after - before):
            self.create_route(
                table, None, gateway_id=vpc_id, destination_prefix_list_id=prefixes
            )
        for table in sorted(before - after):
            self.delete_route(table, prefixes)

    backend.modify_vpc_endpoint = modify_vpc_endpoint


def _read_once(backends: Any, responses: Any, eks_utils: Any) -> None:
    """
    Let moto find out once what never changes.

    It lists its own folder and its own methods for every request, and reads all
    endpoints of AWS for every cluster and node group: about a quarter of its time.
    """
    modules = frozenset(backends.list_of_moto_modules())
    session = eks_utils.Session()
    backends.list_of_moto_modules = lambda: modules
    responses.method_names_from_class = functools.cache(
        responses.method_names_from_class
    )
    eks_utils.Session = lambda: session
