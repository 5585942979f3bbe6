"""The commands and their parameters. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter, validators

import quire
from quire.cli.gc import pause_collector

Project = Annotated[Path, Parameter(help="Folder of the project.", show_default=False)]
Host = Annotated[str | None, Parameter(help="Address to listen on.")]


def _flag(description: str, name: str | None = None) -> Parameter:
    """Return an option without a value, and without a negative form."""
    return Parameter(name=name, help=description, negative="", show_default=False)


Replace = Annotated[bool, _flag("Replace the existing content.")]
WithoutHooks = Annotated[bool, _flag("Do not call the hooks of the project; this is logged.")]
MaxSize = Annotated[
    int,
    Parameter(validator=validators.Number(gte=1), help="Maximum unpacked size in megabytes."),
]
ArchiveKey = Annotated[
    str | None,
    Parameter(
        help="Key of an encrypted archive; by default asked for or read from standard input."
    ),
]
AsJson = Annotated[bool, _flag("Print the report as JSON.", name="--json")]
Port = Annotated[int | None, Parameter(help="Port to listen on; 0 chooses a free one.")]

_CURRENT_FOLDER = Path()
_DAY_SECONDS = 86_400


def _check_seconds(type_: object, value: float) -> None:  # noqa: ARG001 - a validator
    """Raise ValueError unless it is a number of seconds within a day.

    NaN fails both comparisons.
    """
    if not 0 <= value <= _DAY_SECONDS:
        message = f"Must be from 0 to {_DAY_SECONDS}."
        raise ValueError(message)


def _check_interval(type_: object, value: float) -> None:  # noqa: ARG001 - a validator
    """Raise ValueError for an invalid interval."""
    if not 0.1 <= value <= 3600:
        message = "Must be from 0.1 to 3600."
        raise ValueError(message)


app = App(
    name="quire",
    help="A headless content server.",
    version=quire.__version__,
    help_format="plaintext",
)


@app.command
def new(
    folder: Annotated[Path, Parameter(help="Folder of the new project.")],
    /,
    *,
    template: Annotated[
        str | None, Parameter(help="Template, such as blog; empty by default.")
    ] = None,
) -> int:
    """Create a project, or add what an existing one lacks."""
    from quire.cli.new import new_project

    return new_project(folder, template)


ext = App(name="ext", help="Installed packages with Python code for the project.")
app.command(ext)


@ext.command(name="list")
def ext_list(project: Project = _CURRENT_FOLDER, /) -> int:
    """List the packages that are loaded, and those that are only installed."""
    from quire.cli.ext import list_packages

    return list_packages(project)


@ext.command
def add(
    name: Annotated[str, Parameter(help="Name of an installed package.")],
    project: Project = _CURRENT_FOLDER,
    /,
) -> int:
    """Allow a package in quire.toml: its present capabilities, in compatible versions."""
    from quire.cli.ext import add_package

    return add_package(project, name)


@ext.command
def update(
    name: Annotated[str, Parameter(help="Name of an installed package.")],
    project: Project = _CURRENT_FOLDER,
    /,
) -> int:
    """Allow the installed build of a package that is in quire.toml."""
    from quire.cli.ext import update_package

    return update_package(project, name)


@app.command
def seed(project: Project = _CURRENT_FOLDER, /) -> int:
    """Fill the database of a new project with its content files."""
    from quire.cli.seed import seed_project

    return seed_project(project)


@app.command
def start(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    host: Host = None,
    port: Port = None,
    workers: Annotated[int | None, Parameter(help="Number of server processes.")] = None,
) -> int:
    """Serve a project."""
    pause_collector()
    from quire.cli.project_settings import open_project
    from quire.cli.serve import serve

    overrides = _drop_unset({"server.host": host, "server.port": port, "server.workers": workers})
    return serve(open_project(project, overrides), overrides)


@app.command
def dev(project: Project = _CURRENT_FOLDER, /, *, host: Host = None, port: Port = None) -> int:
    """Serve a project for development; use its files as soon as they change."""
    from quire.cli.dev import develop
    from quire.cli.project_settings import open_project

    overrides = _drop_unset({"server.host": host, "server.port": port})
    overrides |= {"environment": "development", "server.workers": 1}
    return develop(open_project(project, overrides), overrides)


@app.command
def top(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    address: Annotated[
        str | None,
        Parameter(help="Address of the metrics; by default from the settings."),
    ] = None,
    interval: Annotated[
        float, Parameter(validator=_check_interval, help="Seconds between updates, 0.1 to 3600.")
    ] = 2.0,
    once: Annotated[bool, _flag("Print one interval and exit.")] = False,
) -> int:
    """Show the metrics of a running server."""
    from quire.cli.top import show_top

    return show_top(project, address=address, interval=interval, once=once)


@app.command
def check(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    repair: Annotated[bool, _flag("Repair inconsistent rows.")] = False,
    duplicates: Annotated[
        bool, _flag("With --repair: also delete all but the last updated of duplicate versions.")
    ] = False,
    dry_run: Annotated[bool, _flag("With --repair: only list the repairs.")] = False,
    yes: Annotated[bool, _flag("With --repair: do not ask for confirmation.")] = False,
    as_json: AsJson = False,
    trust: Annotated[
        bool, _flag("List Python code that acts as the system, and its public routes.")
    ] = False,
) -> int:
    """Check a project, and say how to correct its problems."""
    from quire.cli.check import check_project
    from quire.cli.check_repair import repair_project
    from quire.cli.check_trust import list_trust
    from quire.errors import ApplicationError

    if trust:
        if repair or as_json or duplicates or dry_run or yes:
            raise ApplicationError("--trust goes with no other option.")
        return list_trust(project)
    if repair and as_json:
        raise ApplicationError("--json is for reports, not for --repair.")
    if repair:
        return repair_project(project, duplicates=duplicates, dry_run=dry_run, yes=yes)
    if duplicates or dry_run or yes:
        raise ApplicationError("--duplicates, --dry-run and --yes belong to --repair.")
    return check_project(project, as_json=as_json)


@app.command(name="deploy-check")
def deploy_check(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    backups: Annotated[
        Path | None,
        Parameter(help="Folder of the backups; by default from the settings."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check whether an installation is ready for production."""
    from quire.cli.deploy_check import deploy_check as check_installation

    return check_installation(project, backups=backups, as_json=as_json)


