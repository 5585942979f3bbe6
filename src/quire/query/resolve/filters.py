"""``filters`` and ``_q``: nested conditions on attributes, and free-text search.

Negations are pushed down to the comparisons by De Morgan's laws, as Strapi does. This matters for
relations: ``{"$not": {"tags": {"name": "a"}}}`` asks for some tag with another name, and not for
the absence of such a tag. All conditions in one object on a relation are for the same related row.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from quire.errors import ValidationError
from quire.hooks.operators import CustomOperator
from quire.query.filter_operators import (
    AND,
    GROUPS,
    NOT,
    OPERATORS,
    OR,
    UNSUPPORTED,
    CustomPredicate,
    Operand,
    Operator,
    Predicate,
)
from quire.query.plan import (
    Comparison,
    ConstantCondition,
    Filter,
    Junction,
    RelatedCondition,
    SearchCondition,
)
from quire.query.querystring import QueryValue
from quire.query.resolve.errors import Pass
from quire.query.resolve.scope import Scope, SlotValue, join_path
from quire.schema.attributes.base import (
    Attribute,
    DynamicZoneAttribute,
    FilterValue,
    RelationAttribute,
    ScalarAttribute,
    SearchMode,
    as_text,
)
from quire.schema.attributes.number import parse_number
from quire.schema.model import Model


def resolve_search(value: QueryValue, model: Model, scope: Scope) -> SearchCondition | None:
    """Parse ``_q``; numbers are searched when the term is one.

    Attributes that the caller may not read are not searched.
    """
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        scope.report_operand("The _q parameter must be a string")
        return None
    visible = [
        attribute
        for attribute in model.scalars
        if attribute.searchable and scope.may_search(attribute)
    ]
    modes = {SearchMode.TEXT}
    if parse_number(value) is not None:
        modes.add(SearchMode.NUMBER)
    names = tuple(attribute.name for attribute in visible if attribute.type.search in modes)
    return SearchCondition(("id", *names), scope.slots.add(value))


_IDENTITY = frozenset({"id", "documentId"})
_FALSE = frozenset({"false", "f", "0", ""})
_BETWEEN_OPERANDS = 2
OBJECT_TEXT = "[object Object]"
"""JavaScript's text of an object."""
NOT_AN_OBJECT = "The filters parameter must be an object or an array"
LONG_LIST = "Cannot filter by a list of more than {} values (limits.filter_values)"


def resolve_filters(value: QueryValue, model: Model, scope: Scope) -> Filter | None:
    """Parse a ``filters`` parameter for rows of a model; ``None`` filters nothing."""
    if value is None or (scope.nested and value == ""):
        return None
    if isinstance(value, str):
        scope.report_unconvertible(NOT_AN_OBJECT)
        return None
    max_values = scope.limits.filter_values
    if max_values is not None and not scope.trusted and has_longer_list(value, max_values):
        scope.report_malformed(LONG_LIST.format(max_values))
        return None
    filters = _Filters(scope)
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                filters.members(item, model, None, negated=False)
        scope.report_operand("The filters parameter must be an object with attributes as keys")
        return None
    return filters.members(value, model, None, negated=False)


def has_longer_list(value: QueryValue, limit: int) -> bool:
    """Tell whether a value is or contains a list of more than ``limit`` values."""
    if isinstance(value, list):
        return len(value) > limit or any(has_longer_list(item, limit) for item in value)
    if isinstance(value, dict):
        return any(has_longer_list(inner, limit) for inner in value.values())
    return False


def _join(filters: Iterable[Filter | None], *, match_all: bool) -> Filter | None:
    """Join filters by AND or OR; ``None`` stands for an empty clause, which is left out."""
    conditions = tuple(part for part in filters if part is not None)
    if len(conditions) > 1:
        return Junction(conjunction=match_all, parts=conditions)
    return conditions[0] if conditions else None


