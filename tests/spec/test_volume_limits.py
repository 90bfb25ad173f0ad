"""Limits that are data must still be limits."""

import re

import pytest

from components.spec.volume import Gp3Limits, Gp3Volume


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"iops_per_gib": 0}, "iops_per_gib must be at least 1, got iops_per_gib=0"),
        (
            {"iops_per_mib": -1, "min_size_gib": 0},
            "min_size_gib must be at least 1, got min_size_gib=0\n"
            "iops_per_mib must be at least 1, got iops_per_mib=-1",
        ),
        (
            {"max_iops": 2_999},
            "max_iops must be at least min_iops=3000, got max_iops=2999",
        ),
        (
            {"max_size_gib": 49, "min_size_gib": 50},
            "max_size_gib must be at least min_size_gib=50, got max_size_gib=49",
        ),
        (
            {"max_throughput_mib": 124},
            "max_throughput_mib must be at least min_throughput_mib=125, "
            "got max_throughput_mib=124",
        ),
    ],
)
def test_h040_limits_that_allow_nothing_are_refused(limits, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Gp3Limits(**limits)


def test_h040_the_smallest_ratios_are_accepted():
    limits = Gp3Limits(iops_per_gib=1, iops_per_mib=1, max_iops=3_000)

    assert 3_000 == Gp3Volume(iops=3_000, throughput_mib=2_000, limits=limits).iops
