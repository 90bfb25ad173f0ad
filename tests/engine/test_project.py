"""What a run has said is read as it was meant."""

from tests.engine.project import Run, without_dots

ROWS = """\
Updating (sandbox):
@ updating....
 +  kubernetes:core/v1:Namespace space created (0.1s)
@ updating..... -  kubernetes:core/v1:Namespace old deleted (0.2s)
@ updating...
 ~  aws:ec2/launchTemplate:LaunchTemplate job updated (1s)@ updating....
"""


def test_dots_before_and_behind_a_line_hide_nothing():
    run = Run(code=0, text=without_dots(ROWS), before={}, after={})

    assert ["kubernetes:core/v1:Namespace space"] == run.done("created")
    assert ["kubernetes:core/v1:Namespace old"] == run.done("deleted")
    assert ["aws:ec2/launchTemplate:LaunchTemplate job"] == run.done("updated")
