"""``filters`` and ``_q``: nested conditions on attributes, and free-text search.

Negations are pushed down to the comparisons, so that "some related row for which not …" and "no
related row for which …" are distinct: a filter through a relation always asks for *one* row (or for
none at all) that satisfies all of its part.
"""

from collections.abc import Callable, Iterable, Mapping

from quire.errors import ValidationError
from quire.hooks.operators import CustomOperator
from quire.query.custom_operators import operand_values
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
        scope.unconvertible("The _q parameter must be a string")
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
        scope.malformed(NOT_AN_OBJECT)
        return None
    if isinstance(value, list):
        scope.unconvertible("The filters parameter must be an object with attributes as keys")
        return None
    max_values = scope.limits.filter_values
    if max_values is not None and not scope.trusted and has_longer_list(value, max_values):
        scope.malformed(LONG_LIST.format(max_values))
        return None
    return _Filters(scope).members(value, model, None, negated=False)


def has_longer_list(value: QueryValue, limit: int) -> bool:
    """Tell whether a value is or contains a list of more than ``limit`` values."""
    if isinstance(value, list):
        return len(value) > limit or any(has_longer_list(item, limit) for item in value)
    if isinstance(value, dict):
        return any(has_longer_list(inner, limit) for inner in value.values())
    return False


def _join(parts: Iterable[Filter | None], *, match_all: bool) -> Filter | None:
    """Join filters; empty clauses do not count."""
    given_parts = tuple(part for part in parts if part is not None)
    if len(given_parts) > 1:
        return Junction(conjunction=match_all, parts=given_parts)
    return given_parts[0] if given_parts else None


