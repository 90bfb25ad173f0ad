"""Not proved: how many bytes Karpenter adds; its source was read, none was started."""

from components.spec import mime
from components.spec.groups import UserDataPart
from components.spec.nodeadm import read_node_config
from components.spec.scaler.karpenter import Karpenter, ServerPool
from components.spec.scaler.launch_data import karpenter_launch_data
from components.spec.scaler.manifests import user_data_refusals
from components.spec.scaler.node_class import ec2_node_class
from tests.spec.scaler.builders import TYPES, job, site

ALIAS = "al2023@v20260714"
STRIPED = UserDataPart(
    kind="node-config",
    content="apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"
    "spec: {instance: {localStorage: {strategy: RAID0}}}\n",
)


def script(size):
    return UserDataPart(kind="shell", content="#!/bin/bash\n#" + "x" * size)


def pool(**overrides):
    return ServerPool(
        name="more", architecture="amd64", instance_types=("m7i.xlarge",), **overrides
    )


def test_the_text_of_a_launch_is_ours_and_then_that_of_karpenter():
    group = job(labels={"team": "data"}, user_data=(STRIPED, script(1)))
    node_class = ec2_node_class(group, site(), ALIAS, TYPES)

    *first, last = mime.parse(karpenter_launch_data(group, node_class))
    spec = read_node_config(last.content)["spec"]

    assert list(mime.parse(node_class["spec"]["userData"])) == first
    assert spec["instance"] == {"localStorage": {"strategy": "RAID0"}}
    assert spec["kubelet"]["config"] == {
        **node_class["spec"]["kubelet"],
        "registerWithTaints": [
            {"key": "eks-jobs/group", "value": "job", "effect": "NoSchedule"},
            {"key": "karpenter.sh/unregistered", "value": "", "effect": "NoExecute"},
        ],
    }
    assert spec["kubelet"]["flags"] == [
        '--node-labels="eks-jobs/group=job,team=data,'
        "karpenter.k8s.aws/ec2nodeclass=job,karpenter.sh/capacity-type=on-demand,"
        'karpenter.sh/do-not-sync-taints=true,karpenter.sh/nodepool=job"'
    ]


def test_a_class_without_a_text_of_ours_has_none_to_measure():
    node_class = ec2_node_class(pool(), site(), ALIAS, TYPES)

    assert karpenter_launch_data(pool(), node_class) is None


def test_h033_what_karpenter_adds_counts_for_jobs_and_pools_of_servers():
    def refusals(size):
        part = script(size)
        scaler = Karpenter(server_pools=(pool(user_data=(part,)),))
        return list(user_data_refusals(scaler, [job(user_data=(part,))], TYPES))

    assert [] == refusals(12_500)
    ec2_node_class(job(user_data=(script(15_000),)), site(), ALIAS, TYPES)
    first, second = refusals(15_000)
    assert first.startswith("jobs[0]: user_data must be at most 16384 bytes with")
    assert second.startswith(
        "scaler.server_pools[0]: user_data must be at most 16384 bytes with"
    )
