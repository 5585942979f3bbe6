"""A payload sets only attributes that the caller may write."""

import pytest

from tests.hazards.newsroom import AUTHOR_WORD, JsonObject
from tests.hazards.visitors import FULL, WRITER, Who, error
from tests.hazards.writing import Editor, shown

SYSTEM_FIELDS: dict[str, object] = {
    "id": 1,
    "documentId": "abcdefghijklmnopqrstuvwx",
    "createdAt": "2020-01-01T00:00:00.000Z",
    "updatedAt": "2020-01-01T00:00:00.000Z",
    "createdBy": 1,
    "updatedBy": {"connect": [1]},
    "created_by_id": 1,
    "published_at": 1,
    "localizations": [1],
    "status": "published",
    "__component": "shared.seo",
    "nope": 1,
    "": 1,
    "title; DROP TABLE articles": 1,
}
SPECIAL_NAMES = [
    "constructor", "prototype", "__class__", "__init__", "__globals__", "__dict__", "__getattr__",
    "__call__", "attributes", "model", "uid", "self", "toString", "hasOwnProperty",
]  # fmt: skip
"""What programs are made of."""
FORBIDDEN = "Object contains forbidden prototype property"
NOBODY = "zzzzzzzzzzzzzzzzzzzzzzzz"


async def on_every_way(
    editor: Editor, data: JsonObject, who: Who = FULL
) -> list[tuple[str, JsonObject]]:
    """Try to create and to update an article with data, singly and in batches; all must fail.

    Gives the errors, each with the place of the data in it.
    """
    tides = await editor.document_id("articles", "code", "T-1")
    create = {"action": "create", "type": "articles", "data": data}
    update = {"action": "update", "type": "articles", "documentId": tides, "data": data}
    good = {"action": "create", "type": "articles", "data": {"title": "Fine"}}
    before = editor.contents()
    responses = [
        ("", await editor.create("articles", data, who)),
        ("", await editor.create("articles?status=draft", data, who)),
        ("", await editor.update(f"articles/{tides}", data, who)),
        ("operations.0.data", await editor.batch(create, who=who)),
        ("operations.1.data", await editor.batch(good, update, who=who)),
    ]
    assert editor.contents() == before
    assert [response.status for _, response in responses] == [400] * len(responses)
    return [(place, error(response)) for place, response in responses]


@pytest.mark.parametrize("who", [WRITER, FULL])
@pytest.mark.parametrize("name", SYSTEM_FIELDS)
async def test_h036_system_fields_are_not_set_by_payloads(
    editor: Editor, name: str, who: Who
) -> None:
    """A key that is not the caller's to write is rejected by name, and nothing is written."""
    data = {"title": "Assigned", name: SYSTEM_FIELDS[name]}
    for place, reported in await on_every_way(editor, data, who):
        assert (reported["name"], reported["message"]) == ("ValidationError", f"Invalid key {name}")
        assert reported["details"]["key"] == name
        assert str(reported["details"].get("path") or "").startswith(place)


async def test_h036_what_the_server_manages_is_not_taken_from_payloads(editor: Editor) -> None:
    """``publishedAt`` and ``locale`` may be sent back as they were read; they say nothing."""
    data = {"title": "Assigned", "publishedAt": "1999-01-01T00:00:00.000Z", "locale": "de"}
    made = shown(await editor.create("articles?status=draft", data, WRITER), status=201)
    assert (made["publishedAt"], made["locale"]) == (None, "en")
    published = shown(await editor.update(f"articles/{made['documentId']}", {}, WRITER))
    assert published["publishedAt"] > "2020"
    changed = shown(await editor.update(f"articles/{made['documentId']}", data, WRITER))
    assert (changed["locale"], changed["publishedAt"] > "2020") == ("en", True)
    rows = editor.sql("SELECT locale FROM articles WHERE title = 'Assigned'")
    assert rows == [("en",), ("en",)]


