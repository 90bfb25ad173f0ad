"""
Whole stack files, drawn at random: every one of them is meant to be accepted.

What AWS, Kubernetes and the scalers want of several keys together (a group of EKS Auto
Mode has no kubelet, one that is scaled by Karpenter no minimum) is built in here, so
that a file which is refused shows a fault: in the reader, or in this description.
"""

from hypothesis import strategies as st

from tests.settings_groups import (
    NETWORKS,
    REGION,
    TEXTS,
    TYPE_FACTS,
    VPC_CNI,
    Values,
    clusters,
    job_groups,
    server_groups,
    some_of,
)
from tests.settings_scalers import (
    KEDA,
    MONITORING,
    SCALERS,
    balloons,
    policies,
)

__all__ = ["REGION", "stack_files"]

# The scaler in use, then the one on its way out.
_PAIRS = [
    ["cluster-autoscaler"],
    ["karpenter"],
    ["auto-mode"],
    ["cluster-autoscaler", "karpenter"],
    ["karpenter", "cluster-autoscaler"],
    ["auto-mode", "cluster-autoscaler"],
]


@st.composite
def stack_files(draw: st.DrawFn) -> Values:
    """Draw the keys of a stack file, without their namespace."""
    kinds = draw(st.sampled_from(_PAIRS))
    servers, jobs = draw(server_groups()), draw(job_groups(kinds))
    scalers = [draw(SCALERS[kind](jobs)) for kind in kinds]
    cluster = draw(clusters(scalers))
    # Balloons wait until a migration is over, and KEDA until one has a schedule.
    held = [] if scalers[1:] else draw(balloons(scalers[0], jobs))
    timed = any(one.get("schedule") for one in held)
    policy = policies(cluster["version"], servers[0]["name"])
    return draw(
        some_of(
            {
                "network": NETWORKS,
                "cluster": st.just(cluster),
                "servers": st.just(servers),
                "jobs": st.just(jobs),
                "scaler": st.just(scalers[0]),
                **({"retiring_scaler": st.just(scalers[1])} if scalers[1:] else {}),
                **({"balloons": st.just(held)} if held else {}),
            },
            vpc_cni=VPC_CNI,
            policy=st.none() | policy,
            monitoring=st.none() | MONITORING,
            tags=TEXTS,
            instance_types=TYPE_FACTS,
            **({"keda": KEDA} if timed else {}),
        )
    )
