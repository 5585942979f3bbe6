"""The headers of every response, and those for CORS."""

from collections.abc import Iterable, Mapping, Sequence

from quire.errors import BadRequestError
from quire.settings import CorsSettings, SecuritySettings

Header = tuple[bytes, bytes]

_ANY, _NO_ORIGIN = "*", b"null"
_FOR_NO_PAGE: tuple[Header, ...] = (
    (b"access-control-allow-origin", b""),
    (b"access-control-allow-credentials", b"true"),
)
_FOR_ANY: tuple[Header, ...] = ((b"access-control-allow-origin", b"*"),)

_VARY_STATIC: Header = (b"vary", b"Origin")
_VARY_API: Header = (b"vary", b"Origin, Authorization, Strapi-Response-Format")

_DEFAULT_POLICY: Mapping[str, tuple[str, ...]] = {
    "connect-src": ("'self'", "https:"),
    "img-src": ("'self'", "data:", "blob:"),
    "media-src": ("'self'", "data:", "blob:"),
    "default-src": ("'self'",),
    "base-uri": ("'self'",),
    "font-src": ("'self'", "https:", "data:"),
    "form-action": ("'self'",),
    "frame-ancestors": ("'self'",),
    "object-src": ("'none'",),
    "script-src": ("'self'",),
    "script-src-attr": ("'none'",),
    "style-src": ("'self'", "https:", "'unsafe-inline'"),
}


DUPLICATE_HEADER = "The request has more than one {} header"
NO_HOST = "The request has no Host header"
_SINGLE = (b"authorization", b"host")


def head_error(
    headers: Sequence[Header], fields: Mapping[bytes, bytes], version: str
) -> BadRequestError | None:
    """Return why the head of a request is invalid, ``None`` if it is valid.

    A proxy may have checked the other one of two credentials or hosts. ``fields`` are the headers
    by name; ``version`` is that of HTTP, of which 1.1 requires a host.
    """
    if len(fields) != len(headers):
        names = [name for name, _ in headers]
        for name in _SINGLE:
            if names.count(name) > 1:
                return BadRequestError(DUPLICATE_HEADER.format(name.decode().title()))
    if version == "1.1" and b"host" not in fields:
        return BadRequestError(NO_HOST)
    return None


def header_lines(headers: Iterable[Header]) -> bytes:
    """Return headers in their transmitted form."""
    return b"".join(name + b": " + value + b"\r\n" for name, value in headers)


def pdf_policy(settings: SecuritySettings) -> str:
    """Return the content security policy of a PDF file.

    Chromium's viewer is an embedded object of the page that it makes for the file.
    """
    return _directives({**_DEFAULT_POLICY, "object-src": ("'self'",)}, settings)


def _directives(defaults: Mapping[str, tuple[str, ...]], settings: SecuritySettings) -> str:
    policy = {**defaults, **settings.content_security_policy}
    return ";".join(" ".join((name, *sources)) for name, sources in policy.items())


def security_headers(settings: SecuritySettings) -> tuple[Header, ...]:
    """Return the headers that restrict browsers."""
    headers = [
        (b"content-security-policy", _directives(_DEFAULT_POLICY, settings).encode()),
        (b"referrer-policy", b"no-referrer"),
    ]
    if settings.hsts_max_age is not None:
        seconds = int(settings.hsts_max_age.total_seconds())
        value = f"max-age={seconds}; includeSubDomains"
        headers.append((b"strict-transport-security", value.encode()))
    return (
        *headers,
        (b"x-content-type-options", b"nosniff"),
        (b"x-dns-prefetch-control", b"off"),
        (b"x-download-options", b"noopen"),
        (b"x-frame-options", settings.frame_options.encode()),
        (b"x-permitted-cross-domain-policies", b"none"),
    )


class Cors:
    """Which origins may read responses.

    A listed origin is repeated, and may send cookies. With ``*`` in the settings any other origin
    may read without cookies: the response has ``*``, and never repeats an arbitrary origin. Opaque
    origins (``null``) are not allowed.
    """

    def __init__(self, settings: CorsSettings) -> None:
        self._allowed_origins = frozenset(
            origin.encode("latin-1") for origin in settings.origins if origin != _ANY
        )
        self._allows_any_origin = _ANY in settings.origins
        seconds = str(int(settings.max_age.total_seconds())).encode()
        self._preflight: tuple[Header, ...] = (
            (b"access-control-max-age", seconds),
            (b"access-control-allow-methods", ",".join(settings.methods).encode()),
            (b"access-control-allow-headers", ",".join(settings.headers).encode()),
        )
        exposed_headers = ",".join(settings.expose_headers).encode()
        self._expose_headers = (
            ((b"access-control-expose-headers", exposed_headers),) if exposed_headers else ()
        )

    def headers(self, origin: bytes | None) -> tuple[Header, ...]:
        """Return the headers of an ordinary response, those of Strapi without an origin."""
        if origin is None:
            return _FOR_NO_PAGE
        origin_headers = self._origin_headers(origin)
        return (*origin_headers, *self._expose_headers) if origin_headers else ()

    def preflight(self, origin: bytes | None) -> tuple[Header, ...]:
        """Return the headers of the response to a preflight request."""
        origin_headers = self._origin_headers(origin)
        return (*origin_headers, *self._preflight) if origin_headers else ()

    def _origin_headers(self, origin: bytes | None) -> tuple[Header, ...]:
        if origin in self._allowed_origins:
            return (
                (b"access-control-allow-origin", origin),
                (b"access-control-allow-credentials", b"true"),
            )
        if origin is not None and origin != _NO_ORIGIN and self._allows_any_origin:
            return _FOR_ANY
        return ()


class ResponseHeaders:
    """The headers of every response.

    ``Vary`` names the request headers that the response depends on: the origin always, and in the
    APIs the credentials and the format.
    """

    def __init__(self, security: tuple[Header, ...], cors: Cors) -> None:
        self._static = (*security, _VARY_STATIC)
        self._api = (*security, _VARY_API)
        self._cors = cors
        self._lines_without_origin = header_lines(self.api(None))

    def static(self, origin: bytes | None) -> tuple[Header, ...]:
        """Return the headers of a file that is the same for everybody."""
        return (*self._static, *self._cors.headers(origin))

    def api(self, origin: bytes | None) -> tuple[Header, ...]:
        """Return the headers of an ordinary response of an API."""
        return (*self._api, *self._cors.headers(origin))

    def lines(self, origin: bytes | None) -> bytes:
        """Return the headers of an ordinary response of an API in their transmitted form."""
        if origin is None:
            return self._lines_without_origin
        return header_lines(self.api(origin))

    def options(self, preflight: bytes | None) -> tuple[Header, ...]:
        """Return the headers of a response to OPTIONS; ``preflight`` is the requesting origin."""
        return (*self._static, *self._cors.preflight(preflight))
