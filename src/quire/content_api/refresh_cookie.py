"""The cookie with the refresh token of an end user, not readable by scripts."""

from urllib.parse import urlsplit

from quire.content_api.http_messages import Request
from quire.errors import ForbiddenError
from quire.settings import CorsSettings, UserSessionSettings

Header = tuple[bytes, bytes]

_REQUEST_HEADER = b"x-strapi-refresh-cookie"
_EXPIRED_COOKIE_DATE = "Thu, 01 Jan 1970 00:00:00 GMT"


class RefreshCookie:
    """Writes and reads the cookie; ``secure`` means TLS only."""

    def __init__(self, settings: UserSessionSettings, cors: CorsSettings, *, secure: bool) -> None:
        self._name = settings.cookie_name
        self._is_http_only = settings.http_only
        self._max_age = (
            ""
            if settings.cookie_max_age is None
            else f"; max-age={int(settings.cookie_max_age.total_seconds())}"
        )
        self._trusted = frozenset(cors.origins) - {"*"}
        self._attributes = "".join(
            (
                f"; path={settings.cookie_path}",
                f"; domain={settings.cookie_domain}" if settings.cookie_domain else "",
                "; secure" if secure else "",
                f"; httponly; samesite={settings.cookie_same_site}",
            )
        )

    def is_wanted(self, request: Request) -> bool:
        """Tell whether the refresh token is sent as a cookie, and not in the body."""
        return self._is_http_only or request.headers.get(_REQUEST_HEADER) == b"httpOnly"

    def set(self, token: str) -> tuple[Header, ...]:
        """Return the header that sets the refresh token."""
        cookie = f"{self._name}={token}{self._max_age}{self._attributes}"
        return ((b"set-cookie", cookie.encode()),)

    def clear(self) -> tuple[Header, ...]:
        """Return the header that deletes it."""
        expired_cookie = f"{self._name}=; expires={_EXPIRED_COOKIE_DATE}{self._attributes}"
        return ((b"set-cookie", expired_cookie.encode()),)

    def read(self, request: Request) -> str | None:
        """Return the refresh token among the cookies of a request.

        Raises ForbiddenError for a cross-origin request.
        """
        for part in request.headers.get(b"cookie", b"").decode("latin-1").split(";"):
            name, _, value = part.strip().partition("=")
            if name == self._name and value:
                self._require_own_page(request)
                return value
        return None

    def _require_own_page(self, request: Request) -> None:
        origin = request.headers.get(b"origin", b"").decode("latin-1")
        if not origin or origin in self._trusted:
            return
        host = request.headers.get(b"host", b"").decode("latin-1")
        try:
            page_hostname, own_hostname = urlsplit(origin).hostname, urlsplit(f"//{host}").hostname
        except ValueError:
            page_hostname = own_hostname = None
        if page_hostname is None or page_hostname != own_hostname:
            raise ForbiddenError
