"""`quire import` calls the hooks of the project for what it stores."""

import asyncio
import io
import json
import tarfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import pytest_asyncio

from quire.database.settings_target import target_of
from quire.settings import load_settings
from tests.databases.kind import Kind, opened
from tests.extending.project import module, run_command, write_code
from tests.unit.admin_api.office import BOSS, office_project, run_office
from tests.unit.admin_api.test_second_factor import code as current_code
from tests.unit.admin_api.test_second_factor import with_factor
from tests.unit.kiosk import SCHEMA
from tests.unit.schema.trees import write_tree


class Archive(NamedTuple):
    """An archive of the kiosk, and what its source has in its tables."""

    path: Path
    ids: dict[str, str]
    rows: dict[str, list[Any]]


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def archive(tmp_path_factory: pytest.TempPathFactory, kind: Kind) -> AsyncIterator[Archive]:
    """The export of a kiosk: a published paper, a draft, and a modified one in two locales."""
    folder = tmp_path_factory.mktemp("source")
    async with office_project(folder / "office", kind) as project:
        async with run_office(project) as office:

            async def sent(method: str, target: str, data: object) -> str:
                reply = await office.ask(method, f"/api/{target}", {"data": data})
                assert reply.status in {200, 201}, reply.json
                return str(reply.data["documentId"])

            ada = await sent("POST", "writers", {"name": "Ada"})
            bob = await sent("POST", "writers", {"name": "Bob"})
            lines = [{"text": "high"}, {"text": "low"}]
            tides = {"title": "Tides", "writer": ada, "price": 12.5}
            secret = {"lines": lines, "lock": "a secret"}
            ids = {
                "Ada": ada,
                "Bob": bob,
                "Tides": await sent("POST", "papers", {**tides, **secret}),
                "Winds": await sent("POST", "papers?status=draft", {"title": "Winds"}),
                "Rains": await sent("POST", "papers", {"title": "Rains", "writer": ada}),
            }
            rains = f"papers/{ids['Rains']}"
            await sent("PUT", f"{rains}?locale=fr", {"title": "Pluies"})
            await sent("PUT", f"{rains}?status=draft", {"title": "Showers", "writer": bob})
        path = folder / "content.tar"
        assert (await run_command("export", path, project)).code == 0
        yield Archive(path, ids, rows_of(kind, project))


@pytest.fixture
def site(tmp_path: Path, kind: Kind) -> Iterator[Path]:
    """A kiosk without tables."""
    project = tmp_path / "site"
    write_tree(project, *SCHEMA)
    kind.settle(project)
    yield project
    kind.release(project)


TABLES = ("paper_rows", "writer_rows", "components_part_line")
LINK_TABLES = ("paper_rows_writer_lnk", "paper_rows_cmps")


def rows_of(kind: Kind, project: Path) -> dict[str, list[Any]]:
    """Return the rows of tables, without the ids of links."""
    with opened(kind, project) as database:
        return {
            table: sorted(
                (
                    row[table in LINK_TABLES :]
                    for row in database.execute(f'SELECT * FROM "{table}"')
                ),
                key=repr,
            )
            for table in (*TABLES, *LINK_TABLES)
        }


def values(kind: Kind, project: Path, names: str) -> list[Any]:
    """Return columns of all versions of papers."""
    sql = f"SELECT {names} FROM paper_rows ORDER BY title, published_at IS NULL"
    with opened(kind, project) as database:
        return list(database.execute(sql))


HOOK = """
@before_write("api::*", on=["create", "update", "publish"])
async def before(write):
    assert principal().kind == "system"
    fired.append((write.action, write.data.get("title") or write.data.get("name")))
"""
AROUND = """
@around("api::*", on=["create", "update", "publish"])
async def wrap(call, proceed):
    assert principal().kind == "system"
    return await proceed(call)
"""


