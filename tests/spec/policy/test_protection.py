import pytest

from components.spec.policy.protection import (
    DO_NOT_DISRUPT,
    SAFE_TO_EVICT,
    ScalerFacts,
    check_scalers,
    protection_problems,
)

BOTH = f"{DO_NOT_DISRUPT}, {SAFE_TO_EVICT}"
KARPENTER = ScalerFacts(kind="karpenter", version="1.15.1")
AUTOSCALER = ScalerFacts(kind="cluster-autoscaler", version="1.36.1")
AUTO_MODE = ScalerFacts(kind="auto-mode")


def problems(protection):
    return list(protection_problems("protection", protection))


def refusal(protection, *scalers):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        check_scalers("protection", protection, scalers)
    return str(caught.value)


@pytest.mark.parametrize(
    "protection",
    [
        {DO_NOT_DISRUPT: "true"},
        {SAFE_TO_EVICT: "false"},
        {DO_NOT_DISRUPT: "true", SAFE_TO_EVICT: "false"},
        {DO_NOT_DISRUPT: "30m"},
        {DO_NOT_DISRUPT: "4h30m"},
        {DO_NOT_DISRUPT: "1.5h"},
        {DO_NOT_DISRUPT: "0h1s"},
        {DO_NOT_DISRUPT: "0.000000001s"},
        {DO_NOT_DISRUPT: "2562047h47m16.854775807s"},
        {SAFE_TO_EVICT: "on-completion"},
    ],
)
def test_accepts_what_some_scaler_honours(protection):
    assert [] == problems(protection)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (DO_NOT_DISRUPT, value)
        for value in ("True", "yes", "false", "", "1d", "0s", "0h0m", "-4h", "4", "4h ")
    ]
    + [(DO_NOT_DISRUPT, "0.0000000009s")],
)
def test_h010_a_value_that_karpenter_ignores_is_refused(key, value):
    assert [
        f'protection[{key}] must be "true" or a duration above zero of hours, minutes '
        f'and seconds such as "4h30m", got {value!r}'
    ] == problems({key: value})


@pytest.mark.parametrize(
    "value", ["2562047h47m16.854775808s", "2562048h", "9" * 5_000 + "h"]
)
def test_h010_a_duration_that_go_cannot_hold_is_refused(value):
    assert [
        f"protection[{DO_NOT_DISRUPT}] must be at most 2562047h, or Karpenter ignores "
        f'it: write "true" for a protection without an end, got {value!r}'
    ] == problems({DO_NOT_DISRUPT: value})


@pytest.mark.parametrize("value", ["true", "False", "", "on_completion"])
def test_a_value_that_lets_the_autoscaler_evict_is_refused(value):
    assert [
        f'protection[{SAFE_TO_EVICT}] must be "false" or "on-completion", got {value!r}'
    ] == problems({SAFE_TO_EVICT: value})


@pytest.mark.parametrize(
    ("key", "value", "kind"),
    [
        (DO_NOT_DISRUPT, True, "bool"),
        (SAFE_TO_EVICT, False, "bool"),
        (SAFE_TO_EVICT, 0, "int"),
    ],
)
def test_h011_a_bare_boolean_is_refused_by_key(key, value, kind):
    assert [
        f"protection[{key}] must be text, got {value!r} ({kind}): put it in quotes"
    ] == problems({key: value})


def test_h009_the_dead_key_names_the_living_one():
    assert [
        "protection must leave out karpenter.sh/do-not-evict, which Karpenter ignores "
        "since its version 1: write karpenter.sh/do-not-disrupt"
    ] == problems({"karpenter.sh/do-not-evict": "true"})


def test_other_keys_are_refused():
    assert [f"protection must be of {BOTH}, got 'a/b'"] == problems({"a/b": "c"})


def test_no_protection_at_all_is_refused():
    assert [f"protection must hold one of {BOTH}, got none"] == problems({})


