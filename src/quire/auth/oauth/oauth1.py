"""Client for OAuth 1 providers, which sign every request."""

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

import httpx
from authlib.oauth1.rfc5849.client_auth import ClientAuth
from msgspec.structs import replace

from quire.auth.oauth.http import check_address, provider_client, read_json, read_response
from quire.auth.oauth.provider_presets import Profile
from quire.auth.oauth.providers import Provider, ProviderError
from quire.auth.oauth.state import SignInState


class OAuth1Client:
    """Client of one provider, for one sign-in."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    async def begin(self, state: SignInState) -> tuple[SignInState, str]:
        """Return the state to store for a sign-in, and the URL to redirect the browser to.

        The request token serves as its state, and the token secret as its verifier. Raises
        ProviderError.
        """
        preset = self._provider.preset
        auth = self._auth(redirect_uri=self._provider.redirect_uri)
        async with provider_client() as client:
            response_values = await _tokens(client, preset.request_url, auth)
        if response_values.get("oauth_callback_confirmed") != "true":
            raise ProviderError("the provider does not send browsers back to this server")
        token, secret = _pair(response_values)
        address = f"{preset.authorize_url}?{urlencode({'oauth_token': token})}"
        return replace(state, state=token, verifier=secret), address

    async def profile(self, code: str, state: SignInState) -> Profile:
        """Return the profile of a user who came back with a code. Raises ProviderError."""
        preset = self._provider.preset
        auth = self._auth(token=state.state, token_secret=state.verifier, verifier=code)
        async with provider_client() as client:
            response_values = await _tokens(client, preset.token_url, auth)
            token, secret = _pair(response_values)
            auth = self._auth(token=token, token_secret=secret)
            responses = []
            for url in preset.profile_urls:
                headers = _sign_request(auth, "GET", check_address(url))
                responses.append(read_json(await client.get(url, headers=headers)))
        return preset.profile((*responses, response_values))

    def _auth(self, **of_tokens: str) -> ClientAuth:
        return ClientAuth(self._provider.key, self._provider.secret, **of_tokens)


async def _tokens(client: httpx.AsyncClient, url: str, auth: ClientAuth) -> Mapping[str, str]:
    response = await client.post(url, headers=_sign_request(auth, "POST", check_address(url)))
    try:
        return dict(parse_qsl(read_response(response).decode()))
    except ValueError:
        raise ProviderError("the response of the provider has no tokens") from None


def _sign_request(auth: ClientAuth, method: str, url: str) -> dict[str, str]:
    _, headers, _ = auth.prepare(method, url, {}, b"")
    return dict(headers)


def _pair(values: Mapping[str, str]) -> tuple[str, str]:
    token, secret = values.get("oauth_token"), values.get("oauth_token_secret")
    if not token or not secret:
        raise ProviderError("the provider gave no token")
    return token, secret
