"""The fields that a list returns: ``columns``, or ``fields`` as in the content API.

``columns`` are shown in addition to what every entry shows. ``fields`` are all scalars that the
list reads: others are not shown, and rules cannot check them either.
"""

from collections.abc import Iterator

from quire.content_manager.permissions import TypePermissions, covers
from quire.content_manager.requests import Query
from quire.content_manager.scope import is_hidden
from quire.errors import InvalidKeyError, ValidationError
from quire.schema.attributes.base import ScalarAttribute

_NO_TEXTS = "Invalid fields parameter. Expected a string or an array of strings"


def requested_columns(query: Query) -> frozenset[str] | None:
    """Return the attributes that a list is restricted to, ``None`` for all of them."""
    return frozenset(_named(query, "columns")) or None


def requested_fields(query: Query) -> frozenset[str] | None:
    """Return the scalars that a list reads, ``None`` for all of them."""
    listed = frozenset(_named(query, "fields"))
    every = "*" in listed or requested_columns(query) is not None
    return None if every else listed or None


def require_fields(query: Query, rights: TypePermissions) -> None:
    """Check that fields are existing scalars, and that the caller may see them.

    Raises InvalidKeyError, and ValidationError for hidden ones.
    """
    names, content_type = list(_named(query, "fields")), rights.content_type
    for name in names:
        attribute = content_type.attributes.get(name)
        if name != "*" and not isinstance(attribute, ScalarAttribute):
            error = InvalidKeyError(name, None if attribute is None else name, source="query")
            error.details = {"key": name, "path": None if attribute is None else name}
            raise error
    several = isinstance(query.get("fields"), list) or len(names) > 1
    shown = (_is_shown(rights, name) for name in names if name != "*")
    if several and not all(shown):
        raise ValidationError(_NO_TEXTS)


def _is_shown(rights: TypePermissions, name: str) -> bool:
    hidden = is_hidden(rights.content_type, rights.content_type.attributes[name])
    return not hidden and covers(rights.rules(None), name)


def _named(query: Query, parameter: str) -> Iterator[str]:
    given = query.get(parameter)
    names = given.split(",") if isinstance(given, str) and given else given
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str):
            yield name.strip()
