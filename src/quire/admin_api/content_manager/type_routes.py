"""The model for the content manager: types, components, and views of lists and forms."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from quire.admin_api.response_types import VIEWS, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import RequestBody
from quire.content_api.content_types import KindQuery
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_manager.type_descriptions import (
    FIELD_SIZES,
    describe_parts,
    describe_types,
)
from quire.content_manager.view_configuration import View, stored_view, with_list_main_fields
from quire.content_manager.view_validation import changed_view, problems_of_view
from quire.database.entries.entry_tables import EntryStore
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.core_store import read_settings, view_key, write_setting
from quire.errors import BadInputError, ForbiddenError, NotFoundError, ValidationError
from quire.hooks.attribute_types import CustomAttributeType
from quire.hooks.operators import OPERAND_TYPES
from quire.schema.attributes.base import ComponentAttribute, DynamicZoneAttribute
from quire.schema.describe import in_order
from quire.schema.model import Component, ContentType, Model, TypeKind

_KINDS = (TypeKind.SINGLE.value, TypeKind.COLLECTION.value)
_PLUGIN = "plugin::content-manager"
_CONFIGURE: Mapping[TypeKind, str] = {
    TypeKind.SINGLE: f"{_PLUGIN}.single-types.configure-view",
    TypeKind.COLLECTION: f"{_PLUGIN}.collection-types.configure-view",
}
_CONFIGURE_COMPONENTS = f"{_PLUGIN}.components.configure-layout"


class ViewConfiguration(RequestBody, forbid_unknown_fields=False):
    """The view of lists and forms."""

    settings: FreeObject | UnsetType = UNSET
    metadatas: FreeObject | UnsetType = UNSET
    layouts: FreeObject | UnsetType = UNSET


class ManagedModelApi:
    """``/content-manager/init``, ``content-types``, ``components`` and their configurations."""

    def __init__(
        self, database: Database, store: EntryStore, types: Mapping[str, CustomAttributeType]
    ) -> None:
        """``types`` are the attribute types of the project's code."""
        self._types = types
        self._database = database
        self._store = store
        self._schema = store.schema

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, who = RouteGroup(VIEWS, "content-manager/"), SIGNED_IN
        one, several, body = (
            DataEnvelope[FreeObject],
            DataEnvelope[list[FreeObject]],
            ViewConfiguration,
        )
        yield route("GET", "init", who, self.init, response=one)
        path = "content-types"
        yield route("GET", path, who, self.types, query=KindQuery, response=several)
        yield route("GET", "content-types-settings", who, self.settings, response=several)
        path = "content-types/:uid/configuration"
        yield route("GET", path, who, self.type_view, response=one)
        yield route("PUT", path, who, self.change_type_view, body=body, response=one)
        yield route("GET", "components", who, self.components, response=several)
        path = "components/:uid/configuration"
        yield route("GET", path, who, self.component_view, response=one)
        yield route("PUT", path, who, self.change_component_view, body=body, response=one)

    async def init(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Describe everything at once."""
        return respond_data(
            {
                "fieldSizes": FIELD_SIZES,
                "components": describe_parts(self._schema),
                "contentTypes": describe_types(self._schema),
                **self._described_operators(),
                **self._described_types(),
            }
        )

    def _described_operators(self) -> dict[str, object]:
        """Describe the filter operators of the project's code, if it has any."""
        operators = self._schema.operators.values()
        described = [
            {
                "name": one.name,
                "on": sorted(one.on),
                "fields": [
                    {
                        "name": field.name,
                        "type": OPERAND_TYPES[field.kind],
                        "list": field.is_list,
                        "required": field.required,
                    }
                    for field in one.fields
                ],
            }
            for one in operators
        ]
        return {"operators": described} if described else {}

    def _described_types(self) -> dict[str, object]:
        """Describe the attribute types of the project's code, if it has any."""
        described = [_described_type(one) for one in self._types.values()]
        return {"attributeTypes": described} if described else {}

    async def types(self, request: Request) -> Response:
        """Describe the content types, or those of one ``kind``."""
        kind = request.query.get("kind")
        if kind is not None and kind not in _KINDS:
            return _invalid_kind()
        described = describe_types(self._schema)
        return respond_data([one for one in described if kind in (None, one["kind"])])

    async def components(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Describe the components."""
        return respond_data(describe_parts(self._schema))

    async def settings(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show the settings of all lists."""
        types = in_order(self._schema)
        views = await self._database.read(lambda: self._views(types))
        return respond_data(
            [{"uid": one.uid, "settings": views[one.uid]["settings"]} for one in types]
        )

    async def type_view(self, request: Request) -> Response:
        """Show the view of a content type."""
        return await self._shown_type(self._type(request))

    async def change_type_view(self, request: Request) -> Response:
        """Change the view of a content type."""
        content_type = self._type(request)
        if not request.administrator.ability.allows(_CONFIGURE[content_type.kind]):
            raise ForbiddenError
        await self._change(content_type, request.body)
        return await self._shown_type(content_type, identified=False)

    async def component_view(self, request: Request) -> Response:
        """Show the view of a component."""
        component = self._component(request)
        parts = self._parts_of(component)
        views = await self._database.read(lambda: self._views([component, *parts]))
        return respond_data(
            {"component": _part(component, views), "components": _parts(parts, views)}
        )

    async def change_component_view(self, request: Request) -> Response:
        """Change the view of a component."""
        component = self._component(request)
        if not request.administrator.ability.allows(_CONFIGURE_COMPONENTS):
            raise ForbiddenError
        view = await self._change(component, request.body)
        return respond_data(_part(component, {component.uid: view}))

    async def _shown_type(self, content_type: ContentType, *, identified: bool = True) -> Response:
        parts = self._parts_of(content_type)
        models = [content_type, *parts]
        views = await self._database.read(lambda: self._views(models, identified=identified))
        view = with_list_main_fields(views[content_type.uid])
        return respond_data(
            {
                "contentType": {"uid": content_type.uid, **view},
                "components": _parts(parts, views),
            }
        )

    async def _change(self, model: Model, data: object) -> View:
        """Store a changed view. Raises BadInputError with all its problems."""
        problems = problems_of_view(model, data)
        if problems:
            details = {"name": "validationError", "errors": problems}
            raise BadInputError("Bad Request", details)

        def change() -> Program[View]:
            before = yield from self._views([model], identified=False)
            view = changed_view(before[model.uid], data)
            stored: dict[str, Any] = {"uid": model.uid, **view}
            if isinstance(model, Component):
                stored["isComponent"] = True
            yield from write_setting(self._store.writes, view_key(model.uid), stored)
            return view

        return await self._database.write(change())

    def _views(self, models: list[Any], *, identified: bool = True) -> Program[dict[str, View]]:
        keys = {model.uid: view_key(model.uid) for model in models}
        stored = yield from read_settings(self._store.writes, list(keys.values()))
        return {
            model.uid: stored_view(
                self._schema, model, stored.get(keys[model.uid]), identified=identified
            )
            for model in models
        }

    def _parts_of(self, model: Model) -> list[Component]:
        """Return the components in a model, at any depth, in the order of their attributes."""
        result: dict[str, Component] = {}
        waiting = [*_component_uids(model)]
        while waiting:
            uid = waiting.pop(0)
            if uid not in result:
                result[uid] = self._schema.components[uid]
                waiting += _component_uids(result[uid])
        return list(result.values())

    def _type(self, request: Request) -> ContentType:
        result = self._schema.content_types.get(request.parameters["uid"])
        if result is None:
            raise NotFoundError("contentType.notFound")
        return result

    def _component(self, request: Request) -> Component:
        result = self._schema.components.get(request.parameters["uid"])
        if result is None:
            raise NotFoundError("component.notFound")
        return result


def _described_type(type_: CustomAttributeType) -> dict[str, object]:
    result: dict[str, object] = {
        "name": type_.name,
        "stores": type_.stores,
        "options": _described_options(type_),
    }
    if type_.admin is None or type_.module is None:
        return result
    module = f"/admin/{type_.module.path(type_.module.name)}"
    return {**result, "element": type_.admin.element, "cell": type_.admin.cell, "module": module}


def _described_options(type_: CustomAttributeType) -> Mapping[str, object]:
    described = msgspec.json.schema(type_.options)
    name = str(described.get("$ref", "")).rpartition("/")[2]
    own = described.get("$defs", {}).get(name, described)
    result: Mapping[str, object] = own.get("properties", {})
    return result


def _component_uids(model: Model) -> Iterator[str]:
    for attribute in model.attributes.values():
        if isinstance(attribute, ComponentAttribute):
            yield attribute.component
        elif isinstance(attribute, DynamicZoneAttribute):
            yield from attribute.components


def _part(component: Component, views: Mapping[str, View]) -> dict[str, Any]:
    return {
        "uid": component.uid,
        "category": component.category,
        **views[component.uid],
        "isComponent": True,
    }


def _parts(components: list[Component], views: Mapping[str, View]) -> dict[str, Any]:
    return {component.uid: _part(component, views) for component in components}


def _invalid_kind() -> Response:
    """Return the response for an unknown kind of types; this route has its own error format."""
    choices = "|".join(f'"{kind}"' for kind in _KINDS)
    message = f"Invalid option: expected one of {choices}"
    problem = {"path": [], "message": message, "name": ValidationError.name}
    error = {"name": ValidationError.name, "message": message, "details": {"errors": [problem]}}
    return respond_bare({"error": error}, 400)
