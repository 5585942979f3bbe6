"""Reads single entries for administrators, with facts about their other versions."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import GrantRule
from quire.content_manager.entry_status import (
    DocumentVersions,
    EntryJson,
    in_locale_order,
    is_published,
)
from quire.content_manager.permissions import CREATOR_FIELDS, TypePermissions
from quire.content_manager.plan_nodes import CREATORS, SYSTEM_FIELDS
from quire.content_manager.read_plans import Planner
from quire.content_manager.sanitize import EntrySanitizer, entry_origin
from quire.content_manager.status_and_locale import EVERY_LOCALE, RequestedVersion
from quire.database.entries.versions_query import first_document_id
from quire.database.execute.json_encoding import ResponseBudget
from quire.database.program import Program
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import ForbiddenError, NotFoundError
from quire.query.plan import SortKey
from quire.query.querystring import QueryValue
from quire.query.resolve.errors import Param
from quire.query.resolve.row_rules import FIND_ONE
from quire.query.resolve.sort import resolve_sort
from quire.schema.model import ContentType, TypeKind

_BY_DOCUMENT = (
    SortKey((), "documentId", descending=False),
    SortKey((), "locale", descending=False),
)

_SUMMARY_FIELDS = ("id", "firstname", "lastname", "email")


class EntryReader(Struct, frozen=True):
    """Programs that read entries for administrators, with only the fields that they may read.

    A program checks permissions on the entry itself, because conditions of a permission, such as
    "is creator", depend on its values.
    """

    engine: WriteEngine

    @property
    def planner(self) -> Planner:
        """The planner of the reads."""
        return Planner(self.engine)

    def budget(self) -> ResponseBudget:
        """Return a budget for a response."""
        limits = self.engine.limits
        return ResponseBudget(limits.rows, limits.response_size)

    def get(
        self,
        permissions: TypePermissions,
        document_id: str,
        requested_version: RequestedVersion,
        *,
        rows: frozenset[str] | None = frozenset(),
        full: bool = False,
    ) -> Program[dict[str, object]]:
        """Return one document for a form, with facts about its other versions.

        The relations in ``rows`` are shown as rows and not as counts; ``full`` shows localizations
        with their content. Raises NotFoundError for a document that does not exist in any locale,
        and ForbiddenError for one that the caller may not read.
        """
        versions = yield from self.every_version(permissions, document_id)
        if not versions:
            raise NotFoundError
        version = find_version(permissions.content_type, versions, requested_version)
        if version is None:
            return self._describe_missing_version(permissions, versions, requested_version)
        rules = permissions.require_on(entry_origin(version))
        entry = yield from self.entry(
            permissions, version["id"], requested_version, rows, budget=self.budget()
        )
        if full:
            localizations = yield from self.full_localizations(permissions, entry, versions)
        else:
            localizations = self.localized(permissions, entry, versions)
        return self.document(permissions, entry, versions, requested_version, localizations, rules)

    def single(self, content_type: ContentType, *, changed: bool = False) -> Program[str | None]:
        """Return the id of the document of a single type, if there is one.

        A former collection type may have several documents. Strapi reads the first by row id, and
        with ``changed`` (in a write) the first by document id.
        """
        layout = self.engine.store.layout(content_type.uid)
        by_name = changed and content_type.kind is not TypeKind.SINGLE
        return (yield from first_document_id(self.engine.store, layout, by_name=by_name))

    def every_version(
        self, permissions: TypePermissions, document_id: str
    ) -> Program[list[EntryJson]]:
        """Return the facts of all versions of a document."""
        versions, _ = yield from self.planner.versions_of(permissions, document_id).entries()
        return versions

    def owned_versions(
        self, permissions: TypePermissions, document_ids: Sequence[str]
    ) -> Program[list[EntryJson]]:
        """Return all versions of documents with the fields that rules check."""
        if not document_ids:
            return []
        versions, _ = yield from self.planner.owned_versions(permissions, document_ids).entries()
        return versions

    def require_entry(
        self,
        permissions: TypePermissions,
        document_id: str,
        locale: str | None,
        action: str | None = None,
    ) -> Program[None]:
        """Check that an entry exists and may be read, and that an action on it is allowed.

        Raises NotFoundError and ForbiddenError.
        """
        versions = yield from self.owned_versions(permissions, [document_id])
        version = draft_or_published(permissions.content_type, versions, locale)
        if version is None:
            raise NotFoundError
        origin = entry_origin(version)
        permissions.require_on(origin)
        if action is not None:
            replace(permissions, action=action).require_on(origin)

    def entry(
        self,
        permissions: TypePermissions,
        entry_id: int,
        requested_version: RequestedVersion,
        rows: frozenset[str] | None = frozenset(),
        *,
        rules: tuple[GrantRule, ...] | None = None,
        action: str | None = FIND_ONE,
        budget: ResponseBudget | None = None,
    ) -> Program[EntryJson]:
        """Return one row for a form, optionally by other rules than those of the caller.

        ``action`` is as in `Planner.form`. Raises NotFoundError if it does not exist, and
        ValidationError when a ``budget`` is exceeded.
        """
        prepared_read = self.planner.form(
            permissions, requested_version, entry_id, rows, rules=rules, action=action
        )
        entry = yield from prepared_read.first(budget)
        if entry is None:
            raise NotFoundError
        return entry

    def document(
        self,
        permissions: TypePermissions,
        entry: EntryJson,
        versions: list[EntryJson],
        requested_version: RequestedVersion,
        localizations: list[EntryJson],
        rules: Sequence[GrantRule] | None = None,
    ) -> dict[str, object]:
        """Return an entry for a form; ``versions`` are all versions of its document.

        ``rules`` determine what is shown, ``None`` for those that apply to it.
        """
        entry["localizations"] = localizations
        if permissions.content_type.draft_and_publish:
            entry["status"] = DocumentVersions(permissions.content_type, versions).status(entry)
        data = self.sanitizer(permissions, requested_version).entry(entry, rules)
        return {"data": data, "meta": self._meta(permissions, versions, entry)}

    def localized(
        self, permissions: TypePermissions, entry: EntryJson, all_versions: list[EntryJson]
    ) -> list[EntryJson]:
        """Return the summaries of the localizations of an entry."""
        return DocumentVersions(permissions.content_type, all_versions).summaries(entry)

    def full_localizations(
        self, permissions: TypePermissions, entry: EntryJson | None, all_versions: list[EntryJson]
    ) -> Program[list[EntryJson]]:
        """Return the localizations of an entry with what can prevent publishing.

        Each is shown as far as it may be read. Without an entry these are all versions.
        """
        if not all_versions or (entry is not None and not permissions.content_type.localized):
            return []
        document_id = all_versions[0]["documentId"]
        full, _ = yield from self.planner.localizations(permissions, [document_id]).entries()
        versions = DocumentVersions(permissions.content_type, all_versions)
        sanitizer = self.sanitizer(permissions, RequestedVersion("draft", EVERY_LOCALE))
        versions_by_id = {version["id"]: version for version in full}
        full_localizations = [
            sanitizer.entry(
                {**versions_by_id[localization["id"]], "status": versions.status(localization)}
            )
            for localization in (
                in_locale_order(all_versions) if entry is None else versions.localizations(entry)
            )
            if localization["id"] in versions_by_id
        ]
        return [
            {name: value for name, value in localization.items() if name not in CREATORS}
            for localization in full_localizations
        ]

    def get_many(
        self,
        permissions: TypePermissions,
        document_ids: Sequence[str],
        locales: Sequence[str | None],
        sort: QueryValue,
    ) -> Program[list[EntryJson]]:
        """Return drafts with what publishing will check, and their localizations with theirs.

        Without ``sort`` they are in the order of their document ids. Documents without a draft in a
        locale are left out. Raises ForbiddenError if one may not be read, and ValidationError for
        an invalid ``sort``.
        """
        requested_version = RequestedVersion(
            "draft", locales[0] if len(locales) == 1 else EVERY_LOCALE
        )
        scope = replace(
            self.planner.scope(permissions, requested_version.locales),
            param=Param.SORT,
            name="sort",
        )
        keys = resolve_sort(sort, permissions.content_type, scope) or _BY_DOCUMENT
        scope.findings.raise_first()
        content_type = permissions.content_type
        owned_versions = yield from self.owned_versions(permissions, document_ids)
        versions = DocumentVersions(content_type, owned_versions)
        drafts = [
            draft
            for id_ in dict.fromkeys(document_ids)
            for locale in locales
            if (
                draft := find_version(
                    content_type, versions.all_versions(id_), RequestedVersion("draft", locale)
                )
            )
        ]
        for draft in drafts:
            permissions.require_on(entry_origin(draft))
        ids = [draft["id"] for draft in drafts]
        if not ids:
            return []
        budget = self.budget()
        prepared_read = self.planner.forms(permissions, requested_version, ids, sort=keys)
        entries, _ = yield from prepared_read.entries(budget=budget)
        draft_document_ids = [draft["documentId"] for draft in drafts]
        localization_rows, _ = yield from self.planner.localizations(
            permissions, draft_document_ids
        ).entries(budget=budget)
        self._add_localizations(permissions, entries, localization_rows)
        sanitizer = self.sanitizer(permissions, requested_version)
        return [sanitizer.entry(entry) for entry in entries]

    def _add_localizations(
        self,
        permissions: TypePermissions,
        entries: Sequence[EntryJson],
        localization_rows: list[EntryJson],
    ) -> None:
        """Give entries their localizations, with what the caller may see of them."""
        versions = DocumentVersions(permissions.content_type, localization_rows)
        sanitizer = self.sanitizer(permissions, RequestedVersion("draft", EVERY_LOCALE))
        for entry in entries:
            localizations = [
                sanitizer.entry({**localization}) for localization in versions.localizations(entry)
            ]
            entry["localizations"] = [
                {name: value for name, value in localization.items() if name not in CREATORS}
                for localization in localizations
            ]

    def sanitizer(
        self, permissions: TypePermissions, requested_version: RequestedVersion
    ) -> EntrySanitizer:
        """Return the sanitizer of the entries of a request."""
        return EntrySanitizer(
            self.engine.schema, permissions, permissions.rules(requested_version.locales)
        )

    def _describe_missing_version(
        self,
        permissions: TypePermissions,
        versions: list[EntryJson],
        requested_version: RequestedVersion,
    ) -> dict[str, object]:
        """Return the response for a document without this version: its other versions.

        It is the form in which the version is created. Raises ForbiddenError if the caller may
        neither read another version, nor this one once it exists.
        """
        locale = requested_version.locale if requested_version.names_locale else None
        origins = [entry_origin(version) for version in versions]
        # The creator of the document is the creator of an added locale.
        created = replace(origins[0], locale=requested_version.locale)
        if not any(map(permissions.rules_for_entry, [created, *origins])):
            raise ForbiddenError
        missing_entry = {"documentId": versions[0]["documentId"], "locale": locale, "id": None}
        return {"data": {}, "meta": self._meta(permissions, versions, missing_entry)}

    def _meta(
        self, permissions: TypePermissions, all_versions: list[EntryJson], entry: Mapping[str, Any]
    ) -> dict[str, object]:
        content_type = permissions.content_type
        versions = DocumentVersions(content_type, all_versions)
        sanitizer = self.sanitizer(permissions, RequestedVersion("draft", EVERY_LOCALE))
        default = self.engine.default_locale
        locales = [
            sanitizer.entry(
                {**version, "status": versions.status(version)}
                if content_type.draft_and_publish
                else version
            )
            for version in versions.other_locales(entry["documentId"], entry["locale"], default)
        ]
        statuses: list[EntryJson] = []
        if content_type.draft_and_publish and entry["id"] is not None:
            localized = content_type.localized
            other_versions = versions.other_versions(entry)
            statuses = [version_summary(version, localized=localized) for version in other_versions]
        return {"availableLocales": locales, "availableStatus": statuses}


def find_version(
    content_type: ContentType, versions: Sequence[EntryJson], requested_version: RequestedVersion
) -> EntryJson | None:
    """Return the requested version of a document, if it exists."""
    for version in versions:
        if content_type.localized and version["locale"] != requested_version.locale:
            continue
        published = requested_version.status == "published"
        if not content_type.draft_and_publish or is_published(version) is published:
            return version
    return None


def draft_or_published(
    content_type: ContentType, versions: Sequence[EntryJson], locale: str | None
) -> EntryJson | None:
    """Return the draft of a document in a locale, or its published version, if it exists."""
    return find_version(content_type, versions, RequestedVersion("draft", locale)) or find_version(
        content_type, versions, RequestedVersion("published", locale)
    )


def version_summary(version: EntryJson, *, localized: bool) -> EntryJson:
    """Return the summary of another version of an entry: its time of change and its editor."""
    names = CREATOR_FIELDS if localized else _SUMMARY_FIELDS
    return {
        **{name: version.get(name) for name in SYSTEM_FIELDS},
        **{name: _creator(version.get(name), names) for name in CREATORS},
    }


def _creator(creator: object, names: Sequence[str]) -> object:
    if isinstance(creator, dict):
        return {name: creator[name] for name in names}
    return creator
