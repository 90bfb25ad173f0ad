"""Not proved: that a kubelet takes the rest; its source was read, none was started."""

from difflib import SequenceMatcher
from itertools import combinations

import pytest

from components.spec.kubelet import KubeletTuning
from components.spec.kubelet_fields import (
    EVICTION_SIGNALS,
    KUBELET_FIELDS,
    config_problems,
    pair_problems,
)
from components.spec.kubelet_flags import GONE_FLAGS, flag_name, flags_problems
from components.spec.scaler.node_class_kubelet import CLASS_FIELDS

SIGNALS = ", ".join(EVICTION_SIGNALS)
SHARE = "a percentage up to 100% or a quantity above 0, such as 500Mi"
QUANTITY = "a quantity such as 500m or 1Gi"


def problems(**config):
    return list(config_problems("config", config))


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        (
            "systemReserved",
            {"cpu": 1},
            f"config.systemReserved[cpu] must be {QUANTITY}, got 1: put it in quotes",
        ),
        (
            "systemReserved",
            {"cpus": "1"},
            "config.systemReserved must have keys of cpu, memory, ephemeral-storage, "
            "pid, got 'cpus'",
        ),
        (
            "kubeReserved",
            {"memory": "1 GB", "cpu": "-1"},
            f"config.kubeReserved[memory] must be {QUANTITY}, got '1 GB'\n"
            f"config.kubeReserved[cpu] must be {QUANTITY}, got '-1'",
        ),
        ("systemReserved", "1", "config.systemReserved must be an object, got '1'"),
        (
            "evictionHard",
            {"memory.available": 500},
            f"config.evictionHard[memory.available] must be {SHARE}, got 500: put it "
            "in quotes",
        ),
        (
            "evictionHard",
            {"memory.availble": "500Mi"},
            f"config.evictionHard must have keys of {SIGNALS}, got 'memory.availble'",
        ),
        (
            "evictionHard",
            {"nodefs.available": "101%", "imagefs.available": "ten%"},
            f"config.evictionHard[nodefs.available] must be {SHARE}, got '101%'\n"
            f"config.evictionHard[imagefs.available] must be {SHARE}, got 'ten%'",
        ),
        (
            "evictionSoft",
            {"memory.available": "0"},
            f"config.evictionSoft[memory.available] must be {SHARE}, got '0'",
        ),
        (
            "evictionMinimumReclaim",
            {"memory.available": "0%"},
            "config.evictionMinimumReclaim[memory.available] must be a percentage "
            "above 0% or a quantity, such as 500Mi, got '0%'",
        ),
        (
            "evictionSoftGracePeriod",
            {"memory.available": "1 minute"},
            "config.evictionSoftGracePeriod[memory.available] must be a duration such "
            "as 90s or 1h30m, got '1 minute'",
        ),
        (
            "imageGCHighThresholdPercent",
            101,
            "config.imageGCHighThresholdPercent must be a whole number from 0 to 100, "
            "got 101",
        ),
        (
            "podsPerCore",
            "10",
            "config.podsPerCore must be a whole number from 0 to 2147483647, got '10'",
        ),
        (
            "podsPerCore",
            True,
            "config.podsPerCore must be a whole number from 0 to 2147483647, got True",
        ),
        (
            "containerLogMaxFiles",
            1,
            "config.containerLogMaxFiles must be a whole number from 2 to 2147483647, "
            "got 1",
        ),
        ("cpuCFSQuota", "no", "config.cpuCFSQuota must be true or false, got 'no'"),
        (
            "syncFrequency",
            60,
            "config.syncFrequency must be a duration such as 90s or 1h30m, got 60: "
            "put it in quotes",
        ),
        (
            "syncFrequency",
            "1d",
            "config.syncFrequency must be a duration such as 90s or 1h30m, got '1d'",
        ),
        (
            "cpuCFSQuotaPeriod",
            "2s",
            "config.cpuCFSQuotaPeriod must be a duration from 1ms to 1s, got '2s'",
        ),
        (
            "containerLogMaxSize",
            10,
            "config.containerLogMaxSize must be a quantity above 0, such as 10Mi, "
            "got 10: put it in quotes",
        ),
        ("clusterDNS", "10.0.0.2", "config.clusterDNS must be a list, got '10.0.0.2'"),
        (
            "clusterDNS",
            [1],
            "config.clusterDNS[0] must be text, got 1: put it in quotes",
        ),
        ("clusterDomain", None, "config.clusterDomain must be text, got None"),
        (
            "cpuManagerPolicyOptions",
            {"full-pcpus-only": True},
            "config.cpuManagerPolicyOptions[full-pcpus-only] must be text, got True: "
            "put it in quotes",
        ),
        (
            "featureGates",
            {"A": "true"},
            "config.featureGates[A] must be true or false, got 'true'",
        ),
        (
            "memoryThrottlingFactor",
            1.5,
            "config.memoryThrottlingFactor must be a number above 0 and up to 1, "
            "got 1.5",
        ),
        (
            "topologyManagerPolicy",
            "single-numa",
            "config.topologyManagerPolicy must be of none, best-effort, restricted, "
            "single-numa-node, got 'single-numa'",
        ),
        ("logging", "json", "config.logging must be an object, got 'json'"),
        (
            "reservedMemory",
            ["1Gi"],
            "config.reservedMemory[0] must be an object, got '1Gi'",
        ),
    ],
)
def test_a_value_that_stops_the_kubelet_is_refused_with_its_path(field, value, problem):
    assert "\n".join(problems(**{field: value})) == problem


