"""``quire openapi``: writes the OpenAPI document of a project's content API."""

import asyncio
from pathlib import Path

import msgspec

from quire.access.principal import FULL_ACCESS_PRINCIPAL
from quire.app import build_app
from quire.cli.project_settings import open_project
from quire.cli.terminal import EXIT_OK, print_message, print_result
from quire.content_api.http_messages import Request
from quire.content_api.openapi_routes import PATH
from quire.errors import ApplicationError, os_error_reason
from quire.settings import Settings

_OVERRIDES = {"jobs.workers": 0}


def write_openapi(project: Path, *, output: Path | None) -> int:
    """Write the document for a caller with all permissions to a file, or to standard output.

    Raises ConfigurationError, SettingsError, SchemaError, ExtensionError or DatabaseOpenError when
    the project cannot be opened, and ApplicationError when the file cannot be written.
    """
    document = asyncio.run(_document(open_project(project, _OVERRIDES)))
    text = msgspec.json.format(document, indent=2).decode()
    if output is None:
        print_result(text)
        return EXIT_OK
    try:
        output.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise ApplicationError(f"{output} cannot be written: {os_error_reason(error)}") from error
    print_message(f"{output} was written.")
    return EXIT_OK


async def _document(settings: Settings) -> bytes:
    """Return the response of the route, which describes all routes of the project."""
    app = build_app(settings)
    await app.start()
    try:
        (route,) = [route for route in app.routes if route.path == PATH]
        request = Request("GET", b"", b"", {}, None, None)
        request.principal = FULL_ACCESS_PRINCIPAL
        return (await route.handler(request)).body
    finally:
        await app.stop()
