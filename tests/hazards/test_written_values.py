"""Values of every form are accepted or rejected by rule, and never changed silently."""

import json
import unicodedata

import pytest

from tests.databases.kind import Kind
from tests.hazards.newsroom import JsonObject
from tests.hazards.visitors import FULL, WRITER, error
from tests.hazards.writing import Editor, results, shown

INJECTED = [
    "1') OR 1=1--",
    '"); DROP TABLE articles; --',
    "' || (SELECT password FROM admin_users) || '",
    "1 UNION SELECT 1, 2, 3",
    "$1", "?", "?1", ":title", "@p", "%s", "{0}", "\\", "\\'", "''", "`", "/*", "--", ";",
    "(1)", "[1]", "NULL", "CAST(1 AS INT)", "x'41'", "\U0001f600", "a" * 65_536,
]  # fmt: skip
TEXTS = ["secret", "passcode", "body"]
"""Attributes that hold any text."""

WRONG: dict[str, object] = {
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "a fraction": 1.5,
    "a huge number": 1e300,
    "the largest integer": 2**63 - 1,
    "more than that": 2**64,
    "a negative number": -(2**63) - 1,
    "nothing": "",
    "a word": "abc",
    "a number as text": "12",
    "digits": "9" * 400,
    "a list": [],
    "a list in a list": [[[]]],
    "numbers": [1, 2],
    "nulls": [None, None],
    "an empty object": {},
    "an object": {"a": {"b": [1]}},
    "objects": [{}, {"id": {}}, {"documentId": []}],
    "ids of any kind": {"id": [1], "documentId": {"id": 1}},
    "nested changes": {"connect": {"connect": {"connect": [1]}}},
    "changes to nothing": {"set": True, "connect": False, "disconnect": {}},
    "a place": {"connect": [{"id": 1, "position": {"before": {}, "after": [], "start": {}}}]},
    "an odd place": {"connect": [{"id": 1, "position": [1]}], "options": [1]},
    "components": [{"__component": []}, {"__component": {"a": 1}}, {"__component": None}],
    "no component": [{"__component": "no.such"}, {"id": "1"}, 5],
    "a type": [{"__type": "admin::user", "id": 1}],
    "blocks": [{"type": {}, "children": {"0": 1}}],
    "many": list(range(300)),
}
ATTRIBUTES = [
    "title", "secret", "passcode", "code", "extra", "views", "rank", "price", "day", "hour",
    "happensAt", "open", "kind", "body", "cover", "author", "category", "desk", "related",
    "relatedBy", "hiddenRelated", "seo", "sections",
    *(f"seo.{name}" for name in ("metaTitle", "image", "owner", "topic")),
    *(f"sections.{name}" for name in ("heading", "images", "seo", "quotes")),
]  # fmt: skip
"""Those of an article, of its component, and of a panel in its dynamic zone."""


@pytest.mark.parametrize("text", INJECTED, ids=range(len(INJECTED)))
async def test_h112_texts_are_written_as_they_were_sent(editor: Editor, text: str) -> None:
    """Whatever a text looks like, it is a value: it comes back unchanged, and does nothing."""
    data: JsonObject = {"title": text[:255], **dict.fromkeys(TEXTS, text[:255]), "body": text}
    data |= {"extra": {text: [text]}, "seo": {"metaTitle": text[:255]}}
    sent = {**data, "sections": [{"__component": "shared.quote", "text": text}]}
    made = shown(await editor.create("articles?populate=*", sent), status=201)
    changed = shown(await editor.update(f"articles/{made['documentId']}?populate=*", sent))
    operation = {"action": "create", "type": "articles", "data": sent, "populate": "*"}
    batched = results(await editor.batch(operation))[0]["data"]
    for entry in (made, changed, batched):
        assert [entry["title"], entry["body"], entry["extra"], entry["seo"]["metaTitle"]] == [
            data["title"], text, {text: [text]}, text[:255],
        ]  # fmt: skip
        assert entry["sections"][0]["text"] == text
    secrets = editor.sql("SELECT secret FROM articles WHERE title = ?", text[:255])
    assert set(secrets) == {(text[:255],)}


async def test_h112_statements_do_not_change_with_values(own_editor: Editor) -> None:
    """The text of every statement of a write is the same, whatever is written."""
    seen = []
    for text in INJECTED:
        short = text[:255]
        data: JsonObject = {
            "title": short,
            "body": text,
            "extra": {text: text},
            "seo": {"metaTitle": short},
            "sections": [{"__component": "shared.quote", "text": text}],
            "category": 1,
        }
        watched = own_editor.watch()
        try:
            document_id = await own_editor.made("articles", **data)
            shown(await own_editor.update(f"articles/{document_id}", data))
            operation = {"action": "update", "type": "articles", "documentId": document_id}
            results(await own_editor.batch({**operation, "data": data}))
            assert (await own_editor.delete(f"articles/{document_id}")).status == 204
        finally:
            own_editor.unwatch(watched)
        seen.append([statement.sql for statement in watched.statements])
    assert len(seen[0]) > 10
    assert all(statements == seen[0] for statements in seen)


