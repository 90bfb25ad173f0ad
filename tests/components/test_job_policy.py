"""
The job policy as the engine is sent it.

What the policies do to a pod is for tests/spec/policy and tests/cluster; that the
engine keeps the order, for tests/engine.
"""

import asyncio
import time
from dataclasses import replace

import pulumi
import pulumi_aws as aws
import pulumi_kubernetes as kubernetes
import pytest

from components import (
    JobLabel,
    JobPolicy,
    JobPolicyArgs,
    JobPolicySettings,
    KyvernoSettings,
    ScalerFacts,
    SchedulerScoring,
    Size,
    job_policy,
)
from components.spec.policy.kyverno_chart import kyverno_values
from components.spec.policy.manifests import policy_manifests
from tests.components.builders import JOB, SERVER, facts

COMPONENT = "eks-jobs:index:JobPolicy"
NATIVE = "kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicy"
BINDING = f"{NATIVE}Binding"
KYVERNO = "kubernetes:policies.kyverno.io/v1:MutatingPolicy"
LEGACY = "kubernetes:kyverno.io/v1:ClusterPolicy"
RELEASE = "kubernetes:helm.sh/v3:Release"


def policy(
    version="1.36", opts=None, cluster=None, scheduler=None, jobs=(), **settings
):
    provider = kubernetes.Provider("alpha")
    known = facts(provider=provider, version=version, **(cluster or {}))
    return JobPolicy(
        "jobs",
        JobPolicyArgs(
            cluster=known,
            settings=JobPolicySettings(**settings),
            servers=(SERVER,),
            jobs=jobs,
            scheduler=scheduler,
        ),
        opts,
    )


def own(deployment) -> list[str]:
    return [
        r.path.removeprefix(f"{COMPONENT}$")
        for r in deployment.resources
        if r.path.startswith(COMPONENT)
    ]


@pytest.mark.parametrize(
    ("version", "engine", "children"),
    [
        ("1.36", "auto", [f"{NATIVE}::jobs-native", f"{BINDING}::jobs-native"]),
        ("1.36", "native", [f"{NATIVE}::jobs-native", f"{BINDING}::jobs-native"]),
        ("1.35", "auto", [f"{RELEASE}::jobs-kyverno", f"{KYVERNO}::jobs-kyverno"]),
        ("1.36", "kyverno", [f"{RELEASE}::jobs-kyverno", f"{KYVERNO}::jobs-kyverno"]),
        (
            "1.34",
            "kyverno-legacy",
            [f"{RELEASE}::jobs-kyverno", f"{LEGACY}::jobs-kyverno-legacy"],
        ),
    ],
)
def test_identity_is_pinned(deploy, version, engine, children):
    deployment = deploy(lambda: policy(version, engine=engine))

    assert sorted([f"{COMPONENT}::jobs", *children]) == sorted(own(deployment))


@pytest.mark.parametrize(
    ("engine", "children"),
    [
        ("native", [f"{NATIVE}::jobs-native", f"{BINDING}::jobs-native"]),
        ("kyverno", [f"{KYVERNO}::jobs-kyverno"]),
        ("kyverno-legacy", [f"{LEGACY}::jobs-kyverno-legacy"]),
    ],
)
def test_the_host_network_is_one_policy_more(deploy, engine, children):
    without = own(deploy(lambda: policy(engine=engine)))
    more = own(deploy(lambda: policy(engine=engine, host_network=True)))

    assert {f"{child}-host-network" for child in children} == set(more) - set(without)


def test_a_kyverno_that_exists_is_not_installed(deploy):
    deployment = deploy(lambda: policy("1.35", kyverno=KyvernoSettings(install=False)))

    assert [f"{COMPONENT}::jobs", f"{KYVERNO}::jobs-kyverno"] == own(deployment)


@pytest.mark.parametrize("engine", ["native", "kyverno", "kyverno-legacy"])
def test_h060_objects_are_sent_as_they_are_rendered(deploy, engine):
    settings = JobPolicySettings(engine=engine, host_network=True)
    deployment = deploy(lambda: policy(engine=engine, host_network=True))
    sent = [
        dict(r.inputs)
        for r in deployment.resources
        if r.type in (NATIVE, BINDING, KYVERNO, LEGACY)
    ]

    def ordered(manifests):
        return sorted(manifests, key=lambda m: (m["kind"], m["metadata"]["name"]))

    assert ordered(policy_manifests(settings, engine)) == ordered(sent)


