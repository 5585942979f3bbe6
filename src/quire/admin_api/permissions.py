"""The catalogue of permissions that administrators can be granted, by section."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from quire.access.admin_actions import (
    ACTIONS,
    CONDITIONS,
    FIELDS,
    LOCALES,
    AdminAction,
    PermissionSection,
    subjects,
)
from quire.admin_api.response_types import ADMINISTRATORS, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.auth.admin.user_rows import AdminUserRows
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.database.interface import Database
from quire.database.program import Program
from quire.schema.attributes.base import ComponentAttribute
from quire.schema.model import ContentType, Model, Schema, TypeKind


class PermissionCatalogue(Struct):
    """All permissions, by section, and the possible conditions."""

    conditions: list[FreeObject]
    sections: FreeObject


class PermissionApi:
    """``GET /admin/permissions``."""

    def __init__(self, database: Database, schema: Schema, admin_users: AdminUserRows) -> None:
        self._database = database
        self._schema = schema
        self._admin_users = admin_users

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(ADMINISTRATORS)
        yield route(
            "GET",
            "admin/permissions",
            SIGNED_IN,
            self.find,
            response=DataEnvelope[PermissionCatalogue],
        )

    async def find(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show all actions with their possible content types."""

        def program() -> Program[tuple[dict[str | None, str | None], str | None]]:
            locales = yield from self._admin_users.named_locales()
            return locales, (yield from self._admin_users.default_locale())

        locales, default_code = await self._database.read(program)
        locale_options: list[dict[str, object]] = [
            {"label": name, "value": code, "isDefault": code == default_code}
            for code, name in locales.items()
        ]
        conditions = [
            {"id": name, "displayName": label, "category": "default"}
            for name, label in CONDITIONS.items()
        ]
        return respond_data({"conditions": conditions, "sections": self._sections(locale_options)})

    def _sections(self, locales: Sequence[dict[str, object]]) -> dict[str, Any]:
        uids = [content_type.uid for content_type in subjects(self._schema)]
        actions = [
            {
                "label": action.label,
                "actionId": action.uid,
                "subjects": uids,
                "applyToProperties": list(action.properties),
            }
            for action in ACTIONS
            if action.section is PermissionSection.CONTENT
        ]
        return {
            "plugins": [
                _plugin(action) for action in ACTIONS if action.section is PermissionSection.PLUGINS
            ],
            "settings": [
                _setting(action)
                for action in ACTIONS
                if action.section is PermissionSection.SETTINGS
            ],
            "singleTypes": {
                "actions": actions,
                "subjects": self._subjects_of_kind(TypeKind.SINGLE, locales),
            },
            "collectionTypes": {
                "actions": actions,
                "subjects": self._subjects_of_kind(TypeKind.COLLECTION, locales),
            },
        }

    def _subjects_of_kind(
        self, kind: TypeKind, locales: Sequence[dict[str, object]]
    ) -> list[dict[str, Any]]:
        return [
            self._subject(content_type, locales)
            for content_type in subjects(self._schema)
            if content_type.kind is kind
        ]

    def _subject(
        self, content_type: ContentType, locales: Sequence[dict[str, object]]
    ) -> dict[str, Any]:
        fields = list(_fields(self._schema, content_type, frozenset()))
        properties: list[dict[str, object]] = [
            {"label": "Fields", "value": FIELDS, "children": fields}
        ]
        if content_type.localized:
            properties.append({"label": "Locales", "value": LOCALES, "children": list(locales)})
        return {
            "uid": content_type.uid,
            "label": content_type.singular_name,
            "properties": properties,
        }


def _plugin(action: AdminAction) -> dict[str, object]:
    return {
        "displayName": action.label,
        "plugin": action.plugin,
        "subCategory": action.sub_category,
        "action": action.uid,
    }


def _setting(action: AdminAction) -> dict[str, object]:
    return {
        "displayName": action.label,
        "category": action.category,
        "subCategory": action.sub_category,
        "action": action.uid,
    }


def _fields(schema: Schema, model: Model, ancestors: frozenset[str]) -> Iterator[dict[str, Any]]:
    """Yield the fields of a model; a component that contains itself is not repeated."""
    for attribute in model.attributes.values():
        if attribute.name in {"id", "documentId"} or not attribute.visible:
            continue
        field: dict[str, Any] = {"label": attribute.name, "value": attribute.name}
        if attribute.required:
            field["required"] = True
        if isinstance(attribute, ComponentAttribute) and attribute.component not in ancestors:
            uid = attribute.component
            children = list(_fields(schema, schema.components[uid], ancestors | {uid}))
            if children:
                field["children"] = children
        yield field
