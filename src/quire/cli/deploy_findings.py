"""What ``quire deploy-check`` finds."""

from typing import Literal

from msgspec import Struct


class Finding(Struct, frozen=True):
    """Something that production lacks. ``check`` is the setting or the part it is about."""

    level: Literal["problem", "warning"]
    check: str
    message: str


def problem(check: str, message: str) -> Finding:
    """Return what has to be changed before an installation is public."""
    return Finding("problem", check, message)


def warning(check: str, message: str) -> Finding:
    """Return what may be meant, and deserves a look."""
    return Finding("warning", check, message)
