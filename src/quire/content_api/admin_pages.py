"""Serves the files of the admin UI at ``/admin``, and its HTML page for all paths.

Routes of the admin API come first. Every other GET below ``/admin`` is a file of the UI, one of its
pages (which the UI's router selects by the URL), or a 404.
"""

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from types import MappingProxyType
from typing import Final

from starlette.responses import FileResponse, Response

from quire.content_api.accept_encoding import accepts_encoding
from quire.content_api.static_files import path_below
from quire.errors import NotFoundError

PATH: Final = "/admin"
BUILT: Final = Path(__file__).parent.parent / "static" / "admin"
"""The folder of the UI's build."""

PAGES: Final = frozenset(
    {
        "activity",
        "auth",
        "content",
        "explorer",
        "login",
        "media",
        "model",
        "profile",
        "releases",
        "settings",
        "setup",
    }
)
"""First segments below ``/admin`` of the UI, whatever a client accepts."""

_API_ONLY: Final = frozenset({"x"})
"""First segments below ``/admin`` without pages of the UI."""

_YEAR: Final = "public, max-age=31536000, immutable"
_MEDIA_TYPES: Final = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_ENCODINGS: Final = {"br": ".br", "gzip": ".gz"}
"""The encodings that the build has of each file, with their suffixes; the smallest is first."""
_INLINE_SCRIPT: Final = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
_MODULE: Final = {"cache-control": _YEAR, "x-content-type-options": "nosniff"}
_NO_SOURCES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({})

_DOCUMENT = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Content server</title>
<style>
:root {{ color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }}
body {{ max-width: 34rem; margin: 4rem auto; padding: 0 1.5rem; }}
h1 {{ font-size: 1.4rem; }}
</style>
</head>
<body>
<main>
<h1>Content server</h1>
<p>{reason}</p>
<p>The content API is at <code>{prefix}</code>; <a href="{document}">{document}</a> (OpenAPI)
describes it.{reference}</p>
</main>
</body>
</html>
"""
_NOT_BUILT = (
    "The admin UI was not built with this copy of the server. <code>make setup</code> in a source "
    "checkout builds it; packages that you install have it. Meanwhile, "
    "<code>quire admin create</code> makes administrators and the admin API works."
)
_NO_ADMIN_API = (
    "This project has no admin API, so no admin UI either: it has no <code>ADMIN_JWT_SECRET</code>."
)


class AdminPages:
    """Responds to GET requests below ``/admin`` that no route of the admin API takes."""

    def __init__(
        self,
        *,
        api_prefix: str,
        document: str,
        reference: str | None,
        admin: bool,
        sources: Mapping[str, tuple[str, ...]] = _NO_SOURCES,
        directory: Path | None = None,
        modules: Mapping[str, bytes] = MappingProxyType({}),
    ) -> None:
        """Build the pages.

        ``document`` is the path of the OpenAPI document, ``reference`` that of the page to try the
        API, where that is served. Without ``admin`` the project has no admin API. ``sources`` are
        directives of the project's own content security policy: images and videos of the media
        library, and previews of entries in frames, may come from other hosts. ``modules`` are those
        of the project's code, by their paths below ``/admin/``. ``directory`` holds the files of
        the UI, where they are not where the build puts them.
        """
        self._directory = directory = directory or BUILT
        index = directory / "index.html"
        has_pages = admin and index.is_file()
        self._headers = _headers(sources, index.read_bytes() if has_pages else b"")
        self._modules = modules
        link = f' To try it: <a href="{reference}">{reference}</a>.' if reference else ""
        self._substitute = (
            None
            if has_pages
            else _DOCUMENT.format(
                reason=_NOT_BUILT if admin else _NO_ADMIN_API,
                prefix=escape(api_prefix),
                document=escape(document),
                reference=link,
            )
        )

    def respond(self, path: str, headers: Mapping[bytes, bytes]) -> Response | None:
        """Return the file or page at a path, ``None`` if there is none.

        Raises NotFoundError for a missing file of the UI.
        """
        if path != PATH and not path.startswith(f"{PATH}/"):
            return None
        relative = path[len(PATH) + 1 :]
        if relative in self._modules:
            return Response(self._modules[relative], media_type="text/javascript", headers=_MODULE)
        if self._substitute is not None:
            if _is_page(relative, headers):
                return Response(self._substitute, media_type="text/html", headers=self._headers)
            return None
        if relative.startswith("assets/"):
            return self._asset(relative, headers)
        file = self._directory.joinpath(*path_below(relative)) if relative else self._directory
        if relative != "index.html" and file.is_file() and file.suffix in _MEDIA_TYPES:
            return FileResponse(
                file, media_type=_MEDIA_TYPES[file.suffix], headers={"cache-control": "no-cache"}
            )
        if _is_page(relative, headers):
            return FileResponse(
                self._directory / "index.html", media_type="text/html", headers=self._headers
            )
        return None

    def _asset(self, relative: str, headers: Mapping[bytes, bytes]) -> Response:
        """Return a file whose name has a hash of its content, compressed if the client takes it."""
        file = self._directory.joinpath(*path_below(relative))
        media_type = _MEDIA_TYPES.get(file.suffix)
        if media_type is None or not file.is_file():
            raise NotFoundError
        asset_headers = {"cache-control": _YEAR, "vary": "Origin, Accept-Encoding"}
        accepted = headers.get(b"accept-encoding", b"")
        for encoding, suffix in _ENCODINGS.items():
            compressed = file.with_name(f"{file.name}{suffix}")
            if accepts_encoding(accepted, encoding.encode()) and compressed.is_file():
                file = compressed
                asset_headers["content-encoding"] = encoding
                break
        return FileResponse(file, media_type=media_type, headers=asset_headers)


def _is_page(relative: str, headers: Mapping[bytes, bytes]) -> bool:
    """Tell whether a path below ``/admin`` is for the UI rather than a misspelt API request."""
    section = relative.partition("/")[0]
    if section in PAGES or not section:
        return True
    return section not in _API_ONLY and b"text/html" in headers.get(b"accept", b"")


def _headers(sources: Mapping[str, tuple[str, ...]], page: bytes) -> dict[str, str]:
    # A script in the page itself shows something before the files of the UI are loaded.
    scripts = ["'self'", *(_hash(one) for one in _INLINE_SCRIPT.findall(page))]
    media = sources.get("media-src", ("'self'", "data:", "blob:"))
    images = sources.get("img-src", ("'self'", "data:", "blob:"))
    # PDF files of the media library are shown in frames, in addition to the configured sites.
    frames = dict.fromkeys(("'self'", *sources.get("frame-src", ())))
    policy = (
        f"default-src 'self'; script-src {_join(scripts)}; style-src 'self' 'unsafe-inline'; "
        f"img-src {_join(images)}; media-src {_join(media)}; font-src 'self' data:; "
        f"frame-src {_join(frames)}; "
        "connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; "
        "frame-ancestors 'self'"
    )
    return {
        "content-security-policy": policy,
        # The URL of a registration or reset page contains a token.
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cache-control": "no-cache",
    }


def _hash(script: bytes) -> str:
    """Return the source expression of a script by its content (CSP Level 3, section 2.3.1)."""
    return f"'sha256-{b64encode(sha256(script).digest()).decode()}'"


def _join(sources: Iterable[str]) -> str:
    return " ".join(sources)
