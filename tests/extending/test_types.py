"""`quire types --documents` writes classes for the Python code of a project."""

import subprocess
import sys
from pathlib import Path

from quire.cli import run
from tests.databases.kind import Kind
from tests.extending.project import open_extended, schema_in, write_code

CODE = """
from src.content import Paper, Writer

@after_write(Paper, on=["create"], needs=["title", "writer"])
async def greet(write: Write[Paper]) -> None:
    fired.append((type(write.after).__name__, write.after.writer.name))

@route.get("/papers/by-writer/:name", public=True)
async def by_writer(name: str) -> list[str]:
    found = await documents(Paper).find(
        filters={"writer": {"name": name}}, populate=["writer", "lines"], status="draft")
    return [f"{paper.title} by {paper.writer.name}: {paper.lines[0].text}" for paper in found]

@route.get("/papers/fired", public=True)
async def seen() -> list[tuple[str, str]]:
    return fired
"""


def write_documents(project: Path) -> str:
    file = project / "src" / "content.py"
    assert run(["types", str(project), "--documents", str(file)]) == 0
    return file.read_text(encoding="utf-8")


async def test_hooks_and_routes_use_the_classes(tmp_path: Path, kind: Kind) -> None:
    schema_in(tmp_path / "schema")
    text = write_documents(tmp_path / "schema")
    # The project is laid out by `open_extended`; its code writes the classes and imports them.
    write = "from pathlib import Path\nPath(__file__).parents[2].joinpath('content.py')"
    write = f"{write}.write_text({text!r})\n"
    async with open_extended(tmp_path, kind, f"{write}{CODE}") as office:
        writer = (await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})).data
        paper = {"title": "A", "writer": writer["documentId"], "lines": [{"text": "low"}]}
        made = await office.ask("POST", "/api/papers?status=draft", {"data": paper})
        listed = await office.ask("GET", "/api/papers/by-writer/Ada")
        fired = await office.ask("GET", "/api/papers/fired")

    assert made.status == 201
    assert listed.json == ["A by Ada: low"]
    assert fired.json == [["Paper", "Ada"]]


def test_the_classes_are_typed(tmp_path: Path) -> None:
    schema_in(tmp_path)
    text = write_documents(tmp_path)
    code = """
    from src.content import Paper

    async def title(paper: Paper) -> str:
        page = await documents(Paper).find()
        reveal_type(page[0].writer)
        return page[0].titel + paper.title
    """
    write_code(tmp_path, code)
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--explicit-package-bases", "src"],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
    )

    assert '__uid__ = "api::paper.paper"' in text
    assert "margin" not in text
    assert "class PartLine(Document):" in text
    assert 'Revealed type is "src.content.Writer | None"' in checked.stdout, checked.stdout
