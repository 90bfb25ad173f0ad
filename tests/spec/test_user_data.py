"""Not proved: that nodeadm takes the parts, or that a script does what it should."""

import base64
import gzip
import re

import pytest

from components.spec.mime import NODE_CONFIG, SHELL, Part, render
from components.spec.user_data import (
    UserDataPart,
    overlap_problems,
    together_problems,
)

HEAD = "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"
SCRIPT = "#!/bin/bash\necho ready\n"
ENCODED = "content must be plain text, got base64: it is encoded once, later"
AL2 = "which does nothing on Amazon Linux 2023: use"


def config(text):
    return UserDataPart(kind="node-config", content=HEAD + text)


def encoded(data):
    return base64.b64encode(data).decode()


def test_parts_keep_their_text():
    script = UserDataPart(kind="shell", content=SCRIPT)
    document = config("spec: {}\n")

    assert script.mime_part == Part(content_type=SHELL, content=SCRIPT)
    assert document.mime_part == Part(
        content_type=NODE_CONFIG, content=f"{HEAD}spec: {{}}\n"
    )


@pytest.mark.parametrize(
    "content",
    [
        encoded(render([Part(content_type=SHELL, content=SCRIPT)]).encode()),
        encoded(SCRIPT.encode()),
        encoded(HEAD.encode()),
        encoded(gzip.compress(SCRIPT.encode(), mtime=0)),
        encoded(encoded(SCRIPT.encode()).encode()),
        "\n".join(re.findall(".{1,20}", encoded(HEAD.encode()))) + "\n",
    ],
)
@pytest.mark.parametrize("kind", ["shell", "node-config"])
def test_h033_text_that_is_encoded_already_is_refused(kind, content):
    with pytest.raises(ValueError, match=f"^{ENCODED}$"):
        UserDataPart(kind=kind, content=content)


@pytest.mark.parametrize("kind", ["shell", "node-config"])
@pytest.mark.parametrize(
    "first", ["MIME-Version: 1.0", "content-type: multipart/mixed"]
)
def test_h031_a_multipart_document_is_no_part(kind, first):
    message = "content must be one part, got a multipart document: give each part"

    with pytest.raises(ValueError, match=f"^{message}$"):
        UserDataPart(kind=kind, content=f"{first}\n\n--x\n")


@pytest.mark.parametrize(
    ("command", "habit", "instead"),
    [
        (
            "export KUBELET_EXTRA_ARGS=--max-pods=60",
            "KUBELET_EXTRA_ARGS",
            "spec.kubelet.config of a node-config part",
        ),
        ("USE_MAX_PODS=false", "USE_MAX_PODS", "kubelet.max_pods of the group"),
        (
            "/etc/eks/bootstrap.sh prod --b64-cluster-ca x",
            "/etc/eks/bootstrap.sh",
            "a node-config part (the library adds the cluster)",
        ),
        (
            "sed -i s/x/y/ /etc/kubernetes/kubelet/kubelet-config.json",
            "kubelet-config.json",
            "spec.kubelet.config of a node-config part",
        ),
        (
            "cat /etc/eks/eni-max-pods.txt",
            "eni-max-pods.txt",
            "kubelet.max_pods of the group",
        ),
    ],
)
def test_h030_shell_habits_of_al2_are_refused_with_the_new_spelling(
    command, habit, instead
):
    message = f"content must leave out {habit}, {AL2} {instead}"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        UserDataPart(kind="shell", content=f"#!/bin/bash\n{command}\n")


def test_h030_a_comment_about_al2_is_no_command():
    content = "#!/bin/bash\n# no USE_MAX_PODS here\n/opt/my-bootstrap.sh\n"

    assert content == UserDataPart(kind="shell", content=content).content


@pytest.mark.parametrize(
    ("kind", "content", "system"),
    [
        ("shell", "<powershell>\nGet-Service\n</powershell>\n", "Windows"),
        ("shell", "<script>\ndir\n</script>\n", "Windows"),
        ("node-config", "[settings.kubernetes]\nmax-pods = 60\n", "Bottlerocket"),
        ("shell", "[settings]\nmotd = 1\n", "Bottlerocket"),
    ],
)
def test_h088_text_for_other_systems_is_refused_by_their_name(kind, content, system):
    message = f"content must be for Amazon Linux 2023, got {system}: Linux only"

    with pytest.raises(ValueError, match=f"^{message}$"):
        UserDataPart(kind=kind, content=content)