@pytest.mark.parametrize("code", [HOOK, HOOK + AROUND])
async def test_hooks_that_change_nothing_leave_every_row_as_it_was(
    kind: Kind, archive: Archive, site: Path, code: str
) -> None:
    write_code(site, code)

    outcome = await run_command("import", archive.path, site)

    assert outcome.code == 0, outcome.messages
    assert sorted(module().fired, key=str) == sorted(
        [
            *(("create", title) for title in ("Tides", "Winds", "Rains", "Pluies", "Ada", "Bob")),
            *[("publish", None)] * 3,
            ("update", "Showers"),
        ],
        key=str,
    )
    assert rows_of(kind, site) == archive.rows
    with opened(kind, site) as database:
        audit = database.execute('SELECT action, actor, details FROM "quire_audit"')
    ((action, actor, details),) = audit
    assert (action, actor) == ("import", "system")
    assert json.loads(details)["entries"] > 0


def with_second_published_row(archive: Path, title: str, path: Path) -> None:
    """Write an archive that has the published row of a document twice, as some databases do."""
    with tarfile.open(archive) as source, tarfile.open(path, "w") as target:
        for member in source:
            file = source.extractfile(member)
            content = b"" if file is None else file.read()
            if member.name.startswith("entities/"):
                lines = [json.loads(line) for line in content.splitlines()]
                lines += [
                    {**line, "id": 900}
                    for line in lines
                    if line["data"].get("title") == title and line["data"]["publishedAt"]
                ]
                content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
                member.size = len(content)
            target.addfile(member, io.BytesIO(content))


async def test_a_document_with_two_published_rows_is_imported_with_its_draft(
    kind: Kind, archive: Archive, site: Path, tmp_path: Path
) -> None:
    path = tmp_path / "twice.tar"
    with_second_published_row(archive.path, "Rains", path)
    write_code(
        site,
        """
        @before_write(PAPER, on=["create", "update"])
        def before(write):
            fired.append(write.action)
        """,
    )

    code, messages = await run_command("import", path, site)

    assert code == 0, messages
    rows = values(kind, site, "title, published_at IS NULL")
    assert [title for title, is_draft in rows if not is_draft].count("Rains") == 2
    assert [title for title, is_draft in rows if is_draft].count("Showers") == 1


async def test_values_of_hooks_are_stored_in_both_versions(
    kind: Kind, archive: Archive, site: Path
) -> None:
    write_code(
        site,
        """
        @before_write(PAPER, on=["create", "update"], needs=["price"])
        def price_of_title(write):
            assert "lock" not in write.data, "a password hash is not a password"
            write.set(price=len(write.data["title"]))
        """,
    )

    code, messages = await run_command("import", archive.path, site)

    assert code == 0, messages
    found = values(kind, site, "title, price, document_id, published_at IS NOT NULL")
    assert [(title, float(price), live) for title, price, _, live in found] == [
        ("Pluies", 6, 1),
        ("Pluies", 6, 0),
        ("Rains", 5, 1),
        ("Showers", 7, 0),
        ("Tides", 5, 1),
        ("Tides", 5, 0),
        ("Winds", 5, 0),
    ]
    assert {document_id for _, _, document_id, _ in found} <= set(archive.ids.values())
    secret, times = "lock, id", "created_at, updated_at, published_at"
    with opened(kind, site) as database:
        kept = database.execute(f"SELECT {secret}, {times} FROM paper_rows ORDER BY id")
    assert [row[1] for row in kept] == [row[0] for row in sorted(archive.rows["paper_rows"])]
    assert sum(row[0] is not None for row in kept) == 2


