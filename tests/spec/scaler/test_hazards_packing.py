"""Packing by affinity and the rules of a pool go together, unless somebody says so."""

import pytest

from components.spec.policy.settings import JobPolicySettings
from components.spec.scaler.karpenter import Karpenter
from components.spec.scaler.karpenter_chart import karpenter_values
from components.spec.scaler.manifests import karpenter_pools
from components.spec.scaler.plan import scaler_notices
from components.spec.scaler.pool import PoolRules
from tests.spec.scaler.builders import TYPES, job, site


def values(karpenter):
    made = karpenter_values(karpenter, cluster_name="prod", queue_name="q")
    return made["settings"]["preferencePolicy"]


def consolidation(karpenter):
    (pool,) = karpenter_pools(karpenter, [job()], site(), "v20260714", TYPES)
    return pool.node_pool["spec"]["disruption"]["consolidationPolicy"]


def test_h023_affinity_comes_with_empty_nodes_and_a_preference_that_holds_none():
    assert "affinity" == JobPolicySettings().packing
    assert ("WhenEmpty", "Ignore") == (consolidation(Karpenter()), values(Karpenter()))


@pytest.mark.parametrize("preference", ["Ignore", "Respect"])
def test_h023_the_preference_policy_reaches_the_chart(preference):
    assert preference == values(Karpenter(preference_policy=preference))


@pytest.mark.parametrize("install", [True, False])
def test_h023_h099_a_version_without_a_preference_policy_is_refused(install):
    """It ignores the value of the chart in silence."""
    with pytest.raises(ValueError, match=r"version must be 1\.4\.0 or newer"):
        Karpenter(version="1.3.9", install=install)

    assert "Ignore" == values(Karpenter(version="1.4.0"))


@pytest.mark.parametrize("packing", ["affinity", "both"])
def test_h023_a_pool_that_moves_packed_jobs_warns(packing):
    eager = Karpenter(
        pools={"job": PoolRules(consolidation_policy="WhenEmptyOrUnderutilized")}
    )
    notices = scaler_notices(
        eager,
        None,
        servers=(),
        jobs=[job()],
        cluster_version="1.36",
        policy=JobPolicySettings(packing=packing),
    )

    assert 1 == sum(
        "WhenEmptyOrUnderutilized moves running jobs" in notice.text
        for notice in notices
    )
