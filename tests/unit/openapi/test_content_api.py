"""The OpenAPI document of the content API matches the schema and the permissions."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from quire.access.ability import FullAccess, Granted
from quire.access.declared_routes import SERVER_PATHS, DeclaredRoute
from quire.openapi.content.api import ApiOptions, describe_content_api
from quire.openapi.query_parameters import PageLimits
from quire.settings import load_settings
from quire.strapi_project.schema import load_project_schema
from tests.unit.kiosk import Kiosk, open_kiosk
from tests.unit.schema.trees import component_file, type_file, write_tree

JsonObject = dict[str, Any]

OPTIONS = ApiOptions(
    server="/api",
    pages=PageLimits(default=25, maximum=100),
)


@pytest.fixture(scope="module")
async def kiosk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kiosk]:
    async with open_kiosk(tmp_path_factory.mktemp("described")) as kiosk:
        yield kiosk


async def no_handler() -> None:
    """Does nothing."""


def declared(*, method: str, path: str, action: str, uid: str) -> DeclaredRoute:
    return DeclaredRoute(method=method, path=path, action=action, uid=uid, handler=no_handler)


async def described(kiosk: Kiosk) -> JsonObject:
    response = await kiosk.send("GET", "openapi.json")
    assert response.status == 200
    document: JsonObject = json.loads(response.content)
    return document


def schemas(document: JsonObject) -> JsonObject:
    found: JsonObject = document["components"]["schemas"]
    return found


async def test_the_document_is_valid(kiosk: Kiosk) -> None:
    document = await described(kiosk)

    assert document["openapi"] == "3.1.0"
    assert not [error.message for error in OpenAPIV31SpecValidator(document).iter_errors()]


async def test_a_visitor_is_told_of_what_visitors_may_do(kiosk: Kiosk) -> None:
    document = await described(kiosk)

    assert set(document["paths"]["/papers/{documentId}"]) == {"get", "put", "delete"}
    assert set(document["paths"]["/papers"]) == {"get", "post"}
    assert "/masthead" not in document["paths"]
    assert "/users" not in document["paths"]


async def test_what_nobody_sees_is_not_shown(kiosk: Kiosk) -> None:
    found = schemas(await described(kiosk))

    assert "title" in found["Paper"]["properties"]
    assert {"margin", "lock", "createdBy"}.isdisjoint(found["Paper"]["properties"])
    assert {"margin", "lock"}.isdisjoint(found["PaperFilters"]["properties"])
    assert "hint" not in found["PartLine"]["properties"]


async def test_what_is_hidden_can_be_written(kiosk: Kiosk) -> None:
    found = schemas(await described(kiosk))

    assert {"margin", "lock", "title", "lines"} <= set(found["PaperInput"]["properties"])
    assert {"id", "documentId", "createdAt", "locale"}.isdisjoint(found["PaperInput"]["properties"])


async def test_only_what_drafts_are_held_to_is_asked_of_a_type_with_drafts(kiosk: Kiosk) -> None:
    title = schemas(await described(kiosk))["PaperInput"]["properties"]["title"]

    assert title["maxLength"] == 40
    assert title["type"] == ["string", "null"]
    assert title["description"] == "What is published must keep this: required. Drafts need not."


async def test_parameters_are_those_that_the_type_has_a_use_for(kiosk: Kiosk) -> None:
    paths = (await described(kiosk))["paths"]

    def names(path: str, method: str) -> set[str]:
        return {parameter["name"] for parameter in paths[path][method]["parameters"]}

    page = {f"pagination[{name}]" for name in ("page", "pageSize", "start", "limit", "withCount")}
    listing = {"filters", "_q", "sort", "fields", "populate", "If-None-Match"} | page
    assert names("/papers", "get") == listing | {"status", "locale", "publicationFilter"}
    assert names("/writers", "get") == listing
    assert names("/papers", "post") == {"fields", "populate", "status", "locale"}
    assert names("/papers/{documentId}", "delete") == {
        "documentId", "If-Match", "locale", "filters", "_q",
    }  # fmt: skip


async def test_groups_of_filters_stand_beside_attributes_but_not_within_relations(
    kiosk: Kiosk,
) -> None:
    found = schemas(await described(kiosk))
    groups = {"$and", "$or", "$not"}

    assert groups < set(found["PaperFilters"]["properties"])
    attributes, *grouped = (
        found[choice["$ref"].rpartition("/")[2]]
        for choice in found["WriterRelatedFilters"]["anyOf"]
    )
    assert groups.isdisjoint(attributes["properties"])
    assert [set(group["properties"]) for group in grouped] == [{"$and"}, {"$or"}]


async def test_every_object_in_a_union_has_a_name(kiosk: Kiosk) -> None:
    """Generators leave out operations that lead in circles through objects without names."""
    document = await described(kiosk)

    def unnamed(value: object, path: str) -> Iterator[str]:
        if isinstance(value, list):
            for place, item in enumerate(value):
                yield from unnamed(item, f"{path}/{place}")
        if isinstance(value, dict):
            for keyword in ("anyOf", "oneOf"):
                for place, choice in enumerate(value.get(keyword, [])):
                    if "properties" in choice:
                        yield f"{path}/{keyword}/{place}"
            for name, inner in value.items():
                yield from unnamed(inner, f"{path}/{name}")

    assert list(unnamed(document, "")) == []


async def test_it_is_the_same_document_until_rights_change(kiosk: Kiosk) -> None:
    first = await kiosk.send("GET", "openapi.json")
    second = await kiosk.send("GET", "openapi.json")

    assert first.content == second.content


async def test_every_route_of_the_server_is_described(kiosk: Kiosk) -> None:
    types = {content_type.uid for content_type in kiosk.app.schema.api_types}
    own = [route for route in kiosk.app.routes if route.uid not in types]
    document = describe_content_api(kiosk.app.schema, FullAccess(), own, OPTIONS)
    operations = [one for methods in document["paths"].values() for one in methods.values()]

    assert {(route.method, route.path) for route in own} == set(SERVER_PATHS)
    assert all(route.tag and route.handler.__doc__ for route in own)
    assert len({one["operationId"] for one in operations}) == len(own)


def test_relations_to_what_the_caller_may_not_find_are_left_out(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        type_file(
            "book",
            {
                "title": {"type": "string", "required": True},
                "author": {"type": "relation", "relation": "manyToOne", "target": "api::poet.poet"},
            },
        ),
        type_file("poet", {"name": {"type": "string"}}),
    )
    schema = load_project_schema(load_settings(tmp_path, environ={}))
    uid = "api::book.book"
    actions = {f"{uid}.find", f"{uid}.create"}
    endpoints = [
        declared(method="GET", path="books", action=f"{uid}.find", uid=uid),
        declared(method="POST", path="books", action=f"{uid}.create", uid=uid),
    ]

    def found(*more: str) -> JsonObject:
        ability = Granted(frozenset({*actions, *more}))
        return schemas(describe_content_api(schema, ability, endpoints, OPTIONS))

    hidden, shown = found(), found("api::poet.poet.find")
    for name in ("Book", "BookInput", "BookFilters"):
        assert "author" not in hidden[name]["properties"]
        assert "author" in shown[name]["properties"]
    assert "Poet" not in hidden
    assert "Poet" in shown
    assert hidden["BookCreate"]["allOf"][1] == {"required": ["title"]}


def test_items_of_a_zone_say_which_component_they_are(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        type_file("page", {"parts": {"type": "dynamiczone", "components": ["a.text", "a.image"]}}),
        component_file("a.text", {"body": {"type": "richtext"}}),
        component_file("a.image", {"file": {"type": "media"}}),
    )
    schema = load_project_schema(load_settings(tmp_path, environ={}))
    endpoint = declared(
        method="GET", path="pages", action="api::page.page.find", uid="api::page.page"
    )

    document = describe_content_api(schema, FullAccess(), [endpoint], OPTIONS)

    items = schemas(document)["Page"]["properties"]["parts"]["items"]
    assert items["discriminator"]["mapping"] == {
        "a.text": "#/components/schemas/ATextInZone",
        "a.image": "#/components/schemas/AImageInZone",
    }
    text = schemas(document)["ATextInZone"]
    assert text["properties"]["__component"] == {"const": "a.text"}
    assert text["required"] == ["id", "__component"]
    assert not list(OpenAPIV31SpecValidator(document).iter_errors())


def test_paths_of_the_project_have_their_own_parameters(tmp_path: Path) -> None:
    """An action of a project's JavaScript, and one of every type under another path."""
    write_tree(tmp_path, type_file("page", {"name": {"type": "string"}}))
    schema = load_project_schema(load_settings(tmp_path, environ={}))
    uid = "api::page.page"
    endpoints = [
        declared(method="GET", path="pages/:documentId/near", action=f"{uid}.near", uid=uid),
        declared(method="GET", path="pages/of/:slug", action=f"{uid}.find", uid=uid),
        declared(method="DELETE", path="pages/:documentId", action=f"{uid}.delete", uid=uid),
    ]

    document = describe_content_api(schema, FullAccess(), endpoints, OPTIONS)

    assert not [error.message for error in OpenAPIV31SpecValidator(document).iter_errors()]
    in_path = [
        [each["name"] for each in operation["parameters"] if each["in"] == "path"]
        for methods in document["paths"].values()
        for operation in methods.values()
    ]
    assert in_path == [["documentId"], ["slug"], ["documentId"]]


