"""The report as Markdown with pictures beside it: what is committed in `docs/`."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from lab.report.blocks import Block, Bullets, Code, Picture, Table, Text
from lab.report.sections import TITLE, sections
from lab.report.study import Study

__all__ = ["render", "write"]

# Ink and paper: what the drawing takes from the page in HTML.
_STYLE = "<style>svg{color:#1f2328;background:#ffffff}</style>"


def write(study: Study, file: Path) -> None:
    """Write *file*, and pictures into a folder of its name; older pictures go."""
    pictures = file.with_suffix("")
    pictures.mkdir(parents=True, exist_ok=True)
    for old in sorted(pictures.glob("*.svg")):
        old.unlink()
    text, drawn = render(study, pictures.name)
    for picture in drawn:
        (pictures / f"{picture.name}.svg").write_text(_file(picture))
    file.write_text(text)


def render(study: Study, folder: str) -> tuple[str, tuple[Picture, ...]]:
    """Return the text and the pictures that it shows, as if they lay in *folder*."""
    content = sections(study)
    lines = [f"# {TITLE}", ""]
    for section in content:
        lines += [f"## {section.title}", ""]
        for block in section.blocks:
            lines += [*_lines(block, folder), ""]
    drawn = tuple(
        block
        for section in content
        for block in section.blocks
        if isinstance(block, Picture)
    )
    return "\n".join(lines).rstrip() + "\n", drawn


def _lines(block: Block, folder: str) -> Iterator[str]:
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
