"""JSON Schemas of the query parameter ``filters``, for the OpenAPI document.

Every object in a union has its own name: client generators that cannot follow cycles through
anonymous objects leave out all operations that refer to them.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from quire.hooks.operators import CustomOperator, OperandField
from quire.openapi.document_schemas import Models
from quire.openapi.json_schema import (
    FLAG,
    INTEGER,
    NUMBER,
    TEXT,
    Schemas,
    any_of,
    array_of,
    nullable,
    record,
)
from quire.query.filter_operators import AND, NOT, OPERATORS, OR, Operand
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    LocalizationsAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.class_names import class_name
from quire.schema.model import FILE_UID, Model

_NAMES: Mapping[tuple[str, object], str] = {
    ("boolean", None): "BooleanFilter",
    ("integer", None): "WholeNumberFilter",
    ("number", None): "NumberFilter",
    ("string", "date"): "DateFilter",
    ("string", "date-time"): "MomentFilter",
}
"""Names of filters by the kind of their operands; all others are texts."""
_TEXT_FILTER = "TextFilter"
_BOUND_VALUES: Mapping[type, JsonSchema] = {str: TEXT, int: INTEGER, float: NUMBER, bool: FLAG}


class Filters:
    """Builds the schemas of the filters that a caller may send, shared by reference."""

    def __init__(self, models: Models) -> None:
        self._models = models

    def reference(self, model: Model) -> JsonSchema:
        """Return the reference to the filters of a model."""
        return self._models.schemas.refer(
            ("filters", model.uid),
            f"{self._models.names[model.uid]}Filters",
            lambda: self._filters_schema(model),
        )

    def _filters_schema(self, model: Model) -> JsonSchema:
        reference = self.reference(model)
        groups = {
            AND: array_of(reference),
            OR: array_of(reference),
            NOT: any_of(reference, array_of(reference)),
        }
        return record({**self._attribute_filters(model), **groups}, required=(), closed=True)

    def _attribute_filters(self, model: Model) -> dict[str, JsonSchema]:
        return {
            attribute.name: schema
            for attribute in model.attributes.values()
            if self._models.may_show(model, attribute)
            and (schema := self._attribute_filter(attribute)) is not None
        }

    def related(self, model: Model) -> JsonSchema:
        """Return the reference to filters on related entries: attributes or a group, not both."""
        name, schemas = self._models.names[model.uid], self._models.schemas
        return schemas.refer(
            ("related filters", model.uid),
            f"{name}RelatedFilters",
            lambda: any_of(
                schemas.refer(
                    ("attribute filters", model.uid),
                    f"{name}AttributeFilters",
                    lambda: record(self._attribute_filters(model), required=(), closed=True),
                ),
                *(
                    schemas.refer(
                        (group, model.uid),
                        f"{name}{suffix}",
                        partial(
                            record,
                            {group: array_of(self.reference(model))},
                            required=(),
                            closed=True,
                        ),
                    )
                    for group, suffix in ((AND, "FiltersAnd"), (OR, "FiltersOr"))
                ),
            ),
        )

    def _attribute_filter(self, attribute: Attribute) -> JsonSchema | None:
        if isinstance(attribute, ScalarAttribute):
            return self._scalar_filter(attribute)
        target = self.target(attribute)
        if target is None:
            return None
        schemas = self._models.schemas
        ids = schemas.refer(("ids",), "IdFilter", lambda: _id_filter(schemas))
        return any_of(ids, self.related(target))

    def target(self, attribute: Attribute) -> Model | None:
        """Return the target model of an attribute, if it is exactly one."""
        schema = self._models.schema
        match attribute:
            case RelationAttribute(target=str(uid)):
                return schema.content_types[uid]
            case LocalizationsAttribute(target=uid):
                return schema.content_types[uid]
            case MediaAttribute():
                return schema.content_types[FILE_UID]
            case ComponentAttribute(component=uid):
                return schema.components[uid]
            case DynamicZoneAttribute() | _:
                return None

    def _scalar_filter(self, attribute: ScalarAttribute) -> JsonSchema:
        """Describe filters on a value, without the limits of the attribute such as ``maxLength``.

        Attributes with operands of the same type share one schema, unless they have custom
        operators.
        """
        form = attribute.type.json
        schema = form.operand or form.response(attribute, _TextPointers())
        name = _NAMES.get((str(schema.get("type")), schema.get("format")))
        if name is None and form.operand is not None:
            name, value = f"{class_name(attribute.type.name)}Filter", form.operand
        else:
            value = TEXT if name is None else _select_keywords(schema, "type", "format")
            name = name or _TEXT_FILTER
        schemas = self._models.schemas
        custom_operators = [
            operator
            for operator in self._models.schema.operators.values()
            if not operator.on.isdisjoint({attribute.type.name, attribute.type.custom_name})
        ]
        if custom_operators:
            kind = class_name(attribute.type.custom_name or attribute.type.name)
            name = name if name.startswith(kind) else f"{kind}{name}"
        operators = schemas.refer(
            ("operators", name),
            f"{name.removesuffix('Filter')}Operators",
            lambda: _operators_schema(value, self._scalar_filter(attribute), custom_operators),
        )
        return schemas.refer(
            ("filter", name), name, lambda: any_of(nullable(value), array_of(value), operators)
        )


class _TextPointers:
    """References of no content, for values that filters compare as texts, such as blocks."""

    def document(self, uid: str) -> JsonSchema:  # noqa: ARG002 - see `Pointers`
        return {}

    component = zone_item = document

    def shared(self, name: str, schema: JsonSchema) -> JsonSchema:  # noqa: ARG002 - see `Pointers`
        return {}


def _select_keywords(schema: JsonSchema, *keywords: str) -> JsonSchema:
    return {keyword: schema[keyword] for keyword in keywords if keyword in schema}


def _operand_schema(operand: Operand, value: JsonSchema) -> JsonSchema:
    match operand:
        case Operand.VALUE:
            return nullable(value)
        case Operand.TEXT:
            return TEXT
        case Operand.LIST:
            return array_of(value)
        case Operand.PAIR:
            return {**array_of(value), "minItems": 2, "maxItems": 2}
        case Operand.FLAG:
            return FLAG


def _operators_schema(
    value: JsonSchema, reference: JsonSchema, custom_operators: Sequence[CustomOperator]
) -> JsonSchema:
    members = {name: _operand_schema(row.operand, value) for name, row in OPERATORS.items()}
    members |= {operator.name: _custom_operand(operator) for operator in custom_operators}
    return record({**members, NOT: reference}, required=(), closed=True)


def _custom_operand(operator: CustomOperator) -> JsonSchema:
    """Describe the operand of an operator of the project's code."""
    fields = {field.name: _bound_value(field) for field in operator.fields}
    if "" in fields:
        return fields[""]
    required = [field.name for field in operator.fields if field.required]
    return record(fields, required=required, closed=True)


def _bound_value(field: OperandField) -> JsonSchema:
    value = _BOUND_VALUES[field.kind]
    return array_of(value) if field.is_list else value


def _id_filter(schemas: Schemas) -> JsonSchema:
    """Describe conditions on related rows, by their ids or by their existence."""
    by_ids = dict.fromkeys(("$eq", "$ne"), INTEGER)
    lists = {name: array_of(INTEGER) for name in ("$in", "$notIn")}
    null_operators = dict.fromkeys(("$null", "$notNull"), FLAG)
    operators = record({**by_ids, **lists, **null_operators}, required=(), closed=True)
    return any_of(nullable(INTEGER), array_of(INTEGER), schemas.shared("IdOperators", operators))
