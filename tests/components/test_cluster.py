"""
The control plane.

`pulumi_eks.Cluster` is a remote component: here one opaque resource. What it makes
of these inputs, and that the transform reaches its child, needs an engine.
"""

import json
from dataclasses import replace
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest

from components import (
    Cluster,
    ClusterArgs,
    ClusterSettings,
    ResourceWeight,
    SchedulerScoring,
)
from components.cluster import control_plane_transform
from components.spec.kubeconfig import TokenSource
from components.spec.scaler.auto_mode import AutoMode, tagging_policy

COMPONENT = "eks-jobs:index:Cluster"
CONTROL_PLANE = "eks:index:Cluster"
AWS_CLUSTER = "aws:eks/cluster:Cluster"
ADDON = "aws:eks/addon:Addon"
ENTRY = "aws:eks/accessEntry:AccessEntry"
POLICY = "aws:eks/accessPolicyAssociation:AccessPolicyAssociation"
KEY = "aws:kms/key:Key"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
INLINE = "aws:iam/rolePolicy:RolePolicy"
LOGS = "aws:cloudwatch/logGroup:LogGroup"
PROVIDER = "pulumi:providers:kubernetes"
RULE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"

ADMIN = "arn:test:iam::111122223333:role/team/Admin"


def args(**overrides) -> ClusterArgs:
    settings: dict[str, Any] = {"version": "1.36", "name": "alpha"}
    return ClusterArgs(
        settings=ClusterSettings(**settings | overrides),
        vpc_id="vpc-1",
        subnet_ids=["subnet-1", "subnet-2"],
    )


def control_plane(deploy, **overrides) -> dict:
    return deploy(lambda: Cluster("c", args(**overrides))).only(CONTROL_PLANE).inputs


def test_identity_is_pinned(deploy):
    deployment = deploy(lambda: Cluster("c", args(admins=(ADMIN,))))

    assert [
        f"{COMPONENT}${LOGS}::c",
        f"{COMPONENT}${ENTRY}::c-admin-111122223333:role/team/Admin",
        f"{COMPONENT}${POLICY}::c-admin-111122223333:role/team/Admin",
        f"{COMPONENT}${ADDON}::c-eks-pod-identity-agent",
        f"{COMPONENT}${ADDON}::c-kube-proxy",
        f"{COMPONENT}${KEY}::c",
        f"{COMPONENT}::c",
        f"{COMPONENT}${CONTROL_PLANE}::c",
        f"{COMPONENT}${PROVIDER}::c",
    ] == [resource.path for resource in deployment.resources]


def test_the_control_plane_is_what_the_settings_say(deploy):
    assert {
        "name": "alpha",
        "version": "1.36",
        "vpcId": "vpc-1",
        "privateSubnetIds": ["subnet-1", "subnet-2"],
        "authenticationMode": "API",
        "endpointPrivateAccess": True,
        "endpointPublicAccess": False,
        "kubernetesServiceIpAddressRange": "172.20.0.0/16",
        "encryptionConfigKeyArn": "arn:test:key/c",
        "enabledClusterLogTypes": ["api", "audit", "authenticator"],
        "upgradePolicy": {"supportType": "STANDARD"},
        "deletionProtection": False,
        "skipDefaultNodeGroup": True,
        "skipDefaultSecurityGroups": True,
        "bootstrapSelfManagedAddons": False,
        "useDefaultVpcCni": True,
        "corednsAddonOptions": {"enabled": False},
        "kubeProxyAddonOptions": {"enabled": False},
        "createOidcProvider": False,
        "tags": {},
    } == control_plane(deploy)


def test_the_public_endpoint_answers_the_given_addresses_alone(deploy):
    inputs = control_plane(deploy, public_access_cidrs=("203.0.113.0/24",))

    assert (True, True, ["203.0.113.0/24"]) == (
        inputs["endpointPrivateAccess"],
        inputs["endpointPublicAccess"],
        inputs["publicAccessCidrs"],
    )


def test_settings_of_production_arrive(deploy):
    inputs = control_plane(deploy, support="EXTENDED", deletion_protection=True)

    assert ({"supportType": "EXTENDED"}, True) == (
        inputs["upgradePolicy"],
        inputs["deletionProtection"],
    )