@pytest.mark.parametrize("text", INJECTED, ids=range(len(INJECTED)))
async def test_h111_targets_are_compared_never_pasted(editor: Editor, text: str) -> None:
    """A target that is no id is none of any entry, in every list of targets."""
    (before,) = editor.sql("SELECT (SELECT count(*) FROM articles), (SELECT count(*) FROM desks)")
    for value in (text, [text], {"set": [1, text]}, {"connect": [{"documentId": text}]},
        {"disconnect": [text]}, {"connect": [{"id": text}]},
        {"connect": [{"id": 1, "position": {"before": text}}]}):  # fmt: skip
        for name in ("category", "related", "cover"):
            response = await editor.create("articles", {"title": "Targets", name: value})
            assert response.status in {201, 400}, (name, value, response.content)
            if response.status == 201:
                document_id = shown(response, status=201)["documentId"]
                assert (await editor.delete(f"articles/{document_id}")).status == 204
    (after,) = editor.sql("SELECT (SELECT count(*) FROM articles), (SELECT count(*) FROM desks)")
    assert after == before
    editor.assert_sound()


def holding(path: str, value: object) -> JsonObject:
    """Data with a value at an attribute."""
    holder, _, name = path.rpartition(".")
    if holder == "seo":
        return {"seo": {name: value}}
    if holder == "sections":
        return {"sections": [{"__component": "shared.panel", name: value}]}
    return {name: value}


@pytest.mark.parametrize("path", ATTRIBUTES)
async def test_h115_wrong_shapes_are_refused_not_thrown(editor: Editor, path: str) -> None:
    """Every attribute meets every shape: it is written or it is a 400 that says why."""
    for label, value in WRONG.items():
        data = holding(path, value)
        response = await editor.create("articles", data)
        assert response.status in {201, 400}, (label, response.content)
        if response.status == 400:
            assert error(response)["name"] in {"ValidationError", "ApplicationError", "Error"}
            assert error(response)["message"]
            continue
        document_id = shown(response, status=201)["documentId"]
        response = await editor.update(f"articles/{document_id}", data)
        assert response.status in {200, 400}, (label, response.content)
        assert (await editor.ask(f"articles/{document_id}?populate=*", FULL)).status == 200
    editor.assert_sound()


@pytest.mark.parametrize("label", WRONG)
async def test_h115_payloads_of_wrong_shapes_are_refused(editor: Editor, label: str) -> None:
    """So is what stands where the data should, or the operations of a batch."""
    value = WRONG[label]
    raw = json.dumps(value).encode()
    before = editor.contents()
    for target in ("articles", "_batch"):
        for body in (raw, b'{"data": %s}' % raw, b'{"operations": %s}' % raw,
            b'{"operations": [%s]}' % raw):  # fmt: skip
            response = await editor.send("POST", target, body)
            assert response.status == 400 or (response.status, target) == (201, "articles")
            if response.status == 201:
                assert value == {}
                await editor.delete(f"articles/{shown(response, status=201)['documentId']}")
    for key in ("action", "type", "documentId", "data", "locale", "status", "populate", "fields",
        "as"):  # fmt: skip
        operation: JsonObject = {"action": "delete", "type": "articles", "documentId": "none"}
        response = await editor.batch({**operation, key: value})
        assert response.status in {200, 400}, (key, response.content)
        response = await editor.batch({**operation, "documentId": {"$ref": value}})
        assert response.status == 400
    assert editor.contents() == before


DEEP = 240
"""Levels of nesting that a body may still have."""


@pytest.mark.parametrize("name", ["extra", "category", "related", "seo", "sections", "title"])
async def test_h117_deep_and_large_values_end(editor: Editor, name: str) -> None:
    """Depth and number within the bounds of a body exhaust neither stack nor time."""
    lists: object = "x"
    objects: object = "x"
    for _ in range(DEEP):
        lists, objects = [lists], {"a": objects}
    for value in (lists, objects, ["x"] * 30_000, dict.fromkeys(map(str, range(20_000)), 1),
        [{}] * 20_000, [[]] * 30_000, "x" * 1_000_000):  # fmt: skip
        response = await editor.create("articles", {"title": "Large", name: value})
        assert response.status in {201, 400}, response.content[:300]
        operation = {"action": "create", "type": "articles", "data": {name: value}}
        assert (await editor.batch(operation)).status in {200, 400, 413}
    editor.assert_sound()


