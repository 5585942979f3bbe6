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
        route, action = RouteGroup(VIEWS, "content-manager/"), SIGNED_IN
        response = DataEnvelope[FreeObject]
        list_response = DataEnvelope[list[FreeObject]]
        body = ViewConfiguration
        yield route("GET", "init", action, self.init, response=response)
        path = "content-types"
        yield route("GET", path, action, self.types, query=KindQuery, response=list_response)
        yield route("GET", "content-types-settings", action, self.settings, response=list_response)
        path = "content-types/:uid/configuration"
        yield route("GET", path, action, self.type_view, response=response)
        yield route("PUT", path, action, self.change_type_view, body=body, response=response)
        yield route("GET", "components", action, self.components, response=list_response)
        path = "components/:uid/configuration"
        yield route("GET", path, action, self.component_view, response=response)
        yield route("PUT", path, action, self.change_component_view, body=body, response=response)

    async def init(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Describe everything at once."""
        return respond_data(
            {
                "fieldSizes": FIELD_SIZES,
                "components": describe_parts(self._schema),
                "contentTypes": describe_types(self._schema),
                **self._describe_operators(),
                **self._describe_attribute_types(),
            }
        )

    def _describe_operators(self) -> dict[str, object]:
        """Describe the filter operators of the project's code, if it has any."""
        operators = self._schema.operators.values()
        descriptions = [
            {
                "name": operator.name,
                "on": sorted(operator.on),
                "fields": [
                    {
                        "name": field.name,
                        "type": OPERAND_TYPES[field.kind],
                        "list": field.is_list,
                        "required": field.required,
                    }
                    for field in operator.fields
                ],
            }
            for operator in operators
        ]
        return {"operators": descriptions} if descriptions else {}

    def _describe_attribute_types(self) -> dict[str, object]:
        """Describe the attribute types of the project's code, if it has any."""
        descriptions = [_describe_attribute_type(type_) for type_ in self._types.values()]
        return {"attributeTypes": descriptions} if descriptions else {}

    async def types(self, request: Request) -> Response:
        """Describe the content types, or those of one ``kind``."""
        kind = request.query.get("kind")
        if kind is not None and kind not in _KINDS:
            return _invalid_kind()
        descriptions = describe_types(self._schema)
        return respond_data(
            [description for description in descriptions if kind in (None, description["kind"])]
        )

    async def components(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Describe the components."""
        return respond_data(describe_parts(self._schema))

    async def settings(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show the settings of all lists."""
        types = in_order(self._schema)
        views = await self._database.read(lambda: self._views(types))
        return respond_data(
            [
                {"uid": content_type.uid, "settings": views[content_type.uid]["settings"]}
                for content_type in types
            ]
        )

    async def type_view(self, request: Request) -> Response:
        """Show the view of a content type."""
        return await self._respond_type(self._type(request))

    async def change_type_view(self, request: Request) -> Response:
        """Change the view of a content type."""
        content_type = self._type(request)
        if not request.administrator.ability.allows(_CONFIGURE[content_type.kind]):
            raise ForbiddenError
        await self._change(content_type, request.body)
        return await self._respond_type(content_type, identified=False)

    async def component_view(self, request: Request) -> Response:
        """Show the view of a component."""
        component = self._component(request)
        parts = self._nested_components(component)
        views = await self._database.read(lambda: self._views([component, *parts]))
        return respond_data(
            {
                "component": _component_configuration(component, views),
                "components": _parts(parts, views),
            }
        )

    async def change_component_view(self, request: Request) -> Response:
        """Change the view of a component."""
        component = self._component(request)
        if not request.administrator.ability.allows(_CONFIGURE_COMPONENTS):
            raise ForbiddenError
        view = await self._change(component, request.body)
        return respond_data(_component_configuration(component, {component.uid: view}))

    async def _respond_type(
        self, content_type: ContentType, *, identified: bool = True
    ) -> Response:
        parts = self._nested_components(content_type)
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
        computed = self._schema.computed.get(model.uid, {})
        problems = problems_of_view(model, data, computed)
        if problems:
            details = {"name": "validationError", "errors": problems}
            raise BadInputError("Bad Request", details)

        def change() -> Program[View]:
            views = yield from self._views([model], identified=False)
            view = changed_view(views[model.uid], data)
            setting: dict[str, Any] = {"uid": model.uid, **view}
            if isinstance(model, Component):
                setting["isComponent"] = True
            yield from write_setting(self._store.writes, view_key(model.uid), setting)
            return view

        return await self._database.write(change())

    def _views(self, models: list[Any], *, identified: bool = True) -> Program[dict[str, View]]:
        keys = {model.uid: view_key(model.uid) for model in models}
        settings = yield from read_settings(self._store.writes, list(keys.values()))
        return {
            model.uid: stored_view(
                self._schema, model, settings.get(keys[model.uid]), identified=identified
            )
            for model in models
        }

    def _nested_components(self, model: Model) -> list[Component]:
        """Return the components in a model, at any depth, in the order of their attributes."""
        components: dict[str, Component] = {}
        pending_uids = [*_component_uids(model)]
        while pending_uids:
            uid = pending_uids.pop(0)
            if uid not in components:
                components[uid] = self._schema.components[uid]
                pending_uids += _component_uids(components[uid])
        return list(components.values())

    def _type(self, request: Request) -> ContentType:
        content_type = self._schema.content_types.get(request.parameters["uid"])
        if content_type is None:
            raise NotFoundError("contentType.notFound")
        return content_type

    def _component(self, request: Request) -> Component:
        component = self._schema.components.get(request.parameters["uid"])
        if component is None:
            raise NotFoundError("component.notFound")
        return component


def _describe_attribute_type(type_: CustomAttributeType) -> dict[str, object]:
    description: dict[str, object] = {
        "name": type_.name,
        "stores": type_.stores,
        "options": _describe_options(type_),
    }
    if type_.admin is None or type_.module is None:
        return description
    module = f"/admin/{type_.module.path(type_.module.name)}"
    return {
        **description,
        "element": type_.admin.element,
        "cell": type_.admin.cell,
        "module": module,
    }


def _describe_options(type_: CustomAttributeType) -> Mapping[str, object]:
    schema = msgspec.json.schema(type_.options)
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    definition = schema.get("$defs", {}).get(name, schema)
    properties: Mapping[str, object] = definition.get("properties", {})
    return properties


def _component_uids(model: Model) -> Iterator[str]:
    for attribute in model.attributes.values():
        if isinstance(attribute, ComponentAttribute):
            yield attribute.component
        elif isinstance(attribute, DynamicZoneAttribute):
            yield from attribute.components


def _component_configuration(component: Component, views: Mapping[str, View]) -> dict[str, Any]:
    return {
        "uid": component.uid,
        "category": component.category,
        **views[component.uid],
        "isComponent": True,
    }


def _parts(components: list[Component], views: Mapping[str, View]) -> dict[str, Any]:
    return {component.uid: _component_configuration(component, views) for component in components}


def _invalid_kind() -> Response:
    """Return the response for an unknown kind of types; this route has its own error format."""
    choices = "|".join(f'"{kind}"' for kind in _KINDS)
    message = f"Invalid option: expected one of {choices}"
    problem = {"path": [], "message": message, "name": ValidationError.name}
    error = {"name": ValidationError.name, "message": message, "details": {"errors": [problem]}}
    return respond_bare({"error": error}, 400)
