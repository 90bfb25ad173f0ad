"""
`report.html` as a program reads it: one file, well formed, and fit for a screen reader.

Not proven here: how a browser lays it out.
"""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from lab.report import html
from tests.lab.report_study import STUDY, scenario

VOID = {"meta"}


class Page(HTMLParser):
    """Collects the elements of a page, and where they do not nest."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.wrong = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def text():
    return html.render(STUDY)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_the_page_is_well_formed(page):
    assert ([], []) == (page.open, page.wrong)


def test_the_page_asks_no_other_file_and_no_network(page, text):
    asked = [
        value
        for _, attributes in page.elements
        for name, value in attributes.items()
        if name in {"src", "href", "xlink:href", "srcset"} and not value.startswith("#")
    ]

    assert [] == asked
    assert set() == {"link", "script", "img", "iframe"} & {t for t, _ in page.elements}
    assert [] == re.findall(r"@import|url\((?!#)", text)


def test_the_page_is_small(text):
    assert len(text.encode()) < 200_000


def test_the_page_follows_light_and_dark(text):
    assert (
        "color-scheme:light dark" in text,
        "@media(prefers-color-scheme:dark)" in text,
        "currentColor" in text,
    ) == (True, True, True)


def test_every_id_is_there_once(page):
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]

    assert len(ids) == len(set(ids))


def test_the_contents_lead_to_each_heading(page):
    links = [attributes["href"][1:] for attributes in page.all("a")]

    assert links == [attributes["id"] for attributes in page.all("h2")]
    assert links == [each["aria-labelledby"] for each in page.all("section")]


def test_tables_name_their_rows_and_columns(page):
    scopes = [attributes.get("scope") for attributes in page.all("th")]

    assert {"col", "row"} == set(scopes)
    assert len(page.all("table")) == len(page.all("caption"))


def test_pictures_say_what_can_be_seen(page):
    assert [
        "default 4.00 node-hours; both 2.00 node-hours; both+balloons 2.00 node-hours",
        "default 4 nodes at most; both 2 nodes at most; both+balloons 2 nodes at most",
        "default median 41.0 s, 99th percentile 43.0 s; "
        "both median 41.0 s, 99th percentile 43.0 s; "
        "both+balloons median 3.0 s, 99th percentile 5.0 s",
    ] == [each["aria-label"] for each in page.all("svg")]
    assert ["img"] * 3 == [each["role"] for each in page.all("svg")]


def test_what_a_user_wrote_is_text():
    study = replace(
        STUDY,
        runs=(scenario("<script>alert(1)</script>"),),
        notes=('<img src="x">',),
        command="python -m lab run --trace '<a>'",
    )
    page = Page(html.render(study))

    assert ([], [], []) == (page.all("script"), page.all("img"), page.wrong)


def test_code_in_sentences_is_marked(text):
    assert "nodes of <code>job-arm</code> doubled" in text