def test_patterns_are_regular_expressions_of_javascript(tmp_path: Path) -> None:
    """A hyphen must not be escaped there."""
    see_also = {"type": "relation", "relation": "manyToMany", "target": "api::page.page"}
    write_tree(tmp_path, type_file("page", {"see-also": see_also}))
    schema = load_project_schema(load_settings(tmp_path, environ={}))
    uid = "api::page.page"
    endpoint = declared(method="GET", path="pages", action=f"{uid}.find", uid=uid)

    text = json.dumps(describe_content_api(schema, FullAccess(), [endpoint], OPTIONS))

    patterns = re.findall(r'"pattern": "([^"]+)"', text)
    assert any("see-also" in pattern for pattern in patterns)
    assert not any(r"\-" in pattern for pattern in patterns)


def test_a_long_chain_of_types_is_described(tmp_path: Path) -> None:
    """Each leads to the next, and the last one to the first."""
    count = 400
    names = [f"link{number}" for number in range(count)]
    write_tree(
        tmp_path,
        *(
            type_file(
                name,
                {
                    "next": {
                        "type": "relation",
                        "relation": "oneToOne",
                        "target": f"api::{after}.{after}",
                    }
                },
            )
            for name, after in zip(names, [*names[1:], names[0]], strict=True)
        ),
    )
    schema = load_project_schema(load_settings(tmp_path, environ={}))
    uid = "api::link0.link0"
    endpoint = declared(method="GET", path="link0s", action=f"{uid}.find", uid=uid)

    document = describe_content_api(schema, FullAccess(), [endpoint], OPTIONS)

    assert {f"Link{number}" for number in range(count)} <= set(schemas(document))