def test_without_a_name_the_cluster_is_called_as_the_component(deploy):
    deployment = deploy(lambda: Cluster("beta", args(name=None)))

    assert "beta" == deployment.only(CONTROL_PLANE).inputs["name"]
    assert "/aws/eks/beta/cluster" == deployment.only(LOGS).inputs["name"]


def test_secrets_are_encrypted_with_a_key_that_rotates(deploy):
    key = deploy(lambda: Cluster("c", args())).only(KEY)

    assert {
        "description": "Secrets of the EKS cluster alpha",
        "enableKeyRotation": True,
        "tags": {"Name": "alpha"},
    } == key.inputs


def test_logs_have_an_end_because_their_group_is_there_first(deploy):
    deployment = deploy(lambda: Cluster("c", args()))

    assert {
        "name": "/aws/eks/alpha/cluster",
        "retentionInDays": 90,
        "tags": {},
    } == deployment.only(LOGS).inputs
    assert f"{COMPONENT}${LOGS}::c" in deployment.waits_for(
        deployment.only(CONTROL_PLANE)
    )


def test_without_logs_there_is_no_log_group(deploy):
    deployment = deploy(lambda: Cluster("c", args(log_types=())))

    assert [] == deployment.of_type(LOGS)
    assert "enabledClusterLogTypes" not in deployment.only(CONTROL_PLANE).inputs


OFF = {
    "computeConfig": {"enabled": False},
    "kubernetesNetworkConfig": {"elasticLoadBalancing": {"enabled": False}},
    "storageConfig": {"blockStorage": {"enabled": False}},
}


def transformed(
    settings: ClusterSettings, type_: str = AWS_CLUSTER, *, auto_mode: bool = False
):
    return control_plane_transform(settings, auto_mode=auto_mode)(
        pulumi.ResourceTransformArgs(
            custom=True,
            type_=type_,
            name="c-eksCluster",
            props={"version": "1.36"},
            opts=pulumi.ResourceOptions(protect=True),
        )
    )


def test_the_scheduler_packs_when_told_to():
    scoring = SchedulerScoring(resources=(ResourceWeight(name="cpu", weight=3),))
    result = transformed(ClusterSettings(version="1.36", scheduler=scoring))

    assert {
        "version": "1.36",
        "kubeSchedulerConfig": {
            "nodeResourcesFit": {
                "scoringStrategy": {
                    "type": "MostAllocated",
                    "resources": [{"name": "cpu", "weight": 3}],
                }
            }
        },
        **OFF,
    } == result.props
    assert result.opts.protect


def test_finished_pods_are_removed_from_a_threshold_on():
    settings = ClusterSettings(version="1.36", terminated_pod_gc_threshold=500)

    assert {
        "version": "1.36",
        "kubeControllerManagerConfig": {
            "podGcControllerConfig": {"terminatedPodGcThreshold": 500}
        },
        **OFF,
    } == transformed(settings).props


def test_the_control_plane_stays_in_its_first_subnets():
    """EKS refuses subnets in another set of zones; nodes may have more."""
    result = transformed(ClusterSettings(version="1.36"))

    assert ["vpcConfig.subnetIds"] == result.opts.ignore_changes


def test_only_the_control_plane_is_transformed():
    settings = ClusterSettings(version="1.36", terminated_pod_gc_threshold=500)

    assert transformed(settings, "aws:iam/role:Role") is None


def test_what_the_transform_adds_are_inputs_of_the_control_plane(deploy):
    settings = ClusterSettings(
        version="1.36", scheduler=SchedulerScoring(), terminated_pod_gc_threshold=500
    )
    added = {**transformed(settings).props, "roleArn": "r", "vpcConfig": {}}
    added["vpcConfig"] = {"subnetIds": ["s"]}

    deployment = deploy(lambda: pulumi.CustomResource(AWS_CLUSTER, "c", added))

    assert added == deployment.only(AWS_CLUSTER).inputs


def test_the_component_carries_the_transform(deploy):
    deployment = deploy(lambda: Cluster("c", args()))

    assert 1 == len(deployment.only(CONTROL_PLANE).request.transforms)


