import pytest

from components.spec.policy.engine import choose_engine, engine_warnings


def refusal(choice, **kwargs):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        choose_engine(choice, **kwargs)
    return str(caught.value)


@pytest.mark.parametrize(
    ("version", "engine"),
    [
        ("1.33", "kyverno"),
        ("1.35", "kyverno"),
        ("1.36", "native"),
        ("1.37", "native"),
        ("1.100", "native"),
    ],
)
def test_the_version_of_the_cluster_chooses_the_engine(version, engine):
    assert engine == choose_engine("auto", cluster_version=version)


@pytest.mark.parametrize(
    ("choice", "kwargs"),
    [
        ("native", {"cluster_version": "1.36"}),
        ("kyverno", {"cluster_version": "1.36"}),
        ("kyverno", {"cluster_version": "1.35", "install": False}),
        ("kyverno-legacy", {"cluster_version": "1.35"}),
        ("kyverno-legacy", {"cluster_version": "1.35", "chart_version": "3.9.9"}),
        (
            "kyverno-legacy",
            {"cluster_version": "1.35", "install": False, "chart_version": "3.7.0"},
        ),
    ],
)
def test_an_engine_that_runs_there_may_be_chosen(choice, kwargs):
    assert choice == choose_engine(choice, **kwargs)


def test_native_is_refused_before_its_version():
    assert (
        "engine=native needs Kubernetes 1.36 or newer, got version 1.35: use auto or "
        "kyverno"
    ) == refusal("native", cluster_version="1.35")


@pytest.mark.parametrize("version", ["3.10.0", "3.10.0-rc.1", "3.11.2", "4.0.0"])
def test_cluster_policy_is_refused_with_a_chart_that_no_longer_runs_it(version):
    assert (
        f"engine=kyverno-legacy needs kyverno.chart_version below 3.10, got {version}: "
        "Kyverno 1.20 no longer runs ClusterPolicy"
    ) == refusal("kyverno-legacy", cluster_version="1.35", chart_version=version)


def test_cluster_policy_is_refused_with_an_unknown_chart():
    assert (
        "engine=kyverno-legacy needs kyverno.chart_version, to know that it is below "
        "3.10: Kyverno 1.20 no longer runs ClusterPolicy"
    ) == refusal("kyverno-legacy", cluster_version="1.35", install=False)


def warnings(engine, version, chart=None):
    return list(engine_warnings(engine, cluster_version=version, chart_version=chart))


@pytest.mark.parametrize("version", ["1.32", "1.36"])
def test_kyverno_beside_its_tested_versions_warns(version):
    assert [
        "chart 3.9.1 of Kyverno is tested by its makers with Kubernetes 1.33 to 1.35, "
        f"the cluster has {version}"
    ] == warnings("kyverno", version)


def test_cluster_policy_warns_of_its_end():
    assert [
        "ClusterPolicy is deprecated, and Kyverno 1.20 (chart 3.10) keeps it without "
        "running it: jobs would start unpacked and unprotected; use engine auto"
    ] == warnings("kyverno-legacy", "1.35")


@pytest.mark.parametrize(
    ("engine", "version", "chart"),
    [
        ("native", "1.36", None),
        ("kyverno", "1.33", None),
        ("kyverno", "1.35", "3.9.0"),
        ("kyverno", "1.36", "3.10.0"),
    ],
)
def test_other_pairs_do_not_warn(engine, version, chart):
    assert [] == warnings(engine, version, chart)
