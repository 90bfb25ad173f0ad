"""
Which objects the Kubernetes stand-in refuses, and in which words.

Not proven: rules of the API server beyond schema, metadata and the few rules for pods;
admission policies; whether a namespace or a definition of a custom resource exists.
"""

import copy
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from pulumi.runtime.rpc import UNKNOWN

from sandbox.errors import RefusedError
from tests.sandbox.kubernetes_driver import Driver, kubeconfig

CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
DEPLOYMENT = "kubernetes:apps/v1:Deployment"
CRON_JOB = "kubernetes:batch/v1:CronJob"
PRIORITY = "kubernetes:scheduling.k8s.io/v1:PriorityClass"
POOL = "kubernetes:karpenter.sh/v1:NodePool"

CONTAINER = {
    "name": "pause",
    "image": "pause:3.10",
    "resources": {"requests": {"cpu": "500m"}, "limits": {"cpu": 1, "memory": "1Gi"}},
}
BALLOON = {
    "metadata": {"name": "balloon", "namespace": "jobs"},
    "spec": {
        "replicas": 3,
        "selector": {"matchLabels": {"app": "balloon"}},
        "template": {
            "metadata": {"labels": {"app": "balloon"}},
            "spec": {"containers": [CONTAINER]},
        },
    },
}
NIGHTLY = {
    "metadata": {"name": "nightly"},
    "spec": {
        "schedule": "0 2 * * *",
        "jobTemplate": {
            "spec": {
                "template": {
                    "spec": {"restartPolicy": "Never", "containers": [CONTAINER]}
                }
            }
        },
    },
}


@pytest.fixture
def driver(tmp_path):
    return Driver(tmp_path)


def changed(document, path, value):
    """Return a copy with *value* at the dotted path; None takes the field away."""
    document = copy.deepcopy(document)
    *above, last = path.split("/")
    inner = document
    for key in above:
        inner = (
            inner[int(key)] if isinstance(inner, list) else inner.setdefault(key, {})
        )
    if value is None:
        del inner[last]
    else:
        inner[last] = value
    return document


@pytest.mark.parametrize(
    ("token", "document"),
    [
        (DEPLOYMENT, BALLOON),
        (CRON_JOB, NIGHTLY),
        (PRIORITY, {"metadata": {"name": "balloon"}, "value": -10}),
        (POOL, {"metadata": {"name": "job"}, "spec": {"anything": [1, None, "x"]}}),
        ("kubernetes:v1:ConfigMap", {"metadata": {"name": "a"}, "data": {"k": "v"}}),
        (
            "kubernetes:admissionregistration.k8s.io/v1:MutatingAdmissionPolicy",
            {"metadata": {"name": "a"}, "spec": {"reinvocationPolicy": "Never"}},
        ),
        (
            "kubernetes:rbac.authorization.k8s.io/v1:ClusterRole",
            {"metadata": {"name": "system:Jobs_1"}, "rules": []},
        ),
    ],
)
def test_sound_objects_pass(driver, token, document):
    assert [] == driver.problems(token, document)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("spec/replica", 3, "spec.replica: unknown field"),
        ("spec/replicas", "3", "spec.replicas: must be an integer, got a string"),
        ("spec/replicas", 1.5, "spec.replicas: must be an integer, got a number"),
        (
            "spec/template/spec/containers",
            None,
            "spec.template.spec.containers: required",
        ),
        (
            "spec/template/spec/containers/0/image",
            3,
            "spec.template.spec.containers[0].image: must be a string, got an integer",
        ),
        (
            "spec/template/spec/containers/0/resources/requests/cpu",
            True,
            "spec.template.spec.containers[0].resources.requests.cpu: must be a number "
            "or a string, got a boolean",
        ),
        (
            "spec/template/spec/containers/0/resources/requests/memory",
            "750Mb",
            "spec.template.spec.containers[0].resources.requests.memory: must be a "
            "quantity, got '750Mb'",
        ),
        (
            "spec/template/spec/containers/0/resources/requests/memory",
            "1025Mi",
            "spec.template.spec.containers[0].resources.requests.memory: must be at "
            "most the limit",
        ),
        (
            "spec/template/metadata/labels",
            {"app": "other"},
            "spec.template.metadata.labels: must have the labels of spec.selector",
        ),
        (
            "spec/template/metadata/labels",
            {"app": "balloon", "a b": "x"},
            "spec.template.metadata.labels.a b: the key must be at most 63 letters, "
            "digits, '-', '_' or '.', with a letter or digit at both ends",
        ),
    ],
)
def test_a_wrong_deployment_names_the_place(driver, path, value, problem):
    assert [problem] == driver.problems(DEPLOYMENT, changed(BALLOON, path, value))


