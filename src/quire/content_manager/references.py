"""Finds the entries that refer to a document, as far as the caller may read them."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from quire.access.admin_ability import AdminAbility
from quire.content_manager.entry_lists import entry_list
from quire.content_manager.entry_reads import EntryReader
from quire.content_manager.entry_status import EntryJson
from quire.content_manager.permissions import read_permissions
from quire.content_manager.plan_nodes import CREATORS
from quire.content_manager.status_and_locale import EVERY_LOCALE, RequestedVersion
from quire.content_manager.view_configuration import main_field
from quire.database.program import Program
from quire.query.python_parameters import as_query
from quire.query.querystring import QueryValue
from quire.schema.attributes.base import ComponentAttribute, RelationAttribute
from quire.schema.model import ContentType, Model, Schema

MAX_LISTED = 25
"""How many entries are listed for each relation; all of them are counted."""

_MAX_DEPTH = 3


class IncomingReferences(Struct, frozen=True):
    """Finds references to documents, for one administrator."""

    reading: EntryReader
    ability: AdminAbility

    def find_entries(
        self, target: ContentType, document_id: str
    ) -> Program[list[dict[str, object]]]:
        """Return the entries that refer to a document, by content type and attribute."""
        references: list[dict[str, object]] = []
        schema = self.reading.engine.schema
        for content_type in schema.content_types.values():
            if not (
                content_type.is_api and read_permissions(self.ability, content_type).rules(None)
            ):
                continue
            for path in relations_to(schema, content_type, target.uid):
                reference = yield from self._filter_by_target(content_type, path, document_id)
                if reference is not None:
                    references.append(reference)
        return references

    def _filter_by_target(
        self, content_type: ContentType, path: Sequence[str], document_id: str
    ) -> Program[dict[str, object] | None]:
        permissions = read_permissions(self.ability, content_type)
        requested_version = RequestedVersion(
            "draft", EVERY_LOCALE if content_type.localized else None
        )
        field_path = (*path, "documentId")
        # A filter by a hidden attribute is ignored, and would find every entry.
        if self.reading.planner.scope(permissions, requested_version.locales).ignores(
            ".".join(field_path)
        ):
            return None
        title = main_field(content_type)
        query: Mapping[str, QueryValue] = {
            "filters": as_query(_nest_value(field_path, {"$eq": document_id})),
            "columns": [title],
            "pageSize": str(MAX_LISTED),
        }
        page = yield from entry_list(self.reading, permissions, query, requested_version).page()
        results, pagination = page["results"], page["pagination"]
        if not isinstance(results, list) or not isinstance(pagination, dict) or not results:
            return None
        return {
            "uid": content_type.uid,
            "attribute": ".".join(path),
            "count": pagination["total"],
            "entries": [_in_short(entry, title) for entry in results],
        }


def relations_to(
    schema: Schema, model: Model, uid: str, prefix: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """Yield the relations of a model to a content type, without those that the other side owns.

    Relations in dynamic zones are left out.
    """
    for attribute in model.attributes.values():
        path = (*prefix, attribute.name)
        if isinstance(attribute, ComponentAttribute) and len(prefix) < _MAX_DEPTH:
            yield from relations_to(schema, schema.components[attribute.component], uid, path)
        elif isinstance(attribute, RelationAttribute) and _is_owning_relation(attribute, uid):
            yield path


def _is_owning_relation(attribute: RelationAttribute, uid: str) -> bool:
    """Tell whether an attribute is a relation to a type, and is its owning side."""
    leads = attribute.target == uid and attribute.name not in CREATORS
    return leads and attribute.mapped_by is None


def _nest_value(path: Sequence[str], value: object) -> object:
    return value if not path else {path[0]: _nest_value(path[1:], value)}


def _in_short(entry: EntryJson, title: str) -> dict[str, object]:
    return {
        "documentId": entry["documentId"],
        "locale": entry.get("locale"),
        "status": entry["status"],
        "title": entry.get(title, entry["documentId"]),
    }
