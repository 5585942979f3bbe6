"""The commands and what can be said to them. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

import quire

Project = Annotated[Path, Parameter(help="Folder of the project.", show_default=False)]
Host = Annotated[str | None, Parameter(help="Address to listen on.")]
Port = Annotated[int | None, Parameter(help="Port to listen on; 0 takes a free one.")]

_HERE = Path()

app = App(
    name="quire",
    help="A headless content server.",
    version=quire.__version__,
    help_format="plaintext",
)


@app.command
def start(
    project: Project = _HERE,
    /,
    *,
    host: Host = None,
    port: Port = None,
    workers: Annotated[int | None, Parameter(help="Number of server processes.")] = None,
) -> int:
    """Serve a project."""
    from quire.cli.project import open_project
    from quire.cli.serve import serve

    overrides = _given({"server.host": host, "server.port": port, "server.workers": workers})
    return serve(open_project(project, overrides), overrides)


@app.command
def dev(project: Project = _HERE, /, *, host: Host = None, port: Port = None) -> int:
    """Serve a project to the one who develops it; start again when its files change."""
    from quire.cli.develop import develop
    from quire.cli.project import open_project

    overrides = _given({"server.host": host, "server.port": port})
    overrides |= {"environment": "development", "server.workers": 1}
    return develop(open_project(project, overrides), overrides)


@app.command
def check(project: Project = _HERE, /) -> int:
    """Look for what is wrong with a project, and say how to mend it."""
    from quire.cli.check import check_project

    return check_project(project)


@app.command
def config(
    project: Project = _HERE,
    /,
    *,
    new_secrets: Annotated[
        bool, Parameter(negative="", help="Print lines for .env with the secrets that are missing.")
    ] = False,
) -> int:
    """Print the effective settings and where each comes from."""
    from quire.cli.configuration import print_new_secrets, print_settings
    from quire.settings import load_settings

    settings = load_settings(project)
    return print_new_secrets(settings) if new_secrets else print_settings(settings)


def _given(options: dict[str, object]) -> dict[str, object]:
    """The options that were given."""
    return {name: value for name, value in options.items() if value is not None}
