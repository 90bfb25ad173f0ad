"""Not proved: that EBS launches the volume, or that the instance type sustains it."""

import re

import pytest

from components.spec.volume import Gp3Limits, Gp3Volume

KEY = "1234abcd-12ab-34cd-56ef-1234567890ab"
SMALL_IMAGE = Gp3Limits(min_size_gib=1)


def test_the_default_is_tuned_for_bursts_of_pulls():
    assert Gp3Volume(size_gib=100, iops=8_000, throughput_mib=800) == Gp3Volume()


@pytest.mark.parametrize(
    "kwargs",
    [
        {"size_gib": 20},
        {"iops": 3_200},
        {"iops": 8_000},
        {"iops": 3_000, "throughput_mib": 125},
        {"iops": 3_000, "throughput_mib": 750},
        {"size_gib": 20, "iops": 3_000, "throughput_mib": 125},
        {"size_gib": 20, "iops": 10_000, "throughput_mib": 800},
        {"size_gib": 1, "iops": 3_000, "throughput_mib": 125, "limits": SMALL_IMAGE},
        {"size_gib": 7, "iops": 3_001, "throughput_mib": 125, "limits": SMALL_IMAGE},
        {"size_gib": 160, "iops": 80_000, "throughput_mib": 2_000},
        {"size_gib": 65_536, "iops": 80_000, "throughput_mib": 2_000},
        {"kms_key_id": "alias/ebs"},
        {"kms_key_id": "alias/aws/ebs"},
        {"kms_key_id": KEY},
        {"kms_key_id": f"mrk-{'0a' * 16}"},
        {"kms_key_id": f"arn:aws:kms:eu-west-1:111122223333:key/{KEY}"},
        {"kms_key_id": "arn:aws-cn:kms:cn-north-1:111122223333:alias/nodes"},
    ],
)
def test_h040_accepts_the_edges_of_what_ebs_accepts(kwargs):
    Gp3Volume(**kwargs)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        (
            {"size_gib": 0, "limits": SMALL_IMAGE},
            "size_gib must be 1 to 65536, got size_gib=0",
        ),
        ({"size_gib": 65_537}, "size_gib must be 20 to 65536, got size_gib=65537"),
        ({"iops": 2_999}, "iops must be 3000 to 80000, got iops=2999"),
        ({"iops": 80_001}, "iops must be 3000 to 80000, got iops=80001"),
        (
            {"throughput_mib": 124},
            "throughput_mib must be 125 to 2000, got throughput_mib=124",
        ),
        (
            {"throughput_mib": 2_001},
            "throughput_mib must be 125 to 2000, got throughput_mib=2001",
        ),
        (
            {"size_gib": 20, "iops": 10_001},
            "iops=10001 needs size_gib of at least 21, got size_gib=20",
        ),
        (
            {
                "size_gib": 6,
                "iops": 3_001,
                "throughput_mib": 125,
                "limits": SMALL_IMAGE,
            },
            "iops=3001 needs size_gib of at least 7, got size_gib=6",
        ),
        (
            {"iops": 3_000},
            "throughput_mib=800 needs iops of at least 3200, got iops=3000",
        ),
        (
            {"iops": 3_199},
            "throughput_mib=800 needs iops of at least 3200, got iops=3199",
        ),
        (
            {"iops": 3_000, "throughput_mib": 751},
            "throughput_mib=751 needs iops of at least 3004, got iops=3000",
        ),
        (
            {
                "size_gib": 1,
                "iops": 4_000,
                "throughput_mib": 1_001,
                "limits": SMALL_IMAGE,
            },
            "iops=4000 needs size_gib of at least 8, got size_gib=1\n"
            "throughput_mib=1001 needs iops of at least 4004, got iops=4000",
        ),
        *[
            (
                {"kms_key_id": text},
                "kms_key_id must be the id of a key, alias/<name>, or the ARN of "
                f"either (or be left out), got kms_key_id={text}",
            )
            for text in (
                " ",
                "nodes",
                "alias:nodes",
                "alias/",
                KEY[:-1],
                f"key/{KEY}",
                f"arn:aws:iam::111122223333:role/{KEY}",
                f"arn:aws:kms:eu-west-1:111122223333:{KEY}",
            )
        ],
    ],
)
def test_h040_rejects_what_ebs_would_reject(kwargs, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Gp3Volume(**kwargs)


@pytest.mark.parametrize("size", [1, 19])
def test_a_root_volume_below_the_image_is_refused(size):
    message = f"^size_gib must be 20 to 65536, got size_gib={size}$"

    with pytest.raises(ValueError, match=message):
        Gp3Volume(size_gib=size, iops=3_000, throughput_mib=125)


def test_a_raised_limit_is_data():
    limits = Gp3Limits(max_iops=100_000, max_throughput_mib=4_000)

    assert Gp3Volume(
        size_gib=200, iops=100_000, throughput_mib=4_000, limits=limits
    ).block_device()["ebs"] == {
        "volume_type": "gp3",
        "volume_size": 200,
        "iops": 100_000,
        "throughput": 4_000,
        "encrypted": "true",
        "delete_on_termination": "true",
    }


def test_the_root_device_is_encrypted_with_the_key_of_the_user():
    assert Gp3Volume(kms_key_id="alias/nodes").block_device() == {
        "device_name": "/dev/xvda",
        "ebs": {
            "volume_type": "gp3",
            "volume_size": 100,
            "iops": 8_000,
            "throughput": 800,
            "encrypted": "true",
            "delete_on_termination": "true",
            "kms_key_id": "alias/nodes",
        },
    }