async def test_hooks_see_relations_to_entries_that_come_later_and_may_change_them(
    kind: Kind, archive: Archive, site: Path
) -> None:
    write_code(
        site,
        """
        @before_write(PAPER, on=["create", "update"])
        def note_data(write):
            fired.append((write.action, write.data["title"], write.data.get("writer")))
            if write.data["title"] == "Tides":
                write.set(writer={"set": []}, lines=[*write.data["lines"], {"text": "new"}])

        @after_write(PAPER, on=["create", "publish", "update"], needs=["title", "writer", "lines"])
        def note_entry(write):
            writer = write.after["writer"]
            lines = [line["text"] for line in write.after["lines"]]
            fired.append((write.action, write.after["title"], writer and writer["name"], lines))
        """,
    )

    code, messages = await run_command("import", archive.path, site)

    assert code == 0, messages
    ids = archive.ids
    assert sorted(module().fired, key=repr) == sorted(
        [
            ("create", "Tides", ids["Ada"]),
            ("create", "Tides", None, ["high", "low", "new"]),
            ("publish", "Tides", None, ["high", "low", "new"]),
            ("create", "Winds", None),
            ("create", "Winds", None, []),
            ("create", "Rains", ids["Ada"]),
            ("create", "Rains", "Ada", []),
            ("publish", "Rains", "Ada", []),
            ("update", "Showers", ids["Bob"]),
            ("update", "Showers", "Bob", []),
            ("create", "Pluies", None),
            ("create", "Pluies", None, []),
            ("publish", "Pluies", None, []),
        ],
        key=repr,
    )
    async with run_office(site) as office:
        for status in ("draft", "published"):
            query = f"status={status}&populate=*&sort=title&filters[title]=Tides"
            (tides,) = (await office.ask("GET", f"/api/papers?{query}")).data
            assert (tides["writer"], [line["text"] for line in tides["lines"]]) == (
                None,
                ["high", "low", "new"],
            )
    assert (await run_command("check", site)).code == 0


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            """
            @before_write(PAPER, on=["create"])
            def refuse(write):
                if write.data["title"] == "Rains":
                    raise ValidationError("is too wet", path=["lines", 0])
            """,
            "Rains} (en) cannot be imported: lines.0: is too wet; raised by refuse (src/api/paper",
        ),
        (
            """
            @before_write(PAPER, on=["create"])
            def lengthen(write):
                write.set(title="x" * 41)
            """,
            "(en) cannot be imported: title: title must be at most 40 characters",
        ),
        (
            """
            @after_write(PAPER, on=["publish"], batch=True)
            async def fail(writes):
                raise RuntimeError(f"{len(writes)} papers")
            """,
            "RuntimeError: 3 papers; raised by fail (src/api/paper/paper.py:",
        ),
        (
            """
            @after_write(PAPER, on=["update"], needs=["title"])
            async def refuse_update(write):
                raise Conflict(write.after["title"])
            """,
            "Rains} (en) cannot be imported: Showers; raised by refuse_update",
        ),
        (
            """
            @prepare(PAPER, on=["create"])
            async def ask(write):
                with as_system("look"):
                    await documents(PAPER).find()
            """,
            "cannot use documents in an import",
        ),
        (
            """
            @around(PAPER, on=["publish"])
            async def wrap(call, proceed):
                (paper,) = await (await proceed(call)).documents()
                raise Conflict(f"{paper.title} is published")
            """,
            "(en) cannot be imported: Tides is published; raised by wrap (src/api/paper/paper.py:",
        ),
        (
            """
            @around(PAPER, on=["create"])
            async def wrap(call, proceed):
                return await proceed(call)

            @before_write(PAPER, on=["create"])
            def refuse(write):
                raise Conflict(write.data["title"])
            """,
            "(en) cannot be imported: Tides; raised by refuse (src/api/paper/paper.py:",
        ),
        (
            """
            @around(PAPER, on=["update"])
            async def wrap(call, proceed):
                raise RuntimeError(call.data["title"])
            """,
            "cannot be imported: RuntimeError: Showers; raised by wrap (src/api/paper/paper.py:",
        ),
    ],
)
async def test_an_entry_that_is_refused_is_named_and_nothing_is_stored(
    archive: Archive, site: Path, code: str, message: str
) -> None:
    write_code(site, code)

    outcome = await run_command("import", archive.path, site)

    assert outcome.code == 2
    assert message.replace("Rains}", archive.ids["Rains"]) in outcome.messages
    settings = load_settings(site, environ={})
    assert not await target_of(settings).has_tables()