def test_h085_auto_mode_that_is_off_is_said_and_keeps_the_rest(deploy):
    """A cluster that has it would keep it otherwise, and so would its nodes."""
    there = {"serviceIpv4Cidr": "172.20.0.0/16", "ipFamily": "ipv4"}
    props = {"kubernetesNetworkConfig": there, "roleArn": "r"}
    props["vpcConfig"] = {"subnetIds": ["s"]}
    result = control_plane_transform(ClusterSettings(version="1.36"))(
        pulumi.ResourceTransformArgs(
            custom=True,
            type_=AWS_CLUSTER,
            name="c-eksCluster",
            props=props,
            opts=pulumi.ResourceOptions(),
        )
    )
    assert result is not None
    deployment = deploy(lambda: pulumi.CustomResource(AWS_CLUSTER, "c", result.props))

    assert {
        **props,
        **OFF,
        "kubernetesNetworkConfig": there | OFF["kubernetesNetworkConfig"],
    } == deployment.only(AWS_CLUSTER).inputs


def test_h085_auto_mode_that_is_on_comes_from_the_input_alone():
    settings = ClusterSettings(version="1.36")

    assert {"version": "1.36"} == transformed(settings, auto_mode=True).props


def auto(deploy, **overrides):
    given = replace(args(), auto_mode=AutoMode(**overrides))
    return deploy(lambda: Cluster("c", given))


def test_h085_auto_mode_turns_every_switch_on_with_a_role_for_built_in_pools(deploy):
    deployment = auto(deploy)
    role = deployment.only(ROLE)

    assert {
        "enabled": True,
        "createNodeRole": False,
        "computeConfig": {
            "nodePools": ["general-purpose", "system"],
            "nodeRoleArn": "arn:test:role/c-auto-mode",
        },
    } == deployment.only(CONTROL_PLANE).inputs["autoMode"]
    assert "c-auto-mode" == role.name
    assert {
        f"{COMPONENT}${ATTACHMENT}::c-auto-mode-AmazonEC2ContainerRegistryPullOnly",
        f"{COMPONENT}${ATTACHMENT}::c-auto-mode-AmazonEKSWorkerNodeMinimalPolicy",
    } <= deployment.waits_for(deployment.only(CONTROL_PLANE))


def test_h085_without_built_in_pools_there_is_no_role_for_them(deploy):
    deployment = auto(deploy, node_pools=())

    assert [] == deployment.of_type(ROLE)
    assert {
        "enabled": True,
        "createNodeRole": False,
        "computeConfig": {"nodePools": []},
    } == deployment.only(CONTROL_PLANE).inputs["autoMode"]


def test_auto_mode_may_tag_nodes_before_anything_joins(deploy):
    inputs = auto(deploy).only(INLINE).inputs

    assert "c-eksRole" == inputs["role"]
    assert tagging_policy("test") == json.loads(inputs["policy"])


def test_nodes_of_auto_mode_alone_need_no_addon(deploy):
    given = replace(args(), auto_mode=AutoMode(), only_auto_mode=True)

    assert [] == deploy(lambda: Cluster("c", given)).of_type(ADDON)
    assert 2 == len(auto(deploy).of_type(ADDON))


def test_auto_mode_that_is_off_cannot_be_alone():
    message = "^only_auto_mode needs auto_mode, got auto_mode=None$"

    with pytest.raises(ValueError, match=message):
        replace(args(), only_auto_mode=True)


def test_h076_an_administrator_has_an_entry_of_its_own(deploy):
    deployment = deploy(lambda: Cluster("c", args(admins=(ADMIN,))))

    assert {
        "clusterName": "alpha",
        "principalArn": ADMIN,
        "type": "STANDARD",
        "tags": {},
    } == deployment.only(ENTRY).inputs
    assert {
        "clusterName": "alpha",
        "principalArn": ADMIN,
        "policyArn": "arn:test:eks::aws:cluster-access-policy/"
        "AmazonEKSClusterAdminPolicy",
        "accessScope": {"type": "cluster"},
    } == deployment.only(POLICY).inputs
    assert f"{COMPONENT}${CONTROL_PLANE}::c" in deployment.waits_for(
        deployment.only(ENTRY)
    )


def test_h070_the_rights_of_administrators_go_after_objects_of_the_cluster(deploy):
    deployment = deploy(lambda: Cluster("c", args(admins=(ADMIN,))))
    rights = deployment.only(POLICY)

    assert {rights.path, deployment.only(ENTRY).path} <= deployment.waits_for(
        deployment.only(PROVIDER)
    )


