"""Preview URLs: the pages of a site that show entries of a content type, as patterns.

They are stored in the core store, by uid. The admin UI replaces the placeholders by values of an
entry.
"""

import re
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.core_store import PREVIEWS_KEY, read_setting, write_setting

PLACEHOLDERS = ("documentId", "locale", "slug", "status")
_IN_HOSTS = ("locale",)
"""Placeholders whose values editors cannot choose, so that they are allowed in a host name."""
_LONGEST = 2000
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_ADDRESS = re.compile(r"(https?://[^/?#\s]+|/(?!/))[\x21-\x7e]*")

NO_ADDRESS = "must be an http or https URL, or a path that begins with /"
TOO_LONG = f"must be at most {_LONGEST} characters"
UNKNOWN = "has the unknown placeholder {{{}}}; known are {}"
IN_HOST = "must not have {{{}}} in the name of the host"


def pattern_problem(pattern: str) -> str | None:
    """Return the problem of a preview URL, ``None`` if it is valid."""
    if len(pattern) > _LONGEST:
        return TOO_LONG
    names = _PLACEHOLDER.findall(pattern)
    plain = _PLACEHOLDER.sub("x", pattern)
    if not _ADDRESS.fullmatch(plain) or "{" in plain or "}" in plain or "\\" in plain:
        return NO_ADDRESS
    known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    for name in names:
        if name not in PLACEHOLDERS:
            return UNKNOWN.format(name, known)
    try:
        host = urlsplit(pattern).netloc
        _ = urlsplit(plain).port
    except ValueError:
        return NO_ADDRESS
    for name in _PLACEHOLDER.findall(host):
        if name not in _IN_HOSTS:
            return IN_HOST.format(name)
    return None if "@" not in host else NO_ADDRESS


def read_previews(writes: Writes, uids: Collection[str]) -> Program[dict[str, str]]:
    """Return the preview URLs of these content types, by uid."""
    stored = yield from read_setting(writes, PREVIEWS_KEY)
    if not isinstance(stored, Mapping):
        return {}
    return {uid: str(stored[uid]) for uid in sorted(uids) if uid in stored}


def write_previews(writes: Writes, previews: Mapping[str, str]) -> Program[None]:
    """Keep these preview URLs and no others."""
    yield from write_setting(writes, PREVIEWS_KEY, dict(sorted(previews.items())))
