"""
The pods of a balloon, against the schemas of Kubernetes.

Not proved here: that the scheduler lets jobs push them out; tests/cluster has one.
"""

import pytest

from components.spec.balloon.manifests import balloon_manifests
from components.spec.balloon.pods import (
    balloon_namespace,
    deployment,
    priority_class,
    priority_class_name,
)
from components.spec.balloon.settings import NAMESPACE
from components.spec.groups import Taint
from components.spec.policy.matchers import PRESETS
from components.spec.policy.native import native_policies
from components.spec.policy.settings import JobPolicySettings
from components.spec.scaler.auto_mode import AutoMode
from components.spec.scaler.cluster_autoscaler import ClusterAutoscaler
from components.spec.scaler.karpenter import Karpenter
from sandbox.kubernetes.kinds import Kind
from sandbox.kubernetes.schema import problems
from tests.spec.balloon.builders import buffer, office, pods, static, warm
from tests.spec.policy import documents
from tests.spec.policy.admission import admit
from tests.spec.scaler.builders import TYPES, job

ARCHITECTURES = ["amd64", "arm64"]
SCALERS = [Karpenter(), ClusterAutoscaler(), AutoMode()]
BALLOONS = [
    pods(schedule=office(), labels={"team": "data"}),
    pods(name="always", priority=-5),
    buffer(),
    static(),
]


def manifests(architecture="amd64", scaler=SCALERS[0], balloons=BALLOONS):
    group = job(architecture=architecture, name="job")
    return [
        balloon_namespace(),
        *(
            manifest
            for balloon in balloons
            for manifest in balloon_manifests(
                balloon,
                group,
                scaler=scaler,
                instance_types=TYPES,
                cluster_version="1.36",
            )
        ),
    ]


def pod_spec(balloon=None, **overrides):
    made = deployment(balloon or pods(), job(**overrides))
    return made["spec"]["template"]["spec"]


def kind(manifest):
    group, _, version = manifest["apiVersion"].rpartition("/")
    return Kind(group=group, version=version, name=manifest["kind"])


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_every_kind_matches_its_golden_file(golden, architecture):
    golden(
        f"balloon/karpenter-{architecture}.yaml",
        documents.text(manifests(architecture)),
    )


@pytest.mark.parametrize("version", ["1.34", "1.36"])
def test_kubernetes_knows_every_field(version):
    found = [
        line
        for manifest in manifests()
        for line in problems(kind(manifest), manifest, version)
    ]

    assert [] == found


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("scaler", SCALERS, ids=lambda one: one.kind)
def test_h061_pods_have_selector_and_tolerations_of_their_group(architecture, scaler):
    """The same for every scaler: nodes of a group look alike."""
    taint = Taint(key="team", value="data", effect="NoExecute")
    starting = Taint(key="agent-not-ready", startup=True)
    group = job(architecture=architecture, taints=(taint, starting))
    for balloon in (pods(group=group.name), buffer(group=group.name)):
        made = balloon_manifests(
            balloon,
            group,
            scaler=scaler,
            instance_types=TYPES,
            cluster_version="1.36",
        )
        template = next(
            one.get("template") or one["spec"]["template"]
            for one in made
            if one["kind"] in ("Deployment", "PodTemplate")
        )

        assert {
            "kubernetes.io/os": "linux",
            "kubernetes.io/arch": architecture,
            "eks-jobs/group": group.name,
        } == template["spec"]["nodeSelector"]
        assert [
            {
                "key": "eks-jobs/group",
                "operator": "Equal",
                "value": group.name,
                "effect": "NoSchedule",
            },
            {
                "key": "team",
                "operator": "Equal",
                "value": "data",
                "effect": "NoExecute",
            },
        ] == template["spec"]["tolerations"]


def test_h059_the_class_is_below_every_job_pushes_nobody_out_and_is_no_default():
    made = priority_class(pods())

    assert (-10, "Never", False) == (
        made["value"],
        made["preemptionPolicy"],
        made["globalDefault"],
    )


def test_another_priority_is_another_class():
    """The value of a class cannot be changed, and pods must never be without one."""
    names = [priority_class_name(pods(priority=one)) for one in (-10, -5)]

    assert ["balloon-job-minus-10", "balloon-job-minus-5"] == names


def test_h060_every_reference_between_the_objects_leads_to_one():
    made = manifests()
    names = {(one["kind"], one["metadata"]["name"]) for one in made}
    references = set()
    for one in made:
        place = one["metadata"].get("namespace")
        references |= {("Namespace", place)} if place else set()
        spec = one.get("spec", {})
        if one["kind"] == "Deployment":
            references.add(
                ("PriorityClass", spec["template"]["spec"]["priorityClassName"])
            )
        elif one["kind"] == "ScaledObject":
            references.add(("Deployment", spec["scaleTargetRef"]["name"]))
        elif one["kind"] == "CapacityBuffer":
            references.add(("PodTemplate", spec["podTemplateRef"]["name"]))

    assert {
        ("Namespace", "eks-jobs-balloons"),
        ("PriorityClass", "balloon-job-minus-10"),
        ("PriorityClass", "always-minus-5"),
        ("Deployment", "balloon-job"),
        ("PodTemplate", "buffer-job"),
    } == references
    assert set() == references - names


