"""
The programs of a real control plane, built from their Go modules.

Each is a bundle of its own, so that a new version of one builds that one alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sandbox.builder import Build, Bundle, folder_of, module_folder, obtain

__all__ = [
    "BUNDLES",
    "built",
    "karpenter_aws_module",
    "karpenter_module",
    "keda_module",
    "kwok_module",
    "kyverno_api_module",
    "kyverno_module",
    "programs",
    "prometheus_operator_module",
    "versions",
]


def _kubernetes(name: str, minutes: int, gigabytes: int) -> Bundle:
    # Without a version the API server calls itself 0.0.0, which clients refuse.
    return Bundle(
        name=name,
        builds=(
            Build(
                name=name,
                module="kubernetes",
                package=f"k8s.io/kubernetes/cmd/{name}",
                version_variable="k8s.io/component-base/version.gitVersion",
            ),
        ),
        minutes=minutes,
        gigabytes=gigabytes,
    )


def _keda(command: str, minutes: int, gigabytes: int) -> Bundle:
    name = f"keda-{command}"
    return Bundle(
        name=name,
        builds=(
            Build(
                name=name,
                module="keda",
                package=f"{_KEDA}/cmd/{command}",
                version_variable=f"{_KEDA}/version.Version",
            ),
        ),
        minutes=minutes,
        gigabytes=gigabytes,
    )


def _prometheus(name: str, minutes: int) -> Bundle:
    # Its pages are left out: another tool chain makes them, and nobody looks at them.
    # So are the clouds where it could find what to scrape: a third of its packages.
    build = Build(
        name=name,
        module="prometheus",
        package=f"github.com/prometheus/prometheus/cmd/{name}",
        tags=("remove_all_sd",),
    )
    return Bundle(
        name=name,
        builds=(build,),
        minutes=minutes,
        gigabytes=3,
    )


_HELM = "helm.sh/helm/v4"
_KEDA = "github.com/kedacore/keda/v2"
_KARPENTER = "sigs.k8s.io/karpenter"
_KWOK = "sigs.k8s.io/kwok"
_KYVERNO = "github.com/kyverno/kyverno"
_KYVERNO_API = "github.com/kyverno/api"
_PULUMI_YAML = "github.com/pulumi/pulumi-yaml"

BUNDLES = (
    Bundle(
        name="etcd",
        builds=(
            Build(name="etcd", module="etcd", package="go.etcd.io/etcd/server/v3"),
        ),
        minutes=1,
        gigabytes=1,
    ),
    _kubernetes("kube-apiserver", minutes=5, gigabytes=2),
    _kubernetes("kube-scheduler", minutes=1, gigabytes=1),
    _kubernetes("kube-controller-manager", minutes=1, gigabytes=1),
    Bundle(
        name="kyverno",
        builds=(
            Build(
                name="kyverno",
                module="kyverno",
                package=f"{_KYVERNO}/cmd/cli/kubectl-kyverno",
                version_variable=f"{_KYVERNO}/pkg/version.BuildVersion",
            ),
        ),
        minutes=5,
        gigabytes=4,
    ),
    # The module's own `main` embeds files that are generated while it is released.
    Bundle(
        name="pulumi-resource-kubernetes",
        builds=(
            Build(
                name="pulumi-resource-kubernetes",
                module="kubernetes-provider",
                package=".",
                version_variable=(
                    "github.com/pulumi/pulumi-kubernetes/provider/v4"
                    "/pkg/version.Version"
                ),
            ),
        ),
        minutes=7,
        gigabytes=3,
    ),
    Bundle(
        name="kwok",
        builds=(Build(name="kwok", module="kwok", package=f"{_KWOK}/cmd/kwok"),),
        minutes=1,
        gigabytes=1,
    ),
    # 1.15.1, which Karpenter's AWS provider is built on, is not offered as a module.
    Bundle(
        name="karpenter-kwok",
        builds=(
            Build(
                name="karpenter-kwok",
                module="karpenter",
                package=f"{_KARPENTER}/kwok",
            ),
        ),
        minutes=2,
        gigabytes=2,
    ),
    Bundle(
        name="helm",
        builds=(
            Build(
                name="helm",
                module="helm",
                package=f"{_HELM}/cmd/helm",
                version_variable=f"{_HELM}/internal/version.version",
            ),
        ),
        minutes=2,
        gigabytes=2,
    ),
    _keda("operator", minutes=4, gigabytes=4),
    _keda("adapter", minutes=1, gigabytes=1),
    _prometheus("prometheus", minutes=2),
    _prometheus("promtool", minutes=1),
    # No control plane needs it: a program in another language than Python is tested.
    Bundle(
        name="pulumi-language-yaml",
        builds=(
            Build(
                name="pulumi-language-yaml",
                module="yaml",
                package=f"{_PULUMI_YAML}/cmd/pulumi-language-yaml",
                version_variable=f"{_PULUMI_YAML}/pkg/version.Version",
            ),
        ),
        minutes=1,
        gigabytes=1,
    ),
)
"""
What the tests on a control plane run, and the other long ones.

