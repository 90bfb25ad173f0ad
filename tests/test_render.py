"""
What `render` writes, and that a deployment agrees with it.

Golden files are what a reviewer reads; that a node or the API server takes them is
proven elsewhere.
"""

import subprocess
import sys
from base64 import b64decode
from dataclasses import replace
from functools import cache
from pathlib import Path

import pulumi
import pytest
import yaml

from components.spec.labels import Taint
from components.spec.network import ExistingNetwork
from components.spec.policy.kyverno_settings import KyvernoSettings
from components.spec.policy.settings import JobPolicySettings
from components.spec.scaler.karpenter import Karpenter
from components.spec.vpc_cni import WarmInterfaces
from infra import program, render, settings, stack_file
from infra.summary import summary

ROOT = Path(__file__).parent.parent
STACKS = stack_file.stack_names(ROOT)


@pytest.fixture
def prod() -> settings.Settings:
    return settings.load_file(ROOT, "prod")


# Nobody reads the JSON of Grafana: tests/golden/dashboards says what is in it.
UNREADABLE = (
    "kubernetes/configmap-eks-jobs-before-after.yaml",
    "kubernetes/configmap-eks-jobs-platform.yaml",
    "monitoring/dashboards/eks-jobs-platform.json",
    "monitoring/dashboards/eks-jobs-before-after.json",
)


@cache
def readable(stack: str) -> dict[str, str]:
    rendered = render.files(stack, settings.load_file(ROOT, stack))
    return {path: text for path, text in rendered.items() if path not in UNREADABLE}


@pytest.mark.parametrize("stack", STACKS)
def test_rendered_files_match_their_golden_files(golden, stack):
    for path, text in readable(stack).items():
        golden(f"render/{stack}/{path}", text)


@pytest.mark.parametrize("stack", STACKS)
def test_no_golden_file_is_left_over(stack):
    rendered = readable(stack)
    folder = ROOT / "tests" / "golden" / "render" / stack
    kept = [path for path in folder.rglob("*") if path.is_file()]

    assert sorted(rendered) == sorted(str(path.relative_to(folder)) for path in kept)


@pytest.fixture(scope="module")
def deployment(deploy):
    selected = settings.load_file(ROOT, "sandbox")
    return deploy(lambda: program.deploy(selected), "sandbox")


@pytest.fixture(scope="module")
def rendered() -> dict[str, str]:
    return render.files("sandbox", settings.load_file(ROOT, "sandbox"))


def test_user_data_is_what_is_deployed_but_for_what_the_cluster_knows(
    deployment, rendered
):
    known = {
        "https://<ENDPOINT OF THE CLUSTER>": "https://eks-jobs-sandbox.eks.example.com",
        "<CERTIFICATE AUTHORITY OF THE CLUSTER>": "Y2E=",
    }
    # Groups of the Cluster Autoscaler that retires there.
    retiring = dict.fromkeys(("job", "job-large", "job-arm"), "retiring/")
    deployed = {
        f"user-data/{retiring.get(group, '')}{group}.txt": b64decode(
            template.inputs["userData"]
        ).decode()
        for template in deployment.of_type("aws:ec2/launchTemplate:LaunchTemplate")
        for group in [template.name.removeprefix("platform-")]
        if "userData" in template.inputs
    } | {
        f"user-data/{one.inputs['metadata']['name']}.txt": spec["userData"]
        for one in deployment.of_type("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass")
        for spec in [one.inputs["spec"]]
        if "userData" in spec
    }
    expected = {
        path: text for path, text in rendered.items() if path.startswith("user-data/")
    }
    for placeholder, value in known.items():
        expected = {path: t.replace(placeholder, value) for path, t in expected.items()}

    assert expected == deployed


def filled(text: str) -> str:
    """Write what the fake engine knows in place of what is written in capitals."""
    known = {
        "<ROLE OF THE NODES>": "platform-karpenter-node-role",
        "<SECURITY GROUP OF THE CLUSTER>": "sg-eks-jobs-sandbox",
        "<QUEUE OF INTERRUPTIONS>": "platform-karpenter-queue",
        **{
            f"<PRIVATE SUBNET {place}>": f"platform-network-private-{ZONES[place]}-id"
            for place in ZONES
        },
    }
    for placeholder, value in known.items():
        text = text.replace(placeholder, value)
    return text