def test_values_that_the_kubelet_takes_pass():
    assert [] == problems(
        apiVersion="kubelet.config.k8s.io/v1beta1",
        clusterDNS=["169.254.20.10"],
        cpuCFSQuotaPeriod="100ms",
        containerLogMonitorInterval="3s",
        evictionHard={"memory.available": "5%", "nodefs.available": "0%"},
        evictionMaxPodGracePeriod=-1,
        evictionMinimumReclaim={"memory.available": "0", "nodefs.available": "1.5Gi"},
        evictionSoft={"pid.available": "1e3", "imagefs.inodesFree": ".5k"},
        evictionSoftGracePeriod={"pid.available": "1m30.5s"},
        featureGates={"InPlacePodVerticalScaling": True},
        imageMaximumGCAge="0",
        memoryThrottlingFactor=1,
        podPidsLimit=-1,
        reservedMemory=[{"numaNode": 0, "limits": {"memory": "1Gi"}}],
        systemReserved={"cpu": "0.5", "pid": "1000", "memory": "100M"},
    )


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("podPidLimit", "did you mean podPidsLimit?"),
        ("evictionHards", "did you mean evictionHard?"),
        ("PODPIDLIMIT", "did you mean podPidsLimit?"),
        ("clusterDns", "write clusterDNS"),
    ],
)
def test_h032_a_key_that_is_nearly_known_is_refused_with_the_known_one(key, hint):
    assert [f"config.{key}: unknown key, {hint}"] == problems(**{key: 1})


def test_a_field_of_a_newer_kubelet_passes():
    assert [] == problems(aFieldOfTheFuture=1)


def test_no_field_of_today_would_be_taken_for_another_if_it_were_new():
    names = [field.lower() for field in KUBELET_FIELDS]

    assert 0.9 > max(
        SequenceMatcher(None, one, other).ratio()
        for one, other in combinations(names, 2)
    )


