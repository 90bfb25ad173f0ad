"""
Which arguments of `eks:index:Cluster` the stand-in refuses.

The names are those of the SDK of Python, which is where a program has them.
"""

import inspect

import pulumi
import pulumi_eks
import pytest

from sandbox.eks import arguments

GOOD = {
    "authenticationMode": "API",
    "skipDefaultNodeGroup": True,
    "vpcId": "vpc-1",
    "privateSubnetIds": ["s1"],
}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"fargate": True}, "fargate is not imitated by the sandbox"),
        (
            {"nodeUserData": "", "nodeAmiId": ""},
            "node_ami_id is not imitated by the sandbox\n"
            "node_user_data is not imitated by the sandbox",
        ),
        (
            {"autoMode": {"enabled": True}},
            "auto_mode.create_node_role must be False in the sandbox, it makes no "
            "role for nodes, got None",
        ),
        (
            {"autoMode": {"enabled": False, "computeConfig": {"pools": []}}},
            "auto_mode.compute_config.pools is not imitated by the sandbox",
        ),
        ({"vpcId": None}, "vpc_id must be given, the sandbox has no default VPC"),
        (
            {"skipDefaultNodeGroup": None},
            "skip_default_node_group must be True in the sandbox, it makes no default "
            "node group, got False",
        ),
        (
            {"authenticationMode": "API_AND_CONFIG_MAP"},
            "authentication_mode must be API in the sandbox, it makes no aws-auth "
            "ConfigMap, got API_AND_CONFIG_MAP",
        ),
        (
            {"createOidcProvider": True},
            "create_oidc_provider must be False in the sandbox, it knows no "
            "fingerprint of the issuer, got True",
        ),
        (
            {"ipFamily": "ipv6"},
            "ip_family must be ipv4 in the sandbox, it knows no IPv6, got ipv6",
        ),
        (
            {"subnetIds": ["s1"]},
            "subnet_ids excludes public_subnet_ids and private_subnet_ids",
        ),
        (
            {"publicAccessCidrs": ["10.0.0.0/8"], "endpointPublicAccess": False},
            "public_access_cidrs can only be set when endpoint_public_access is true",
        ),
        (
            {"kubeProxyAddonOptions": {"enable": False}},
            "kube_proxy_addon_options.enable is not imitated by the sandbox",
        ),
        (
            {"accessEntries": {"me": {"principalArn": "a", "groups": []}}},
            "access_entries.me.groups is not imitated by the sandbox",
        ),
    ],
)
def test_arguments_that_would_be_ignored_are_refused(changed, message):
    with pytest.raises(ValueError, match=".") as caught:
        arguments.check(GOOD | changed)

    assert message == str(caught.value)


def test_a_missing_authentication_mode_means_the_config_map():
    given = {k: v for k, v in GOOD.items() if k != "authenticationMode"}

    with pytest.raises(ValueError, match="got CONFIG_MAP$"):
        arguments.check(given)


def test_outputs_are_let_through():
    later = pulumi.Output.from_input(True)

    arguments.check(GOOD | {"deletionProtection": later, "createOidcProvider": later})


def test_every_known_argument_is_one_of_the_sdk():
    parameters = inspect.signature(pulumi_eks.ClusterArgs.__init__).parameters
    known = {name for name in parameters if name != "__self__"}

    unknown_here = []
    for name in known:
        parts = name.split("_")
        camel = parts[0] + "".join(part.capitalize() for part in parts[1:])
        try:
            arguments.check(GOOD | {camel: GOOD.get(camel)})
        except ValueError as error:
            unknown_here += str(error).split("\n")

    refused = {text.split(" ")[0] for text in unknown_here}

    assert {
        "cluster_security_group",
        "creation_role_provider",
        "desired_capacity",
        "fargate",
        "gpu",
        "instance_profile_name",
        "instance_role",
        "instance_roles",
        "instance_type",
        "max_size",
        "min_size",
        "node_ami_id",
        "node_associate_public_ip_address",
        "node_group_options",
        "node_public_key",
        "node_root_volume_encrypted",
        "node_root_volume_size",
        "node_subnet_ids",
        "node_user_data",
        "proxy",
        "role_mappings",
        "service_role",
        "storage_classes",
        "user_mappings",
        "vpc_cni_options",
    } == refused
