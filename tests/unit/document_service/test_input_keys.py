"""Allowed keys of a payload, and relations that a principal may write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.access.ability import Ability, Granted
from quire.document_service.input_keys import check_input
from quire.errors import InvalidKeyError
from tests.library.model import BOOK, EVERYTHING, LINK, NOTE, PERSON, QUOTE, TAG, library_schema


def problem(
    data: object, *, uid: str = BOOK, ability: Ability = EVERYTHING
) -> dict[str, object] | None:
    """Return the details of the error that a payload meets, with its message; none if sound."""
    schema = library_schema()
    try:
        check_input(schema, schema.content_types[uid], data, ability)
    except InvalidKeyError as error:
        return {"message": error.message, **(error.details or {})}
    return None


def invalid(key: str, path: str | None) -> dict[str, object]:
    place = "" if path is None or path == key else f" at {path}"
    return {"message": f"Invalid key {key}{place}", "key": key, "path": path, "source": "body"}


SOUND = [
    {},
    {"title": "x", "publishedAt": "x", "locale": "x"},
    {"title": {"any": "value"}, "extra": {"any": 1}, "code": 5},
    {"remark": "private attributes may be written"},
    {"author": None, "editors": [], "tags": "x", "cover": 5},
    {"author": {"documentId": "x", "name": "x", "locale": "en"}},
    {"editors": [{"id": 1}, "x", 5, None, True]},
    {"author": {"connect": [{"nope": 1, "position": {"end": True}}], "options": {"strict": False}}},
    {"author": {"set": [{"nope": 1}], "disconnect": {"nope": 1}}},
    {"author": {"documentId": "x", "createdAt": 1}},
    {"cover": {"id": 1, "name": "x"}},
    {"seo": {"id": 1, "documentId": "x", "title": "x", "image": {"id": 1}}},
    {"links": [{"id": 1, "label": "x", "to": {"id": 1}}, "x", None]},
    {"links": "x", "seo": 5, "sections": True},
    {"sections": [{"__component": QUOTE, "text": "x", "source": {"label": "x"}}]},
    {"sections": [{"__component": "no.such", "anything": 1}, {"anything": 1}, [{"anything": 1}]]},
    [{"title": "x"}, 5],
    "x",
    None,
]


@pytest.mark.parametrize("data", SOUND, ids=str)
def test_keys_that_exist_are_accepted_whatever_their_values(data: object) -> None:
    assert problem(data) is None


@pytest.mark.parametrize("name", ["id", "documentId"])
def test_an_identity_at_the_root_is_refused_without_a_path(name: str) -> None:
    found = {"message": f"Invalid key {name}", "key": name, "source": "body"}
    assert problem({"nope": 1, "createdAt": 1, name: None}) == found


@pytest.mark.parametrize(
    "name", ["createdAt", "updatedAt", "createdBy", "updatedBy", "localizations"]
)
def test_what_the_server_writes_is_refused_before_what_does_not_exist(name: str) -> None:
    assert problem({"nope": 1, name: 1}) == invalid(name, name)


def test_a_relation_to_one_entry_of_any_type_cannot_be_written() -> None:
    assert problem({"subject": None}, uid=NOTE) == invalid("subject", "subject")


@pytest.mark.parametrize(
    "name", ["nope", "status", "__component", "__type", "$eq", "", "author.id"]
)
def test_what_does_not_exist_is_refused(name: str) -> None:
    assert problem({"title": "x", name: 1}) == invalid(name, None)


@pytest.mark.parametrize(
    ("data", "key", "path"),
    [
        ({"seo": {"nope": 1}}, "nope", "seo"),
        ({"seo": {"__component": "shared.seo"}}, "__component", "seo"),
        ({"seo": {"createdAt": 1}}, "createdAt", "seo"),
        ({"seo": [{"nope": 1}]}, "nope", "seo"),
        ({"links": [{"label": "x"}, {"nope": 1}]}, "nope", "links"),
        ({"links": {"nope": 1}}, "nope", "links"),
        ({"links": [["x"]]}, "0", "links"),
        ({"sections": [{"__component": LINK, "nope": 1}]}, "nope", "sections"),
        ({"sections": [{"__component": QUOTE, "source": {"x": 1}}]}, "x", "sections.source"),
        ({"author": {"nope": 1}}, "nope", "author"),
        ({"author": {"documentId": "x", "status": "draft"}}, "status", "author"),
        ({"author": {"documentId": "x", "position": {}}}, "position", "author"),
        ({"author": {"connect": [], "nope": 1}}, "nope", "author"),
        ({"author": {"__type": PERSON, "id": 1}}, "__type", "author"),
        ({"editors": [1, {"nope": 1}]}, "nope", "editors"),
        ({"editors": [["x"]]}, "0", "editors"),
        ({"editors": [{"books": [{"nope": 1}]}]}, "nope", "editors.books"),
        ({"cover": {"nope": 1}}, "nope", "cover"),
        ([{"title": "x"}, {"nope": 1}], "nope", None),
    ],
    ids=str,
)
def test_what_does_not_exist_is_refused_at_every_depth(
    data: object, key: str, path: str | None
) -> None:
    assert problem(data) == invalid(key, path)


def test_the_first_of_several_unknown_keys_is_reported() -> None:
    assert problem({"seo": {"first": 1}, "second": 1}) == invalid("first", "seo")
    assert problem({"second": 1, "seo": {"first": 1}}) == invalid("second", None)


BOOKS_ONLY = Granted(frozenset({f"{BOOK}.find"}))


@pytest.mark.parametrize("value", [None, [], "x", {"connect": []}, True])
def test_a_relation_whose_target_may_not_be_found_is_refused_whatever_its_value(
    value: object,
) -> None:
    assert problem({"author": value}, ability=BOOKS_ONLY) == invalid("author", "author")
    assert problem({"sequel": value}, ability=BOOKS_ONLY) is None


def test_relations_in_components_are_refused_with_their_path() -> None:
    data = {"sections": [{"__component": QUOTE, "by": None}]}
    assert problem(data, ability=BOOKS_ONLY) == invalid("by", "sections.by")


def test_files_may_be_named_by_everybody() -> None:
    assert problem({"cover": 1, "pictures": [1]}, ability=BOOKS_ONLY) is None


def test_an_unknown_key_is_reported_before_a_relation_that_may_not_be_found() -> None:
    assert problem({"author": 1, "nope": 1}, ability=BOOKS_ONLY) == invalid("nope", None)


@pytest.mark.parametrize(
    "value",
    [
        [{"__type": BOOK, "documentId": "x"}, {"__type": PERSON, "id": 1, "name": "x"}],
        {"connect": [{"__type": BOOK, "id": 1, "nope": 1}], "disconnect": []},
        {"set": {"__type": BOOK, "id": 1}},
        [],
    ],
)
def test_relations_to_any_type_say_of_which(value: object) -> None:
    assert problem({"about": value}, uid=NOTE) is None


@pytest.mark.parametrize(
    "value",
    [
        None,
        "x",
        5,
        {"__type": BOOK, "id": 1},
        ["x"],
        [{"id": 1}],
        [{"__type": "no.such", "id": 1}],
        [{"__type": 5}],
        {"connect": [{"id": 1}]},
    ],
    ids=str,
)
def test_relations_to_any_type_that_name_none_are_refused(value: object) -> None:
    assert problem({"about": value}, uid=NOTE) == invalid("about", "about")


def test_relations_to_any_type_reach_no_further_than_the_ability() -> None:
    items = [{"__type": BOOK, "id": 1}, {"__type": PERSON, "id": 1}]
    assert problem({"about": items}, uid=NOTE, ability=BOOKS_ONLY) == invalid("about", "about")
    assert problem({"about": items[:1]}, uid=NOTE, ability=BOOKS_ONLY) is None


@pytest.mark.parametrize(
    ("value", "key"),
    [([{"__type": TAG, "id": 1, "nope": 1}], "nope"), ({"set": [], "nope": 1}, "nope")],
)
def test_unknown_keys_of_relations_to_any_type_are_refused(value: object, key: str) -> None:
    assert problem({"about": value}, uid=NOTE) == invalid(key, "about")


names = st.sampled_from(
    [
        *library_schema().content_types[BOOK].attributes,
        *("connect", "set", "disconnect", "options", "__component", "__type", "nope", "about"),
    ]
)
payloads = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["x", BOOK, LINK, QUOTE]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
)


@given(payloads, st.sampled_from([BOOK, NOTE]), st.sampled_from([EVERYTHING, BOOKS_ONLY]))
def test_every_payload_is_accepted_or_refused(data: object, uid: str, ability: Ability) -> None:
    found = problem(data, uid=uid, ability=ability)
    assert found is None or found["source"] == "body"
