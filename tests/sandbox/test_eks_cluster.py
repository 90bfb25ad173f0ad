"""
The children of the stand-in for `eks:index:Cluster`.

Measured against a recording of the real provider. Not proven: that EKS accepts the
inputs, and what the provider makes with arguments that the stand-in refuses.
"""

import json
from pathlib import Path
from typing import Any

import pulumi
import pulumi_eks
import pytest
from pulumi.runtime import rpc
from pulumi.runtime.mocks import MockMonitor

from sandbox.eks.cluster import Cluster
from tests import sdk_inputs

RECORDING = json.loads(
    (Path(__file__).parent / "data" / "pulumi_eks_cluster.json").read_text()
)

RECORDED_ARGUMENTS = {
    "authenticationMode": "API",
    "skipDefaultNodeGroup": True,
    "subnetIds": ["s1", "s2"],
    "version": "1.34",
    "vpcId": "vpc-1",
}

# What `components/cluster.py` passes: nodes, add-ons and security groups are ours.
BARE = {
    "authenticationMode": "API",
    "bootstrapSelfManagedAddons": False,
    "corednsAddonOptions": {"enabled": False},
    "kubeProxyAddonOptions": {"enabled": False},
    "privateSubnetIds": ["s1", "s2"],
    "skipDefaultNodeGroup": True,
    "skipDefaultSecurityGroups": True,
    "useDefaultVpcCni": True,
    "version": "1.36",
    "vpcId": "vpc-1",
}

ROLE = "eks:index:Cluster$eks:index:ServiceRole"
CLUSTER = "eks:index:Cluster$aws:eks/cluster:Cluster::c-eksCluster"
PROVIDER = "eks:index:Cluster$pulumi:providers:kubernetes::c-eks-k8s"


class RecordedCloud(pulumi.runtime.Mocks):
    """Computes what the cloud of the recording computed."""

    def new_resource(self, args):
        computed: dict[str, Any] = {
            "arn": f"arn:aws:x:ap-northeast-1:123456789012:{args.name}",
            "certificateAuthority": {"data": "QQ=="},
            "endpoint": "https://x.eks",
            "identities": [{"oidcs": [{"issuer": "https://oidc.example.com/1"}]}],
            "name": args.name,
            "securityGroupRuleId": f"{args.name}-rule",
        }
        state = {**computed, **args.inputs}
        if "vpcConfig" in state:
            network = {**args.inputs["vpcConfig"], "clusterSecurityGroupId": "sg-eks"}
            state["vpcConfig"] = network
        return f"{args.name}-id", state

    def call(self, args):
        return {
            "aws:eks/getAddonVersion:getAddonVersion": {
                "version": "v1.20.4-eksbuild.1"
            },
            "aws:index/getPartition:getPartition": {"partition": "aws"},
        }[args.token]


class Monitor(MockMonitor):
    def __init__(self):
        super().__init__(RecordedCloud())
        self.children = {}
        self.requests = {}
        self.problems = []

    def make_urn(self, parent, type_, name):
        above = parent.split("::")[2] if parent else "pulumi:pulumi:Stack"
        chain = type_ if above == "pulumi:pulumi:Stack" else f"{above}${type_}"
        return f"urn:pulumi:stack::project::{chain}::{name}"

    def RegisterResource(self, request):  # noqa: N802 (named by the protocol)
        response = super().RegisterResource(request)
        path = response.urn.split("::", 2)[2]
        inputs = whole(rpc.deserialize_properties(request.object))
        if request.type != "pulumi:pulumi:Stack":
            self.children[path] = inputs
            self.requests[path] = request
        if request.type.startswith("aws:"):
            self.problems += sdk_inputs.problems(request.type, inputs)
        return response


