"""A provider of OpenID Connect, OAuth 2 and OAuth 1 that runs as a separate process.

It lets everybody in who is sent to it, as whoever `/be` was told last, and does wrong what `/be`
was told to do wrong. It prints the port that it listens on.
"""

import asyncio
import base64
import hashlib
import secrets
import sys
import time
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlencode

import jwt
import uvicorn
from authlib.oauth1.rfc5849.signature import verify_hmac_sha1
from authlib.oauth1.rfc5849.wrapper import OAuth1Request
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

KEY, SECRET = "client", "client-secret"

_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
_other_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
_someone: dict[str, Any] = {}
_codes: dict[str, dict[str, str]] = {}
_sent: list[int] = []
_issuer = ""


def discovery(_: Request) -> Response:
    issuer = _someone.get("issuer", _issuer)
    return JSONResponse(
        {
            "issuer": issuer,
            "authorization_endpoint": f"{_issuer}/authorize",
            "token_endpoint": f"{_issuer}/token",
            "jwks_uri": f"{_issuer}/keys",
        }
    )


async def spaces() -> AsyncIterator[bytes]:
    for _ in range(1000):
        _sent.append(100_000)
        yield b" " * 100_000
        await asyncio.sleep(0)  # so that the end of the connection is noticed


def keys(_: Request) -> Response:
    if _someone.get("endless"):
        return StreamingResponse(spaces())
    public = RSAAlgorithm.to_jwk(_key.public_key(), as_dict=True)
    return JSONResponse({"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]})


def sent(_: Request) -> Response:
    """How many bytes of endless responses were sent."""
    return JSONResponse(sum(_sent))


async def be(request: Request) -> Response:
    _someone.clear()
    _someone.update(await request.json())
    return Response(status_code=204)


def authorize(request: Request) -> Response:
    asked = dict(request.query_params)
    assert asked["response_type"] == "code"
    assert asked["client_id"] == KEY
    assert "openid" in asked["scope"].split()
    return sent_back(asked)


def sent_back(asked: dict[str, str]) -> Response:
    """Redirect a browser back with a code for the request."""
    assert asked["code_challenge_method"] == "S256"
    code = secrets.token_urlsafe()
    _codes[code] = asked
    response = urlencode({"code": code, "state": asked["state"]})
    return RedirectResponse(f"{asked['redirect_uri']}?{response}", 302)


def is_answered(form: dict[str, str]) -> dict[str, str] | None:
    """Return the request of a code, if the form comes from the same client."""
    asked = _codes.pop(form.get("code", ""), None)
    digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    good = (
        asked is not None
        and asked["code_challenge"] == challenge
        and asked["redirect_uri"] == form.get("redirect_uri")
        and (form.get("client_id"), form.get("client_secret")) == (KEY, SECRET)
    )
    return asked if good else None


async def token(request: Request) -> Response:
    form = {key: str(value) for key, value in (await request.form()).items()}
    asked = is_answered(form)
    if asked is None:
        return JSONResponse({"error": "invalid_grant"}, 400)
    now = int(time.time())
    claims = {
        "iss": _issuer,
        "aud": KEY,
        "sub": "1",
        "iat": now,
        "exp": now + 300,
        "nonce": asked.get("nonce"),
        **_someone.get("claims", {}),
    }
    key: Any = _other_key if _someone.get("forged") else _key
    algorithm = _someone.get("algorithm", "RS256")
    if algorithm == "HS256":
        key = SECRET * 3
    elif algorithm == "none":
        key = None
    signed = jwt.encode(claims, key, algorithm=algorithm, headers={"kid": "one"})
    return JSONResponse({"access_token": "at", "token_type": "Bearer", "id_token": signed})


def plain_authorize(request: Request) -> Response:
    asked = dict(request.query_params)
    assert asked["response_type"] == "code"
    assert asked["client_id"] == KEY
    assert asked["scope"]
    return sent_back(asked)


async def plain_token(request: Request) -> Response:
    form = {key: str(value) for key, value in (await request.form()).items()}
    known = base64.b64encode(f"{KEY}:{SECRET}".encode()).decode()
    by_header = request.headers.get("authorization") == f"Basic {known}"
    if by_header is not bool(_someone.get("by_header")) or (by_header and "client_secret" in form):
        return JSONResponse({"error": "invalid_client"}, 401)
    by_form = {"client_id": KEY, "client_secret": SECRET} if by_header else {}
    if not is_answered({**form, **by_form}):
        return JSONResponse({"error": "invalid_grant"}, 400)
    return JSONResponse({"access_token": "at", "token_type": "Bearer", **_someone.get("with", {})})


def plain_response(request: Request) -> Response:
    if request.headers.get("authorization") != "Bearer at":
        return JSONResponse({"error": "who?"}, 401)
    return JSONResponse(_someone["responses"][request.path_params["number"]])


class _Client:
    def get_client_secret(self) -> str:
        return SECRET


class _Credential:
    def __init__(self, secret: str) -> None:
        self.secret = secret

    def get_oauth_token_secret(self) -> str:
        return self.secret


def is_signed(request: Request, token_secret: str | None) -> OAuth1Request | None:
    """Return a request that is signed for the client and a token, else nothing."""
    headers = {"Authorization": request.headers.get("authorization", "")}
    signed = OAuth1Request(request.method, str(request.url), headers=headers)
    signed.client = _Client()
    signed.credential = None if token_secret is None else _Credential(token_secret)
    good = signed.client_id == KEY and verify_hmac_sha1(signed)
    return signed if good else None


def signed_request(request: Request) -> Response:
    signed = is_signed(request, None)
    if signed is None:
        return Response("no", 401)
    token = secrets.token_urlsafe()
    _codes[token] = {"redirect_uri": signed.oauth_params["oauth_callback"]}
    confirmed = "false" if _someone.get("unconfirmed") else "true"
    reported = {"oauth_token": token, "oauth_token_secret": "first"}
    return Response(urlencode({**reported, "oauth_callback_confirmed": confirmed}))


def signed_authorize(request: Request) -> Response:
    token = request.query_params["oauth_token"]
    _codes[token]["verifier"] = verifier = secrets.token_urlsafe()
    response = urlencode({"oauth_token": token, "oauth_verifier": verifier})
    return RedirectResponse(f"{_codes[token]['redirect_uri']}?{response}", 302)


def signed_token(request: Request) -> Response:
    signed = is_signed(request, "first")
    known = None if signed is None else _codes.pop(signed.token, None)
    if (
        signed is None
        or known is None
        or known["verifier"] != signed.oauth_params["oauth_verifier"]
    ):
        return Response("no", 401)
    return Response(urlencode({"oauth_token": "at", "oauth_token_secret": "second"}))


def signed_response(request: Request) -> Response:
    signed = is_signed(request, "second")
    if signed is None or signed.token != "at" or request.query_params["include_email"] != "true":
        return JSONResponse({"error": "who?"}, 401)
    return JSONResponse(_someone["responses"][0])


app = Starlette(
    routes=[
        Route("/.well-known/openid-configuration", discovery),
        Route("/keys", keys),
        Route("/sent", sent),
        Route("/be", be, methods=["POST"]),
        Route("/authorize", authorize),
        Route("/token", token, methods=["POST"]),
        Route("/plain/authorize", plain_authorize),
        Route("/plain/token", plain_token, methods=["POST"]),
        Route("/plain/responses/{number:int}", plain_response),
        Route("/signed/request", signed_request, methods=["POST"]),
        Route("/signed/authorize", signed_authorize),
        Route("/signed/token", signed_token, methods=["POST"]),
        Route("/signed/answer", signed_response),
    ]
)


def main() -> None:
    global _issuer  # noqa: PLW0603 - known only once it listens
    config = uvicorn.Config(app, port=0, log_level="error", lifespan="off")
    listener = config.bind_socket()
    listener.listen()  # whoever reads the port may connect at once
    port = listener.getsockname()[1]
    _issuer = f"http://127.0.0.1:{port}"
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main()