async def test_batches_are_called_once_and_see_what_earlier_functions_have_prepared(
    kind: Kind, archive: Archive, site: Path
) -> None:
    write_code(
        site,
        """
        @prepare(PAPER, on=["create", "update"], needs=["title", "price"])
        async def translate(write):
            await asyncio.sleep(0)
            if write.action == "update":
                assert (write.before["title"], write.before["price"]) == ("Rains", None)
            write.set(margin=write.action)

        @before_write(PAPER, on=["create", "publish", "update"], batch=True, needs=["margin"])
        async def before(writes):
            fired.append(("before", writes[0].action, len(writes)))
            for write in writes:
                before = write.before and write.before["margin"]
                assert (write.data.get("margin"), before) == {
                    "create": ("create", None),
                    "publish": (None, "create"),
                    "update": ("update", "create"),
                }[write.action]

        @after_write(PAPER, on=["create", "publish", "update"], batch=True)
        async def after(writes):
            fired.append(("after", writes[0].action, len(writes)))
            with as_system("count"):
                assert await documents(PAPER).count(status="draft", locale="*") == {
                    "create": 4, "publish": 4, "update": 4,
                }[writes[0].action]
        """,
    )

    code, messages = await run_command("import", archive.path, site)

    assert code == 0, messages
    assert module().fired == [
        ("before", "create", 4),
        ("after", "create", 4),
        ("before", "publish", 3),
        ("after", "publish", 3),
        ("before", "update", 1),
        ("after", "update", 1),
    ]
    found = values(kind, site, "title, margin")
    assert found.count(("Showers", "update")) == 1
    assert {margin for title, margin in found if title != "Showers"} == {"create"}


async def test_functions_around_actions_wrap_each_entry_and_may_try_again(
    kind: Kind, archive: Archive, site: Path
) -> None:
    write_code(
        site,
        """
        ACTIONS = ["create", "publish", "update"]

        @around(PAPER, on=ACTIONS)
        async def wrap(call, proceed):
            key = (call.document_id, call.locale)
            fired.append((*key, f"around {call.action}"))
            if call.action == "publish":
                result = await proceed(call)
            else:
                title = call.data["title"]
                try:
                    result = await proceed(call.with_data(title="x" * 41, lines=[{"text": "new"}]))
                except ValidationError:
                    result = await proceed(call.with_data(title=f"{title}!"))
            (paper,) = await result.documents()
            fired.append((*key, paper.title))
            return result

        @before_write(PAPER, on=ACTIONS, batch=True)
        def before(writes):
            for write in writes:
                fired.append((write.document_id, write.locale, f"before {write.action}"))

        @after_write(PAPER, on=ACTIONS, needs=["writer"], batch=True)
        def after(writes):
            for write in writes:
                writer = write.after["writer"] and write.after["writer"]["name"]
                fired.append((write.document_id, write.locale, f"after {write.action} {writer}"))
        """,
    )

    code, messages = await run_command("import", archive.path, site)

    assert code == 0, messages
    first = ["around create", "before create", "before create", "Rains!", "after create Ada"]
    published = ["around publish", "before publish", "after publish Ada", "Rains!"]
    updated = ["around update", "before update", "after update Bob", "Showers!"]
    rains = (archive.ids["Rains"], "en")
    assert [what for *key, what in module().fired if tuple(key) == rains] == [
        *first,
        *published,
        *updated[:2],
        *updated[1:],
    ]
    found = values(kind, site, "title, published_at IS NOT NULL")
    assert [(title, bool(live)) for title, live in found] == [
        ("Pluies!", True),
        ("Pluies!", False),
        ("Rains!", True),
        ("Showers!", False),
        ("Tides!", True),
        ("Tides!", False),
        ("Winds!", False),
    ]
    rows = rows_of(kind, site)
    for table in TABLES[1:] + LINK_TABLES:
        assert rows[table] == archive.rows[table], table
    assert (await run_command("check", site)).code == 0