class _Filters:
    """Traverses one ``filters`` parameter. ``negated`` is true below an odd number of ``$not``."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def members(
        self, value: Mapping[str, QueryValue], model: Model, path: str | None, *, negated: bool
    ) -> Filter | None:
        """Resolve an object of attributes and groups, joined by AND."""
        parts = [
            self._member(key, inner, model, path, negated=negated) for key, inner in value.items()
        ]
        return _join(parts, match_all=not negated)

    def _member(
        self, key: str, value: QueryValue, model: Model, path: str | None, *, negated: bool
    ) -> Filter | None:
        if key == NOT:
            return self._not(value, model, path, negated=negated)
        if key in GROUPS:
            return self._group(key, value, model, path, negated=negated)
        if key in self.scope.operators or key in UNSUPPORTED:
            self.scope.unconvertible(f"The operator {key} must stand below an attribute")
            return None
        attribute = model.attributes.get(key)
        if attribute is None:
            if key not in _IDENTITY:
                self.scope.invalid_key(key, path)
            else:
                self.scope.unconvertible(f"There is no attribute {key} to filter by")
            return None
        return self._attribute(attribute, value, model, path, negated=negated)

    def _not(
        self, value: QueryValue, model: Model, path: str | None, *, negated: bool
    ) -> Filter | None:
        if value is None:
            return None
        if isinstance(value, dict):
            return self.members(value, model, path, negated=not negated)
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return self._each(
                value,
                lambda item: self._object(item, model, path, negated=not negated),
                match_all=negated,
            )
        self.scope.unconvertible("$not expects an object of filters")
        return None

    def _group(
        self, key: str, value: QueryValue, model: Model, path: str | None, *, negated: bool
    ) -> Filter | None:
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return self._each(
                value,
                lambda item: self._object(item, model, path, negated=negated),
                match_all=(key == AND) is not negated,
            )
        if isinstance(value, dict):
            self._check_attributes(value, model, path)
        self.scope.unconvertible(f"{key} expects an array of filters")
        return None

    def _object(
        self, value: QueryValue, model: Model, path: str | None, *, negated: bool
    ) -> Filter | None:
        return (
            self.members(value, model, path, negated=negated) if isinstance(value, dict) else None
        )

    def _each(
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
        """Record the errors of attributes in an object where none is expected."""
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
            isinstance(attribute, RelationAttribute) and attribute.relation.polymorphic
        ):
            self.scope.invalid_key(attribute.name, own_path, Pass.SHAPE)
            return None
        self.scope.note_hidden(attribute, own_path)
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
                    self._refuse_attributes(item, model, path)
            return self._list(attribute, OPERATORS["$in"], value, path, negated=negated)
        if not isinstance(value, dict):
            equals = OPERATORS["$eq"]
            return self._compare(attribute, equals, value, negated=negated)
        parts = []
        for key, operand in value.items():
            if key == NOT:
                part = self._not_scalar(attribute, operand, model, path, negated=negated)
            elif key in self.scope.operators:
                operator = self.scope.operators[key]
                part = self._operation(attribute, operator, operand, model, path, negated=negated)
            else:
                self._stray_key(key, operand, model, path)
                part = None
            parts.append(part)
        return _join(parts, match_all=not negated)

    def _not_scalar(
        self,
        attribute: ScalarAttribute,
        operand: QueryValue,
        model: Model,
        path: str | None,
        *,
        negated: bool,
    ) -> Filter | None:
        """Resolve ``$not`` below an attribute; of a list, one negated item is enough."""
        if isinstance(operand, list):
            return self._each(
                operand,
                lambda item: self._not_scalar(attribute, item, model, path, negated=negated),
                match_all=negated,
            )
        return self._scalar(attribute, operand, model, path, negated=not negated)

    def _refuse_attributes(
        self, value: Mapping[str, QueryValue], model: Model, path: str | None
    ) -> None:
        for key in value:
            if key in model.attributes:
                self.scope.unconvertible(f"{path} has no attribute {key}")

    def _joined(self, attribute: ScalarAttribute, items: list[QueryValue], path: str | None) -> str:
        """Convert a list in a list as JavaScript does: its texts, joined by commas."""
        if attribute.type.cast is not as_text or not all(isinstance(i, str) for i in items):
            self.scope.unconvertible(f"A list cannot stand in a list at {path}")
        return ",".join(item for item in items if isinstance(item, str))

    def _stray_key(self, key: str, value: QueryValue, model: Model, path: str | None) -> None:
        """Record an error for a key below a scalar attribute that is no comparison."""
        if self._is_operator(key):
            self.scope.unconvertible(f"{key} cannot stand at {path}")
        elif key in model.attributes:
            self._attribute(model.attributes[key], value, model, path, negated=False)
            self.scope.unconvertible(f"{path} has no attribute {key}")
        else:
            self.scope.invalid_key(key, path)

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
            return self._custom(attribute, operator, operand, path, negated=negated)
        if isinstance(operand, list):
            self._check_items(operand, model, path)
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
            self.scope.unconvertible(f"{operator.name} cannot compare with an object")
            return None
        if operator.operand is Operand.LIST:
            return self._list(attribute, operator, operand, path, negated=negated)
        if operator.operand is Operand.PAIR:
            return self._pair(attribute, operator, operand, negated=negated)
        if isinstance(operand, list):
            return self._each(
                operand,
                lambda item: self._operand_item(attribute, operator, item, path, negated=negated),
                match_all=negated,
            )
        return self._compare(attribute, operator, operand, negated=negated)

    def _custom(
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
            self.scope.unconvertible(f"{operator.name} cannot stand at {path}")
            return None
        try:
            values = operand_values(operator, operand)
        except ValidationError as error:
            self.scope.bad_operand(error)
            return None
        slots = tuple(self.scope.slots.add(value) for value in values)
        predicate = CustomPredicate(operator.name)
        return Comparison(attribute.name, predicate, slots, negated=negated)

    def _check_items(self, items: Iterable[QueryValue], model: Model, path: str | None) -> None:
        """Record errors for the keys of objects among operands, where only operators are known."""
        for item in items:
            if isinstance(item, dict):
                self._refuse_attributes(item, model, path)
                for key in item:
                    if key not in model.attributes and not self._is_operator(key):
                        self.scope.invalid_key(key, path)

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
                self.scope.unconvertible(f"{operator.name} cannot compare with an object")
                return None
            item = OBJECT_TEXT
        if isinstance(item, list):
            item = self._joined(attribute, item, path)
        return self._compare(attribute, operator, item, negated=negated)

    def _compare(
        self, attribute: ScalarAttribute, operator: Operator, operand: str | None, *, negated: bool
    ) -> Filter:
        negation = operator.negated ^ negated
        if operand is None and operator.null:
            return Comparison(attribute.name, Predicate.IS_NULL, (), negated=negation)
        if operator.operand is Operand.TEXT:
            value: SlotValue = "null" if operand is None else operand
        elif operand is None:
            return ConstantCondition(holds=False)
        else:
            value = self._cast(attribute, operand)
        return Comparison(
            attribute.name,
            operator.predicate,
            (self.scope.slots.add(value),),
            negated=negation,
            fold=operator.fold,
        )

    def _list(
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
            self.scope.unconvertible(f"{operator.name} cannot compare with an object")
        texts = [
            self._joined(attribute, item, path) if isinstance(item, list) else item
            for item in items
            if not isinstance(item, dict)
        ]
        values = [None if text is None else self._cast(attribute, text) for text in texts]
        negation = operator.negated ^ negated
        if not values:
            return _unequal(attribute, negated=negation)
        slot = self.scope.slots.add(values)
        return Comparison(attribute.name, operator.predicate, (slot,), negated=negation)

    def _pair(
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
            self.scope.bad_operand(f"{operator.name} expects an array of exactly two values")
            return None
        low, high = (self.scope.slots.add(value) for value in values)
        return Comparison(
            attribute.name, operator.predicate, (low, high), negated=operator.negated ^ negated
        )

    def _cast(self, attribute: ScalarAttribute, text: str) -> FilterValue:
        try:
            return attribute.type.cast(text)
        except ValidationError as error:
            self.scope.bad_operand(error)
            return None

    # Relations, components, media -----------------------------------------------------------

    def _related(
        self, attribute: Attribute, value: QueryValue, model: Model, path: str, *, negated: bool
    ) -> Filter | None:
        target = self.scope.target(attribute)
        if target is None:
            self.scope.invalid_key(attribute.name, path, Pass.SHAPE)
            return None
        self.scope.follow(1)
        allowed = self.scope.may_follow(model, attribute)
        if not allowed and not self.scope.nested:
            self.scope.invalid_key(attribute.name, path, Pass.FORBIDDEN)
        condition = self._related_part(attribute, value, target, path, negated=negated)
        if condition is None:
            return None
        # Inside populate a forbidden relation is no error; it must not reveal anything either.
        return condition if allowed else ConstantCondition(holds=False)

    def _related_part(
        self, attribute: Attribute, value: QueryValue, target: Model, path: str, *, negated: bool
    ) -> Filter | None:
        if isinstance(value, list):
            for item in value:
                self._check_related_item(item, target, path)
            ids = self._list(_id_of(target), OPERATORS["$in"], value, path, negated=negated)
            return _through(attribute, ids)
        if isinstance(value, dict):
            return self._related_object(attribute, value, target, path, negated=negated)
        return self._through_id(attribute, value, target, path, negated=negated)

    def _check_related_item(self, item: QueryValue, target: Model, path: str) -> None:
        """Record the errors of an object among ids, which is an id itself."""
        if isinstance(item, dict):
            filters = {
                key: inner
                for key, inner in item.items()
                if isinstance(inner, dict) or not self._is_operator(key)
            }
            self.members(filters, target, path, negated=False)

    def _through_id(
        self, attribute: Attribute, value: QueryValue, target: Model, path: str, *, negated: bool
    ) -> Filter | None:
        """Compare the row id of related rows."""
        return _through(
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
        comparing = [key for key in value if key in self.scope.operators or key == NOT]
        groups = [key for key in value if key in {AND, OR}]
        if not comparing and (not groups or len(value) == 1):
            return _through(attribute, self.members(value, target, path, negated=negated))
        other_conditions = {key: inner for key, inner in value.items() if key not in comparing}
        self.members(other_conditions, target, path, negated=negated)
        operand = value[comparing[0]] if comparing else None
        if len(value) == 1 and not isinstance(operand, dict):
            return self._through_id(attribute, dict(value), target, path, negated=negated)
        if isinstance(operand, dict) and comparing[0] in self.scope.operators:
            return self._through_id(attribute, dict(value), target, path, negated=negated)
        self.scope.unconvertible(f"Operators and attributes cannot be mixed at {path}")
        return None


def _unequal(attribute: ScalarAttribute, *, negated: bool) -> Filter:
    """Compare with a value that equals nothing: every existing value is unequal to it."""
    if negated:
        return Comparison(attribute.name, Predicate.IS_NULL, (), negated=True)
    return ConstantCondition(holds=False)


def _id_of(model: Model) -> ScalarAttribute:
    attribute = model.attributes["id"]
    if not isinstance(attribute, ScalarAttribute):
        message = f"{model.uid} has no id"
        raise TypeError(message)
    return attribute


def _through(attribute: Attribute, part: Filter | None) -> Filter | None:
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
        case Junction(conjunction=every, parts=parts):
            verdicts = [_holds_for_missing(inner) for inner in parts]
            if (not every) in verdicts:
                return not every
            return None if None in verdicts else every
