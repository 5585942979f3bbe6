"""Request bodies with the permissions of a role, checked against the catalogue of actions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Struct, field

from quire.access.administration import (
    ADMIN_ACTIONS,
    CONDITIONS,
    FIELDS,
    AdminAction,
    PermissionSection,
    subjects,
    subjects_of,
)
from quire.content_api.request_bodies import RequestBody, validator_of
from quire.content_api.validators import Items, Place, Range, required
from quire.document_service.validate.problems import Problem, path_of, place_text
from quire.schema.attributes.validation import ABSENT
from quire.schema.model import Schema

UNKNOWN_ACTION = "action is not an existing permission action"
BAD_SUBJECT = "Invalid subject submitted"
BAD_PROPERTIES = "Invalid property set at {}"
BAD_FIELDS = "Invalid fields property at {}"
BAD_LOCALES = "Invalid locales property at {}"
BAD_NESTING = "Fields format are incorrect (bad nesting)."
REPEATED_FIELDS = "Fields format are incorrect (duplicates)."
UNKNOWN_CONDITION = "{} is not an existing condition"
REPEATED = "Some permissions are duplicated (same action and subject)"
_MOST = 5000


class PermissionPayload(RequestBody):
    """What a role is to grant."""

    action: str
    action_parameters: dict[str, object] | None = None
    subject: str | None = None
    properties: dict[str, object] = field(default_factory=dict)
    conditions: Annotated[list[str], Range(0, 10)] = field(default_factory=list)


class RolePermissions(RequestBody):
    """All that a role is to grant."""

    permissions: Annotated[list[PermissionPayload], Range(0, _MOST)]


class PermissionList:
    """Checks the permissions of a body against the actions and types that there are."""

    def __init__(self, schema: Schema) -> None:
        known = frozenset(content_type.uid for content_type in subjects(schema))
        self._item = _Permission(known, _readable(schema))

    def problems(self, place: Place, value: object) -> Iterator[Problem]:
        """See `Validator.problems`."""
        listed = Items(item=self._item, rules=(required,), most=_MOST)
        found = False
        for problem in listed.problems(place, value):
            found = True
            yield problem
        if not found and isinstance(value, list) and _repeats(value):
            yield Problem(path_of(place), REPEATED, value)


def _readable(schema: Schema) -> frozenset[str]:
    read = next(action for action in ADMIN_ACTIONS.values() if action.uid.endswith("explorer.read"))
    return frozenset(content_type.uid for content_type in subjects_of(schema, read))


class _Permission(Struct, frozen=True):
    subjects: frozenset[str]
    readable: frozenset[str]

    def problems(self, place: Place, value: object) -> Iterator[Problem]:
        found = False
        for problem in validator_of(PermissionPayload).problems(place, value):
            found = True
            yield problem
        if found or not isinstance(value, Mapping):
            return
        action = ADMIN_ACTIONS.get(str(value["action"]))
        if action is None:
            yield Problem(path_of((*place, "action")), UNKNOWN_ACTION, value["action"])
            return
        yield from self._of_action(place, action, value)

    def _of_action(
        self, place: Place, action: AdminAction, value: Mapping[str, object]
    ) -> Iterator[Problem]:
        subject = value.get("subject", ABSENT)
        if not self._fits(action, subject):
            yield Problem(path_of((*place, "subject")), BAD_SUBJECT, subject)
        properties = value.get("properties") or {}
        inside = (*place, "properties")
        if not isinstance(properties, Mapping) or set(properties).difference(action.properties):
            message = BAD_PROPERTIES.format(place_text(inside))
            yield Problem(path_of(inside), message, properties)
            return
        yield from _of_fields((*inside, FIELDS), properties.get(FIELDS))
        yield from _of_locales((*inside, "locales"), properties.get("locales"))
        for index, condition in enumerate(_sequence(value.get("conditions"))):
            if condition not in CONDITIONS:
                where = path_of((*place, "conditions", index))
                yield Problem(where, UNKNOWN_CONDITION.format(condition), condition)

    def _fits(self, action: AdminAction, subject: object) -> bool:
        if action.section is not PermissionSection.CONTENT:
            return subject in (None, ABSENT)
        known = self.readable if action.uid.endswith(".read") else self.subjects
        return subject in known


def _of_fields(place: Place, fields: object) -> Iterator[Problem]:
    if fields is None:
        return
    if not isinstance(fields, list) or not all(isinstance(name, str) for name in fields):
        yield Problem(path_of(place), BAD_FIELDS.format(place_text(place)), fields)
        return
    names = set(fields)
    if len(names) < len(fields):
        yield Problem(path_of(place), REPEATED_FIELDS, fields)
    if any(parent in names for name in names for parent in _parents(name)):
        yield Problem(path_of(place), BAD_NESTING, fields)


def _of_locales(place: Place, locales: object) -> Iterator[Problem]:
    if locales is None:
        return
    if not isinstance(locales, list) or not all(isinstance(code, str) for code in locales):
        yield Problem(path_of(place), BAD_LOCALES.format(place_text(place)), locales)


def _parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _repeats(listed: Sequence[object]) -> bool:
    seen = [(i.get("action"), i.get("subject")) for i in listed if isinstance(i, Mapping)]
    return len(set(seen)) < len(seen)


def _sequence(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else ()
