"""Validates an entry and its components, attribute by attribute."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from quire.document_service.entry_values import ComponentValues, EntryValues, RelationChange
from quire.document_service.relation_input import UnreadableRelationError, parse_relation, row_id
from quire.document_service.validate.problems import (
    UNIQUE_MESSAGE,
    Problem,
    ValuePath,
    path_of,
    path_text,
)
from quire.errors import AppError
from quire.javascript.text import string_of
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
    StorageKind,
)
from quire.schema.attributes.validation import (
    ABSENT,
    LINE_BREAK_MESSAGE,
    RefusedValue,
    has_line_break,
    not_of_type,
)
from quire.schema.model import USER_UID, Model, Schema


def shown_entry(schema: Schema, model: Model, data: Mapping[str, object]) -> dict[str, object]:
    """Return the entry that a payload describes: with defaults, also in its components.

    Items that are not components are shown as null.
    """
    entry = dict(data)
    for attribute in model.own_attributes:
        name = attribute.name
        if isinstance(attribute, ScalarAttribute):
            if attribute.default is not None:
                entry.setdefault(name, attribute.default)
        elif isinstance(attribute, DynamicZoneAttribute) or (
            isinstance(attribute, ComponentAttribute) and attribute.repeatable
        ):
            items = entry.setdefault(name, [])
            uid = attribute.component if isinstance(attribute, ComponentAttribute) else None
            if isinstance(items, list):
                entry[name] = shown_items(schema, uid, items)
        elif isinstance(attribute, ComponentAttribute) and isinstance(entry.get(name), dict):
            entry[name] = shown_items(schema, attribute.component, [entry[name]])[0]
    return entry


def shown_items(schema: Schema, uid: str | None, items: list[object]) -> list[object]:
    """Return components in their shown form; without ``uid`` each one names its own."""
    return [_shown_item(schema, uid, item) for item in items]


def _shown_item(schema: Schema, uid: str | None, item: object) -> object:
    if not isinstance(item, dict):
        return None
    name = item.get("__component") if uid is None else uid
    component = schema.components.get(name) if isinstance(name, str) else None
    return item if component is None else shown_entry(schema, component, item)


def _without_secrets(schema: Schema, uid: str | None, item: object) -> object:
    """Return a stored component without its passwords, which are hashes."""
    if not isinstance(item, dict):
        return item
    name = item.get("__component") if uid is None else uid
    component = schema.components.get(name) if isinstance(name, str) else None
    attributes = {} if component is None else component.attributes
    shown_values = {}
    for key, value in item.items():
        attribute = attributes.get(key)
        if isinstance(attribute, ScalarAttribute) and attribute.secret:
            continue
        if isinstance(attribute, ComponentAttribute):
            inner = attribute.component
            shown_values[key] = (
                [_without_secrets(schema, inner, part) for part in value]
                if isinstance(value, list)
                else _without_secrets(schema, inner, value)
            )
        else:
            shown_values[key] = value
    return shown_values


_MUST_BE_DEFINED = "must be defined."
_NOT_NULL = "cannot be null."
_NO_COMPONENT = "Cannot build relations store from dynamiczone, component identifier is undefined"
_INVALID_RELATIONS = "Invalid relations"
_EMPTY = (None, "", ABSENT)
"""Values that name no component, and are not checked for uniqueness."""
_NOTHING_EXPECTED: frozenset[str] = frozenset()
_SINGLE_LINE = frozenset({(USER_UID, "email"), (USER_UID, "username")})
"""Attributes without line breaks, whatever the schema file says."""
_EMPTY_RELATION: tuple[object, ...] = (None, [], ABSENT)

T = TypeVar("T")


class ValidationRules(Struct, frozen=True, kw_only=True):
    """Which rules apply.

    A ``draft`` may be incomplete, and violate patterns and minimum values. When ``creating``, an
    absent value gets its default, and is missing if it is required; else it is unchanged.
    ``strict_relations`` applies ``required`` to relations and media too. Attributes of the entry
    that are ``copied`` from another locale are not parsed.
    """

    draft: bool
    creating: bool
    strict_relations: bool = False
    copied: frozenset[str] = frozenset()


class UniqueCheck(Struct, frozen=True, kw_only=True):
    """A unique value, to be looked up among published entries.

    ``value`` is in column form, ``original`` as it was given and is shown; ``model_uid`` is the
    content type or the component that ``attribute`` belongs to. ``component_path`` is the path to
    it: the attribute that contains each component, and the component's uid. ``position`` is the
    number of problems of the entry that are reported before this one.
    """

    model_uid: str
    component_path: tuple[tuple[str, str], ...]
    attribute: str
    value: object
    path: tuple[str, ...]
    original: object
    position: int

    @property
    def problem(self) -> Problem:
        """Return the problem if another entry has the value."""
        return Problem(self.path, UNIQUE_MESSAGE, self.original)


class TemporalError(Struct, frozen=True):
    """The error of a date or time, which does not name its attribute, and its path."""

    path: tuple[str, ...]
    error: AppError


class CheckedEntry(Struct, frozen=True, kw_only=True):
    """The result of checking an entry.

    ``values`` are to be written only when there are no ``problems``, when the values of ``uniques``
    are unused, and when there are no ``lates``: errors of dates and times, of which only the first
    is reported, if there is no other problem.
    """

    values: EntryValues
    problems: tuple[Problem, ...]
    uniques: tuple[UniqueCheck, ...]
    lates: tuple[TemporalError, ...] = ()

    def problems_with(self, used_values: Sequence[UniqueCheck]) -> list[Problem]:
        """Return all problems, with those of values in use, in the order of attributes."""
        problems = list(self.problems)
        for check in reversed(used_values):
            problems.insert(check.position, check.problem)
        return problems

    @property
    def final_error(self) -> AppError | None:
        """The error that is raised if there are no other problems."""
        return self.lates[0].error if self.lates else None


def check_entry(schema: Schema, model: Model, data: object, rules: ValidationRules) -> CheckedEntry:
    """Parse and check a payload in the form of the request. Never raises."""
    return _EntryValidation(schema, rules, stored=False).entry(model, data)


def check_stored(
    schema: Schema, model: Model, entry: Mapping[str, object], rules: ValidationRules
) -> CheckedEntry:
    """Check a stored entry, for example when it is published. Never raises.

    Values are Python values: timestamps as epoch milliseconds, parsed JSON, components as nested
    objects with ``__component`` in dynamic zones. Relations are not checked; with
    ``strict_relations`` they must be present, as lists or objects. Secrets are hashes, and only
    have to be present.
    """
    return _EntryValidation(schema, rules, stored=True).entry(model, entry)


class _EntryPath(Struct, frozen=True):
    """An entry or component that is being checked.

    A ``fresh`` one gets defaults, a ``complete`` one must have everything that is required.
    """

    model: Model
    data: Mapping[str, object]
    place: ValuePath
    fresh: bool
    complete: bool
    component_path: tuple[tuple[str, str], ...] = ()

    def attribute_path(self, attribute: Attribute) -> ValuePath:
        """Return the path of an attribute."""
        return (*self.place, attribute.name)


class _EntryValidation:
    """One check of one entry: collects its results."""

    def __init__(self, schema: Schema, rules: ValidationRules, *, stored: bool) -> None:
        self._schema = schema
        self._draft = rules.draft
        self._creating = rules.creating
        self._strict_relations = rules.strict_relations
        self._copied = rules.copied
        self._stored = stored
        self._problems: list[Problem] = []
        self._uniques: list[UniqueCheck] = []
        self._lates: list[TemporalError] = []
        self._relation_problem: str | None = None

    def entry(self, model: Model, data: object) -> CheckedEntry:
        """Check a whole entry."""
        values = EntryValues()
        if isinstance(data, dict):
            values = self._values(_EntryPath(model, data, (), self._creating, self._creating))
            if self._relation_problem is not None:
                reported_entry = shown_entry(self._schema, model, data) if self._creating else data
                self._problems.append(Problem((), self._relation_problem, reported_entry))
        else:
            self._refuse((), not_of_type("object", None, data), None)
        return CheckedEntry(
            values=values,
            problems=tuple(self._problems),
            uniques=tuple(self._uniques),
            lates=tuple(self._lates),
        )

    def _values(self, spot: _EntryPath) -> EntryValues:
        """Check the attributes of one entry or component, in the order of the schema file."""
        scalars: dict[str, object] = {}
        relations: dict[str, RelationChange] = {}
        components: dict[str, tuple[ComponentValues, ...]] = {}
        lates: list[TemporalError] = []
        expected = spot.model.expected if spot.fresh else _NOTHING_EXPECTED
        for attribute in spot.model.own_attributes:
            value = spot.data.get(attribute.name, ABSENT)
            if value is ABSENT and attribute.name not in expected:
                continue
            if not spot.place and attribute.name in self._copied:
                continue
            if isinstance(attribute, ScalarAttribute):
                try:
                    accepted = self._scalar(spot, attribute, value)
                except AppError as error:
                    lates.append(TemporalError(path_of(spot.attribute_path(attribute)), error))
                else:
                    if accepted is not ABSENT:
                        scalars[attribute.name] = accepted
            elif isinstance(attribute, ComponentAttribute | DynamicZoneAttribute):
                self._add(components, attribute, self._components(spot, attribute, value))
            elif isinstance(attribute, RelationAttribute | MediaAttribute):
                self._add(relations, attribute, self._relation(spot, attribute, value))
        # Components are written before their entry, so their errors come first.
        self._lates += lates
        return EntryValues(scalars=scalars, relations=relations, components=components)

    def _add(self, values: dict[str, T], attribute: Attribute, value: T | None) -> None:
        if value is not None:
            values[attribute.name] = value

    def _is_demanded(self, spot: _EntryPath, attribute: Attribute) -> bool:
        """Tell whether all rules of an attribute apply: not in drafts nor where hidden."""
        if self._draft:
            return False
        if not spot.model.conditions:
            return True
        condition = spot.model.conditions.get(attribute.name)
        return condition is None or condition(spot.data)

    def _scalar(self, spot: _EntryPath, attribute: ScalarAttribute, value: object) -> object:
        """Return the value in column form, ``ABSENT`` for none.

        Raises AppError for dates and times, whose errors are reported alone.
        """
        demanded = self._is_demanded(spot, attribute)
        if value is ABSENT:
            if attribute.default is None:
                if attribute.required and demanded and spot.complete:
                    self._refuse(spot.attribute_path(attribute), _MUST_BE_DEFINED)
                return ABSENT
            value = attribute.default
        if value is None:
            if attribute.required and demanded:
                null = spot.model.acceptances[attribute.name].null
                self._refuse(spot.attribute_path(attribute), null or self._missing_message(), None)
            return None
        if self._stored and attribute.secret:
            return value
        if (
            (spot.model.uid, attribute.name) in _SINGLE_LINE
            and not self._stored
            and isinstance(value, str)
            and has_line_break(value)
        ):
            self._refuse(spot.attribute_path(attribute), LINE_BREAK_MESSAGE, value)
            return ABSENT
        accepted = self._accept_scalar(spot, attribute, value, demanded=demanded)
        if demanded and attribute.name in spot.model.unique_names and accepted not in _EMPTY:
            self._demand_uniqueness(spot, attribute, accepted, value)
        return accepted

    def _missing_message(self) -> str:
        return _MUST_BE_DEFINED if self._creating else _NOT_NULL

    def _accept_scalar(
        self, spot: _EntryPath, attribute: ScalarAttribute, value: object, *, demanded: bool
    ) -> object:
        """Return the parsed value of an attribute; ``ABSENT`` if it is invalid."""
        acceptance = spot.model.acceptances[attribute.name]
        if self._stored and attribute.storage is StorageKind.BIGINTEGER and isinstance(value, int):
            value = str(value)  # digits are exact; a number would be rounded as in JavaScript
        try:
            return (acceptance.full if demanded else acceptance.draft)(value)
        except RefusedValue as refused:
            for refusal in refused.refusals:
                path = (*spot.attribute_path(attribute), *refusal.value_path)
                self._refuse(path, refusal.message, refusal.value, after_path=refusal.after_path)
            return ABSENT

    def _demand_uniqueness(
        self, spot: _EntryPath, attribute: ScalarAttribute, value: object, original: object
    ) -> None:
        check = UniqueCheck(
            model_uid=spot.model.uid,
            component_path=spot.component_path,
            attribute=attribute.name,
            value=value,
            path=path_of(spot.attribute_path(attribute)),
            original=original,
            position=len(self._problems),
        )
        self._uniques.append(check)

    def _relation(
        self, spot: _EntryPath, attribute: RelationAttribute | MediaAttribute, value: object
    ) -> RelationChange | None:
        """Return the change of a relation; ``None`` for no change."""
        if self._strict_relations and attribute.required and (value in _EMPTY_RELATION):
            missed = spot.complete or value is not ABSENT
            if missed and self._is_demanded(spot, attribute):
                self._refuse(spot.attribute_path(attribute), _MUST_BE_DEFINED, value)
        if value is ABSENT or self._stored:
            return None
        is_media = isinstance(attribute, MediaAttribute)
        morph = isinstance(attribute, RelationAttribute) and attribute.target is None
        try:
            return parse_relation(
                value, to_many=attribute.to_many, morph=morph, keep_first=is_media
            )
        except UnreadableRelationError:
            self._blame_relations(_INVALID_RELATIONS)
            return None

    def _blame_relations(self, message: str) -> None:
        """Record that relations cannot be parsed; the first reason is kept."""
        self._relation_problem = self._relation_problem or message

    def _components(
        self, spot: _EntryPath, attribute: ComponentAttribute | DynamicZoneAttribute, value: object
    ) -> tuple[ComponentValues, ...] | None:
        """Return the components of an attribute; ``None`` if none are given."""
        if isinstance(attribute, ComponentAttribute) and not attribute.repeatable:
            return self._single(spot, attribute, value)
        path = spot.attribute_path(attribute)
        if value is ABSENT:
            # A missing list is a problem in drafts as well.
            if attribute.required and spot.complete:
                self._refuse(path, _MUST_BE_DEFINED)
            return () if spot.complete else None
        if not isinstance(value, list):
            self._refuse(path, not_of_type("array", value), value)
            if value is not None and isinstance(attribute, DynamicZoneAttribute):
                self._blame_relations(_NO_COMPONENT)
            return ()
        first_unique = len(self._uniques)
        components = [self._item(spot, attribute, item, (*path, i)) for i, item in enumerate(value)]
        if self._is_demanded(spot, attribute):
            self._count(attribute, value, path)
            self._compare_items(path, first_unique)
        return tuple(item for item in components if item is not None)

    def _single(
        self, spot: _EntryPath, attribute: ComponentAttribute, value: object
    ) -> tuple[ComponentValues, ...] | None:
        path = spot.attribute_path(attribute)
        if isinstance(value, dict):
            return (self._component(spot, attribute, attribute.component, value, path),)
        missed = attribute.required and self._is_demanded(spot, attribute)
        if value is ABSENT:
            if missed and spot.complete:
                self._refuse(path, _MUST_BE_DEFINED)
            return None
        if value is not None or missed:
            self._refuse(path, not_of_type("object", value), value)
        return ()

    def _item(
        self,
        spot: _EntryPath,
        attribute: ComponentAttribute | DynamicZoneAttribute,
        item: object,
        path: ValuePath,
    ) -> ComponentValues | None:
        """Return one component of a list; ``None`` if it is not one."""
        if not isinstance(item, dict):
            # A text that contains an object is not parsed: its keys were not checked.
            cast_from = ABSENT if item is None else item
            self._refuse(path, not_of_type("object", None, cast_from), None)
            if isinstance(attribute, DynamicZoneAttribute):
                self._blame_relations(_INVALID_RELATIONS)
            return None
        if isinstance(attribute, ComponentAttribute):
            return self._component(spot, attribute, attribute.component, item, path)
        uid = self._zone_component(attribute, item, path)
        return None if uid is None else self._component(spot, attribute, uid, item, path)

    def _zone_component(
        self, zone: DynamicZoneAttribute, item: Mapping[str, object], path: ValuePath
    ) -> str | None:
        """Return the component that an item of a dynamic zone names, if the zone allows it.

        Stored items are checked in any case: a component that was removed from the zone must not
        prevent the entry from being published.
        """
        path = (*path, "__component")
        uid = item.get("__component", ABSENT)
        exists = isinstance(uid, str) and uid in self._schema.components
        if isinstance(uid, str) and exists and (self._stored or uid in zone.components):
            return uid
        if not exists:
            self._blame_relations(_NO_COMPONENT if uid in _EMPTY else _INVALID_RELATIONS)
        if uid is ABSENT:
            self._refuse(path, "is a required field")
            return None
        no_text = uid is None or isinstance(uid, dict | list)
        if no_text:
            self._refuse(path, not_of_type("string", uid), uid)
        choices = ", ".join(zone.components)
        reported_value = uid if no_text else string_of(uid)
        self._refuse(path, f"must be one of the following values: {choices}", reported_value)
        return None

    def _component(
        self,
        parent: _EntryPath,
        attribute: Attribute,
        uid: str,
        item: Mapping[str, object],
        path: ValuePath,
    ) -> ComponentValues:
        """Check one component: one with an id is updated, unless everything is new."""
        row = row_id(item["id"]) if "id" in item and not self._creating else None
        model = self._schema.components[uid]
        component_path = (*parent.component_path, (attribute.name, uid))
        values = self._values(
            _EntryPath(model, item, path, row is None, self._creating, component_path)
        )
        return ComponentValues(uid=uid, id=row, values=values)

    def _count(
        self,
        attribute: ComponentAttribute | DynamicZoneAttribute,
        items: list[object],
        path: ValuePath,
    ) -> None:
        """Check the length of a list; an empty one is too short only when required."""
        minimum, maximum = attribute.raw.get("min"), attribute.raw.get("max")
        count = len(items)
        message = None
        if isinstance(maximum, int) and count > maximum:
            message = f"field must have less than or equal to {maximum} items"
        elif isinstance(minimum, int) and count < minimum and (count or attribute.required):
            message = f"field must have at least {minimum} items"
        if message is not None:
            uid = attribute.component if isinstance(attribute, ComponentAttribute) else None
            reported_items = (
                [_without_secrets(self._schema, uid, item) for item in items]
                if self._stored
                else shown_items(self._schema, uid, items)
            )
            self._refuse(path, message, reported_items)

    def _compare_items(self, path: ValuePath, first: int) -> None:
        """Reject unique values that items of one list share; ``first`` is their first check."""
        depth = len(path) + 2
        checks = self._uniques[first:]
        times = Counter(_identity(check) for check in checks if len(check.path) == depth)
        repeated = {identity for identity, count in times.items() if count > 1}
        if not repeated:
            return
        del self._uniques[first:]
        for check in checks:
            if len(check.path) == depth and _identity(check) in repeated:
                self._problems.append(check.problem)
            else:
                self._uniques.append(check)

    def _refuse(
        self, path: ValuePath, message: str, value: object = ABSENT, *, after_path: bool = True
    ) -> None:
        sentence = f"{path_text(path)} {message}" if after_path else message
        self._problems.append(Problem(path_of(path), sentence, value))


def _identity(check: UniqueCheck) -> tuple[str, str, object]:
    return (check.model_uid, check.attribute, check.value)
