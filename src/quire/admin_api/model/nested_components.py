"""Components that are sent in the body of another model."""

from collections.abc import Mapping
from typing import Any

from quire.admin_api.model.definitions import (
    Body,
    component_definition,
    component_uids,
    former_names,
    resolve_names,
    uid_of_component,
)
from quire.admin_api.model.errors import (
    COMPONENT_EXISTS,
    COMPONENT_NOT_FOUND,
    BuilderError,
    raise_problems,
)
from quire.admin_api.model.model_bodies import ComponentBody
from quire.builder.definitions import SELF
from quire.builder.schema_files import SchemaFiles
from quire.document_service.validate.problems import Problem
from quire.schema.describe import describe_component
from quire.schema.model import Component, Schema

THIS_TYPE = "__contentType__"
"""Stands in attributes of these components for the model that they come with."""

_MOST_COMPONENTS = 100


class NestedComponents:
    """Components in the body of another model: new ones with a ``tmpUID``, others with a ``uid``.

    Called with a blueprint it makes them, and returns which uid each stand-in means.
    """

    def __init__(self, schema: Schema, given: list[Any]) -> None:
        self._schema = schema
        self._given = given

    def check(self, attributes: Body) -> None:
        """Raise ToldError for components that cannot be, or are nowhere."""
        problems: list[Problem] = []
        if len(self._given) > _MOST_COMPONENTS:
            message = f"components field must have at most {_MOST_COMPONENTS} items"
            problems.append(Problem(("components",), message))
        for index, body in enumerate(self._given[:_MOST_COMPONENTS]):
            uid = body.get("uid") if isinstance(body, Mapping) else None
            present = self._schema.components.get(uid) if isinstance(uid, str) else None
            if isinstance(uid, str) and present is None:
                raise BuilderError(COMPONENT_NOT_FOUND)
            form = self._form(present)
            problems += form.problems(("components", index), body)
        raise_problems(problems)
        known = {body.get("tmpUID") for body in self._given}
        for held in [attributes, *(body["attributes"] for body in self._given)]:
            for uid in component_uids(held):
                if uid not in known and uid not in self._schema.components:
                    raise BuilderError(COMPONENT_NOT_FOUND)
        for body in self._given:
            if "uid" not in body and uid_of_component(body) in self._schema.components:
                raise BuilderError(COMPONENT_EXISTS)

    def __call__(self, schema_files: SchemaFiles, model: str) -> dict[str, str]:
        """Make the components of the ``model``, a uid; return what stands for which uid."""
        uids = {THIS_TYPE: model, SELF: model}
        for body in self._given:
            if "uid" not in body:
                uid = uid_of_component(body)
                uids[str(body.get("tmpUID"))] = uid
                schema_files.add_component(uid, component_definition(body, {}, {}))
        for body in self._given:
            uid = body.get("uid", uids.get(str(body.get("tmpUID"))))
            attributes = resolve_names(body["attributes"], uids)
            schema_files.change_component(
                uid, component_definition(body, attributes, former_names(body))
            )
        return uids

    def _form(self, present: Component | None) -> ComponentBody:
        known = {} if present is None else describe_component(present)["schema"]["attributes"]
        return ComponentBody(schema=self._schema, known=known)
