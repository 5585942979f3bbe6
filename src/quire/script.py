"""Opens a project for a script."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from quire.app import build_app
from quire.document_service.transaction_context import CallContext
from quire.logging import is_json, log_to_stderr
from quire.settings import load_settings

_NAME = "the script"
_OVERRIDES = {"jobs.workers": 0}


@asynccontextmanager
async def unit_of_work(project: Path | str = ".") -> AsyncIterator[None]:
    """Open a project for a script: `documents` and the other functions work in the block.

    ``project`` is its folder. The script acts as the server, so use `as_system` or `as_principal`.
    Each call is a transaction of its own, unless `transaction` combines several. Hooks and rules
    apply as anywhere; jobs and changes run in the servers of the project. Raises
    ConfigurationError, SettingsError, SchemaError, ExtensionError or DatabaseOpenError if the
    project cannot be opened. Log lines go to standard error, unless the script has configured
    structlog.
    """
    settings = load_settings(Path(project), overrides=_OVERRIDES)
    as_json = is_json(settings.log.format, development=settings.is_development)
    log_to_stderr(level=settings.log.level, as_json=as_json)
    app = build_app(settings)
    await app.start()
    try:
        runtime = app.runtime
        if runtime is None:
            message = "the application has not started"
            raise TypeError(message)
        context = CallContext(
            _NAME, runtime.documents, None, origin="script", find_user=runtime.jobs.find_user
        )
        try:
            with context.activate():
                yield
        finally:
            context.is_ended = True
    finally:
        await app.stop()
