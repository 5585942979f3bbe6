"""Copies of a project for tests: its files, a database, and the application.

A template is created once in a run, with the tables and the first administrator; each test gets a
copy of it. Nothing is written to the project's own folder, and neither its ``.env`` nor the
environment is read: they refer to databases and services in use.
"""

import functools
import inspect
import secrets
import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from msgspec.structs import replace

from quire.app import Application
from quire.auth.admin.sign_in import AdminDevice
from quire.auth.admin.user_rows import AdminUser
from quire.clock import now_ms
from quire.document_service.mail_client import mail
from quire.extension_loading import ImportedModules, import_modules
from quire.hooks.marks import MARKS_ATTRIBUTE
from quire.schema.model import Schema
from quire.seeding.import_content import make_database, seed
from quire.seeding.load import read_content
from quire.settings import SETTINGS_FILE, Settings, load_settings
from quire.strapi_project.schema import load_project_schema
from quire.testing.background import BackgroundWorkers
from quire.testing.clock import ProjectClock
from quire.testing.databases import TestDatabases
from quire.testing.loop import LoopThread
from quire.testing.project import Project, RecordingSender

_UNCOUNTED_MARKS = frozenset({"rule", "policy", "computed", "on_start", "on_stop", "replaces"})
"""Marked functions that are not counted; how often they run depends on caches."""

ENVIRONMENT_FILE = ".env.test"

_FILES = (SETTINGS_FILE, ENVIRONMENT_FILE, "package.json", "tsconfig.json")

_FOLDERS = ("src", "config")

_IGNORED_FILES = shutil.ignore_patterns("node_modules", "__pycache__", "*.pyc")

_CONTENT = "content"

_SECRET_NAMES = (
    "ADMIN_JWT_SECRET",
    "API_TOKEN_SALT",
    "APP_KEYS",
    "ENCRYPTION_KEY",
    "JWT_SECRET",
    "TRANSFER_TOKEN_SALT",
)

_ENVIRONMENT = {
    "ENV_PATH": ENVIRONMENT_FILE,
    **{name: secrets.token_hex(16) for name in _SECRET_NAMES},
}

_OVERRIDES: Mapping[str, object] = {
    "mail.host": "none",
    "uploads.storage": "local",
    "uploads.directory": "public/uploads",
    "server.calls_file": ".tmp/calls",
}


def count_calls(modules: ImportedModules, fired: Counter[str]) -> ImportedModules:
    """Return the modules with hooks that count their calls by name."""
    return replace(
        modules, files={file: _wrap_hooks(module, fired) for file, module in modules.files.items()}
    )


def _wrap_hooks(module: ModuleType, fired: Counter[str]) -> ModuleType:
    copy = ModuleType(module.__name__)
    for name, value in vars(module).items():
        is_hook = inspect.isfunction(value) and any(
            map(_is_event, getattr(value, MARKS_ATTRIBUTE, ()))
        )
        setattr(copy, name, _wrap(name, value, fired) if is_hook else value)
    return copy


def _is_event(mark: object) -> bool:
    phase = getattr(mark, "phase", None)
    return (
        isinstance(phase, str) and phase not in _UNCOUNTED_MARKS and not phase.startswith("route.")
    )


