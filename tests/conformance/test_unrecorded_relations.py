"""Relations of kinds that the recorded project does not have: of a type without locales."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from quire.database.migration.schema_pair import Renames
from tests.conformance.client import AsgiClient
from tests.conformance.conftest import open_app
from tests.conformance.corpus import credentials
from tests.conformance.managed import AdminAuthorization
from tests.databases.kind import Kind, opened
from tests.interop.changes import migrate

JsonObject = dict[str, Any]

APPLE = "kvs6ljh4bigue2ssvg2vmk14"
"""An article that is published in three locales."""
ARTICLE, TAG = "api::article.article", "api::tag.tag"

_NOTE: JsonObject = {
    "kind": "collectionType",
    "collectionName": "notes",
    "info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"},
    "options": {"draftAndPublish": True},
    "attributes": {
        "label": {"type": "string"},
        "about": {"type": "relation", "relation": "morphToMany"},
        "articles": {"type": "relation", "relation": "manyToMany", "target": ARTICLE},
        "leaflet": {
            "type": "relation",
            "relation": "oneToOne",
            "target": "api::leaflet.leaflet",
            "mappedBy": "note",
        },
    },
}

_PICK: JsonObject = {
    "collectionName": "components_shared_picks",
    "info": {"displayName": "Pick"},
    "attributes": {
        "article": {"type": "relation", "relation": "oneToOne", "target": ARTICLE},
        "any": {"type": "relation", "relation": "morphToMany"},
    },
}
_LEAFLET: JsonObject = {
    "kind": "collectionType",
    "collectionName": "leaflets",
    "info": {"singularName": "leaflet", "pluralName": "leaflets", "displayName": "Leaflet"},
    "options": {"draftAndPublish": True, "populateCreatorFields": True},
    "pluginOptions": {"i18n": {"localized": True}},
    "attributes": {
        "title": {"type": "string", "pluginOptions": {"i18n": {"localized": True}}},
        "note": {
            "type": "relation",
            "relation": "oneToOne",
            "target": "api::note.note",
            "inversedBy": "leaflet",
        },
        "pick": {"type": "component", "component": "shared.pick"},
        "picks": {"type": "component", "component": "shared.pick", "repeatable": True},
    },
}
"""Its component is the same in all locales; what it links to is not."""


class NoteClient:
    """Writes and reads notes, with a token for everything."""

    def __init__(self, client: AsgiClient, kind: Kind, project: Path) -> None:
        self._client = client
        self._kind, self._project = kind, project
        self._headers = {"Authorization": f"Bearer {credentials().api_tokens['full']}"}

    async def write(self, method: str, path: str, **data: object) -> JsonObject:
        body = json.dumps({"data": data}).encode()
        headers = {**self._headers, "Content-Type": "application/json"}
        response = await self._client.request(method, f"/api/{path}", headers, body)
        return self._content(response.content)

    async def about(self, document_id: str, query: str) -> list[JsonObject]:
        return await self.related(document_id, "about", query)

    async def related(self, document_id: str, name: str, query: str) -> list[JsonObject]:
        found: list[JsonObject] = (await self.entry("notes", document_id, query))[name]
        return found

    def execute(self, sql: str, *values: object) -> None:
        """Change rows as other programs do."""
        with opened(self._kind, self._project) as rows:
            rows.execute(sql, values)

    async def managed(self, path: str, data: JsonObject | None = None) -> JsonObject:
        """Return what an administrator gets of the content manager; with ``data`` they post it."""
        authorization = AdminAuthorization(self._client, credentials())
        headers = await authorization.headers("admin")
        headers["Content-Type"] = "application/json"
        method, body = ("GET", b"") if data is None else ("POST", json.dumps(data).encode())
        response = await self._client.request(method, f"/content-manager/{path}", headers, body)
        return self._content(response.content)

    async def entry(self, plural: str, document_id: str, query: str) -> JsonObject:
        path = f"/api/{plural}/{document_id}?{query}"
        response = await self._client.request("GET", path, self._headers, b"")
        found: JsonObject = self._content(response.content)["data"]
        return found

    @staticmethod
    def _content(text: bytes) -> JsonObject:
        content: JsonObject = json.loads(text)
        return content


@pytest.fixture(scope="module")
async def notes(
    kind: Kind, recorded: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[NoteClient]:
    project = kind.copy(recorded, tmp_path_factory.mktemp("notes") / "project")
    for name, schema in {
        "api/note/content-types/note/schema.json": _NOTE,
        "api/leaflet/content-types/leaflet/schema.json": _LEAFLET,
        "components/shared/pick.json": _PICK,
    }.items():
        schema_file = project / "src" / name
        schema_file.parent.mkdir(parents=True, exist_ok=True)
        schema_file.write_text(json.dumps(schema))
    await migrate(project, Renames())
    async with open_app(project) as client:
        yield NoteClient(client, kind, project)
    kind.release(project)


def to_article(**more: object) -> JsonObject:
    return {"__type": ARTICLE, "documentId": APPLE, **more}


async def new_tag(notes: NoteClient) -> JsonObject:
    created = await notes.write("POST", "tags", label="about")
    return {"__type": TAG, "documentId": created["data"]["documentId"]}


async def new_note(notes: NoteClient, status: str = "published", **data: object) -> str:
    created = await notes.write("POST", f"notes?status={status}", **data)
    document_id: str = created["data"]["documentId"]
    return document_id


@pytest.mark.parametrize("populate", ["populate=*", "populate=about", "populate[about]=true"])
async def test_entries_of_types_without_a_way_back_are_populated(
    notes: NoteClient, populate: str
) -> None:
    tag = await new_tag(notes)
    note = await new_note(notes, about=[tag])
    for status in ("draft", "published"):
        (entry,) = await notes.about(note, f"{populate}&status={status}")
        assert entry["__type"] == TAG
        assert entry["documentId"] == tag["documentId"]


async def test_a_published_version_has_the_published_entries(notes: NoteClient) -> None:
    unpublished = await notes.write("POST", "articles?status=draft", title="Not yet")
    draft = {"__type": ARTICLE, "documentId": unpublished["data"]["documentId"]}
    tag = await new_tag(notes)
    note = await new_note(notes, about=[to_article(), draft, tag])
    drafts = await notes.about(note, "populate=*&status=draft")
    published = await notes.about(note, "populate=*&status=published")
    assert [entry["documentId"] for entry in drafts] == [
        APPLE,
        draft["documentId"],
        tag["documentId"],
    ]
    assert [entry["publishedAt"] is None for entry in drafts] == [True, True, False]
    assert [entry["documentId"] for entry in published] == [APPLE, tag["documentId"]]
    assert None not in [entry["publishedAt"] for entry in published]


@pytest.mark.parametrize("position_locale", [{}, {"locale": "fr"}])
async def test_an_anchor_has_the_locale_of_what_is_placed_next_to_it(
    notes: NoteClient, position_locale: JsonObject
) -> None:
    articles = []
    for number in range(3):
        created = await notes.write("POST", "articles?status=draft&locale=fr", title=f"{number}")
        articles.append({"documentId": created["data"]["documentId"], "locale": "fr"})
    first, second, third = articles
    note = await new_note(notes, "draft", articles={"set": [first, second]})
    position = {"before": second["documentId"], **position_locale}
    changed = await notes.write(
        "PUT",
        f"notes/{note}?status=draft",
        articles={"connect": [{**third, "position": position}]},
    )
    assert "error" not in changed, changed
    related = await notes.related(note, "articles", "status=draft&populate[articles][fields]=title")
    assert [entry["title"] for entry in related] == ["0", "2", "1"]


async def test_an_anchor_may_be_of_another_type(notes: NoteClient) -> None:
    tag = await new_tag(notes)
    note = await new_note(notes, "draft", about=[to_article()])
    connected = {**tag, "position": {"after": APPLE, "__type": ARTICLE}}
    await notes.write("PUT", f"notes/{note}?status=draft", about={"connect": [connected]})
    related = await notes.about(note, "status=draft&populate=about")
    assert [entry["__type"] for entry in related] == [ARTICLE, TAG]


async def titles_about(notes: NoteClient, note: str, status: str) -> list[object]:
    related = await notes.about(note, f"status={status}&populate=about")
    return [entry.get("title", entry.get("label")) for entry in related]


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        pytest.param({"start": True}, ["new", "first", "second"], id="start"),
        pytest.param({"end": True}, ["first", "second", "new"], id="end"),
        pytest.param({"before": 1, "__type": TAG}, ["first", "new", "second"], id="before"),
        pytest.param({"after": 0, "__type": ARTICLE}, ["first", "new", "second"], id="after"),
    ],
)
@pytest.mark.parametrize("status", ["draft", "published"])
async def test_entries_of_several_types_are_connected_at_positions(
    notes: NoteClient, position: JsonObject, expected: list[str], status: str
) -> None:
    first = (await notes.write("POST", "articles", title="first"))["data"]["documentId"]
    second, new = [
        (await notes.write("POST", "tags", label=label))["data"]["documentId"]
        for label in ("second", "new")
    ]
    note = await new_note(
        notes,
        about=[{"__type": ARTICLE, "documentId": first}, {"__type": TAG, "documentId": second}],
    )
    anchors = {key: (first, second)[position[key]] for key in ("before", "after") & position.keys()}
    target = {"__type": TAG, "documentId": new, "position": {**position, **anchors}}
    for _ in range(2):
        changed = await notes.write("PUT", f"notes/{note}", about={"connect": [target]})
        assert "error" not in changed, changed
        assert await titles_about(notes, note, status) == expected


async def test_an_unknown_anchor_of_several_types_is_named_with_its_type(notes: NoteClient) -> None:
    tag, other = await new_tag(notes), await new_tag(notes)
    note = await new_note(notes, "draft")
    target = {**tag, "position": {"before": other["documentId"]}}
    changed = await notes.write("PUT", f"notes/{note}?status=draft", about={"connect": [target]})
    assert changed["error"]["message"].startswith("There was a problem connecting relation with id")
    assert ":::api::tag.tag needs to be connected first." in changed["error"]["message"]


async def test_an_entry_is_connected_at_one_position(notes: NoteClient) -> None:
    """The end is a position too; equal repetitions are left out."""
    note = await new_note(notes, "draft")
    entry = {"documentId": APPLE}
    at_end = {**entry, "position": {"end": True}}
    path = f"notes/{note}?status=draft"
    changed = await notes.write("PUT", path, articles={"connect": [APPLE, at_end]})
    assert changed["error"]["message"].endswith("You cannot connect the same relation twice.")
    for connected in ([at_end, at_end], [APPLE, entry]):
        changed = await notes.write("PUT", path, articles={"connect": connected})
        assert "error" not in changed, changed


async def test_components_of_relations_only_are_published(notes: NoteClient) -> None:
    article = await new_article(notes)
    created = await notes.write("POST", "leaflets", picks=[{"article": article}, {}])
    assert "error" not in created, created
    leaflet = created["data"]["documentId"]
    for status in ("draft", "published"):
        query = f"status={status}&populate[picks][populate]=article"
        picks = (await notes.entry("leaflets", leaflet, query))["picks"]
        assert [pick["article"] and pick["article"]["title"] for pick in picks] == ["en", None]


async def new_article(notes: NoteClient, *locales: str) -> str:
    """Publish an article in English and in other locales, with the locale as title."""
    created = await notes.write("POST", "articles", title="en")
    document_id: str = created["data"]["documentId"]
    for locale in locales:
        await notes.write("PUT", f"articles/{document_id}?locale={locale}", title=locale)
    return document_id


async def new_leaflet(notes: NoteClient, pick: JsonObject) -> str:
    created = await notes.write("POST", "leaflets", title="en", pick=pick)
    assert "error" not in created, created
    document_id: str = created["data"]["documentId"]
    return document_id


async def picked_titles(notes: NoteClient, leaflet: str, locale: str, status: str) -> list[str]:
    query = f"locale={locale}&status={status}&populate[pick][populate]=*"
    pick = (await notes.entry("leaflets", leaflet, query))["pick"]
    return [entry["title"] for entry in (pick["article"], *pick["any"]) if entry is not None]


@pytest.mark.parametrize("status", ["draft", "published"])
async def test_a_shared_component_links_to_entries_of_each_locale(
    notes: NoteClient, status: str
) -> None:
    article = await new_article(notes, "fr")
    targets: JsonObject = {
        "article": article,
        "any": [{"__type": ARTICLE, "documentId": article}],
    }
    leaflet = await new_leaflet(notes, targets)
    path = f"leaflets/{leaflet}?locale=fr"
    for data in ({"title": "fr"}, {"title": "changed"}, {"pick": targets}):
        changed = await notes.write("PUT", path, **data)
        assert "error" not in changed, changed
        for locale in ("en", "fr"):
            assert await picked_titles(notes, leaflet, locale, status) == [locale, locale]


@pytest.mark.parametrize("name", ["article", "any"])
async def test_a_new_locale_needs_what_its_shared_components_link_to(
    notes: NoteClient, name: str
) -> None:
    article = await new_article(notes)
    any_target = [{"__type": ARTICLE, "documentId": article}]
    leaflet = await new_leaflet(
        notes, {"article": article} if name == "article" else {"any": any_target}
    )
    refused = await notes.write("PUT", f"leaflets/{leaflet}?locale=fr", title="fr")
    message = f'Document with id "{article}", locale "fr" not found'
    assert refused["error"]["message"] == message
    for status in ("draft", "published"):
        assert await picked_titles(notes, leaflet, "en", status) == ["en"]
    cleared = await notes.write("PUT", f"leaflets/{leaflet}?locale=fr", title="fr", pick={})
    assert "error" not in cleared, cleared


@pytest.mark.parametrize("status", ["draft", "published"])
async def test_what_another_locale_lacks_is_not_linked_there(
    notes: NoteClient, status: str
) -> None:
    leaflet = await new_leaflet(notes, {})
    await notes.write("PUT", f"leaflets/{leaflet}?locale=fr", title="fr")
    article = await new_article(notes)
    await notes.write("PUT", f"leaflets/{leaflet}", pick={"article": article})
    assert await picked_titles(notes, leaflet, "en", status) == ["en"]
    assert await picked_titles(notes, leaflet, "fr", status) == []


async def test_links_to_rows_that_are_gone_are_not_missing_in_a_new_locale(
    notes: NoteClient,
) -> None:
    """Strapi leaves polymorphic links to deleted entries behind."""
    article = await new_article(notes)
    leaflet = await new_leaflet(notes, {"any": [{"__type": ARTICLE, "documentId": article}]})
    notes.execute("DELETE FROM articles WHERE document_id = ?", article)
    made = await notes.write("PUT", f"leaflets/{leaflet}?locale=fr", title="fr")
    assert "error" not in made, made
    assert await picked_titles(notes, leaflet, "fr", "published") == []


async def test_other_locales_are_listed_without_their_components(notes: NoteClient) -> None:
    leaflet = await new_leaflet(notes, {})
    await notes.write("PUT", f"leaflets/{leaflet}?locale=fr", title="fr")
    document = await notes.managed(f"collection-types/api::leaflet.leaflet/{leaflet}")
    (other,) = document["meta"]["availableLocales"]
    assert other["locale"] == "fr"
    assert not {"pick", "picks"} & other.keys()


async def test_creators_are_described_as_public_if_the_type_shows_them(notes: NoteClient) -> None:
    described = (await notes.managed("content-types"))["data"]
    private_by_uid = {
        content_type["uid"]: content_type["attributes"]["createdBy"]["private"]
        for content_type in described
    }
    assert private_by_uid["api::leaflet.leaflet"] is False
    assert private_by_uid["api::note.note"] is True


async def test_a_clone_is_the_last_one_in_the_lists_of_related_entries(notes: NoteClient) -> None:
    first, second = [
        (await notes.write("POST", "tags", label=label))["data"]["documentId"]
        for label in ("first", "second")
    ]
    article = await new_article(notes)
    await notes.write("PUT", f"articles/{article}", tags=[first, second])
    cloned = await notes.managed(f"collection-types/{TAG}/clone/{first}", {"label": "clone"})
    assert cloned["data"]["label"] == "clone", cloned
    for status in ("draft", "published"):
        tags = (await notes.entry("articles", article, f"status={status}&populate=tags"))["tags"]
        assert [tag["label"] for tag in tags] == ["first", "second", "clone"]


async def test_a_new_locale_takes_no_entry_from_the_others_of_its_document(
    notes: NoteClient,
) -> None:
    note = await new_note(notes, "draft", label="theirs")
    created = await notes.write("POST", "leaflets?status=draft", title="en", note=note)
    leaflet = created["data"]["documentId"]
    await notes.write("PUT", f"leaflets/{leaflet}?locale=fr&status=draft", title="fr", note=note)
    for locale in ("en", "fr"):
        query = f"locale={locale}&status=draft&populate=note"
        linked = (await notes.entry("leaflets", leaflet, query))["note"]
        assert linked is not None, locale
        assert linked["label"] == "theirs"
