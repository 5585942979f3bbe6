"""`quire types --documents` writes classes for the Python code of a project."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from quire.cli import run
from tests.databases.kind import Kind
from tests.extending.project import open_extended, schema_in, write_code
from tests.extending.type_checkers import Checker, mypy_errors, pyright_errors

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


def write_documents(project: Path, *, code: int = 0) -> str:
    """Write the documents; the command exits with ``code``."""
    file = project / "src" / "content.py"
    assert run(["types", str(project), "--documents", str(file)]) == code
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


@pytest.mark.usefixtures("mypy_cache")
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
    assert "    margin:" not in text
    assert "class PartLine(Document):" in text
    assert 'Revealed type is "src.content.Writer | None"' in checked.stdout, checked.stdout


def test_code_that_does_not_load_is_a_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    write_code(tmp_path, "import nowhere")
    file = tmp_path / "models.py"
    for options in ([], ["--check"]):
        assert run(["types", str(tmp_path), "--python", str(file), *options]) == 1
        assert "does not load" in capsys.readouterr().err
    assert file.exists()


COMPUTED = """
from src.content import Paper

@computed(Paper, needs=["title"], default=False)
def length(paper: Paper) -> int | None:
    return len(paper.title)
"""


def test_computed_fields_of_code_that_needs_the_file_are_in_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    write_code(tmp_path, COMPUTED)
    text = write_documents(tmp_path)
    assert "    length: int | None\n" in text
    assert "does not load" not in capsys.readouterr().err
    assert (
        run(["types", str(tmp_path), "--documents", str(tmp_path / "src/content.py"), "--check"])
        == 0
    )
    for language, suffix in (("python", "py"), ("typescript", "ts")):
        file = tmp_path / f"models.{suffix}"
        assert run(["types", str(tmp_path), f"--{language}", str(file)]) == 0
        # A response has it only if the request names it.
        assert "length" not in file.read_text(encoding="utf-8")

    write_code(tmp_path, COMPUTED.replace("title", "titles"))
    text = write_documents(tmp_path, code=1)
    assert "length" not in text
    assert 'did you mean "title"?' in capsys.readouterr().err


@pytest.mark.parametrize("checker", [mypy_errors, pyright_errors])
def test_filters_and_input_are_typed(tmp_path: Path, checker: Checker) -> None:
    schema_in(tmp_path)
    write_code(tmp_path, COMPUTED)
    write_documents(tmp_path)
    (tmp_path / "src/api/paper/paper.py").unlink()
    code = """
    from datetime import datetime

    from quire import Documents, Shape
    from src.content import Paper, PaperFilters, Writer, documents


    def papers() -> Documents[Paper]:
        import quire

        return quire.documents(Paper)


    async def correct(moment: datetime, filters: PaperFilters) -> None:
        await papers().find(filters={"anything": 1})
        await documents("api::paper.paper").find(filters={"anything": 1})
        await documents(Paper).find(filters=filters)
        await documents(Paper).count(
            filters={
                "title": {"$startsWith": "S", "$not": {"$in": ["Sea", "Sun"]}},
                "printed": {"$lt": moment},
                "margin": {"$notNull": True},
                "price": [1, 2.5],
                "writer": {"papers": {"writer": {"name": "Ada"}}},
                "lines": {"text": {"$ne": None}},
                "$or": [{"writer": 3}, {"$and": [{"writer": {"$null": True}}]}],
            }
        )
        await documents(Writer).create({"name": "Ada", "papers": {"connect": [{"id": 3}, "abc"]}})
        await documents(Paper).create_many([{"writer": None, "lines": [{"text": "a"}]}])


    class Title(Shape[Paper]):
        title: str


    async def streamed() -> list[str | None]:
        found: list[str | None] = [
            one.title async for some in documents(Paper).stream(Title) for one in some
        ]
        async for papers in documents(Paper).stream(filters={"title": "Sea"}):
            found += [one.title for one in papers]
        return found


    async def mistaken() -> None:
        await documents(Paper).count(filters={"lock": "a"})  # mistake
        await documents(Paper).count(filters={"length": 3})  # mistake
        await documents(Paper).count(filters={"writer": "abc"})  # mistake
        await documents(Paper).count(filters={"writer": {"papers": {"titel": "a"}}})  # mistake
        await documents(Paper).count(filters={"printed": {"$lt": 3}})  # mistake
        await documents(Paper).create({"documentId": "a"})  # mistake
        await documents(Paper).create({"lines": [{"txt": "a"}]})  # mistake
        await documents(Paper).create_many([{"price": []}])  # mistake
    """
    lines = dedent(code).splitlines()
    (tmp_path / "src/uses.py").write_text("\n".join(lines), encoding="utf-8")
    errors = checker(tmp_path, "src")
    expected = {number for number, line in enumerate(lines, 1) if line.endswith("# mistake")}
    assert {error.line for error in errors} == expected, errors