def test_h013_kyverno_is_the_pinned_chart_on_nodes_of_servers(deploy):
    kyverno = KyvernoSettings(namespace="policies", replicas=2)
    release = deploy(lambda: policy("1.35", kyverno=kyverno)).only(RELEASE)

    assert {
        "name": "kyverno",
        "chart": "kyverno",
        "version": "3.9.1",
        "repositoryOpts": {"repo": "https://kyverno.github.io/kyverno"},
        "namespace": "policies",
        "createNamespace": True,
        "values": kyverno_values(kyverno, (SERVER,)),
    } == {key: value for key, value in release.inputs.items() if key != "compat"}


def test_another_chart_of_kyverno_can_be_named(deploy):
    kyverno = KyvernoSettings(chart_version="3.8.0")
    release = deploy(lambda: policy("1.35", kyverno=kyverno)).only(RELEASE)

    assert "3.8.0" == release.inputs["version"]


@pytest.mark.parametrize("engine", ["kyverno", "kyverno-legacy"])
def test_h013_policies_go_before_kyverno_and_kyverno_before_its_nodes(deploy, engine):
    def program():
        nodes = aws.ec2.Eip("nodes")
        opts = pulumi.ResourceOptions(depends_on=[nodes])
        policy(engine=engine, host_network=True, opts=opts)

    deployment = deploy(program)
    release = deployment.only(RELEASE)
    policies = [*deployment.of_type(KYVERNO), *deployment.of_type(LEGACY)]

    assert "aws:ec2/eip:Eip::nodes" in deployment.waits_for(release)
    assert [True, True] == [
        release.path in deployment.waits_for(one) for one in policies
    ]


def test_a_binding_comes_after_its_policy_and_goes_before_it(deploy):
    deployment = deploy(lambda: policy(host_network=True))

    for name in ("jobs-native", "jobs-native-host-network"):
        waits = deployment.waits_for(deployment.only(BINDING, name))
        assert {f"{COMPONENT}${NATIVE}::{name}"} == {p for p in waits if NATIVE in p}


@pytest.mark.parametrize("engine", ["native", "kyverno", "kyverno-legacy"])
def test_no_engine_replaces_or_waits_for_another(deploy, engine):
    """A switch creates all of the new first, since no URN and no object is shared."""
    others = {"native", "kyverno", "kyverno-legacy"} - {engine}

    def objects(engine):
        return {
            (r.type, r.name): (r.inputs["kind"], r.inputs["metadata"]["name"])
            for r in deploy(lambda: policy(engine=engine)).resources
            if r.type in (NATIVE, BINDING, KYVERNO, LEGACY)
        }

    for other in others:
        assert not objects(engine).keys() & objects(other).keys()
        assert not set(objects(engine).values()) & set(objects(other).values())


def test_a_switch_between_policies_of_kyverno_keeps_kyverno(deploy):
    releases = [
        deploy(lambda engine=engine: policy(engine=engine)).only(RELEASE)
        for engine in ("kyverno", "kyverno-legacy")
    ]

    assert releases[0].path == releases[1].path
    assert releases[0].inputs == releases[1].inputs


@pytest.mark.parametrize(
    ("engine", "settled"),
    [
        ("native", [f"{BINDING}::jobs-native"]),
        ("kyverno", [f"{KYVERNO}::jobs-kyverno"]),
        ("kyverno-legacy", [f"{LEGACY}::jobs-kyverno-legacy"]),
    ],
)
def test_the_engine_goes_on_when_a_new_policy_works(deploy, engine, settled):
    """Else the old policy would go while the new one is being loaded."""
    deployment = deploy(lambda: policy(engine=engine))

    assert [f"{COMPONENT}${path}" for path in settled] == [
        r.path for r in deployment.resources if r.request.hooks.after_create
    ]


def test_settling_waits(monkeypatch):
    monkeypatch.setattr(job_policy, "_SETTLE_SECONDS", 0.2)
    before = time.monotonic()
    created = pulumi.ResourceHookArgs(urn="", id="", name="", type="")
    asyncio.run(job_policy._settle(created))

    assert time.monotonic() - before >= 0.2


def test_h072_everything_goes_with_its_cluster(deploy):
    def program():
        policy("1.35", cluster={"deleted_with": aws.ec2.Eip("cluster")})

    made = [r for r in deploy(program).resources if r.path.startswith(f"{COMPONENT}$")]

    assert {"urn:pulumi:test::project::aws:ec2/eip:Eip::cluster"} == {
        r.request.deletedWith for r in made
    }