etcd, the Kubernetes programs, the Kyverno CLI, the real provider of Pulumi, kwok,
Karpenter with its kwok provider, Helm, KEDA with the server of its metrics,
Prometheus with its tool for rules, Pulumi's host of programs in YAML.
"""


def programs(
    environ: Mapping[str, str], bundles: Sequence[Bundle] = BUNDLES
) -> dict[str, Path]:
    """
    Return the programs by name, after building those that are missing.

    Raises:
        BuildError: A build failed; what was built before it is kept.
    """
    missing = [one for one in bundles if not folder_of(one, environ).exists()]
    if missing:
        print(
            f"{len(missing)} of {len(bundles)} parts are to be built, once: "
            f"about {sum(one.minutes for one in missing)} min on two cores.",
            flush=True,
        )
    return _files([(bundle, obtain(bundle, environ)) for bundle in bundles])


def built(environ: Mapping[str, str]) -> dict[str, Path]:
    """Return the programs that were built before, by name; nothing is built."""
    folders = [(bundle, folder_of(bundle, environ)) for bundle in BUNDLES]
    return _files([(bundle, folder) for bundle, folder in folders if folder.exists()])


def versions() -> dict[str, str]:
    """Return the version of each program, with its `v`, by name."""
    return {build.name: build.version for one in BUNDLES for build in one.builds}


def keda_module(environ: Mapping[str, str]) -> Path:
    """
    Return the folder of KEDA's module, which holds its CRDs.

    Raises:
        BuildError: The module could not be fetched.
    """
    return module_folder("keda", _KEDA, environ)


def kyverno_api_module(environ: Mapping[str, str]) -> Path:
    """
    Return the folder of the module of Kyverno's newer policies, with their chart.

    Raises:
        BuildError: The module could not be fetched.
    """
    return module_folder("kyverno", _KYVERNO_API, environ)


def kyverno_module(environ: Mapping[str, str]) -> Path:
    """
    Return the folder of Kyverno's module, which holds its CRDs.

    Raises:
        BuildError: The module could not be fetched.
    """
    return module_folder("kyverno", _KYVERNO, environ)


def karpenter_aws_module(environ: Mapping[str, str]) -> Path:
    """
    Return the folder of Karpenter's AWS provider, which holds its CRDs and charts.

    Raises:
        BuildError: The module could not be fetched.
    """
    source = "github.com/aws/karpenter-provider-aws"
    return module_folder("karpenter-aws", source, environ)


def karpenter_module(environ: Mapping[str, str]) -> Path:
    """
    Return the folder of Karpenter's core, which holds the CRDs of its kwok provider.

    Raises:
        BuildError: The module could not be fetched.
    """
    return module_folder("karpenter", _KARPENTER, environ)


def kwok_module(environ: Mapping[str, str]) -> Path:
    """
    Return the folder of kwok's module, which holds its stages.

    Raises:
        BuildError: The module could not be fetched.
    """
    return module_folder("kwok", _KWOK, environ)


def prometheus_operator_module(environ: Mapping[str, str]) -> Path:
    """
    Return the folder of the Prometheus operator's module, which holds its CRDs.

    Raises:
        BuildError: The module could not be fetched.
    """
    source = "github.com/prometheus-operator/prometheus-operator"
    return module_folder("prometheus-operator", source, environ)


def _files(folders: Iterable[tuple[Bundle, Path]]) -> dict[str, Path]:
    return {
        build.name: folder / build.name
        for bundle, folder in folders
        for build in bundle.builds
    }
