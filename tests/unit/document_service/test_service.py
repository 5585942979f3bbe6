"""The document service: one transaction per call, events after the commit."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from quire.database.entries.entry_tables import open_store
from quire.database.interface import Database
from quire.database.program import Program, Statement
from quire.database.tables.table_map import map_tables
from quire.document_service.actions.create import create
from quire.document_service.commands import (
    CreateDocument,
    DeleteDocument,
    DiscardDraft,
    PublishDocument,
    UnpublishDocument,
    UpdateDocument,
)
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork, WriteEngine
from quire.errors import (
    DatabaseBusyError,
    NotFoundError,
    ServiceUnavailableError,
    ValidationError,
)
from quire.ids import new_document_id
from quire.webhooks.events import Event
from tests.databases.kind import Kind, Rows
from tests.databases.tables import lay_tables, open_database
from tests.unit.document_service.press import STORY, TOPIC, press_schema
from tests.unit.events import EventRecorder

START_MS = 1_000_000
ROUNDS = 10


class House:
    """A service on a database, and a listener that writes down what it is told.

    ``rows`` is another look at the same database.
    """

    def __init__(self, database: Database, rows: Rows) -> None:
        tables = map_tables(press_schema())
        self.rows = rows
        self.database = database
        self.events: list[Event] = []
        self.seen: list[int] = []
        """How many stories others saw when events of a transaction were to be sent."""
        self.hashed: list[tuple[str, int]] = []
        self.outbox = EventRecorder()
        self.outbox.added = self._listen
        engine = WriteEngine(
            store=open_store(press_schema(), tables, self.database.dialect),
            new_id=new_document_id,
            default_locale="en",
        )
        self.documents = DocumentService(
            self.database,
            engine,
            clock=lambda: START_MS,
            hash_password=self._hash,
            outbox=self.outbox,
        )

    def _listen(self) -> None:
        self.events += self.outbox.events()
        self.seen.append(len(self.stories()))

    def _hash(self, text: str, rounds: int) -> str:
        self.hashed.append((text, rounds))
        return f"hash of {text}"

    def stories(self) -> list[tuple[object, ...]]:
        return self.rows.execute("SELECT name, pin FROM storys ORDER BY id")

    def names(self) -> list[str]:
        return [event.name.value for event in self.events]


@pytest.fixture(scope="module")
async def empty(kind: Kind, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Path]:
    """A project with the tables and no rows, of which copies are made."""
    project = await lay_tables(kind, tmp_path_factory.mktemp("press"), press_schema())
    yield project
    kind.release(project)


@pytest.fixture
async def house(kind: Kind, empty: Path, tmp_path: Path) -> AsyncIterator[House]:
    project = kind.copy(empty, tmp_path / "house")
    rows = kind.open(project)
    house = House(await open_database(project), rows)
    yield house
    await house.database.close()
    rows.close()
    kind.release(project)


def story(name: str | None = "Alps", *, publish: bool = False, **data: object) -> CreateDocument:
    return CreateDocument(uid=STORY, data={"name": name, **data}, publish=publish)


async def test_what_happened_is_reported_in_its_order_and_by_its_name(house: House) -> None:
    [[made]] = await house.documents.perform([story(publish=True)])
    document = made.document_id
    await house.documents.perform(
        [UpdateDocument(uid=STORY, document_id=document, data={"name": "Andes"})]
    )
    await house.documents.perform([DiscardDraft(uid=STORY, document_id=document)])
    await house.documents.perform([PublishDocument(uid=STORY, document_id=document)])
    await house.documents.perform([UnpublishDocument(uid=STORY, document_id=document)])
    await house.documents.perform([DeleteDocument(uid=STORY, document_id=document)])
    assert house.names() == [
        "entry.create",
        "entry.publish",
        "entry.update",
        "entry.draft-discard",
        "entry.publish",
        "entry.unpublish",
        "entry.delete",
    ]


async def test_an_event_says_what_it_happened_to(house: House) -> None:
    [[made]] = await house.documents.perform([story()])
    document = made.document_id
    data = {"name": "Andes", "rating": 3}
    [[written]] = await house.documents.perform(
        [UpdateDocument(uid=STORY, document_id=document, data=data)]
    )
    event = house.events[-1]
    assert (event.uid, event.document_id, event.locale) == (STORY, document, "en")
    assert (event.entry_id, event.published) == (written.entry_id, False)
    assert (event.fields, event.at, event.origin) == (("name", "rating"), START_MS, "api")


async def test_nothing_is_told_before_it_is_durable(house: House) -> None:
    await house.documents.perform([story("Alps"), story("Andes")])
    assert house.seen == [2]


async def test_what_is_rolled_back_is_not_told(house: House) -> None:
    with pytest.raises(ValidationError):
        await house.documents.perform([story(name=None, publish=True)])
    assert house.events == []
    assert house.stories() == []


async def test_several_things_are_done_one_after_the_other(house: House) -> None:
    topic = CreateDocument(uid=TOPIC, data={"name": "Snow"}, document_id=new_document_id())
    first, second = await house.documents.perform([topic, story(topics=[topic.document_id])])
    assert (first[0].uid, second[0].uid) == (TOPIC, STORY)
    links = house.rows.execute("SELECT count(*) FROM storys_topics_lnk")
    assert links == [(1,)]


async def test_several_things_are_done_all_or_none(house: House) -> None:
    with pytest.raises(NotFoundError):
        await house.documents.perform(
            [story(), UpdateDocument(uid=STORY, document_id="nobody", data={"name": "Andes"})]
        )
    assert house.stories() == []
    assert house.events == []


async def test_passwords_are_hashed_before_the_transaction_once_each(house: House) -> None:
    await house.documents.perform([story(pin="a", publish=True), story(pin="a"), story(pin="b")])
    assert sorted(house.hashed) == [("a", ROUNDS), ("b", ROUNDS)]
    hashes = [pin for _, pin in house.stories()]
    assert hashes == ["hash of a", "hash of a", "hash of a", "hash of b"]


async def test_what_a_program_writes_is_one_transaction(house: House) -> None:
    def act(unit: UnitOfWork) -> Program[None]:
        del unit
        yield Statement("INSERT INTO storys (name) VALUES ('Alps')")
        raise NotFoundError

    with pytest.raises(NotFoundError):
        await house.documents.run(act)
    assert house.stories() == []


async def test_a_busy_database_is_asked_again_and_then_no_more(house: House) -> None:
    tries = []

    def act(unit: UnitOfWork) -> Program[None]:
        tries.append(unit)
        yield Statement("SELECT 1")
        raise ServiceUnavailableError

    with pytest.raises(ServiceUnavailableError):
        await house.documents.run(act)
    assert len(tries) == 2
    assert house.events == []


async def test_a_write_that_has_waited_in_vain_is_not_begun_again(house: House) -> None:
    tries = []

    def act(unit: UnitOfWork) -> Program[None]:
        tries.append(unit)
        yield Statement("SELECT 1")
        raise DatabaseBusyError

    with pytest.raises(DatabaseBusyError):
        await house.documents.run(act)
    assert len(tries) == 1


async def test_what_succeeds_at_the_second_try_is_told_once(house: House) -> None:
    tries = []

    def act(unit: UnitOfWork) -> Program[None]:
        tries.append(unit)
        yield from create(unit, story())
        if len(tries) == 1:
            raise ServiceUnavailableError

    await house.documents.run(act)
    assert house.names() == ["entry.create"]
    assert len(house.stories()) == 1
