"""`report.html`: one file that needs nothing else."""

import re
from collections.abc import Iterator
from html import escape

from lab.report.blocks import Block, Bullets, Code, Picture, Section, Table, Text
from lab.report.sections import TITLE, sections
from lab.report.study import Study

__all__ = ["render"]

_STYLE = """\
:root{color-scheme:light dark;--ink:#1f2328;--paper:#fff;--line:#d0d7de;--soft:#f6f8fa;
--link:#0a58a8}
@media(prefers-color-scheme:dark){:root{--ink:#d8dee4;--paper:#16181d;--line:#3a4048;
--soft:#20242b;--link:#7ab7ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:1.5rem 1rem 4rem;color:var(--ink);
background:var(--paper);font:16px/1.55 system-ui,sans-serif}
h1{font-size:1.7rem;line-height:1.2;margin:0 0 1rem}
h2{font-size:1.25rem;margin:2.6rem 0 .6rem;padding-top:.6rem;
border-top:1px solid var(--line)}
p{margin:.6rem 0;max-width:46rem}li{margin:.3rem 0;max-width:46rem}
a{color:var(--link)}nav ul{columns:2 16rem;padding-left:1.2rem}
.wide{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);text-align:right;
vertical-align:top}
thead th{vertical-align:bottom;background:var(--soft);font-weight:600}
tbody th{font-weight:600;white-space:nowrap}
.word{text-align:left}
figure{margin:1rem 0}svg{max-width:100%;height:auto}
figcaption{font-size:.9rem}
pre{background:var(--soft);border:1px solid var(--line);padding:.7rem;overflow-x:auto}
"""


def render(study: Study) -> str:
    """Return the text of `report.html`."""
    content = sections(study)
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(TITLE)}</title>",
        f"<style>\n{_STYLE}</style>",
        "</head>",
        "<body>",
        f"<header><h1>{escape(TITLE)}</h1></header>",
        *_contents(content),
        "<main>",
    ]
    for section in content:
        anchor = _anchor(section.title)
        lines += [f'<section aria-labelledby="{anchor}">']
        lines += [f'<h2 id="{anchor}">{escape(section.title)}</h2>']
        for block in section.blocks:
            lines += _lines(block)
        lines += ["</section>"]
    return "\n".join([*lines, "</main>", "</body>", "</html>"]) + "\n"


def _contents(content: tuple[Section, ...]) -> Iterator[str]:
    yield '<nav aria-label="Contents"><ul>'
    for section in content:
        link = f'<a href="#{_anchor(section.title)}">{escape(section.title)}</a>'
        yield f"<li>{link}</li>"
    yield "</ul></nav>"


def _anchor(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Text(sentences=sentences):
            yield f"<p>{_said(' '.join(sentences))}</p>"
        case Bullets(items=items):
            yield "<ul>"
            for what, said in items:
                yield f"<li>{_item(what, said)}</li>"
            yield "</ul>"
        case Code(text=text):
            yield f"<pre><code>{escape(text)}</code></pre>"
        case Table():
            yield from _table(block)
        case Picture(caption=caption, says=says, svg=svg):
            label = f'<svg role="img" aria-label="{escape(says)}"'
            yield f"<figure>{svg.replace('<svg', label, 1)}"
            yield f"<figcaption>{escape(caption)}</figcaption></figure>"


def _item(what: str, said: str) -> str:
    if what and said:
        return f"<strong>{escape(what)}</strong>: {_said(said)}"
    return _said(said) or f"<strong>{escape(what)}</strong>"


def _said(text: str) -> str:
    """Escape a sentence, and show what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _table(table: Table) -> Iterator[str]:
    yield '<div class="wide"><table>'
    yield f"<caption>{escape(table.caption)}</caption>"
    head = (
        f'<th scope="col"{_kind(table, place)}>{escape(cell)}</th>'
        for place, cell in enumerate(table.head)
    )
    yield f"<thead><tr>{''.join(head)}</tr></thead>"
    yield "<tbody>"
    for first, *rest in table.rows:
        cells = (
            f"<td{_kind(table, place)}>{escape(cell)}</td>"
            for place, cell in enumerate(rest, start=1)
        )
        name = f'<th scope="row"{_kind(table, 0)}>{escape(first)}</th>'
        yield f"<tr>{name}{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _kind(table: Table, place: int) -> str:
    return ' class="word"' if place in table.words else ""
