"""``/content-type-builder``, for changing the model (wire: builder).

A change applies to the tables, the schema files and all servers, or to none. Removed data is
archived. ``?mayLose=false`` rejects changes that remove content; ``?plan=…`` applies a change only
if its plan is still the one that ``POST /admin/x/model/plan`` has returned.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from quire.admin_api.content_type_builder.apply import apply_change, builder_errors
from quire.admin_api.content_type_builder.attribute_bodies import Attribute
from quire.admin_api.content_type_builder.definitions import (
    Body,
    component_definition,
    component_uids,
    former_names,
    resolve_names,
    type_definition,
    uid_of_component,
    uid_of_type,
)
from quire.admin_api.content_type_builder.errors import (
    COMPONENT_EXISTS,
    COMPONENT_NOT_FOUND,
    CONTENT_TYPE_NOT_FOUND,
    BuilderError,
    body_error,
    builder_validation_error,
    raise_problems,
)
from quire.admin_api.content_type_builder.read_routes import BUILD, PREFIX
from quire.admin_api.content_type_builder.type_bodies import (
    CategoryName,
    ComponentRequest,
    ComponentValidator,
    ConsentQuery,
    ContentTypeRequest,
    ContentTypeValidator,
    ModelUid,
    SchemaRequest,
    SchemaStatus,
)
from quire.admin_api.content_type_builder.update_schema import SchemaUpdate
from quire.admin_api.response_types import CONTENT_TYPES, CREATED, OK, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.builder.apply import ModelEditor
from quire.builder.definitions import SELF
from quire.builder.schema_files import SchemaFiles
from quire.content_api.body_decoding import read_body
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Handler, Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.document_service.validate.problems import Problem
from quire.errors import ApplicationError, ValidationError
from quire.javascript.regular_expressions import PatternError, compile_pattern
from quire.schema.describe import describe_component, describe_content_type, is_visible
from quire.schema.model import Component, ContentType, Schema
from quire.schema.slugs import slug_of

THIS_TYPE = "__contentType__"
"""Stands for that model in attributes of these components."""

_MAX_COMPONENTS = 100


class NestedComponents:
    """Components in the body of another model: new ones with a ``tmpUID``, others with a ``uid``.

    Calling it with `SchemaFiles` adds them, and returns the uid of each placeholder.
    """

    def __init__(self, schema: Schema, bodies: list[Any]) -> None:
        self._schema = schema
        self._bodies = bodies

    def check(self, model: str, attributes: Body) -> None:
        """Raise BuilderError for invalid and for missing components.

        ``model`` is the uid of the model that contains them, ``attributes`` are its attributes.
        """
        problems: list[Problem] = []
        if len(self._bodies) > _MAX_COMPONENTS:
            message = f"components field must have at most {_MAX_COMPONENTS} items"
            problems.append(Problem(("components",), message))
        for index, body in enumerate(self._bodies[:_MAX_COMPONENTS]):
            uid = body.get("uid") if isinstance(body, Mapping) else None
            component = self._schema.components.get(uid) if isinstance(uid, str) else None
            if isinstance(uid, str) and component is None:
                raise BuilderError(COMPONENT_NOT_FOUND)
            form = self._form(component)
            problems += form.problems(("components", index), body)
        raise_problems(problems)
        temporary_uids = {str(body.get("tmpUID")) for body in self._bodies}
        for model_attributes in [attributes, *(body["attributes"] for body in self._bodies)]:
            for uid in component_uids(model_attributes):
                if uid not in temporary_uids and uid not in self._schema.components:
                    raise BuilderError(COMPONENT_NOT_FOUND)
        new_uids = [uid_of_component(body) for body in self._bodies if _is_new(body)]
        taken_uids = {model, *self._schema.components}
        if len(set(new_uids)) < len(new_uids) or not taken_uids.isdisjoint(new_uids):
            raise BuilderError(COMPONENT_EXISTS)

    def __call__(self, schema_files: SchemaFiles, model: str) -> dict[str, str]:
        """Add the components of the ``model``, a uid; return the uids of the placeholders."""
        uids = {THIS_TYPE: model, SELF: model}
        for body in self._bodies:
            if _is_new(body):
                uid = uid_of_component(body)
                uids[str(body.get("tmpUID"))] = uid
                schema_files.add_component(uid, component_definition(body, {}, {}))
        for body in self._bodies:
            uid = uids[str(body.get("tmpUID"))] if _is_new(body) else body["uid"]
            attributes = resolve_names(body["attributes"], uids)
            schema_files.change_component(
                uid, component_definition(body, attributes, former_names(body))
            )
        return uids

    def _form(self, component: Component | None) -> ComponentValidator:
        current_attributes = (
            {} if component is None else describe_component(component)["schema"]["attributes"]
        )
        return ComponentValidator(schema=self._schema, current_attributes=current_attributes)


def _is_new(body: Body) -> bool:
    return not isinstance(body.get("uid"), str)


STATUS_PATH = f"{PREFIX}/update-schema-status"
"""Records the progress within a process."""

_CATEGORY_NOT_FOUND = "category not found"
_CATEGORY_TAKEN = "Name already taken"


class ModelWritingApi:
    """Changes content types and components."""

    def __init__(self, remodeller: ModelEditor) -> None:
        self._remodeller = remodeller
        self._schema = remodeller.schema

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        response_type, types, parts = DataEnvelope[ModelUid], "content-types", "components"
        category = "component-categories/:name"
        builder_routes: tuple[tuple[str, str, Handler, object, object, int], ...] = (
            ("POST", types, self.create_type, ContentTypeRequest, response_type, CREATED),
            ("PUT", f"{types}/:uid", self.change_type, ContentTypeRequest, response_type, CREATED),
            ("DELETE", f"{types}/:uid", self.delete_type, None, response_type, OK),
            ("POST", parts, self.create_component, ComponentRequest, response_type, CREATED),
            ("PUT", f"{parts}/:uid", self.change_component, ComponentRequest, response_type, OK),
            ("DELETE", f"{parts}/:uid", self.delete_component, None, response_type, OK),
            ("PUT", category, self.rename_category, CategoryName, CategoryName, OK),
            ("DELETE", category, self.delete_category, None, CategoryName, OK),
            ("POST", "update-schema", self.update_schema, SchemaRequest, FreeObject, OK),
        )
        route = RouteGroup(CONTENT_TYPES, f"{PREFIX}/")
        for method, path, handler, body, response, status in builder_routes:
            yield route(
                method,
                path,
                BUILD,
                builder_errors(handler),
                body=body,
                query=ConsentQuery,
                response=response,
                status=status,
            )
        yield RouteGroup(CONTENT_TYPES)(
            "GET", STATUS_PATH, BUILD, self.status, response=DataEnvelope[SchemaStatus]
        )

    async def create_type(self, request: Request) -> Response:
        """Create a content type."""
        body = self._type_body(request, None)
        uid = uid_of_type(body)
        components = self._components(request, uid, _mapping(body, "attributes"))

        def change(schema_files: SchemaFiles) -> None:
            uids = components(schema_files, uid)
            schema_files.add_type(
                uid, type_definition(body, resolve_names(body["attributes"], uids), {})
            )

        await apply_change(self._remodeller, request, change, uid)
        return respond_data({"uid": uid}, 201)

    async def change_type(self, request: Request) -> Response:
        """Change a content type."""
        content_type = self._requested_type(request)
        body, uid = self._type_body(request, content_type), content_type.uid
        components = self._components(request, uid, _mapping(body, "attributes"))

        def change(schema_files: SchemaFiles) -> None:
            uids = components(schema_files, uid)
            source = uid if uid.startswith("api::") else schema_files.extend(uid)
            definition = type_definition(
                body, resolve_names(body["attributes"], uids), former_names(body)
            )
            schema_files.change_type(source, definition)

        await apply_change(self._remodeller, request, change, uid)
        return respond_data({"uid": uid}, 201)

    async def delete_type(self, request: Request) -> Response:
        """Delete a content type, with its entries and all relations to it."""
        content_type = self._requested_type(request)
        if not content_type.is_api:
            raise BuilderError(CONTENT_TYPE_NOT_FOUND, 404)
        change = partial(SchemaFiles.remove_type, uid=content_type.uid)
        await apply_change(self._remodeller, request, change, content_type.uid)
        return respond_data({"uid": content_type.uid})

    async def create_component(self, request: Request) -> Response:
        """Create a component."""
        body = self._component_body(request, None)
        uid = uid_of_component(body)
        components = self._components(request, uid, body["attributes"])
        if uid in self._schema.components:
            raise BuilderError(COMPONENT_EXISTS)

        def change(schema_files: SchemaFiles) -> None:
            uids = components(schema_files, uid)
            attributes = resolve_names(body["attributes"], uids)
            schema_files.add_component(uid, component_definition(body, attributes, {}))

        await apply_change(self._remodeller, request, change, uid)
        return respond_data({"uid": uid}, 201)

    async def change_component(self, request: Request) -> Response:
        """Change a component; with another category it has another uid."""
        component = self._requested_component(request)
        body = self._component_body(request, component)
        new_uid = f"{slug_of(body['category'])}.{component.uid.partition('.')[2]}"
        components = self._components(request, new_uid, body["attributes"])
        if new_uid != component.uid and new_uid in self._schema.components:
            raise BuilderError(COMPONENT_EXISTS)

        def change(schema_files: SchemaFiles) -> None:
            uids = components(schema_files, component.uid)
            attributes = resolve_names(body["attributes"], uids)
            definition = component_definition(body, attributes, former_names(body))
            schema_files.change_component(component.uid, definition)

        await apply_change(self._remodeller, request, change, component.uid)
        return respond_data({"uid": new_uid})

    async def delete_component(self, request: Request) -> Response:
        """Delete a component, with all its values in entries."""
        component = self._requested_component(request)
        change = partial(SchemaFiles.remove_component, uid=component.uid)
        await apply_change(self._remodeller, request, change, component.uid)
        return respond_data({"uid": component.uid})

    async def rename_category(self, request: Request) -> Response:
        """Rename a category of components, which changes the uids of its components."""
        current_name = request.parameters["name"]
        try:
            name = read_body(request.body, CategoryName).name
        except ValidationError as error:
            raise builder_validation_error(error) from error
        new_name = slug_of(name)
        uids = self._component_uids(current_name)
        if new_name != current_name and self._component_uids(new_name, exists=False):
            raise ApplicationError(_CATEGORY_TAKEN)

        def change(schema_files: SchemaFiles) -> None:
            for uid in uids:
                schema_files.rename_component(uid, f"{new_name}.{uid.partition('.')[2]}")

        if new_name != current_name:
            await apply_change(self._remodeller, request, change, f"{current_name} {new_name}")
        return respond_bare({"name": new_name})

    async def delete_category(self, request: Request) -> Response:
        """Delete all components of a category."""
        name = request.parameters["name"]
        uids = self._component_uids(name)

        def change(schema_files: SchemaFiles) -> None:
            for uid in uids:
                schema_files.remove_component(uid)

        await apply_change(self._remodeller, request, change, name)
        return respond_bare({"name": name})

    async def update_schema(self, request: Request) -> Response:
        """Change many content types and components at once."""
        update = SchemaUpdate(self._schema, request.body)
        update.check_attributes()
        if update.entries:
            await apply_change(self._remodeller, request, update, update.title)
        return respond_bare({})

    async def status(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Tell whether this process is changing the model."""
        return respond_data({"isUpdating": self._remodeller.is_busy})

    def _requested_type(self, request: Request) -> ContentType:
        content_type = self._schema.content_types.get(request.parameters["uid"])
        if content_type is None or not is_visible(content_type):
            raise BuilderError(CONTENT_TYPE_NOT_FOUND, 404)
        return content_type

    def _requested_component(self, request: Request) -> Component:
        component = self._schema.components.get(request.parameters["uid"])
        if component is None:
            raise BuilderError(COMPONENT_NOT_FOUND, 404)
        return component

    def _component_uids(self, category: str, *, exists: bool = True) -> list[str]:
        uids = [
            component.uid
            for component in self._schema.components.values()
            if component.category == category
        ]
        if exists and not uids:
            raise ApplicationError(_CATEGORY_NOT_FOUND)
        return uids

    def _type_body(self, request: Request, content_type: ContentType | None) -> Body:
        """Return the content type in a valid body. Raises BuilderError."""
        body = request.body.get("contentType") if isinstance(request.body, Mapping) else None
        if not isinstance(body, Mapping):
            raise BuilderError({})  # in Strapi's format
        current_attributes: Mapping[str, Attribute] = {}
        if content_type is not None:
            current_attributes = describe_content_type(content_type)["schema"]["attributes"]
        form = ContentTypeValidator(
            schema=self._schema, current_attributes=current_attributes, current_type=content_type
        )
        raise_problems(list(form.problems(("contentType",), body)))
        _refuse_broken_patterns(body["attributes"])
        return body

    def _component_body(self, request: Request, component: Component | None) -> Body:
        body = request.body.get("component") if isinstance(request.body, Mapping) else None
        if body is None:
            message = "component is a required field"
            raise body_error([Problem(("component",), message)])
        current_attributes: Mapping[str, Attribute] = {}
        if component is not None:
            current_attributes = describe_component(component)["schema"]["attributes"]
        form = ComponentValidator(schema=self._schema, current_attributes=current_attributes)
        raise_problems(list(form.problems(("component",), body)))
        _refuse_broken_patterns(body["attributes"])
        return dict(body)

    def _components(self, request: Request, model: str, attributes: Body) -> NestedComponents:
        """Return the nested components of a model. Raises BuilderError."""
        body = request.body
        component_bodies = body.get("components") if isinstance(body, Mapping) else None
        components = NestedComponents(
            self._schema, component_bodies if isinstance(component_bodies, list) else []
        )
        components.check(model, attributes)
        return components


def _refuse_broken_patterns(attributes: Body) -> None:
    """Reject invalid patterns, with the empty error that Strapi responds with."""
    for attribute in attributes.values():
        pattern = attribute.get("regex")
        if isinstance(pattern, str):
            try:
                compile_pattern(pattern)
            except PatternError as error:
                raise BuilderError({}) from error


def _mapping(body: Body, name: str) -> Mapping[str, Any]:
    value = body[name]
    return value if isinstance(value, Mapping) else {}