class _Filters:
    """Traverses one ``filters`` parameter. ``negated`` is true below an odd number of ``$not``."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def members(
        self, value: Mapping[str, QueryValue], model: Model, path: str | None, *, negated: bool
    ) -> Filter | None:
        """Resolve an object of attributes and groups, joined by AND (negated: by OR)."""
        parts = [
            self._member(key, inner, model, path, negated=negated) for key, inner in value.items()
        ]
        return _join(parts, match_all=not negated)

    def _member(
        self, key: str, value: QueryValue, model: Model, path: str | None, *, negated: bool
    ) -> Filter | None:
        if key == NOT:
            return self._negation(value, model, path, negated=negated)
        if key in GROUPS:
            return self._group(key, value, model, path, negated=negated)
        if key in self.scope.operators or key in UNSUPPORTED:
            self.scope.report_operand(f"The operator {key} must stand below an attribute")
            return None
        attribute = model.attributes.get(key)
        if attribute is None:
            if key not in _IDENTITY:
                self.scope.report_invalid_key(key, path)
            else:
                self.scope.report_operand(f"There is no attribute {key} to filter by")
            return None
        return self._attribute(attribute, value, model, path, negated=negated)

    def _negation(
        self, value: QueryValue, model: Model, path: str | None, *, negated: bool
    ) -> Filter | None:
        if value is None:
            return None
        if isinstance(value, dict):
            return self.members(value, model, path, negated=not negated)
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return self._join_each(
                value,
                lambda item: self._object(item, model, path, negated=not negated),
                match_all=negated,
            )
        self.scope.report_operand("$not expects an object of filters")
        return None

    def _group(
        self, key: str, value: QueryValue, model: Model, path: str | None, *, negated: bool
    ) -> Filter | None:
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return self._join_each(
                value,
                lambda item: self._object(item, model, path, negated=negated),
                match_all=(key == AND) is not negated,
            )
        if isinstance(value, dict):
            self._check_attributes(value, model, path)
        self.scope.report_operand(f"{key} expects an array of filters")
        return None

    def _object(
        self, value: QueryValue, model: Model, path: str | None, *, negated: bool
    ) -> Filter | None:
        return (
            self.members(value, model, path, negated=negated) if isinstance(value, dict) else None
        )

    def _join_each(
        self,
        items: Iterable[QueryValue],
        resolve: Callable[[QueryValue], Filter | None],
        *,
        match_all: bool,
    ) -> Filter | None:
        return _join([resolve(item) for item in items], match_all=match_all)

    def _check_attributes(
        self, value: Mapping[str, QueryValue], model: Model, path: str | None
    ) -> None:
        """Record the errors of attributes in an object that is no operand.

        Strapi checks keys before operands: an unknown key is reported first.
        """
        for key in value:
            if key in model.attributes and not self._is_operator(key):
                self._member(key, value[key], model, path, negated=False)

    def _is_operator(self, key: str) -> bool:
        return key in GROUPS or key in self.scope.operators or key in UNSUPPORTED

    def _attribute(
        self,
        attribute: Attribute,
        value: QueryValue,
        model: Model,
        path: str | None,
        *,
        negated: bool,
    ) -> Filter | None:
        own_path = join_path(path, attribute.name)
        if self.scope.ignores(own_path):
            return None
        if isinstance(attribute, DynamicZoneAttribute) or (
            isinstance(attribute, RelationAttribute) and attribute.target is None
        ):
            self.scope.report_invalid_key(attribute.name, own_path, Pass.SHAPE)
            return None
        self.scope.report_if_hidden(attribute, own_path)
        if isinstance(attribute, ScalarAttribute):
            inner_path = path if attribute.name in _IDENTITY else own_path
            return self._scalar(attribute, value, model, inner_path, negated=negated)
        return self._related(attribute, value, model, own_path, negated=negated)

    # Scalars -------------------------------------------------------------------------------

    def _scalar(
        self,
        attribute: ScalarAttribute,
        value: QueryValue,
        model: Model,
        path: str | None,
        *,
        negated: bool,
    ) -> Filter | None:
        if isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    self._report_attributes(attribute, item, model, path)
            return self._compare_list(attribute, OPERATORS["$in"], value, path, negated=negated)
        if not isinstance(value, dict):
            equals = OPERATORS["$eq"]
            return self._compare(attribute, equals, value, negated=negated)
        conditions = []
        for key, operand in value.items():
            if key == NOT:
                condition = self._not_scalar(attribute, operand, model, path, negated=negated)
            elif key in self.scope.operators:
                operator = self.scope.operators[key]
                condition = self._operation(
                    attribute, operator, operand, model, path, negated=negated
                )
            else:
                self._stray_key(attribute, key, operand, model, path)
                condition = None
            conditions.append(condition)
        return _join(conditions, match_all=not negated)

    def _not_scalar(
        self,
        attribute: ScalarAttribute,
        operand: QueryValue,
        model: Model,
        path: str | None,
        *,
        negated: bool,
    ) -> Filter | None:
        """Resolve ``$not`` below an attribute; the negated items of a list are joined by OR."""
        if isinstance(operand, list):
            return self._join_each(
                operand,
                lambda item: self._not_scalar(attribute, item, model, path, negated=negated),
                match_all=negated,
            )
        return self._scalar(attribute, operand, model, path, negated=not negated)

    def _report_attributes(
        self,
        attribute: ScalarAttribute,
        value: Mapping[str, QueryValue],
        model: Model,
        path: str | None,
    ) -> None:
        for key in value:
            if key in model.attributes:
                self.scope.report_operand(f"{path or attribute.name} has no attribute {key}")

    def _join_nested_list(
        self, attribute: ScalarAttribute, items: list[QueryValue], path: str | None
    ) -> str:
        """Convert a list within a list as ``String(array)`` does in JavaScript: joined by commas.

        Only a text can be compared with that.
        """
        if attribute.type.cast is not as_text or not all(isinstance(i, str) for i in items):
            self.scope.report_operand(f"A list cannot stand in a list at {path or attribute.name}")
        return ",".join(item for item in items if isinstance(item, str))

    def _stray_key(
        self,
        attribute: ScalarAttribute,
        key: str,
        value: QueryValue,
        model: Model,
        path: str | None,
    ) -> None:
        """Record an error for a key below a scalar attribute that is no comparison."""
        if self._is_operator(key):
            self.scope.report_operand(f"{key} cannot stand at {path or attribute.name}")
        elif key in model.attributes:
            self._attribute(model.attributes[key], value, model, path, negated=False)
            self.scope.report_operand(f"{path or attribute.name} has no attribute {key}")
        else:
            self.scope.report_invalid_key(key, path)

    def _operation(
        self,
        attribute: ScalarAttribute,
        operator: Operator | CustomOperator,
        operand: QueryValue,
        model: Model,
        path: str | None,
        *,
        negated: bool,
    ) -> Filter | None:
        if isinstance(operator, CustomOperator):
            return self._custom_comparison(attribute, operator, operand, path, negated=negated)
        if isinstance(operand, list):
            self._check_items(attribute, operand, model, path)
        if operator.operand is Operand.FLAG:
            is_true = operand not in _FALSE if isinstance(operand, str) else operand is not None
            return Comparison(
                attribute.name,
                operator.predicate,
                (),
                negated=operator.negated ^ negated ^ (not is_true),
            )
        if isinstance(operand, dict):
            self._check_attributes(operand, model, path)
            self.scope.report_operand(f"{operator.name} cannot compare with an object")
            return None
        if operator.operand is Operand.LIST:
            return self._compare_list(attribute, operator, operand, path, negated=negated)
        if operator.operand is Operand.PAIR:
            return self._compare_pair(attribute, operator, operand, negated=negated)
        if isinstance(operand, list):
            return self._join_each(
                operand,
                lambda item: self._operand_item(attribute, operator, item, path, negated=negated),
                match_all=negated,
            )
        return self._compare(attribute, operator, operand, negated=negated)

    def _custom_comparison(
        self,
        attribute: ScalarAttribute,
        operator: CustomOperator,
        operand: QueryValue,
        path: str | None,
        *,
        negated: bool,
    ) -> Filter | None:
        """Compare with an operator of the project's code."""
        if operator.on.isdisjoint({attribute.type.name, attribute.type.custom_name}):
            self.scope.report_operand(f"{operator.name} cannot stand at {path or attribute.name}")
            return None
        try:
            operands = operand_values(operator, operand)
        except ValidationError as error:
            self.scope.report_operand(error)
            return None
        slots = tuple(self.scope.slots.add(value) for value in operands)
        predicate = CustomPredicate(operator.name)
        return Comparison(attribute.name, predicate, slots, negated=negated)

    def _check_items(
        self,
        attribute: ScalarAttribute,
        items: Iterable[QueryValue],
        model: Model,
        path: str | None,
    ) -> None:
        """Record errors for the keys of objects among operands, where only operators are known."""
        for item in items:
            if isinstance(item, dict):
                self._report_attributes(attribute, item, model, path)
                for key in item:
                    if key not in model.attributes and not self._is_operator(key):
                        self.scope.report_invalid_key(key, path)

    def _operand_item(
        self,
        attribute: ScalarAttribute,
        operator: Operator,
        item: QueryValue,
        path: str | None,
        *,
        negated: bool,
    ) -> Filter | None:
        if isinstance(item, dict):
            if operator.operand is not Operand.TEXT:
                self.scope.report_operand(f"{operator.name} cannot compare with an object")
                return None
            item = OBJECT_TEXT
        if isinstance(item, list):
            item = self._join_nested_list(attribute, item, path)
        return self._compare(attribute, operator, item, negated=negated)

    def _compare(
        self, attribute: ScalarAttribute, operator: Operator, operand: str | None, *, negated: bool
    ) -> Filter:
        negation = operator.negated ^ negated
        if operand is None and operator.null:
            return Comparison(attribute.name, Predicate.IS_NULL, (), negated=negation)
        if operator.operand is Operand.TEXT:
            # Text operators build a pattern from the operand: JavaScript makes "null" of null.
            compared: SlotValue = "null" if operand is None else operand
        elif operand is None:
            # A comparison with null is unknown in SQL, negated or not.
            return ConstantCondition(holds=False)
        else:
            compared = self._cast(attribute, operand)
        return Comparison(
            attribute.name,
            operator.predicate,
            (self.scope.slots.add(compared),),
            negated=negation,
            fold=operator.fold,
        )

    def _compare_list(
        self,
        attribute: ScalarAttribute,
        operator: Operator,
        operand: QueryValue,
        path: str | None,
        *,
        negated: bool,
    ) -> Filter:
        items = operand if isinstance(operand, list) else [operand]
        if any(isinstance(item, dict) for item in items):
            self.scope.report_operand(f"{operator.name} cannot compare with an object")
        texts = [
            self._join_nested_list(attribute, item, path) if isinstance(item, list) else item
            for item in items
            if not isinstance(item, dict)
        ]
        values = [None if text is None else self._cast(attribute, text) for text in texts]
        negation = operator.negated ^ negated
        if not values:
            return _equals_nothing(attribute, negated=negation)
        slot = self.scope.slots.add(values)
        return Comparison(attribute.name, operator.predicate, (slot,), negated=negation)

    def _compare_pair(
        self,
        attribute: ScalarAttribute,
        operator: Operator,
        operand: QueryValue,
        *,
        negated: bool,
    ) -> Filter | None:
        items = operand if isinstance(operand, list) else [operand]
        texts = [item for item in items if isinstance(item, str)]
        values = [self._cast(attribute, text) for text in texts]
        if len(items) != _BETWEEN_OPERANDS or len(texts) != _BETWEEN_OPERANDS:
            self.scope.report_operand(f"{operator.name} expects an array of exactly two values")
            return None
        low, high = (self.scope.slots.add(value) for value in values)
        return Comparison(
            attribute.name, operator.predicate, (low, high), negated=operator.negated ^ negated
        )

    def _cast(self, attribute: ScalarAttribute, text: str) -> FilterValue:
        try:
            return attribute.type.cast(text)
        except ValidationError as error:
            self.scope.report_operand(error)
            return None

    # Relations, components, media -----------------------------------------------------------

    def _related(
        self, attribute: Attribute, value: QueryValue, model: Model, path: str, *, negated: bool
    ) -> Filter | None:
        target = self.scope.target(attribute)
        if target is None:
            self.scope.report_invalid_key(attribute.name, path, Pass.SHAPE)
            return None
        self.scope.follow(1)
        is_allowed = self.scope.may_follow(model, attribute)
        if not is_allowed and not self.scope.nested:
            self.scope.report_invalid_key(attribute.name, path, Pass.FORBIDDEN)
        condition = self._related_value(attribute, value, target, path, negated=negated)
        if condition is None:
            return None
        # Inside populate a forbidden relation is no error in Strapi. Its filter must not be
        # applied, though: what is populated would reveal values of hidden rows.
        return condition if is_allowed else ConstantCondition(holds=False)

    def _related_value(
        self, attribute: Attribute, value: QueryValue, target: Model, path: str, *, negated: bool
    ) -> Filter | None:
        if isinstance(value, list):
            for item in value:
                self._check_related_item(item, target, path)
            ids = self._compare_list(_id_of(target), OPERATORS["$in"], value, path, negated=negated)
            return _related_condition(attribute, ids)
        if isinstance(value, dict):
            return self._related_object(attribute, value, target, path, negated=negated)
        return self._compare_related_id(attribute, value, target, path, negated=negated)

    def _check_related_item(self, item: QueryValue, target: Model, path: str) -> None:
        """Record the errors of the keys of an object where a row id is expected."""
        if isinstance(item, dict):
            filters = {
                key: inner
                for key, inner in item.items()
                if isinstance(inner, dict) or not self._is_operator(key)
            }
            self.members(filters, target, path, negated=False)

    def _compare_related_id(
        self, attribute: Attribute, value: QueryValue, target: Model, path: str, *, negated: bool
    ) -> Filter | None:
        """Compare the row id of related rows."""
        return _related_condition(
            attribute, self._scalar(_id_of(target), value, target, path, negated=negated)
        )

    def _related_object(
        self,
        attribute: Attribute,
        value: Mapping[str, QueryValue],
        target: Model,
        path: str,
        *,
        negated: bool,
    ) -> Filter | None:
        operator_keys = [key for key in value if key in self.scope.operators or key == NOT]
        groups = [key for key in value if key in {AND, OR}]
        if not operator_keys and (not groups or len(value) == 1):
            return _related_condition(attribute, self.members(value, target, path, negated=negated))
        other_conditions = {key: inner for key, inner in value.items() if key not in operator_keys}
        self.members(other_conditions, target, path, negated=negated)
        operand = value[operator_keys[0]] if operator_keys else None
        if len(value) == 1 and not isinstance(operand, dict):
            return self._compare_related_id(attribute, dict(value), target, path, negated=negated)
        if isinstance(operand, dict) and operator_keys[0] in self.scope.operators:
            return self._compare_related_id(attribute, dict(value), target, path, negated=negated)
        self.scope.report_operand(f"Operators and attributes cannot be mixed at {path}")
        return None


