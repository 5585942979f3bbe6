"""Rows of principals: API tokens, end users, roles, permissions, settings."""

from collections.abc import Iterable
from typing import Any

import orjson

from quire.database.tables.system_tables import CORE_STORE
from quire.schema.model import ROLE_UID, USER_UID
from tests.library.rows import LibraryRows

TOKEN_UID = "admin::api-token"
TOKEN_PERMISSION_UID = "admin::api-token-permission"
PERMISSION_UID = "plugin::users-permissions.permission"


class AccountRows(LibraryRows):
    """Writes accounts into a database of the library."""

    def token(
        self,
        access_key: str,
        *,
        type: str = "full-access",
        expires_at: int | None = None,
        last_used_at: int | None = None,
        kind: str | None = "content-api",
        actions: Iterable[str] = (),
    ) -> int:
        """Add an API token by its keyed hash; returns the row's id."""
        token = self.add(
            TOKEN_UID,
            name=access_key[:20],
            type=type,
            accessKey=access_key,
            expiresAt=expires_at,
            lastUsedAt=last_used_at,
            kind=kind,
        )
        for action in actions:
            permission = self.add(TOKEN_PERMISSION_UID, action=action)
            self.link(TOKEN_PERMISSION_UID, "token", permission, token)
        return token

    def role(self, type: str, actions: Iterable[str]) -> int:
        """Add a role of end users that grants ``actions``; returns the row's id."""
        role = self.add(ROLE_UID, name=type.title(), type=type)
        self.grant(role, actions)
        return role

    def grant(self, role: int, actions: Iterable[str]) -> None:
        """Let a role do more."""
        for action in actions:
            permission = self.add(PERMISSION_UID, action=action)
            self.link(PERMISSION_UID, "role", permission, role)

    def user(
        self,
        username: str,
        role: int | None,
        *,
        password: str | None = None,
        provider: str = "local",
        confirmed: bool = True,
        blocked: bool = False,
        **values: Any,  # noqa: ANN401 - values of attributes
    ) -> int:
        """Add an end user; ``password`` is the hash. Returns the row's id."""
        user = self.add(
            USER_UID,
            username=username,
            email=f"{username.lower()}@example.com",
            password=password,
            provider=provider,
            confirmed=confirmed,
            blocked=blocked,
            **values,
        )
        if role is not None:
            self.link(USER_UID, "role", user, role)
        return user

    def document_of(self, user: int) -> str:
        """Return the document id of an end user."""
        sql = "SELECT document_id FROM up_users WHERE id = ?"
        return str(self.database.execute(sql, (user,))[0][0])

    def store(self, key: str, value: object) -> None:
        """Write a setting into the core store; ``None`` writes no value at all."""
        text = None if value is None else orjson.dumps(value).decode()
        self.insert(CORE_STORE, {"key": key, "value": text, "type": "object"})
