"""Filter operators of a project's code, in all kinds of filters."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from quire.extension_loading import ExtensionError, load_extensions
from tests.databases.kind import Kind
from tests.databases.kinds import SQLITE
from tests.extending.project import FILE, IMPORTS, module, open_extended, schema_in, write_code
from tests.extending.pytest_runs import run_pytest
from tests.extending.test_testing import make_project
from tests.postgresql.databases import url_of
from tests.unit.admin_api.office import Office
from tests.unit.schema.trees import type_file, write_tree

CODE = """
from msgspec import Struct
from sqlalchemy import and_, func

class Lengths(Struct):
    low: int
    high: int | None = None

@operator("$longer_than", on=["string"], operand=int)
def longer_than(column, length):
    return func.length(column) > length.value

@operator("$of_length", on=["string"], operand=Lengths)
def of_length(column, lengths):
    length = func.length(column)
    return and_(length >= lengths.low, length <= func.coalesce(lengths.high, 1000))

@operator("$lower_in", on=["string", "text"], operand=list[str])
def lower_in(column, names):
    return names.is_in(func.lower(column), names.value)

@operator("$known_to_us", on=["string"], operand=bool)
def known_to_us(column, known):
    return column.in_(["Tides", "Sea"]) == known.value

@operator("$has_number", on=["json"], operand=float)
def has_number(column, number):
    return number.json_number(column, "deep", "lat") == number.value

@operator("$has_text", on=["json"], operand=str)
def has_text(column, text):
    return text.json_text(column, "name") == text.value

@before_write(PAPER, on=["create"])
async def look(write):
    found = await documents(PAPER).find(filters={"title": {"$longer_than": 4}}, status="draft")
    fired.append([one["title"] for one in found])