def test_all_problems_are_told_at_once(driver):
    document = {
        "metadata": {"name": "Bad_Name", "labels": {"a": 1}},
        "data": {"k": 1},
        "datum": {},
    }

    assert [
        "metadata.name: must be at most 253 lower-case letters, digits, '-' or '.', "
        "with a letter or digit at both ends, got 'Bad_Name'",
        "metadata.labels.a: must be a string, got 1",
        "datum: unknown field",
        "data.k: must be a string, got an integer",
    ] == driver.problems(CONFIG_MAP, document)


def test_a_job_must_not_restart_for_ever(driver):
    path = "spec/jobTemplate/spec/template/spec/restartPolicy"

    assert [
        "spec.jobTemplate.spec.template.spec.restartPolicy: must be Never or OnFailure "
        "in a job, got 'Always'"
    ] == driver.problems(CRON_JOB, changed(NIGHTLY, path, "Always"))


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        (
            {"annotations": {"karpenter.sh/do-not-disrupt": True}},
            "metadata.annotations.karpenter.sh/do-not-disrupt: must be a string, "
            "got True",
        ),
        (
            {"labels": {"x": "a b"}},
            "metadata.labels.x: must be at most 63 letters, digits, '-', '_' or '.', "
            "with a letter or digit at both ends, got 'a b'",
        ),
        (
            {"labels": {"Under_score.example/x": "a"}},
            "metadata.labels.Under_score.example/x: the part before the '/' must be a "
            "DNS name",
        ),
        (
            {"labels": {"x": "y" * 64}},
            "metadata.labels.x: must be at most 63 letters, digits, '-', '_' or '.', "
            f"with a letter or digit at both ends, got '{'y' * 64}'",
        ),
        (
            {"annotations": {"x": "y" * 262_144}},
            "metadata.annotations: must be at most 262144 bytes together, got 262145",
        ),
        (
            {"namespace": "jobs"},
            "metadata.namespace: PriorityClass belongs to the whole cluster, leave the "
            "namespace out, got 'jobs'",
        ),
        (
            {"generateName": "x-"},
            "metadata.generateName: not supported with server-side apply, leave the "
            "name out or set metadata.name",
        ),
    ],
)
def test_h011_metadata_is_checked_as_the_api_server_does(driver, metadata, problem):
    document = {"metadata": {"name": "a", **metadata}, "value": 1}

    assert [problem] == driver.problems(PRIORITY, document)


@pytest.mark.parametrize(
    "metadata",
    [
        {"labels": {"x": "y" * 63, "example.com/a.b_c": ""}},
        {"annotations": {"x": "y" * 262_143}},
        {"name": "a" * 253},
    ],
)
def test_metadata_at_the_limit_passes(driver, metadata):
    document = {"metadata": {"name": "a", **metadata}, "value": 1}

    assert [] == driver.problems(PRIORITY, document)


def test_metadata_of_custom_resources_is_checked_and_nothing_else(driver):
    document = {
        "metadata": {"name": "job", "namespace": "Jobs"},
        "spec": {"unknown": True},
        "more": 1,
    }

    assert [
        "metadata.namespace: must be at most 63 lower-case letters, digits or '-', "
        "with a letter or digit at both ends, got 'Jobs'"
    ] == driver.problems(POOL, document)


@pytest.mark.parametrize(
    ("token", "name", "problem"),
    [
        ("kubernetes:core/v1:Namespace", "a.b", "lower-case letters, digits or '-'"),
        (CRON_JOB, "a" * 53, "must be at most 52 characters for a CronJob, got 53"),
        (
            "kubernetes:rbac.authorization.k8s.io/v1:Role",
            "a/b",
            "must not hold '/' or '%', got 'a/b'",
        ),
    ],
)
def test_some_kinds_have_names_of_their_own(driver, token, name, problem):
    document = {**NIGHTLY, "metadata": {"name": name}}
    (found, *_) = driver.problems(token, document)

    assert found.startswith("metadata.name: ")
    assert problem in found


