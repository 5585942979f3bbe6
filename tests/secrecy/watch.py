"""Detects secrets in all output of servers in tests.

What is secret is learnt on the way: passwords, codes and tokens that are sent, tokens that are
given out, the secrets of every project that is served. None of it may be in a log line, and none in
a response, but for the responses that give tokens out. Hashes of passwords are nowhere.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import chain

import orjson
from msgspec import Struct, field

from quire.settings import Settings
from quire.settings.model import SecretSettings

_TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]+\.[\w-]*|[0-9a-f]{40,}")
"""What tokens look like: signed ones, and random ones."""
_HASH = re.compile(r"\$2[aby]\$\d\d\$[./\w]{53}")
_SHORTEST, _FEWEST_SIGNS = 8, 5
"""What is shorter, or made of fewer different signs, may stand anywhere by chance."""

_SENT = frozenset(
    {
        *("password", "passwordConfirmation", "currentPassword", "passcode", "userInfo"),
        *("code", "refreshToken", "resetPasswordToken", "registrationToken"),
    }
)
"""Fields of bodies whose values are secrets."""
_ALLOWED = frozenset({"jwt", "refreshToken", "token", "accessKey", "registrationToken"})
"""Members of answers that give tokens out."""
_UNKNOWN = "this field has unspecified keys"
_SHOWS_SECRETS = re.compile(
    r"/api/auth/|/admin/(login|register|access-token|reset-password|api-tokens|users|transfer)"
)
"""Where such answers come from."""
_SHIPPED = "/docs/swagger-ui"
"""Files that come with the server, the same for everybody, in which any text may stand."""


class Watch(Struct):
    """What is secret, and where it showed."""

    leaks: list[str] = field(default_factory=list)
    _tokens: set[str] = field(default_factory=set)
    _texts: set[str] = field(default_factory=set)
    _sent: set[str] = field(default_factory=set)
    """Texts that came with requests, until they are forgotten."""

    def keep(self, secret: object) -> None:
        """Learn that a value is secret."""
        self._add(secret, self._texts)

    def _add(self, secret: object, texts: set[str]) -> None:
        if not isinstance(secret, str) or len(secret) < _SHORTEST:
            return
        if _TOKEN.fullmatch(secret):
            self._tokens.add(secret)
        elif len(set(secret)) >= _FEWEST_SIGNS and not secret.isalpha():
            texts.add(secret)

    def forget(self) -> None:
        """Forget the texts of requests, so that one module's tests do not look for those of all."""
        self._sent.clear()

    def learn(self, settings: object) -> None:
        """Learn the secrets of a project that is to be served."""
        if isinstance(settings, Settings):
            for key in (*settings.secrets.app_keys, *_texts_of(settings.secrets)):
                self.keep(key)

    def look(self, where: str, text: str) -> None:
        """Note a leak if there is anything secret in a text."""
        found = self._found(text)
        if found is not None:
            self.leaks.append(f"{where} shows {found[:10]}…: {_around(text, found)}")

    def sent(self, headers: Mapping[str, str], body: bytes) -> None:
        """Learn what is secret in a request."""
        for name, value in headers.items():
            if name.lower() == "authorization":
                self._note(value.rpartition(" ")[2])
        if b"assw" in body or b"oken" in body or b'"code"' in body:
            for secret in _secrets_of(_parsed(body)):
                self._note(secret)

    def record(self, target: str, headers: Mapping[str, str], body: bytes, sent: bytes) -> None:
        """Look at the response to a request, and learn what it gives out."""
        if target.startswith(_SHIPPED):
            return
        text = body.decode("utf-8", "replace")
        kept = "\n".join(value for name, value in headers.items() if name != "set-cookie")
        self.look(f"a header of the answer to {target}", kept)
        if self._found(text) is not None:
            shown = _without_echo(_parsed(body), _secrets_by_name(_parsed(sent)))
            shown = _without_allowed(shown) if _SHOWS_SECRETS.match(target) else shown
            self.look(f"the answer to {target}", orjson.dumps(shown).decode())
        if _SHOWS_SECRETS.match(target):
            for secret in _members(_parsed(body), _ALLOWED):
                self._note(secret)

    def _found(self, text: str) -> str | None:
        for found in _TOKEN.findall(text):
            if found in self._tokens:
                return str(found)
        hashed = _HASH.search(text)
        if hashed is not None:
            return hashed[0]
        texts = chain(self._texts, self._sent)
        return next((secret for secret in texts if secret in text), None)

    def _note(self, secret: object) -> None:
        """Learn a secret of a request or its response."""
        self._add(secret, self._sent)


WATCH = Watch()
"""Watches this run."""


def _texts_of(secrets: SecretSettings) -> Iterator[object]:
    return (getattr(secrets, one.name) for one in fields(secrets))


def _parsed(body: bytes) -> object:
    try:
        found: object = orjson.loads(body)
    except orjson.JSONDecodeError:
        return body.decode("utf-8", "replace")
    return found


def _secrets_by_name(body: object) -> dict[str, object]:
    given = body if isinstance(body, dict) else {}
    return {name: value for name, value in given.items() if name in _SENT}


def _secrets_of(body: object) -> Iterator[object]:
    for value in _secrets_by_name(body).values():
        yield from _secrets_of(value) if isinstance(value, dict) else (value,)


def _members(value: object, names: frozenset[str]) -> Iterator[object]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in names:
                yield inner
            yield from _members(inner, names)
    elif isinstance(value, list):
        for inner in value:
            yield from _members(inner, names)


def _without_allowed(value: object) -> object:
    """Leave out the members that give tokens out."""
    if isinstance(value, dict):
        return {
            name: _without_allowed(inner) for name, inner in value.items() if name not in _ALLOWED
        }
    return [_without_allowed(inner) for inner in value] if isinstance(value, list) else value


def _without_echo(value: object, sent: Mapping[str, object]) -> object:
    """Leave out values that are rejected: errors show them to whoever sent them."""
    if isinstance(value, list):
        return [_without_echo(inner, sent) for inner in value]
    if not isinstance(value, dict):
        return value
    path = value.get("path")
    refused = isinstance(path, list) and bool(path) and path[0] in sent
    refused = refused or str(value.get("message")).startswith(_UNKNOWN)
    return {
        name: _without_echo(inner, sent)
        for name, inner in value.items()
        if not (refused and name == "value")
    }


def _around(text: str, found: str) -> str:
    at = text.find(found)
    return text[max(at - 60, 0) : at] + "…"