def _equals_nothing(attribute: ScalarAttribute, *, negated: bool) -> Filter:
    """Return the comparison with an empty list: true for no value, negated for all but null."""
    if negated:
        return Comparison(attribute.name, Predicate.IS_NULL, (), negated=True)
    return ConstantCondition(holds=False)


def _id_of(model: Model) -> ScalarAttribute:
    attribute = model.attributes["id"]
    if not isinstance(attribute, ScalarAttribute):
        message = f"{model.uid} has no id"
        raise TypeError(message)
    return attribute


def _related_condition(attribute: Attribute, part: Filter | None) -> Filter | None:
    """Return the condition that some related row satisfies a filter.

    Strapi uses a LEFT JOIN: an entry without related rows has one row of nulls, which satisfies
    filters such as ``$null``. ``or_none`` has the same effect.
    """
    if part is None:
        return None
    return RelatedCondition(attribute.name, part, or_none=_holds_for_missing(part) is True)


def _holds_for_missing(part: Filter) -> bool | None:
    """Evaluate a filter for a missing row: everything is null; ``None`` means unknown."""
    match part:
        case ConstantCondition(holds=holds):
            return holds
        case Comparison(predicate=Predicate.IS_NULL, negated=negated):
            return not negated
        case Comparison():
            return None
        case RelatedCondition(part=inner):
            return None if inner is None else _holds_for_missing(inner)
        case Junction(conjunction=conjunction, parts=parts):
            outcomes = [_holds_for_missing(inner) for inner in parts]
            if (not conjunction) in outcomes:
                return not conjunction
            return None if None in outcomes else conjunction


def operand_values(operator: CustomOperator, operand: QueryValue) -> list[SlotValue]:
    """Return the bound values of an operand, in the order of the operator's fields.

    Raises ValidationError for an operand of another type; the message names the field.
    """
    (first, *_) = operator.fields
    operands: Any = operand
    if first.is_list and not first.name and not isinstance(operand, list):
        operands = [operand]
    try:
        value = msgspec.convert(operands, operator.operand, strict=False)
    except msgspec.ValidationError as error:
        raise ValidationError(f"{operator.name}: {error}") from None
    if not first.name:
        return [value]
    return [getattr(value, field.name) for field in operator.fields]