ZONES = {"1": "ap-northeast-2a", "2": "ap-northeast-2b", "3": "ap-northeast-2c"}
RELEASE = "kubernetes:helm.sh/v3:Release"


def test_kubernetes_objects_are_what_is_deployed(deployment, rendered):
    expected = {
        path: yaml.safe_load(filled(text))
        for path, text in rendered.items()
        if path.startswith("kubernetes/")
    }
    deployed = {
        f"kubernetes/{one.inputs['kind'].lower()}-"
        f"{one.inputs['metadata']['name']}.yaml": dict(one.inputs)
        for one in deployment.resources
        if one.type.startswith("kubernetes:") and one.type != RELEASE
    }

    assert expected == deployed


def test_values_of_the_controllers_are_what_is_deployed(deployment, rendered):
    expected = {
        path.removeprefix("helm/").removesuffix(".yaml"): yaml.safe_load(filled(text))
        for path, text in rendered.items()
        if path.startswith("helm/")
    }
    deployed = {
        one.inputs["name"]: one.inputs["values"]
        for one in deployment.of_type(RELEASE)
        if one.inputs["name"] != "karpenter-crd"
    }

    assert expected == deployed


def test_policies_are_what_is_deployed(deployment, rendered):
    attached = [
        one.inputs["policyArn"].partition("policy/")[2]
        for one in deployment.of_type(
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
        )
    ]
    access = rendered["summary.md"].partition("## Access")[2].partition("\n## ")[0]
    rows = [line for line in access.splitlines() if line.startswith("| role of")]
    # pulumi-eks makes the role of the control plane, out of sight of the fake engine.
    named = [row.split(" | ")[1].rstrip(" |").split(", ") for row in rows[1:]]
    managed = [row for row in named if " of ours" not in row[0]]
    ours = {name.removeprefix("platform-karpenter-policy-") for name in attached}
    of_karpenter = named[[" of ours: node" in row[0] for row in named].index(True)]
    of_karpenter[0] = of_karpenter[0].removeprefix("policies of ours: ")

    assert sorted(n for n in attached if not n.startswith("platform-")) == sorted(
        policy for row in managed for policy in row
    )
    assert {*of_karpenter} <= ours
    assert "platform-cluster-autoscaler" in attached


@pytest.mark.parametrize(
    ("type_", "place"),
    [("aws:autoscaling/group:Group", "Job"), ("aws:eks/nodeGroup:NodeGroup", "Server")],
)
def test_tags_are_counted_as_they_are_deployed(deploy, type_, place):
    alpha = settings.load_file(ROOT, "alpha")
    deployment = deploy(lambda: program.deploy(alpha), "alpha")
    deployed = {
        one.name.removeprefix("platform-"): len(one.inputs["tags"])
        for one in deployment.of_type(type_)
    }
    sections = summary("alpha", alpha).split("\n## ")
    counted = {
        section.split()[2]: int(section.partition("| tags | ")[2].split()[0])
        for section in sections
        if section.startswith(f"{place} group")
    }

    assert deployed == counted


def test_tags_of_managed_job_groups_are_counted_as_they_are_deployed(deploy):
    alpha = settings.load_file(ROOT, "alpha")
    managed = replace(
        alpha,
        cluster=replace(alpha.cluster, ami_release=None),
        scaler=replace(alpha.scaler, groups="managed"),
    )
    deployment = deploy(lambda: program.deploy(managed), "alpha")
    (own,) = [
        len(one.inputs["tags"])
        for one in deployment.of_type("aws:eks/nodeGroup:NodeGroup")
        if one.name == "platform-job-ap-northeast-2a"
    ]
    added = [
        one.name
        for one in deployment.of_type("aws:autoscaling/tag:Tag")
        if one.name.startswith("platform-job-ap-northeast-2a-")
    ]

    assert (
        f"| tags | {own} of 50 on each node group; {len(added)} of 50 on its Auto "
        "Scaling group, beside those of EKS |"
    ) in summary("alpha", managed)


