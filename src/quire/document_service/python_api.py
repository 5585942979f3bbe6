"""`documents()`: the API for reading and writing content in the Python code of projects.

Calls use the current `ExtensionContext`. In a hook that is the transaction of the write: reads see
what it has written so far, and writes are rolled back with it. In a route each call is a
transaction of its own, unless `transaction` combines several. Calls have the permissions of the
caller of the hook or route, unless `as_system` lifts them.
"""

from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Hashable,
    Iterable,
    Mapping,
    Sequence,
)
from typing import Any, Generic, cast, overload

from msgspec import Struct
from typing_extensions import TypeVar

from quire.access.ability import Ability, FullAccess, Unsanitized
from quire.access.principal import describe_grantee
from quire.database.entries.versions_query import lock_versions
from quire.database.execute.prepared_read import EntryJson, PreparedRead, ResultPage
from quire.database.program import Program
from quire.document_service.around_calls import (
    ActionResult,
    call_around_read,
    narrow_query,
    read_written,
)
from quire.document_service.commands import (
    AllLocales,
    CloneDocument,
    Command,
    CreateDocument,
    DeleteDocument,
    DiscardDraft,
    PublishDocument,
    UnpublishDocument,
    UpdateDocument,
)
from quire.document_service.computed_reads import compute_in
from quire.document_service.extension_context import ExtensionContext, current_context
from quire.document_service.hook_principal import caller_of, principal, system_reason
from quire.document_service.input_keys import check_input
from quire.document_service.read_planner import DocumentQuery
from quire.document_service.record_changes import note_system_write
from quire.document_service.service import run_commands
from quire.document_service.shape_queries import as_shape, query_of_shape
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import AccessDeniedError, ForbiddenError
from quire.hooks.around import Call
from quire.hooks.document import (
    D,
    Document,
    Filters,
    Input,
    Kind,
    Page,
    make_document,
    mark_unrestricted,
    uid_of,
)
from quire.hooks.errors import NotFound, UnitOfWorkError, UnknownFieldError, nearest
from quire.hooks.policies import ReadAction
from quire.hooks.shape import Shape
from quire.query.plan import PublicationFilterName, Status
from quire.query.resolve import grouping_filter
from quire.schema.model import FILE_UID, USER_UID, ContentType

Data = Mapping[str, Any]
"""The attributes of a document, in the form of the content API."""

S = TypeVar("S", bound=Shape[Any])
V = TypeVar("V", bound=Hashable)

_STREAM_BATCH = 500
_CALLER_NAMES = {"admin": "an administrator", "nobody": "the server", "system": "the system"}
"""How messages call principals without permissions in the content API, by kind."""


class _ReadDocuments(Struct, frozen=True):
    """The result of a read: documents, and their total if it was requested.

    ``counts`` has the results of `Documents.count_by`, by the positions of its values.
    """

    documents: Sequence[EntryJson]
    total: int | None = None
    counts: Mapping[int, int] = {}


@overload
def documents(kind: type[D]) -> "Documents[D]": ...
@overload
def documents(kind: str) -> "Documents[Document]": ...
def documents(kind: Kind) -> "Documents[Any]":
    """Return the documents of a content type: a uid, or a class with a ``__uid__``."""
    document = kind if isinstance(kind, type) else Document
    return Documents(uid_of(kind), document)


