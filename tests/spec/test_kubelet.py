import re

import pytest

from components.spec.kubelet import KubeletTuning, kube_reserved


@pytest.mark.parametrize(
    ("pods", "memory"),
    [(17, 442), (29, 574), (35, 640), (58, 893), (59, 904), (60, 915), (78, 1113)]
    + [(110, 1465), (118, 1553), (234, 2829), (250, 3005), (394, 4589), (492, 5667)]
    + [(737, 8362), (1010, 11365)],
)
def test_h036_reserved_memory_follows_the_pod_count(pods, memory):
    assert f"{memory}Mi" == kube_reserved(vcpus=16, pods=pods)["memory"]


@pytest.mark.parametrize(
    ("vcpus", "cpu"),
    [(1, 60), (2, 70), (4, 80), (8, 90), (16, 110), (32, 150), (48, 190), (64, 230)]
    + [(96, 310), (128, 390), (192, 550)]
    # Odd counts, which nodeadm rounds down: 3 (75), 5 (82.5), 6 (85).
    + [(3, 75), (5, 82), (6, 85)],
)
def test_reserved_cpu_follows_the_vcpus(vcpus, cpu):
    assert f"{cpu}m" == kube_reserved(vcpus=vcpus, pods=60)["cpu"]


def test_h036_the_reservation_always_has_all_three_keys():
    assert kube_reserved(vcpus=16, pods=60) == {
        "cpu": "110m",
        "memory": "915Mi",
        "ephemeral-storage": "1Gi",
    }


def test_the_defaults_are_the_numbers_of_the_brief():
    assert KubeletTuning().config(16) == {
        "maxPods": 60,
        "kubeReserved": {"cpu": "110m", "memory": "915Mi", "ephemeral-storage": "1Gi"},
        "registryPullQPS": 40,
        "registryBurst": 60,
        "runtimeRequestTimeout": "15m",
    }


def test_every_option_is_written():
    tuning = KubeletTuning(
        max_pods=29,
        registry_pull_qps=10,
        registry_burst=20,
        max_parallel_image_pulls=5,
        runtime_request_timeout="1h30m",
    )

    assert tuning.config(2) == {
        "maxPods": 29,
        "kubeReserved": {"cpu": "70m", "memory": "574Mi", "ephemeral-storage": "1Gi"},
        "registryPullQPS": 10,
        "registryBurst": 20,
        "serializeImagePulls": False,
        "maxParallelImagePulls": 5,
        "runtimeRequestTimeout": "1h30m",
    }


def test_unknown_vcpus_leave_the_reservation_to_nodeadm():
    tuning = KubeletTuning(max_pods=110)

    assert "kubeReserved" not in tuning.config(None)
    assert tuning.max_pods_expression == "max_pods < 110 ? max_pods : 110"


@pytest.mark.parametrize(
    ("kwargs", "burst"),
    [
        ({}, 60),
        ({"max_pods": 29}, 40),
        ({"max_pods": 110}, 110),
        ({"registry_pull_qps": 61}, 61),
        ({"registry_burst": 1}, 1),
    ],
)
def test_a_burst_starts_every_pod_of_a_full_node(kwargs, burst):
    assert burst == KubeletTuning(**kwargs).config(16)["registryBurst"]


def test_h038_no_pull_limit_is_written_as_zero_without_a_burst():
    config = KubeletTuning(registry_pull_qps=0).config(16)

    assert config["registryPullQPS"] == 0
    assert "registryBurst" not in config


@pytest.mark.parametrize(
    "kwargs",
    [
        {"max_pods": 1},
        {"max_pods": 250},
        {"registry_pull_qps": 0},
        {"registry_burst": 1},
        {"max_parallel_image_pulls": 1},
        {"runtime_request_timeout": "90s"},
        {"runtime_request_timeout": "0h1m0s"},
        {"runtime_request_timeout": "60000ms"},
        {"runtime_request_timeout": "1.5h"},
    ],
)
def test_accepts_the_edges(kwargs):
    KubeletTuning(**kwargs).config(1)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"max_pods": 0}, "max_pods must be 1 to 250, got max_pods=0"),
        ({"max_pods": 251}, "max_pods must be 1 to 250, got max_pods=251"),
        (
            {"registry_pull_qps": -1},
            "registry_pull_qps must be 0 (no limit) or more, got registry_pull_qps=-1",
        ),
        (
            {"registry_burst": 0},
            "registry_burst must be at least 1, got registry_burst=0",
        ),
        (
            {"registry_pull_qps": 0, "registry_burst": 60},
            "registry_burst must be left out with registry_pull_qps=0, which is no "
            "limit, got registry_burst=60",
        ),
        (
            {"max_parallel_image_pulls": 0},
            "max_parallel_image_pulls must be at least 1, "
            "got max_parallel_image_pulls=0",
        ),
        *[
            (
                {"runtime_request_timeout": text},
                f"runtime_request_timeout must be a duration such as 15m or 90s, 1m or "
                f"more, got runtime_request_timeout={text}",
            )
            for text in ("", "15", "1d", "0s", "0h0m", "-5m", "15 m", "15M", "15ms")
        ],
        *[
            (
                {"runtime_request_timeout": text},
                f"runtime_request_timeout must be a duration such as 15m or 90s, 1m or "
                f"more, got runtime_request_timeout={text}",
            )
            for text in ("59s", "0.9m", "59999ms", "5x15m")
        ],
        (
            {"max_pods": 0, "registry_burst": 0},
            "max_pods must be 1 to 250, got max_pods=0\n"
            "registry_burst must be at least 1, got registry_burst=0",
        ),
    ],
)
def test_rejects_limits_that_kubelet_would_ignore_or_refuse(kwargs, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        KubeletTuning(**kwargs)
