"""Writes one document for an administrator, with the rules of its entry."""

from collections.abc import Mapping, Sequence

from quire.access.admin_ability import GrantRule
from quire.access.admin_actions import CREATE, DELETE, UPDATE
from quire.content_manager.entry_status import EntryJson
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.writable_fields import Body, pick_writable
from quire.content_manager.write_context import Result, WriteContext
from quire.database.entries.versions_query import entries_of
from quire.database.program import Program
from quire.document_service.commands import CloneDocument, CreateDocument, UpdateDocument
from quire.document_service.preconditions import ANY
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import (
    ApplicationError,
    ConflictError,
    ForbiddenError,
    NotFoundError,
    PreconditionFailedError,
)
from quire.query.filter_operators import Predicate
from quire.query.plan import Comparison, PlanNode, ReadPlan
from quire.query.resolve import ResolvedRead
from quire.schema.attributes.base import Attribute, ComponentAttribute, RelationAttribute
from quire.schema.model import USER_UID, Model, Schema

Blanks = dict[str, object]
"""Replacements of hidden values, by attribute."""

EMAIL_TAKEN = "Email already taken"

_LOCAL = "local"

NO_ENTITY = "Entity not found"
CREATED_AND_HIDDEN = "The entry was created already, and a rule of the project hides it"


def blank_fields(
    schema: Schema,
    model: Model,
    makes: Sequence[GrantRule],
    reads: Sequence[GrantRule],
    path: str = "",
) -> Blanks:
    """Return replacements for attributes that are not copied.

    Raises ForbiddenError where only a part of a component could be copied.
    """
    blanks: Blanks = {}
    for attribute in model.own_attributes:
        if not attribute.visible:
            continue
        field_path = f"{path}{attribute.name}"
        if isinstance(attribute, ComponentAttribute):
            blanks |= _component(schema, attribute, makes, reads, field_path)
        elif not (_is_named(makes, field_path) and _is_covered(reads, field_path)):
            blanks[attribute.name] = _blank(attribute)
    return blanks


def merge_data(blanks: Mapping[str, object], data: Mapping[str, object]) -> Blanks:
    """Return data merged into replacements, within components too."""
    merged = {**blanks, **data}
    for name, blank in blanks.items():
        value = data.get(name)
        if isinstance(blank, Mapping) and isinstance(value, Mapping) and "set" not in blank:
            merged[name] = merge_data(blank, value)
    return merged


def _component(
    schema: Schema,
    attribute: ComponentAttribute,
    makes: Sequence[GrantRule],
    reads: Sequence[GrantRule],
    path: str,
) -> Blanks:
    component = schema.components[attribute.component]
    prefix = f"{path}."
    if attribute.repeatable:
        unread = blank_fields(schema, component, (GrantRule(),), reads, prefix)
        is_copied = _is_covered(makes, path) and not unread
        return {} if is_copied else {attribute.name: []}
    blanks = blank_fields(schema, component, makes, reads, prefix)
    if not blanks:
        return {}
    if blanks.keys() != {field.name for field in component.own_attributes if field.visible}:
        raise ForbiddenError
    return {attribute.name: blanks}


def _blank(attribute: Attribute) -> object:
    return {"set": []} if isinstance(attribute, RelationAttribute) else None


def _is_named(rules: Sequence[GrantRule], path: str) -> bool:
    return any(rule.fields is None or path in rule.fields for rule in rules)


def _is_covered(rules: Sequence[GrantRule], path: str) -> bool:
    return any(rule.covers_field(path) for rule in rules)


def new_account(engine: WriteEngine, data: Mapping[str, object]) -> Program[dict[str, object]]:
    """Return the data of a new end user: local provider, lower-case e-mail.

    Raises ApplicationError for an e-mail that is in use.
    """
    email = str(data.get("email") or "").lower()
    condition = Comparison("email", Predicate.EQUALS, (0,))
    plan = ReadPlan(root=PlanNode(uid=USER_UID, fields=("id",), filter=condition))
    users, _ = yield from engine.reads.planned(ResolvedRead(plan=plan, values=(email,))).entries()
    if users:
        raise ApplicationError(EMAIL_TAKEN)
    return {**data, "email": email, "provider": _LOCAL}


