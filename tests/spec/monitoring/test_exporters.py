"""An empty panel has a reason: whose exporter tells which figure."""

from components.spec.monitoring.dashboards.figures import figures
from components.spec.monitoring.exporters import told_by
from tests.spec.monitoring.builders import scope


def told(*scalers: str) -> dict[str, tuple[str, ...]]:
    return {one.exporter.name: one.figures for one in told_by(scope(*scalers))}


def test_only_exporters_of_this_cluster_are_named():
    common = ["kube-state-metrics", "kubelet", "kube-scheduler", "node-exporter"]

    assert [*common, "vpc-cni", "karpenter"] == list(told("karpenter"))
    assert [*common, "vpc-cni", "cluster-autoscaler"] == list(
        told("cluster-autoscaler")
    )
    # Nobody can scrape it on nodes of EKS Auto Mode, which a notice says.
    assert [*common, "vpc-cni"] == list(told("auto-mode"))


def test_a_figure_is_told_by_those_behind_the_figures_that_it_reads():
    found = told()

    assert ("cluster:eks_jobs_preemption_victims:increase1h",) == found[
        "kube-scheduler"
    ]
    assert "group:eks_jobs_pulls_rejected:sum" in found["kubelet"]
    assert "group:eks_jobs_pulls_rejected:sum" in found["kube-state-metrics"]
    assert "group:eks_jobs_nodes:count" not in found["kubelet"]


def test_every_figure_is_told_or_left_out_once():
    known = sorted(figures(scope()).known)

    for one in told_by(scope()):
        assert known == sorted([*one.figures, *one.others])
