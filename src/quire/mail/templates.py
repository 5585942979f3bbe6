"""Mail templates with placeholders: ``<%= USER.username %>``.

A place holds one of the names that are known, and is filled by looking that up. Nothing is ever
evaluated: other expressions, statements and ``${…}`` make a template unsound, and an unsound one is
not sent.
"""

import re
from collections.abc import Callable, Collection, Mapping

from quire.errors import MailError

PLACES = frozenset(
    {
        "URL",
        "ADMIN_URL",
        "SERVER_URL",
        "CODE",
        "TOKEN",
        "USER",
        "USER.email",
        "USER.username",
    }
)
"""The names that a place may hold."""

UNSOUND = "Invalid template"
_PLACE = re.compile(r"<%=\s*([A-Za-z_.]{1,40})\s*%>")
_MARKS = re.compile(r"<%|%>|\$\{")


def is_sound(template: str, known: Collection[str] = PLACES) -> bool:
    """Tell whether a template has nothing in it but text and known places."""
    if any(match[1] not in known for match in _PLACE.finditer(template)):
        return False
    return _MARKS.search(_PLACE.sub("", template)) is None


def fill_in(template: str, values: Mapping[str, str], escape: Callable[[str], str] = str) -> str:
    """Return a template with its places filled in; a known place without a value stays empty.

    What is filled in is escaped first, and never looked at again. Raises MailError for a template
    that is not sound.
    """
    if not is_sound(template):
        raise MailError(UNSOUND)
    return _PLACE.sub(lambda match: escape(values.get(match[1], "")), template)
