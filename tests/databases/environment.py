"""The database settings in the ``.env`` of a project."""

from collections.abc import Mapping
from pathlib import Path

_OWN = ("DATABASE_", "TZ=")


def read_environment(project: Path) -> dict[str, str]:
    """Return the variables of a project's ``.env`` that are about its database."""
    return {
        name: value
        for name, _, value in (line.partition("=") for line in _lines(project))
        if f"{name}=".startswith(_OWN)
    }


def write_environment(project: Path, variables: Mapping[str, str]) -> None:
    """Have a project's ``.env`` say this of its database, and nothing else."""
    kept = [line for line in _lines(project) if not line.startswith(_OWN)]
    lines = [*kept, *(f"{name}={value}" for name, value in variables.items())]
    (project / ".env").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _lines(project: Path) -> list[str]:
    path = project / ".env"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []
