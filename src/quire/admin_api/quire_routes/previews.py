"""``/admin/x/previews``: where a site shows the entries of content types.

Preview URLs are patterns in the core store, by uid. The admin UI replaces the placeholders by
values of an entry.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from urllib.parse import urlsplit

from msgspec import Struct

from quire.access.admin_actions import READ
from quire.admin_api.response_types import EXTRAS, DataEnvelope
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import REQUIRED, ValuePath, problem_at
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.core_store import PREVIEWS_KEY, read_setting, write_setting
from quire.document_service.validate.problems import Problem
from quire.schema.attributes.validation import ABSENT, not_of_type
from quire.schema.model import Schema

PLACEHOLDERS = ("documentId", "locale", "slug", "status")
_IN_HOSTS = ("locale",)
"""Placeholders whose values editors cannot choose, so that they are allowed in a host name."""
_MAX_LENGTH = 2000
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
_ADDRESS = re.compile(r"(https?://[^/?#\s]+|/(?!/))[\x21-\x7e]*")

NO_ADDRESS = "must be an http or https URL, or a path that begins with /"
TOO_LONG = f"must be at most {_MAX_LENGTH} characters"
UNKNOWN_PLACEHOLDER = "has the unknown placeholder {{{}}}; known are {}"
IN_HOST = "must not have {{{}}} in the name of the host"


def pattern_problem(pattern: str) -> str | None:
    """Return the problem of a preview URL, ``None`` if it is valid."""
    if len(pattern) > _MAX_LENGTH:
        return TOO_LONG
    names = _PLACEHOLDER.findall(pattern)
    example_url = _PLACEHOLDER.sub("x", pattern)
    if (
        not _ADDRESS.fullmatch(example_url)
        or "{" in example_url
        or "}" in example_url
        or "\\" in example_url
    ):
        return NO_ADDRESS
    placeholders = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
    for name in names:
        if name not in PLACEHOLDERS:
            return UNKNOWN_PLACEHOLDER.format(name, placeholders)
    try:
        host = urlsplit(pattern).netloc
        _ = urlsplit(example_url).port
    except ValueError:
        return NO_ADDRESS
    for name in _PLACEHOLDER.findall(host):
        if name not in _IN_HOSTS:
            return IN_HOST.format(name)
    return None if "@" not in host else NO_ADDRESS


def read_previews(writes: Writes, uids: Collection[str]) -> Program[dict[str, str]]:
    """Return the preview URLs of these content types, by uid."""
    previews = yield from read_setting(writes, PREVIEWS_KEY)
    if not isinstance(previews, Mapping):
        return {}
    return {uid: str(previews[uid]) for uid in sorted(uids) if uid in previews}


def write_previews(writes: Writes, previews: Mapping[str, str]) -> Program[None]:
    """Keep these preview URLs and no others."""
    yield from write_setting(writes, PREVIEWS_KEY, dict(sorted(previews.items())))


UPDATE_PROJECT = "admin::project-settings.update"
FRAME_SOURCES = ("'self'",)
"""The origins that the admin UI may show in frames, by default."""
_NO_TYPE = "is no content type of this project"


class _Patterns(Struct, frozen=True):
    """Preview URLs by the uid of a content type, one of ``uids``."""

    uids: frozenset[str]

    def problems(self, path: ValuePath, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        if value is ABSENT:
            yield problem_at(path, REQUIRED, value)
        elif not isinstance(value, Mapping):
            yield problem_at(path, not_of_type("object", value), value)
        else:
            for uid, url in value.items():
                url_place = (*path, str(uid))
                if uid not in self.uids:
                    yield problem_at(url_place, _NO_TYPE, url)
                elif not isinstance(url, str):
                    yield problem_at(url_place, not_of_type("string", url), url)
                elif url and (problem := pattern_problem(url)):
                    yield problem_at(url_place, problem, url)


class PreviewUrls(RequestBody):
    """Preview URLs by the uid of a content type; an empty one means none."""

    previews: dict[str, str]


class Previews(Struct, rename="camel"):
    """Preview URLs by content type, and the origins that may be shown in frames."""

    previews: dict[str, str]
    frame_sources: list[str]


class PreviewApi:
    """The preview URLs of content types."""

    def __init__(
        self,
        database: Database,
        schema: Schema,
        writes: Writes,
        frame_sources: tuple[str, ...] = FRAME_SOURCES,
    ) -> None:
        """``frame_sources`` is ``frame-src`` of the content security policy of the admin UI."""
        self._database = database
        self._uids = frozenset(content_type.uid for content_type in schema.api_types)
        self._writes = writes
        self._frame_sources = frame_sources

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route, path, response = RouteGroup(EXTRAS), "admin/x/previews", DataEnvelope[Previews]
        yield route("GET", path, SIGNED_IN, self.find, response=response)
        replace = self.replace
        yield route("PUT", path, UPDATE_PROJECT, replace, body=PreviewUrls, response=response)

    async def find(self, request: Request) -> Response:
        """Return the preview URLs of the readable content types."""
        ability = request.administrator.ability
        may_change_project = ability.allows(UPDATE_PROJECT)
        uids = [uid for uid in self._uids if may_change_project or ability.allows(READ, uid)]
        return await self._respond(uids)

    async def replace(self, request: Request) -> Response:
        """Replace the preview URLs; an empty one is removed."""
        patterns = read_body(request.body, PreviewUrls, previews=_Patterns(self._uids)).previews
        previews = {uid: url for uid, url in patterns.items() if url}
        await self._database.write(write_previews(self._writes, previews))
        return await self._respond(self._uids)

    async def _respond(self, uids: Collection[str]) -> Response:
        previews = await self._database.read(lambda: read_previews(self._writes, uids))
        return respond_data({"previews": previews, "frameSources": [*self._frame_sources]})
