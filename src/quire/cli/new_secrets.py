"""Generates the secrets of a project, and writes those of a new one to its ``.env``."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from quire.errors import ApplicationError
from quire.settings import Settings, is_placeholder, parse_dotenv

_BYTES = 32
_APP_KEY_BYTES = 16
_APP_KEYS = 4


def new_secret(variable: str) -> str:
    """Return a new value for one of the variables with secrets."""
    # URL-safe and without padding, so that every parser of .env accepts it.
    if variable == "APP_KEYS":
        return ",".join(secrets.token_urlsafe(_APP_KEY_BYTES) for _ in range(_APP_KEYS))
    return secrets.token_urlsafe(_BYTES)


def secret_lines(variables: Iterable[str]) -> str:
    """Return lines for ``.env`` with new values for the variables."""
    return "".join(f"{variable}={new_secret(variable)}\n" for variable in variables)


_EXAMPLE = ".env.example"
_HEADING = "# Made for this installation, secrets included: keep it to yourself.\n"


def write_environment(settings: Settings) -> Path | None:
    """Write new secrets into ``.env``, and return its path.

    A new file is based on the project's ``.env.example``, whose placeholders are replaced; an
    existing one gets the missing secrets. Nothing is written, and ``None`` returned, when no secret
    is missing. New secrets would invalidate the tokens of an existing database.
    """
    path, missing_names = settings.project / ".env", settings.missing_secrets()
    if not missing_names:
        return None
    if path.exists():
        _append_secrets(path, missing_names)
    else:
        _create_file(path, settings.project / _EXAMPLE, missing_names)
    return path


def _append_secrets(path: Path, missing_names: tuple[str, ...]) -> None:
    """Append lines to a file; of several assignments to a name, the last one counts."""
    text = _read_text(path)
    line_break = "" if not text or text.endswith("\n") else "\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(line_break + secret_lines(missing_names))


def _create_file(path: Path, example: Path, missing_names: tuple[str, ...]) -> None:
    text = _read_text(example) if example.is_file() else ""
    lines = [_fill_in(line, missing_names) for line in text.splitlines() if _is_assignment(line)]
    assigned_names = parse_dotenv("\n".join(lines)).keys()
    remaining_names = [name for name in missing_names if name not in assigned_names]
    content = "".join(f"{line}\n" for line in lines) + secret_lines(remaining_names)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(_HEADING + content)


def _read_text(file: Path) -> str:
    """Return the content of a file. Raises ApplicationError if it is no text."""
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ApplicationError(f"{file} cannot be read: it is not UTF-8 text") from error


def _is_assignment(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _fill_in(line: str, missing_names: tuple[str, ...]) -> str:
    """Return a line with a new secret instead of an empty value or a placeholder."""
    for name, value in parse_dotenv(line).items():
        if name in missing_names and (not value or is_placeholder(value)):
            return f"{name}={new_secret(name)}"
    return line
