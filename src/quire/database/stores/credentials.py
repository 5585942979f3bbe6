"""Inserts administrators and API tokens.

What is stored is made elsewhere: passwords and tokens arrive here hashed.
"""

from collections.abc import Callable, Mapping

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy import MetaData

from quire.database.compile.row_inserts import insert_row
from quire.database.compile.statements import StatementBuilder
from quire.database.dialect import Dialect
from quire.database.program import Program, Statement
from quire.database.tables.table_map import LinkEdge, TableMap
from quire.errors import ApplicationError
from quire.schema.model import ADMIN_USER_UID

ADMIN_ROLE_UID = "admin::role"
TOKEN_UID = "admin::api-token"  # noqa: S105 - the uid of a content type
TOKEN_PERMISSION_UID = "admin::api-token-permission"  # noqa: S105 - likewise


class NewAdministrator(Struct, frozen=True, kw_only=True):
    """An administrator to be; ``password`` is hashed, ``role`` is the code of a role."""

    email: str
    firstname: str
    lastname: str | None
    password: str
    role: str


class NewApiToken(Struct, frozen=True, kw_only=True):
    """An API token to be.

    ``access_key`` is its keyed hash, ``encrypted_key`` what it can be shown again from; ``actions``
    are for tokens of the type ``custom``; ``lifespan`` is in milliseconds, ``None`` for ever.
    """

    name: str
    description: str
    type: str
    access_key: str
    encrypted_key: str | None
    actions: tuple[str, ...] = ()
    lifespan: int | None = None


class CredentialRows(Struct, frozen=True, kw_only=True):
    """Programs that write credentials; ``now`` is epoch milliseconds, ``new_id`` makes ids."""

    tables: TableMap
    metadata: MetaData
    dialect: Dialect
    now: int
    new_id: Callable[[], str]

    def administrator(self, new: NewAdministrator) -> Program[None]:
        """Write an administrator with a role.

        Raises ApplicationError when there is one with this e-mail, or no such role.
        """
        if (yield from self._ids(ADMIN_USER_UID, "email", new.email)):
            raise ApplicationError(f"There is an administrator with the e-mail {new.email}.")
        roles = yield from self._ids(ADMIN_ROLE_UID, "code", new.role)
        if not roles:
            raise ApplicationError(f"The database has no administrators' role {new.role}.")
        values = {
            "firstname": new.firstname,
            "lastname": new.lastname,
            "email": new.email,
            "password": new.password,
            "isActive": True,
            "blocked": False,
        }
        user = yield from self._document(ADMIN_USER_UID, values)
        yield from self._link(ADMIN_USER_UID, "roles", user, roles[0])

    def api_token(self, new: NewApiToken) -> Program[None]:
        """Write an API token. Raises ApplicationError when there is one of this name."""
        if (yield from self._ids(TOKEN_UID, "name", new.name)):
            raise ApplicationError(f"There is an API token with the name {new.name}.")
        values = {
            "name": new.name,
            "description": new.description,
            "kind": "content-api",
            "type": new.type,
            "accessKey": new.access_key,
            "encryptedKey": new.encrypted_key,
            "lifespan": new.lifespan,
            "expiresAt": None if new.lifespan is None else self.now + new.lifespan,
        }
        token = yield from self._document(TOKEN_UID, values)
        for action in new.actions:
            permission = yield from self._document(TOKEN_PERMISSION_UID, {"action": action})
            yield from self._link(TOKEN_PERMISSION_UID, "token", permission, token)

    def _ids(self, uid: str, attribute: str, value: str) -> Program[list[int]]:
        """The ids of the rows whose attribute has this value."""
        model = self.tables[uid]
        builder = StatementBuilder(self.dialect)
        table = builder.table(model.name)
        where = table.c(model.columns[attribute]) == builder.plain_slot(0)
        query = builder.finish(sa.select(table.c("id")).where(where).order_by(table.c("id")))
        rows = yield Statement(query.sql, query.bind((value,)))
        return [int(row[0] or 0) for row in rows]

    def _document(self, uid: str, values: Mapping[str, object]) -> Program[int]:
        """Write the one row of a document without draft and locale; ``values`` are by attribute."""
        table = self.tables[uid]
        given = {
            "documentId": self.new_id(),
            **values,
            "createdAt": self.now,
            "updatedAt": self.now,
            "publishedAt": self.now,
        }
        row = {table.columns[name]: value for name, value in given.items()}
        return (yield from self._insert(table.name, row))

    def _link(self, uid: str, attribute: str, near: int, far: int) -> Program[None]:
        """Link a new row with another one, as its first, and as the last of the other one's."""
        edge = self.tables[uid].edges[attribute]
        if not isinstance(edge, LinkEdge):
            raise TypeError(f"{uid}.{attribute} is not kept in a link table")
        row: dict[str, object] = {edge.near: near, edge.far: far}
        if edge.order is not None:
            row[edge.order] = 1
        if edge.inverse_order is not None:
            row[edge.inverse_order] = (yield from self._last(edge, far)) + 1
        yield from self._insert(edge.table, row)

    def _last(self, edge: LinkEdge, far: int) -> Program[float]:
        builder = StatementBuilder(self.dialect)
        links = builder.table(edge.table)
        position = sa.func.max(links.c(str(edge.inverse_order)))
        query = builder.finish(
            sa.select(position).where(links.c(edge.far) == builder.plain_slot(0))
        )
        rows = yield Statement(query.sql, query.bind((far,)))
        return float(rows[0][0] or 0)

    def _insert(self, table: str, row: Mapping[str, object]) -> Program[int]:
        rows = yield insert_row(self.dialect, self.metadata.tables[table], row)
        return int(rows[0][0] or 0)
