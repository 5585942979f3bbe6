"""Computed fields of a project's code in responses of the content API."""

import threading
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from quire.database.execute import json_encoding
from quire.extension_loading import ExtensionError, load_extensions
from tests.databases.kind import Kind
from tests.extending.project import PAPERS, module, open_extended, schema_in, write_code
from tests.extending.test_rules_by_principal import grant_all, user
from tests.unit.admin_api.office import BOSS, Office, office_project, run_office
from tests.unit.admin_api.test_admin_users import clerk
from tests.unit.kiosk import PAPER

CODE = """
@computed(PAPER, needs=["title"])
def shout(paper) -> str:
    fired.append("shout")
    return paper.title.upper()

@computed(PAPER, needs=["margin"], reveals=["margin"], default=False)
def notes(paper) -> int:
    return len(paper.margin or "")

@computed(WRITER, needs=["name"], batch=True)
async def paperCount(writers) -> list[int]:
    fired.append(f"paperCount {len(writers)}")
    found = await documents(WRITER).find(fields=["name"], populate=["papers"])
    counts = {one.documentId: len(one.papers) for one in found}
    return [counts.get(one.documentId, 0) for one in writers]
"""


async def make(office: Office, collection: str, /, **data: object) -> Any:  # noqa: ANN401 - a document
    reply = await office.ask("POST", f"/api/{collection}", {"data": data})
    assert reply.status == 201, reply.json
    return reply.data