@pytest.mark.parametrize(
    ("written", "in_sqlite", "in_postgresql"),
    [
        (b"9007199254740993", "9007199254740992", "9007199254740992"),
        (b'"9007199254740993"', "9007199254740992", "9007199254740993"),
        (b"9223372036854775807", "9223372036854776000", None),
        (b'"9223372036854775807"', "9223372036854776000", "9223372036854775807"),
        (b"12345678901234567890", "12345678901234567000", None),
        (b"-0", "0", "0"),
        (b"-0.0", "0", "0"),
    ],
)
async def test_h117_numbers_that_no_double_holds(
    kind: Kind, editor: Editor, written: bytes, in_sqlite: str, in_postgresql: str | None
) -> None:
    """Numbers are those of JavaScript, and SQLite keeps digits as such; nought has no sign.

    PostgreSQL keeps digits exactly, and nothing beyond 64 bits.
    """
    read = in_sqlite if kind.name == "sqlite" else in_postgresql
    response = await editor.send("POST", "articles", b'{"data":{"views":%s}}' % written)
    if read is None:
        assert response.status == 400
    else:
        assert shown(response, status=201)["views"] == read


async def test_h117_the_last_of_equal_keys_counts(editor: Editor) -> None:
    """At every level, as JavaScript reads it."""
    body = b'{"data":{"title":"a"},"data":{"title":"b","title":"c","extra":{"x":1,"x":2}}}'
    entry = shown(await editor.send("POST", "articles", body), status=201)
    assert (entry["title"], entry["extra"]) == ("c", {"x": 2})


@pytest.mark.parametrize(
    "data",
    [
        {"title": "a\0b"},
        {"body": "\0"},
        {"passcode": "pass\0word"},
        {"code": "\0"},
        {"kind": "news\0"},
        {"views": "1\0"},
        {"extra": {"a": ["\0"]}},
        {"extra": {"\0": 1}},
        {"seo": {"metaTitle": "a\0"}},
        {"sections": [{"__component": "shared.quote", "text": "a\0"}]},
        {"sections": [{"__component": "shared.panel", "quotes": [{"text": "a\0"}]}]},
        {"category": "a\0"},
        {"\0": 1},
    ],
)
async def test_h118_a_nul_is_refused_wherever_it_stands(editor: Editor, data: JsonObject) -> None:
    """SQLite would keep it and PostgreSQL could not, so that content could not be moved."""
    before = editor.contents()
    for response in (
        await editor.create("articles", data),
        await editor.batch({"action": "create", "type": "articles", "data": data}),
    ):
        assert (response.status, error(response)["name"]) == (400, "ValidationError")
    assert editor.contents() == before


@pytest.mark.parametrize("target", ["articles?locale=e%00n", "articles/a%00b", "articles/%00"])
async def test_h118_a_nul_is_no_part_of_an_address(editor: Editor, target: str) -> None:
    """Neither of a locale nor of a document id."""
    method = "PUT" if "/" in target else "POST"
    response = await editor.send(method, target, {"data": {"title": "NUL"}})
    assert response.status in {400, 404}
    assert editor.sql("SELECT id FROM articles WHERE title = 'NUL'") == []


@pytest.mark.parametrize(
    "body", [b'"a\\ud800b"', b'"\\udc00"', b'"\\ud800\\ud800"', b'"a\xed\xa0\x80b"', b'"\xff"']
)
async def test_h118_halves_of_characters_are_refused(editor: Editor, body: bytes) -> None:
    """What no database can keep as text is no text."""
    for sent in (b'{"data":{"title":%s}}' % body, b'{"data":{"extra":{%s:1}}}' % body):
        response = await editor.send("POST", "articles", sent, WRITER)
        assert (response.status, error(response)["name"]) == (400, "SyntaxError")


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f600\U0010ffff",
        "\u202eabc\u202c",
        "\u200b\u200d\ufeff",
        "\ufffe\uffff\ufffd",
        "\x01\x1f\x7f\x80",
        "\r\n\t\u2028\u2029",
        "\u05d0\u0645\u0e01",
        *(unicodedata.normalize(form, "\u00e9\ufb01\u212b") for form in ("NFC", "NFD", "NFKC")),
    ],
)
async def test_h118_text_of_any_script_is_kept_as_it_is(editor: Editor, text: str) -> None:
    """No character is dropped, replaced or normalized on the way in or out."""
    data = {"title": text, "body": text, "extra": [text], "seo": {"metaTitle": text}}
    entry = shown(await editor.create("articles?populate=seo", data), status=201)
    seo = entry["seo"]["metaTitle"]
    assert (entry["title"], entry["body"], entry["extra"], seo) == (text, text, [text], text)
    assert editor.sql("SELECT DISTINCT title FROM articles WHERE document_id = ?",
        entry["documentId"]) == [(text,)]  # fmt: skip
