"""
The report of a study made by hand: its files, its sentences and its numbers.

Not proven here: that a browser shows it well. Pictures were looked at when made.
"""

import ast
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import lab.report
from lab.model import Load, PodRecord
from lab.options import parse
from lab.report import document, markdown, plots, records, terminal
from lab.report.article import PUBLISHED
from lab.report.measures import number, percent
from lab.report.study import Study, Throughput
from tests.lab.report_study import LOAD, SHAPE, STUDY, scenario, unpriced

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch):
    """Leave the drawings to `test_report_pictures.py`: they take their time."""
    monkeypatch.setattr(plots, "svg", lambda name, *_: f'<svg id="{name}"></svg>')


def text(study=STUDY):
    return markdown.render(study, "lab")[0]


def section(title, study=STUDY):
    return text(study).split(f"## {title}\n")[1].split("\n## ")[0]


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def table(caption, study=STUDY):
    """Return a table as its rows by name, each a dict by heading."""
    lines = text(study).split(f"{caption}:\n\n")[1].split("\n\n")[0].splitlines()
    head, _, *rows = map(cells, lines)
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


def write(study, out):
    lab.report.write(
        study.runs,
        study.load,
        study.shapes,
        out,
        throughput=study.throughput,
        notes=study.notes,
        command=study.command,
        versions=study.versions,
    )


def test_a_report_is_three_files(tmp_path):
    write(STUDY, tmp_path / "build/lab")

    assert ["records.json", "report.html", "report.json"] == sorted(
        path.name for path in (tmp_path / "build/lab").iterdir()
    )


def test_records_are_read_as_they_were_written(tmp_path):
    records.save(STUDY, tmp_path)

    assert STUDY == records.read(tmp_path)


def test_a_folder_without_records_is_refused(tmp_path):
    message = f"from must be a folder of a lab run, got {tmp_path} without records.json"

    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        lab.report.to_markdown(tmp_path, tmp_path / "lab.md")


@pytest.mark.parametrize(
    ("content", "error"),
    [("{", "JSONDecodeError"), ("{}", "KeyError"), ('{"runs": [{}]}', "KeyError")],
)
def test_records_of_another_program_are_refused(tmp_path, content, error):
    (tmp_path / "records.json").write_text(content)

    with pytest.raises(ValueError, match=f"as this version of the lab.*got {error}"):
        records.read(tmp_path)


def test_a_study_needs_a_scenario():
    with pytest.raises(
        ValueError, match=r"^runs must hold at least one scenario, got none$"
    ):
        replace(STUDY, runs=())


def test_a_study_has_each_scenario_once():
    with pytest.raises(
        ValueError, match=r"^runs must not repeat, got 'default' 2 times$"
    ):
        replace(STUDY, runs=(STUDY.runs[0], STUDY.runs[0]))


def test_throughput_needs_time():
    with pytest.raises(
        ValueError, match=r"^seconds must be more than 0, got seconds=0$"
    ):
        Throughput(packing="none", nodes=1, pods=1, seconds=0.0)


def test_the_document_asks_one_question_a_heading():
    assert [
        "In short",
        "What was compared?",
        "What was the load?",
        "What does it cost?",
        "What costs the rest?",
        "How many nodes are there?",
        "How long do jobs wait?",
        "Was any job interrupted?",
        "How well are nodes used?",
        "How hard is a node hit?",
        "How fast is the scheduler?",
        "How does it compare with the article?",
        "What does the replay distort?",
        "How is it repeated?",
    ] == re.findall(r"^## (.+)$", text(), re.MULTILINE)


def test_the_first_sentences_say_what_was_found():
    assert [
        "The least nodes are paid for with both: 2.00 node-hours, 1.91 times the best "
        "fit and -50.0 % to default.",
        "Jobs wait least with both+balloons: 99 of 100 pods start within 5.0 s, and "
        "within 43.0 s at worst.",
        "Jobs were interrupted: 1 with default; none in the other scenarios.",
        "1 of 4 jobs did not succeed with default: its node-hours are too low by what "
        "they need.",
    ] == section("In short").strip().splitlines()[:4]