def test_others_than_nodes_reach_the_private_address_from_the_blocks(deploy):
    blocks = ("10.8.0.0/24", "10.40.0.0/16")
    deployment = deploy(lambda: Cluster("c", args(private_access_cidrs=blocks)))
    rules = {rule.inputs["cidrIpv4"]: rule for rule in deployment.of_type(RULE)}

    assert set(blocks) == rules.keys()
    assert {
        "securityGroupId": "sg-alpha",
        "cidrIpv4": "10.8.0.0/24",
        "ipProtocol": "tcp",
        "fromPort": 443,
        "toPort": 443,
        "description": "API server",
        "tags": {},
    } == rules["10.8.0.0/24"].inputs
    assert {rule.path for rule in rules.values()} <= deployment.waits_for(
        deployment.only(PROVIDER)
    )


def test_a_private_block_that_goes_renames_no_other(deploy):
    blocks = ("10.8.0.0/24", "10.40.0.0/16")
    both = deploy(lambda: Cluster("c", args(private_access_cidrs=blocks)))
    one = deploy(lambda: Cluster("c", args(private_access_cidrs=blocks[1:])))

    assert {rule.path for rule in one.of_type(RULE)} < {
        rule.path for rule in both.of_type(RULE)
    }


def test_an_administrator_that_goes_renames_no_other(deploy):
    other = ADMIN.replace("Admin", "Other")
    both = deploy(lambda: Cluster("c", args(admins=(ADMIN, other))))
    one = deploy(lambda: Cluster("c", args(admins=(other,))))

    assert [r.path for r in one.of_type(ENTRY)] == [
        r.path for r in both.of_type(ENTRY) if r.inputs["principalArn"] == other
    ]


def test_h073_an_administrator_may_be_an_output(deploy):
    admins = (pulumi.Output.from_input(ADMIN),)
    entry = deploy(lambda: Cluster("c", args(admins=admins))).only(ENTRY)

    assert ("c-admin-0", ADMIN) == (entry.name, entry.inputs["principalArn"])


def test_h077_addons_are_pinned_and_overwrite_conflicts(deploy):
    pins = {"kube-proxy": "v1.36.0-eksbuild.2"}
    deployment = deploy(lambda: Cluster("c", args(addons=pins)))

    assert {
        "clusterName": "alpha",
        "addonName": "kube-proxy",
        "addonVersion": "v1.36.0-eksbuild.2",
        "resolveConflictsOnCreate": "OVERWRITE",
        "resolveConflictsOnUpdate": "OVERWRITE",
        "preserve": True,
        "tags": {},
    } == deployment.only(ADDON, "c-kube-proxy").inputs


def test_an_addon_without_a_pin_has_the_default_of_the_version(deploy):
    deployment = deploy(lambda: Cluster("c", args()))

    assert (
        "v1.0.0-eksbuild.36"
        == (deployment.only(ADDON, "c-kube-proxy").inputs["addonVersion"])
    )
    assert [("kube-proxy", "1.36", False)] == [
        (
            call.inputs["addonName"],
            call.inputs["kubernetesVersion"],
            call.inputs["mostRecent"],
        )
        for call in deployment.calls
        if call.inputs.get("addonName") == "kube-proxy"
    ]


def test_facts_come_from_the_cluster_that_was_made(deploy):
    def program():
        facts = Cluster("c", args()).facts
        pulumi.export("name", facts.name)
        pulumi.export("version", facts.version)
        pulumi.export("vpc", facts.vpc_id)
        pulumi.export("subnets", list(facts.subnet_ids))
        pulumi.export("group", facts.security_group_id)
        pulumi.export("user_data", facts.node_cluster().apply(vars_of))

    assert {
        "name": "alpha",
        "version": "1.36",
        "vpc": "vpc-1",
        "subnets": ["subnet-1", "subnet-2"],
        "group": "sg-alpha",
        "user_data": {
            "name": "alpha",
            "endpoint": "https://alpha.eks.example.com",
            "certificate_authority": "Y2E=",
            "service_cidr": "172.20.0.0/16",
        },
    } == deploy(program).exports


def vars_of(value) -> dict[str, str]:
    return {field: getattr(value, field) for field in value.__slots__}