@pytest.mark.parametrize(
    ("kind", "content", "message"),
    [
        ("toml", "x", "kind must be node-config or shell, got kind=toml"),
        ("shell", " \n", "content must not be empty"),
        ("shell", "#!/bin/sh\r\n", "content must be text with Unix line ends"),
        ("shell", "#!/bin/sh\n\0", "content must be text with Unix line ends"),
        (
            "shell",
            "echo ready\n",
            "content of a script must begin with #!, such as #!/bin/bash",
        ),
        (
            "shell",
            "\n#!/bin/bash\n",
            "content of a script must begin with #!, such as #!/bin/bash",
        ),
        (
            "shell",
            "#cloud-config\npackages: []\n",
            "content of a script must begin with #!, such as #!/bin/bash",
        ),
    ],
)
def test_rejects_parts_that_cloud_init_would_ignore(kind, content, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        UserDataPart(kind=kind, content=content)


def test_h032_a_wrong_key_of_a_node_config_is_named_with_its_path():
    message = "content.spec.Kubelet: unknown key, write kubelet"

    with pytest.raises(ValueError, match=f"^{message}$"):
        config("spec: {Kubelet: {}}\n")


@pytest.mark.parametrize(
    ("text", "key", "field"),
    [
        ("kubelet: {config: {maxPods: 1}}", "spec.kubelet.config.maxPods", "max_pods"),
        (
            "kubelet: {config: {registryPullQPS: 1}}",
            "spec.kubelet.config.registryPullQPS",
            "registry_pull_qps",
        ),
        (
            "kubelet: {config: {registryBurst: 1}}",
            "spec.kubelet.config.registryBurst",
            "registry_burst",
        ),
        (
            "kubelet: {config: {serializeImagePulls: true}}",
            "spec.kubelet.config.serializeImagePulls",
            "max_parallel_image_pulls",
        ),
        (
            "kubelet: {config: {maxParallelImagePulls: 1}}",
            "spec.kubelet.config.maxParallelImagePulls",
            "max_parallel_image_pulls",
        ),
        (
            "kubelet: {config: {runtimeRequestTimeout: 2m}}",
            "spec.kubelet.config.runtimeRequestTimeout",
            "runtime_request_timeout",
        ),
        (
            "kubelet: {config: {kubeReserved: {memory: 1Gi}}}",
            "spec.kubelet.config.kubeReserved",
            "max_pods, from which it is computed",
        ),
        (
            'kubelet: {maxPodsExpression: "60"}',
            "spec.kubelet.maxPodsExpression",
            "max_pods",
        ),
        ('kubelet: {flags: ["--max-pods=1"]}', "the flag --max-pods", "max_pods"),
        ('kubelet: {flags: ["--max_pods=1"]}', "the flag --max-pods", "max_pods"),
        (
            'kubelet: {flags: ["--registry-qps", "1"]}',
            "the flag --registry-qps",
            "registry_pull_qps",
        ),
    ],
)
def test_a_part_cannot_undo_the_limits_of_its_group(text, key, field):
    part = config(f"spec: {{{text}}}\n")

    assert [f"user_data must leave out {key}, set kubelet.{field}"] == (
        overlap_problems(part, tuned=True)
    )
    assert overlap_problems(part, tuned=False) == []


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("kubelet: {config: {maxPods: 1}}", "spec.kubelet.config.maxPods"),
        ('kubelet: {maxPodsExpression: "60"}', "spec.kubelet.maxPodsExpression"),
        ('kubelet: {flags: ["--max-pods 1"]}', "the flag --max-pods"),
    ],
)
def test_h029_where_eks_writes_the_pod_count_a_part_cannot(text, key):
    part = config(f"spec: {{{text}}}\n")

    assert [f"user_data must leave out {key}, set kubelet.max_pods"] == (
        overlap_problems(part, tuned=False, managed=True)
    )


def test_h029_a_managed_group_may_set_what_eks_leaves_alone():
    part = config("spec: {kubelet: {config: {registryPullQPS: 1}}}\n")

    assert overlap_problems(part, tuned=False, managed=True) == []


@pytest.mark.parametrize("tuned", [True, False])
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "kubelet: {config: {registerWithTaints: []}}",
            "user_data must leave out spec.kubelet.config.registerWithTaints, "
            "set taints",
        ),
        (
            'kubelet: {flags: ["--node-labels=a=b"]}',
            "user_data must leave out the flag --node-labels, set labels",
        ),
        (
            'kubelet: {flags: ["--register-with-taints=a=b:NoSchedule"]}',
            "user_data must leave out the flag --register-with-taints, set taints",
        ),
        (
            "cluster: {name: prod}",
            "user_data must leave out spec.cluster, which is filled in",
        ),
    ],
)
def test_a_part_cannot_move_nodes_out_of_their_group(text, problem, tuned):
    assert [problem] == overlap_problems(config(f"spec: {{{text}}}\n"), tuned=tuned)


def test_a_part_may_set_everything_else():
    part = config(
        "spec:\n"
        "  containerd: {config: 'oom_score = -999'}\n"
        "  instance: {localStorage: {strategy: RAID0}}\n"
        "  kubelet:\n"
        "    config: {evictionHard: {memory.available: 500Mi}}\n"
        "    flags: [--v=4]\n"
    )

    assert overlap_problems(part, tuned=True) == []


def test_fields_that_belong_together_may_stand_in_two_parts():
    soft = config(
        "spec: {kubelet: {config: {evictionSoft: {memory.available: 1Gi}}}}\n"
    )
    grace = config(
        "spec: {kubelet: {config: {evictionSoftGracePeriod: {memory.available: 1m}}}}\n"
    )
    script = UserDataPart(kind="shell", content=SCRIPT)

    assert together_problems([soft, script, grace]) == []
    assert together_problems([soft, script]) == [
        "user_data: spec.kubelet.config.evictionSoft[memory.available] must have a "
        "matching evictionSoftGracePeriod[memory.available], got none"
    ]


def test_a_script_is_not_looked_into():
    part = UserDataPart(kind="shell", content="#!/bin/bash\n: maxPods\n")

    assert overlap_problems(part, tuned=True) == []