def test_differences_below_the_clock_of_a_run_are_none():
    alike = replace(STUDY, runs=(scenario("default"), scenario("both", wait=41.0)))

    assert (
        "99 of 100 job pods start within 44.0 s in every scenario; the differences are "
        "below what a run can tell."
    ) in section("In short", alike)


def test_node_hours_stand_against_first_scenario_and_references():
    assert {
        "job, node-hours": "2.00",
        "all": "2.00",
        "vCPU-hours": "32.0",
        "to default": "-50.0 %",
        "times ideal": "1.91",
        "times best fit": "1.91",
        "USD": "1.60",
        "of it balloons alone, USD": "0.00",
    } == table("Node-hours and cost")["both"]


def test_references_are_explained():
    # One node for 2 s, two for 1,799 s, one for 179 s.
    ideal = table("What the load needs by reference")["ideal"]

    assert ("1.05", "1.00") == (ideal["node-hours"], ideal["times best fit"])
    assert ideal["what is thought"].startswith("Each job starts at once and running")


def test_a_missing_price_is_said_and_not_counted():
    study = unpriced(STUDY)

    assert "no price" == table("Node-hours and cost", study)["both"]["USD"]
    assert "No price for m7i.4xlarge." in section("What does it cost?", study)
    assert "no price" in terminal.render(study)
    assert [None, ["m7i.4xlarge"]] == [
        document.document(study)["scenarios"][0]["figures"]["cost_usd"],
        document.document(study)["scenarios"][0]["unpriced"],
    ]


def test_waits_are_told_by_percentile():
    assert {
        "mean, s": "41.5",
        "p50, s": "41.0",
        "p95, s": "43.0",
        "p99, s": "43.0",
        "max, s": "43.0",
        "p99 to default": "0.0 %",
        "p99 of bursts, s": "42.0",
        "bursts to default": "0.0 %",
        "pods": "4",
        "never started": "0",
    } == table("Seconds that job pods wait")["both"]


def test_balloons_are_compared_with_the_same_scenario_without():
    assert {
        "both": {
            "p99 without, s": "42.0",
            "p99 with, s": "4.0",
            "change": "-90.5 %",
            "node-hours without": "2.00",
            "node-hours with": "2.00",
            "of it balloons alone": "0.00",
        }
    } == table("Bursts without and with balloons")


def test_node_hours_of_balloons_stand_apart_from_those_of_jobs():
    balloon = PodRecord(
        job="balloon-0",
        group="job",
        balloon=True,
        node="node-0",
        created=0.0,
        bound=2_700.0,
        started=2_700.0,
        finished=None,
        outcome="unfinished",
        cpu=4_000,
    )
    study = replace(STUDY, runs=(scenario("default", balloons=(balloon,)),))

    assert "12.5" == table("Use of nodes", study)["default"]["balloons alone, %"]


def test_interruptions_are_told_with_their_reasons():
    assert {
        "jobs": "4",
        "succeeded": "3",
        "interrupted": "1",
        "unfinished": "1",
        "never seen": "0",
        "balloons ended by others": "0",
        "reasons": "EvictionByEvictionAPI 1",
    } == table("How the jobs ended")["default"]


def test_a_run_in_which_nothing_was_interrupted_proves_nothing():
    calm = replace(STUDY, runs=STUDY.runs[1:])

    assert "does not prove that the protection" in section(
        "Was any job interrupted?", calm
    )
    assert "No job was interrupted in any scenario." in section("In short", calm)


def test_use_and_scale_in_of_nodes_are_told():
    use = table("Use of nodes")["both"]

    assert ("50.0", "25.0") == (use["CPU, %"], use["memory, %"])
    # The last jobs end after 1,902 s on one node and 2,080 s on the other.
    assert ("1609.0", "1698.0") == (
        use["scale-in, mean s"].replace(",", ""),
        use["scale-in, p95 s"].replace(",", ""),
    )


