"""
The rules by which nodeadm reads and merges NodeConfigs, in our words.

Not proved: that nodeadm of a given image does the same; no node was booted.
"""

import re
import tomllib

import pytest

from components.spec.nodeadm import merge, read_node_config

HEAD = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"

FULL = f"""{HEAD}metadata: {{name: any}}
spec:
  cluster:
    name: prod
    apiServerEndpoint: https://example.com
    certificateAuthority: YQ==
    cidr: 172.20.0.0/16
    enableOutpost: false
    id: x
  containerd:
    config: ""
    baseRuntimeSpec: {{process: {{rlimits: []}}}}
  instance:
    localStorage:
      strategy: RAID0
      mountPath: /mnt
      disabledMounts: [Containerd, PodLogs, SOCI]
    storage: {{volumes: [{{device: /dev/xvdb, mountTargets: [x], fsType: xfs}}]}}
    environment: {{default: {{HTTP_PROXY: x}}}}
    network: {{nameservers: [10.0.0.2], domains: [example.com]}}
  kubelet:
    config: {{maxPods: 60, aFieldOfTheFuture: 1}}
    flags: [--v=2]
    maxPodsExpression: max_pods
  featureGates: {{FastImagePull: true}}
"""


def test_h032_every_key_of_the_schema_is_accepted():
    assert read_node_config(FULL)["spec"]["kubelet"]["config"]["maxPods"] == 60


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "APIVersion: node.eks.aws/v1alpha1\nKind: NodeConfig\n",
            "content.apiVersion must be node.eks.aws/v1alpha1, and is missing\n"
            "content.kind must be NodeConfig, and is missing\n"
            "content.APIVersion: unknown key, write apiVersion\n"
            "content.Kind: unknown key, write kind",
        ),
        (
            "apiVersion: node.eks.aws/v1alpha\nkind: NodeConfig\n",
            "content.apiVersion must be node.eks.aws/v1alpha1, "
            "got 'node.eks.aws/v1alpha'",
        ),
        (
            "apiVersion: node.eks.aws/v1alpha1\nkind: nodeconfig\n",
            "content.kind must be NodeConfig, got 'nodeconfig'",
        ),
        (f"{HEAD}Spec: {{}}\n", "content.Spec: unknown key, write spec"),
        (
            f"{HEAD}spec: {{Cluster: {{}}}}\n",
            "content.spec.Cluster: unknown key, write cluster",
        ),
        (
            f"{HEAD}spec: {{cluster: {{endpoint: x}}}}\n",
            "content.spec.cluster.endpoint: unknown key, expected one of name, "
            "apiServerEndpoint, certificateAuthority, cidr, enableOutpost, id",
        ),
        (
            f"{HEAD}spec: {{maxPods: 60}}\n",
            "content.spec.maxPods: unknown key, expected one of cluster, containerd, "
            "instance, kubelet, featureGates",
        ),
        (
            f"{HEAD}spec: {{kubelet: {{config: {{maxpods: 60, ClusterDNS: []}}}}}}\n",
            "content.spec.kubelet.config.maxpods: unknown key, write maxPods\n"
            "content.spec.kubelet.config.ClusterDNS: unknown key, write clusterDNS",
        ),
        (
            f"{HEAD}spec: {{kubelet: {{flags: --v=2}}}}\n",
            "content.spec.kubelet.flags must be a list, got '--v=2'",
        ),
        (
            f"{HEAD}spec: {{kubelet: {{flags: [1]}}}}\n",
            "content.spec.kubelet.flags[0] must be text, got 1",
        ),
        (
            f"{HEAD}spec: {{kubelet: {{flags: [v=4]}}}}\n",
            "content.spec.kubelet.flags[0] must be a flag such as --v=4, got 'v=4'",
        ),
        (
            f"{HEAD}spec: {{containerd: {{config: 'a ='}}}}\n",
            "content.spec.containerd.config must be TOML, got text that cannot be "
            "read: Invalid value (at end of document)",
        ),
        (
            f"{HEAD}spec: {{containerd: {{config: {{}}}}}}\n",
            "content.spec.containerd.config must be text, got {}",
        ),
        (
            f"{HEAD}spec: {{instance: {{localStorage: {{strategy: [RAID0]}}}}}}\n",
            "content.spec.instance.localStorage.strategy must be Mount or RAID0 or "
            "RAID10, got ['RAID0']",
        ),
        (
            f"{HEAD}spec: {{kubelet: {{config: x}}}}\n",
            "content.spec.kubelet.config must be an object, got 'x'",
        ),
        (
            f"{HEAD}spec: {{featureGates: {{FastImagePull: 'yes'}}}}\n",
            "content.spec.featureGates.FastImagePull must be true or false, got 'yes'",
        ),
        (
            f"{HEAD}spec: {{instance: {{localStorage: {{strategy: raid0}}}}}}\n",
            "content.spec.instance.localStorage.strategy must be Mount or RAID0 or "
            "RAID10, got 'raid0'",
        ),
        (
            f"{HEAD}spec: {{instance: {{environment: {{default: [a]}}}}}}\n",
            "content.spec.instance.environment.default must be an object, got ['a']",
        ),
        (
            f"{HEAD}spec: {{instance: {{storage: {{volumes: [{{Device: x}}]}}}}}}\n",
            "content.spec.instance.storage.volumes[0].Device: unknown key, "
            "write device",
        ),
        (f"{HEAD}spec:\n", "content.spec must be an object, got None"),
        ("just text", "content must be a NodeConfig, got no YAML object"),
        ("[]", "content must be a NodeConfig, got no YAML object"),
    ],
)
def test_h032_differences_from_the_schema_are_named_with_their_path(text, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        read_node_config(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}---\n{HEAD}",
        f"{HEAD}spec: {{\n",
        f"{HEAD}kind: NodeConfig\n",
        f"{HEAD}spec:\n\tkubelet: {{}}\n",
        "? [a]\n: b\n",
    ],
)
def test_h032_what_yaml_refuses_is_told_on_one_line(text):
    with pytest.raises(ValueError, match="^content must be one YAML document: .+$"):
        read_node_config(text)