def test_what_joins_the_cluster_waits_for_it_and_its_first_addons(deploy):
    def program():
        ready = Cluster("c", args()).facts.ready
        aws.ec2.Eip("late", opts=pulumi.ResourceOptions(depends_on=list(ready)))

    deployment = deploy(program)
    late = deployment.only("aws:ec2/eip:Eip")

    assert {
        f"{COMPONENT}${CONTROL_PLANE}::c",
        f"{COMPONENT}${ADDON}::c-eks-pod-identity-agent",
        f"{COMPONENT}${ADDON}::c-kube-proxy",
    } <= deployment.waits_for(late)


def test_outputs_are_name_and_endpoint(deploy):
    assert {
        "name": "alpha",
        "endpoint": "https://alpha.eks.example.com",
    } == deploy(lambda: Cluster("c", args())).outputs[f"{COMPONENT}::c"]


def test_h072_only_another_cluster_replaces_the_provider(deploy):
    provider = deploy(lambda: Cluster("c", args())).only(PROVIDER).inputs

    assert "https://alpha.eks.example.com" == provider["clusterIdentifier"]
    assert (
        "ap-northeast-2"
        in json.loads(provider["kubeconfig"])["users"][0]["user"]["exec"]["args"]
    )


def test_objects_are_made_by_who_makes_the_cluster(deploy):
    said = replace(args(), token=TokenSource(profile="prod"))
    provider = deploy(lambda: Cluster("c", said)).only(PROVIDER).inputs
    words = json.loads(provider["kubeconfig"])["users"][0]["user"]["exec"]["args"]

    assert ["--profile", "prod"] == words[:2]


def test_h073_a_preview_knows_everything_but_the_endpoint(deploy):
    deployment = deploy(lambda: Cluster("c", args(admins=(ADMIN,))), preview=True)

    assert 9 == len(deployment.resources)
    assert "alpha" == deployment.only(CONTROL_PLANE).inputs["name"]


def test_h074_an_explicit_provider_makes_everything(deploy):
    def program():
        provider = aws.Provider("explicit", region="eu-west-1")
        opts = pulumi.ResourceOptions(providers=[provider])
        Cluster("c", args(admins=(ADMIN,)), opts)

    assert [] == deploy(program).on_default_providers()


def test_two_clusters_live_in_one_stack(deploy):
    def program():
        Cluster("one", args(name="one"))
        Cluster("two", args(name="two"))

    assert ["one", "two"] == [r.name for r in deploy(program).of_type(CONTROL_PLANE)]


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"subnet_ids": ["subnet-1"]},
            "subnet_ids must name at least 2 subnets in different zones, got 1",
        ),
        (
            {"subnet_ids": [], "tags": {"aws:team": "jobs"}},
            "subnet_ids must name at least 2 subnets in different zones, got 0\n"
            "tags must leave out aws:team: keys that begin with aws: belong to AWS",
        ),
    ],
)
def test_h082_rejects(overrides, message):
    defaults: dict[str, Any] = {
        "settings": ClusterSettings(version="1.36"),
        "vpc_id": "vpc-1",
        "subnet_ids": ["subnet-1", "subnet-2"],
    }

    with pytest.raises(ValueError, match=f"^{message}$"):
        ClusterArgs(**defaults | overrides)


def test_h078_a_name_that_is_too_long_for_the_role_is_refused(deploy):
    message = (
        r"^name must be at most 43 characters \(a role adds -eksRole-role\), "
        f"got 44: {'c' * 44}$"
    )

    def attempt():
        Cluster("c" * 43, args())
        with pytest.raises(ValueError, match=message):
            Cluster("c" * 44, args(name="other"))

    assert ["c" * 43] == [r.name for r in deploy(attempt).of_type(CONTROL_PLANE)]


def test_a_name_that_cannot_be_the_clusters_is_refused_before_any_resource(deploy):
    message = (
        "^name must be 1 to 100 letters, digits, - and _, and begin with a letter or "
        "digit, got name='jobs.eu'$"
    )

    def attempt():
        with pytest.raises(ValueError, match=message):
            Cluster("jobs.eu", args(name=None))

    assert () == deploy(attempt).resources


def test_a_component_may_be_called_otherwise_than_its_cluster(deploy):
    deployment = deploy(lambda: Cluster("jobs.eu", args()))

    assert "alpha" == deployment.only(CONTROL_PLANE).inputs["name"]