def test_the_hardest_minute_of_a_node_is_told():
    assert {"most": "2", "minute of the load": "1.7", "most nodes": "2"} == table(
        "Pods started on one node within a minute"
    )["both"]


def test_the_scheduler_is_told_by_pods_a_second():
    row = table("Scheduler alone, in time of this machine")["none"]

    assert "250.0" == row["pods a second"]


def test_what_was_left_out_of_the_load_is_listed():
    assert "| CronJob data/late | suspended \\| for now |" in text()


def test_a_load_that_is_replayed_whole_says_so():
    whole = replace(STUDY, load=replace(LOAD, left_out=()))

    assert "Nothing was left out." in section("What was the load?", whole)


def test_scenarios_are_explained_by_the_run_or_the_caller():
    told = replace(STUDY, scenarios={"both": "policy and scheduler pack"})

    assert [
        "* **default**: default in a sentence",
        "* **both**: policy and scheduler pack",
        "* **both+balloons**: both+balloons in a sentence",
    ] == section("What was compared?", told).strip().splitlines()[:3]


def test_the_article_stands_beside_ours():
    rows = table("Published figures and ours")

    assert ("+19.7 %", "-49.4 %") == (
        rows["article, after"]["nodes, change"],
        rows["article, after"]["average wait, change"],
    )
    assert ("2.00", "–", "-50.0 %") == (
        rows["both"]["average nodes, job"],
        rows["both"]["job-arm"],
        rows["both"]["nodes, change"],
    )


@pytest.mark.parametrize("row", PUBLISHED, ids=lambda row: row.name)
def test_the_published_groups_add_up(row):
    assert row.nodes == pytest.approx(row.job + row.job_arm)


def test_the_command_and_the_versions_are_told():
    told = section("How is it repeated?")

    assert "```\nmake lab SPEED=20\n```" in told
    assert "```\npython -m lab run --speed 20\n```" in told
    assert ["| karpenter | 1.15.0 |", "| kube-scheduler | v1.37.2 |"] == [
        line for line in told.splitlines() if re.search(r"\d\.\d", line)
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], ""),
        (["--speed=5", "--out", "here"], " SPEED=5 OUT=here"),
        (
            ["--trace", "my jobs.csv", "--stack=alpha"],
            " TRACE='my jobs.csv' STACK=alpha",
        ),
    ],
)
def test_make_repeats_what_was_run(words, said):
    study = replace(STUDY, command=parse(["run", *words]).words)

    assert f"```\nmake lab{said}\n```" in section("How is it repeated?", study)


@pytest.mark.parametrize(
    ("words", "folder"), [([], "build/lab"), (["--out", "my runs/a"], "'my runs/a'")]
)
def test_pages_are_written_from_the_folder_of_the_run(words, folder):
    study = replace(STUDY, command=parse(["run", *words]).words)

    assert (f".venv/bin/python -m lab report --from {folder} --docs lab.md") in section(
        "How is it repeated?", study
    )


def test_the_speed_of_each_run_is_among_the_distortions():
    mixed = replace(STUDY, runs=(STUDY.runs[0], scenario("both", speed=1.0)))
    told = section("What does the replay distort?", mixed)

    assert ("* 20 times faster" in told, "* Nothing was compressed." in told) == (
        True,
        True,
    )


def test_pictures_lie_beside_the_document_and_older_ones_go(tmp_path):
    records.save(STUDY, tmp_path)
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab/older.svg").write_text("<svg/>")
    lab.report.to_markdown(tmp_path, tmp_path / "lab.md")
    shown = re.findall(r"\]\((lab/.+\.svg)\)", (tmp_path / "lab.md").read_text())

    assert ["lab/costs.svg", "lab/nodes.svg", "lab/waits.svg"] == shown
    assert shown == sorted(f"lab/{p.name}" for p in (tmp_path / "lab").iterdir())


