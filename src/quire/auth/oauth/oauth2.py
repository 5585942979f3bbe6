"""Client for OAuth 2 providers: exchanges a code for a token and reads the profile."""

from collections.abc import Mapping

import httpx
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from quire.auth.oauth.errors import ProviderError
from quire.auth.oauth.http import check_address, provider_client, read_json
from quire.auth.oauth.identity import read_id_token
from quire.auth.oauth.provider_presets import Profile
from quire.auth.oauth.providers import Provider
from quire.auth.oauth.state import SignInState
from quire.clock import Clock

_DISCOVERY = "/.well-known/openid-configuration"


class OAuth2Client:
    """Speaks with one provider, for one sign-in."""

    def __init__(self, provider: Provider, clock: Clock) -> None:
        self._provider = provider
        self._clock = clock

    async def begin(self, begun: SignInState) -> tuple[SignInState, str]:
        """Return what is to be kept of a sign-in, and where a browser is sent for it.

        Raises ExchangeError.
        """
        provider = self._provider
        url = provider.address(provider.preset.authorize_url)
        if provider.preset.issuer is not None:
            async with provider_client() as client:
                url = _text(await self._discovered(client), "authorization_endpoint")
        more = {"nonce": begun.nonce} if provider.preset.issuer is not None else {}
        address: str = prepare_grant_uri(
            url,
            client_id=provider.key,
            response_type="code",
            redirect_uri=provider.redirect_uri,
            scope=list(provider.scope),
            state=begun.state,
            code_challenge=create_s256_code_challenge(begun.verifier),
            code_challenge_method="S256",
            **more,
        )
        return begun, address

    async def profile(self, code: str, begun: SignInState) -> Profile:
        """Return who somebody is who came back with a code. Raises ExchangeError."""
        async with provider_client() as client:
            return await self._profile(client, code, begun)

    async def _profile(self, client: httpx.AsyncClient, code: str, begun: SignInState) -> Profile:
        preset = self._provider.preset
        if preset.issuer is not None:
            discovered = await self._discovered(client)
            tokens = await self._tokens(client, _text(discovered, "token_endpoint"), code, begun)
            keys = read_json(await client.get(check_address(_text(discovered, "jwks_uri"))))
            claims = read_id_token(
                _text(tokens, "id_token"),
                keys,
                issuer=_text(discovered, "issuer"),
                audience=self._provider.key,
                nonce=begun.nonce,
                now=self._clock(),
            )
            return preset.profile((claims,))
        url = self._provider.address(preset.token_url)
        tokens = await self._tokens(client, url, code, begun)
        key = self._provider.key
        headers = {name: text.replace("{key}", key) for name, text in preset.headers.items()}
        headers["Authorization"] = f"Bearer {_text(tokens, 'access_token')}"
        responses = []
        for address in preset.profile_urls:
            url = check_address(self._provider.address(address))
            responses.append(read_json(await client.get(url, headers=headers)))
        return preset.profile((*responses, tokens))

    async def _discovered(self, client: httpx.AsyncClient) -> Mapping[str, object]:
        issuer = self._provider.address(self._provider.preset.issuer or "")
        found = read_json(await client.get(check_address(issuer.rstrip("/") + _DISCOVERY)))
        if not isinstance(found, Mapping) or found.get("issuer") != issuer:
            raise ProviderError("the provider says that it is another one")
        return found

    async def _tokens(
        self, client: httpx.AsyncClient, url: str, code: str, begun: SignInState
    ) -> Mapping[str, object]:
        provider = self._provider
        known = {"client_id": provider.key, "client_secret": provider.secret}
        by_header = provider.preset.by_header
        body = prepare_token_request(
            "authorization_code",
            redirect_uri=provider.redirect_uri,
            code=code,
            code_verifier=begun.verifier,
            **({} if by_header else known),
        )
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        basic = httpx.BasicAuth(provider.key, provider.secret)
        auth = basic if by_header else httpx.USE_CLIENT_DEFAULT
        response = await client.post(check_address(url), content=body, headers=form, auth=auth)
        found = read_json(response)
        if not isinstance(found, Mapping) or "access_token" not in found:
            # GitHub tells a fault with a status of success.
            raise ProviderError("the provider gave no token")
        return found


def _text(values: Mapping[str, object], name: str) -> str:
    value = values.get(name)
    if not isinstance(value, str) or not value:
        raise ProviderError(f"the provider does not say its {name}")
    return value
