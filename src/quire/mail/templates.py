"""Mail templates with placeholders: ``<%= USER.username %>``.

A placeholder contains a known name, and is replaced by its value. Nothing is ever evaluated: a
template with other expressions, statements or ``${…}`` is invalid, and is not sent.
"""

import re
from collections.abc import Callable, Mapping

from quire.errors import MailError

PLACEHOLDERS = frozenset(
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
"""The names that placeholders may contain."""

INVALID_TEMPLATE = "Invalid template"
_PLACEHOLDER = re.compile(r"<%=\s*([A-Za-z_.]{1,40})\s*%>")
_DELIMITERS = re.compile(r"<%|%>|\$\{")


def is_valid_template(template: str) -> bool:
    """Tell whether a template contains only text and known placeholders."""
    if any(match[1] not in PLACEHOLDERS for match in _PLACEHOLDER.finditer(template)):
        return False
    return _DELIMITERS.search(_PLACEHOLDER.sub("", template)) is None


def fill_in(template: str, values: Mapping[str, str], escape: Callable[[str], str] = str) -> str:
    """Return a template with its placeholders replaced; one without a value becomes empty.

    Values are escaped, and not searched for placeholders. Raises MailError for an invalid template.
    """
    if not is_valid_template(template):
        raise MailError(INVALID_TEMPLATE)
    return _PLACEHOLDER.sub(lambda match: escape(values.get(match[1], "")), template)