def test_an_existing_network_and_a_group_of_unknown_types_are_described(prod):
    unknown = replace(prod.jobs[0], instance_types=("m99i.4xlarge", "m98i.4xlarge"))
    network = ExistingNetwork(vpc_id="vpc-1", subnet_ids=("subnet-1", "subnet-2"))
    text = summary(
        "x",
        replace(
            prod,
            jobs=(unknown,),
            balloons=(),
            network=network,
            vpc_cni=WarmInterfaces(),
        ),
    )

    assert "An existing VPC, vpc-1: nothing in it is changed." in text
    assert "Nodes live in subnet-1, subnet-2." in text
    assert "| not in the table of types | m99i.4xlarge, m98i.4xlarge |" in text


def older(prod, policy: JobPolicySettings) -> settings.Settings:
    return replace(prod, cluster=replace(prod.cluster, version="1.35"), policy=policy)


def test_values_of_kyverno_are_what_is_deployed(deploy, prod):
    selected = older(prod, JobPolicySettings())
    deployment = deploy(lambda: program.deploy(selected))
    release = deployment.only(RELEASE, "platform-policy-kyverno")
    rendered = render.files("x", selected)

    assert release.inputs["values"] == yaml.safe_load(rendered["helm/kyverno.yaml"])
    assert "kubernetes/mutatingpolicy-eks-jobs.yaml" in rendered


@pytest.mark.parametrize(
    ("policy", "row"),
    [
        (
            JobPolicySettings(),
            "kyverno: MutatingPolicy, run by chart kyverno 3.9.1 in the namespace "
            "kyverno, 3 replicas",
        ),
        (
            JobPolicySettings(kyverno=KyvernoSettings(install=False)),
            "kyverno: MutatingPolicy, run by a Kyverno that is not installed here",
        ),
        (
            JobPolicySettings(engine="kyverno-legacy"),
            "kyverno-legacy: ClusterPolicy, run by chart kyverno 3.9.1 in the "
            "namespace kyverno, 3 replicas",
        ),
    ],
)
def test_the_engine_is_described(prod, policy, row):
    assert f"| engine | {row} |" in summary("x", older(prod, policy))


def test_a_kyverno_of_others_gets_no_values(prod):
    selected = older(prod, JobPolicySettings(kyverno=KyvernoSettings(install=False)))

    assert "helm/kyverno.yaml" not in render.files("x", selected)


def test_the_scoring_that_the_packing_brings_is_shown(prod):
    text = summary("x", replace(prod, policy=JobPolicySettings(packing="scheduler")))

    assert "| scheduler | MostAllocated (cpu 1, memory 1) |" in text
    assert "| packing | scheduler |" in text


def test_h100_the_program_and_render_name_taints_of_the_start_alike(deploy):
    alpha = settings.load_file(ROOT, "alpha")
    starting = Taint(key="agent-not-ready", startup=True)
    first, *others = alpha.jobs
    tainted = replace(alpha, jobs=(replace(first, taints=(starting,)), *others))
    deployment = deploy(lambda: program.deploy(tainted), "alpha")
    release = deployment.only(RELEASE, "platform-cluster-autoscaler")
    rendered = render.files("alpha", tainted)
    values = yaml.safe_load(rendered["helm/cluster-autoscaler.yaml"])

    for extra in (values["extraArgs"], release.inputs["values"]["extraArgs"]):
        assert "agent-not-ready" == extra["startup-taint_1"]
    assert (
        "`agent-not-ready=:NoSchedule` until the node is ready"
        in (rendered["summary.md"])
    )


def test_the_image_that_an_alias_names_is_shown(prod):
    named = replace(
        prod,
        cluster=replace(prod.cluster, ami_release=None),
        scaler=Karpenter(ami_alias="al2023@v20260714"),
    )

    assert "| node images of jobs | al2023@v20260714 |" in summary("x", named)


