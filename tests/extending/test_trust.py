"""``quire check --trust`` lists where code of a project acts without permissions."""

from pathlib import Path

import pytest

from quire.cli import run
from quire.cli.check_trust import system_places
from tests.extending.project import FILE, IMPORTS, schema_in, write_code

_FIRST = IMPORTS.count("\n") + 1
CODE = """
import quire as q
from quire import as_system as root

@route.get("/papers/open", public=True)
async def open_papers() -> list:
    with as_system("the list is public"):
        return []

@route.get("/papers/closed")
async def closed_papers(why: str) -> list:
    with q.as_system(why), root(reason="to compare"):
        return []

@computed(PAPER, needs=["margin", "title"], reveals=["margin"])
def size(paper) -> int:
    return len(paper.margin)

sneaky = getattr(q, "as_system")
"""


def test_each_place_is_listed_with_file_line_and_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    write_code(tmp_path, CODE)
    assert run(["check", str(tmp_path), "--trust"]) == 0
    first = _FIRST + 1
    assert capsys.readouterr().out.splitlines() == [
        f"{FILE}:{first + 5}  as_system  the list is public",
        f"{FILE}:{first + 10}  as_system  to compare",
        f"{FILE}:{first + 10}  as_system  why",
        f"{FILE}:{first + 17}  as_system  used without a call",
        f"{FILE}:{first + 3}  public route  GET /papers/open",
        f"{FILE}:{first + 13}  computed field size reveals margin of api::paper.paper",
    ]


def test_a_project_without_such_code_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    write_code(tmp_path, "@route.get('/x')\ndef x() -> int: return 1\n")
    assert run(["check", str(tmp_path), "--trust"]) == 0
    assert capsys.readouterr().out == ""
    assert run(["check", str(tmp_path), "--trust", "--json"]) == 2


@pytest.mark.parametrize(
    ("source", "places"),
    [
        ("with as_system('a'):\n    pass\n", [(1, "a")]),
        ("f = as_system\n", [(1, "used without a call")]),
        ("x.y.as_system(f'{z}')\n", [(1, "f'{z}'")]),
        ("as_system()\n", [(1, "without a reason")]),
        ("from quire import as_system\n", []),
        ("as_systems('a')\n", []),
    ],
)
def test_places_are_found_by_any_name(source: str, places: list[tuple[int, str]]) -> None:
    assert list(system_places(source)) == places


def test_quire_hooks_lists_rules_policies_and_computed_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    code = """
    @rule(PAPER, on=["update", "find"])
    def own(who): return True

    @policy(PAPER, on=["find"])
    def open_hours(context): return True

    @computed(PAPER, needs=["title"])
    def size(paper) -> int: return len(paper.title)
    """
    write_code(tmp_path, code)
    assert run(["hooks", str(tmp_path), "--type", "api::paper.paper"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"api::paper.paper  rule on find, update  own  {FILE}:{_FIRST + 1}",
        f"api::paper.paper  policy on find  open_hours  {FILE}:{_FIRST + 4}",
        f"api::paper.paper  computed field  size  {FILE}:{_FIRST + 7}  needs documentId, title",
    ]
    assert run(["hooks", str(tmp_path), "--type", "api::writer.writer"]) == 0
    assert capsys.readouterr().out == ""