def test_the_table_of_the_terminal_has_a_line_for_each_scenario():
    lines = lab.report.table(STUDY.runs, LOAD, (SHAPE,)).splitlines()

    assert [
        ["default", "4.00", "0.0", "%", "3.81", "3.81", "3.20"],
        ["both", "2.00", "-50.0", "%", "1.91", "1.91", "1.60"],
        ["both+balloons", "2.00", "-50.0", "%", "1.91", "1.91", "1.60"],
    ] == [line.split()[:7] for line in lines[-3:]]
    assert [["41.0", "43.0", "42.0", "1", "1"], ["41.0", "43.0", "42.0", "0", "2"]] == [
        line.split()[7:] for line in lines[-3:-1]
    ]


def test_the_table_of_the_terminal_shows_names_as_they_are():
    lines = terminal.render(replace(STUDY, runs=(scenario("[red]x"),))).splitlines()

    assert lines[-1].split()[0] == "[red]x"


def test_the_json_keeps_its_shape():
    found = json.loads(document.render(STUDY))

    assert 1 == found["format"]
    assert [
        "format",
        "load",
        "shapes",
        "references",
        "losses",
        "scenarios",
        "throughput",
        "article",
        "distortions",
        "notes",
        "command",
        "versions",
    ] == list(found)
    assert [
        "name",
        "meaning",
        "speed",
        "facts",
        "seconds",
        "figures",
        "difference_percent",
        "times_reference",
        "node_hours_by_group",
        "nodes_by_group",
        "pending",
        "jobs",
        "most_starts",
        "utilisation",
        "balloons_displaced",
        "unpriced",
    ] == list(found["scenarios"][0])


def test_the_json_has_the_numbers_of_the_report():
    both = json.loads(document.render(STUDY))["scenarios"][1]

    assert {
        "node_hours": 2.0,
        "cost_usd": 1.6,
        "vcpu_hours": 32.0,
        "paid": 32.0,
        "peak_nodes": 2,
        "pending_mean_seconds": 41.5,
        "pending_p50_seconds": 41.0,
        "pending_p95_seconds": 43.0,
        "pending_p99_seconds": 43.0,
        "pending_max_seconds": 43.0,
        "burst_p99_seconds": 42.0,
        "jobs_interrupted": 0,
        "most_starts_per_node_minute": 2,
        "cpu_percent": 50.0,
        "memory_percent": 25.0,
        "starting_percent": pytest.approx(100 * 40 / 3600, abs=1e-5),
        "balloon_percent": 0.0,
        "scale_in_mean_seconds": 1609.0,
        "scale_in_p95_seconds": 1698.0,
        "unused_nodes": 0,
    } == {
        key: value
        for key, value in both["figures"].items()
        if key not in {"empty_node_hours", "empty_percent"}
    }
    assert (-50.0, -50.0, 0.0) == tuple(
        both["difference_percent"][key]
        for key in ("node_hours", "cost_usd", "pending_p99_seconds")
    )
    assert [[0.0, 2], [3600.0, 0]] == both["nodes_by_group"]["job"]


def test_a_study_without_jobs_or_nodes_is_reported_too():
    empty = Study(
        runs=(replace(scenario("default"), pods=(), nodes=()),),
        load=Load(name="nothing", jobs=()),
        shapes=(SHAPE,),
    )

    assert "No job pod was seen." in section("In short", empty)
    assert "It has no jobs." in section("What was the load?", empty)
    assert "The load has no burst." in section("How long do jobs wait?", empty)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, "–"), (-0.01, "0.0 %"), (0.04, "0.0 %"), (12.34, "+12.3 %")],
)
def test_a_difference_has_its_sign(value, expected):
    assert expected == percent(value)


@pytest.mark.parametrize(("value", "expected"), [(None, "–"), (1234.56, "1,234.6")])
def test_a_number_is_written_for_people(value, expected):
    assert expected == number(value)


def test_nothing_draws_before_it_must():
    """Matplotlib takes a second to load, which the table does not need."""
    early = [
        path.name
        for path in (ROOT / "lab/report").glob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.Import | ast.ImportFrom)
        and "matplotlib" in ast.unparse(node)
    ]

    assert [] == early