def _wrap(name: str, function: Callable[..., Any], fired: Counter[str]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def called(*arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - those of the function
            fired[name] += 1
            return await function(*arguments, **keywords)

        return called

    @functools.wraps(function)
    def called_in_place(*arguments: Any, **keywords: Any) -> Any:  # noqa: ANN401 - those of the function
        fired[name] += 1
        return function(*arguments, **keywords)

    return called_in_place


def import_project(project: Path) -> ImportedModules:
    """Import the code of a project, with its settings for tests. Raises SettingsError."""
    return import_modules(project, load_settings(project, environ=_ENVIRONMENT))


class Workspace:
    """The copies of one project; call `open` first."""

    def __init__(
        self,
        project: Path,
        modules: ImportedModules,
        folder: Path,
        databases: TestDatabases,
        loop: LoopThread,
        *,
        with_content: bool,
        with_uploads: bool = False,
    ) -> None:
        """``modules`` are the project's code, ``folder`` is where copies are created."""
        self._project = project
        self._modules = modules
        self._folder = folder
        self._databases = databases
        self.loop = loop
        self._with_content = with_content
        self._with_uploads = with_uploads
        self._first = folder / "first"
        self._copies = 0
        self._start = 0
        self._schema: Schema | None = None
        self._administrator: AdminUser | None = None

    def open(self) -> None:
        """Create the template.

        Raises ExtensionError, SchemaError, SettingsError and the like: the project does not start.
        """
        self._copy_files()
        self.loop.run(self._fill(self._settings(self._first)))
        self._start = now_ms()

    def close(self) -> None:
        """Delete everything that was created."""
        self.loop.run(self._databases.drop(self._first))
        shutil.rmtree(self._folder, ignore_errors=True)

    async def start(self) -> tuple[Application, Project]:
        """Start a copy for a test, in the loop of projects."""
        if self._administrator is None:
            raise RuntimeError("the workspace is not open")
        self._copies += 1
        folder = self._folder / str(self._copies)
        shutil.copytree(self._first, folder)
        await self._databases.copy(folder)
        fired: Counter[str] = Counter()
        clock = ProjectClock(self._start)
        app = Application(
            self._settings(folder),
            clock=clock,
            schema=self._schema,
            modules=count_calls(self._modules, fired),
            is_timed=True,
        )
        await app.start()
        services = app.services
        if services is None:
            raise RuntimeError("the application has not started")
        background = BackgroundWorkers(services.database, services.jobs)
        await background.hold()
        project = Project(
            app,
            self.loop,
            clock,
            fired=fired,
            first_administrator=self._administrator,
            background=background,
        )
        project.http.install()
        mail.sender = RecordingSender(project.mails)
        return app, project

    async def stop(self, app: Application, project: Project) -> None:
        """Stop the copy of a test, and delete it."""
        project.http.remove()
        mail.sender = None
        await app.stop()
        folder = app.settings.project
        await self._databases.drop(folder)
        shutil.rmtree(folder, ignore_errors=True)

    def _copy_files(self) -> None:
        self._first.mkdir(parents=True)
        for name in _FOLDERS:
            if (self._project / name).is_dir():
                shutil.copytree(self._project / name, self._first / name, ignore=_IGNORED_FILES)
        for name in _FILES:
            if (self._project / name).is_file():
                shutil.copy(self._project / name, self._first / name)

    def _settings(self, folder: Path) -> Settings:
        overrides = {**_OVERRIDES, **self._databases.settings(folder)}
        if self._with_uploads:
            del overrides["uploads.storage"]
        return load_settings(folder, environ=_ENVIRONMENT, overrides=overrides)

    async def _fill(self, settings: Settings) -> None:
        """Create the tables, the content if it is wanted, and the first administrator."""
        await self._databases.make(self._first)
        schema = self._schema = load_project_schema(settings)
        if self._with_content:
            content = read_content(self._project / _CONTENT, schema)
            await seed(settings, schema, content, lambda _: None)
        else:
            await make_database(settings, schema)
        app = Application(settings, schema=schema, modules=self._modules)
        await app.start()
        try:
            admin = app.runtime.admin if app.runtime is not None else None
            if admin is None:
                raise RuntimeError("the project has no admin API")
            signed_in = await admin.accounts.register_first(
                {"firstname": "Ada", "lastname": "Admin", "email": "admin@example.com"},
                secrets.token_hex(16),
                AdminDevice(id="test"),
                app.first_administrator,
            )
            self._administrator = signed_in.admin_user
        finally:
            await app.stop()