@app.command
def port(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    write: Annotated[bool, _flag("Write a Python skeleton next to each file.")] = False,
) -> int:
    """List unsupported JavaScript, and the decorators that replace it."""
    from quire.cli.port_javascript import port_project

    return port_project(project, write=write)


@app.command
def hooks(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    type: Annotated[
        str | None,
        Parameter(help="Uid of a content type, such as api::article.article."),
    ] = None,
) -> int:
    """List the project's Python functions, in call order."""
    from quire.cli.hooks import list_hooks

    return list_hooks(project, type)


@app.command
def config(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    new_secrets: Annotated[
        bool, _flag("Print lines for .env with new values of the missing secrets.")
    ] = False,
) -> int:
    """Print the effective settings and their sources."""
    from quire.cli.config import print_new_secrets, print_settings
    from quire.settings import load_settings

    settings = load_settings(project)
    return print_new_secrets(settings) if new_secrets else print_settings(settings)


@app.command
def index(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    apply: Annotated[bool, _flag("Create the indexes.")] = False,
    advised: Annotated[
        bool, _flag("With --apply: also create those recommended for slow lists.")
    ] = False,
) -> int:
    """List missing indexes, or create them."""
    from quire.cli.index import index_project
    from quire.cli.project_settings import open_project

    return index_project(open_project(project), apply=apply, advised=advised)


@app.command
def migrate(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    apply: Annotated[bool, _flag("Migrate.")] = False,
    may_lose: Annotated[bool, _flag("Allow the removal of rows or values.")] = False,
    rename: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            show_default=False,
            help="Rename: UID=UID or UID.ATTRIBUTE=ATTRIBUTE; may be repeated.",
        ),
    ] = (),
    wait: Annotated[
        float,
        Parameter(
            validator=_check_seconds,
            help="Seconds to wait for other writers, at most 86400.",
        ),
    ] = 60.0,
) -> int:
    """Show how the database differs from the schema files, or migrate it."""
    from quire.cli.migrate import migrate_project
    from quire.cli.project_settings import open_project

    return migrate_project(
        open_project(project), apply=apply, may_lose=may_lose, renamed=rename, wait=wait
    )


@app.command
def archive(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    restore: Annotated[int | None, Parameter(help="Number of the archive to restore.")] = None,
    forget: Annotated[int | None, Parameter(help="Number of the archive to delete.")] = None,
) -> int:
    """List, restore or delete the data that migrations have archived."""
    from quire.cli.archive import show_archive
    from quire.cli.project_settings import open_project

    return show_archive(open_project(project), restore=restore, remove=forget)


@app.command
def copy(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    source: Annotated[
        str | None,
        Parameter(
            name="--from",
            help="Database to copy, postgresql://... or sqlite:FILE; default: the project's.",
        ),
    ] = None,
    target: Annotated[
        str, Parameter(name="--to", help="Target database, postgresql://... or sqlite:FILE.")
    ],
    replace: Annotated[bool, _flag("Delete everything in the target first.")] = False,
) -> int:
    """Copy a database to another one, or resume an interrupted copy."""
    from quire.cli.copy import copy_project

    return copy_project(project, source=source, target=target, replace=replace)


