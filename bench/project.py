"""A runnable project folder for a benchmark: the content model, extra types, secrets, a token.

The folder is in Strapi's format, so that every server of a comparison can be given a copy of it.
"""

import hashlib
import hmac
import json
import shutil
import sqlite3
from itertools import product
from pathlib import Path
from string import ascii_lowercase

MODEL = Path(__file__).parent / "project"
"""The content model that the repository carries: four content types and two components."""

OWN_TYPES = 4
DATABASE = Path(".tmp") / "data.db"

TOKEN = "0123456789abcdef" * 16
"""The API token of every benchmark request. It opens nothing but throw-away databases."""

ADMINISTRATOR = {"email": "bench@example.org", "password": "Benchmark1"}
"""Who signs in for the requests of the admin API."""

_HASHED = "$2b$04$oAwKblDLON.p2B95n2ew.ujDOwQjspTkOo04pw6sqdtlCj6ZT3qEe"

SECRETS = {
    "APP_KEYS": "benchmark-key-one,benchmark-key-two",
    "API_TOKEN_SALT": "benchmark-api-token-salt",
    "ADMIN_JWT_SECRET": "benchmark-admin-jwt-secret-of-32-characters",
    "TRANSFER_TOKEN_SALT": "benchmark-transfer-token-salt",
    "JWT_SECRET": "benchmark-jwt-secret-of-at-least-32-characters",
    "ENCRYPTION_KEY": "benchmark-encryption-key-32-characters",
}


def make_project(folder: Path, types: int = OWN_TYPES) -> None:
    """Make ``folder`` a project of ``types`` content types: the model and generated ones.

    An existing folder of that name is replaced. Raises ValueError when ``types`` is below the
    number of types the model itself has.
    """
    if types < OWN_TYPES:
        raise ValueError(f"the benchmark's own model has {OWN_TYPES} content types, not {types}")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(MODEL, folder)
    for name in extra_type_names(types - OWN_TYPES):
        path = folder / "src" / "api" / name / "content-types" / name / "schema.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(_extra_type(name), indent=2), encoding="utf-8")
    (folder / DATABASE).parent.mkdir()
    (folder / "public" / "uploads").mkdir(parents=True)
    lines = {**SECRETS, "DATABASE_CLIENT": "sqlite", "DATABASE_FILENAME": DATABASE.as_posix()}
    environment = "".join(f"{name}={value}\n" for name, value in lines.items())
    (folder / ".env").write_text(environment, encoding="utf-8")


def extra_type_names(count: int) -> list[str]:
    """Return ``count`` names of generated content types: extra-aaa, extra-aab and so on."""
    names = ("extra-" + "".join(letters) for letters in product(ascii_lowercase, repeat=3))
    return [name for name, _ in zip(names, range(count), strict=False)]


def _extra_type(name: str) -> dict[str, object]:
    """Return the schema of a generated type: ten plain attributes, a relation, a component."""
    scalar_types = ("string", "text", "richtext", "integer", "decimal", "boolean", "date", "json",
                    "datetime", "email")  # fmt: skip
    attributes: dict[str, object] = {f"{type_}Value": {"type": type_} for type_ in scalar_types}
    attributes["tag"] = {"type": "relation", "relation": "manyToOne", "target": "api::tag.tag"}
    attributes["seo"] = {"type": "component", "component": "shared.seo", "repeatable": False}
    return {
        "kind": "collectionType",
        "collectionName": f"{name}-entries".replace("-", "_"),
        "info": {
            "singularName": name,
            "pluralName": f"{name}-entries",
            "displayName": name.capitalize(),
        },
        "options": {"draftAndPublish": True},
        "attributes": attributes,
    }


def access_key(token: str, salt: str) -> str:
    """Return what the database keeps of an API token: hex HMAC-SHA512 of it, keyed by the salt."""
    return hmac.new(salt.encode(), token.encode(), hashlib.sha512).hexdigest()


def add_administrator(connection: sqlite3.Connection) -> None:
    """Insert the super admin who signs in for requests of the admin API, and commit.

    Raises sqlite3.Error when there is no such role.
    """
    instant = 1_577_836_800_000
    made = connection.execute(
        "INSERT INTO admin_users (document_id, firstname, email, password, is_active, blocked,"
        " created_at, updated_at, published_at) VALUES (?, ?, ?, ?, 1, 0, ?, ?, ?)",
        (
            "benchmarkadmin0000000000",
            "Bench",
            ADMINISTRATOR["email"],
            _HASHED,
            instant,
            instant,
            instant,
        ),
    )
    connection.execute(
        "INSERT INTO admin_users_roles_lnk (user_id, role_id, role_ord, user_ord)"
        " SELECT ?, id, 1, 1 FROM admin_roles WHERE code = 'strapi-super-admin'",
        (made.lastrowid,),
    )
    connection.commit()


def add_token(connection: sqlite3.Connection) -> None:
    """Insert the full-access API token that benchmark requests carry, and commit."""
    instant = 1_577_836_800_000
    connection.execute(
        "INSERT INTO strapi_api_tokens (document_id, name, description, kind, type, access_key,"
        " created_at, updated_at, published_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            "benchmarktoken0000000000",
            "benchmark",
            "",
            "content-api",
            "full-access",
            access_key(TOKEN, SECRETS["API_TOKEN_SALT"]),
            instant,
            instant,
            instant,
        ),
    )
    connection.commit()
