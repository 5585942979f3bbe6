"""``quire dev``: restarts the server when files change.

The server follows changes of Python files by itself.
"""

import asyncio
import os
import socket
import sys
import time
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

from uvicorn.supervisors.basereload import BaseReload

from quire.cli.schema_file_recovery import recover_project
from quire.cli.serve import (
    EXIT_RESTART,
    FACTORY,
    announce_notices,
    listen,
    log_as_set,
    serve_here,
    server_config,
)
from quire.cli.terminal import CANNOT, EXIT_OK, failure_message, print_error, print_message
from quire.errors import QuireError
from quire.settings import Settings, hand_over_settings, load_settings_from_environment

_SUFFIXES = frozenset({".json", ".js", ".ts", ".py"})
_FILES = (".env", "quire.toml")
_TYPE_FILE = "schema.json"
_LOOKS, _BETWEEN_LOOKS = 3, 0.1


def develop(settings: Settings, overrides: Mapping[str, object]) -> int:
    """Serve a project until a signal ends it, and follow changes of its files."""
    announce_notices(settings)
    log_as_set(settings)
    hand_over_settings(settings, overrides)
    with listen(settings) as listener:
        _FileWatcher(settings, listener).run()
    return EXIT_OK


class _FileWatcher(BaseReload):
    """Watches the modification times of the project's files; the server process is restarted."""

    def __init__(self, settings: Settings, listener: socket.socket) -> None:
        config = server_config(settings, FACTORY, reload=True)
        super().__init__(config, _serve_in_child, [listener])
        self._settings = settings
        self._project = settings.project
        self._seen = times_of(settings.project)
        self.reloader_name = "quire dev"

    def should_restart(self) -> list[Path] | None:
        """Return the files that changed since the last check, ``None`` when none did."""
        self.pause()
        previous_times, current_times = self._seen, times_of(self._project)
        changed_paths = {path for path, _ in previous_times.items() ^ current_times.items()}
        self._seen = current_times
        if self.process.exitcode == EXIT_RESTART:
            return sorted(changed_paths) or [self._project]
        if not changed_paths or self._is_followed(
            changed_paths, current_times.keys() - previous_times.keys()
        ):
            return None
        return sorted(changed_paths)

    def _is_followed(self, changed_paths: set[Path], new_paths: AbstractSet[Path]) -> bool:
        """Tell whether the running server has adopted the changed files already, or soon will.

        True if they are Python files, schema files of the recorded schema, or stubs of new types:
        an administrator or ``quire migrate`` has changed the latter.
        """
        if not self.process.is_alive():
            return False
        if all(path.suffix == ".py" for path in changed_paths):
            return True
        if not self._are_model_files(changed_paths, new_paths):
            return False
        from quire.builder.file_transaction import is_announced

        for _ in range(_LOOKS):
            try:
                if asyncio.run(is_announced(self._settings)):
                    return True
            except QuireError:
                return False
            time.sleep(_BETWEEN_LOOKS)  # other files of the change may follow
        return False

    def _are_model_files(self, changed_paths: set[Path], new_paths: AbstractSet[Path]) -> bool:
        """Tell whether files are schemas, or stubs that are generated with new ones."""
        from quire.builder.strapi_stubs import type_of_core_file

        schemas = {path for path in changed_paths if is_schema_file(path)}
        types = {_type_of(path) for path in schemas & new_paths if path.name == _TYPE_FILE}
        other_paths = changed_paths - schemas
        return other_paths <= new_paths and all(
            type_of_core_file(self._project, path) in types for path in other_paths
        )


def _type_of(schema_file: Path) -> str:
    """Return the uid of the content type that a ``schema.json`` describes."""
    return f"api::{schema_file.parents[2].name}.{schema_file.parent.name}"


def is_schema_file(path: Path) -> bool:
    """Tell whether a file of a project's ``src`` describes a content type or a component."""
    in_components = path.parent.parent.name == "components" and path.suffix == ".json"
    return path.name == _TYPE_FILE or in_components


def times_of(project: Path) -> dict[Path, int]:
    """Return when each of the files that make up a project was last changed, in nanoseconds."""
    return dict(_times(project))


def _times(project: Path) -> Iterator[tuple[Path, int]]:
    for name in _FILES:
        yield from _time(project / name)
    for folder, _, names in os.walk(project / "src"):
        for name in names:
            if Path(name).suffix in _SUFFIXES:
                yield from _time(Path(folder, name))


def _time(path: Path) -> Iterator[tuple[Path, int]]:
    """Return the modification time; ``None`` for a missing file."""
    try:
        yield path, path.stat().st_mtime_ns
    except OSError:
        return


def _serve_in_child(sockets: list[socket.socket] | None) -> None:
    """Serve in a child process; after an error wait for the next change of a file."""
    from quire.cli.migrate import follow_files

    [listener] = sockets or []
    try:
        settings = load_settings_from_environment()
        settings.require_secrets()
        log_as_set(settings)
        recover_project(settings)
        follow_files(settings)
        code = serve_here(settings, listener, follows_code=True)
    except (QuireError, OSError) as error:
        print_error(failure_message(error))
        print_message("Waiting for a change of the project's files.")
        sys.exit(CANNOT)
    sys.exit(code)
