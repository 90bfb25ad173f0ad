"""Notices: what stays dark is said."""

from components.spec.monitoring.review import monitoring_notices
from components.spec.monitoring.settings import Monitoring, PrometheusAccount, Scrapes
from tests.spec.monitoring.builders import watch

COMPLETE = Monitoring(
    runbook_url="https://example.com", scrapes=Scrapes(scheduler=PrometheusAccount())
)
PLACE = (
    "monitoring: needs the Prometheus operator and the namespace monitoring in the "
    "cluster, which are not installed here; its objects come last"
)
RUNBOOKS = (
    "monitoring.runbook_url: none: alerts name the page of their runbook in this "
    "project, docs/runbooks, without an address that can be clicked"
)
LABELS = (
    "monitoring: kube-state-metrics must run with --metric-labels-allowlist="
    "nodes=[eks-jobs/group],pods=[eks-jobs/workload,kubernetes_executor,"
    "kubernetes_pod_operator,dagster/run-id,runner-pod], or every figure is empty"
)


def said(settings, found):
    return [str(one) for one in monitoring_notices(settings, found)]


def test_what_others_must_install_and_show_is_named():
    assert [PLACE, LABELS] == said(COMPLETE, watch())


def test_auto_mode_tells_nothing_of_its_controllers():
    notice, nothing = monitoring_notices(COMPLETE, watch("auto-mode"))[2:]

    assert "warning" == notice.severity
    assert (
        "monitoring: EKS Auto Mode lets nobody scrape its controllers: why a node did "
        "not come, what was given up and which addresses were refused is not known; "
        "nodes, pods and kubelets are watched all the same"
    ) == str(notice)
    assert (
        "monitoring.scrapes.scaler: scaler=true scrapes nothing with EKS Auto Mode"
        == str(nothing)
    )


def test_what_the_defaults_leave_out_is_named():
    assert [
        PLACE,
        LABELS,
        "monitoring.scrapes.scheduler: none: preemptions are not counted unless "
        "somebody else scrapes the scheduler of EKS",
        RUNBOOKS,
    ] == said(Monitoring(), watch())


def test_what_is_not_created_is_left_to_the_files():
    settings = Monitoring(enabled=False, rules=False, dashboards=False)

    assert [
        "monitoring.enabled: false: nothing is created in the cluster; load the rules "
        "and dashboards that make render writes",
        LABELS,
        RUNBOOKS,
    ] == said(settings, watch())


def test_without_a_policy_its_alert_is_missed():
    found = watch(policy=None)
    notice = (
        "monitoring: without a job policy there is no alert JobPolicyNotApplied, and "
        "jobs are told by their owners (Job, Workflow, EphemeralRunner, Runner) and "
        "labels alone"
    )
    muted = Monitoring(
        runbook_url="https://example.com",
        scrapes=COMPLETE.scrapes,
        muted=("JobPolicyNotApplied",),
    )

    assert notice in said(COMPLETE, found)
    assert notice not in said(muted, found)


def test_no_monitoring_is_said_in_one_line():
    assert [
        "monitoring: none: nobody is told when a job is ended or finds no node"
    ] == said(None, watch())


def test_scrapes_alone_need_nothing_of_kube_state_metrics():
    settings = Monitoring(rules=False, dashboards=False)

    assert [PLACE] == said(settings, watch())
