"""
What `pulumi_kubernetes.Provider` may be told in the sandbox, and what replaces it.

A replaced provider replaces every object that was made with it.
"""

import inspect
import json

import pulumi_kubernetes
import pytest
from pulumi.provider.experimental import provider as rpc
from pulumi.runtime.rpc import UNKNOWN

from sandbox.errors import RefusedError
from sandbox.kubernetes import settings
from sandbox.kubernetes.provider import KubernetesProvider
from sandbox.wire import wrap_map
from tests.sandbox.kubernetes_driver import Driver, kubeconfig, wait


def edited(**parts):
    return json.dumps({**json.loads(kubeconfig()), **parts})


def test_the_arguments_of_the_sdk_are_known():
    parameters = inspect.signature(pulumi_kubernetes.ProviderArgs.__init__).parameters
    camel = []
    for name in parameters:
        first, *rest = name.split("_")
        camel.append(first + "".join(part.capitalize() for part in rest))
    found = settings.problems(dict.fromkeys(set(camel) - {"__self__", ""}, UNKNOWN))

    assert [] == found


def test_what_the_sdk_sends_passes():
    assert [] == settings.problems(
        {
            "kubeconfig": kubeconfig(),
            "clusterIdentifier": "https://a.example.com",
            "deleteUnreachable": "true",
            "enableServerSideApply": "true",
            "helmReleaseSettings": '{"driver": "secret"}',
            "kubeClientSettings": '{"qps": 10}',
            "version": "4.34.2",
        }
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (
            {"kubeConfig": "x"},
            "kubeConfig: unknown argument, expected one of cluster, ",
        ),
        (
            {"deleteUnreachable": "yes"},
            "deleteUnreachable: must be a boolean, got 'yes'",
        ),
        (
            {"enableServerSideApply": "false"},
            "enableServerSideApply: must be true, the sandbox imitates server-side "
            "apply only",
        ),
        (
            {"renderYamlToDirectory": "out"},
            "renderYamlToDirectory: not imitated by the sandbox, the sandbox writes "
            "every object as YAML anyway",
        ),
        (
            {"kubeClientSettings": '{"speed": 1}'},
            "kubeClientSettings: unknown field speed, expected one of burst, qps, "
            "timeout",
        ),
        ({"namespace": 1}, "namespace: must be a string, got 1"),
    ],
)
def test_wrong_arguments_are_refused(arguments, problem):
    (found,) = settings.problems(arguments)

    assert found.startswith(problem)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("/dev/null", "must be the text of a kubeconfig, in YAML or JSON"),
        ("a: [", "must be the text of a kubeconfig, in YAML or JSON"),
        ("{", "must be the text of a kubeconfig, in YAML or JSON"),
        (edited(kind="Pod"), "kind: must be Config, got 'Pod'"),
        (edited(users=[]), "users: must list at least one user"),
        (
            edited(clusters=[{"name": "c"}]),
            "clusters[0]: must have a name and a cluster",
        ),
        (
            edited(**{"current-context": "y"}),
            "current-context: no context is called 'y'",
        ),
        (
            edited(contexts=[{"name": "x", "context": {"cluster": "d", "user": "u"}}]),
            "contexts: no cluster is called 'd'",
        ),
        (
            edited(contexts=[{"name": "x", "context": {"cluster": "c", "user": "v"}}]),
            "contexts: no user is called 'v'",
        ),
        (kubeconfig("a.example.com"), "clusters: server must be an address, got 'a."),
        (
            edited(
                clusters=[
                    {
                        "name": "c",
                        "cluster": {
                            "server": "https://a",
                            "certificate-authority-data": "no",
                        },
                    }
                ]
            ),
            "clusters: certificate-authority-data must be base64",
        ),
        (
            kubeconfig(exec={"command": "aws"}),
            "users: exec of the user lacks apiVersion",
        ),
    ],
)
def test_a_broken_kubeconfig_is_refused(text, problem):
    (found,) = settings.problems({"kubeconfig": text})

    assert found.startswith(f"kubeconfig: {problem}")


