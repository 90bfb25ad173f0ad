"""What pod templates ask for."""

import pytest

from lab.templates import needs


def container(cpu=None, memory=None, limits=None, **changes):
    amounts = {"cpu": cpu, "memory": memory}
    requests = {name: one for name, one in amounts.items() if one is not None}
    return {
        "name": "c",
        "resources": {"requests": requests, "limits": limits or {}},
    } | changes


def sidecar(cpu):
    return container(cpu, restartPolicy="Always")


def cpu_of(**spec):
    found, problems = needs({"containers": [container("500m")]} | spec)

    assert [] == problems
    return found.cpu


def test_requests_of_all_containers_add_up():
    found, _ = needs(
        {"containers": [container("500m", "1Gi"), container("1", "512Mi")]}
    )

    assert (1_500, 1_536) == (found.cpu, found.memory)


@pytest.mark.parametrize(
    ("inits", "expected"),
    [
        ([container("400m")], 500),
        ([container("900m"), container("700m")], 900),
        ([sidecar("100m")], 600),
        ([sidecar("100m"), container("700m"), sidecar("100m")], 800),
        ([container("700m"), sidecar("100m")], 700),
    ],
)
def test_the_largest_start_counts_with_the_sidecars_before_it(inits, expected):
    assert expected == cpu_of(initContainers=inits)


def test_a_limit_without_a_request_is_a_request():
    assert 2_000 == cpu_of(containers=[container(limits={"cpu": 2})])
    assert 100 == cpu_of(containers=[container("100m", limits={"cpu": 2})])


def test_requests_of_the_pod_replace_the_sum():
    assert 200 == cpu_of(resources={"requests": {"cpu": "200m"}})
    assert 300 == cpu_of(resources={"limits": {"cpu": "300m"}})
    assert 500 == cpu_of(resources={"requests": {"memory": "1Gi"}})


def test_the_overhead_comes_on_top():
    assert 750 == cpu_of(overhead={"cpu": "250m"})


def test_a_pod_without_requests_asks_for_nothing():
    found, problems = needs({"containers": [{"name": "c"}]})

    assert (0, 0, "", (), []) == (
        found.cpu,
        found.memory,
        found.obstacle,
        found.notes,
        problems,
    )


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        (
            {"containers": [container("x"), container(memory="1GB")]},
            [
                "containers[0].resources.requests.cpu",
                "containers[1].resources.requests.memory",
            ],
        ),
        (
            {"initContainers": [container(limits={"cpu": "-1"})]},
            ["initContainers[0].resources.limits.cpu"],
        ),
        ({"overhead": {"memory": "?"}}, ["overhead.memory"]),
        ({"resources": {"limits": {"cpu": "?"}}}, ["resources.limits.cpu"]),
    ],
)
def test_amounts_that_cannot_be_read_are_named(spec, fields):
    _, problems = needs(spec)

    assert fields == [problem.partition(": ")[0] for problem in problems]


def term(*expressions):
    return {
        "matchExpressions": [
            {"key": key, "operator": operator, "values": list(values)}
            for key, operator, *values in expressions
        ]
    }


ARCH, OLD = "kubernetes.io/arch", "beta.kubernetes.io/arch"


@pytest.mark.parametrize(
    ("selector", "terms", "expected"),
    [
        ({}, [], ["amd64", "arm64"]),
        ({ARCH: "arm64"}, [], ["arm64"]),
        ({OLD: "amd64"}, [], ["amd64"]),
        ({ARCH: "s390x"}, [], []),
        ({}, [term((ARCH, "In", "arm64"))], ["arm64"]),
        ({}, [term((ARCH, "NotIn", "arm64"))], ["amd64"]),
        ({}, [term((ARCH, "Exists"))], ["amd64", "arm64"]),
        ({}, [term((ARCH, "DoesNotExist"))], []),
        ({}, [term((ARCH, "In", "arm64")), term((ARCH, "In", "amd64"))], None),
        ({}, [term((ARCH, "In", "arm64")), term(("zone", "In", "a"))], None),
        ({}, [term((ARCH, "In", "arm64"), (ARCH, "In", "amd64"))], []),
        ({ARCH: "amd64"}, [term((ARCH, "In", "arm64"))], []),
    ],
)
def test_selector_and_required_affinity_say_the_architecture(selector, terms, expected):
    required = {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
    }
    found, _ = needs(
        {
            "containers": [container()],
            "nodeSelector": selector,
            "affinity": {"nodeAffinity": required},
        }
    )

    wanted = ["amd64", "arm64"] if expected is None else expected
    assert wanted == sorted(found.architectures)


