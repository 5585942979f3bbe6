"""Loads the schema of a project as its settings specify."""

from quire.schema.load import LoadOptions, load_schema
from quire.schema.model import Schema
from quire.settings import Settings
from quire.strapi_project.custom_fields import ProjectCustomFields


def load_project_schema(settings: Settings) -> Schema:
    """Load the schema of a project. Raises SchemaError with all its errors."""
    return load_schema(settings.project, load_options(settings))


def load_options(settings: Settings) -> LoadOptions:
    """Return the options of a schema from the settings."""
    return LoadOptions(
        private_attributes=frozenset(settings.api.private_attributes),
        first_published=settings.features.first_published_at,
        custom_fields=ProjectCustomFields(settings),
    )