@pytest.mark.parametrize("name", SPECIAL_NAMES)
async def test_h040_special_names_are_names_like_any_others(editor: Editor, name: str) -> None:
    """Nothing is looked up by a name that a client sends, but attributes of the schema."""
    for _, reported in await on_every_way(editor, {"title": "Special", name: {"prototype": 1}}):
        assert reported["message"] == f"Invalid key {name}"
    misplaced: list[tuple[JsonObject, str]] = [
        ({"seo": {name: 1}}, "seo"),
        ({"sections": [{"__component": "shared.panel", "quotes": [{name: 1}]}]}, "sections.quotes"),
        ({"category": {name: 1}}, "category"),
        ({"cover": {name: {}}}, "cover"),
    ]
    for nested, place in misplaced:
        response = await editor.create("articles", {"title": "Special", **nested})
        assert (response.status, error(response)["message"]) == (
            400,
            f"Invalid key {name} at {place}",
        )
    for operation in (
        {"action": name, "type": "articles"},
        {"action": "create", "type": name, "data": {}},
        {"action": "create", "type": "articles", "data": {}, name: 1},
        {"action": "update", "type": "articles", "documentId": {"$ref": name}, "data": {}},
    ):
        assert (await editor.batch(operation)).status == 400


@pytest.mark.parametrize(
    "body",
    [
        b'{"data": {"title": "x", "__proto__": {"admin": true}}}',
        b'{"data": {"title": "x", "__pro\\u0074o__": 1}}',
        b'{"data": {"title": "x", "extra": {"a": [{"__proto__": 1}]}}}',
        b'{"__proto__": {"data": 1}, "data": {"title": "x"}}',
        b'[{"__proto__": 1}]',
    ],
)
async def test_h040_prototypes_are_refused_wherever_they_stand(editor: Editor, body: bytes) -> None:
    """Also where any key is allowed: a client of the content might take it over."""
    operations = (
        b'{"operations": [{"action": "create", "type": "articles", "data": ' + body + b"}]}"
    )
    for target, sent in (("articles", body), ("_batch", operations)):
        response = await editor.send("POST", target, sent)
        assert (response.status, error(response)["message"]) == (400, FORBIDDEN)


async def test_h040_special_names_are_kept_as_content(editor: Editor) -> None:
    """An attribute that holds any JSON holds these names too, and they do nothing there."""
    extra = {name: {"__class__": [name]} for name in SPECIAL_NAMES}
    document_id = await editor.made("articles", title="Kept", extra=extra)
    assert (await editor.entry(f"articles/{document_id}"))["extra"] == extra


def leading(target: object) -> list[object]:
    """All ways to say that a relation leads to a target."""
    return [
        target,
        [target],
        {"documentId": target},
        {"connect": [target]},
        {"connect": [{"documentId": target}]},
        {"set": [target]},
        {"disconnect": [target]},
    ]


@pytest.mark.parametrize(
    ("place", "where"),
    [("author", None), ("seo.owner", "seo"), ("sections.speaker", "sections"), ("desk", None)],
)
async def test_h041_relations_to_what_one_may_not_find_are_refused(
    editor: Editor, place: str, where: str | None
) -> None:
    """The response is the same whether the target exists or not, also where nothing is named."""
    name = place.rpartition(".")[2]
    zenobia = await editor.document_id("authors", "name", AUTHOR_WORD)
    seen = []
    for target in (zenobia, NOBODY, 1, 999_999):
        for value in [*leading(target), None, [], {}]:
            data: JsonObject = {"title": "Linked", name: value}
            if where == "seo":
                data = {"title": "Linked", "seo": {name: value}}
            elif where == "sections":
                data = {
                    "title": "Linked",
                    "sections": [{"__component": "shared.quote", name: value}],
                }
            response = await editor.create("articles", data, WRITER)
            payload = error(response)
            assert (response.status, payload["details"]["key"]) == (400, name), value
            seen.append(payload)
    assert all(payload == seen[0] for payload in seen)
    at = "" if where is None else f" at {place}"
    assert seen[0]["message"] == f"Invalid key {name}{at}"
    assert editor.sql("SELECT id FROM articles WHERE title = 'Linked'") == []


