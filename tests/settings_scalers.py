"""Scalers, policies and balloons of random stack files, see `settings_data`."""

from hypothesis import strategies as st

from tests.settings_groups import (
    QUANTITIES,
    SHORT,
    TEXTS,
    Drawn,
    Values,
    a_few,
    groups,
    some_of,
)

__all__ = ["KEDA", "MONITORING", "SCALERS", "balloons", "policies"]

_RULES = some_of(
    consolidation_policy=st.sampled_from(["WhenEmpty", "WhenEmptyOrUnderutilized"]),
    consolidate_after=st.sampled_from(["0s", "10m", "1h"]),
    budgets=st.lists(
        st.sampled_from(
            [
                {"nodes": "20%"},
                {"nodes": "2", "reasons": ["Drifted", "Empty"]},
                {"nodes": "0", "schedule": "@daily", "duration": "9h30m"},
            ]
        ),
        min_size=1,
        max_size=3,
    ),
    expire_after=st.sampled_from(["300h", "480h"]),
    termination_grace_period=st.sampled_from(["13h", "24h"]),
    weight=st.integers(1, 100),
    capacity_types=a_few(["on-demand", "spot"], least=1),
)


def _by_job(jobs: list[Values], rules: Drawn) -> Drawn:
    return st.dictionaries(st.sampled_from([job["name"] for job in jobs]), rules)


@st.composite
def _autoscalers(draw: st.DrawFn, jobs: list[Values]) -> Values:
    down = some_of(
        utilization_threshold=st.sampled_from([0.01, 0.5, 1]),
        unneeded_time=SHORT,
        unready_time=SHORT,
        ignore_daemonsets=st.booleans(),
    )
    install = draw(st.booleans())
    controller = {
        "priorities": a_few([job["name"] for job in jobs]),
        "scale_down_delay_after_add": SHORT,
        "max_node_provision_time": st.sampled_from(["2m", "10m", "1h30m"]),
        "replicas": st.integers(1, 2),
        "resources": QUANTITIES,
    }
    return draw(
        some_of(
            {"kind": st.just("cluster-autoscaler"), "install": st.just(install)},
            groups=st.sampled_from(["self-managed", "managed"]),
            options=_by_job(jobs, down),
            **(controller if install else {}),
        )
    )


@st.composite
def _karpenters(draw: st.DrawFn, jobs: list[Values]) -> Values:
    install = draw(st.booleans())
    controller = {
        "preference_policy": st.sampled_from(["Ignore", "Respect"]),
        "feature_gates": st.just({"capacityBuffer": True}),
        "replicas": st.integers(1, 2),
        "resources": QUANTITIES,
        "batch_idle_duration": SHORT,
        "batch_max_duration": SHORT,
        "rebalance_events": st.booleans(),
    }
    identity = draw(
        st.sampled_from([{}, {"node_role": "nodes"}, {"instance_profile": "nodes"}])
    )
    drawn = draw(
        some_of(
            {
                "kind": st.just("karpenter"),
                "install": st.just(install),
                **{key: st.just(value) for key, value in identity.items()},
            },
            version=st.just("1.15.1"),
            extended_kubelet=st.booleans(),
            ami_alias=st.just("al2023@v20260714"),
            pools=_by_job(jobs, _RULES),
            server_pools=st.lists(groups("more", pool=_RULES), max_size=1),
            **(controller if install else {}),
        )
    )
    if all("ami_id" in job for job in jobs) and not drawn.get("server_pools"):
        drawn.pop("ami_alias", None)
    return drawn


def _auto_modes(jobs: list[Values]) -> Drawn:
    return some_of(
        {"kind": st.just("auto-mode")},
        node_pools=a_few(["general-purpose", "system"]),
        pools=_by_job(jobs, _RULES),
    )


SCALERS = {
    "cluster-autoscaler": _autoscalers,
    "karpenter": _karpenters,
    "auto-mode": _auto_modes,
}

_MATCHERS = st.lists(
    st.sampled_from(
        [
            "batch-jobs",
            "spark",
            {"owner": {"kind": "TFJob", "api_group": "kubeflow.org"}},
            {"label": {"key": "example.com/job"}},
            {"label": {"key": "example.com/kind", "value": "nightly"}},
        ]
    ),
    min_size=1,
    max_size=3,
    unique_by=str,
)