async def test_writes_of_hooks_are_part_of_the_import(
    kind: Kind, archive: Archive, site: Path
) -> None:
    write_code(
        site,
        """
        @after_write(PAPER, on=["create"], needs=["title"])
        async def number(write):
            with as_system("number the papers"):
                await documents(PAPER).update(
                    write.document_id, {"price": 7}, locale=write.locale
                )
                await documents(WRITER).create({"name": f"of {write.after['title']}"})
        """,
    )

    code, messages = await run_command("import", archive.path, site)

    assert code == 0, messages
    found = values(kind, site, "title, price, published_at IS NOT NULL")
    assert [(title, float(price), bool(live)) for title, price, live in found] == [
        ("Pluies", 7, True),
        ("Pluies", 7, False),
        ("Rains", 7, True),
        ("Showers", 7, False),
        ("Tides", 7, True),
        ("Tides", 7, False),
        ("Winds", 7, False),
    ]
    with opened(kind, site) as database:
        names = {name for (name,) in database.execute("SELECT name FROM writer_rows")}
    assert names == {"Ada", "Bob", "of Tides", "of Winds", "of Rains", "of Pluies"}
    assert (await run_command("check", site)).code == 0


async def test_changes_are_delivered_by_the_next_server(
    kind: Kind, archive: Archive, site: Path
) -> None:
    write_code(
        site,
        """
        all_delivered = asyncio.Event()

        class Title(Shape):
            title: str

        @after_commit(PAPER, on=["create", "publish", "update"], shape=Title, status="draft")
        async def index(changes):
            fired.extend((change.action, change.document.title) for change in changes)
            if len(fired) == 8:
                all_delivered.set()
        """,
    )

    code, messages = await run_command("import", archive.path, site)

    assert code == 0, messages
    with opened(kind, site) as database:
        stored = database.execute('SELECT action, count(*) FROM "quire_outbox" GROUP BY action')
    assert sorted(stored) == [("create", 4), ("publish", 3), ("update", 1)]
    async with run_office(site):
        async with asyncio.timeout(20):
            await module().all_delivered.wait()
    assert ("update", "Showers") in module().fired


async def test_values_of_own_attribute_types_are_shown_and_checked(
    archive: Archive, site: Path
) -> None:
    (file,) = (site / "src/api/paper").rglob("schema.json")
    schema = json.loads(file.read_text())
    schema["attributes"]["price"]["pluginOptions"] = {"quire": {"type": "money"}}
    file.write_text(json.dumps(schema))
    write_code(
        site,
        """
        from decimal import Decimal

        @attribute_type("money")
        class Money(AttributeType[Decimal, AttributeOptions]):
            stores = "decimal"

            def parse(self, value, options):
                if Decimal(value) > 100:
                    raise ValidationError("is too much")
                return Decimal(value)

            def serialize(self, value, options) -> str:
                return f"{value:.2f}"

        @before_write(PAPER, on=["create"])
        def raise_price(write):
            fired.append(write.data.get("price"))
            write.set(price="100.00" if write.data["title"] == "Tides" else "200.00")
        """,
    )

    code, messages = await run_command("import", archive.path, site)

    assert (code, module().fired) == (2, ["12.50", None])
    assert "(en) cannot be imported: price: price is too much." in messages


async def test_second_factors_of_administrators_stay(tmp_path: Path, kind: Kind) -> None:
    archive = tmp_path / "content.tar"
    async with office_project(tmp_path / "office", kind) as project:
        async with run_office(project) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            secret, _ = await with_factor(office)
        assert (await run_command("export", archive, project)).code == 0
        assert (await run_command("import", archive, project, "--replace")).code == 0
        async with run_office(project) as office:
            office.clock.pass_by(minutes=5)
            without = await office.sign_in(BOSS["email"])
            signed_in = await office.sign_in(BOSS["email"], code=current_code(office, secret))

    assert (without.status, signed_in.status) == (401, 200)
    with tarfile.open(archive) as content:
        configuration = content.extractfile("configuration/configuration_00001.jsonl")
        assert configuration is not None
        assert b"second_factor" not in configuration.read()