async def test_h041_what_one_may_find_can_be_connected(editor: Editor) -> None:
    """The same request is fine where the target may be found; files need no permission."""
    sea = await editor.document_id("categories", "name", "Sea")
    data = {"title": "Linked", "category": {"connect": [sea]}, "cover": 1}
    shown(await editor.create("articles", data, WRITER), status=201)
    editor.assert_sound()


async def test_h041_an_update_does_not_touch_what_one_may_not_see(own_editor: Editor) -> None:
    """Relations that were not sent stay, in published versions too."""
    tides = await own_editor.document_id("articles", "code", "T-1")
    shown(await own_editor.update(f"articles/{tides}", {"title": "Tides again"}, WRITER))
    entry = await own_editor.entry(
        f"articles/{tides}?populate[author][fields]=name&populate[seo][populate]=owner"
    )
    assert (entry["author"]["name"], entry["seo"]["owner"]["name"]) == (AUTHOR_WORD, AUTHOR_WORD)
    own_editor.assert_sound()


@pytest.mark.parametrize(
    "data",
    [
        {"category": {"id": 1, "name": "Mine"}},
        {"category": {"connect": [{"id": 1, "name": "Mine", "budget": "Mine"}]}},
        {"category": {"set": [{"id": 1, "documentId": "", "name": "Mine"}]}},
        {"related": [{"id": 1, "title": "Mine", "documentId": NOBODY}]},
        {"cover": {"id": 1, "name": "Mine", "url": "/mine", "ext": "Mine"}},
        {"seo": {"topic": {"id": 1, "name": "Mine"}}},
    ],
)
async def test_h044_related_entries_are_named_not_written(
    own_editor: Editor, data: JsonObject
) -> None:
    """The right to write articles is none to write what they are related to."""
    tides = await own_editor.document_id("articles", "code", "T-1")
    response = await own_editor.update(f"articles/{tides}", {"title": "Tides", **data}, WRITER)
    assert response.status in {200, 400}
    for table in ("categories", "files", "articles", "components_shared_seos"):
        assert [row for row in own_editor.contents()[table] if "Mine" in row] == []


async def test_h044_an_update_stays_in_its_document_and_locale(own_editor: Editor) -> None:
    """No payload moves an entry elsewhere, and no component is taken from another entry."""
    tides = await own_editor.document_id("articles", "code", "T-1")
    ((seo,),) = own_editor.sql(
        "SELECT c.cmp_id FROM articles_cmps c JOIN articles a ON a.id = c.entity_id "
        "WHERE a.code = 'T-1' AND a.locale = 'en' AND a.published_at IS NULL AND c.field = 'seo'"
    )
    markets = await own_editor.document_id("articles", "code", "M-2")
    before = own_editor.sql("SELECT id, document_id, locale FROM articles ORDER BY id")
    for data in ({"seo": {"id": seo, "metaTitle": "Taken"}}, {"sections": [
        {"__component": "shared.quote", "id": 1, "text": "Taken"}]}):  # fmt: skip
        response = await own_editor.update(f"articles/{markets}?status=draft", data, WRITER)
        assert response.status == 400
        assert "not related to the entity" in error(response)["message"]
    assert own_editor.sql("SELECT id, document_id, locale FROM articles ORDER BY id") == before
    assert own_editor.sql("SELECT id FROM components_shared_seos WHERE meta_title = 'Taken'") == []
    response = await own_editor.update(
        f"articles/{tides}?locale=de&status=draft", {"title": "Da"}, WRITER
    )
    assert shown(response)["locale"] == "de"
    assert (await own_editor.entry(f"articles/{tides}"))["title"] == "Tides"
    own_editor.assert_sound()
