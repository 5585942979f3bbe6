"""Looks up content types by uid."""

from quire.database.entries.entry_layout import EntryLayout
from quire.schema.model import ContentType


def content_type_of(layout: EntryLayout) -> ContentType:
    """Return the content type of a layout. Raises TypeError for a component's."""
    if not isinstance(layout.model, ContentType):
        raise TypeError(f"{layout.model.uid} is a component, not a content type")
    return layout.model
