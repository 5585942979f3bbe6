"""Schemas of ``filters``.

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
    """Describes the filters of one caller."""

    def __init__(self, models: Models) -> None:
        self._models = models

    def reference(self, model: Model) -> JsonSchema:
        """Return the reference to the filters of a model."""
        return self._models.schemas.refer(
            ("filters", model.uid),
            f"{self._models.names[model.uid]}Filters",
            lambda: self._described(model),
        )

    def _described(self, model: Model) -> JsonSchema:
        itself = self.reference(model)
        groups = {
            AND: array_of(itself),
            OR: array_of(itself),
            NOT: any_of(itself, array_of(itself)),
        }
        return record({**self._members(model), **groups}, required=(), closed=True)

    def _members(self, model: Model) -> dict[str, JsonSchema]:
        return {
            attribute.name: described
            for attribute in model.attributes.values()
            if self._models.may_show(model, attribute)
            and (described := self._condition(attribute)) is not None
        }

    def _related(self, model: Model) -> JsonSchema:
        """Point to conditions on what is related: attributes or a group, but not both."""
        name, schemas = self._models.names[model.uid], self._models.schemas
        return schemas.refer(
            ("related filters", model.uid),
            f"{name}RelatedFilters",
            lambda: any_of(
                schemas.refer(
                    ("attribute filters", model.uid),
                    f"{name}AttributeFilters",
                    lambda: record(self._members(model), required=(), closed=True),
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

    def _condition(self, attribute: Attribute) -> JsonSchema | None:
        if isinstance(attribute, ScalarAttribute):
            return self._scalar(attribute)
        target = self.target(attribute)
        if target is None:
            return None
        schemas = self._models.schemas
        ids = schemas.refer(("ids",), "IdFilter", lambda: _ids(schemas))
        return any_of(ids, self._related(target))

    def target(self, attribute: Attribute) -> Model | None:
        """Return the target model of an attribute, if it is exactly one."""
        schema = self._models.schema
        match attribute:
            case RelationAttribute(target=str(uid)) if attribute.relation.polymorphic is False:
                return schema.content_types[uid]
            case LocalizationsAttribute(target=uid):
                return schema.content_types[uid]
            case MediaAttribute():
                return schema.content_types[FILE_UID]
            case ComponentAttribute(component=uid):
                return schema.components[uid]
            case DynamicZoneAttribute() | _:
                return None

    def _scalar(self, attribute: ScalarAttribute) -> JsonSchema:
        """Describe conditions on a value; the attribute's own limits do not apply."""
        form = attribute.type.json
        described = form.operand or form.response(attribute, _TextPointers())
        name = _NAMES.get((str(described.get("type")), described.get("format")))
        if name is None and form.operand is not None:
            name, value = f"{class_name(attribute.type.name)}Filter", form.operand
        else:
            value = TEXT if name is None else _kept(described, "type", "format")
            name = name or _TEXT_FILTER
        schemas = self._models.schemas
        custom = [
            one
            for one in self._models.schema.operators.values()
            if not one.on.isdisjoint({attribute.type.name, attribute.type.custom_name})
        ]
        if custom:
            kind = class_name(attribute.type.custom_name or attribute.type.name)
            name = name if name.startswith(kind) else f"{kind}{name}"
        operators = schemas.refer(
            ("operators", name),
            f"{name.removesuffix('Filter')}Operators",
            lambda: _operators(value, self._scalar(attribute), custom),
        )
        return schemas.refer(
            ("filter", name), name, lambda: any_of(nullable(value), array_of(value), operators)
        )


class _TextPointers:
    """References for values that are compared as texts."""

    def document(self, uid: str) -> JsonSchema:  # noqa: ARG002 - see `Pointers`
        return {}

    component = zone_item = document

    def shared(self, name: str, schema: JsonSchema) -> JsonSchema:  # noqa: ARG002 - see `Pointers`
        return {}


def _kept(schema: JsonSchema, *keywords: str) -> JsonSchema:
    return {keyword: schema[keyword] for keyword in keywords if keyword in schema}


def _operand(operand: Operand, value: JsonSchema) -> JsonSchema:
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


def _operators(
    value: JsonSchema, itself: JsonSchema, custom: Sequence[CustomOperator]
) -> JsonSchema:
    members = {name: _operand(row.operand, value) for name, row in OPERATORS.items()}
    members |= {operator.name: _custom_operand(operator) for operator in custom}
    return record({**members, NOT: itself}, required=(), closed=True)


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


def _ids(schemas: Schemas) -> JsonSchema:
    """Describe conditions on related rows, by their ids or by their existence."""
    by_ids = dict.fromkeys(("$eq", "$ne"), INTEGER)
    lists = {name: array_of(INTEGER) for name in ("$in", "$notIn")}
    presence = dict.fromkeys(("$null", "$notNull"), FLAG)
    operators = record({**by_ids, **lists, **presence}, required=(), closed=True)
    return any_of(nullable(INTEGER), array_of(INTEGER), schemas.shared("IdOperators", operators))