@st.composite
def policies(draw: st.DrawFn, version: str, server: str) -> Values:
    packing = draw(st.sampled_from(["affinity", "scheduler", "both", "none"]))
    affinity = {
        "weight": st.integers(1, 100),
        "unpacked_namespaces": a_few(["bulk", "spare"]),
        "affinity_scope": st.sampled_from(["all-namespaces", "own-namespace"]),
    }
    engines = [
        "auto",
        "kyverno",
        "kyverno-legacy",
        *(["native"] if version == "1.36" else []),
    ]
    kyverno = st.one_of(
        st.just({"install": False, "chart_version": "3.9.1", "namespace": "policies"}),
        some_of(
            {"chart_version": st.just("3.9.1")},
            namespace=st.just("policies"),
            replicas=st.integers(2, 15),
            memory_mib=st.integers(128, 8_192),
            group=st.just(server),
            fail_open=st.booleans(),
        ),
    )
    return draw(
        some_of(
            {"packing": st.just(packing)},
            matchers=_MATCHERS,
            exclude_namespaces=a_few(["argo", "monitoring"]),
            label=some_of(key=st.just("group"), value=st.just("job")),
            protection=st.just(
                {
                    "karpenter.sh/do-not-disrupt": "true",
                    "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
                }
            ),
            strict=st.booleans(),
            host_network=st.booleans(),
            engine=st.sampled_from(engines),
            kyverno=kyverno,
            **(affinity if packing in ("affinity", "both") else {}),
        )
    )


_SCHEDULES = st.one_of(
    some_of(
        {
            "timezone": st.sampled_from(["Asia/Seoul", "Europe/Berlin", "UTC"]),
            "start": st.just("08:30"),
            "end": st.just("18:00"),
        },
        days=st.sampled_from([["mon-fri"], ["mon", "wed"]]),
        cooldown=st.sampled_from(["5m", "90s"]),
    ),
    st.just(
        {
            "timezone": "America/New_York",
            "windows": [
                {"start": "30 8 * * 1-5", "end": "0 18 * * 1-5", "replicas": 4},
                {"start": "20:00", "end": "05:00", "days": ["sat"], "overnight": True},
            ],
        }
    ),
)

KEDA = st.one_of(
    st.just({"install": False}),
    some_of(namespace=st.just("scaling"), resources=QUANTITIES),
)


@st.composite
def balloons(draw: st.DrawFn, scaler: Values, jobs: list[Values]) -> list[Values]:
    """Draw at most one balloon for each group, of a kind that the scaler can make."""
    room = {"cpu": st.just("500m"), "memory": st.just("750Mi")}
    kinds = [
        some_of(
            {"replicas": st.integers(1, 5), **room},
            schedule=st.none() | _SCHEDULES,
            priority=st.just(-10),
            labels=TEXTS,
            typical_job=QUANTITIES,
        )
    ]
    if scaler["kind"] == "karpenter":
        kinds.append(
            some_of(
                {"kind": st.just("capacity-buffer"), "replicas": st.just(3), **room}
            )
        )
    if scaler["kind"] in ("karpenter", "auto-mode"):
        kinds.append(some_of({"kind": st.just("static"), "nodes": st.integers(1, 5)}))
    return [
        {"group": name} | draw(st.one_of(kinds))
        for name in draw(a_few([job["name"] for job in jobs], most=2))
    ]


MONITORING = some_of(
    {},
    enabled=st.booleans(),
    rules=st.booleans(),
    scrapes=st.none()
    | some_of({"scaler": st.just(True)}, vpc_cni=st.booleans(), scheduler=some_of()),
    namespace=st.just("observability"),
    labels=TEXTS,
    dashboard_labels=TEXTS,
    interval=st.sampled_from(["1s", "30s", "2m"]),
    cluster_label=st.just("cluster"),
    runbook_url=st.just("https://runbooks.example.com/jobs"),
    thresholds=some_of(
        rejected_pulls=st.integers(1, 9),
        volume_ratio=st.sampled_from([0.5, 1]),
        kept_by_one_pod=SHORT,
    ),
    muted=a_few(["JobPackingPoor", "JobInterrupted"]),
    alert_labels=st.just({"team": "data"}),
    volume_device=st.just("nvme1n1"),
)
