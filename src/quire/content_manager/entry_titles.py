"""The titles of entries, by the main field of their type's view."""

from collections.abc import Collection

from quire.content_manager.query_scope import is_hidden
from quire.content_manager.view_configuration import stored_main_field
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program
from quire.database.stores.core_store import read_settings, view_key
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.model import ContentType

NAMELESS = "documentId"
"""The title of entries whose type has no better field."""


def title_fields(store: EntryStore, types: Collection[ContentType]) -> Program[dict[str, str]]:
    """Return the fields that are the titles of entries, by uid; none of them is hidden."""
    keys = {content_type.uid: view_key(content_type.uid) for content_type in types}
    settings = yield from read_settings(store.writes, list(keys.values()))
    return {
        content_type.uid: _title_field(content_type, settings.get(keys[content_type.uid]))
        for content_type in types
    }


def _title_field(content_type: ContentType, stored_view: object) -> str:
    name = stored_main_field(content_type, stored_view)
    attribute = content_type.attributes.get(name)
    if not isinstance(attribute, ScalarAttribute) or is_hidden(content_type, attribute):
        return NAMELESS
    return name