async def test_documents_have_computed_fields_wherever_they_are_shown(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        ada = await make(office, "writers", name="Ada")
        assert ada["paperCount"] == 0
        made = await make(office, "papers", title="Sea", margin="abc", writer=ada["documentId"])
        assert made["shout"] == "SEA"
        assert not {"notes", "margin"} & made.keys()
        path = f"/api/papers/{made['documentId']}"
        changed = await office.ask("PUT", path, {"data": {"title": "Sun"}})
        assert changed.data["shout"] == "SUN"
        await make(office, "papers", title="Rain", writer=ada["documentId"])

        one = (await office.ask("GET", f"{path}?populate=writer")).data
        assert (one["shout"], one["writer"]["name"]) == ("SUN", "Ada")
        assert one["writer"]["paperCount"] == 2
        listed = await office.ask("GET", "/api/papers?sort=title&populate=*")
        assert [paper["shout"] for paper in listed.data] == ["RAIN", "SUN"]
        assert [paper["writer"]["paperCount"] for paper in listed.data] == [2, 2]
        assert listed.json["meta"]["pagination"]["total"] == 2
        (writer,) = (await office.ask("GET", "/api/writers?populate=papers")).data
        assert {paper["shout"] for paper in writer["papers"]} == {"RAIN", "SUN"}
        for query in ("populate[papers][fields]=shout", "populate[papers][fields][0]=shout"):
            (writer,) = (await office.ask("GET", f"/api/writers?fields=name&{query}")).data
            assert writer.keys() == {"id", "documentId", "name", "papers"}
            assert writer["papers"][0].keys() == {"id", "documentId", "shout"}


async def test_responses_in_the_v4_format_have_computed_fields(tmp_path: Path, kind: Kind) -> None:
    v4 = {"Strapi-Response-Format": "v4"}
    async with open_extended(tmp_path, kind, CODE) as office:
        ada = await make(office, "writers", name="Ada")
        data = {"title": "Sea", "margin": "abc", "writer": ada["documentId"]}
        query = "fields=notes,shout&populate=writer"
        made = await office.ask("POST", f"/api/papers?{query}", {"data": data}, headers=v4)
        assert made.status == 201
        path = f"/api/papers/{made.data['documentId']}"
        one = await office.ask("GET", f"{path}?{query}", headers=v4)
        listed = await office.ask("GET", f"/api/papers?{query}", headers=v4)
        changed = await office.ask("PUT", f"{path}?{query}", {"data": {}}, headers=v4)
        for entry in (made.data, one.data, *listed.data, changed.data):
            assert entry.keys() == {"id", "documentId", "attributes"}
            attributes = entry["attributes"]
            assert attributes.keys() == {"notes", "shout", "writer"}
            assert (attributes["notes"], attributes["shout"]) == (3, "SEA")
            writer = attributes["writer"]["data"]
            assert writer["documentId"] == ada["documentId"]
            assert (writer["attributes"]["name"], writer["attributes"]["paperCount"]) == ("Ada", 1)
        # The formats are cached separately.
        for headers in ({}, v4):
            again = (await office.ask("GET", f"{path}?fields=shout", headers=headers)).data
            assert (again.get("attributes") or again)["shout"] == "SEA"
        counted = await office.ask(
            "GET",
            "/api/writers?populate[papers][count]=true&populate[papers][fields]=shout",
            headers=v4,
        )
        attributes = counted.data[0]["attributes"]
        assert attributes["papers"] == {"data": {"attributes": {"count": 1}}}


ADMINISTRATORS = (
    CODE
    + """
@computed(PAPER, needs=["price"], batch=True)
async def reader(papers) -> list[str]:
    with as_system("count"):
        assert await documents(PAPER).count() == 2
    return [f"{principal().kind} {paper.price}" for paper in papers]

@computed(PAPER, needs=["title"], batch=True)
async def unpermitted(papers) -> list[int]:
    return [await documents(PAPER).count() for _ in papers]

@computed(PAPER, needs=["title"])
def broken(paper) -> str:
    raise RuntimeError("sesame")
"""
)
GRANT_TITLES: dict[str, object] = {
    "action": "plugin::content-manager.explorer.read",
    "subject": PAPER,
    "properties": {"fields": ["title"], "locales": ["en"]},
    "conditions": [],
}


async def test_administrators_see_what_is_computed_from_fields_that_they_may_read(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, ADMINISTRATORS) as office:
        ada = await make(office, "writers", name="Ada")
        for title in ("Sea", "Sun"):
            data = {"title": title, "price": 3, "margin": "abc", "writer": ada["documentId"]}
            created = await office.ask("POST", "/api/papers?fields=title", {"data": data})
            assert created.status == 201
        entry = f"{PAPERS}/{created.data['documentId']}"
        _, author = await clerk(office, GRANT_TITLES)

        with capture_logs() as logs:
            shown = (await office.ask("GET", entry, token=office.boss)).json
        assert shown["meta"]["computed"] == {"shout": "SUN", "notes": 3, "reader": "admin 3"}
        assert not {"shout", "notes", "reader"} & shown["data"].keys()
        warned = [one["field"] for one in logs if one["log_level"] == "warning"]
        assert warned == ["unpermitted", "broken"]
        assert "sesame" not in str(shown)
        partly = (await office.ask("GET", entry, token=author)).json
        assert "price" not in partly["data"]
        assert partly["meta"]["computed"] == {"shout": "SUN"}

        listing = f"{PAPERS}?sort=title&columns=price,shout,reader,notes"
        listed = (await office.ask("GET", listing, token=office.boss)).json["results"]
        found = [(one["shout"], one["notes"], one["reader"]) for one in listed]
        assert found == [("SEA", 3, "admin 3"), ("SUN", 3, "admin 3")]
        assert not {"title", "margin"} & listed[0].keys()
        assert listed[0]["status"] == "published"
        listed = (await office.ask("GET", listing, token=author)).json["results"]
        assert [one["shout"] for one in listed] == ["SEA", "SUN"]
        assert not {"reader", "notes", "price", "title"} & listed[0].keys()
        module().fired.clear()
        for columns in ("", "?columns=title"):
            plain = await office.ask("GET", f"{PAPERS}{columns}", token=office.boss)
            assert "shout" not in plain.json["results"][0]
        assert module().fired == []


async def test_results_of_a_batch_have_computed_fields(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        writer: dict[str, object] = {"type": "writers", "action": "create"}
        paper: dict[str, object] = {"type": "papers", "action": "create"}
        operations = [
            {**writer, "data": {"name": "Ada"}, "as": "ada"},
            {
                **paper,
                "data": {"title": "Sea", "writer": {"$ref": "ada"}},
                "populate": ["writer"],
                "as": "sea",
            },
            {**writer, "data": {"name": "Bo"}},
            {**paper, "data": {"title": "Sun"}, "fields": ["shout"]},
            {"type": "papers", "action": "update", "documentId": {"$ref": "sea"}, "data": {}},
            {"type": "papers", "action": "delete", "documentId": {"$ref": "sea"}},
        ]
        reply = await office.ask("POST", "/api/_batch", {"operations": operations})
        assert reply.status == 200, reply.json
        ada, sea, bo, sun, updated, deleted = [one["data"] for one in reply.data]
        assert (ada["name"], ada["paperCount"]) == ("Ada", 0)
        assert (bo["name"], bo["paperCount"]) == ("Bo", 0)
        assert (sea["title"], sea["shout"]) == ("Sea", "SEA")
        assert (sea["writer"]["name"], sea["writer"]["paperCount"]) == ("Ada", 0)
        assert sun.keys() == {"id", "documentId", "shout"}
        assert (updated["shout"], deleted) == ("SEA", None)
        # Both writers are asked for at once.
        counts = sorted(one for one in module().fired if one != "shout")
        assert counts == ["paperCount 1", "paperCount 2"]


async def test_fields_choose_computed_fields_and_never_show_what_they_need(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        await make(office, "papers", title="Sea", margin="abc")
        for query, keys in (
            ("fields=shout", {"id", "documentId", "shout"}),
            ("fields=notes", {"id", "documentId", "notes"}),
            ("fields=title,notes", {"id", "documentId", "title", "notes"}),
            ("fields[0]=price", {"id", "documentId", "price"}),
        ):
            (found,) = (await office.ask("GET", f"/api/papers?{query}")).data
            assert found.keys() == keys, query
        module().fired.clear()
        await office.ask("GET", "/api/papers?fields=title&sort=price")
        assert module().fired == [], "what is not asked for is not run"
        (found,) = (await office.ask("GET", "/api/papers?fields=*,notes")).data
        assert (found["notes"], found["shout"]) == (3, "SEA")
        assert "margin" not in found
        for query in (
            "fields=margin",
            "fields=shuot",
            "sort=shout",
            "filters[shout]=SEA",
            "filters[notes][$gt]=1",
            "populate=shout",
        ):
            assert (await office.ask("GET", f"/api/papers?{query}")).status == 400, query
        written = {"data": {"title": "Sea", "shout": "sea"}}
        assert (await office.ask("POST", "/api/papers", written)).status == 400


async def test_a_plain_function_gets_a_document_of_its_own_with_values_as_in_the_response(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @computed(PAPER, needs=["title", "printed", "sold"])
    def shown(paper) -> dict:
        fired.append(paper)
        return dict(paper)

    @computed(PAPER, needs=["price"])
    def priced(paper) -> dict:
        return dict(paper)
    """
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, "papers", title="Rain", sold=True, price=2.5)
        await make(office, "papers", title="Sea", printed="2027-01-15T08:05:00.000Z", price=3)
        module().fired.clear()
        listed = (await office.ask("GET", "/api/papers?sort=title")).data
        assert [paper["title"] for paper in module().fired] == ["Rain", "Sea"]
        for paper in listed:
            values = {name: paper[name] for name in ("documentId", "title", "printed", "sold")}
            assert paper["shown"] == values
            assert paper["priced"] == {name: paper[name] for name in ("documentId", "price")}


async def test_a_batch_is_one_call_for_a_page(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        for name in ("Ada", "Bob", "Cyd"):
            await make(office, "writers", name=name)
        module().fired.clear()
        listed = await office.ask("GET", "/api/writers?pagination[pageSize]=2&sort=name")
        assert [one["paperCount"] for one in listed.data] == [0, 0]
        assert module().fired == ["paperCount 2"]


@pytest.mark.whatever_the_database("a commit to any database of a PostgreSQL server ends its cache")
async def test_a_response_is_cached_until_something_is_committed(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        await make(office, "writers", name="Ada")
        module().fired.clear()
        for _ in range(3):
            (writer,) = (await office.ask("GET", "/api/writers")).data
        assert (writer["paperCount"], module().fired) == (0, ["paperCount 1"])
        await make(office, "papers", title="Sea", writer=writer["documentId"])
        (writer,) = (await office.ask("GET", "/api/writers")).data
        assert (writer["paperCount"], module().fired.count("paperCount 1")) == (1, 2)


@pytest.mark.parametrize(
    "definition",
    [
        "@computed(PAPER, needs=['title'], volatile=True)\ndef stamp(paper) -> int:",
        "@computed(PAPER, needs=['title'])\ndef stamp(paper) -> int:\n    now()",
    ],
)
async def test_a_volatile_field_is_computed_for_each_request(
    tmp_path: Path, kind: Kind, definition: str
) -> None:
    code = f"{definition}\n    fired.append(1)\n    return len(fired)\n"
    async with open_extended(tmp_path, kind, code) as office:
        await make(office, "papers", title="Sea")
        seen = []
        for _ in range(3):
            (paper,) = (await office.ask("GET", "/api/papers")).data
            seen.append(paper["stamp"])
        assert seen == sorted(set(seen))


async def test_a_response_that_depends_on_who_asks_is_shown_to_nobody_else(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @computed(PAPER, needs=["title"], batch=True)
    def reader(papers) -> list[str]:
        return [f"{principal().kind} {principal().id}" for _ in papers]
    """
    async with open_extended(tmp_path, kind, code) as office:
        for role in ("public", "authenticated"):
            await grant_all(office, role)
        ada, bob = await user(office, "ada"), await user(office, "bob")
        made = await make(office, "papers", title="Sea")
        for target in ("/api/papers", f"/api/papers/{made['documentId']}"):
            seen = []
            for token in (ada, bob, None, ada, bob):
                data = (await office.ask("GET", target, token=token)).data
                seen.append((data if isinstance(data, dict) else data[0])["reader"])
            assert len(set(seen)) == 3, seen
            assert seen[2] == "anonymous None"
            assert seen[:2] == seen[3:]


async def test_fields_of_documents_that_rules_hide_are_not_computed(
    tmp_path: Path, kind: Kind
) -> None:
    rule = """
@rule(PAPER, on=["find"])
def cheap(who):
    return {"price": {"$lte": 10}}
"""
    async with open_extended(tmp_path, kind, CODE + rule) as office:
        ada = await make(office, "writers", name="Ada")
        for title, price in (("Cheap", 1), ("Dear", 50)):
            await make(office, "papers", title=title, price=price, writer=ada["documentId"])
        (writer,) = (await office.ask("GET", "/api/writers?populate=papers")).data
        assert [paper["shout"] for paper in writer["papers"]] == ["CHEAP"]
        assert writer["paperCount"] == 1


async def test_what_is_read_under_rules_of_other_types_is_shown_to_nobody_else(
    tmp_path: Path, kind: Kind
) -> None:
    rule = """
@rule(PAPER, on=["find"])
def only_of_the_first_user(who):
    return who.id == 1
"""
    async with open_extended(tmp_path, kind, CODE + rule) as office:
        await grant_all(office, "authenticated")
        tokens = [await user(office, "ada"), await user(office, "bob")]
        writer = await make(office, "writers", name="Ada")
        await make(office, "papers", title="Sea", writer=writer["documentId"])
        for target in ("/api/writers", f"/api/writers/{writer['documentId']}"):
            for _ in range(3):
                counts = []
                for token in tokens:
                    data = (await office.ask("GET", target, token=token)).data
                    counts.append((data if isinstance(data, dict) else data[0])["paperCount"])
                assert counts == [1, 0]


async def test_what_is_read_under_a_rule_with_a_clock_is_computed_anew(
    tmp_path: Path, kind: Kind
) -> None:
    rule = """
@rule(PAPER, on=["find"])
def printed(who):
    return {"printed": {"$lte": now()}}
"""
    async with open_extended(tmp_path, kind, CODE + rule) as office:
        ada = await make(office, "writers", name="Ada")
        data = {"title": "Soon", "printed": "2027-01-15T08:05:00.000Z"}
        await make(office, "papers", **data, writer=ada["documentId"])
        for _ in range(3):
            (writer,) = (await office.ask("GET", "/api/writers")).data
            assert writer["paperCount"] == 0
        office.clock.pass_by(minutes=10)
        (writer,) = (await office.ask("GET", "/api/writers")).data
        assert writer["paperCount"] == 1


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError('a secret')",
        "return papers[0].price",
        "return [1, 2, 3]",
        "return None",
        "return principal.nothing",
    ],
)
async def test_a_failing_field_reveals_nothing(tmp_path: Path, kind: Kind, body: str) -> None:
    code = f"""
    @computed(PAPER, needs=["title"], batch=True)
    def broken(papers) -> list[int]:
        {body}
    """
    async with open_extended(tmp_path, kind, code) as office:
        made = await office.ask("POST", "/api/papers?fields=title", {"data": {"title": "Sea"}})
        assert made.status == 201
        reply = await office.ask("GET", "/api/papers")
        assert reply.status == 500
        assert "secret" not in str(reply.json)
        assert (await office.ask("GET", "/api/papers?fields=title")).status == 200


@pytest.mark.parametrize("error", ["ValueError('a secret')", "Forbidden('not now')"])
async def test_a_field_that_fails_after_a_write_is_null_in_its_response(
    tmp_path: Path, kind: Kind, error: str
) -> None:
    code = f"""
    @computed(PAPER, needs=["title"])
    def broken(paper) -> int:
        raise {error}

    @computed(PAPER, needs=["title"])
    def shout(paper) -> str:
        return paper.title.upper()
    """
    async with open_extended(tmp_path, kind, code) as office:
        with capture_logs() as lines:
            created = await office.ask("POST", "/api/papers", {"data": {"title": "Sea"}})
        assert created.status == 201
        assert (created.data["broken"], created.data["shout"]) == (None, "SEA")
        assert "broken" in {line.get("field") for line in lines if line["log_level"] == "error"}
        path = f"/api/papers/{created.data['documentId']}"
        updated = await office.ask("PUT", path, {"data": {"title": "Sun"}})
        assert (updated.status, updated.data["broken"], updated.data["shout"]) == (200, None, "SUN")
        batch = await office.ask(
            "POST",
            "/api/_batch",
            {"operations": [{"action": "create", "type": "papers", "data": {"title": "Rain"}}]},
        )
        assert batch.status == 200, batch.json
        (result,) = batch.data
        assert (result["data"]["broken"], result["data"]["shout"]) == (None, "RAIN")
        listed = await office.ask("GET", "/api/papers?fields=title&sort=title")
        assert [paper["title"] for paper in listed.data] == ["Rain", "Sun"]


async def test_the_openapi_document_describes_computed_fields(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        described = (await office.ask("GET", "/api/openapi.json")).json
        paper = described["components"]["schemas"]["Paper"]["properties"]
        assert paper["shout"] == {"type": "string", "readOnly": True}
        assert paper["notes"] == {"type": "integer", "readOnly": True}
        assert "shout" not in described["components"]["schemas"]["PaperInput"]["properties"]
        listed = await office.ask("GET", PAPERS, token=office.boss)
        assert listed.status == 200


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('@computed(PAPER, needs=["titel"])\ndef a(p) -> int: ...', 'did you mean "title"?'),
        ('@computed(PAPER, needs=["title"])\ndef a(p): ...', "needs a type of what it returns"),
        ('@computed(PAPER, needs=["title"])\ndef a() -> int: ...', "must take one argument"),
        (
            '@computed(PAPER, needs=["title"])\nasync def a(p) -> int: ...',
            "a is an async def: use batch=True",
        ),
        (
            '@computed(PAPER, needs=["title"], batch=True)\ndef a(p) -> int: ...',
            "such as -> list[int]",
        ),
        ('@computed(PAPER, needs=["margin"])\ndef a(p) -> int: ...', "name it in reveals, too"),
        (
            '@computed(PAPER, needs=["title"], reveals=["margin"])\ndef a(p) -> int: ...',
            "in reveals is not in needs",
        ),
        ('@computed(PAPER, needs=["lock"])\ndef a(p) -> int: ...', "is a password"),
        ('@computed(PAPER, needs=["writer"])\ndef a(p) -> int: ...', "is no value of the document"),
        (
            '@computed(PAPER, needs=["title"])\ndef price(p) -> int: ...',
            'has an attribute "price" already',
        ),
        ('@computed(PAPER, needs=["title"])\ndef a(p) -> set: ...', None),
        ('@computed(PAPER, needs=["title"])\ndef a(p) -> Shape: ...', "must return plain values"),
        ('@computed(PAPER, needs=["title"], batch=1)\ndef a(p) -> int: ...', "batch must be True"),
        (
            '@computed("plugin::users-permissions.user", needs=["email"])\ndef a(p) -> int: ...',
            "end users have no computed fields",
        ),
    ],
)
def test_mistakes_are_reported(tmp_path: Path, code: str, message: str | None) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, f"{code}\n")
    if message is None:
        assert load_extensions(tmp_path, schema).computed
        return
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    assert message in str(caught.value)


