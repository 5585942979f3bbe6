"""The titles of entries, by the main field of their type's view."""

from collections.abc import Collection, Mapping

from quire.content_manager.query_scope import is_hidden
from quire.content_manager.view_configuration import View, stored_view
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program
from quire.database.stores.core_store import read_settings, view_key
from quire.schema.attributes.base import ScalarAttribute
from quire.schema.model import ContentType

NAMELESS = "documentId"
"""The title of entries whose type has no better field."""


def stored_views(store: EntryStore, types: Collection[ContentType]) -> Program[dict[str, View]]:
    """Return the stored views of content types, by uid."""
    keys = {content_type.uid: view_key(content_type.uid) for content_type in types}
    settings = yield from read_settings(store.writes, list(keys.values()))
    return {
        content_type.uid: stored_view(
            store.schema, content_type, settings.get(keys[content_type.uid])
        )
        for content_type in types
    }


def main_field(content_type: ContentType, views: Mapping[str, View]) -> str:
    """Return the field that is the title of entries, which is no hidden one."""
    name = str(views[content_type.uid]["settings"]["mainField"])
    attribute = content_type.attributes.get(name)
    if not isinstance(attribute, ScalarAttribute) or is_hidden(content_type, attribute):
        return NAMELESS
    return name
