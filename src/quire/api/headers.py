"""The headers that every answer carries, and those that cross-origin requests ask for."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from quire.settings import CorsSettings, SecuritySettings

Header = tuple[bytes, bytes]

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


def header_lines(headers: Iterable[Header]) -> bytes:
    """Return headers as they are on the wire."""
    return b"".join(name + b": " + value + b"\r\n" for name, value in headers)


def security_headers(settings: SecuritySettings) -> tuple[Header, ...]:
    """Return the headers that tell browsers what not to do."""
    policy = {**_DEFAULT_POLICY, **settings.content_security_policy}
    directives = ";".join(" ".join((name, *sources)) for name, sources in policy.items())
    headers = [
        (b"content-security-policy", directives.encode()),
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
        (b"vary", b"Origin"),
    )


class Cors(Struct, frozen=True):
    """Which origins may read answers; ``*`` in the settings means any."""

    settings: CorsSettings

    def headers(self, origin: bytes | None) -> tuple[Header, ...]:
        """Return the headers of an ordinary answer."""
        if origin is None:
            return (
                (b"access-control-allow-origin", b""),
                (b"access-control-allow-credentials", b"true"),
            )
        if not self.allows(origin):
            return ()
        found: tuple[Header, ...] = (
            (b"access-control-allow-origin", origin),
            (b"access-control-allow-credentials", b"true"),
        )
        if self.settings.expose_headers:
            exposed = ",".join(self.settings.expose_headers).encode()
            found = (*found, (b"access-control-expose-headers", exposed))
        return found

    def preflight(self, origin: bytes) -> tuple[Header, ...]:
        """Return the headers of the answer to a preflight request."""
        if not self.allows(origin):
            return ()
        settings = self.settings
        max_age = str(int(settings.max_age.total_seconds())).encode()
        return (
            (b"access-control-allow-origin", origin),
            (b"access-control-allow-credentials", b"true"),
            (b"access-control-max-age", max_age),
            (b"access-control-allow-methods", ",".join(settings.methods).encode()),
            (b"access-control-allow-headers", ",".join(settings.headers).encode()),
        )

    def allows(self, origin: bytes) -> bool:
        """Tell whether pages of an origin may read answers."""
        origins = self.settings.origins
        return "*" in origins or origin.decode("latin-1") in origins


class AnswerHeaders:
    """The headers that every answer carries, whatever it is about."""

    def __init__(self, security: tuple[Header, ...], cors: Cors) -> None:
        self._security = security
        self._cors = cors
        self._without_origin = (*security, *cors.headers(None))
        self._lines_without_origin = header_lines(self._without_origin)

    def plain(self, origin: bytes | None) -> tuple[Header, ...]:
        """Return the headers of an ordinary answer."""
        if origin is None:
            return self._without_origin
        return (*self._security, *self._cors.headers(origin))

    def lines(self, origin: bytes | None) -> bytes:
        """Return the headers of an ordinary answer as they are on the wire."""
        if origin is None:
            return self._lines_without_origin
        return header_lines(self.plain(origin))

    def options(self, preflight: bytes | None) -> tuple[Header, ...]:
        """Return the headers of an answer to OPTIONS; ``preflight`` is the origin that asks."""
        if preflight is None:
            return self._security
        return (*self._security, *self._cors.preflight(preflight))
