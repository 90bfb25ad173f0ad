"""Fields of KubeletConfiguration, and the values that the kubelet takes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from .kubelet_values import percentage, quantity_sign, seconds

__all__ = ["EVICTION_SIGNALS", "KUBELET_FIELDS", "config_problems", "pair_problems"]

Check = Callable[[str, Any], Iterator[str]]

EVICTION_SIGNALS = (
    "memory.available",
    "nodefs.available",
    "nodefs.inodesFree",
    "imagefs.available",
    "imagefs.inodesFree",
    "containerfs.available",
    "containerfs.inodesFree",
    "allocatableMemory.available",
    "pid.available",
)
"""
What the kubelet can evict for.

Sources: kubernetes v1.37.2, pkg/kubelet/eviction/helpers.go.
"""

_RESERVABLE = ("cpu", "memory", "ephemeral-storage", "pid")
_INT32, _INT64 = 2**31 - 1, 2**63 - 1

# Above the likeness of any two fields that exist, so that a new field passes.
_ALIKE = 0.9

# What the kubelet takes for a field that is left out.
_GC_HIGH_PERCENT, _GC_LOW_PERCENT = 85, 80
_GC_LEAST_AGE = "2m"


def config_problems(path: str, config: Any) -> Iterator[str]:
    """
    List the fields of a KubeletConfiguration that the kubelet would not take.

    A key that is nearly a known one is refused: the kubelet drops it with no more than
    a log line. Any other unknown key passes, since newer kubelets have more.

    Args:
        path: Where it stands, `content.spec.kubelet.config`.
        config: The configuration.

    Sources:
        kubernetes v1.37.2, pkg/kubelet/apis/config/validation and
        cmd/kubelet/app/server.go (`parseResourceList`). karpenter-provider-aws 1.15.1,
        pkg/apis/v1/kubeletconfiguration_validation.go.
    """
    if not isinstance(config, dict):
        yield f"{path} must be an object, got {config!r}"
        return
    spelt = {field.lower(): field for field in KUBELET_FIELDS}
    for key, value in config.items():
        name = str(key)
        near = get_close_matches(name.lower(), spelt, n=1, cutoff=_ALIKE)
        if key in KUBELET_FIELDS:
            yield from KUBELET_FIELDS[key](f"{path}.{key}", value)
        elif name.lower() in spelt:
            yield f"{path}.{key}: unknown key, write {spelt[name.lower()]}"
        elif near:
            yield f"{path}.{key}: unknown key, did you mean {spelt[near[0]]}?"


def pair_problems(config: Mapping[str, Any]) -> Iterator[str]:
    """
    List fields that do not go together, in the configuration of all parts.

    Args:
        config: A merged configuration whose `config_problems` are none.

    Sources:
        See `config_problems`. A grace period alone is refused by Karpenter; the
        kubelet takes it, and it does nothing.
    """
    soft = config.get("evictionSoft", {})
    grace = config.get("evictionSoftGracePeriod", {})
    for field, other, keys in (
        ("evictionSoft", "evictionSoftGracePeriod", soft.keys() - grace.keys()),
        ("evictionSoftGracePeriod", "evictionSoft", grace.keys() - soft.keys()),
    ):
        for key in sorted(keys):
            yield f"{field}[{key}] must have a matching {other}[{key}], got none"
    high = config.get("imageGCHighThresholdPercent", _GC_HIGH_PERCENT)
    low = config.get("imageGCLowThresholdPercent", _GC_LOW_PERCENT)
    if high <= low:
        yield (
            f"imageGCHighThresholdPercent must be above imageGCLowThresholdPercent, "
            f"got {high} and {low} ({_GC_HIGH_PERCENT} and {_GC_LOW_PERCENT} when "
            f"left out)"
        )
    yield from _age_problems(config)
    last = config.get("shutdownGracePeriodCriticalPods", "0")
    whole = config.get("shutdownGracePeriod", "0")
    if _time(last) > _time(whole):
        yield (
            f"shutdownGracePeriodCriticalPods must be at most shutdownGracePeriod, "
            f"got {last} and {whole}"
        )


def _age_problems(config: Mapping[str, Any]) -> Iterator[str]:
    most = config.get("imageMaximumGCAge", "0")
    least = config.get("imageMinimumGCAge", _GC_LEAST_AGE)
    if 0 < _time(most) <= _time(least):
        yield (
            f"imageMaximumGCAge must be above imageMinimumGCAge, got {most} and "
            f"{least} ({_GC_LEAST_AGE} when left out)"
        )


def _time(text: str) -> float:
    return seconds(text) or 0.0


def _boolean(path: str, value: Any) -> Iterator[str]:
    if not isinstance(value, bool):
        yield f"{path} must be true or false, got {value!r}"


def _object(path: str, value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path} must be an object, got {value!r}"


def _whole(low: int, high: int = _INT32) -> Check:
    def check(path: str, value: Any) -> Iterator[str]:
        wrong = isinstance(value, bool) or not isinstance(value, int)
        if wrong or not low <= value <= high:
            yield f"{path} must be a whole number from {low} to {high}, got {value!r}"

    return check


def _fraction(path: str, value: Any) -> Iterator[str]:
    wrong = isinstance(value, bool) or not isinstance(value, int | float)
    if wrong or not 0 < value <= 1:
        yield f"{path} must be a number above 0 and up to 1, got {value!r}"


def _text(
    word: str = "text", fits: Callable[[str], bool] = lambda text: text is not None
) -> Check:
    def check(path: str, value: Any) -> Iterator[str]:
        if isinstance(value, int | float):
            yield f"{path} must be {word}, got {value!r}: put it in quotes"
        elif not isinstance(value, str) or not fits(value):
            yield f"{path} must be {word}, got {value!r}"

    return check


def _choice(*accepted: str) -> Check:
    return _text(f"of {', '.join(accepted)}", lambda text: text in accepted)


def _lasting(low: float, high: float, word: str) -> Check:
    def fits(text: str) -> bool:
        length = seconds(text)
        return length is not None and low <= length <= high

    return _text(word, fits)


def _listed(inner: Check) -> Check:
    def check(path: str, value: Any) -> Iterator[str]:
        if not isinstance(value, list):
            yield f"{path} must be a list, got {value!r}"
            return
        for place, one in enumerate(value):
            yield from inner(f"{path}[{place}]", one)

    return check


def _map(inner: Check, keys: Sequence[str] = ()) -> Check:
    def check(path: str, value: Any) -> Iterator[str]:
        if not isinstance(value, dict):
            yield f"{path} must be an object, got {value!r}"
            return
        for key, one in value.items():
            if keys and key not in keys:
                yield f"{path} must have keys of {', '.join(keys)}, got {key!r}"
            else:
                yield from inner(f"{path}[{key}]", one)

    return check


def _is_threshold(text: str) -> bool:
    if text.endswith("%"):
        part = percentage(text)
        return part is not None and part <= 100
    return (quantity_sign(text) or 0) > 0


def _is_reclaim(text: str) -> bool:
    if text.endswith("%"):
        return (percentage(text) or 0) > 0
    return quantity_sign(text) in (0, 1)


_SHARE = "a percentage up to 100% or a quantity above 0, such as 500Mi"
_RECLAIM = "a percentage above 0% or a quantity, such as 500Mi"
_THRESHOLDS = _map(_text(_SHARE, _is_threshold), EVICTION_SIGNALS)
_RESERVED = _map(
    _text("a quantity such as 500m or 1Gi", lambda text: quantity_sign(text) in (0, 1)),
    _RESERVABLE,
)
_DURATION = _text(
    "a duration such as 90s or 1h30m", lambda text: seconds(text) is not None
)
_TEXTS = _listed(_text())

# fmt: off
KUBELET_FIELDS: Mapping[str, Check] = MappingProxyType({
    **dict.fromkeys((
        "cgroupsPerQOS", "cpuCFSQuota", "enableContentionProfiling",
        "enableControllerAttachDetach", "enableDebugFlagsHandler",
        "enableDebuggingHandlers", "enableProfilingHandler", "enableServer",
        "enableSystemLogHandler", "enableSystemLogQuery", "failCgroupV1", "failSwapOn",
        "kernelMemcgNotification", "localStorageCapacityIsolation",
        "makeIPTablesUtilChains", "mergeDefaultEvictionSettings",
        "protectKernelDefaults", "registerNode", "rotateCertificates", "runOnce",
        "seccompDefault", "serializeImagePulls", "serverTLSBootstrap",
        "singleProcessOOMKill",
    ), _boolean),
    **dict.fromkeys((
        "address", "apiVersion", "cgroupRoot", "clusterDomain",
        "containerRuntimeEndpoint", "contentType", "healthzBindAddress",
        "imageServiceEndpoint", "kind", "kubeReservedCgroup", "kubeletCgroups",
        "podCIDR", "podLogsDir", "providerID", "reservedSystemCPUs", "resolvConf",
        "showHiddenMetricsForVersion", "staticPodPath", "staticPodURL",
        "systemCgroups", "systemReservedCgroup", "tlsCertFile", "tlsMinVersion",
        "tlsPrivateKeyFile", "volumePluginDir",
    ), _text()),
    **dict.fromkeys((
        "cpuManagerReconcilePeriod", "evictionPressureTransitionPeriod",
        "fileCheckFrequency", "httpCheckFrequency", "imageMaximumGCAge",
        "imageMinimumGCAge", "nodeStatusReportFrequency", "nodeStatusUpdateFrequency",
        "runtimeRequestTimeout", "shutdownGracePeriod",
        "shutdownGracePeriodCriticalPods", "streamingConnectionIdleTimeout",
        "syncFrequency", "volumeStatsAggPeriod",
    ), _DURATION),
    **dict.fromkeys((
        "eventBurst", "eventRecordQPS", "kubeAPIBurst", "kubeAPIQPS", "maxPods",
        "podsPerCore", "registryBurst", "registryPullQPS",
    ), _whole(0)),
    **dict.fromkeys((
        "authentication", "authorization", "crashLoopBackOff", "logging",
        "memorySwap", "tracing", "userNamespaces",
    ), _object),
    **dict.fromkeys((
        "registerWithTaints", "reservedMemory", "shutdownGracePeriodByPodPriority",
    ), _listed(_object)),
    **dict.fromkeys((
        "allowedUnsafeSysctls", "clusterDNS", "preloadedImagesVerificationAllowlist",
        "tlsCipherSuites",
    ), _TEXTS),
    **dict.fromkeys((
        "cpuManagerPolicyOptions", "defaultPodSysctls", "qosReserved",
        "topologyManagerPolicyOptions",
    ), _map(_text())),
    **dict.fromkeys(("evictionHard", "evictionSoft"), _THRESHOLDS),
    **dict.fromkeys(("kubeReserved", "systemReserved"), _RESERVED),
    **dict.fromkeys((
        "imageGCHighThresholdPercent", "imageGCLowThresholdPercent",
    ), _whole(0, 100)),
    **dict.fromkeys(("iptablesDropBit", "iptablesMasqueradeBit"), _whole(0, 31)),
    **dict.fromkeys(("healthzPort", "readOnlyPort"), _whole(0, 65_535)),
    "cgroupDriver": _choice("cgroupfs", "systemd"),
    "configMapAndSecretChangeDetectionStrategy": _choice("Get", "Cache", "Watch"),
    "containerLogMaxFiles": _whole(2),
    "containerLogMaxSize": _text(
        "a quantity above 0, such as 10Mi", lambda text: quantity_sign(text) == 1
    ),
    "containerLogMaxWorkers": _whole(1),
    "containerLogMonitorInterval": _lasting(
        3, float("inf"), "a duration of 3s or more"
    ),
    "cpuCFSQuotaPeriod": _lasting(0.001, 1, "a duration from 1ms to 1s"),
    "cpuManagerPolicy": _choice("none", "static"),
    "enforceNodeAllocatable": _listed(_choice(
        "pods", "system-reserved", "system-reserved-compressible", "kube-reserved",
        "kube-reserved-compressible", "none",
    )),
    "evictionMaxPodGracePeriod": _whole(-_INT32 - 1),
    "evictionMinimumReclaim": _map(_text(_RECLAIM, _is_reclaim), EVICTION_SIGNALS),
    "evictionSoftGracePeriod": _map(_DURATION, EVICTION_SIGNALS),
    "featureGates": _map(_boolean),
    "hairpinMode": _choice("none", "hairpin-veth", "promiscuous-bridge"),
    "imagePullCredentialsVerificationPolicy": _choice(
        "NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages",
        "AlwaysVerify",
    ),
    "maxOpenFiles": _whole(0, _INT64),
    "maxParallelImagePulls": _whole(1),
    "memoryManagerPolicy": _choice("None", "Static"),
    "memoryReservationPolicy": _choice("None", "TieredReservation"),
    "memoryThrottlingFactor": _fraction,
    "nodeLeaseDurationSeconds": _whole(1),
    "nodeStatusMaxImages": _whole(-1),
    "oomScoreAdj": _whole(-1_000, 1_000),
    "podPidsLimit": _whole(-_INT64 - 1, _INT64),
    "port": _whole(1, 65_535),
    "staticPodURLHeader": _map(_TEXTS),
    "tlsCurvePreferences": _listed(_whole(0)),
    "topologyManagerPolicy": _choice(
        "none", "best-effort", "restricted", "single-numa-node"
    ),
    "topologyManagerScope": _choice("container", "pod"),
})
# fmt: on
"""
Every field, and what is checked of its value.

Sources: k8s.io/kubelet v0.37.2, config/v1beta1/types.go; see `config_problems`.
"""
