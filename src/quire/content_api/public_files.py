"""Public files: uploads, the API reference, and the project's public folder.

Nothing outside the two folders is ever served, nor hidden files. Files keep their URL when they are
replaced, so browsers have to revalidate them; a tag avoids sending them again.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from starlette.datastructures import MutableHeaders
from starlette.responses import FileResponse, RedirectResponse, Response

from quire.content_api.envelope import is_known, respond_error, tags_known
from quire.content_api.file_parts import FilePartResponse
from quire.content_api.http_messages import AsgiReceive, AsgiScope, AsgiSend
from quire.content_api.routes import decode_path
from quire.content_api.static_files import file_response, path_below
from quire.content_api.uploaded_files import UploadedFiles
from quire.errors import AppError, BadRequestError, NotFoundError

_UPLOADS = "/uploads/"
_FAVICONS = ("favicon.ico", "favicon.png")
_NOT_MODIFIED_HEADERS = ("cache-control", "etag", "last-modified")
"""The headers of a file that are part of a 304 as well."""


class PageProvider(Protocol):
    """Built-in pages, and their parts."""

    def respond(self, path: str, headers: Mapping[bytes, bytes]) -> Response | None:
        """Return the page at a path, ``None`` if there is none.

        ``headers`` are those of the request, by lower-case name. Raises NotFoundError for a missing
        part.
        """


class PublicFiles:
    """Serves GET and HEAD for every path that is no route of the API."""

    def __init__(
        self,
        *,
        project: Path,
        public: Path,
        uploads: UploadedFiles,
        pages: Sequence[PageProvider] = (),
    ) -> None:
        self._project = project
        self._pages = pages
        self._public = public
        self._uploads = uploads

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Respond with a file, or with the error envelope."""
        try:
            request_headers = dict(scope["headers"])
            if scope["method"] == "HEAD":
                # It is defined for GET alone.
                request_headers.pop(b"range", None)
            response = await self._respond(
                scope["raw_path"], scope["query_string"], request_headers
            )
            if _is_known(response, request_headers):
                response = _not_modified(response)
        except AppError as error:
            failure = respond_error(error)
            response = Response(
                failure.body, failure.status, media_type="application/json; charset=utf-8"
            )
        headers = MutableHeaders(raw=[*scope["quire.headers"]])
        for name, value in response.headers.items():
            headers[name] = value
        response.raw_headers = headers.raw
        await response(scope, receive, send)

    async def _respond(
        self, raw_path: bytes, raw_query: bytes, headers: Mapping[bytes, bytes]
    ) -> Response:
        path = _decode(raw_path)
        if path == "/":
            response = RedirectResponse("/admin", 302)
            response.body = b"Redirecting to /admin."
            response.headers["content-length"] = str(len(response.body))
            response.headers["content-type"] = "text/html; charset=utf-8"
            return response
        if path == "/favicon.ico":
            return self._favicon()
        if path.lower().startswith(_UPLOADS):
            return await self._uploads.respond(path[len(_UPLOADS) :], raw_query, headers)
        for pages in self._pages:
            page = pages.respond(path, headers)
            if page is not None:
                return page
        self._uploads.require_elsewhere(self._public.joinpath(*path_below(path[1:])))
        return file_response(self._public, path[1:], sandboxed=False)

    def _favicon(self) -> Response:
        for name in _FAVICONS:
            if (self._project / name).is_file():
                response = FileResponse(self._project / name, media_type="image/x-icon")
                response.headers["cache-control"] = "public, max-age=86400"
                return response
        raise NotFoundError


def _decode(raw_path: bytes) -> str:
    if raw_path.startswith(b"//"):
        message = "Malicious Path"
        raise BadRequestError(message)
    path = decode_path(raw_path)
    if "\0" in path:
        message = "Malicious Path"
        raise BadRequestError(message)
    return path


def _is_known(response: Response, headers: Mapping[bytes, bytes]) -> bool:
    """Tell whether a client has the present file, by its tag or else by its time."""
    if not isinstance(response, FileResponse | FilePartResponse):
        return False
    client_tags = tags_known(headers)
    if client_tags is not None:
        return is_known(response.headers.get("etag", "").encode(), client_tags)
    moment = headers.get(b"if-modified-since")
    return moment is not None and moment.decode("latin-1") == response.headers.get("last-modified")


def _not_modified(file: Response) -> Response:
    headers = {name: file.headers[name] for name in _NOT_MODIFIED_HEADERS if name in file.headers}
    return Response(status_code=304, headers=headers)