@pytest.mark.parametrize(
    ("token", "problem"),
    [
        (
            "kubernetes:policy/v1beta1:PodDisruptionBudget",
            "policy/v1beta1 PodDisruptionBudget is not served by Kubernetes 1.37",
        ),
        ("kubernetes:core/v1:ConfigMapList", "ConfigMapList is a list; make its items"),
        ("kubernetes:core/v1:Container", "v1 Container is not served by Kubernetes"),
    ],
)
def test_what_the_api_server_does_not_serve_is_refused(driver, token, problem):
    (found,) = driver.problems(token, {"metadata": {"name": "a"}})

    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("token", "inputs", "message"),
    [
        (
            "kubernetes:core/v1:ConfigMapPatch",
            {"kind": "ConfigMap", "metadata": {"name": "a"}},
            "the sandbox does not imitate kubernetes:core/v1:ConfigMapPatch: nothing "
            "but this stack makes objects in its cluster",
        ),
        (
            "kubernetes:yaml:ConfigFile",
            {},
            "the sandbox does not imitate kubernetes:yaml:ConfigFile, only single "
            "objects and kubernetes:helm.sh/v3:Release",
        ),
        (
            CONFIG_MAP,
            {"apiVersion": "v2", "metadata": {"name": "a"}},
            "apiVersion of kubernetes:core/v1:ConfigMap must be v1, got v2",
        ),
    ],
)
def test_what_is_no_single_object_is_refused(driver, token, inputs, message):
    with pytest.raises(RefusedError) as caught:
        driver.check(token, "a", inputs)

    assert message == str(caught.value)


def test_h073_unknown_values_of_a_preview_are_no_problem(driver):
    document = changed(BALLOON, "spec/replicas", UNKNOWN)
    document["metadata"] |= {"labels": {"cluster": UNKNOWN}, "namespace": UNKNOWN}
    document["spec"]["template"]["metadata"]["labels"]["app"] = UNKNOWN

    assert [] == driver.problems(DEPLOYMENT, document)


def test_a_misspelt_field_beside_an_unknown_value_is_found(driver):
    document = changed(BALLOON, "spec/replicas", UNKNOWN)
    document["spec"]["replica"] = UNKNOWN

    assert ["spec.replica: unknown field"] == driver.problems(DEPLOYMENT, document)


class _Eks(BaseHTTPRequestHandler):
    """Answers `DescribeCluster` for the one cluster called `jobs`."""

    def do_GET(self):  # noqa: N802 (named by the server)
        found = self.path == "/clusters/jobs"
        self.send_response(200 if found else 404)
        self.end_headers()
        body = {"cluster": {"version": "1.31"}} if found else {}
        self.wfile.write(json.dumps(body).encode())

    def log_request(self, code="-", size="-"):
        """Keep quiet."""


@pytest.fixture
def eks():
    server = HTTPServer(("127.0.0.1", 0), _Eks)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def login(cluster):
    words = ["--region", "eu-west-1", "eks", "get-token", "--cluster-name", cluster]
    api = "client.authentication.k8s.io/v1beta1"
    return kubeconfig(exec={"apiVersion": api, "command": "aws", "args": words})


def test_the_version_of_the_cluster_decides(tmp_path, eks):
    """A field of Kubernetes 1.34 is unknown on a cluster of version 1.31."""
    driver = Driver(tmp_path, {"kubeconfig": login("jobs")}, {"AWS_ENDPOINT_URL": eks})
    document = changed(
        BALLOON, "spec/template/spec/hostnameOverride", "jobs.example.com"
    )

    assert ["spec.template.spec.hostnameOverride: unknown field"] == driver.problems(
        DEPLOYMENT, document
    )
    assert [] == Driver(tmp_path).problems(DEPLOYMENT, document)


def test_objects_need_their_cluster(tmp_path, eks):
    driver = Driver(tmp_path, {"kubeconfig": login("gone")}, {"AWS_ENDPOINT_URL": eks})
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}

    for act in (
        lambda: driver.create(CONFIG_MAP, "a", document),
        lambda: driver.update(CONFIG_MAP, "a", document, document),
        lambda: driver.read(CONFIG_MAP, "a", document),
        lambda: driver.delete(CONFIG_MAP, "a", document),
    ):
        with pytest.raises(RefusedError, match="the EKS cluster gone does not exist"):
            act()


def test_h072_objects_of_a_deleted_cluster_can_be_forgotten(tmp_path, eks):
    arguments = {"kubeconfig": login("gone"), "deleteUnreachable": "true"}
    driver = Driver(tmp_path, arguments, {"AWS_ENDPOINT_URL": eks})
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}

    driver.delete(CONFIG_MAP, "a", document)

    assert (None, {}) == driver.read(CONFIG_MAP, "a", document)


def test_an_unreachable_cluster_can_be_left_alone(tmp_path):
    arguments = {"kubeconfig": login("jobs"), "skipUpdateUnreachable": "true"}
    environ = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    driver = Driver(tmp_path, arguments, environ)

    assert ("a", document) == driver.read(CONFIG_MAP, "a", document, document)
