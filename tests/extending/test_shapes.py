"""Reads by shapes: loaded fields, types of values, errors."""

from pathlib import Path

from tests.databases.kind import Kind
from tests.extending.project import module, open_extended

CODE = """
from datetime import datetime

class WriterName(Shape[Document]):
    name: str

class Line(Shape[Document]):
    text: str

class PaperCard(Shape[Document]):
    documentId: str
    title: str
    price: float | None = None
    printed: datetime | None = None
    writer: WriterName | None = None
    lines: list[Line] = []

class Margin(Shape[Document]):
    margin: str | None = None

class Typo(Shape[Document]):
    titel: str

class Wrong(Shape[Document]):
    title: int

@route.get("/papers/cards", public=True)
async def cards() -> Page[PaperCard]:
    found = await documents(PAPER).find(PaperCard, sort="title", status="draft", page_size=2)
    assert isinstance(found[0], PaperCard)
    return found

@route.get("/papers/card/:id", public=True)
async def card(id: str) -> PaperCard | None:
    return await documents(PAPER).find_one(id, PaperCard, status="draft")

@route.get("/papers/margins", public=True)
async def margins() -> list[Margin]:
    with as_system("show margins"):
        return await documents(PAPER).find(Margin, status="draft")

@route.get("/papers/streamed", public=True)
async def streamed() -> list[list[PaperCard]]:
    papers = documents(PAPER)
    with as_system("stream"):
        return [list(some) async for some in papers.stream(PaperCard, status="draft", batch=1)]

@route.get("/papers/mistakes", public=True)
async def mistakes() -> list[str]:
    found = []
    for shape, more in ((Typo, {}), (Wrong, {}), (PaperCard, {"fields": ["title"]})):
        try:
            await documents(PAPER).find(shape, status="draft", **more)
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")
    return found
"""


async def test_a_shape_says_what_is_read_and_what_is_shown(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        writer = (await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})).data
        lines = [{"text": "low water", "hint": "x"}]
        paper = {"title": "A", "price": 2.5, "writer": writer["documentId"], "lines": lines}
        made = (await office.ask("POST", "/api/papers?status=draft", {"data": paper})).data
        await office.ask("POST", "/api/papers?status=draft", {"data": {"title": "B"}})

        cards = await office.ask("GET", "/api/papers/cards")
        card = await office.ask("GET", f"/api/papers/card/{made['documentId']}")
        margins = await office.ask("GET", "/api/papers/margins")
        streamed = await office.ask("GET", "/api/papers/streamed")
        mistakes = await office.ask("GET", "/api/papers/mistakes")
        document = (await office.ask("GET", "/api/openapi.json")).json

    first, second = cards.data
    assert first == {
        "documentId": made["documentId"],
        "title": "A",
        "price": 2.5,
        "printed": None,
        "writer": {"name": "Ada"},
        "lines": [{"text": "low water"}],
    }
    assert (second["writer"], second["lines"]) == (None, [])
    assert cards.json["meta"] == {"pagination": {"page": 1, "pageSize": 2}}
    assert (card.data, card.json["meta"]) == (first, {})
    assert streamed.data == [[first], [second]]
    assert margins.json == {
        "data": [{"margin": None}] * 2,
        "meta": {"pagination": {"page": 1, "pageSize": 25}},
    }
    assert mistakes.json == [
        'UnknownFieldError: api::paper.paper has no field "titel"; did you mean "title"?',
        "TypeError: Wrong does not fit what is stored: Expected `int`, got `str` - at `$.title`",
        "ValueError: a shape says which fields are read: leave out fields and populate",
    ]
    data = document["paths"]["/papers/cards"]["get"]["responses"]["200"]["content"]
    shown = data["application/json"]["schema"]["properties"]["data"]
    assert shown["items"] == {"$ref": "#/components/schemas/PaperCard"}
    assert "writer" in document["components"]["schemas"]["PaperCard"]["properties"]
    assert module().PaperCard(documentId="x", title="y").lines == []