def kubelet(**fields):
    return {"spec": {"kubelet": fields}}


def test_h035_the_later_value_wins():
    one = {"spec": {"cluster": {"name": "a", "cidr": "10.0.0.0/16"}}}
    other = {"spec": {"cluster": {"name": "b"}}}

    assert merge([one, other]) == {
        "spec": {"cluster": {"name": "b", "cidr": "10.0.0.0/16"}}
    }


def test_h035_maps_merge_deeply():
    one = kubelet(config={"evictionHard": {"a": "1", "b": "2"}, "maxPods": 60})
    other = kubelet(config={"evictionHard": {"b": "3"}})

    assert merge([one, other]) == kubelet(
        config={"evictionHard": {"a": "1", "b": "3"}, "maxPods": 60}
    )


def test_h035_kubelet_flags_are_appended():
    documents = [kubelet(flags=["--v=1"]), kubelet(flags=["--v=2", "--v=1"])]

    assert merge(documents) == kubelet(flags=["--v=1", "--v=2", "--v=1"])


def test_h035_every_other_list_is_replaced():
    one = {
        "spec": {
            "kubelet": {"config": {"clusterDNS": ["10.0.0.1", "10.0.0.2"]}},
            "instance": {"network": {"nameservers": ["10.0.0.1", "10.0.0.2"]}},
        }
    }
    other = {
        "spec": {
            "kubelet": {"config": {"clusterDNS": ["10.0.0.3"]}},
            "instance": {"network": {"nameservers": ["10.0.0.3"]}},
        }
    }

    assert merge([one, other]) == other


def test_h035_empty_values_outside_of_inline_documents_change_nothing():
    one = {"spec": {"cluster": {"name": "a"}, "featureGates": {"FastImagePull": True}}}
    other = {
        "spec": {"cluster": {"name": ""}, "featureGates": {"FastImagePull": False}}
    }

    assert merge([one, other]) == {
        "spec": {"cluster": {"name": "a"}, "featureGates": {"FastImagePull": False}}
    }


def test_h035_containerd_is_merged_as_toml():
    one = (
        'version = 3\nimports = ["a"]\n[plugins."io.containerd.cri.v1.images"]\n'
        'max_concurrent_downloads = 3\nsnapshotter = "overlayfs"\n'
    )
    other = (
        'imports = ["b", "c"]\n[plugins."io.containerd.cri.v1.images"]\n'
        "max_concurrent_downloads = 10\n[metrics]\naddress = '127.0.0.1:1'\n[empty]\n"
    )
    documents = [{"spec": {"containerd": {"config": text}}} for text in (one, other)]

    assert tomllib.loads(merge(documents)["spec"]["containerd"]["config"]) == {
        "version": 3,
        "imports": ["b", "c"],
        "plugins": {
            "io.containerd.cri.v1.images": {
                "max_concurrent_downloads": 10,
                "snapshotter": "overlayfs",
            }
        },
        "metrics": {"address": "127.0.0.1:1"},
        "empty": {},
    }


def test_h035_toml_keeps_every_kind_of_value():
    text = (
        'a = "say \\"hi\\""\nb = 1.5\nc = true\nd = 2026-11-29T10:00:00Z\n'
        'e = [[1, 2], [{x = 1, y = ["z"]}]]\n[[f]]\nname = 1\n[[f]]\nname = 2\n'
    )
    documents = [{"spec": {"containerd": {"config": one}}} for one in (text, "g = 1")]

    assert tomllib.loads(merge(documents)["spec"]["containerd"]["config"]) == (
        tomllib.loads(text) | {"g": 1}
    )


def test_h035_merging_leaves_the_documents_alone():
    one, other = kubelet(config={"a": {"b": 1}}), kubelet(config={"a": {"c": 2}})
    merge([one, other])

    assert (kubelet(config={"a": {"b": 1}}), kubelet(config={"a": {"c": 2}})) == (
        one,
        other,
    )
