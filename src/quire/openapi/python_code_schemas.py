"""JSON Schemas of filters and input for a project's own Python code.

Such code may act as the system, so private attributes are included.
"""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from quire.access.ability import Unsanitized
from quire.openapi.document_schemas import Models
from quire.openapi.filter_schemas import Filters
from quire.openapi.json_schema import Schemas
from quire.query.resolve.scope import is_never_populated
from quire.schema.attributes.base import Attribute, RelationAttribute, ScalarAttribute
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.model import ADMIN_USER_UID, Model, Schema


class PythonCodeSchemas(Struct, frozen=True, kw_only=True):
    """Named schemas, and the references to those of content types by uid."""

    schemas: Mapping[str, JsonSchema]
    references: Mapping[str, JsonSchema]


def filter_schemas(schema: Schema, uids: Iterable[str]) -> PythonCodeSchemas:
    """Describe the filters of content types."""
    schemas = Schemas()
    filters = _CodeFilters(_CodeModels(schema, Unsanitized(), schemas))
    references = {uid: filters.reference(schema.content_types[uid]) for uid in uids}
    return PythonCodeSchemas(schemas=schemas.finished(), references=references)


def input_schemas(schema: Schema, uids: Iterable[str]) -> PythonCodeSchemas:
    """Describe the data of content types that create and update documents."""
    schemas = Schemas()
    models = _CodeModels(schema, Unsanitized(), schemas)
    references = {uid: models.write_body_reference(uid) for uid in uids}
    return PythonCodeSchemas(schemas=schemas.finished(), references=references)


class _CodeModels(Models):
    """Models with their private attributes, but without the administrators who wrote entries."""

    def may_show(self, model: Model, attribute: Attribute) -> bool:
        if isinstance(attribute, ScalarAttribute):
            return not attribute.secret
        if isinstance(attribute, RelationAttribute) and attribute.target == ADMIN_USER_UID:
            return False
        return not is_never_populated(model, attribute)


class _CodeFilters(Filters):
    """Filters that are the same for a type and for related documents, which is shorter to read."""

    def related(self, model: Model) -> JsonSchema:
        return self.reference(model)
