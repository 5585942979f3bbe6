"""Writes the ``.env`` of a project that has none yet."""

import os
import re
from pathlib import Path

from quire.cli.secrets import new_secret, secret_lines
from quire.settings import Settings

_EXAMPLE = ".env.example"
_HEADING = "# Made for this installation, secrets included: keep it to yourself.\n"
_BLANK = re.compile(r"(\w+)=\s*")


def write_environment(settings: Settings) -> Path | None:
    """Write ``.env`` with new secrets, in the manner of the project's ``.env.example``.

    Nothing is written, and ``None`` returned, when there is one or when no secret is missing.
    """
    path, missing = settings.project / ".env", settings.missing_secrets()
    if path.exists() or not missing:
        return None
    example = settings.project / _EXAMPLE
    text = example.read_text(encoding="utf-8") if example.is_file() else ""
    lines = [_filled(line, missing) for line in text.splitlines() if _is_assignment(line)]
    rest = [name for name in missing if not any(line.startswith(f"{name}=") for line in lines)]
    content = "".join(f"{line}\n" for line in lines) + secret_lines(rest)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(_HEADING + content)
    return path


def _is_assignment(line: str) -> bool:
    return bool(line.strip()) and not line.lstrip().startswith("#")


def _filled(line: str, missing: tuple[str, ...]) -> str:
    blank = _BLANK.fullmatch(line)
    if blank is None or blank[1] not in missing:
        return line
    return f"{blank[1]}={new_secret(blank[1])}"
