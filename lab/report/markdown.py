"""The report as Markdown with pictures beside it: what is committed in `docs/`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from lab.report.blocks import Block, Bullets, Code, Picture, Table, Text
from lab.report.sections import TITLE, sections
from lab.report.study import Study

__all__ = ["FILE", "render", "write"]

FILE = "lab.md"
"""Name of the document; the folder of its pictures has its name without the end."""

# Ink and paper: what the drawing takes from the page in HTML.
_STYLE = "<style>svg{color:#1f2328;background:#ffffff}</style>"


def write(study: Study, docs: Path) -> None:
    """Write `lab.md` and `lab/*.svg` into *docs*; older pictures go."""
    pictures = docs / Path(FILE).stem
    pictures.mkdir(parents=True, exist_ok=True)
    for old in sorted(pictures.glob("*.svg")):
        old.unlink()
    text, drawn = render(study)
    for picture in drawn:
        (pictures / f"{picture.name}.svg").write_text(_file(picture))
    (docs / FILE).write_text(text)


def render(study: Study) -> tuple[str, tuple[Picture, ...]]:
    """Return the text and the pictures that it shows."""
    content = sections(study)
    lines = [f"# {TITLE}", ""]
    for section in content:
        lines += [f"## {section.title}", ""]
        for block in section.blocks:
            lines += [*_lines(block), ""]
    drawn = tuple(
        block
        for section in content
        for block in section.blocks
        if isinstance(block, Picture)
    )
    return "\n".join(lines).rstrip() + "\n", drawn


def _lines(block: Block) -> Iterator[str]:
    match block:
        case Text(sentences=sentences):
            yield from sentences
        case Bullets(items=items):
            for what, said in items:
                yield f"* {_item(what, said)}"
        case Code(text=text):
            yield from ("```", text, "```")
        case Table(caption=caption, head=head, rows=rows, words=words):
            yield from (f"{caption}:", "")
            yield _line(head)
            yield _line(["---" if n in words else "---:" for n in range(len(head))])
            yield from map(_line, rows)
        case Picture(name=name, caption=caption, says=says):
            folder = Path(FILE).stem
            yield from (f"![{_plain(says)}]({folder}/{name}.svg)", "", caption)


def _item(what: str, said: str) -> str:
    if what and said:
        return f"**{_plain(what)}**: {said}"
    return said or f"**{_plain(what)}**"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_plain(cell) for cell in cells)} |"


def _plain(text: str) -> str:
    """Keep what a user wrote from being read as Markdown."""
    for sign in "\\|[]*_`<":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\n", " ")


def _file(picture: Picture) -> str:
    end = picture.svg.index(">") + 1
    return f"{picture.svg[:end]}\n {_STYLE}{picture.svg[end:]}"
