"""A provider of OpenID Connect, to be run as a process of its own.

It lets everybody in who is sent to it, as whoever `/be` was told last, and does wrong what `/be`
was told to do wrong. It prints the port that it listens on.
"""

import base64
import hashlib
import secrets
import sys
import time
from typing import Any
from urllib.parse import urlencode

import jwt
import uvicorn
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

KEY, SECRET = "client", "client-secret"

_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
_other_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
_someone: dict[str, Any] = {}
_codes: dict[str, dict[str, str]] = {}
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


def keys(_: Request) -> Response:
    public = RSAAlgorithm.to_jwk(_key.public_key(), as_dict=True)
    return JSONResponse({"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]})


async def be(request: Request) -> Response:
    _someone.clear()
    _someone.update(await request.json())
    return Response(status_code=204)


def authorize(request: Request) -> Response:
    asked = dict(request.query_params)
    assert asked["response_type"] == "code"
    assert asked["code_challenge_method"] == "S256"
    assert asked["client_id"] == KEY
    assert "openid" in asked["scope"].split()
    code = secrets.token_urlsafe()
    _codes[code] = asked
    answer = urlencode({"code": code, "state": asked["state"]})
    return RedirectResponse(f"{asked['redirect_uri']}?{answer}", 302)


async def token(request: Request) -> Response:
    form = {key: str(value) for key, value in (await request.form()).items()}
    asked = _codes.pop(form.get("code", ""), None)
    digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    if (
        asked is None
        or asked["code_challenge"] != challenge
        or asked["redirect_uri"] != form.get("redirect_uri")
        or (form.get("client_id"), form.get("client_secret")) != (KEY, SECRET)
    ):
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


app = Starlette(
    routes=[
        Route("/.well-known/openid-configuration", discovery),
        Route("/keys", keys),
        Route("/be", be, methods=["POST"]),
        Route("/authorize", authorize),
        Route("/token", token, methods=["POST"]),
    ]
)


def main() -> None:
    global _issuer  # noqa: PLW0603 - known only once it listens
    config = uvicorn.Config(app, port=0, log_level="error", lifespan="off")
    listener = config.bind_socket()
    port = listener.getsockname()[1]
    _issuer = f"http://127.0.0.1:{port}"
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    uvicorn.Server(config).run([listener])


if __name__ == "__main__":
    main()