@app.command
def backup(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    to: Annotated[
        Path | None,
        Parameter(help="Folder of the backups, or the file to write: NAME.tar or NAME.tar.age."),
    ] = None,
    keep: Annotated[
        int | None,
        Parameter(
            validator=validators.Number(gte=1),
            help="Number of backups of this project to keep in the folder; older ones are deleted.",
        ),
    ] = None,
    media: Annotated[bool, Parameter(help="Also back up the uploaded files.")] = True,
    encrypt_to: Annotated[
        str | None,
        Parameter(help="Public key of age for which the archive is encrypted."),
    ] = None,
) -> int:
    """Write the database and the uploaded files to one archive, even while the server runs."""
    from quire.cli.backup import backup_project

    return backup_project(project, target=to, keep=keep, media=media, recipient=encrypt_to)


@app.command
def restore(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    source: Annotated[Path, Parameter(name="--from", help="File written by `quire backup`.")],
    replace: Replace = False,
    identity: Annotated[
        Path | None,
        Parameter(help="File with the secret key of an encrypted backup."),
    ] = None,
) -> int:
    """Restore a backup into a project whose server is stopped."""
    from quire.cli.backup import restore_project

    return restore_project(project, source, replace=replace, identity=identity)


@app.command(name="export")
def export_archive(
    archive: Annotated[
        Path,
        Parameter(
            help="File to write: NAME.tar or NAME.tar.gz; with .enc at the end it is encrypted."
        ),
    ],
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    key: ArchiveKey = None,
) -> int:
    """Export the content of a project to an archive that Strapi can import."""
    from quire.cli.export_archive import export_content

    return export_content(project, archive, key=key)


@app.command(name="import")
def import_archive(
    archive: Annotated[Path, Parameter(help="Archive written by `strapi export`.")],
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    key: ArchiveKey = None,
    replace: Replace = False,
    without_hooks: WithoutHooks = False,
    max_size: MaxSize = 20_000,
) -> int:
    """Import the content of an export archive into a project, all of it or nothing."""
    from quire.cli.import_archive import import_project

    return import_project(
        project,
        archive,
        key=key,
        replace=replace,
        without_hooks=without_hooks,
        max_bytes=max_size * 1_000_000,
    )


@app.command
def transfer(
    source: Annotated[Path, Parameter(help="Folder of the project to read.")],
    target: Annotated[Path, Parameter(help="Folder of the project to fill.")],
    /,
    *,
    replace: Replace = False,
    without_hooks: WithoutHooks = False,
    max_size: MaxSize = 20_000,
) -> int:
    """Copy the content of a project into another one, all of it or nothing."""
    from quire.cli.transfer import transfer_content

    return transfer_content(
        source,
        target,
        replace=replace,
        without_hooks=without_hooks,
        max_bytes=max_size * 1_000_000,
    )


@app.command
def types(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    python: Annotated[
        Path | None, Parameter(help="File for models in Python: msgspec Structs.")
    ] = None,
    typescript: Annotated[
        Path | None, Parameter(help="File for models in TypeScript: interfaces.")
    ] = None,
    documents: Annotated[
        Path | None, Parameter(help="File for documents in the project's Python code.")
    ] = None,
    drafts: Annotated[
        bool, _flag("Models that also fit drafts, with more nullable fields.")
    ] = False,
    check: Annotated[bool, _flag("Only check whether the files are up to date.")] = False,
) -> int:
    """Generate typed models of the content for client programs."""
    from quire.cli.typed_models import write_types

    return write_types(
        project,
        python_file=python,
        typescript_file=typescript,
        documents_file=documents,
        drafts=drafts,
        check=check,
    )


@app.command
def openapi(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    output: Annotated[
        Path | None, Parameter(help="File to write, instead of standard output.")
    ] = None,
) -> int:
    """Write the OpenAPI document of the content API."""
    from quire.cli.openapi import write_openapi

    return write_openapi(project, output=output)


jobs = App(name="jobs", help="Functions that run in the background.")
app.command(jobs)

JobId = Annotated[int, Parameter(help="Number of the job.")]
Limit = Annotated[
    int,
    Parameter(validator=validators.Number(gte=1, lte=10_000), help="Maximum number of rows."),
]


@jobs.command(name="list")
def list_jobs(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    state: Annotated[
        Literal["waiting", "running", "done", "failed", "cancelled"] | None,
        Parameter(help="Only jobs in this state."),
    ] = None,
    limit: Limit = 50,
) -> int:
    """List jobs, the latest first."""
    from quire.cli import jobs as job_commands
    from quire.cli.project_settings import open_project

    return job_commands.list_jobs(open_project(project), state=state, limit=limit)