def test_two_fields_of_one_name_are_reported(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    field = '@computed(PAPER, needs=["title"])\ndef a(p) -> int: ...\n'
    write_code(tmp_path, field)
    write_code(tmp_path, field, "src/extensions/other.py")
    with pytest.raises(ExtensionError, match='has a computed field "a" at src/api/paper'):
        load_extensions(tmp_path, schema)


READS = (
    CODE
    + """
class WriterCount(Shape[Document]):
    name: str
    paperCount: int

class PaperCard(Shape[Document]):
    documentId: str
    shout: str
    writer: WriterCount | None = None

@route.get("/reads", public=True)
async def reads(named: bool) -> dict[str, object]:
    papers = documents(PAPER)
    names = ["title", "shout", "notes"] if named else ["title"]
    found = await papers.find(fields=names, sort="title")
    everything = await papers.first()
    async with transaction():
        one = await papers.find_one(found[0].documentId, fields=names)
    return {"found": found, "one": one, "all": sorted(everything)}

@route.get("/cards", public=True)
async def cards() -> list[PaperCard]:
    return await documents(PAPER).find(PaperCard, sort="title")

@before_write(WRITER, on=["create"])
async def note_shouts(write):
    found = await documents(PAPER).find(fields=["shout"], status="draft")
    fired.append([one.shout for one in found])

@computed(PAPER, needs=[], batch=True, default=False)
async def endless(papers) -> list[int]:
    await documents(PAPER).find(fields=["endless"])
    return [0 for _ in papers]

@route.get("/endless", public=True)
async def never() -> list[Document]:
    return await documents(PAPER).find(fields=["endless"])

@route.get("/system", public=True)
async def as_the_system(field: str) -> list[str]:
    with as_system("a test"):
        return [str(one[field]) for one in await documents(WRITER).find(fields=[field, "name"])]
"""
)


async def test_code_reads_computed_fields_that_it_names(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, READS) as office:
        ada = await make(office, "writers", name="Ada")
        await make(office, "papers", title="Sea", margin="abc", writer=ada["documentId"])
        module().fired.clear()

        unnamed = (await office.ask("GET", "/api/reads?named=false")).json
        assert unnamed["found"][0].keys() == {"id", "documentId", "title"}
        assert not {"shout", "notes"} & {*unnamed["all"]}
        assert module().fired == []

        named = (await office.ask("GET", "/api/reads?named=true")).json
        assert named["one"] == named["found"][0]
        assert (named["one"]["shout"], named["one"]["notes"]) == ("SEA", 3)
        assert named["one"].keys() == {"id", "documentId", "title", "shout", "notes"}

        cards = (await office.ask("GET", "/api/cards")).data
        assert cards[0]["shout"] == "SEA"
        assert cards[0]["writer"] == {"name": "Ada", "paperCount": 1}


async def test_computed_fields_are_read_in_the_transaction_of_a_hook(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, READS) as office:
        await make(office, "papers", title="Sea")
        await make(office, "writers", name="Ada")
        assert module().fired[-2:] == [["SEA"], "paperCount 1"]


async def test_computed_fields_that_ask_for_themselves_are_stopped(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, READS) as office:
        await make(office, "papers", title="Sea")
        with capture_logs() as logs:
            assert (await office.ask("GET", "/api/endless")).status == 500
        assert any(one.get("field") == "endless" for one in logs)


async def test_a_computed_field_is_not_the_system_where_code_reads_as_the_system(
    tmp_path: Path, kind: Kind
) -> None:
    async with open_extended(tmp_path, kind, READS) as office:
        await make(office, "writers", name="Ada")
        assert (await office.ask("GET", "/api/system?field=name")).json == ["Ada"]
        assert (await office.ask("GET", "/api/system?field=paperCount")).status == 500


async def test_computed_fields_are_columns_of_the_view_of_a_list(
    tmp_path: Path, kind: Kind
) -> None:
    path = f"/content-manager/content-types/{PAPER}/configuration"
    async with office_project(tmp_path, kind) as project:
        write_code(project, ADMINISTRATORS)
        async with run_office(project) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            view = (await office.ask("GET", path, token=office.boss)).data["contentType"]
            assert view["metadatas"]["shout"] == {
                "edit": {},
                "list": {"label": "shout", "searchable": False, "sortable": False},
            }
            assert "shout" not in view["layouts"]["list"]
            assert "shout" not in str(view["layouts"]["edit"])

            layouts = {**view["layouts"], "list": ["title", "shout"]}
            metadatas = {"title": {}, "shout": {"list": {"label": "Loud"}}}
            changed = await office.ask(
                "PUT", path, {"layouts": layouts, "metadatas": metadatas}, token=office.boss
            )
            assert changed.status == 200, changed.json
            view = (await office.ask("GET", path, token=office.boss)).data["contentType"]
            assert view["layouts"]["list"] == ["title", "shout"]
            assert view["metadatas"]["shout"]["list"]["label"] == "Loud"

            for settings in ({"defaultSortBy": "shout"}, {"mainField": "shout"}):
                body = {"settings": {**view["settings"], **settings}}
                refused = await office.ask("PUT", path, body, token=office.boss)
                assert refused.status == 400
            form = {**view["layouts"], "edit": [[{"name": "shout", "size": 6}]]}
            refused = await office.ask("PUT", path, {"layouts": form}, token=office.boss)
            assert refused.status == 400
        write_code(project, "")
        async with run_office(project) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            view = (await office.ask("GET", path, token=office.boss)).data["contentType"]
            assert view["layouts"]["list"] == ["title"]
            assert "shout" not in view["metadatas"]


@pytest.mark.parametrize(
    "code",
    [
        "@computed(PAPER, needs=['title'])\ndef size(paper) -> int:\n    return 1\n",
        (
            "@computed(PAPER, needs=['title'], batch=True)\n"
            "async def size(papers) -> list[int]:\n    return [1 for _ in papers]\n"
        ),
    ],
    ids=["def", "async def"],
)
async def test_a_long_list_with_computed_fields_is_encoded_on_another_thread(
    tmp_path: Path, kind: Kind, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one without: other requests are answered meanwhile."""
    encode_one_by_one = json_encoding._encode_one_by_one  # noqa: SLF001
    threads: list[threading.Thread] = []

    def encode(*arguments: Any) -> bytes:  # noqa: ANN401 - those of the function
        threads.append(threading.current_thread())
        return encode_one_by_one(*arguments)

    async with office_project(tmp_path, kind) as project:
        write_code(project, code)
        async with run_office(project, settings={"limits.response_size": 5000}) as office:
            for title in "ABC":
                await make(office, "papers", title=title)
            short = await office.ask("GET", "/api/papers?sort=title")
            monkeypatch.setattr(json_encoding, "_encode_one_by_one", encode)
            monkeypatch.setattr(json_encoding, "_LONG_ENTRIES", 2)
            long = await office.ask("GET", "/api/papers?sort=title&locale=en")
            for title in "DEFGHIJKLMNOPQRSTUVW":
                await make(office, "papers", title=title)
            too_long = await office.ask("GET", "/api/papers")

    assert long.json == short.json
    assert [paper["size"] for paper in long.data] == [1, 1, 1]
    assert len(threads) == 2
    assert threading.main_thread() not in threads
    assert (too_long.status, "limits.response_size" in too_long.error) == (400, True)