@pytest.mark.parametrize(
    ("spec", "obstacle"),
    [
        (
            {"initContainers": [container(limits={"hugepages-2Mi": "4Mi"})]},
            "it asks for hugepages-2Mi, which the nodes of the lab do not have",
        ),
        (
            {"resourceClaims": [{"name": "gpu"}]},
            "it claims devices, which the nodes of the lab do not have",
        ),
        ({"nodeName": "n1"}, "it is bound to the node n1 by its template"),
        ({"os": {"name": "windows"}}, "it runs on windows, and job groups on Linux"),
        (
            {"nodeSelector": {"kubernetes.io/os": "windows"}},
            "it runs on windows, and job groups on Linux",
        ),
        ({"containers": "c"}, "its template has no containers"),
        ({"containers": [container(limits={"nvidia.com/gpu": "0"})]}, ""),
        ({"nodeSelector": {"kubernetes.io/os": "linux"}}, ""),
    ],
)
def test_what_the_lab_has_no_node_for_is_an_obstacle(spec, obstacle):
    found, _ = needs({"containers": [container()]} | spec)

    assert obstacle == found.obstacle


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        ({"nodeSelector": {"pool": "a", ARCH: "arm64"}}, ["the node label pool"]),
        ({"schedulerName": "volcano"}, ["schedulerName"]),
        ({"schedulerName": "default-scheduler"}, []),
        ({"schedulingGates": [{"name": "g"}]}, ["schedulingGates"]),
        ({"topologySpreadConstraints": [{}]}, ["topologySpreadConstraints"]),
        ({"topologySpreadConstraints": []}, []),
        (
            {"affinity": {"podAffinity": {"a": 1}, "podAntiAffinity": {"a": 1}}},
            ["podAffinity", "podAntiAffinity"],
        ),
        (
            {
                "affinity": {
                    "nodeAffinity": {
                        "preferredDuringSchedulingIgnoredDuringExecution": [{}]
                    }
                }
            },
            ["preferred nodeAffinity"],
        ),
        (
            {"containers": [container(limits={"ephemeral-storage": "1Gi"})]},
            ["ephemeral-storage"],
        ),
        (
            {"volumes": [{"persistentVolumeClaim": {"claimName": "a"}}]},
            ["persistentVolumeClaim"],
        ),
        ({"volumes": [{"emptyDir": {}}]}, []),
        ({"containers": [container(ports=[{"hostPort": 80}])]}, ["hostPort"]),
        ({"containers": [container(ports=[{"containerPort": 80}])]}, []),
    ],
)
def test_what_is_not_replayed_is_noted(spec, fields):
    found, _ = needs({"containers": [container()]} | spec)

    assert fields == [note.partition(": ")[0] for note in found.notes]


def test_an_affinity_to_other_labels_is_noted_once():
    terms = [
        term(("zone", "In", "a")),
        term(("zone", "In", "b"), (ARCH, "In", "arm64")),
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]},
    ]
    required = {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
    }
    found, _ = needs(
        {"containers": [container()], "affinity": {"nodeAffinity": required}}
    )

    assert (
        "the node label zone: the nodes of the lab do not have it",
        "the node label metadata.name: the nodes of the lab do not have it",
    ) == found.notes