class EntryWriter(WriteContext, frozen=True):
    """Programs that create, update, clone and delete one document."""

    def create(
        self, body: Body, locale: str | None, document_id: str | None = None
    ) -> Program[Result]:
        """Create a document in one locale; returns it for a form.

        One with ``document_id`` that exists was created by an earlier attempt, whose response was
        lost: it is returned as it is. Raises as `creation` does.
        """
        if document_id is not None:
            draft = self.draft_of((yield from self.versions(document_id)), locale)
            if draft is not None:
                return (yield from self.show_created(draft))
        command = yield from self.creation(body, locale, document_id)
        return (yield from self.show(command, full=False, was_created=True))

    def creation(
        self, body: Body, locale: str | None, document_id: str | None = None
    ) -> Program[CreateDocument]:
        """Return the command that creates a document in one locale.

        Raises ForbiddenError where entries in this locale may not be created, and ConflictError for
        a ``document_id`` that exists: rules hide the document from the caller.
        """
        yield from self.require_locales([locale])
        rules = self._permissions_for(CREATE).rules_for_new_entry(locale)
        data = pick_writable(self.unit.engine.schema, self._type, body, rules)
        if self._type.uid == USER_UID:
            data = yield from new_account(self.unit.engine, data)
        if document_id is not None:
            layout = self.unit.layout(self._type.uid)
            rows = yield from entries_of(self.unit.store, layout, document_id)
            if any(self._is_in({"locale": row.locale}, locale) for row in rows):
                raise ConflictError(CREATED_AND_HIDDEN, {"isCreated": True})
        return CreateDocument(uid=self._type.uid, data=data, locale=locale, document_id=document_id)

    def update(
        self, document_id: str, body: Body, locale: str | None, expected: frozenset[str] | None
    ) -> Program[Result]:
        """Update the draft of a document in one locale, or add the locale to it.

        Raises as `change` does.
        """
        command = yield from self.change(document_id, body, locale, expected)
        return (yield from self.show(command, full=True))

    def change(
        self,
        document_id: str,
        body: Body,
        locale: str | None,
        expected: frozenset[str] | None = None,
    ) -> Program[UpdateDocument]:
        """Return the command that updates a draft; the draft is stored in the history.

        Raises NotFoundError for a missing document, ForbiddenError for an entry that may not be
        updated, and PreconditionFailedError for one that is not as the caller expects.
        """
        versions = yield from self.versions(document_id)
        if not versions:
            raise NotFoundError(NO_ENTITY)
        yield from self.require_locales([locale])
        entry = self.draft_of(versions, locale)
        # The creator of the document is the creator of an added locale.
        origin = entry_origin(entry or {**versions[0], "locale": locale})
        rules = self._permissions_for(UPDATE).require_on(origin)
        _require_unchanged(entry, expected)
        data = pick_writable(self.unit.engine.schema, self._type, body, rules)
        if entry is not None:
            yield from self.history.record_before(self._reading, self.permissions, entry)
        return UpdateDocument(
            uid=self._type.uid,
            document_id=document_id,
            data=data,
            locale=locale,
            expected=expected,
        )

    def clone(self, document_id: str, body: Body, locale: str | None) -> Program[Result]:
        """Create a document from the entry of another one in one locale.

        The caller must be allowed to read that entry. Fields that they may not read, or not create,
        stay empty.
        """
        versions = yield from self.versions(document_id)
        draft = self.draft_of(versions, locale)
        if draft is None:
            raise NotFoundError
        read = self.permissions.require_on(entry_origin(draft))
        rules = self._permissions_for(CREATE).rules_for_new_entry(draft["locale"])
        schema = self.unit.engine.schema
        blanks = blank_fields(schema, self._type, rules, read)
        data = merge_data(blanks, pick_writable(schema, self._type, body, rules))
        command = CloneDocument(
            uid=self._type.uid, document_id=document_id, locale=locale, data=data
        )
        return (yield from self.show(command, full=False))

    def delete(self, document_id: str, locale: str | None) -> Program[None]:
        """Delete a document in one locale, or in every one for a star.

        Raises NotFoundError if there is nothing, and ForbiddenError if one of the versions may not
        be deleted.
        """
        versions = yield from self.versions(document_id)
        versions_in_locale = [version for version in versions if self._is_in(version, locale)]
        if not versions_in_locale:
            raise NotFoundError
        for version in versions_in_locale:
            self._permissions_for(DELETE).require_on(entry_origin(version))
        yield from self.remove(self.removal(document_id, locale), versions, locale)


def _require_unchanged(entry: EntryJson | None, expected: frozenset[str] | None) -> None:
    """Refuse to overwrite changes of somebody else, and name them."""
    if expected is None or entry is None or ANY in expected:
        return
    if (entry["updatedAt"] or "") in expected:
        return
    editor = entry.get("updatedBy")
    names = ("id", "firstname", "lastname", "email")
    admin_user = {name: editor.get(name) for name in names} if isinstance(editor, dict) else None
    details = {"updatedAt": entry["updatedAt"], "updatedBy": admin_user}
    raise PreconditionFailedError(details=details)
