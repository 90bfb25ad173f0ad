"""The smaller components and resources that a cluster is made of."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import pulumi

from sandbox.eks.resources import Inputs, Made, invoke

__all__ = [
    "ServiceRole",
    "VpcCniAddon",
    "access_entries",
    "addon",
]

# What the provider hands to the VPC CNI when the program says nothing.
_CNI_ENVIRONMENT = {
    "AWS_VPC_ENI_MTU": "9001",
    "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG": "false",
    "AWS_VPC_K8S_CNI_EXTERNALSNAT": "false",
    "AWS_VPC_K8S_CNI_LOGLEVEL": "DEBUG",
    "AWS_VPC_K8S_CNI_LOG_FILE": "/host/var/log/aws-routed-eni/ipamd.log",
    "AWS_VPC_K8S_CNI_VETHPREFIX": "eni",
    "AWS_VPC_K8S_PLUGIN_LOG_FILE": "/var/log/aws-routed-eni/plugin.log",
    "AWS_VPC_K8S_PLUGIN_LOG_LEVEL": "DEBUG",
    "ENABLE_POD_ENI": "false",
    "WARM_ENI_TARGET": "1",
}
_CNI_VALUES = {
    "env": _CNI_ENVIRONMENT,
    "init": {"env": {"DISABLE_TCP_EARLY_DEMUX": "false"}},
}


class ServiceRole(pulumi.ComponentResource):
    """
    A role for a service of AWS, with managed policies.

    Children: the role (`-role`) and one attachment for each policy, called by a hash
    of its ARN.

    Attributes:
        role: The role.
        attachments: Done when the role can do its work.
    """

    role: Made
    attachments: Sequence[Made]

    def __init__(
        self,
        name: str,
        *,
        service: str,
        description: str,
        policies: Sequence[str],
        tags: Any,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("eks:index:ServiceRole", name, None, opts)
        child = pulumi.ResourceOptions(parent=self)
        self.role = Made(
            "aws:iam/role:Role",
            f"{name}-role",
            {
                "description": description,
                "assumeRolePolicy": _assume_role_policy(service),
                "tags": tags,
            },
            child,
            outputs=("arn",),
        )
        partition = invoke("aws:index/getPartition:getPartition", {}, self)
        self.attachments = [
            self._attachment(name, policy, partition, child) for policy in policies
        ]
        self.register_outputs({})

    def _attachment(
        self,
        name: str,
        policy: str,
        partition: pulumi.Output[Any],
        opts: pulumi.ResourceOptions,
    ) -> Made:
        # The name is a hash of the ARN in the partition "aws", whatever it is here.
        digest = hashlib.sha1(f"arn:aws:iam::aws:policy/{policy}".encode()).hexdigest()
        return Made(
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            f"{name}-{digest[:8]}",
            {
                "policyArn": partition.apply(
                    lambda known: f"arn:{known['partition']}:iam::aws:policy/{policy}"
                ),
                "role": self.role.id,
            },
            opts,
        )


def _assume_role_policy(service: str) -> str:
    statement = {
        "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Effect": "Allow",
        "Principal": {"Service": [service]},
    }
    document = {"Version": "2012-10-17", "Statement": [statement]}
    return json.dumps(document, separators=(",", ":"))


class VpcCniAddon(pulumi.ComponentResource):
    """
    The VPC CNI with the provider's own settings.

    Children: the add-on, called *name*.

    Attributes:
        addon: The add-on.
    """

    addon: Made

    def __init__(
        self, name: str, cluster: Made, tags: Any, opts: pulumi.ResourceOptions
    ) -> None:
        super().__init__("eks:index:VpcCniAddon", name, None, opts)
        self.addon = addon(
            name,
            "vpc-cni",
            cluster,
            {"configurationValues": _CNI_VALUES},
            tags,
            pulumi.ResourceOptions(parent=self),
        )
        self.register_outputs({"addon": self.addon})


def addon(
    name: str,
    addon_name: str,
    cluster: Made,
    options: Inputs,
    tags: Any,
    opts: pulumi.ResourceOptions,
) -> Made:
    """
    Make an add-on; without a version in *options* the newest one is looked up.

    Args:
        name: Logical name.
        addon_name: Name of the add-on on EKS.
        cluster: The cluster.
        options: Version, conflict rules and configuration, in camelCase.
        tags: Tags of the add-on.
        opts: Options of the resource.
    """
    values = options.get("configurationValues")
    return Made(
        "aws:eks/addon:Addon",
        name,
        {
            "clusterName": cluster.output("name"),
            "addonName": addon_name,
            "addonVersion": options.get("version")
            or _newest(addon_name, cluster, opts.parent),
            "preserve": True,
            "resolveConflictsOnCreate": options.get("resolveConflictsOnCreate")
            or "OVERWRITE",
            "resolveConflictsOnUpdate": options.get("resolveConflictsOnUpdate")
            or "OVERWRITE",
            "configurationValues": None if values is None else _sorted_json(values),
            "tags": tags,
        },
        opts,
    )


def _newest(
    addon_name: str, cluster: Made, parent: pulumi.Resource | None
) -> pulumi.Output[str]:
    assert parent is not None, "the options of a child name its parent"
    answer = invoke(
        "aws:eks/getAddonVersion:getAddonVersion",
        {
            "addonName": addon_name,
            "kubernetesVersion": cluster.output("version"),
            "mostRecent": True,
        },
        parent,
    )
    return answer.apply(lambda known: known["version"])


def _sorted_json(values: Any) -> pulumi.Output[str]:
    return pulumi.Output.from_input(values).apply(
        lambda known: json.dumps(known, sort_keys=True, separators=(",", ":"))
    )


def access_entries(
    name: str, cluster: Made, entries: Inputs, opts: pulumi.ResourceOptions
) -> list[Made]:
    """Make the access entries, and below each the policies that go with it."""
    made = []
    cluster_name = cluster.output("name")
    for key, entry in entries.items():
        principal = entry.get("principalArn")
        resource = Made(
            "aws:eks/accessEntry:AccessEntry",
            f"{name}-{key}",
            {
                "clusterName": cluster_name,
                "principalArn": principal,
                "kubernetesGroups": entry.get("kubernetesGroups"),
                "tags": entry.get("tags"),
                "type": entry.get("type"),
                "userName": entry.get("username"),
            },
            opts,
        )
        below = opts.merge(pulumi.ResourceOptions(parent=resource, depends_on=resource))
        for role, policy in (entry.get("accessPolicies") or {}).items():
            Made(
                "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
                f"{name}-{key}-{role}",
                {
                    "clusterName": cluster_name,
                    "principalArn": principal,
                    "policyArn": _field(policy, "policyArn"),
                    "accessScope": _field(policy, "accessScope"),
                },
                below,
            )
        made.append(resource)
    return made


def _field(values: Any, name: str) -> pulumi.Output[Any]:
    return pulumi.Output.from_input(values).apply(lambda known: known[name])