def test_no_policy_is_said_and_renders_nothing(prod):
    rendered = render.files("x", replace(prod, policy=None))

    assert "None: job pods are as their authors write them." in rendered["summary.md"]
    assert (
        "- info, `policy`: none: job pods are neither packed nor kept from being "
        "ended, unless their authors see to it"
    ) in rendered["summary.md"]
    assert not any("polic" in path or "pod-templates" in path for path in rendered)


def test_what_a_user_writes_stays_in_its_cell(prod):
    text = summary("x", replace(prod, tags={"a": "b|c"}))

    assert "| tags on all resources | `a=b\\|c` |" in text


def test_the_warnings_are_those_of_the_program(deploy, prod):
    told = [text for _, text in deploy(lambda: program.deploy(prod), "prod").warnings]
    text = summary("prod", prod)
    written = [line for line in text.splitlines() if line.startswith("- warning, ")]

    assert told == [
        line.removeprefix("- warning, `").replace("`: ", ": ", 1) for line in written
    ]


FILES = {"summary.md": "one\n", "user-data/job.txt": "two\n"}


def tree(out: Path) -> dict[str, str]:
    return {
        str(path.relative_to(out)): path.read_text()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != ".rendered.json"
    }


def test_a_second_run_leaves_no_stale_file(tmp_path):
    render.write(tmp_path, FILES | {"kubernetes/job-a.yaml": "three\n"})
    render.write(tmp_path, {"summary.md": "new\n"})

    assert {"summary.md": "new\n"} == tree(tmp_path)
    assert [".rendered.json", "summary.md"] == sorted(
        path.name for path in tmp_path.iterdir()
    )


def test_two_runs_agree_to_the_byte(tmp_path, prod):
    for folder in ("a", "b"):
        render.write(tmp_path / folder, render.files("prod", prod))
    first, second = (
        {p.name: p.read_bytes() for p in (tmp_path / f).rglob("*") if p.is_file()}
        for f in ("a", "b")
    )

    assert first == second


def test_files_of_others_are_kept(tmp_path):
    (tmp_path / "user-data").mkdir()
    (tmp_path / "user-data" / "mine.txt").write_text("mine")
    render.write(tmp_path, FILES)
    render.write(tmp_path, {"summary.md": "new\n"})

    assert {"summary.md": "new\n", "user-data/mine.txt": "mine"} == tree(tmp_path)


def test_a_file_of_others_in_the_way_is_named_and_nothing_changes(tmp_path):
    (tmp_path / "summary.md").write_text("mine")

    with pytest.raises(pulumi.RunError) as caught:
        render.write(tmp_path, FILES)

    assert (
        f"{tmp_path}/summary.md: in the way, and not written by an earlier run; choose "
        "another folder or remove it"
    ) == str(caught.value)
    assert {"summary.md": "mine"} == tree(tmp_path)


@pytest.mark.parametrize("link", ["summary.md", "user-data"])
def test_a_link_is_not_followed(tmp_path, link):
    outside = tmp_path / "outside"
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / link).symlink_to(outside)

    with pytest.raises(pulumi.RunError, match="in the way"):
        render.write(tmp_path / "out", FILES)

    assert not outside.exists()


def test_a_run_that_was_killed_can_be_repeated(tmp_path):
    render.write(tmp_path, {"summary.md": "old\n"})
    broken = {
        "summary.md": "new\n",
        "user-data/a.txt": "a\n",
        "user-data/b.txt": "\ud800",
    }
    with pytest.raises(UnicodeEncodeError):
        render.write(tmp_path, broken)
    render.write(tmp_path, FILES)

    assert FILES == tree(tmp_path)


@pytest.mark.parametrize(
    "record",
    ["", "{}", "[3]", '["../victim"]', '["/victim"]', '["a/../../victim"]'],
)
def test_a_record_that_lies_removes_nothing(tmp_path, record):
    (tmp_path / "victim").write_text("precious")
    out = tmp_path / "out"
    out.mkdir()
    (out / ".rendered.json").write_text(record)
    render.write(out, FILES)

    assert "precious" == (tmp_path / "victim").read_text()
    assert FILES == tree(out)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "infra.render", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )


