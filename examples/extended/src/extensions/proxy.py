"""Authentication by a proxy."""

import hashlib
import hmac

from msgspec import Struct

from quire import Credential, Request, Unauthenticated, asgi_middleware, auth_strategy, settings
from quire.types import ASGIApp, Message, Receive, Scope, Send


class ProxySettings(Struct):
    """What the proxy signs e-mails with: the variable PROXY_KEY."""

    key: str


proxy = settings("proxy", ProxySettings)


def signature_of(email: str) -> str:
    """Return what the proxy sends with an e-mail."""
    return hmac.new(proxy.key.encode(), email.encode(), hashlib.sha256).hexdigest()


@auth_strategy("access-proxy", order=10)
async def access_proxy(request: Request) -> Credential | None:
    """Trust e-mails that the proxy has signed."""
    email = request.headers.get("x-access-email")
    if email is None:
        return None
    if not hmac.compare_digest(signature_of(email), request.headers.get("x-access-mark", "")):
        raise Unauthenticated
    return Credential(user_email=email)


@asgi_middleware(order=10)
class ServedBy:
    """Names the server in a header."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add a header to the response."""

        async def send_named(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"x-served-by", b"shop")]
            await send(message)

        await self.app(scope, receive, send_named)
