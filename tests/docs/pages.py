"""The documentation pages: headings, links, tables and code blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(r"^(?P<mark>```+)(?P<info>[^`]*)$")
_HEADING = re.compile(r"^#+ +(?P<title>.*)$", re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_CODE_SPAN = re.compile(r"``(?P<two>.+?)``|`(?P<one>[^`]+)`")
_CELL_BORDER = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block: its info string, its lines, and its position."""

    page: str
    line: int
    info: str
    text: str


def all_pages() -> list[Path]:
    """Every page that people read: those of the root, of ``docs`` and of the examples."""
    return [
        *sorted(ROOT.glob("*.md")),
        *sorted(DOCS.rglob("*.md")),
        *sorted(page for page in (ROOT / "examples").rglob("*.md") if ".tmp" not in page.parts),
    ]


def name_of(page: Path) -> str:
    """The path of a page in the project."""
    return page.relative_to(ROOT).as_posix()


@cache
def read(page: Path) -> str:
    """The text of a page."""
    return page.read_text(encoding="utf-8")


def fences(page: Path) -> Iterator[Fence]:
    """The fenced blocks of a page, in order."""
    lines = iter(enumerate(read(page).splitlines(), start=1))
    for number, line in lines:
        opening = _FENCE.match(line)
        if opening is None:
            continue
        content = []
        for _, inner in lines:
            if inner.startswith(opening["mark"]):
                break
            content.append(inner)
        yield Fence(name_of(page), number, opening["info"].strip(), "\n".join(content))


@cache
def prose(page: Path) -> str:
    """A page without its fenced blocks."""
    kept, mark = [], None
    for line in read(page).splitlines():
        opening = _FENCE.match(line)
        if mark is None and opening is None:
            kept.append(line)
        elif mark is None and opening is not None:
            mark = opening["mark"]
        elif mark is not None and line.startswith(mark):
            mark = None
    return "\n".join(kept)


def links(page: Path) -> Iterator[str]:
    """The targets of the links of a page."""
    without_code = _CODE_SPAN.sub("", prose(page))
    yield from (found["target"] for found in _LINK.finditer(without_code))


def code_spans(page: Path) -> Iterator[str]:
    """The code spans in the prose of a page."""
    for found in _CODE_SPAN.finditer(prose(page)):
        yield (found["one"] or found["two"]).strip()


def headings(page: Path) -> list[str]:
    """The titles of a page, as they are written."""
    return [found["title"].strip() for found in _HEADING.finditer(prose(page))]


def anchors(page: Path) -> set[str]:
    """The names by which links can reach the titles of a page, as code hosts make them."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings(page)}


def rows(page: Path) -> Iterator[list[str]]:
    """The rows of the tables of a page, their headings included, cell by cell."""
    for line in prose(page).splitlines():
        if line.startswith("|") and not set(line) <= set("|-: "):
            yield [cell.strip() for cell in _CELL_BORDER.split(line.strip())[1:-1]]
