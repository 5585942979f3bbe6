"""All permissions of super admins, as rows."""

from collections.abc import Iterator, Sequence

from quire.access.admin_grants import Grant
from quire.access.administration import ACTIONS, FIELDS, LOCALES, PermissionSection, subjects_of
from quire.database.tables.initial_values import permission_fields
from quire.schema.model import Schema


def super_grants(schema: Schema, locales: Sequence[str]) -> Iterator[Grant]:
    """Yield all permissions, on every field and in every locale."""
    for action in ACTIONS:
        if action.section is not PermissionSection.CONTENT:
            yield Grant(action=action.uid, subject=None, properties={})
            continue
        for subject in subjects_of(schema, action):
            properties: dict[str, object] = {}
            if FIELDS in action.properties:
                properties[FIELDS] = permission_fields(schema, subject)
            if subject.localized and LOCALES in action.properties:
                properties[LOCALES] = list(locales)
            yield Grant(action=action.uid, subject=subject.uid, properties=properties)