def test_two_balloons_share_no_object():
    made = manifests()[1:]
    names = [(one["kind"], one["metadata"]["name"]) for one in made]

    assert len(names) == len(set(names))


def test_h089_a_balloon_has_a_second_to_end():
    """None is too little: see tests/cluster/test_balloon_rush.py."""
    assert 1 == pod_spec()["terminationGracePeriodSeconds"]


def test_replicas_have_one_owner():
    """KEDA, with a schedule: written by two, the number would go back and forth."""
    assert 3 == deployment(pods(), job())["spec"]["replicas"]
    assert "replicas" not in deployment(pods(schedule=office()), job())["spec"]


def test_up_does_not_wait_for_balloons_that_find_no_room():
    for balloon in (pods(), pods(schedule=office())):
        made = deployment(balloon, job())
        assert {"pulumi.com/skipAwait": "true"} == made["metadata"]["annotations"]


def test_a_new_template_starts_no_second_set_of_pods():
    assert {"type": "Recreate"} == deployment(pods(), job())["spec"]["strategy"]


def test_pods_keep_to_the_restricted_level_of_their_namespace():
    spec = pod_spec()
    (container,) = spec["containers"]

    assert {"pod-security.kubernetes.io/enforce": "restricted"} == (
        balloon_namespace()["metadata"]["labels"]
    )
    assert {
        "runAsNonRoot": True,
        "runAsUser": 65_535,
        "runAsGroup": 65_535,
        "seccompProfile": {"type": "RuntimeDefault"},
    } == spec["securityContext"]
    assert {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "readOnlyRootFilesystem": True,
    } == container["securityContext"]
    assert spec["automountServiceAccountToken"] is False


def test_h061_pods_are_drawn_to_each_other_and_never_must_be_apart():
    affinity = pod_spec()["affinity"]

    assert {
        "podAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {
                    "weight": 100,
                    "podAffinityTerm": {
                        "topologyKey": "kubernetes.io/hostname",
                        "labelSelector": {
                            "matchLabels": {
                                "app.kubernetes.io/name": "eks-jobs-balloon"
                            }
                        },
                    },
                }
            ]
        }
    } == affinity


def test_the_only_spread_counts_pods_that_are_not_there():
    """Without one of its own a Deployment gets the scheduler's, which scatters."""
    (spread,) = pod_spec()["topologySpreadConstraints"]
    (term,) = spread["labelSelector"]["matchExpressions"]
    labels = deployment(pods(), job())["spec"]["template"]["metadata"]["labels"]

    assert "ScheduleAnyway" == spread["whenUnsatisfiable"]
    assert {"key": "app.kubernetes.io/name", "operator": "DoesNotExist"} == term
    assert term["key"] in labels


def test_pods_are_never_labelled_or_protected_as_jobs():
    template = deployment(pods(), job())["spec"]["template"]

    assert JobPolicySettings().label.key not in template["metadata"]["labels"]
    assert "annotations" not in template["metadata"]


def test_labels_of_the_user_are_on_the_pods_and_in_no_selector():
    made = deployment(pods(labels={"team": "data"}), job())

    assert {
        "team": "data",
        "app.kubernetes.io/name": "eks-jobs-balloon",
        "app.kubernetes.io/instance": "balloon-job",
    } == made["spec"]["template"]["metadata"]["labels"]
    assert "team" not in made["spec"]["selector"]["matchLabels"]


def test_a_warm_pool_has_no_objects():
    assert () == balloon_manifests(
        warm(),
        job(),
        scaler=ClusterAutoscaler(groups="managed"),
        instance_types=TYPES,
        cluster_version="1.36",
    )


def test_balloons_can_live_in_another_namespace():
    made = balloon_manifests(
        pods(schedule=office()),
        job(),
        scaler=Karpenter(),
        instance_types=TYPES,
        cluster_version="1.36",
        namespace="holders",
    )

    assert [None, "holders", "holders"] == [
        one["metadata"].get("namespace") for one in made
    ]


@pytest.mark.parametrize("settings", [{}, {"matchers": tuple(PRESETS)}])
def test_the_job_policy_leaves_balloons_as_they_are(settings):
    """Through the expressions of the native policy, in a CEL runtime."""
    template = deployment(pods(labels={"team": "data"}), job())["spec"]["template"]
    owner = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "balloon-job-1",
        "controller": True,
    }
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "balloon-job-1-2",
            "namespace": NAMESPACE,
            "labels": template["metadata"]["labels"],
            "ownerReferences": [owner],
        },
        "spec": template["spec"],
    }

    assert pod == admit(native_policies(JobPolicySettings(**settings)), pod)
