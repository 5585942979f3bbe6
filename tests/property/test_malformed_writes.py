"""Malformed writes get a response, never a 500, and leave consistent rows."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from quire.cli.check_database import check_database
from quire.database.tables.table_map import map_tables
from quire.schema.model import ContentType, Schema, TypeKind
from quire.settings import load_settings
from quire.strapi_project.schema import load_project_schema
from tests.databases.kinds import rows_of
from tests.examples import examples
from tests.property.payloads import Payloads, anything, locales, scalars
from tests.property.test_malformed import FULL, Sent, Server

JSON_HEADERS = ((b"content-type", b"application/json"), (b"authorization", FULL))
FORM_HEADERS = (
    (b"content-type", b"application/x-www-form-urlencoded"),
    (b"authorization", FULL),
)
ACTIONS = ("create", "update", "delete", "publish", "unpublish")


class Written:
    """A project that is written into at random, and what its requests are made of."""

    def __init__(self, project: Path) -> None:
        self._settings = load_settings(project, environ={})
        self._before = self._said()
        self._ids = {type_.uid: self._known(type_) for type_ in self._schema.api_types}
        self.server = Server(project)
        self.payloads = Payloads(self._schema, [id_ for ids in self._ids.values() for id_ in ids])
        self.types = st.sampled_from(self._schema.api_types)

    def close(self) -> None:
        """End, and look at what is left: it must be as sound as before."""
        self.server.close()
        assert self._said() - self._before == set()

    def ids(self, content_type: ContentType) -> st.SearchStrategy[str]:
        return st.sampled_from([*self._ids[content_type.uid][:6], "unknown", "x\0"])

    def targets(self, content_type: ContentType) -> st.SearchStrategy[tuple[str, str]]:
        """A method, and a path that it is for."""
        path = f"/api/{content_type.route_name}"
        if content_type.kind is TypeKind.SINGLE:
            return st.tuples(st.sampled_from(["PUT", "PUT", "PUT", "DELETE"]), st.just(path))
        documents = self.ids(content_type).map(lambda id_: f"{path}/{quote(id_)}")
        return st.one_of(
            st.tuples(st.just("POST"), st.just(path)),
            st.tuples(st.sampled_from(["PUT", "PUT", "PUT", "PUT", "DELETE"]), documents),
        )

    def operations(self, content_type: ContentType) -> st.SearchStrategy[object]:
        """An operation of a batch, mostly as it should be."""
        ids = self.ids(content_type)
        references = st.fixed_dictionaries({"$ref": st.integers(0, 2) | scalars})
        whole = st.fixed_dictionaries(
            {
                "action": st.sampled_from(ACTIONS),
                "type": st.just(content_type.route_name),
                "documentId": ids | ids | references,
                "data": self.payloads.of(content_type),
            },
            optional={
                "locale": st.sampled_from(["en", "fr"]) | locales,
                "status": st.sampled_from(["draft", "published", "x"]),
                "populate": st.just("*") | anything,
                "as": st.text("abc", min_size=1, max_size=2),
            },
        )
        return st.builds(_fitted, whole, st.integers(0, 9))

    @property
    def _schema(self) -> Schema:
        return load_project_schema(self._settings)

    def _known(self, content_type: ContentType) -> list[str]:
        table = map_tables(self._schema)[content_type.uid].name
        with rows_of(self._settings.project) as rows:
            found = rows.execute(f'SELECT DISTINCT document_id FROM "{table}" ORDER BY 1')
        return [str(id_) for (id_,) in found]

    def _said(self) -> set[str]:
        """The findings of ``quire check`` in the database."""
        report = check_database(self._settings, self._schema)
        return {*map(str, report.findings), *report.problems, *report.damage}


def _fitted(operation: dict[str, object], chance: int) -> dict[str, object]:
    """Leave out, nine times out of ten, what the action of an operation has no use for."""
    useless = {"create": "documentId", "update": ""}.get(str(operation["action"]), "data")
    return {key: value for key, value in operation.items() if key != useless or chance == 9}


@pytest.fixture(scope="module")
def written(shared_recorded: Path) -> Iterator[Written]:
    found = Written(shared_recorded)
    yield found
    found.close()


queries = st.builds(
    lambda status, locale, more: "&".join(
        [*([status] if status else []), *([f"locale={quote(locale)}"] if locale else []), more]
    ).encode(),
    st.sampled_from(["", "", "status=draft", "status=published", "status=x"]),
    st.none() | locales,
    st.sampled_from(["", "", "populate=*", "fields=nope", "populate[author][fields]=name", "_q=a"]),
)
generated = settings(derandomize=True, deadline=None, database=None)


@settings(generated, max_examples=examples(300))
@given(st.data())
def test_any_payload_is_answered(written: Written, data: st.DataObject) -> None:
    content_type = data.draw(written.types)
    method, path = data.draw(written.targets(content_type))
    payload = data.draw(written.payloads.of(content_type))
    body = json.dumps({"data": payload}).encode()
    sent = Sent(method, path.encode(), data.draw(queries), JSON_HEADERS, body)
    written.server.check(sent)


@settings(generated, max_examples=examples(150))
@given(st.data())
def test_any_batch_is_answered(written: Written, data: st.DataObject) -> None:
    types = data.draw(st.lists(written.types, min_size=1, max_size=4))
    operations = [data.draw(written.operations(content_type)) for content_type in types]
    body = json.dumps({"operations": operations}).encode()
    written.server.check(Sent("POST", b"/api/_batch", b"", JSON_HEADERS, body))


@settings(generated, max_examples=examples(80))
@given(st.data())
def test_any_form_is_answered(written: Written, data: st.DataObject) -> None:
    """Names of all kinds of nesting, with values that are text."""
    content_type = data.draw(written.types)
    method, path = data.draw(written.targets(content_type))
    names = st.sampled_from([*content_type.attributes, "0", "", "id", "connect", "__component"])
    steps = st.lists(names, max_size=5).map(lambda found: "".join(f"[{n}]" for n in found))
    pairs = data.draw(st.lists(st.tuples(steps, scalars), max_size=8))
    body = "&".join(f"data{name}={quote(str(value))}" for name, value in pairs).encode()
    written.server.check(Sent(method, path.encode(), data.draw(queries), FORM_HEADERS, body))


def test_large_payloads_are_answered(written: Written) -> None:
    """Lists as long and nesting as deep as a body may have, in every attribute of every type.

    Of attributes that differ in their names alone, one is enough.
    """
    deep: object = "x"
    for _ in range(120):
        deep = {"connect": [deep]}
    bodies = [list(range(20_000)), [{"id": n} for n in range(5_000)], deep]
    values = [json.dumps(value) for value in bodies]
    seen: set[object] = set()
    for content_type in written.server.application.schema.api_types:
        single = content_type.kind is TypeKind.SINGLE
        method, path = ("PUT" if single else "POST"), f"/api/{content_type.route_name}"
        for name, attribute in content_type.attributes.items():
            distinct = single, content_type.draft_and_publish, repr(replace(attribute, name=""))
            if distinct in seen:
                continue
            seen.add(distinct)
            for value in values:
                body = f'{{"data": {{"{name}": {value}}}}}'.encode()
                written.server.check(Sent(method, path.encode(), b"", JSON_HEADERS, body))
    assert len(seen) > 50
