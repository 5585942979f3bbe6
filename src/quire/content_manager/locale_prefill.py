"""Initial values of a form, copied from another locale.

Relations refer to the entries of the new locale, if these exist and may be read.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from quire.access.admin_ability import AdminAbility
from quire.content_manager.entry_reads import EntryReader, find_version
from quire.content_manager.entry_status import DocumentVersions, EntryJson
from quire.content_manager.permissions import may_follow, read_permissions
from quire.content_manager.plan_nodes import CREATORS, SYSTEM_FIELDS
from quire.content_manager.query_scope import is_hidden
from quire.content_manager.sanitize import entry_origin
from quire.content_manager.status_and_locale import Query, RequestedVersion
from quire.database.program import Program
from quire.errors import NotFoundError, ValidationError
from quire.query.filter_operators import Predicate
from quire.query.plan import Comparison, PlanNode, ReadPlan
from quire.query.resolve.scope import Slots
from quire.schema.attributes.base import (
    ComponentAttribute,
    DynamicZoneAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import ADMIN_USER_UID, ContentType, Model

_COLLECTIONS, _SINGLES = "collection-types", "single-types"
_LEFT_OUT = frozenset({*SYSTEM_FIELDS, *CREATORS, "status", "localizations"})
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_KEY = "__temp_key__"

MainFieldOf = Callable[[ContentType], Program[str]]
"""Returns the main field of the view of a content type."""


class PrefillRequest(Struct, frozen=True, kw_only=True):
    """The request: the document, ``None`` for that of a single type, and two locales."""

    document_id: str | None
    source: str
    target: str


def filling_of(query: Query) -> PrefillRequest:
    """Parse a request. Raises ValidationError with everything that is missing."""
    parameters = {name: query.get(name) for name in _names(query)}
    problems = [
        _required_problem(name) for name, value in parameters.items() if value in (None, "")
    ]
    kind = query.get("collectionType")
    if kind not in (None, "", _COLLECTIONS, _SINGLES):
        choices = f"{_COLLECTIONS}, {_SINGLES}"
        message = f"collectionType must be one of the following values: {choices}"
        problems.append({"path": ["collectionType"], "message": message, "name": _NAME})
    if problems:
        first = str(problems[0]["message"])
        text = first if len(problems) == 1 else f"{len(problems)} errors occurred"
        raise ValidationError(text, {"errors": problems})
    document_id = query.get("documentId")
    return PrefillRequest(
        document_id=None if kind == _SINGLES or not document_id else str(document_id),
        source=str(parameters["sourceLocale"]),
        target=str(parameters["targetLocale"]),
    )


def _names(query: Query) -> tuple[str, ...]:
    required_names = ("sourceLocale", "targetLocale", "collectionType")
    return (
        required_names
        if query.get("collectionType") == _SINGLES
        else ("documentId", *required_names)
    )


_NAME = ValidationError.name


def _required_problem(name: str) -> dict[str, object]:
    return {"path": [name], "message": f"{name} is a required field", "name": _NAME}


class _PrefilledTarget(Struct, frozen=True, kw_only=True):
    """The targets of one type in the new locale, by document; ``main`` is the title field."""

    main: str
    entries: Mapping[str, EntryJson]


class LocalePrefill(Struct, frozen=True, kw_only=True):
    """Prefills forms for one administrator."""

    content: EntryReader
    ability: AdminAbility
    main_field_of: MainFieldOf

    def fill(
        self, content_type: ContentType, prefill: PrefillRequest
    ) -> Program[dict[str, object]]:
        """Return the initial values of a form of the new locale.

        Raises NotFoundError if the source has no entry, and ForbiddenError.
        """
        permissions = read_permissions(self.ability, content_type)
        requested_version = RequestedVersion("draft", prefill.source)
        document_id = prefill.document_id
        if document_id is None:
            document_id = yield from self.content.single(content_type)
        versions = yield from self.content.every_version(permissions, document_id or "")
        version = find_version(content_type, versions, requested_version)
        if version is None:
            raise NotFoundError
        rules = permissions.require_on(entry_origin(version))
        entry = yield from self.content.entry(permissions, version["id"], requested_version, None)
        source_values = self.content.sanitizer(permissions, requested_version).entry(entry, rules)
        related: dict[str, dict[str, EntryJson]] = {}
        for uid, row in self._related_entries(content_type, source_values):
            related.setdefault(uid, {})[row["documentId"]] = row
        targets = {}
        for uid, rows in related.items():
            targets[uid] = yield from self._target(uid, rows, prefill.target)
        return self._form_values(content_type, source_values, targets)

    def _related_entries(self, model: Model, value: EntryJson) -> Iterator[tuple[str, EntryJson]]:
        """Yield all related entries, at any depth, with their types."""
        for name, inner in value.items():
            attribute = model.attributes.get(name)
            if name in _LEFT_OUT or inner is None:
                continue
            if isinstance(attribute, RelationAttribute):
                if attribute.target is not None:
                    yield from ((attribute.target, row) for row in _as_rows(inner))
            elif isinstance(attribute, ComponentAttribute | DynamicZoneAttribute):
                for item in _as_rows(inner):
                    yield from self._related_entries(self._component_of_item(attribute, item), item)

    def _component_of_item(
        self, attribute: ComponentAttribute | DynamicZoneAttribute, item: EntryJson
    ) -> Model:
        components = self.content.engine.schema.components
        if isinstance(attribute, ComponentAttribute):
            return components[attribute.component]
        return components[str(item["__component"])]

    def _target(
        self, uid: str, rows: Mapping[str, EntryJson], locale: str
    ) -> Program[_PrefilledTarget | None]:
        """Return the entries of a type in the target locale."""
        target = self.content.engine.schema.content_types[uid]
        if uid == ADMIN_USER_UID or not may_follow(self.ability, target):
            return None
        main = yield from self.main_field_of(target)
        all_versions, _ = yield from self.content.planner.versions(
            self.ability, target, list(rows)
        ).entries()
        versions, references = DocumentVersions(target, all_versions), {}
        for document_id, row in rows.items():
            document_versions = versions.all_versions(document_id)
            version = (
                find_version(target, document_versions, RequestedVersion("draft", locale))
                if target.localized
                else row
            )
            if version is not None:
                references[document_id] = _reference(target, version, versions)
        labels = yield from self._labels(
            target, main, [reference["id"] for reference in references.values()]
        )
        labelled_entries = {
            key: {**reference, **labels.get(reference["id"], {})}
            for key, reference in references.items()
        }
        return _PrefilledTarget(main=main, entries=labelled_entries)

    def _labels(
        self, target: ContentType, main: str, ids: Sequence[int]
    ) -> Program[dict[int, EntryJson]]:
        """Return the main fields of rows, if the caller may read them."""
        attribute = target.attributes.get(main)
        is_shown = isinstance(attribute, ScalarAttribute) and not is_hidden(target, attribute)
        permissions = read_permissions(self.ability, target)
        if (
            not ids
            or not is_shown
            or not (main in _LEFT_OUT or permissions.grants_on_all(main, None))
        ):
            return {}
        slots = Slots()
        condition = Comparison("id", Predicate.IN, (slots.add([*ids]),))
        fields = tuple(dict.fromkeys(("id", main)))
        plan = ReadPlan(root=PlanNode(uid=target.uid, fields=fields, filter=condition))
        prepared_read = self.content.planner.planned(plan, slots, self.ability)
        rows, _ = yield from prepared_read.entries()
        return {row["id"]: {main: row[main]} for row in rows}

    def _form_values(
        self, model: Model, value: EntryJson, targets: Mapping[str, _PrefilledTarget | None]
    ) -> dict[str, object]:
        values: dict[str, object] = {}
        for name, inner in value.items():
            attribute = model.attributes.get(name)
            if name in _LEFT_OUT:
                continue
            if isinstance(attribute, RelationAttribute):
                target = targets.get(attribute.target or "")
                values[name] = {"connect": _relation_values(inner, target), "disconnect": []}
            elif isinstance(attribute, ComponentAttribute | DynamicZoneAttribute):
                values[name] = self._parts(attribute, inner, targets)
            else:
                values[name] = inner
        return values

    def _parts(
        self,
        attribute: ComponentAttribute | DynamicZoneAttribute,
        value: object,
        targets: Mapping[str, _PrefilledTarget | None],
    ) -> object:
        if isinstance(value, dict):
            return self._form_values(self._component_of_item(attribute, value), value, targets)
        if not isinstance(value, list):
            return value
        return [
            {
                **self._form_values(self._component_of_item(attribute, item), item, targets),
                _KEY: key,
            }
            for item, key in zip(value, temporary_keys(len(value)), strict=True)
        ]


def _reference(target: ContentType, version: EntryJson, versions: DocumentVersions) -> EntryJson:
    reference: EntryJson = {"documentId": version["documentId"], "id": version["id"]}
    if target.localized:
        reference["locale"] = version["locale"]
    if target.draft_and_publish:
        versions_by_id = {
            other["id"]: other for other in versions.all_versions(version["documentId"])
        }
        if version["id"] in versions_by_id:
            reference["status"] = versions.status(versions_by_id[version["id"]])
    return reference


def _relation_values(value: object, target: _PrefilledTarget | None) -> list[EntryJson]:
    """Return the targets of a relation in the form of the admin UI."""
    if target is None:
        return []
    references = []
    for position, row in enumerate(_as_rows(value)):
        entry = target.entries.get(row["documentId"])
        if entry is not None:
            label = entry.get(target.main, entry["documentId"])
            text = "" if label is None else label if isinstance(label, str) else entry["documentId"]
            references.append({**entry, _KEY: f"a{position}", "label": text})
    return references


def _as_rows(value: object) -> list[dict[str, Any]]:
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, dict)]


def temporary_keys(count: int) -> list[str]:
    """Return keys in the order of lists, which forms give to unsaved items.

    They begin with ``a0``; after ``az`` comes ``b00``: the letter says how many digits follow.
    """
    keys: list[str] = []
    head, digits = "a", [0]
    for _ in range(count):
        keys.append(head + "".join(_DIGITS[digit] for digit in digits))
        position = len(digits) - 1
        while position >= 0 and digits[position] == len(_DIGITS) - 1:
            digits[position] = 0
            position -= 1
        if position >= 0:
            digits[position] += 1
        else:
            head, digits = chr(ord(head) + 1), [*digits, 0]
    return keys