@jobs.command(name="retry")
def retry_job(id: JobId, project: Project = _CURRENT_FOLDER, /) -> int:
    """Run a failed, cancelled or waiting job now."""
    from quire.cli import jobs as job_commands
    from quire.cli.project_settings import open_project

    return job_commands.retry_job(open_project(project), id)


@jobs.command(name="cancel")
def cancel_job(id: JobId, project: Project = _CURRENT_FOLDER, /) -> int:
    """Cancel a waiting or running job, or dismiss a failed one."""
    from quire.cli import jobs as job_commands
    from quire.cli.project_settings import open_project

    return job_commands.cancel_job(open_project(project), id)


outbox = App(name="outbox", help="Changes that are not yet delivered to functions.")
app.command(outbox)

ChangeId = Annotated[int, Parameter(help="Number of the change.")]


@outbox.command(name="list")
def list_outbox(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    failed: Annotated[bool, _flag("Only failed ones.")] = False,
    limit: Limit = 50,
) -> int:
    """List undelivered changes, the latest first."""
    from quire.cli import jobs as job_commands
    from quire.cli.project_settings import open_project

    return job_commands.list_outbox(open_project(project), failed=failed, limit=limit)


@outbox.command(name="replay")
def replay_change(id: ChangeId, project: Project = _CURRENT_FOLDER, /) -> int:
    """Deliver a waiting or failed change now."""
    from quire.cli import jobs as job_commands
    from quire.cli.project_settings import open_project

    return job_commands.replay_change(open_project(project), id)


@outbox.command(name="discard")
def discard_change(id: ChangeId, project: Project = _CURRENT_FOLDER, /) -> int:
    """Delete a waiting or failed change: its function never receives it."""
    from quire.cli import jobs as job_commands
    from quire.cli.project_settings import open_project

    return job_commands.discard_change(open_project(project), id)


admin = App(name="admin", help="Administrators.")
app.command(admin)


@admin.command(name="create")
def create_administrator(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    email: Annotated[str, Parameter(help="E-mail address, used to sign in.")],
    firstname: Annotated[str, Parameter(help="First name.")],
    lastname: Annotated[str | None, Parameter(help="Last name.")] = None,
    role: Annotated[
        Literal["super-admin", "editor", "author"], Parameter(help="Role.")
    ] = "super-admin",
) -> int:
    """Create an administrator. The password is asked for, or read from standard input."""
    from quire.cli import create_credentials
    from quire.cli.project_settings import open_project

    return create_credentials.create_administrator(
        open_project(project), email=email, firstname=firstname, lastname=lastname, role=role
    )


token = App(name="token", help="API tokens.")
app.command(token)


@token.command(name="create")
def create_token(
    project: Project = _CURRENT_FOLDER,
    /,
    *,
    name: Annotated[str, Parameter(help="Name of the token.")],
    type: Annotated[
        Literal["read-only", "full-access", "custom"], Parameter(help="Type of the token.")
    ] = "read-only",
    action: Annotated[
        tuple[str, ...],
        Parameter(negative="", help="Action of a custom token, such as api::article.article.find."),
    ] = (),
    days: Annotated[
        int | None,
        Parameter(
            validator=validators.Number(gte=1, lte=36_500),
            help="Days until it expires, at most 36500; never by default.",
        ),
    ] = None,
    description: Annotated[str, Parameter(help="Description.")] = "",
) -> int:
    """Create an API token, and print it once."""
    from datetime import timedelta

    from quire.cli import create_credentials
    from quire.cli.project_settings import open_project

    return create_credentials.create_token(
        open_project(project),
        name=name,
        kind=type,
        description=description,
        actions=action,
        lifespan=None if days is None else timedelta(days=days),
    )


TokenName = Annotated[str, Parameter(help="Name of the token.")]


@token.command(name="list")
def list_tokens(project: Project = _CURRENT_FOLDER, /) -> int:
    """List the API tokens: permissions, expiry, and last use."""
    from quire.cli import tokens
    from quire.cli.project_settings import open_project

    return tokens.list_tokens(open_project(project))


@token.command(name="regenerate")
def regenerate_token(project: Project = _CURRENT_FOLDER, /, *, name: TokenName) -> int:
    """Replace a token by a new one, and print it once."""
    from quire.cli import tokens
    from quire.cli.project_settings import open_project

    return tokens.regenerate_token(open_project(project), name)


@token.command(name="delete")
def delete_token(project: Project = _CURRENT_FOLDER, /, *, name: TokenName) -> int:
    """Delete an API token."""
    from quire.cli import tokens
    from quire.cli.project_settings import open_project

    return tokens.delete_token(open_project(project), name)


def _drop_unset(options: dict[str, object]) -> dict[str, object]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value is not None}
