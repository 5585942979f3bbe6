"""Rows for authentication: tokens, end users, roles and permissions.

Statements are built once and kept; each function is a program.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import orjson
import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import AliasedTable, Query, StatementBuilder
from quire.database.dialect import Dialect
from quire.database.program import Program, Statement, Value
from quire.database.stores.custom_route_grants import CUSTOM_GRANTS_KEY, Owner, granted_in
from quire.database.tables.system import CORE_STORE
from quire.database.tables.table_map import LinkEdge, TableMap
from quire.schema.attributes.base import StorageKind
from quire.schema.model import PERMISSION_UID, ROLE_UID, USER_UID

_API_TOKENS = "admin::api-token"
_API_GRANTS = "admin::api-token-permission"
ROW_RULES_KEY = "quire_row_rules"
"""Row rules in the core store: by the document id of a role, and by action."""
_USER_COLUMNS = (
    "id",
    "document_id",
    "username",
    "email",
    "password",
    "provider",
    "confirmed",
    "blocked",
    "created_at",
)


class TokenRow(Struct, frozen=True, kw_only=True):
    """An API token as stored; times are epoch milliseconds."""

    id: int
    type: str
    expires_at: int | None
    last_used_at: int | None


class UserRow(Struct, frozen=True, kw_only=True):
    """An end user as stored, with what signing in needs."""

    id: int
    document_id: str
    username: str | None
    email: str | None
    password: str | None
    provider: str | None
    confirmed: bool
    blocked: bool
    created_at: int | None
    role_id: int | None


class Accounts:
    """The programs that authentication runs."""

    def __init__(
        self, tables: TableMap, dialect: Dialect, custom_actions: frozenset[str] = frozenset()
    ) -> None:
        """``custom_actions`` are those of the routes of the project's Python code."""
        self._tables = tables
        self._dialect = dialect
        self.custom_actions = custom_actions
        self._by_attribute: dict[tuple[str, bool], Query] = {}

    @property
    def tables(self) -> frozenset[str]:
        """The tables that these programs read."""
        return frozenset({CORE_STORE}).union(
            self._tables.names_of(_API_TOKENS),
            self._tables.names_of(_API_GRANTS, "token"),
            self._tables.names_of(USER_UID, "role"),
            self._tables.names_of(ROLE_UID),
            self._tables.names_of(PERMISSION_UID, "role"),
        )

    def api_token(self, access_key: str) -> Program[TokenRow | None]:
        """Find a token of the content API by its keyed hash."""
        rows = yield self._statement(self._token_query, access_key)
        if not rows:
            return None
        id_, type_, expires_at, last_used_at = rows[0]
        return TokenRow(
            id=_int(id_),
            type=str(type_),
            expires_at=self._dialect.epoch_ms(expires_at),
            last_used_at=self._dialect.epoch_ms(last_used_at),
        )

    def token_actions(self, token_id: int) -> Program[frozenset[str]]:
        """Return the actions that a custom token grants."""
        rows = yield self._statement(self._token_actions_query, token_id)
        granted = frozenset(str(row[0]) for row in rows)
        return granted | (yield from self.granted_custom_actions("tokens", token_id))

    def touch_token(self, token_id: int, now: int) -> Program[None]:
        """Note that a token was used now (epoch milliseconds)."""
        moment = self._dialect.encoder(StorageKind.DATETIME)(now)
        yield Statement(self._touch_query.sql, self._touch_query.bind((moment, token_id)))  # type: ignore[arg-type]  # moments are scalars

    def role_actions(self, role_id: int) -> Program[frozenset[str]]:
        """Return the actions that a role of end users grants."""
        rows = yield self._statement(self._role_actions_query, role_id)
        granted = frozenset(str(row[0]) for row in rows)
        return granted | (yield from self.granted_custom_actions("roles", role_id))

    def granted_custom_actions(self, owner: Owner, row_id: int) -> Program[frozenset[str]]:
        """Return the actions of Python routes that a role or token grants; asks only if any are."""
        if not self.custom_actions:
            return frozenset()
        stored = yield from self.stored(CUSTOM_GRANTS_KEY)
        return granted_in(stored, owner, row_id) & self.custom_actions

    def role_rules(self, role_id: int) -> Program[Mapping[str, object]]:
        """Return the row rules of a role by action, as they were set."""
        stored = yield from self.stored(ROW_RULES_KEY)
        if not isinstance(stored, Mapping) or not stored:
            return {}
        rows = yield self._statement(self._role_document_query, role_id)
        rules = stored.get(str(rows[0][0])) if rows else None
        return rules if isinstance(rules, Mapping) else {}

    def users_by_role(self) -> Program[dict[int, int]]:
        """Count the end users of every role that has any."""
        rows = yield self._statement(self._users_by_role_query)
        return {_int(role): _int(count) for role, count in rows}

    def role_of_type(self, type_: str) -> Program[int | None]:
        """Return the id of the role of a type, such as ``public``."""
        rows = yield self._statement(self._role_query, type_)
        return _int(rows[0][0]) if rows else None

    def user(self, user_id: int) -> Program[UserRow | None]:
        """Find an end user by row id."""
        rows = yield self._statement(self._user_by_id_query, user_id)
        return self._user_row(rows[0]) if rows else None

    def local_user(self, identifier: str) -> Program[UserRow | None]:
        """Find the end user that signs in with a user name, or an e-mail in any case."""
        rows = yield self._statement(self._user_by_name_query, identifier, identifier.lower())
        return self._user_row(rows[0]) if rows else None

    def user_by_email(self, email: str) -> Program[UserRow | None]:
        """Find the first end user with an e-mail, which is compared as it is."""
        return (yield from self._user_with("email", email))

    def user_by_reset_token(self, token: str) -> Program[UserRow | None]:
        """Find the end user who asked for a new password and was sent this token."""
        return (yield from self._user_with("resetPasswordToken", token))

    def user_by_confirmation_token(self, token: str) -> Program[UserRow | None]:
        """Find the end user whose e-mail is to be confirmed with this token."""
        return (yield from self._user_with("confirmationToken", token))

    def _user_with(self, attribute: str, value: str) -> Program[UserRow | None]:
        rows = yield self._statement(self._user_by_attribute_query(attribute), value)
        return self._user_row(rows[0]) if rows else None

    def users_named(
        self, username: str, email: str, *, provider: str | None
    ) -> Program[frozenset[int]]:
        """Return the end users that one with this name and e-mail could be taken for.

        Those are users with either of them as name or as e-mail; ``provider`` leaves out those who
        sign in another way. The e-mail is given in lower case.
        """
        query = self._named_query if provider is None else self._named_at_provider_query
        values = (username, email) if provider is None else (username, email, provider)
        rows = yield self._statement(query, *values)
        return frozenset(_int(row[0]) for row in rows)

    def ids_of_users(self, attribute: str, value: str) -> Program[frozenset[int]]:
        """Return the end users whose attribute has this value."""
        rows = yield self._statement(self._user_by_attribute_query(attribute, every=True), value)
        return frozenset(_int(row[0]) for row in rows)

    def stored(self, key: str) -> Program[Any]:
        """Return a value of the core store (parsed JSON), ``None`` when there is none."""
        rows = yield self._statement(self._store_query, key)
        return orjson.loads(str(rows[0][0])) if rows and rows[0][0] is not None else None

    def _statement(self, query: Query, *values: str | int) -> Statement:
        return Statement(query.sql, query.bind(values))

    def _user_row(self, row: tuple[Value, ...]) -> UserRow:
        id_, document_id, username, email, password, provider = row[:6]
        confirmed, blocked, created_at, role_id = row[6:]
        return UserRow(
            id=_int(id_),
            document_id=str(document_id),
            username=_text(username),
            email=_text(email),
            password=_text(password),
            provider=_text(provider),
            confirmed=bool(confirmed),
            blocked=bool(blocked),
            created_at=self._dialect.epoch_ms(created_at),
            role_id=None if role_id is None else _int(role_id),
        )

    # Statements ------------------------------------------------------------------------------

    @cached_property
    def _token_query(self) -> Query:
        builder = StatementBuilder(self._dialect)
        token = builder.table(self._tables[_API_TOKENS].name)
        kind = token.c("kind")
        select = sa.select(
            token.c("id"), token.c("type"), token.c("expires_at"), token.c("last_used_at")
        ).where(
            token.c("access_key") == builder.plain_slot(0),
            sa.or_(kind.is_(None), kind == builder.constant("content-api")),
        )
        return builder.finish(select)

    @cached_property
    def _token_actions_query(self) -> Query:
        return self._actions_query(_API_GRANTS, "token")

    @cached_property
    def _role_actions_query(self) -> Query:
        return self._actions_query(PERMISSION_UID, "role")

    def _actions_query(self, uid: str, owner: str) -> Query:
        builder = StatementBuilder(self._dialect)
        edge = self._link(uid, owner)
        links, permission = builder.table(edge.table), builder.table(self._tables[uid].name)
        source = permission.source.join(links.source, links.c(edge.near) == permission.c("id"))
        select = sa.select(permission.c("action")).select_from(source)
        return builder.finish(select.where(links.c(edge.far) == builder.plain_slot(0)))

    @cached_property
    def _touch_query(self) -> Query:
        builder = StatementBuilder(self._dialect)
        columns = ("id", "last_used_at", "updated_at")
        table = sa.table(self._tables[_API_TOKENS].name, *map(sa.column, columns))
        moment = {name: builder.plain_slot(0) for name in columns[1:]}
        update = sa.update(table).values(moment).where(table.c.id == builder.plain_slot(1))
        return builder.finish(update)

    @cached_property
    def _role_query(self) -> Query:
        builder = StatementBuilder(self._dialect)
        role = builder.table(self._tables[ROLE_UID].name)
        select = sa.select(role.c("id")).where(role.c("type") == builder.plain_slot(0))
        return builder.finish(select.order_by(role.c("id")).limit(builder.constant(1)))

    @cached_property
    def _role_document_query(self) -> Query:
        builder = StatementBuilder(self._dialect)
        role = builder.table(self._tables[ROLE_UID].name)
        here = role.c("id") == builder.plain_slot(0)
        return builder.finish(sa.select(role.c("document_id")).where(here))

    @cached_property
    def _users_by_role_query(self) -> Query:
        builder = StatementBuilder(self._dialect)
        edge = self._link(USER_UID, "role")
        links = builder.table(edge.table)
        role = links.c(edge.far)
        select = sa.select(role, sa.func.count()).where(role.is_not(None))
        return builder.finish(select.group_by(role))

    @cached_property
    def _user_by_id_query(self) -> Query:
        return self._user_query(lambda user, builder: user.c("id") == builder.plain_slot(0))

    @cached_property
    def _user_by_name_query(self) -> Query:
        return self._user_query(
            lambda user, builder: sa.and_(
                user.c("provider") == builder.constant("local"),
                sa.or_(
                    user.c("username") == builder.plain_slot(0),
                    user.c("email") == builder.plain_slot(1),
                ),
            )
        )

    def _user_by_attribute_query(self, attribute: str, *, every: bool = False) -> Query:
        known = self._by_attribute.get((attribute, every))
        if known is None:
            column = self._tables[USER_UID].columns[attribute]
            known = self._by_attribute[attribute, every] = self._user_query(
                lambda user, builder: user.c(column) == builder.plain_slot(0), every=every
            )
        return known

    @cached_property
    def _named_query(self) -> Query:
        return self._user_query(_is_named, every=True)

    @cached_property
    def _named_at_provider_query(self) -> Query:
        return self._user_query(
            lambda user, builder: sa.and_(
                _is_named(user, builder), user.c("provider") == builder.plain_slot(2)
            ),
            every=True,
        )

    def _user_query(
        self, where: Callable[[Any, StatementBuilder], Any], *, every: bool = False
    ) -> Query:
        builder = StatementBuilder(self._dialect)
        edge = self._link(USER_UID, "role")
        user, links = builder.table(self._tables[USER_UID].name), builder.table(edge.table)
        source = user.source.outerjoin(links.source, links.c(edge.near) == user.c("id"))
        select = (
            sa.select(*(user.c(name) for name in _USER_COLUMNS), links.c(edge.far))
            .select_from(source)
            .where(where(user, builder))
        )
        ordered = select.order_by(user.c("id"))
        return builder.finish(ordered if every else ordered.limit(builder.constant(1)))

    @cached_property
    def _store_query(self) -> Query:
        builder = StatementBuilder(self._dialect)
        store = builder.table(CORE_STORE)
        where = store.c("key") == builder.plain_slot(0)
        return builder.finish(sa.select(store.c("value")).where(where))

    def _link(self, uid: str, attribute: str) -> LinkEdge:
        edge = self._tables[uid].edges[attribute]
        if not isinstance(edge, LinkEdge):
            message = f"{uid}.{attribute} is not kept in a link table"
            raise TypeError(message)
        return edge


def _is_named(user: AliasedTable, builder: StatementBuilder) -> Any:  # noqa: ANN401 - an expression
    """Compare name and e-mail of a user with a name and an e-mail, both with both."""
    return sa.or_(
        *(
            user.c(column) == builder.plain_slot(slot)
            for column in ("username", "email")
            for slot in (0, 1)
        )
    )


def _text(value: Value) -> str | None:
    return None if value is None else str(value)


def _int(value: Value) -> int:
    if not isinstance(value, int):
        message = "a row id is not a number"
        raise TypeError(message)
    return value
