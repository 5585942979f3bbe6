"""``quire deploy-check``: lists what an installation lacks for production; changes nothing."""

import asyncio
import json
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from msgspec import Struct

from quire.auth.passwords import verify_password
from quire.cli.backup import backup_archives
from quire.cli.check_database import check_database
from quire.cli.project_settings import require_project
from quire.cli.terminal import EXIT_OK, PROBLEMS, print_result, show_progress
from quire.clock import now_ms
from quire.database.dialects.postgresql.connection_security import (
    ConnectionSecurity,
    connection_security,
)
from quire.database.entries.entry_tables import open_store
from quire.database.integrity.findings import count_noun
from quire.database.settings_target import target_of
from quire.database.stores.builtin_type_table import ContentTables
from quire.database.tables.table_map import map_tables
from quire.errors import DatabaseOpenError
from quire.ids import new_document_id
from quire.schema.model import ADMIN_USER_UID, Schema
from quire.settings import LOCAL_HOSTS, NEW_SECRETS_COMMAND, Settings, load_settings
from quire.strapi_project.schema import load_project_schema

_MOUNTS = Path("/proc/self/mountinfo")

_NETWORK = re.compile(
    r"(nfs\d?|cifs|smb\d?|9p|ceph|glusterfs|lustre|afs|fuse\.(?!fuseblk|overlay).*)"
)
"""File systems whose locks and shared memory SQLite cannot rely on."""

_OCTAL_ESCAPE = re.compile(r"\\([0-7]{3})")

_SHORTEST_SECRET = 16

_PLACEHOLDERS = ("tobemodified", "changeme", "change-me", "change_me", "secret", "example", "xxxx")

_COMMON_PASSWORDS = (
    "Password1",
    "Password123",
    "Password1!",
    "Admin123",
    "Admin1234",
    "Changeme1",
    "Welcome1",
    "Strapi123",
)
"""Common passwords that the rules allow."""

_CHECKED_ADMINISTRATORS = 20

_DATABASE_PASSWORDS = frozenset({"", "postgres", "password", "strapi", "secret", "quire", "admin"})

_ENCRYPTED = frozenset({"require", "verify-ca", "verify-full"})
"""Values of ``sslmode`` with which connections without TLS are rejected."""

_BACKUP_MAX_AGE_MS = 26 * 3_600_000
"""A day, and some time for a slow backup."""


class DeployFinding(Struct, frozen=True):
    """Something that production lacks. ``check`` is the setting or the area."""

    level: Literal["problem", "warning"]
    check: str
    message: str


def problem(check: str, message: str) -> DeployFinding:
    """Return a finding that has to be fixed before an installation is public."""
    return DeployFinding("problem", check, message)


def warning(check: str, message: str) -> DeployFinding:
    """Return a finding that may be intended."""
    return DeployFinding("warning", check, message)


def file_findings(settings: Settings) -> Iterator[DeployFinding]:
    """Check the permissions of files with secrets, and the location of a SQLite file."""
    yield from _readable_by_others(settings.project / ".env", "secrets")
    yield from _version_control(settings.project)
    if settings.database.client != "sqlite":
        return
    file = settings.database.filename
    yield from _readable_by_others(file, "database.filename")
    kind = file_system_of(file)
    if kind is not None and _NETWORK.fullmatch(kind):
        yield problem(
            "database.filename",
            f"{file} is on a network file system ({kind}), which damages SQLite files: "
            "use a local disk or PostgreSQL",
        )


def _readable_by_others(path: Path, check: str) -> Iterator[DeployFinding]:
    try:
        mode = path.stat().st_mode
    except OSError:
        return
    if mode & (stat.S_IROTH | stat.S_IWOTH):
        yield problem(check, f"every user of the machine can read {path}: chmod o-rwx")


def _version_control(project: Path) -> Iterator[DeployFinding]:
    if not (project / ".git").exists() or not (project / ".env").exists():
        return
    ignore_file = project / ".gitignore"
    lines = ignore_file.read_text("utf-8", "replace").splitlines() if ignore_file.is_file() else []
    if not {".env", "/.env", ".env*", "*.env"} & {line.strip() for line in lines}:
        yield warning("secrets", ".gitignore does not name .env, which holds secrets")


