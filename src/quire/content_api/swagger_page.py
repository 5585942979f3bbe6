"""``/docs``: Swagger UI.

Everything it needs is served from here, and its policy restricts it to this server. It shows
``openapi.json``, which depends on the caller's permissions.
"""

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Final

from starlette.responses import FileResponse, Response

from quire.content_api.accept_encoding import GZIP, accepts_encoding

PATH: Final = "/docs"
_FOLDER = Path(__file__).with_name("swagger_ui")
_SCRIPT, _STYLE = "text/javascript", "text/css"
_FILES = {
    "start.js": ("start.js", _SCRIPT),
    "swagger-ui.css": ("swagger-ui.css.gz", _STYLE),
    "swagger-ui-bundle.js": ("swagger-ui-bundle.js.gz", _SCRIPT),
}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Content API</title>
<link rel="stylesheet" href="{path}/swagger-ui.css">
<script src="{path}/swagger-ui-bundle.js" defer></script>
<script src="{path}/start.js" defer></script>
</head>
<body>
<div id="reference" data-document="{document}"></div>
<noscript>This page needs JavaScript. The description itself is at
<a href="{document}">{document}</a>.</noscript>
</body>
</html>
"""


class SwaggerPage:
    """Handles paths below ``/docs``; ``document`` is the path of the OpenAPI document."""

    def __init__(self, document: str) -> None:
        self._page = _PAGE.format(path=PATH, document=escape(document))

    def respond(self, path: str, headers: Mapping[bytes, bytes]) -> Response | None:
        """Return the page or a part of it, ``None`` for any other path."""
        if path.removesuffix("/") == PATH:
            page = Response(self._page, media_type="text/html")
            page.headers["content-security-policy"] = _POLICY
            # Tokens are entered here: a page that has opened this one gets no reference to it.
            page.headers["cross-origin-opener-policy"] = "same-origin"
            page.headers["cache-control"] = "no-cache"
            return page
        folder, _, name = path.rpartition("/")
        if folder != PATH or name not in _FILES:
            return None
        return _file_response(*_FILES[name], headers.get(b"accept-encoding", b""))


def _file_response(file_name: str, media_type: str, accept_encoding: bytes) -> Response:
    # Hardly any client requests this, and it would slow down the start.
    import gzip  # noqa: PLC0415

    file = _FOLDER / file_name
    response: Response
    if file.suffix == ".gz" and not accepts_encoding(accept_encoding, GZIP):
        response = Response(gzip.decompress(file.read_bytes()), media_type=media_type)
    else:
        response = FileResponse(file, media_type=media_type)
        if file.suffix == ".gz":
            response.headers["content-encoding"] = "gzip"
    response.headers["cache-control"] = "no-cache"
    response.headers["vary"] = "Origin, Accept-Encoding"
    return response
