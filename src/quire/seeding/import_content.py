"""Imports content into the database of a project, all or nothing."""

import secrets
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from quire.clock import Clock, now_ms
from quire.database.content_rows import ExistingContent
from quire.database.entries.entry_tables import open_store
from quire.database.initialize import FirstLocale, first_program
from quire.database.interface import Database
from quire.database.long_operations import write_interruptible
from quire.database.open import open_database
from quire.database.program import Program
from quire.database.settings_target import target_of
from quire.database.stores.auth_rows import Accounts
from quire.database.stores.builtin_type_table import BaseRow, ContentTable, ContentTables
from quire.database.tables.table_map import map_tables
from quire.document_service.unit_of_work import UnitOfWork, WriteEngine
from quire.errors import SeedingError
from quire.ids import new_document_id
from quire.schema.model import FILE_UID, LOCALE_UID, PERMISSION_UID, Schema
from quire.seeding.media import SUFFIX_BYTES, Upload, describe_file, placed_files, plan_upload
from quire.seeding.seed_values import Content, Locale
from quire.seeding.write_documents import DocumentWriter
from quire.settings import Settings

_PUBLIC_ROLE = "public"

_DEFAULT_LOCALE = "plugin_i18n_default_locale"

Advance = Callable[[str], None]
"""Called for every written file and document, on the thread that wrote it."""


class BuiltinRows(Struct, frozen=True, kw_only=True):
    """Writes rows of built-in types; ``now`` is the time of all of them."""

    tables: ContentTables
    accounts: Accounts
    contents: ExistingContent
    now: int

    def locales(self, locales: Sequence[Locale]) -> Program[None]:
        """Add the locales that the database lacks."""
        existing_codes = yield from self.contents.locale_codes()
        for locale in locales:
            if locale.code not in existing_codes:
                values = {"name": locale.name, "code": locale.code}
                yield from self._table(LOCALE_UID).create(values, now=self.now)

    def file(self, upload: Upload) -> Program[dict[str, object]]:
        """Add a file to the media library, at its root; returns its values."""
        document_id = self.tables.new_id()
        file_values = {"documentId": document_id, **upload.values, "folderPath": "/"}
        id_ = yield from self._table(FILE_UID).create(file_values, now=self.now)
        return describe_file(id_, document_id, upload.values, self.now)

    def permissions(self, public: Sequence[str]) -> Program[None]:
        """Grant actions to the public role. Raises SeedingError when there is no such role."""
        role = yield from self.accounts.role_of_type(_PUBLIC_ROLE)
        if role is None:
            raise SeedingError("The database has no role Public to grant anything to.")
        granted_actions = yield from self.accounts.role_actions(role)
        permissions = self._table(PERMISSION_UID)
        for action in public:
            if action not in granted_actions:
                id_ = yield from permissions.create({"action": action}, now=self.now)
                yield from permissions.link("role", id_, [role], creating=True)

    def _table(self, uid: str) -> ContentTable[BaseRow]:
        return self.tables.table_for(uid, BaseRow)


class SeedTarget(Struct, frozen=True, kw_only=True):
    """Where content is written: documents through a unit of work, other rows directly."""

    rows: BuiltinRows
    unit: UnitOfWork


def seed_program(
    content: Content,
    uploads: Mapping[str, Upload],
    target: SeedTarget,
    advance: Callable[[str], None],
) -> Program[None]:
    """Write all content into a database that has none.

    ``uploads`` are the media files by name; ``advance`` is called with the key of each written
    document. Raises SeedingError when the database lacks the public role, or when a document cannot
    be written.
    """
    yield from target.rows.locales(content.locales)
    files = {}
    for name, upload in uploads.items():
        files[name] = yield from target.rows.file(upload)
    documents = DocumentWriter(target.unit, files, content.locales[0].code)
    for document in content.documents:
        yield from documents.write(document)
        advance(document.key)
    for document in content.documents:
        yield from documents.change(document)
    yield from target.rows.permissions(content.public)


class SeedValues(Struct, frozen=True, kw_only=True):
    """Values that seeding does not determine itself, so that a test can set them."""

    clock: Clock = now_ms
    new_id: Callable[[], str] = new_document_id
    new_suffix: Callable[[], str] = lambda: secrets.token_hex(SUFFIX_BYTES)


async def seed(
    settings: Settings,
    schema: Schema,
    content: Content,
    advance: Advance,
    random_values: SeedValues | None = None,
) -> None:
    """Write content into the database of a project, which is created if it does not exist.

    Raises SeedingError when the database has content already or another default locale, and what
    `open_database` raises when it cannot be opened.
    """
    work = _SeedingRun(settings, schema, content, advance, random_values or SeedValues())
    await (work.existing() if await target_of(settings).has_tables() else work.new())