@pytest.mark.parametrize(
    ("protection", "scalers"),
    [
        ({DO_NOT_DISRUPT: "true"}, (KARPENTER,)),
        ({DO_NOT_DISRUPT: "true"}, (AUTO_MODE,)),
        ({SAFE_TO_EVICT: "false"}, (AUTOSCALER,)),
        ({DO_NOT_DISRUPT: "true", SAFE_TO_EVICT: "false"}, (KARPENTER, AUTOSCALER)),
        ({DO_NOT_DISRUPT: "true", SAFE_TO_EVICT: "false"}, (KARPENTER,)),
        ({DO_NOT_DISRUPT: "true"}, ()),
        ({DO_NOT_DISRUPT: "4h"}, (ScalerFacts(kind="karpenter", version="1.12.0"),)),
        ({DO_NOT_DISRUPT: "4h"}, (ScalerFacts(kind="karpenter", version="v2.0.0"),)),
        ({SAFE_TO_EVICT: "on-completion"}, (AUTOSCALER,)),
    ],
)
def test_h018_accepts_what_each_scaler_reads(protection, scalers):
    check_scalers("protection", protection, scalers)


@pytest.mark.parametrize(
    ("protection", "scaler", "key", "name"),
    [
        ({SAFE_TO_EVICT: "false"}, KARPENTER, DO_NOT_DISRUPT, "Karpenter"),
        ({SAFE_TO_EVICT: "false"}, AUTO_MODE, DO_NOT_DISRUPT, "EKS Auto Mode"),
        ({DO_NOT_DISRUPT: "true"}, AUTOSCALER, SAFE_TO_EVICT, "Cluster Autoscaler"),
    ],
)
def test_h018_the_key_of_the_scaler_may_not_be_missing(protection, scaler, key, name):
    assert (
        f"protection must hold {key}, the one that {name} reads, "
        f"got {', '.join(protection)}"
    ) == refusal(protection, scaler)


@pytest.mark.parametrize(
    ("scalers", "name", "version"),
    [
        ((ScalerFacts(kind="karpenter", version="1.11.9"),), "Karpenter", "1.11.9"),
        ((ScalerFacts(kind="karpenter"),), "Karpenter", "unknown"),
        ((), "Karpenter", "unknown"),
    ],
)
def test_h010_a_duration_needs_a_karpenter_that_knows_it(scalers, name, version):
    assert (
        f'protection[{DO_NOT_DISRUPT}] must be "true" with {name} before 1.12, which '
        f"would ignore '4h', got version {version}"
    ) == refusal({DO_NOT_DISRUPT: "4h"}, *scalers)


def test_h010_a_duration_is_refused_on_auto_mode():
    assert (
        f'protection[{DO_NOT_DISRUPT}] must be "true" with EKS Auto Mode, which does '
        "not tell whether it knows '4h'"
    ) == refusal({DO_NOT_DISRUPT: "4h"}, AUTO_MODE)


@pytest.mark.parametrize(
    ("scalers", "version"),
    [
        ((ScalerFacts(kind="cluster-autoscaler", version="1.35.4"),), "1.35.4"),
        ((ScalerFacts(kind="cluster-autoscaler"),), "unknown"),
        ((), "unknown"),
    ],
)
def test_on_completion_needs_an_autoscaler_that_knows_it(scalers, version):
    assert (
        f'protection[{SAFE_TO_EVICT}] must be "false" with Cluster Autoscaler before '
        f"1.36, which would ignore 'on-completion', got version {version}"
    ) == refusal({SAFE_TO_EVICT: "on-completion"}, *scalers)


def test_every_problem_of_every_scaler_is_named():
    lines = refusal(
        {DO_NOT_DISRUPT: "4h"},
        ScalerFacts(kind="karpenter", version="1.11.0"),
        AUTOSCALER,
    )

    assert (
        f"protection must hold {SAFE_TO_EVICT}, the one that Cluster Autoscaler reads, "
        f"got {DO_NOT_DISRUPT}\n"
        f'protection[{DO_NOT_DISRUPT}] must be "true" with Karpenter before 1.12, '
        "which would ignore '4h', got version 1.11.0"
    ) == lines


@pytest.mark.parametrize("version", ["latest", "1", "", "1.x"])
def test_a_version_that_cannot_be_compared_is_refused(version):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the text is compared)
        ScalerFacts(kind="karpenter", version=version)

    assert (
        "version must be one such as 1.15.1, or left out when it is not known, "
        f"got version={version!r}"
    ) == str(caught.value)


def test_a_prerelease_counts_as_its_minor_version():
    newest = ScalerFacts(kind="karpenter", version="1.12-rc.1")

    check_scalers("protection", {DO_NOT_DISRUPT: "4h"}, [newest])