def whole(value):
    if isinstance(value, dict):
        return {key: whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


@pytest.fixture
def build():
    """Build the component on a fake engine; returns the monitor and its outputs."""

    def run(arguments, **config):
        monitor, outputs = Monitor(), {}
        pulumi.runtime.set_mocks(RecordedCloud(), monitor=monitor)
        pulumi.runtime.set_all_config(config)

        @pulumi.runtime.test
        def program():
            cluster = Cluster("c", arguments)
            plain = {
                key: value
                for key, value in cluster.outputs.items()
                if key != "core" and not isinstance(value, pulumi.Resource)
            }
            return pulumi.Output.from_input(plain).apply(outputs.update)

        program()
        return monitor, outputs

    yield run
    pulumi.runtime.set_all_config({})


def test_children_are_those_of_the_real_provider(build):
    monitor, _ = build(RECORDED_ARGUMENTS)

    recorded = {child["path"]: child["inputs"] for child in RECORDING["children"]}

    assert recorded == monitor.children


def test_children_have_the_inputs_that_the_aws_sdk_knows(build):
    monitor, _ = build(RECORDED_ARGUMENTS)

    assert [] == monitor.problems


def test_what_a_component_leaves_out_is_not_made(build):
    monitor, _ = build(BARE)

    assert [
        "eks:index:Cluster$aws:eks/cluster:Cluster::c-eksCluster",
        f"{ROLE}$aws:iam/role:Role::c-eksRole-role",
        f"{ROLE}$aws:iam/rolePolicyAttachment:RolePolicyAttachment::c-eksRole-4b490823",
        f"{ROLE}::c-eksRole",
        "eks:index:Cluster$pulumi:providers:kubernetes::c-eks-k8s",
        "eks:index:Cluster::c",
    ] == sorted(monitor.children)


def test_arguments_reach_the_cluster(build):
    monitor, _ = build(
        BARE
        | {
            "clusterTags": {"x": "1", "team": "other"},
            "deletionProtection": True,
            "enabledClusterLogTypes": ["api"],
            "encryptionConfigKeyArn": "arn:key",
            "endpointPrivateAccess": True,
            "endpointPublicAccess": True,
            "kubernetesServiceIpAddressRange": "172.20.0.0/16",
            "name": "jobs",
            "publicAccessCidrs": ["203.0.113.0/24"],
            "tags": {"team": "data"},
            "upgradePolicy": {"supportType": "STANDARD"},
        }
    )

    assert {
        "name": "jobs",
        "version": "1.36",
        "roleArn": "arn:aws:x:ap-northeast-1:123456789012:c-eksRole-role",
        "accessConfig": {
            "authenticationMode": "API",
            "bootstrapClusterCreatorAdminPermissions": True,
        },
        "bootstrapSelfManagedAddons": False,
        "deletionProtection": True,
        "enabledClusterLogTypes": ["api"],
        "encryptionConfig": {
            "provider": {"keyArn": "arn:key"},
            "resources": ["secrets"],
        },
        "kubernetesNetworkConfig": {
            "serviceIpv4Cidr": "172.20.0.0/16",
            "ipFamily": "ipv4",
        },
        "upgradePolicy": {"supportType": "STANDARD"},
        "vpcConfig": {
            "subnetIds": ["s1", "s2"],
            "endpointPrivateAccess": True,
            "endpointPublicAccess": True,
            "publicAccessCidrs": ["203.0.113.0/24"],
        },
        "tags": {"Name": "c-eksCluster", "x": "1", "team": "data"},
    } == monitor.children[CLUSTER]


AUTO_MODE = {
    "enabled": True,
    "createNodeRole": False,
    "computeConfig": {"nodePools": ["system"], "nodeRoleArn": "arn:nodes"},
}


def test_auto_mode_turns_its_switches_on_together(build):
    service = {"kubernetesServiceIpAddressRange": "172.20.0.0/16"}
    monitor, _ = build(BARE | {"autoMode": AUTO_MODE, **service})
    made = monitor.children[CLUSTER]

    assert {
        "bootstrapSelfManagedAddons": False,
        "computeConfig": {
            "enabled": True,
            "nodePools": ["system"],
            "nodeRoleArn": "arn:nodes",
        },
        "kubernetesNetworkConfig": {
            "elasticLoadBalancing": {"enabled": True},
            "ipFamily": "ipv4",
            "serviceIpv4Cidr": "172.20.0.0/16",
        },
        "storageConfig": {"blockStorage": {"enabled": True}},
    }.items() <= made.items()


def test_auto_mode_gives_the_role_its_policies_before_the_cluster(build):
    monitor, _ = build(BARE | {"autoMode": AUTO_MODE})
    names = ("Cluster", "Compute", "BlockStorage", "LoadBalancing", "Networking")
    policies = {
        inputs["policyArn"].rpartition("/")[2]: path.rpartition("::")[2]
        for path, inputs in monitor.children.items()
        if "rolePolicyAttachment" in path
    }
    waited = {urn.split("::")[3] for urn in monitor.requests[CLUSTER].dependencies}

    assert {f"AmazonEKS{name}Policy" for name in names} == policies.keys()
    assert set(policies.values()) <= waited


def test_auto_mode_brings_network_and_proxy_along(build):
    quiet = {"useDefaultVpcCni", "kubeProxyAddonOptions", "skipDefaultSecurityGroups"}
    rest = {key: value for key, value in BARE.items() if key not in quiet}
    monitor, _ = build(rest | {"autoMode": AUTO_MODE})

    assert [] == [p for p in monitor.children if "addon" in p or "security" in p]


def test_public_subnets_come_first(build):
    monitor, _ = build(BARE | {"publicSubnetIds": ["p1"]})

    assert ["p1", "s1", "s2"] == monitor.children[CLUSTER]["vpcConfig"]["subnetIds"]


def test_what_only_matters_at_creation_is_ignored_later(build):
    monitor, _ = build(BARE)

    assert [
        "accessConfig.bootstrapClusterCreatorAdminPermissions",
        "bootstrapSelfManagedAddons",
    ] == list(monitor.requests[CLUSTER].ignoreChanges)


def test_the_cluster_waits_for_the_policy_of_its_role(build):
    monitor, _ = build(BARE)

    waited = {urn.split("::")[3] for urn in monitor.requests[CLUSTER].dependencies}

    assert {"c-eksRole-role", "c-eksRole-4b490823"} == waited


def test_access_entries_hold_their_policies(build):
    policy = {"policyArn": "arn:view", "accessScope": {"type": "cluster"}}
    entry = {
        "principalArn": "arn:me",
        "username": "me",
        "kubernetesGroups": ["viewers"],
        "accessPolicies": {"view": policy},
    }
    monitor, _ = build(BARE | {"accessEntries": {"me": entry}})

    entries = {k: v for k, v in monitor.children.items() if "access" in k}
    above = "eks:index:Cluster$aws:eks/accessEntry:AccessEntry"

    assert {
        f"{above}::c-me": {
            "clusterName": "c-eksCluster",
            "principalArn": "arn:me",
            "kubernetesGroups": ["viewers"],
            "userName": "me",
        },
        f"{above}$aws:eks/accessPolicyAssociation:AccessPolicyAssociation::c-me-view": {
            "clusterName": "c-eksCluster",
            "principalArn": "arn:me",
            "policyArn": "arn:view",
            "accessScope": {"type": "cluster"},
        },
    } == entries


def test_coredns_is_made_when_it_is_asked_for(build):
    options = {"enabled": True, "version": "v1.13.2-eksbuild.4"}
    monitor, _ = build(BARE | {"corednsAddonOptions": options})

    assert {
        "clusterName": "c-eksCluster",
        "addonName": "coredns",
        "addonVersion": "v1.13.2-eksbuild.4",
        "preserve": True,
        "resolveConflictsOnCreate": "OVERWRITE",
        "resolveConflictsOnUpdate": "OVERWRITE",
    } == monitor.children["eks:index:Cluster$aws:eks/addon:Addon::c-coredns"]


@pytest.mark.parametrize(
    ("arguments", "config", "words"),
    [
        ({}, {}, []),
        (
            {"providerCredentialOpts": {"profileName": "dev", "roleArn": "arn:r"}},
            {},
            ["--role", "arn:r", "--profile", "dev"],
        ),
        ({}, {"aws:profile": "ops"}, ["--profile", "ops"]),
    ],
)
def test_the_profile_is_for_the_provider_alone(build, arguments, config, words):
    monitor, outputs = build(BARE | arguments, **config)

    def extra(kubeconfig):
        return json.loads(kubeconfig)["users"][0]["user"]["exec"]["args"][8:]

    own = [w for w in words if w not in ("--profile", "dev", "ops")]

    assert words == extra(monitor.children[PROVIDER]["kubeconfig"])
    assert own == extra(outputs["kubeconfigJson"])


def test_outputs_without_security_groups_name_the_one_of_eks(build):
    _, outputs = build(BARE)

    kubeconfig = outputs.pop("kubeconfig")

    assert json.loads(outputs.pop("kubeconfigJson")) == kubeconfig
    assert {
        "autoModeNodeRoleName": "",
        "clusterIngressRuleId": "",
        "clusterSecurityGroupId": "sg-eks",
        "defaultNodeGroupAsgName": "",
        "fargateProfileId": "",
        "fargateProfileStatus": "",
        "instanceRoles": [],
        "nodeSecurityGroupId": "sg-eks",
        "oidcIssuer": "oidc.example.com/1",
        "oidcProviderArn": "",
        "oidcProviderUrl": "https://oidc.example.com/1",
    } == outputs


def test_outputs_with_security_groups_name_those(build):
    _, outputs = build(RECORDED_ARGUMENTS)

    assert (
        "c-eksClusterSecurityGroup-id",
        "c-nodeSecurityGroup-id",
        "c-eksClusterIngressRule-rule",
    ) == (
        outputs["clusterSecurityGroupId"],
        outputs["nodeSecurityGroupId"],
        outputs["clusterIngressRuleId"],
    )


def test_outputs_are_those_of_the_sdk():
    """All but the default node group and an explicit provider: there are none."""
    made = {}

    def program():
        made.update(Cluster("c", RECORDED_ARGUMENTS).outputs)

    pulumi.runtime.set_mocks(RecordedCloud(), monitor=Monitor())
    pulumi.runtime.test(program)()
    names = {
        getattr(value.fget, "_pulumi_name", None) or name
        for name, value in vars(pulumi_eks.Cluster).items()
        if isinstance(value, property)
    }

    assert names - {"awsProvider", "defaultNodeGroup"} == made.keys()
