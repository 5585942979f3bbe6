"""Makes the secrets of a project."""

import secrets
from collections.abc import Iterable

_BYTES = {"ENCRYPTION_KEY": 32}
_APP_KEYS = 4


def new_secret(variable: str) -> str:
    """A new value for one of the variables that hold secrets."""
    if variable == "APP_KEYS":
        return ",".join(_random(16) for _ in range(_APP_KEYS))
    return _random(_BYTES.get(variable, 16))


def secret_lines(variables: Iterable[str]) -> str:
    """Lines for ``.env`` with new values for the variables."""
    return "".join(f"{variable}={new_secret(variable)}\n" for variable in variables)


def _random(size: int) -> str:
    # URL-safe and without padding, so that no reader of .env stumbles over a character.
    return secrets.token_urlsafe(size)
