"""Server code reads with the API's query language, within a transaction or not."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import pytest

from quire.access.ability import Granted
from quire.database.execute.prepared_read import EntryJson, ResultPage
from quire.database.program import Program
from quire.document_service.actions.create import create
from quire.document_service.commands import CreateDocument, UpdateDocument
from quire.document_service.read_planner import DocumentQuery
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import AppError, InvalidKeyError
from quire.query.python_parameters import as_query
from quire.query.querystring import QueryValue
from tests.unit.kiosk import MASTHEAD, PAPER, WRITER, JsonObject, Kiosk, open_kiosk

PRINTED = datetime(2024, 5, 1, 6, 30, tzinfo=UTC)


@pytest.fixture
async def kiosk(tmp_path: Path) -> AsyncIterator[Kiosk]:
    """Three papers, of which one is a draft and one has a French version, by one writer."""
    async with open_kiosk(tmp_path) as kiosk:
        [[writer]] = await kiosk.documents.perform(
            [CreateDocument(uid=WRITER, data={"name": "Ada"})]
        )
        for title, price in (("Tide", 1.5), ("Ebb", 2)):
            data: JsonObject = {
                "title": title,
                "price": price,
                "printed": "2024-05-01T06:30:00.000Z",
                "sold": price > 1.9,
                "margin": "a note",
                "writer": writer.document_id,
            }
            [[made]] = await kiosk.documents.perform(
                [CreateDocument(uid=PAPER, data=data, publish=True)]
            )
        french = UpdateDocument(
            uid=PAPER,
            document_id=made.document_id,
            data={"title": "Reflux"},
            locale="fr",
            publish=True,
        )
        await kiosk.documents.perform([french])
        await kiosk.documents.perform([CreateDocument(uid=PAPER, data={"title": "Slack"})])
        yield kiosk


async def titles(kiosk: Kiosk, **asked: object) -> list[str]:
    page = await kiosk.documents.find(DocumentQuery(uid=PAPER, **asked))  # type: ignore[arg-type]
    return [document["title"] for document in page.documents]


async def test_documents_are_those_of_the_content_api(kiosk: Kiosk) -> None:
    page = await kiosk.documents.find(
        DocumentQuery(uid=PAPER, sort="title", populate=["writer", "lines"])
    )

    response = await kiosk.send("GET", "papers?sort=title&populate=writer,lines")
    assert {"data": page.documents, "meta": {"pagination": page.pagination}} == response.json
    assert [document["title"] for document in page.documents] == ["Ebb", "Tide"]


async def test_published_entries_of_the_default_locale_are_read_unless_told_otherwise(
    kiosk: Kiosk,
) -> None:
    assert await titles(kiosk, sort="title") == ["Ebb", "Tide"]
    assert await titles(kiosk, sort=["title:desc"], status="draft") == ["Tide", "Slack", "Ebb"]
    assert await titles(kiosk, locale="fr") == ["Reflux"]
    assert await titles(kiosk, locale="*", sort={"title": "asc"}) == ["Ebb", "Reflux", "Tide"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"price": {"$gt": 1.75}}, ["Ebb"]),
        ({"price": Decimal("1.5")}, ["Tide"]),
        ({"sold": False}, ["Tide"]),
        ({"printed": {"$lte": PRINTED}}, ["Ebb", "Tide"]),
        ({"printed": {"$lt": PRINTED}}, []),
        ({"title": {"$in": ("Tide", "Slack")}}, ["Tide"]),
        ({"title": {"$in": []}}, []),
        ({"writer": {"name": {"$eqi": "ADA"}}, "title": {"$ne": "Ebb"}}, ["Tide"]),
        ({"writer": None}, []),
        ({"price": {"$notNull": True}}, ["Ebb", "Tide"]),
        ({"price": {"$null": True}}, []),
        ({"$or": [{"price": 2}, {"title": "Tide"}]}, ["Ebb", "Tide"]),
        ({"price": {"$between": [1, 1.6]}}, ["Tide"]),
    ],
)
async def test_filters_hold_python_values(
    kiosk: Kiosk, filters: JsonObject, expected: list[str]
) -> None:
    assert await titles(kiosk, filters=filters, sort="title") == expected


async def test_pages_are_of_any_size_and_counted_when_asked(kiosk: Kiosk) -> None:
    async def page(**pagination: object) -> ResultPage:
        return await kiosk.documents.find(
            DocumentQuery(uid=PAPER, sort="title", pagination=pagination)
        )

    second = await page(page=2, pageSize=1)
    assert [document["title"] for document in second.documents] == ["Tide"]
    assert second.pagination == {"page": 2, "pageSize": 1, "pageCount": 2, "total": 2}
    assert (await page(limit=100_000)).pagination == {"start": 0, "limit": 100_000, "total": 2}
    assert (await page(withCount=False)).pagination == {"page": 1, "pageSize": 25}


async def test_one_document_is_found_by_its_id(kiosk: Kiosk) -> None:
    [tide] = (
        await kiosk.documents.find(DocumentQuery(uid=PAPER, filters={"title": "Tide"}))
    ).documents
    wanted = DocumentQuery(uid=PAPER, fields=["title"], populate={"writer": {"fields": ["name"]}})

    found = await kiosk.documents.find_one(wanted, tide["documentId"])

    assert found is not None
    assert found == {
        "id": tide["id"],
        "documentId": tide["documentId"],
        "title": "Tide",
        "writer": {
            "id": 1,
            "documentId": found["writer"]["documentId"],
            "name": "Ada",
        },
    }
    assert await kiosk.documents.find_one(wanted, "nowhere") is None


async def test_a_single_type_needs_no_id(kiosk: Kiosk) -> None:
    assert await kiosk.documents.find_one(DocumentQuery(uid=MASTHEAD)) is None

    await kiosk.documents.perform(
        [UpdateDocument(uid=MASTHEAD, document_id=None, data={"motto": "All the tides"})]
    )

    found = await kiosk.documents.find_one(DocumentQuery(uid=MASTHEAD, fields="motto"))
    assert found is not None
    assert found["motto"] == "All the tides"


async def test_within_a_transaction_what_was_written_is_seen(kiosk: Kiosk) -> None:
    dear_papers = DocumentQuery(uid=PAPER, filters={"price": {"$gte": 2}}, sort="price")

    def act(unit: UnitOfWork) -> Program[tuple[ResultPage, EntryJson | None]]:
        command = CreateDocument(uid=PAPER, data={"title": "Extra", "price": 9}, publish=True)
        made = yield from create(unit, command)
        reads = unit.engine.reads
        dear = yield from reads.page(dear_papers).page()
        one = yield from reads.document(DocumentQuery(uid=PAPER), made.document_id).first()
        return dear, one

    dear, one = await kiosk.documents.run(act)

    assert [document["title"] for document in dear.documents] == ["Ebb", "Extra"]
    assert dear.documents[1] == one


async def test_what_is_rolled_back_was_seen_by_nobody_else(kiosk: Kiosk) -> None:
    def act(unit: UnitOfWork) -> Program[None]:
        yield from create(unit, CreateDocument(uid=PAPER, data={"title": "Extra"}, publish=True))
        page = yield from unit.engine.reads.page(DocumentQuery(uid=PAPER)).page()
        assert page.pagination["total"] == 3
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await kiosk.documents.run(act)

    assert (await kiosk.documents.find(DocumentQuery(uid=PAPER))).pagination["total"] == 2


async def test_an_ability_limits_what_is_shown_and_asked(kiosk: Kiosk) -> None:
    readers = Granted(frozenset({f"{PAPER}.find"}))

    page = await kiosk.documents.find(DocumentQuery(uid=PAPER, populate="*", ability=readers))

    assert "writer" not in page.documents[0]
    with pytest.raises(InvalidKeyError):
        await kiosk.documents.find(
            DocumentQuery(uid=PAPER, filters={"writer": {"name": "Ada"}}, ability=readers)
        )


@pytest.mark.parametrize(
    "asked",
    [
        DocumentQuery(uid=PAPER, filters={"titel": "Tide"}),
        DocumentQuery(uid=PAPER, filters={"margin": "a note"}),
        DocumentQuery(uid=PAPER, sort="lock"),
        DocumentQuery(uid=PAPER, pagination={"page": 1, "start": 0}),
    ],
)
async def test_a_query_is_refused_as_on_the_wire(kiosk: Kiosk, asked: DocumentQuery) -> None:
    with pytest.raises(AppError):
        await kiosk.documents.find(asked)


async def test_private_attributes_are_not_shown(kiosk: Kiosk) -> None:
    page = await kiosk.documents.find(DocumentQuery(uid=PAPER))

    assert not {"margin", "lock"} & page.documents[0].keys()


BERLIN = timezone(timedelta(hours=1))
SPELLINGS: list[tuple[object, QueryValue]] = [
    (None, None),
    ("text", "text"),
    (True, "true"),
    (7, "7"),
    (7.0, "7"),
    (0.25, "0.25"),
    (Decimal("1E+3"), "1000"),
    (datetime(2024, 1, 1, 0, 30, 0, 5000, tzinfo=BERLIN), "2023-12-31T23:30:00.005Z"),
    (date(2024, 1, 1), "2024-01-01"),
    (time(6, 30), "06:30:00.000"),
    ([1, (2, True)], ["1", ["2", "true"]]),
    ({"a": {"$in": frozenset({1})}}, {"a": {"$in": ["1"]}}),
]


@pytest.mark.parametrize(("value", "spelt"), SPELLINGS)
def test_a_value_is_said_as_a_query_string_says_it(value: object, spelt: QueryValue) -> None:
    assert as_query(value) == spelt


@pytest.mark.parametrize("value", [b"bytes", object(), {1: "a"}, datetime(2024, 1, 1)])  # noqa: DTZ001
def test_what_a_query_string_cannot_say_is_an_error(value: object) -> None:
    with pytest.raises(TypeError, match="quer"):
        as_query(value)