def test_a_kubeconfig_may_be_yaml():
    text = """
        clusters: [{name: c, cluster: {server: https://a.example.com}}]
        contexts: [{name: x, context: {cluster: c, user: u}}]
        current-context: x
        users: [{name: u, user: {}}]
    """

    assert [] == settings.problems({"kubeconfig": text})


def test_an_unknown_kubeconfig_of_a_preview_passes():
    assert [] == settings.problems({"kubeconfig": UNKNOWN})


OTHER = kubeconfig("https://b.example.com")


@pytest.mark.parametrize(
    ("old", "new", "diffs", "replaces"),
    [
        ({}, {}, [], []),
        ({"version": "4.34.1"}, {"version": "4.34.2"}, [], []),
        ({}, {"kubeconfig": kubeconfig(token="new")}, ["kubeconfig"], []),
        ({}, {"kubeconfig": OTHER}, ["kubeconfig"], ["kubeconfig"]),
        ({}, {"kubeconfig": UNKNOWN}, ["kubeconfig"], ["kubeconfig"]),
        ({}, {"namespace": "jobs"}, ["namespace"], []),
        (
            {"clusterIdentifier": "a"},
            {"clusterIdentifier": "a", "kubeconfig": OTHER},
            ["kubeconfig"],
            [],
        ),
        (
            {"clusterIdentifier": "a"},
            {"clusterIdentifier": "b"},
            ["clusterIdentifier"],
            ["clusterIdentifier"],
        ),
        ({}, {"clusterIdentifier": "a"}, ["clusterIdentifier"], []),
    ],
)
def test_h072_only_another_cluster_replaces_the_provider(old, new, diffs, replaces):
    base = {"kubeconfig": kubeconfig()}

    assert (diffs, replaces) == settings.changed(base | old, base | new)


def test_h074_a_provider_without_a_kubeconfig_is_refused(tmp_path):
    """The real one takes the kubeconfig of the machine, whichever cluster that is."""
    driver = Driver(tmp_path, {"kubeconfig": None})

    with pytest.raises(RefusedError) as caught:
        driver.create("kubernetes:core/v1:Namespace", "a", {"metadata": {"name": "a"}})

    assert (
        "configured Kubernetes cluster is unreachable: the provider has no kubeconfig, "
        "and the sandbox does not use the one of this machine; pass a provider with "
        "one to the resource"
    ) == str(caught.value)


def test_the_context_of_the_arguments_counts():
    two = edited(
        clusters=[
            {"name": name, "cluster": {"server": f"https://{name}"}} for name in "cd"
        ],
        contexts=[
            {"name": name, "context": {"cluster": name, "user": "u"}} for name in "cd"
        ],
    )
    old, new = ({"kubeconfig": two, "context": name} for name in "cd")

    assert [] == settings.problems(new)
    assert (["context"], ["context"]) == settings.changed(old, new)


def test_problems_reach_the_engine():
    request = rpc.CheckRequest("urn", {}, wrap_map({"kubeConfig": "x"}, {}), b"")
    answer = wait(KubernetesProvider({}).check_config(request))

    assert answer.failures is not None
    assert 1 == len(answer.failures)


@pytest.mark.parametrize("act", ["invoke", "construct", "call"])
def test_functions_and_components_are_refused_by_name(act):
    provider = KubernetesProvider({})
    requests = {
        "invoke": rpc.InvokeRequest("kubernetes:yaml:decode", {}),
        "call": rpc.CallRequest("kubernetes:x:y", {}),
    }
    request = requests.get(act)
    if request is None:
        request = rpc.ConstructRequest.__new__(rpc.ConstructRequest)
        request.resource_type = "kubernetes:helm.sh/v4:Chart"

    with pytest.raises(RefusedError, match="^the sandbox does not imitate "):
        wait(getattr(provider, act)(request))