def test_h074_each_object_is_made_by_the_provider_of_its_cluster(deploy):
    deployment = deploy(lambda: policy("1.35"))

    assert [] == deployment.on_default_providers()
    assert {"alpha"} == {
        r.provider for r in deployment.resources if r.path.startswith(f"{COMPONENT}$")
    }


def test_everything_waits_for_a_cluster_that_is_ready(deploy):
    def program():
        policy("1.35", cluster={"ready": (aws.ec2.Eip("ready"),)})

    deployment = deploy(program)

    assert [] == [
        r.path
        for r in deployment.resources
        if r.path.startswith(f"{COMPONENT}$")
        and "aws:ec2/eip:Eip::ready" not in deployment.waits_for(r)
    ]


def test_outputs_are_engine_and_label(deploy):
    label = JobLabel(key="group")

    assert {"engine": "kyverno", "label": {"group": "job"}} == deploy(
        lambda: policy("1.35", label=label)
    ).outputs[f"{COMPONENT}::jobs"]


def test_what_it_made_can_be_waited_for(deploy):
    def program():
        made = policy(host_network=True)
        opts = pulumi.ResourceOptions(depends_on=made.policies)
        aws.ec2.Eip("later", opts=opts)

    deployment = deploy(program)
    later = deployment.waits_for(deployment.only("aws:ec2/eip:Eip", "later"))

    assert 4 == len([path for path in later if NATIVE in path])


def test_risks_are_warnings_of_the_component(deploy):
    large = replace(JOB, size=Size(max=301))

    assert [
        (
            f"{COMPONENT}::jobs",
            "policy.packing: affinity slows the scheduler on large clusters: up to "
            "301 job nodes, not tried above 300 nodes and 2000 pods; use scheduler, "
            "or unpacked_namespaces",
        ),
        (
            f"{COMPONENT}::jobs",
            "policy.strict: overwrites what the author of a pod or another policy "
            "says about eviction",
        ),
    ] == list(deploy(lambda: policy(jobs=(large,), strict=True)).warnings)


def test_the_default_policy_is_silent(deploy):
    assert () == deploy(lambda: policy(jobs=(JOB,))).warnings


def test_h073_a_preview_knows_the_graph(deploy):
    real, preview = (
        deploy(lambda: policy("1.35"), preview=flag) for flag in (False, True)
    )

    assert own(real) == own(preview)


def test_packing_by_the_scheduler_is_taken_where_the_cluster_packs(deploy):
    deployment = deploy(lambda: policy(packing="both", scheduler=SchedulerScoring()))

    assert 1 == len(deployment.of_type(NATIVE))


@pytest.mark.parametrize(
    ("cluster", "arguments", "lines"),
    [
        (
            {"provider": None},
            {},
            ["cluster.provider must be given, policies are Kubernetes objects"],
        ),
        (
            {"version": "1.35"},
            {
                "settings": JobPolicySettings(engine="native", packing="scheduler"),
                "scalers": (ScalerFacts(kind="karpenter"),),
            },
            [
                "engine=native needs Kubernetes 1.36 or newer, got version 1.35: use "
                "auto or kyverno",
                "packing='scheduler' needs the cluster's scheduler strategy to be "
                "MostAllocated, got None",
            ],
        ),
        (
            {},
            {
                "settings": JobPolicySettings(
                    protection={"karpenter.sh/do-not-disrupt": "4h"}
                ),
                "scalers": (
                    ScalerFacts(kind="cluster-autoscaler", version="1.36.0"),
                    ScalerFacts(kind="karpenter", version="1.11.0"),
                ),
            },
            [
                "protection must hold cluster-autoscaler.kubernetes.io/safe-to-evict, "
                "the one that Cluster Autoscaler reads, got "
                "karpenter.sh/do-not-disrupt",
                'protection[karpenter.sh/do-not-disrupt] must be "true" with Karpenter '
                "before 1.12, which would ignore '4h', got version 1.11.0",
            ],
        ),
        (
            {"version": "1.35"},
            {"servers": ()},
            [
                "settings.kyverno.group must name a server group, as none is without "
                "taints"
            ],
        ),
    ],
)
def test_rejects_all_at_once(cluster, arguments, lines):
    def attempt():
        provider = kubernetes.Provider("alpha")
        known = facts(**{"provider": provider} | cluster)
        with pytest.raises(ValueError, match=".") as caught:
            JobPolicyArgs(**{"cluster": known, "servers": (SERVER,)} | arguments)
        return str(caught.value).splitlines()

    pulumi.runtime.set_mocks(_Nothing())

    assert lines == attempt()


class _Nothing(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return args.name, args.inputs

    def call(self, args):  # noqa: ARG002 (named by pulumi)
        return {}
