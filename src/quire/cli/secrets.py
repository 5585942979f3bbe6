"""Generates the secrets of a project."""

import secrets
from collections.abc import Iterable

_BYTES = 32
_APP_KEY_BYTES = 16
_APP_KEYS = 4


def new_secret(variable: str) -> str:
    """Return a new value for one of the variables with secrets."""
    if variable == "APP_KEYS":
        return ",".join(_random(_APP_KEY_BYTES) for _ in range(_APP_KEYS))
    return _random(_BYTES)


def secret_lines(variables: Iterable[str]) -> str:
    """Return lines for ``.env`` with new values for the variables."""
    return "".join(f"{variable}={new_secret(variable)}\n" for variable in variables)


def _random(size: int) -> str:
    # URL-safe and without padding, so that every parser of .env accepts it.
    return secrets.token_urlsafe(size)
