"""The EBS driver and the storage class as they are sent; no volume is made here."""

import json

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
import pytest

from components import Storage, StorageArgs
from tests.components.builders import facts

COMPONENT = "eks-jobs:index:Storage"
ADDON = "aws:eks/addon:Addon"
ROLE = "aws:iam/role:Role"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
CLASS = "kubernetes:storage.k8s.io/v1:StorageClass"


def storage(opts=None, **overrides):
    provider = kubernetes.Provider("alpha")
    cluster = facts(provider=provider, **overrides)
    Storage("disks", StorageArgs(cluster=cluster), opts)


def test_identity_is_pinned(deploy):
    deployment = deploy(storage)

    assert [
        f"{COMPONENT}${ADDON}::disks",
        f"{COMPONENT}${ROLE}::disks",
        f"{COMPONENT}${ATTACHMENT}::disks-AmazonEBSCSIDriverPolicy",
        f"{COMPONENT}::disks",
        f"{COMPONENT}${CLASS}::disks",
        "pulumi:providers:kubernetes::alpha",
    ] == [resource.path for resource in deployment.resources]


def test_a_pod_that_asks_for_nothing_gets_an_encrypted_gp3_volume(deploy):
    inputs = deploy(storage).only(CLASS).inputs

    assert {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {
            "name": "gp3",
            "annotations": {"storageclass.kubernetes.io/is-default-class": "true"},
        },
        "provisioner": "ebs.csi.aws.com",
        "parameters": {
            "type": "gp3",
            "encrypted": "true",
            "csi.storage.k8s.io/fstype": "ext4",
        },
        "volumeBindingMode": "WaitForFirstConsumer",
        "reclaimPolicy": "Delete",
        "allowVolumeExpansion": True,
    } == inputs


def test_the_driver_gets_its_role_by_pod_identity(deploy):
    deployment = deploy(storage)

    assert [
        {
            "roleArn": "arn:test:role/disks",
            "serviceAccount": "ebs-csi-controller-sa",
        }
    ] == deployment.only(ADDON).inputs["podIdentityAssociations"]
    assert {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "pods.eks.amazonaws.com"},
                "Action": ["sts:AssumeRole", "sts:TagSession"],
                "Condition": {
                    "StringEquals": {
                        "aws:RequestTag/eks-cluster-name": "alpha",
                        "aws:RequestTag/kubernetes-namespace": "kube-system",
                        "aws:RequestTag/kubernetes-service-account": (
                            "ebs-csi-controller-sa"
                        ),
                    }
                },
            }
        ],
    } == json.loads(deployment.only(ROLE).inputs["assumeRolePolicy"])


def test_h081_the_policy_is_that_of_the_partition(deploy):
    deployment = deploy(storage)

    assert {
        "role": "disks",
        "policyArn": "arn:test:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy",
    } == deployment.only(ATTACHMENT).inputs
    assert f"{COMPONENT}${ATTACHMENT}::disks-AmazonEBSCSIDriverPolicy" in (
        deployment.waits_for(deployment.only(ADDON))
    )


def test_h075_it_waits_for_nodes_without_taints(deploy):
    def program():
        nodes = aws.ec2.Eip("nodes")
        storage(pulumi.ResourceOptions(depends_on=[nodes]))

    deployment = deploy(program)

    assert "aws:ec2/eip:Eip::nodes" in deployment.waits_for(deployment.only(ADDON))


def test_h072_the_storage_class_goes_with_its_cluster(deploy):
    def program():
        storage(deleted_with=aws.ec2.Eip("cluster"))

    resource = deploy(program).only(CLASS)

    assert "urn:pulumi:test::project::aws:ec2/eip:Eip::cluster" == (
        resource.request.deletedWith
    )


def test_h074_each_object_is_made_by_the_provider_of_its_cluster(deploy):
    def program():
        explicit = aws.Provider("explicit", region="eu-west-1")
        storage(pulumi.ResourceOptions(providers=[explicit]))

    deployment = deploy(program)

    assert [] == deployment.on_default_providers()
    assert "alpha" == deployment.only(CLASS).provider
    assert "explicit" == deployment.only(ADDON).provider


def test_the_name_of_the_class_is_an_output(deploy):
    assert {"storage_class": "gp3"} == deploy(storage).outputs[f"{COMPONENT}::disks"]


def test_h073_it_works_in_a_preview(deploy):
    assert 6 == len(deploy(storage, preview=True).resources)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {},
            "cluster.provider must be given, the storage class is a Kubernetes object",
        ),
        (
            {"tags": {"aws:team": "jobs"}},
            "tags must leave out aws:team: keys that begin with aws: belong to AWS",
        ),
    ],
)
def test_rejects(overrides, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        StorageArgs(cluster=facts(), **overrides)


def test_with_auto_mode_alone_its_own_driver_makes_the_volumes(deploy):
    def program():
        known = facts(provider=kubernetes.Provider("alpha"))
        Storage("disks", StorageArgs(cluster=known, auto_mode=True))

    deployment = deploy(program)

    assert [] == [*deployment.of_type(ADDON), *deployment.of_type(ROLE)]
    assert "ebs.csi.eks.amazonaws.com" == deployment.only(CLASS).inputs["provisioner"]


def test_a_version_of_a_driver_that_is_not_installed_is_refused():
    message = "^version must be left out with auto_mode, got version=v1.50.0$"

    with pytest.raises(ValueError, match=message):
        StorageArgs(cluster=facts(), auto_mode=True, version="v1.50.0")


def test_h078_a_name_that_is_too_long_for_the_role_is_refused(deploy):
    message = f"^name must be at most 56 characters, got 57: {'d' * 57}$"

    def attempt(length, **overrides):
        known = facts(provider=kubernetes.Provider("alpha"))
        Storage("d" * length, StorageArgs(cluster=known, **overrides))

    with pytest.raises(ValueError, match=message):
        deploy(lambda: attempt(57))

    assert "d" * 56 == deploy(lambda: attempt(56)).only(ROLE).name
    assert [] == deploy(lambda: attempt(57, auto_mode=True)).of_type(ROLE)
