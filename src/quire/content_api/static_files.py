"""Serves files of a folder: nothing outside it, nothing hidden.

Types that browsers might execute can be sent with a sandbox policy.
"""

from pathlib import Path

from starlette.responses import FileResponse, Response

from quire.errors import ForbiddenError, NotFoundError

_INERT_GROUPS = frozenset({"audio", "font", "image", "video"})
_PDF = "application/pdf"
_INERT_TYPES = frozenset({"application/json", _PDF, "application/zip", "text/csv", "text/plain"})
_ACTIVE_IMAGE = "image/svg+xml"
_SANDBOX = "sandbox; default-src 'none'; img-src 'self' data:; style-src 'unsafe-inline'"


def file_response(
    root: Path, relative: str, *, sandboxed: bool, pdf_policy: str | None = None
) -> Response:
    """Return a file below a folder, a PDF with the content security policy ``pdf_policy``.

    Raises ForbiddenError for paths outside of it, NotFoundError unless it is a plain file.
    """
    path = root.joinpath(*path_below(relative))
    try:
        is_servable = path.resolve().is_relative_to(root.resolve()) and path.is_file()
        status = path.stat()
    except OSError:
        raise NotFoundError from None
    if not is_servable:
        raise NotFoundError
    response = FileResponse(path, stat_result=status)
    set_file_headers(response, sandboxed=sandboxed, pdf_policy=pdf_policy)
    return response


def set_file_headers(response: Response, *, sandboxed: bool, pdf_policy: str | None) -> None:
    """Set the headers of a file that has a content type, see `file_response`."""
    response.headers["cache-control"] = "max-age=0"
    response.headers["accept-ranges"] = "bytes"
    media_type = response.headers.get("content-type", "").split(";", maxsplit=1)[0].strip().lower()
    if sandboxed and not _is_inert(media_type):
        response.headers["content-security-policy"] = _SANDBOX
    elif pdf_policy is not None and media_type == _PDF:
        response.headers["content-security-policy"] = pdf_policy


def path_below(relative: str) -> list[str]:
    """Return the segments of a path. Raises as `file_response` does for those outside."""
    if "\\" in relative or relative.startswith("/"):
        raise NotFoundError
    parts = relative.split("/")
    if ".." in parts:
        if _escapes(parts):
            error = ForbiddenError()
            error.details = None
            raise error
        raise NotFoundError
    if any(part.startswith(".") or not part for part in parts):
        raise NotFoundError
    return parts


def _is_inert(media_type: str) -> bool:
    """Tell whether browsers execute nothing in a file; unknown types might be executed."""
    if media_type == _ACTIVE_IMAGE:
        return False
    return media_type.partition("/")[0] in _INERT_GROUPS or media_type in _INERT_TYPES


def _escapes(parts: list[str]) -> bool:
    depth = 0
    for part in parts:
        depth += -1 if part == ".." else bool(part) and part != "."
        if depth < 0:
            return True
    return False
