"""Client for OAuth 2 providers: exchanges a code for a token and reads the profile."""

from collections.abc import Mapping

import httpx
import jwt
import orjson
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from quire.auth.oauth.http import check_address, provider_client, read_json
from quire.auth.oauth.provider_presets import Profile
from quire.auth.oauth.providers import IdTokenError, Provider, ProviderError
from quire.auth.oauth.state import SignInState, is_same
from quire.clock import Clock

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA")
_LEEWAY_S = 60

_DISCOVERY = "/.well-known/openid-configuration"


def read_id_token(
    token: str, keys: object, *, issuer: str, audience: str, nonce: str, now: int
) -> Mapping[str, object]:
    """Return the claims of an ID token; ``now`` is epoch milliseconds. Raises IdTokenError."""
    claims = _verify_signature(token, keys)
    audiences = claims.get("aud")
    audience_list = audiences if isinstance(audiences, list) else [audiences]
    if claims.get("iss") != issuer:
        raise IdTokenError("its issuer is another one")
    if audience not in audience_list or (len(audience_list) > 1 and claims.get("azp") != audience):
        raise IdTokenError("its audience is another one")
    expires_at, valid_from = claims.get("exp"), claims.get("nbf", 0)
    if not isinstance(expires_at, int) or not isinstance(valid_from, int):
        raise IdTokenError("it has no expiry")
    if not (valid_from - _LEEWAY_S) * 1000 <= now < (expires_at + _LEEWAY_S) * 1000:
        raise IdTokenError("it has expired or is not valid yet")
    claimed_nonce = claims.get("nonce")
    if not isinstance(claimed_nonce, str) or not is_same(claimed_nonce, nonce):
        raise IdTokenError("it belongs to another sign-in")
    return claims


def _verify_signature(token: str, keys: object) -> Mapping[str, object]:
    try:
        header = jwt.get_unverified_header(token)
        key_set = jwt.PyJWKSet.from_dict(keys if isinstance(keys, dict) else {})
    except (jwt.PyJWTError, KeyError, ValueError) as error:
        raise IdTokenError("it, or the keys of its issuer, cannot be read") from error
    algorithm, key_id = header.get("alg"), header.get("kid")
    if algorithm not in ALGORITHMS:
        raise IdTokenError("it is not signed with a key pair")
    matching_keys = [key for key in key_set.keys if key_id is None or key.key_id == key_id]
    for key in matching_keys:
        try:
            content = jwt.api_jws.decode(token, key, algorithms=[algorithm])
            claims = orjson.loads(content)
        except (jwt.PyJWTError, orjson.JSONDecodeError, TypeError, ValueError):
            continue
        if isinstance(claims, dict):
            return claims
    raise IdTokenError("its issuer has not signed it")


class OAuth2Client:
    """Client of one provider, for one sign-in."""

    def __init__(self, provider: Provider, clock: Clock) -> None:
        self._provider = provider
        self._clock = clock

    async def begin(self, state: SignInState) -> tuple[SignInState, str]:
        """Return the state to store for a sign-in, and the URL to redirect the browser to.

        Raises ProviderError.
        """
        provider = self._provider
        url = provider.address(provider.preset.authorize_url)
        if provider.preset.issuer is not None:
            async with provider_client() as client:
                url = _text(await self._fetch_configuration(client), "authorization_endpoint")
        extra_parameters = {"nonce": state.nonce} if provider.preset.issuer is not None else {}
        address: str = prepare_grant_uri(
            url,
            client_id=provider.key,
            response_type="code",
            redirect_uri=provider.redirect_uri,
            scope=list(provider.scope),
            state=state.state,
            code_challenge=create_s256_code_challenge(state.verifier),
            code_challenge_method="S256",
            **extra_parameters,
        )
        return state, address

    async def profile(self, code: str, state: SignInState) -> Profile:
        """Return the profile of a user who came back with a code. Raises ProviderError."""
        async with provider_client() as client:
            return await self._profile(client, code, state)

    async def _profile(self, client: httpx.AsyncClient, code: str, state: SignInState) -> Profile:
        preset = self._provider.preset
        if preset.issuer is not None:
            configuration = await self._fetch_configuration(client)
            tokens = await self._tokens(client, _text(configuration, "token_endpoint"), code, state)
            keys = read_json(await client.get(check_address(_text(configuration, "jwks_uri"))))
            claims = read_id_token(
                _text(tokens, "id_token"),
                keys,
                issuer=_text(configuration, "issuer"),
                audience=self._provider.key,
                nonce=state.nonce,
                now=self._clock(),
            )
            return preset.profile((claims,))
        url = self._provider.address(preset.token_url)
        tokens = await self._tokens(client, url, code, state)
        key = self._provider.key
        headers = {name: text.replace("{key}", key) for name, text in preset.headers.items()}
        headers["Authorization"] = f"Bearer {_text(tokens, 'access_token')}"
        responses = []
        for address in preset.profile_urls:
            url = check_address(self._provider.address(address))
            responses.append(read_json(await client.get(url, headers=headers)))
        return preset.profile((*responses, tokens))

    async def _fetch_configuration(self, client: httpx.AsyncClient) -> Mapping[str, object]:
        issuer = self._provider.address(self._provider.preset.issuer or "")
        configuration = read_json(await client.get(check_address(issuer.rstrip("/") + _DISCOVERY)))
        if not isinstance(configuration, Mapping) or configuration.get("issuer") != issuer:
            raise ProviderError("the provider says that it is another one")
        return configuration

    async def _tokens(
        self, client: httpx.AsyncClient, url: str, code: str, state: SignInState
    ) -> Mapping[str, object]:
        provider = self._provider
        client_credentials = {"client_id": provider.key, "client_secret": provider.secret}
        by_header = provider.preset.by_header
        body = prepare_token_request(
            "authorization_code",
            redirect_uri=provider.redirect_uri,
            code=code,
            code_verifier=state.verifier,
            **({} if by_header else client_credentials),
        )
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        basic = httpx.BasicAuth(provider.key, provider.secret)
        auth = basic if by_header else httpx.USE_CLIENT_DEFAULT
        response = await client.post(check_address(url), content=body, headers=form, auth=auth)
        token_response = read_json(response)
        if not isinstance(token_response, Mapping) or "access_token" not in token_response:
            # GitHub reports errors with a status of success.
            raise ProviderError("the provider gave no token")
        return token_response


def _text(values: Mapping[str, object], name: str) -> str:
    value = values.get(name)
    if not isinstance(value, str) or not value:
        raise ProviderError(f"the provider does not say its {name}")
    return value