"""


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def office(tmp_path_factory: pytest.TempPathFactory, kind: Kind) -> AsyncIterator[Office]:
    """An office with three papers, for tests that only read."""
    async with open_extended(tmp_path_factory.mktemp("operators"), kind, CODE) as opened:
        await make_papers(opened)
        yield opened


async def make_papers(office: Office) -> None:
    for title in ("Sea", "Tides", "Lighthouse"):
        writer = await office.ask("POST", "/api/writers", {"data": {"name": f"By {title}"}})
        data = {"title": title, "writer": writer.data["documentId"]}
        made = await office.ask("POST", "/api/papers?status=draft", {"data": data})
        assert made.status == 201, made.json


TITLES = [
    ("[title][$longer_than]=3", ["Lighthouse", "Tides"]),
    ("[title][$not][$longer_than]=3", ["Sea"]),
    ("[title][$of_length][low]=4&filters[title][$of_length][high]=5", ["Tides"]),
    ("[title][$of_length][low]=4", ["Lighthouse", "Tides"]),
    ("[title][$lower_in][0]=sea&filters[title][$lower_in][1]=tides", ["Sea", "Tides"]),
    ("[title][$lower_in]=sea", ["Sea"]),
    ("[title][$known_to_us]=true", ["Sea", "Tides"]),
    ("[title][$known_to_us]=false", ["Lighthouse"]),
    ("[writer][name][$longer_than]=8", ["Lighthouse"]),
    ("[$or][0][title][$longer_than]=9&filters[$or][1][title][$eq]=Sea", ["Lighthouse", "Sea"]),
]


@pytest.mark.parametrize(("query", "expected"), TITLES)
async def test_rows_are_found_by_the_condition(
    office: Office, query: str, expected: list[str]
) -> None:
    found = await office.ask("GET", f"/api/papers?status=draft&sort=title&filters{query}")
    assert [one["title"] for one in found.data] == expected
    target = f"/content-manager/collection-types/api::paper.paper?sort=title&filters{query}"
    listed = await office.ask("GET", target, token=office.boss)
    assert [one["title"] for one in listed.json["results"]] == expected


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("[title][$longer_than]=many", "$longer_than: Expected `int`, got `str`"),
        ("[title][$longer_than][a]=1", "$longer_than: Expected `int`, got `object`"),
        ("[title][$of_length][high]=4", "$of_length: Object missing required field `low`"),
        (
            "[title][$of_length][low]=x",
            "$of_length: Expected `int`, got `str` - at `$.low`",
        ),
        ("[title][$has_number]=1", "$has_number cannot stand at title"),
        ("[$longer_than]=1", "The operator $longer_than must stand below an attribute"),
    ],
)
async def test_an_operand_that_does_not_fit_is_refused(
    office: Office, query: str, message: str
) -> None:
    refused = await office.ask("GET", f"/api/papers?filters{query}")
    assert (refused.status, refused.error) == (400, message)


async def test_values_are_bound_whatever_they_are(office: Office) -> None:
    query = "filters[title][$lower_in]=sea') OR 1=1 --".replace(" ", "%20")
    assert (await office.ask("GET", f"/api/papers?status=draft&{query}")).data == []


async def test_operators_are_described(office: Office) -> None:
    described = (await office.ask("GET", "/content-manager/init", token=office.boss)).data
    by_name = {one["name"]: one for one in described["operators"]}
    assert by_name["$of_length"] == {
        "name": "$of_length",
        "on": ["string"],
        "fields": [
            {"name": "low", "type": "integer", "list": False, "required": True},
            {"name": "high", "type": "integer", "list": False, "required": False},
        ],
    }
    api = (await office.ask("GET", "/api/openapi.json")).json
    operators = api["components"]["schemas"]["StringTextOperators"]["properties"]
    assert operators["$longer_than"] == {"type": "integer"}
    assert operators["$of_length"]["required"] == ["low"]
    assert operators["$lower_in"]["type"] == "array"


async def test_documents_are_found_in_code(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        await make_papers(office)
        assert module().fired[-1] == ["Tides"]


TWICE = """
@operator("$a_b", on=["text"], operand=int)
@operator("$a_b", on=["string"], operand=int)
def f(c, o): return c > o.value
"""


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('@operator("$near", on=["string"], operand=int)\ndef f(c, o): ...', "have an underscore"),
        ('@operator("$a_b", on=[], operand=int)\ndef f(c, o): ...', "on must be a list of"),
        (
            '@operator("$a_b", on=["strng"], operand=int)\ndef f(c, o): return c',
            'unknown attribute type "strng" in on; did you mean "string"?',
        ),
        (
            '@operator("$a_b", on=["password"], operand=int)\ndef f(c, o): return c',
            'unknown attribute type "password"',
        ),
        ('@operator("$a_b", on=["string"], operand=dict)\ndef f(c, o): ...', "it must be a str"),
        ('@operator("$a_b", on=["string"], operand=int)\ndef f(c): ...', "must take two arguments"),
        (
            '@operator("$a_b", on=["string"], operand=int)\nasync def f(c, o): ...',
            "must be a plain function",
        ),
        (
            '@operator("$a_b", on=["string"], operand=int)\ndef f(c, o): return c > o.low',
            "the operand has no field 'low'",
        ),
        (
            '@operator("$a_b", on=["string"], operand=int)\ndef f(c, o): return True',
            "must return a SQLAlchemy condition",
        ),
        (
            TWICE,
            "$a_b is defined at",
        ),
    ],
)
def test_a_mistake_is_reported_with_file_and_line(tmp_path: Path, code: str, message: str) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, f"{code}\n")
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    (problem,) = caught.value.problems
    assert problem.file == FILE
    assert problem.line >= IMPORTS.count("\n") + 1
    assert message in problem.message


JSON_TESTS = """
import pytest

@pytest.mark.parametrize(("value", "number", "text"), [
    ({"deep": {"lat": 54.5}, "name": "Sylt"}, 1, 1),
    ({"deep": {"lat": "54.5"}, "name": 7}, 0, 0),
    ({"deep": [1], "name": {"a": 1}}, 0, 0),
    ([1, 2], 0, 0),
    ('"just text"', 0, 0),
])
async def test_members_of_json(project, value, number, text):
    token = await project.token()
    made = await token.post("/api/places", json={"data": {"position": value}})
    assert made.status_code == 201, made.text
    for query, expected in (("[$has_number]=54.5", number), ("[$has_text]=Sylt", text)):
        found = await token.get(f"/api/places?filters[position]{query}")
        assert len(found.json()["data"]) == expected, found.text
"""


def test_members_of_json_columns_are_compared(kind: Kind, tmp_path: Path) -> None:
    url = "sqlite" if kind is SQLITE else url_of("postgres")
    write_tree(tmp_path, type_file("place", {"position": {"type": "json"}}))
    folder = make_project(tmp_path, CODE, JSON_TESTS)
    assert run_pytest(folder, f"--quire-database={url}") == {"passed": 5}
