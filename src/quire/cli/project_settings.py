"""Loads the settings of a project for a command."""

from collections.abc import Mapping
from pathlib import Path

from quire.errors import ConfigurationError
from quire.settings import Settings, load_settings


def open_project(project: Path, overrides: Mapping[str, object] | None = None) -> Settings:
    """Load the settings of a project that can be served.

    Raises :class:`ConfigurationError` when the folder contains no project, when its settings are
    invalid, and when secrets are missing.
    """
    settings = load_settings(project, overrides=overrides)
    require_project(settings)
    settings.require_secrets()
    return settings


def require_project(settings: Settings) -> None:
    """Reject a folder that is not a project, most often because the command ran in another one."""
    if not (settings.project / "src").is_dir():
        raise ConfigurationError(
            f"{settings.project} is not a project: it has no folder src.\n"
            "Name the project's folder, or make one with `quire new`."
        )