class Documents(Generic[D, Filters, Input]):
    """The documents of one content type, in the current unit of work.

    ``filters``, ``sort``, ``fields``, ``populate``, ``publication_filter`` and ``locale`` are as in
    the content API. Reads default to published versions, writes to drafts. The status ``draft``
    reads the drafts of published documents, too. Without `as_system`, they raise ForbiddenError for
    actions that the caller may not take.
    """

    def __init__(self, uid: str, document: type[D]) -> None:
        self._uid = uid
        self._document = document

    @overload
    async def find(
        self,
        shape: type[S],
        /,
        *,
        filters: Filters | None = None,
        sort: str | Sequence[str] | None = None,
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
        page: int = 1,
        page_size: int = 25,
        with_count: bool = False,
    ) -> Page[S]: ...
    @overload
    async def find(
        self,
        /,
        *,
        filters: Filters | None = None,
        sort: str | Sequence[str] | None = None,
        fields: Sequence[str] | None = None,
        populate: object = None,
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
        page: int = 1,
        page_size: int = 25,
        with_count: bool = False,
    ) -> Page[D]: ...
    async def find(  # noqa: PLR0913 - the parameters of a query
        self,
        shape: type[Shape[Any]] | None = None,
        /,
        *,
        filters: Filters | None = None,
        sort: str | Sequence[str] | None = None,
        fields: Sequence[str] | None = None,
        populate: object = None,
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
        page: int = 1,
        page_size: int = 25,
        with_count: bool = False,
    ) -> Page[Any]:
        """Return a page of documents, or of values of a shape, which determines the fields.

        Raises ValueError for a page of more than `extensions.rows`, 10,000 by default.
        """
        context, ability = self._authorized_context("find")
        max_rows = context.engine.code_limits.rows
        if not 0 < page_size <= max_rows:
            message = (
                f"page_size must be from 1 to {max_rows} (extensions.rows): use stream for more"
            )
            raise ValueError(message)
        query = DocumentQuery(
            uid=self._uid,
            filters=filters,
            sort=sort,
            **self._field_parameters(context, shape, fields, populate),
            pagination={"page": page, "pageSize": page_size, "withCount": with_count},
            status=status,
            publication_filter=publication_filter,
            locale=locale,
            ability=ability,
            computes=True,
        )

        async def read(query: DocumentQuery) -> _ReadDocuments:
            def program() -> Program[tuple[PreparedRead, ResultPage]]:
                prepared_read = context.engine.reads.page(query)
                return prepared_read, (yield from prepared_read.page())

            prepared_read, result_page = await context.read(program)
            await _add_computed_fields(
                context, prepared_read, result_page.documents, as_system=as_system
            )
            return _ReadDocuments(result_page.documents, result_page.pagination.get("total"))

        as_system = _is_system(context)
        result = await self._read(context, "find", query, read)
        return Page(
            (self._to_document(context, document, shape) for document in result.documents),
            page=page,
            page_size=page_size,
            total=result.total if with_count else None,
        )

    @overload
    async def find_one(
        self,
        document_id: str,
        shape: type[S],
        *,
        for_update: bool = False,
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
    ) -> S | None: ...
    @overload
    async def find_one(
        self,
        document_id: str,
        *,
        for_update: bool = False,
        fields: Sequence[str] | None = None,
        populate: object = None,
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
    ) -> D | None: ...
    async def find_one(
        self,
        document_id: str,
        shape: type[Shape[Any]] | None = None,
        *,
        for_update: bool = False,
        fields: Sequence[str] | None = None,
        populate: object = None,
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
    ) -> Any:
        """Return one document, ``None`` where there is none in this status and locale.

        With ``for_update`` its rows are locked until the end of the transaction, against programs
        other than Quire as well. Raises UnitOfWorkError for it outside of a transaction.
        """
        context, ability = self._authorized_context("findOne", document_id)
        if for_update and not context.is_in_transaction:
            message = "for_update needs a transaction: use `async with transaction()`"
            raise UnitOfWorkError(message)
        query = DocumentQuery(
            uid=self._uid,
            **self._field_parameters(context, shape, fields, populate),
            status=status,
            publication_filter=publication_filter,
            locale=locale,
            ability=ability,
            computes=True,
        )

        async def read(query: DocumentQuery) -> _ReadDocuments:
            def program() -> Program[tuple[PreparedRead, EntryJson | None]]:
                store = context.engine.store
                if for_update:
                    # Before the read: it has to see what another transaction committed while this
                    # one waited for the lock.
                    yield from lock_versions(store, store.layout(self._uid), document_id)
                prepared_read = context.engine.reads.document(query, document_id)
                return prepared_read, (yield from prepared_read.first())

            prepared_read, document = await context.read(program)
            if document is None:
                return _ReadDocuments([])
            await _add_computed_fields(context, prepared_read, [document], as_system=as_system)
            return _ReadDocuments([document])

        as_system = _is_system(context)
        result = await self._read(context, "find_one", query, read, document_id)
        if not result.documents:
            return None
        return self._to_document(context, result.documents[0], shape)

    async def first(
        self,
        *,
        filters: Filters | None = None,
        sort: str | Sequence[str] | None = None,
        fields: Sequence[str] | None = None,
        populate: object = None,
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
    ) -> D | None:
        """Return the first document of the result, ``None`` if it is empty."""
        documents = await self.find(
            filters=filters,
            sort=sort,
            fields=fields,
            populate=populate,
            status=status,
            publication_filter=publication_filter,
            locale=locale,
            page_size=1,
        )
        return documents[0] if documents else None

    async def count(
        self,
        *,
        filters: Filters | None = None,
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
    ) -> int:
        """Return how many documents there are."""
        context, ability = self._authorized_context("find")
        query = DocumentQuery(
            uid=self._uid,
            filters=filters,
            fields=["documentId"],
            pagination={"page": 1, "pageSize": 1, "withCount": True},
            status=status,
            publication_filter=publication_filter,
            locale=locale,
            ability=ability,
            counts=True,
        )

        async def read(query: DocumentQuery) -> _ReadDocuments:
            page = await context.read(lambda: context.engine.reads.page(query).page())
            return _ReadDocuments([], page.pagination.get("total") or 0)

        return (await self._read(context, "count", query, read)).total or 0

    async def count_by(
        self,
        field: str,
        values: Iterable[V],
        *,
        filters: Filters | None = None,
        excluding: Iterable[str] = (),
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
    ) -> dict[V, int]:
        """Return how many documents have each of some values of a field, in one statement.

        Relations and media are compared by document ids. Every value is in the result; no document
        has the value ``None``. ``excluding`` are ids of documents that do not count. Raises
        ValueError for a field that the type does not have or that has no values to compare, and
        for more values than `extensions.rows`.
        """
        context, ability = self._authorized_context("find")
        value_list, max_rows = list(values), context.engine.code_limits.rows
        attributes = self._require_type(context).attributes
        if field not in attributes:
            raise UnknownFieldError(self._uid, field, attributes)
        if len(value_list) > max_rows:
            message = f"count_by takes up to {max_rows} values (extensions.rows)"
            raise ValueError(message)
        group = grouping_filter(attributes[field], value_list)
        excluded_ids = [*excluding]
        exclusion: Data = {"documentId": {"$notIn": excluded_ids}}
        query = DocumentQuery(
            uid=self._uid,
            filters={"$and": [exclusion, *([filters] if filters else [])]}
            if excluded_ids
            else filters,
            fields=["documentId"],
            status=status,
            publication_filter=publication_filter,
            locale=locale,
            ability=ability,
            counts=True,
        )

        async def read(query: DocumentQuery) -> _ReadDocuments:
            counts = await context.read(lambda: context.engine.reads.counts(query, group))
            return _ReadDocuments([], sum(counts.values()), counts)

        result = await self._read(context, "count", query, read)
        return {value: result.counts.get(position, 0) for position, value in enumerate(value_list)}

    @overload
    def stream(
        self,
        shape: type[S],
        /,
        *,
        filters: Filters | None = None,
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
        batch: int = _STREAM_BATCH,
    ) -> AsyncIterator[Sequence[S]]: ...
    @overload
    def stream(
        self,
        /,
        *,
        filters: Filters | None = None,
        fields: Sequence[str] | None = None,
        populate: object = None,
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
        batch: int = _STREAM_BATCH,
    ) -> AsyncIterator[Sequence[D]]: ...
    async def stream(
        self,
        shape: type[Shape[Any]] | None = None,
        /,
        *,
        filters: Filters | None = None,
        fields: Sequence[str] | None = None,
        populate: object = None,
        status: Status = "published",
        publication_filter: PublicationFilterName | None = None,
        locale: str | None = None,
        batch: int = _STREAM_BATCH,
    ) -> AsyncIterator[Sequence[Any]]:
        """Yield all documents of the result, or values of a shape, in batches by ascending id.

        Each batch is a read of its own that starts after the last id, not at an offset: documents
        that are added or deleted meanwhile neither repeat nor hide others. Changes of documents
        that were not yielded yet are visible.
        """
        parameters = self._field_parameters(current_context(), shape, fields, populate)
        last_id = 0
        while True:
            id_filter: Data = {"id": {"$gt": last_id}}
            joined: Data = {"$and": [id_filter, filters]} if filters else id_filter
            documents = await self.find(
                filters=cast("Filters", joined),
                sort="id:asc",
                fields=parameters["fields"],
                populate=parameters.get("populate"),
                status=status,
                publication_filter=publication_filter,
                locale=locale,
                page_size=batch,
            )
            if documents:
                yield documents if shape is None else [as_shape(shape, one) for one in documents]
            if len(documents) < batch:
                return
            last_id = cast("int", documents[-1]["id"])

    async def create(
        self, data: Input, *, status: Status = "draft", locale: str | None = None
    ) -> D:
        """Create a document; with the status ``published`` it is published as well."""
        (created,) = await self.create_many([data], status=status, locale=locale)
        return created

    async def create_many(
        self, data: Sequence[Input], *, status: Status = "draft", locale: str | None = None
    ) -> list[D]:
        """Create documents, all of them or none."""
        publish = status == "published"
        return await self._write(
            "create",
            [
                CreateDocument(uid=self._uid, data=item, locale=locale, publish=publish)
                for item in data
            ],
        )

    async def update(
        self,
        document_id: str,
        data: Input,
        *,
        status: Status = "draft",
        locale: str | None = None,
    ) -> D:
        """Update a document; with the status ``published`` it is published as well.

        Raises NotFoundError if there is no such document.
        """
        (updated,) = await self.update_many([document_id], data, status=status, locale=locale)
        return updated

    async def update_many(
        self,
        document_ids: Sequence[str],
        data: Input,
        *,
        status: Status = "draft",
        locale: str | None = None,
    ) -> list[D]:
        """Set the same values in several documents, all of them or none."""
        publish = status == "published"
        return await self._write(
            "update",
            [
                UpdateDocument(
                    uid=self._uid,
                    document_id=document_id,
                    data=data,
                    locale=locale,
                    publish=publish,
                )
                for document_id in document_ids
            ],
        )

    async def delete(self, document_id: str, *, locale: str | None = None) -> None:
        """Delete a document in one locale, ``"*"`` for all: its draft and its published version.

        A missing document is no error.
        """
        await self.delete_many([document_id], locale=locale)

    async def delete_many(self, document_ids: Sequence[str], *, locale: str | None = None) -> None:
        """Delete documents, all of them or none, as `delete` does."""
        await self._write(
            "delete",
            self._commands(DeleteDocument, document_ids, locale),
        )

    async def publish(self, document_id: str, *, locale: str | None = None) -> list[D]:
        """Publish the draft in one locale, ``"*"`` for all; returns the published versions.

        Raises NotFoundError if there is no draft.
        """
        return await self.publish_many([document_id], locale=locale)

    async def publish_many(
        self, document_ids: Sequence[str], *, locale: str | None = None
    ) -> list[D]:
        """Publish the drafts of documents, all of them or none."""
        return await self._write(
            "update",
            self._commands(PublishDocument, document_ids, locale),
        )

    async def unpublish(self, document_id: str, *, locale: str | None = None) -> list[D]:
        """Remove the published version in one locale, ``"*"`` for all; returns the drafts.

        Raises NotFoundError where there is no such document.
        """
        return await self.unpublish_many([document_id], locale=locale)

    async def unpublish_many(
        self, document_ids: Sequence[str], *, locale: str | None = None
    ) -> list[D]:
        """Remove the published versions of documents, all of them or none."""
        return await self._write(
            "update",
            self._commands(UnpublishDocument, document_ids, locale),
        )

    async def discard_draft(self, document_id: str, *, locale: str | None = None) -> list[D]:
        """Replace the draft by the published version in one locale, ``"*"`` for all.

        Returns the drafts. Raises NotFoundError if nothing is published.
        """
        return await self.discard_draft_many([document_id], locale=locale)

    async def discard_draft_many(
        self, document_ids: Sequence[str], *, locale: str | None = None
    ) -> list[D]:
        """Replace the drafts of documents by their published versions, all of them or none."""
        return await self._write(
            "update",
            self._commands(DiscardDraft, document_ids, locale),
        )

    async def clone(
        self, document_id: str, data: Input | None = None, *, locale: str | None = None
    ) -> list[D]:
        """Copy the draft in one locale, ``"*"`` for all, to a new document with other values.

        Raises NotFoundError where there is no such document.
        """
        return await self.clone_many([document_id], data, locale=locale)

    async def clone_many(
        self,
        document_ids: Sequence[str],
        data: Input | None = None,
        *,
        locale: str | None = None,
    ) -> list[D]:
        """Copy documents, with the same other values in each copy, all of them or none."""
        return await self._write(
            "create",
            [
                CloneDocument(
                    uid=self._uid,
                    document_id=document_id,
                    locale=_locale_argument(locale),
                    data=data or {},
                )
                for document_id in document_ids
            ],
        )

    async def _read(
        self,
        context: ExtensionContext,
        action: ReadAction,
        query: DocumentQuery,
        read: Callable[[DocumentQuery], Awaitable[_ReadDocuments]],
        document_id: str | None = None,
    ) -> _ReadDocuments:
        """Run a read within the `@around` functions of the project for it."""
        functions = context.engine.extensions.around.get((self._uid, action))
        if not functions:
            return await read(query)

        async def act(call: Call[Any], /, *, volatile: bool) -> ActionResult[Any]:
            narrowed = narrow_query(context.engine, query, call, volatile=volatile)
            read_result = await read(narrowed)
            if document_id is not None and not read_result.documents:
                # `@around` functions get the same error as from a read by id in the content API.
                raise NotFound

            async def load() -> Sequence[EntryJson]:
                return read_result.documents

            return ActionResult(
                action, read_result, load, count=read_result.total, document=Document
            )

        call = Call[Document](
            action=action,
            uid=self._uid,
            document_id=document_id,
            locale=query.locale if isinstance(query.locale, str) else None,
            query=query.parameters(),
        )
        as_system = _is_system(context)
        try:
            result = await call_around_read(functions, call, context, act, as_system=as_system)
        except NotFound:
            if document_id is None:
                raise
            return _ReadDocuments([])
        read_result: _ReadDocuments = result.value  # type: ignore[assignment]  # what `act` has put there
        return (
            read_result
            if result.replaced is None
            else _ReadDocuments(result.replaced, read_result.total)
        )

    def _to_document(
        self, context: ExtensionContext, entry: EntryJson, shape: type[Shape[Any]] | None = None
    ) -> Any:  # noqa: ANN401 - a document, or a value of the shape
        if shape is not None:
            return as_shape(shape, entry)
        document = make_document(self._document, entry)
        if system_reason() is not None:
            # A route must not return such documents unless it says so: see `is_unrestricted`.
            context.has_unrestricted = True
            mark_unrestricted(document)
        return document

    def _field_parameters(
        self,
        context: ExtensionContext,
        shape: type[Shape[Any]] | None,
        fields: Sequence[str] | None,
        populate: object,
    ) -> dict[str, Any]:
        """Return ``fields`` and ``populate`` of the query, those of a shape if there is one.

        Raises ValueError for a shape together with either of them.
        """
        if shape is None:
            return {"fields": fields, "populate": populate}
        if fields is not None or populate is not None:
            message = "a shape says which fields are read: leave out fields and populate"
            raise ValueError(message)
        return query_of_shape(shape, self._require_type(context), context.engine.schema)

    def _authorized_context(
        self, action: str, document_id: str | None = None
    ) -> tuple[ExtensionContext, Ability]:
        """Return the current context and the ability to read. Raises ForbiddenError."""
        context = current_context()
        self._require_type(context)
        if system_reason() is not None:
            return context, Unsanitized()
        ability = self._ability(context)
        permission = f"{self._uid}.{action}"
        if not ability.allows(permission):
            grantee = (
                "the caller" if context.principal is None else describe_grantee(context.principal)
            )
            message = f"{grantee} lacks {permission}, which {context.name} needs for documents()"
            raise AccessDeniedError(message)
        policies = context.engine.policies
        if not policies.is_empty:
            policies.require_read(permission, principal(), document_id=document_id, query={})
        return context, ability

    def _require_type(self, context: ExtensionContext) -> ContentType:
        types = context.engine.schema.content_types
        content_type = types.get(self._uid)
        if content_type is None or not (content_type.is_api or self._uid in {USER_UID, FILE_UID}):
            uids = [api_type.uid for api_type in context.engine.schema.api_types]
            message = f'there are no documents of "{self._uid}"{nearest(self._uid, uids)}'
            raise ValueError(message)
        return content_type

    def _ability(self, context: ExtensionContext) -> Ability:
        if context.principal is None:
            caller = _CALLER_NAMES[principal().kind]
            message = (
                f'documents("{self._uid}") acts as the caller, which is {caller} here, without '
                'permissions in the content API: use `with as_system("reason")`'
            )
            raise UnitOfWorkError(message)
        return context.principal.ability

    def _commands(
        self, command: Callable[..., Command], document_ids: Iterable[str], locale: str | None
    ) -> list[Command]:
        return [
            command(uid=self._uid, document_id=document_id, locale=_locale_argument(locale))
            for document_id in document_ids
        ]

    async def _write(self, action: str, commands: Sequence[Command]) -> list[D]:
        context, ability = self._authorized_context(action)
        content_type = self._require_type(context)
        if not (content_type.is_api or (self._uid == USER_UID and system_reason() is not None)):
            raise ForbiddenError
        schema = context.engine.schema
        for command in commands:
            if isinstance(command, CreateDocument | UpdateDocument | CloneDocument):
                input_ability = FullAccess() if system_reason() is not None else ability
                check_input(schema, content_type, command.data, input_ability)
        reason = system_reason()
        caller = caller_of(context)

        def act(unit: UnitOfWork) -> Program[list[EntryJson]]:
            if reason is not None and commands:
                note_system_write(unit, action, commands, reason, caller)
            return self._run_commands(unit, commands)

        entries = await context.write(act, as_system=reason is not None, commands=commands)
        return [self._to_document(context, entry) for entry in entries]

    def _run_commands(
        self, unit: UnitOfWork, commands: Sequence[Command]
    ) -> Program[list[EntryJson]]:
        """Run commands; returns the written documents without relations and components."""
        results = yield from run_commands(unit, commands)
        written_entries = [
            entry
            for command, entries in zip(commands, results, strict=True)
            for entry in entries
            if not isinstance(command, DeleteDocument)
        ]
        return (yield from read_written(unit, written_entries))


async def _add_computed_fields(
    context: ExtensionContext,
    prepared_read: PreparedRead,
    documents: Sequence[EntryJson],
    *,
    as_system: bool,
) -> None:
    """Add the computed fields that a read names to what was read."""
    if prepared_read.compiled.computed:
        await compute_in(context, prepared_read.plan.root, documents, as_system=as_system)


def _is_system(context: ExtensionContext) -> bool:
    return system_reason() is not None or context.is_system


def _locale_argument(code: str | None) -> str | AllLocales | None:
    return AllLocales.LOCALE if code == "*" else code
