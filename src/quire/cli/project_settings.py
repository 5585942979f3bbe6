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
    settings = load_logged(project, overrides=overrides)
    require_project(settings)
    settings.require_secrets()
    return settings


def load_logged(project: Path, *, overrides: Mapping[str, object] | None = None) -> Settings:
    """Load the settings of a project, and write its log lines to standard error.

    Standard output is for the results of a command. Raises what `load_settings` raises.
    """
    from quire.logging import is_json, log_to_stderr

    settings = load_settings(project, overrides=overrides)
    as_json = is_json(settings.log.format, development=settings.is_development)
    log_to_stderr(level=settings.log.level, as_json=as_json)
    return settings


def require_project(settings: Settings) -> None:
    """Reject a folder that is not a project, most often because the command ran in another one."""
    if not (settings.project / "src").is_dir():
        raise ConfigurationError(
            f"{settings.project} is not a project: it has no folder src.\n"
            "Name the project's folder, or make one with `quire new`."
        )
