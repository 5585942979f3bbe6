"""Finds the storage types of custom fields."""

from functools import cached_property

from quire.schema.custom_fields import (
    CustomFieldUse,
    StorageType,
    assumed_type,
    well_known_type,
)
from quire.settings import Settings
from quire.strapi_project.columns import DatabaseColumns
from quire.strapi_project.registrations import Registration, find_registrations


class ProjectCustomFields:
    """Storage types from the settings, the table of well-known fields, code and the database.

    Code and database are looked at only when the first two do not know a field.
    """

    def __init__(self, settings: Settings) -> None:
        """Nothing is read yet."""
        self._settings = settings
        self._columns = DatabaseColumns(settings)

    def storage_type(self, use: CustomFieldUse) -> StorageType:
        """Return the storage type of a field, from the first source that knows it."""
        configured = self._settings.custom_fields.get(use.uid)
        if configured is not None:
            return StorageType(name=configured, origin="settings", source="quire.toml")
        return (
            well_known_type(use)
            or self._registered_type(use)
            or self._column_type(use)
            or assumed_type(use)
        )

    def _registered_type(self, use: CustomFieldUse) -> StorageType | None:
        found = self._registrations.get(use.uid)
        if found is None:
            return None
        return StorageType(name=found.type, origin="plugin", source=found.file)

    def _column_type(self, use: CustomFieldUse) -> StorageType | None:
        found = self._columns.type_of(use)
        if found is None:
            return None
        name, column = found
        return StorageType(name=name, origin="database", source=column)

    @cached_property
    def _registrations(self) -> dict[str, Registration]:
        return dict(find_registrations(self._settings.project))