def file_system_of(path: Path, mounts: Path = _MOUNTS) -> str | None:
    """Return the type of the file system of a path; ``None`` if it is unknown."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    place = os.path.realpath(path)
    longest_mount: tuple[int, str] | None = None
    for line in lines:
        mount, _, source = line.partition(" - ")
        fields = mount.split(" ")
        if len(fields) < 5 or not source:
            continue
        point = _OCTAL_ESCAPE.sub(lambda code: chr(int(code[1], 8)), fields[4])
        is_above = place == point or place.startswith(point.rstrip("/") + "/")
        # The later of two mounts on one point counts.
        if is_above and (longest_mount is None or len(point) >= longest_mount[0]):
            longest_mount = (len(point), source.split(" ")[0])
    return None if longest_mount is None else longest_mount[1]


Check = Callable[[Settings], Iterator[DeployFinding]]


class DeployReport(Struct, frozen=True):
    """The findings, problems first."""

    findings: Sequence[DeployFinding]

    @property
    def has_problems(self) -> bool:
        """Whether something has to be fixed before the installation is public."""
        return any(finding.level == "problem" for finding in self.findings)

    def lines(self) -> Iterator[str]:
        """Yield the report for a terminal."""
        for finding in self.findings:
            yield f"{finding.level:<9}{finding.check}: {finding.message}"
        if self.findings:
            yield ""
        counts = (count_noun(self._count(level), level) for level in ("problem", "warning"))
        yield f"{', '.join(counts)}."

    def json(self) -> str:
        """Return the report for scripts."""
        findings = [
            {"level": finding.level, "check": finding.check, "message": finding.message}
            for finding in self.findings
        ]
        return json.dumps(
            {
                "ready": not self.has_problems,
                "problems": self._count("problem"),
                "warnings": self._count("warning"),
                "findings": findings,
            },
            indent=2,
            ensure_ascii=False,
        )

    def _count(self, level: str) -> int:
        return sum(finding.level == level for finding in self.findings)


def deploy_check(project: Path, *, backups: Path | None, as_json: bool) -> int:
    """Check an installation and print what it lacks; returns 1 when there are problems.

    ``backups`` is the folder of its backups. Raises ConfigurationError and SchemaError for a
    project that cannot be served at all: `quire check` is for those.
    """
    settings = load_settings(project)
    require_project(settings)
    schema = load_project_schema(settings)
    with show_progress("Looking into the installation"):
        findings = [finding for check in _CHECKS for finding in check(settings)]
        findings += _backups(settings, backups)
        findings += _database(settings, schema)
    report = DeployReport(sorted(findings, key=lambda finding: finding.level))
    if as_json:
        print_result(report.json())
    else:
        for line in report.lines():
            print_result(line)
    return PROBLEMS if report.has_problems else EXIT_OK


def _environment(settings: Settings) -> Iterator[DeployFinding]:
    if settings.is_development:
        yield problem(
            "environment", "the environment is development, which tells clients about errors"
        )
    if settings.api.reference == "on":
        yield warning("api.reference", "the page of the API reference is shown to everybody")
    if not settings.users.rate_limit.enabled:
        yield problem("users.rate_limit", "end users may try passwords without a limit")
    if not settings.admin.rate_limit.enabled:
        yield problem("admin.rate_limit", "administrators may try passwords without a limit")


def _secrets(settings: Settings) -> Iterator[DeployFinding]:
    missing_names = settings.missing_secrets()
    if missing_names:
        names = ", ".join(missing_names)
        yield problem("secrets", f"not set: {names}; `{NEW_SECRETS_COMMAND}` prints new ones")
    values = _secret_values(settings)
    for name, value in values.items():
        if len(value) < _SHORTEST_SECRET:
            yield problem("secrets", f"{name} has fewer than {_SHORTEST_SECRET} characters")
        elif any(word in value.lower() for word in _PLACEHOLDERS) or len(set(value)) == 1:
            yield problem("secrets", f"{name} is a placeholder")
    for name, value in values.items():
        equal_name = next(
            other_name for other_name, other_value in values.items() if other_value == value
        )
        if equal_name != name:
            yield problem("secrets", f"{name} is the same as {equal_name}")


def _secret_values(settings: Settings) -> dict[str, str]:
    secrets = settings.secrets
    values = {
        "API_TOKEN_SALT": secrets.api_token_salt,
        "ADMIN_JWT_SECRET": secrets.admin_jwt_secret,
        "TRANSFER_TOKEN_SALT": secrets.transfer_token_salt,
        "JWT_SECRET": secrets.jwt_secret,
        "ENCRYPTION_KEY": secrets.encryption_key,
        **{f"APP_KEYS[{number}]": key for number, key in enumerate(secrets.app_keys)},
    }
    return {name: value for name, value in values.items() if value}


def _network(settings: Settings) -> Iterator[DeployFinding]:
    url = settings.server.url
    if url is None:
        yield problem("server.url", "the public address is not set; links in mails need it")
    elif not url.startswith("https://"):
        yield problem("server.url", f"{url} is not https: passwords and tokens can be read")
    if not settings.server.trusted_proxies and settings.server.host not in LOCAL_HOSTS:
        yield warning(
            "server.trusted_proxies",
            "no proxy is trusted: behind one, all callers share its address and its rate limit",
        )
    metrics = settings.metrics
    if metrics.port is not None and metrics.address not in LOCAL_HOSTS and metrics.token is None:
        yield warning("metrics.token", "everybody who reaches the address can read the metrics")
    if "*" in settings.cors.origins:
        yield warning("cors.origins", "pages of every origin may read responses; list your own")


def _mail(settings: Settings) -> Iterator[DeployFinding]:
    mail = settings.mail
    if mail.host is None:
        yield warning("mail.host", "no mail is sent: nobody can reset a password")
        return
    if mail.security == "none" and mail.host not in LOCAL_HOSTS:
        yield problem(
            "mail.security", "mails and the password of the mail server are not encrypted"
        )
    if mail.sender.endswith("@localhost"):
        yield warning("mail.sender", f"mails come from {mail.sender}, which receivers refuse")


def connection_findings(settings: Settings) -> Iterator[DeployFinding]:
    """Check the protection of the connections to PostgreSQL servers."""
    database = settings.database
    if database.client != "postgres":
        return
    urls = [("database.url", database.url), ("database.direct_url", database.direct_url)]
    urls += [("database.replicas", url) for url in database.replicas]
    checks: list[tuple[_ConnectionChecks, str | None]] = [
        (_ConnectionChecks(name, name, name), url) for name, url in urls if url is not None
    ]
    if database.url is None:
        checks.append((_HOST_CHECKS, None))
    for names, url in checks:
        environment = os.environ  # noqa: TID251 - the driver reads libpq's variables from it
        yield from _connection(names, connection_security(database, url, environment))


class _ConnectionChecks(NamedTuple):
    """The names of the checks of a connection."""

    encryption: str
    certificate: str
    password: str


_HOST_CHECKS = _ConnectionChecks("database.ssl", "database.ssl_verify", "database.password")


def _connection(names: _ConnectionChecks, security: ConnectionSecurity) -> Iterator[DeployFinding]:
    hosts = ", ".join(security.remote_hosts)
    if not hosts:
        return
    if security.sslmode not in _ENCRYPTED:
        extent = "is not" if security.sslmode == "disable" else "need not be"
        yield problem(names.encryption, f"the connection to {hosts} {extent} encrypted")
    elif security.sslmode == "require":
        yield warning(names.certificate, f"the certificate of {hosts} is not checked")
    if security.password in _DATABASE_PASSWORDS:
        yield problem(names.password, "the password of the database is a common one, or none")


def _backups(settings: Settings, folder: Path | None) -> Iterator[DeployFinding]:
    place = folder or settings.backup.folder
    archives = backup_archives(place, settings.project.name)
    if not archives:
        hint = "" if folder else "; name their folder with --backups"
        yield warning("backups", f"{place} has no backup of the project{hint}")
        return
    age = now_ms() - archives[-1].stat().st_mtime_ns // 1_000_000
    if age > _BACKUP_MAX_AGE_MS:
        yield problem("backups", f"the last backup is {age // 3_600_000} hours old")


def _database(settings: Settings, schema: Schema) -> Iterator[DeployFinding]:
    try:
        report = check_database(settings, schema)
    except DatabaseOpenError as error:
        yield problem("database", str(error))
        return
    for message in (*report.problems, *report.damage):
        yield problem("database", message)
    for message in report.warnings:
        yield warning("database", message)
    if not report.problems:
        yield from asyncio.run(_administrators(settings, schema))


class _Administrator(Struct, frozen=True, kw_only=True, rename="camel"):
    id: int
    email: str | None = None
    password: str | None = None
    is_active: bool | None = None


async def _administrators(settings: Settings, schema: Schema) -> list[DeployFinding]:
    administrators = await _read_administrators(settings, schema)
    active_users = [administrator for administrator in administrators if administrator.is_active]
    if not active_users and settings.admin.registration == "open":
        message = "there are none: whoever comes to /admin first becomes one"
        return [problem("administrators", message)]
    if not active_users:
        message = "there are none: `quire admin create` adds one"
        return [warning("administrators", message)]
    return [
        problem("administrators", f"{administrator.email} has one of the most common passwords")
        for administrator in active_users[:_CHECKED_ADMINISTRATORS]
        if await _has_common_password(administrator)
    ]


async def _has_common_password(administrator: _Administrator) -> bool:
    password_hash = administrator.password
    if password_hash is None:
        return False
    for password in _COMMON_PASSWORDS:
        if await verify_password(password, password_hash):
            return True
    return False


async def _read_administrators(settings: Settings, schema: Schema) -> list[_Administrator]:
    target = target_of(settings)
    store = open_store(schema, map_tables(schema), target.kind.dialect())
    tables = ContentTables(store=store, new_id=new_document_id)
    async with target.look() as connection:
        return await connection.run(tables.table_for(ADMIN_USER_UID, _Administrator).select())


_CHECKS: Sequence[Check] = (
    _environment,
    _secrets,
    _network,
    _mail,
    connection_findings,
    file_findings,
)
