"""Data access of a project's code: single reads and writes, and transactions.

Entries are read as stored, by the document service or row by row.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from typing import TypeVar

import msgspec

from quire.access.ability import Ability, Unsanitized, rules_of
from quire.access.principal import ApiToken
from quire.content_api.http_messages import Request
from quire.content_api.project_javascript.output import with_secrets
from quire.content_api.project_javascript.queries import (
    Query,
    content_parameters,
    document_query,
    of_document,
    parameters_of,
)
from quire.customisations.query_changes import defined_filters
from quire.database.execute.json_encoding import encode
from quire.database.execute.prepared_read import PreparedRead
from quire.database.execute.row_mappers import Item
from quire.database.program import Program
from quire.document_service.commands import Command
from quire.document_service.project_rules import acting
from quire.document_service.read_planner import Mode
from quire.document_service.read_service import ReadService
from quire.document_service.service import DocumentService
from quire.document_service.transaction_context import CallContext
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ForbiddenError
from quire.javascript.interpreter.values import HostFunction, HostObject, UnsupportedError
from quire.javascript.scope import UNDEFINED
from quire.schema.model import USER_UID, ContentType

T = TypeVar("T")


class ScriptSession:
    """The reads and writes of one request, for its principal.

    ``version`` is the present content version, none after a write.
    """

    def __init__(self, reader: ReadService, documents: DocumentService, request: Request) -> None:
        self._reader = reader
        self._context = CallContext("code of the project", documents, request.principal)
        self._stack: AsyncExitStack | None = None
        self.version = request.version

    @property
    def is_open(self) -> bool:
        """Whether a transaction of the code is open."""
        return self._stack is not None

    async def items(self, prepared: PreparedRead) -> list[Item]:
        """Return the rows of a list."""
        return (await self.page(prepared))[0]

    async def page(self, prepared: PreparedRead) -> tuple[list[Item], int | None]:
        """Return the rows of a page, and how many there are in all."""
        if not self.is_open:
            return await self._reader.rows(prepared, self.version)
        return await self._context.read(prepared.rows)

    async def item(self, prepared: PreparedRead) -> Item | None:
        """Return the row of a read of at most one."""
        if not self.is_open:
            return await self._reader.row(prepared)
        items = await self._context.read(prepared.row)
        return items[0] if items else None

    async def total(self, prepared: PreparedRead) -> int:
        """Return how many rows a list has."""
        if not self.is_open:
            return await self._reader.total(prepared, self.version)
        return await self._context.read(prepared.total)

    async def write(
        self, act: Callable[[UnitOfWork], Program[T]], commands: Sequence[Command] = ()
    ) -> T:
        """Run a program that writes, in its own transaction or in that of the code."""
        self.version = None
        return await self._context.write(act, as_system=False, commands=commands)

    async def transaction(self, run: Callable[[HostObject], Awaitable[T]]) -> T:
        """Run a function of the code in a transaction, which is rolled back if it throws.

        It receives ``commit`` and ``rollback``, which end the transaction before the function does.
        Within another transaction they do nothing, and the outer one decides.
        """
        if self.is_open:
            return await run(_transaction_object(_return_undefined, _return_undefined))
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._context.transaction())
            self._stack = stack
            stack.callback(self._close)
            self.version = None
            return await run(_transaction_object(self._commit, self._roll_back))

    def _close(self) -> None:
        self._stack = None

    async def _commit(self, _arguments: list[object]) -> object:
        if self._stack is not None:
            await self._stack.aclose()
        return UNDEFINED

    async def _roll_back(self, _arguments: list[object]) -> object:
        if self._stack is not None:
            error = _RolledBackError()
            await self._stack.__aexit__(type(error), error, None)
        return UNDEFINED


class _RolledBackError(Exception):
    """Ends a transaction that is rolled back."""


async def _return_undefined(_arguments: list[object]) -> object:
    return UNDEFINED


Call = Callable[[list[object]], Awaitable[object]]


def _transaction_object(commit: Call, rollback: Call) -> HostObject:
    calls = {"commit": commit, "rollback": rollback}
    return HostObject({name: HostFunction(call, is_async=True) for name, call in calls.items()})


class DataReads:
    """Reads for one request, with the row rules of its caller."""

    def __init__(self, reader: ReadService, documents: DocumentService, request: Request) -> None:
        self._reader = reader
        self._documents = documents
        self._request = request
        self.session = ScriptSession(reader, documents, request)

    async def user(self, user_id: int) -> object:
        """Return the calling end user, with the role."""
        query: Query = {"filters": {"id": user_id}, "populate": ["role"], "locale": "*"}
        content_type = self._reader.schema.content_types[USER_UID]
        prepared = await self._prepare_read(content_type, "first row", query, Unsanitized())
        item = await self.session.item(prepared)
        if item is None:
            raise UnsupportedError("an end user who is gone")
        return self._encode_entry(content_type, item, query)

    async def validate(self, uid: str, query: Query) -> None:
        """Check a query as the core does. Raises its first error as an AppError."""
        content_type = self._reader.schema.content_types[uid]
        ability = self._request.principal.ability
        await self._reader.prepare(content_type, "list", content_parameters(query), ability)

    # Reading

    def _type(self, uid: object) -> ContentType:
        content_type = self._reader.schema.content_types.get(uid) if isinstance(uid, str) else None
        if content_type is None or not (content_type.is_api or content_type.uid == USER_UID):
            raise UnsupportedError("a type that is none of the project")
        return content_type

    def _parameters(self, content_type: ContentType, value: object) -> dict[str, object]:
        """Return the parameters of a read, with the operands of filters as Strapi compares them.

        Raises UnsupportedError for other values than objects.
        """
        schema = self._reader.schema
        return {
            name: defined_filters(inner, content_type, schema)
            if name in {"filters", "where"}
            else inner
            for name, inner in parameters_of(value).items()
        }

    def _ability(self) -> Ability:
        ability = self._request.principal.ability
        return ability if rules_of(ability) else Unsanitized()

    async def _prepare_read(
        self, content_type: ContentType, mode: Mode, query: Query, ability: Ability | None = None
    ) -> PreparedRead:
        self._refuse_drafts(content_type, mode, query)
        if ability is None:
            self._require_policies(content_type, mode)
        reader = self._reader
        return await reader.prepare(
            content_type, mode, content_parameters(query), ability or self._ability()
        )

    def _require_policies(self, content_type: ContentType, mode: Mode) -> None:
        """Check the policies on a read. Raises ForbiddenError."""
        policies = self._documents.engine.policies
        if policies.is_empty:
            return
        names = ("count",) if mode == "count" else ("find", "findOne")
        for name in names:
            policies.require_read(
                f"{content_type.uid}.{name}",
                acting(self._request.principal),
                document_id=None,
                query={},
            )

    def _refuse_drafts(self, content_type: ContentType, mode: Mode, query: Query) -> None:
        """Restrict drafts to API tokens, if the settings say so. Raises ForbiddenError."""
        reads_drafts = mode in {"rows", "first row"} or query.get("status") == "draft"
        if reads_drafts and not self._shows_drafts(content_type):
            raise ForbiddenError

    def _shows_drafts(self, content_type: ContentType) -> bool:
        is_limited = self._reader.limits.drafts_need_token and content_type.draft_and_publish
        return not is_limited or isinstance(self._request.principal, ApiToken)

    def _encode_entry(self, content_type: ContentType, item: Item, query: Query) -> object:
        entry = msgspec.json.decode(encode(item))
        return with_secrets(entry, content_type, self._reader.schema, query)

    async def _find_entries(
        self, content_type: ContentType, mode: Mode, query: Query
    ) -> list[object]:
        prepared = await self._prepare_read(content_type, mode, query)
        items = await self.session.items(prepared)
        return [self._encode_entry(content_type, item, query) for item in items]

    async def _find_entry(self, content_type: ContentType, mode: Mode, query: Query) -> object:
        prepared = await self._prepare_read(content_type, mode, query)
        item = await self.session.item(prepared)
        return None if item is None else self._encode_entry(content_type, item, query)

    async def _find_window(self, content_type: ContentType, value: object) -> object:
        query = document_query(self._parameters(content_type, value))
        return await self._find_entries(content_type, "window", query)

    async def _find_first(self, content_type: ContentType, value: object) -> object:
        query = document_query(self._parameters(content_type, value))
        return await self._find_entry(content_type, "first", query)

    async def _find_document(self, content_type: ContentType, value: object) -> object:
        parameters = self._parameters(content_type, value)
        query = of_document(document_query(parameters), parameters.get("documentId"))
        return await self._find_entry(content_type, "first", query)

    async def _count(self, content_type: ContentType, value: object) -> object:
        query = document_query(self._parameters(content_type, value))
        count_query: Query = {
            name: query[name] for name in ("filters", "status", "locale") if name in query
        }
        prepared = await self._prepare_read(content_type, "count", count_query)
        return await self.session.total(prepared)