def test_the_command_writes_the_files_and_says_where(tmp_path):
    finished = run("--stack", "prod", "--out", str(tmp_path))

    assert (0, "", f"27 files in {tmp_path}, read summary.md first\n") == (
        finished.returncode,
        finished.stderr,
        finished.stdout,
    )
    assert [
        "helm/karpenter.yaml",
        "helm/keda.yaml",
        "kubernetes/deployment-balloon-job-arm.yaml",
        "kubernetes/deployment-balloon-job.yaml",
        "kubernetes/ec2nodeclass-job-arm.yaml",
        "kubernetes/ec2nodeclass-job.yaml",
        "kubernetes/mutatingadmissionpolicy-eks-jobs.yaml",
        "kubernetes/mutatingadmissionpolicybinding-eks-jobs.yaml",
        "kubernetes/namespace-eks-jobs-balloons.yaml",
        "kubernetes/nodepool-job-arm.yaml",
        "kubernetes/nodepool-job.yaml",
        "kubernetes/priorityclass-balloon-job-arm-minus-10.yaml",
        "kubernetes/priorityclass-balloon-job-minus-10.yaml",
        "kubernetes/scaledobject-balloon-job-arm.yaml",
        "kubernetes/scaledobject-balloon-job.yaml",
        "kubernetes/storageclass-gp3.yaml",
        "monitoring/dashboards/eks-jobs-before-after.json",
        "monitoring/dashboards/eks-jobs-platform.json",
        "monitoring/rules.yaml",
        *(
            f"pod-templates/{name}.yaml"
            for name in (
                *("airflow", "argo-workflows", "dagster", "github-runners"),
                "job",
            )
        ),
        "summary.md",
        "user-data/job-arm.txt",
        "user-data/job.txt",
    ] == list(tree(tmp_path))


def test_a_stack_that_does_not_exist_is_one_line(tmp_path):
    finished = run("--stack", "prd", "--out", str(tmp_path / "out"))

    assert (
        1,
        "Pulumi.prd.yaml: no such stack file, expected one of the stacks alpha, dev, "
        "prod, sandbox\n",
    ) == (finished.returncode, finished.stderr)
    assert not (tmp_path / "out").exists()


def test_a_wrong_stack_file_is_a_line_for_each_problem(tmp_path, monkeypatch, capsys):
    (tmp_path / "Pulumi.yaml").write_text("name: eks-jobs\n")
    (tmp_path / "Pulumi.bad.yaml").write_text(
        "config:\n  aws:region: ap-northeast-2\n  eks-jobs:cluster: {version: 1.36}\n"
        "  eks-jobs:network: {}\n  eks-jobs:jobs: []\n  eks-jobs:tags: {a: yes, b: 1}\n"
    )
    monkeypatch.setattr(render, "_ROOT", tmp_path)
    code = render.main(["--stack", "bad", "--out", str(tmp_path / "out")])

    assert 1 == code
    assert (
        "cluster.version: expected a text, got 1.36; put it in quotes\n"
        "servers: missing key\n"
        "tags.b: expected a text, got 1; put it in quotes\n"
    ) == capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path, capsys):
    (tmp_path / "out").write_text("a file")
    code = render.main(["--stack", "prod", "--out", str(tmp_path / "out")])

    assert 1 == code
    assert 1 == len(capsys.readouterr().err.splitlines())


def test_rendering_loads_no_sdk_of_a_provider_and_is_quick():
    """
    At most 3 s of processor time and 250 MB.

    A process starts with the peak of the one that made it, this worker's, in its
    `ru_maxrss`; the one measured here is therefore made by a small one.
    """
    script = (
        "import sys, resource; from infra import render, settings; from pathlib import "
        "Path; render.files('prod', settings.load_file(Path('.'), 'prod')); "
        "used = resource.getrusage(resource.RUSAGE_SELF); "
        "print([m for m in sys.modules if m.startswith('pulumi_')], "
        "used.ru_maxrss // 1024 < 250, used.ru_utime + used.ru_stime < 3)"
    )
    small = "import subprocess, sys; subprocess.run([sys.executable, *sys.argv[1:]])"
    finished = subprocess.run(
        [sys.executable, "-c", small, "-c", script],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )

    assert "[] True True\n" == finished.stdout
