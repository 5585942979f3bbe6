"""A connection pooler between the tested servers and PostgreSQL, if one is configured.

``QUIRE_TEST_POOLER`` names a PgBouncer in transaction mode, before the server that
``QUIRE_TEST_POSTGRES`` names: a URL as that one's, with another port. Then the servers go through
it, while tests look at rows without it.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

VARIABLE = "QUIRE_TEST_POOLER"


def served_url(direct: str) -> str:
    """Return the URL at which a server is to find the database of a URL."""
    pooler = os.environ.get(VARIABLE)
    return urlsplit(pooler)._replace(path=urlsplit(direct).path).geturl() if pooler else direct


def served_settings(direct: str) -> Mapping[str, object]:
    """Return the settings of a server for the database of a URL."""
    settings: dict[str, object] = {"database.url": served_url(direct)}
    return {**settings, "database.pooler": True} if VARIABLE in os.environ else settings


def configure_project(project: Path) -> None:
    """Write what a project has to say of the pooler next to the address, if there is one."""
    if VARIABLE not in os.environ:
        return
    settings = project / "quire.toml"
    said = settings.read_text(encoding="utf-8") if settings.exists() else ""
    if "pooler" not in said:
        settings.write_text(f"{said}\n[database]\npooler = true\n", encoding="utf-8")