async def make_database(settings: Settings, schema: Schema) -> None:
    """Create the database of a project, without content, in the initial locale of the settings.

    On a database server another node may create it at the same time; the second one finds it.
    """
    code = settings.i18n.initial_locale
    target = target_of(settings)
    first = first_program(
        schema,
        map_tables(schema),
        target.kind,
        clock=now_ms,
        new_id=new_document_id,
        locale=FirstLocale() if code == FirstLocale().code else FirstLocale(code=code, name=code),
        api_prefix=settings.api.prefix,
    )

    def program() -> Program[None]:
        # In the transaction of the write, which waits for all others.
        if not (yield from target.kind.inspector.table_names()):
            yield from first

    async with target.new() as database:
        await database.write(program())


class _SeedingRun:
    """One run of seeding."""

    def __init__(
        self,
        settings: Settings,
        schema: Schema,
        content: Content,
        advance: Advance,
        random_values: SeedValues,
    ) -> None:
        self._settings = settings
        self._database = target_of(settings)
        self._schema = schema
        self._tables = map_tables(schema)
        self._content = content
        self._advance = advance
        self._values_source = random_values
        folder = settings.uploads.directory
        self._uploads = {
            file.name: plan_upload(file, folder, random_values.new_suffix) for file in content.media
        }

    async def new(self) -> None:
        """Create the database together with its content."""
        with placed_files(self._list_uploads(), self._advance):
            async with self._database.new() as database:
                await self._run(database, self._create_and_seed)

    async def existing(self) -> None:
        """Add the content to a database that has none."""
        database = await open_database(self._settings, self._tables)
        target = self._target(database)
        try:
            await database.read(lambda: self._require_unfilled(target))
            with placed_files(self._list_uploads(), self._advance):
                await self._run(database, self._seed_existing)
        finally:
            await database.close()

    def _list_uploads(self) -> list[Upload]:
        return list(self._uploads.values())

    def _create_and_seed(self, target: SeedTarget, advance: Advance) -> Program[None]:
        default = self._content.locales[0]
        yield from first_program(
            self._schema,
            self._tables,
            self._database.kind,
            clock=self._values_source.clock,
            new_id=self._values_source.new_id,
            locale=FirstLocale(code=default.code, name=default.name),
            api_prefix=self._settings.api.prefix,
        )
        yield from seed_program(self._content, self._uploads, target, advance)

    def _seed_existing(self, target: SeedTarget, advance: Advance) -> Program[None]:
        # Again, because now nobody else can write.
        yield from self._require_unfilled(target)
        yield from seed_program(self._content, self._uploads, target, advance)

    def _require_unfilled(self, target: SeedTarget) -> Program[None]:
        """Check whether the database can receive the content. Raises SeedingError."""
        uids = [content_type.uid for content_type in self._schema.api_types]
        filled_uids = yield from target.rows.contents.with_rows([*uids, FILE_UID])
        if filled_uids:
            raise SeedingError(
                f"{self._database.place} has content already: {', '.join(filled_uids)}.\n"
                "Content files are for the first start. Nothing was changed."
            )
        stored_locale = yield from target.rows.accounts.stored(_DEFAULT_LOCALE)
        default_locale = self._content.locales[0].code
        if stored_locale != default_locale:
            raise SeedingError(
                f"The default locale of {self._database.place} is {stored_locale}, and that "
                f"of the content is {default_locale}. Nothing was changed."
            )

    async def _run(
        self, database: Database, make: Callable[[SeedTarget, Advance], Program[None]]
    ) -> None:
        """Run a program; an interrupted one stops at its next step, and is rolled back."""

        def program(check: Callable[[], None]) -> Program[None]:
            def step(name: str) -> None:
                check()
                self._advance(name)

            return make(self._target(database), step)

        await write_interruptible(database, program)

    def _target(self, database: Database) -> SeedTarget:
        dialect, value_source = database.dialect, self._values_source
        engine = WriteEngine(
            store=open_store(self._schema, self._tables, dialect),
            new_id=value_source.new_id,
            default_locale=self._content.locales[0].code,
        )
        rows = BuiltinRows(
            tables=ContentTables(store=engine.store, new_id=value_source.new_id),
            accounts=Accounts(engine.store),
            contents=ExistingContent(self._tables, dialect),
            now=value_source.clock(),
        )
        return SeedTarget(
            rows=rows, unit=UnitOfWork(engine=engine, clock=value_source.clock, origin="seed")
        )
