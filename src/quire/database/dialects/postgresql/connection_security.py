"""How connections to PostgreSQL servers are protected, without connecting."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct

from quire.settings import LOCAL_HOSTS, DatabaseSettings

_OTHER_CREDENTIALS = frozenset({"passfile", "service", "sslcert"})
"""Parameters of a URL that take the place of a password."""


class ConnectionSecurity(Struct, frozen=True, kw_only=True):
    """The protection of the connections to one or more servers.

    ``sslmode`` is that of libpq. ``password`` is empty if there is none, and ``None`` if something
    else than a password is used.
    """

    remote_hosts: tuple[str, ...]
    sslmode: str
    password: str | None


def connection_security(
    database: DatabaseSettings, url: str | None, environment: Mapping[str, str]
) -> ConnectionSecurity:
    """Return the protection of connections to a URL, or without one to the host of the settings.

    ``environment`` has libpq's variables, which the driver reads too.
    """
    if url is None:
        hosts, parameters, password = [database.host], dict[str, str](), database.password
    else:
        parts = urlsplit(url)
        parameters = dict(parse_qsl(parts.query))
        credentials, _, addresses = parts.netloc.rpartition("@")
        addresses = addresses or parameters.get("host") or environment.get("PGHOST", "")
        hosts = [_host(unquote(address)) for address in addresses.split(",")]
        password = unquote(credentials.partition(":")[2]) or parameters.get("password")
    sslmode = "disable" if url is None else _sslmode(parameters, environment)
    if database.ssl:
        sslmode = "verify-full" if database.ssl_verify else "require"
    return ConnectionSecurity(
        remote_hosts=tuple(host for host in hosts if not _is_local(host)),
        sslmode=sslmode,
        password=password or _other_password(parameters, environment),
    )


def _host(address: str) -> str:
    """Return the host of an address that may have a port."""
    if address.startswith("["):
        return address[1:].partition("]")[0]
    return address if address.startswith("/") else address.partition(":")[0]


def _is_local(host: str) -> bool:
    return not host or host in LOCAL_HOSTS or host.startswith("/")


def _sslmode(parameters: Mapping[str, str], environment: Mapping[str, str]) -> str:
    mode = parameters.get("sslmode") or environment.get("PGSSLMODE", "prefer")
    has_authority = (
        "sslrootcert" in parameters
        or "PGSSLROOTCERT" in environment
        or _is_in_home_folder(".postgresql/root.crt")
    )
    # As in libpq: if there is an authority, its certificates are required.
    return "verify-ca" if mode == "require" and has_authority else mode


def _other_password(parameters: Mapping[str, str], environment: Mapping[str, str]) -> str | None:
    if "PGPASSWORD" in environment:
        return environment["PGPASSWORD"]
    has_file = "PGPASSFILE" in environment or _is_in_home_folder(".pgpass")
    return None if has_file or _OTHER_CREDENTIALS & parameters.keys() else ""


def _is_in_home_folder(path: str) -> bool:
    """Tell whether a file of libpq is in the home folder."""
    try:
        return (Path.home() / path).exists()
    except (OSError, RuntimeError):  # it may be that of somebody else, or there is none
        return False
