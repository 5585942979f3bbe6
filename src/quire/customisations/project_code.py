"""What of a project's code concerns it as a whole: start-up, extensions, plugins, configuration."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from quire.customisations import templates
from quire.customisations.configuration import differences
from quire.customisations.findings import Finding, warning_of
from quire.customisations.plugins import find_plugins
from quire.customisations.tree import folders, named_sources, sources
from quire.javascript.modules import plain_export
from quire.settings import Settings

_IDENTITY = re.compile(r"""(?:['"]usestrict['"];?)?(?:module\.exports=|exportdefault)
    (?:\(?(\w+)(?::\w+)?\)?=>(?:\1|\{return\1;?\}));?""", re.VERBOSE)  # fmt: skip
_CONFIGURATION = ("admin", "api", "database", "features", "middlewares", "plugins", "server")


def find_project_code(project: Path, types: Iterable[str]) -> Iterator[Finding]:
    """Find code that runs at the start, changes plugins, or belongs to them; ``types`` are uids."""
    source = project / "src"
    for file in named_sources(project, source, "index"):
        if not templates.is_empty_start_up(file.exported):
            yield warning_of(file, "start-up", "has functions that do not run at the start")
    for folder in folders(source / "extensions"):
        own = [uid for uid in types if uid.startswith(f"plugin::{folder.name}.")]
        for file in named_sources(project, folder, "strapi-server"):
            if not _IDENTITY.fullmatch(re.sub(r"\s+", "", file.text)):
                sentence = f"changes the plugin {folder.name} with code that does not run"
                yield warning_of(file, "extension", sentence, own)
    yield from find_plugins(project)


def find_configuration(settings: Settings) -> Iterator[Finding]:
    """Find what of the configuration is not in force, and tasks."""
    project = settings.project
    config = project / "config"
    for folder in (config, config / "env" / settings.environment):
        for file in sources(project, folder):
            if "cron" in file.stem:
                yield warning_of(file, "cron", "has tasks that do not run")
            elif file.stem in _CONFIGURATION:
                exported = file.exported
                if not file.path.endswith(".json"):
                    exported = plain_export(file.module, partial=True)
                found = differences(file.stem, exported, file.text, settings)
                if found:
                    yield warning_of(
                        file, "configuration", f"is not all in force: {'; '.join(found)}"
                    )
    for file in sources(project, config / "functions"):
        yield warning_of(file, "cron", "has functions that do not run")