def test_what_the_library_and_karpenter_write_is_checked_too():
    assert set(CLASS_FIELDS) <= set(KUBELET_FIELDS)
    assert [] == problems(**KubeletTuning(max_parallel_image_pulls=4).config(4))


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        (
            {"evictionSoft": {"memory.available": "1Gi", "pid.available": "10%"}},
            "evictionSoft[memory.available] must have a matching "
            "evictionSoftGracePeriod[memory.available], got none\n"
            "evictionSoft[pid.available] must have a matching "
            "evictionSoftGracePeriod[pid.available], got none",
        ),
        (
            {"evictionSoftGracePeriod": {"memory.available": "1m"}},
            "evictionSoftGracePeriod[memory.available] must have a matching "
            "evictionSoft[memory.available], got none",
        ),
        (
            {"imageGCHighThresholdPercent": 60, "imageGCLowThresholdPercent": 60},
            "imageGCHighThresholdPercent must be above imageGCLowThresholdPercent, "
            "got 60 and 60 (85 and 80 when left out)",
        ),
        (
            {"imageGCLowThresholdPercent": 90},
            "imageGCHighThresholdPercent must be above imageGCLowThresholdPercent, "
            "got 85 and 90 (85 and 80 when left out)",
        ),
        (
            {"imageMaximumGCAge": "2m"},
            "imageMaximumGCAge must be above imageMinimumGCAge, got 2m and 2m (2m "
            "when left out)",
        ),
        (
            {"shutdownGracePeriodCriticalPods": "10s"},
            "shutdownGracePeriodCriticalPods must be at most shutdownGracePeriod, "
            "got 10s and 0",
        ),
    ],
)
def test_fields_that_contradict_are_refused_with_both_values(config, problem):
    assert "\n".join(pair_problems(config)) == problem


def test_fields_that_go_together_pass():
    assert [] == list(
        pair_problems(
            {
                "evictionSoft": {"memory.available": "1Gi"},
                "evictionSoftGracePeriod": {"memory.available": "1m"},
                "imageGCHighThresholdPercent": 70,
                "imageGCLowThresholdPercent": 60,
                "imageMaximumGCAge": "24h",
                "shutdownGracePeriod": "30s",
                "shutdownGracePeriodCriticalPods": "10s",
            }
        )
    )
    assert [] == list(pair_problems({}))


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["--v=4", "--v 4", "--system-cgroups=/a"],
        ["--v", "4", "-v=4"],
        ["--oom-score-adj", "-9"],
    ],
)
def test_flags_of_today_pass(flags):
    assert [] == list(flags_problems("flags", flags))


@pytest.mark.parametrize("before", ["--v=4", "--v 4", "4"])
def test_a_value_needs_its_flag_before_it(before):
    *_, problem = flags_problems("flags", ["--v", "3", before, "4"])

    assert "flags[3] must be a flag such as --v=4, got '4'" == problem


def test_flags_are_a_list():
    (problem,) = flags_problems("flags", "--v=4")

    assert "flags must be a list, got '--v=4'" == problem


@pytest.mark.parametrize(
    ("flag", "problem"),
    [
        (1, "flags[0] must be text, got 1"),
        ("4", "flags[0] must be a flag such as --v=4, got '4'"),
        (
            "--container-runtime=remote",
            "flags[0] must be a flag that the kubelet has, got "
            "'--container-runtime=remote': leave it out: containerd is the only "
            "runtime of the image",
        ),
        (
            "--register_schedulable=false",
            "flags[0] must be a flag that the kubelet has, got "
            "'--register_schedulable=false': set taints of the group",
        ),
    ],
)
def test_a_flag_that_keeps_the_kubelet_from_starting_is_refused(flag, problem):
    assert [problem] == list(flags_problems("flags", [flag]))


@pytest.mark.parametrize("name", GONE_FLAGS)
def test_every_flag_that_is_gone_is_told_with_what_to_do(name):
    (problem,) = flags_problems("flags", [f"--{name}"])

    assert problem.endswith(f"got '--{name}': {GONE_FLAGS[name]}")


@pytest.mark.parametrize("flag", ["--max-pods=60", "--max-pods 60", "--max_pods=60"])
def test_the_name_of_a_flag_is_found_in_every_spelling(flag):
    assert flag_name(flag) == "max-pods"
