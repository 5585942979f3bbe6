"""Adds row rules to a plan, so that rows outside of them are neither shown nor revealed.

The rules become conditions of the root and of every populated or counted node. A filter through a
relation only follows links to rows within the rules: otherwise the presence of an entry in the
result would reveal values of hidden rows. An order through such a relation is rejected, because the
position of an entry would do the same.
"""

from collections.abc import Iterable, Mapping

import orjson
from msgspec import Struct
from msgspec.structs import replace

from quire.access.ability import (
    NO_PROJECT_RULES,
    FullAccess,
    NarrowedAbility,
    ProjectRules,
    project_rules_of,
    rule_of_call,
    rules_of,
)
from quire.access.row_rules import NO_ROW, PLACEHOLDERS, placeholders_in
from quire.errors import AppError, InvalidKeyError, ValidationError
from quire.query.plan import (
    ConstantCondition,
    EdgeKind,
    Filter,
    Junction,
    PlanEdge,
    PlanNode,
    RelatedCondition,
    SortKey,
)
from quire.query.python_parameters import as_query
from quire.query.resolve.errors import Findings, Param
from quire.query.resolve.filters import resolve_filters
from quire.query.resolve.scope import ReadLimits, Scope, Slots, target_model
from quire.schema.model import ContentType, Model, Schema

FIND, FIND_ONE, COUNT = "find", "findOne", "count"
UNKNOWN_PLACEHOLDER = "A rule can speak of {}, and of nothing else with a dollar sign and user"
NO_CONDITION = "A rule needs a condition"
NO_OBJECT = "A rule is an object of filters"
TOO_LONG = "A rule has at most {} characters"
_MAX_LENGTH = 4000


def narrow_root(node: PlanNode, scope: Scope, action: str | None) -> PlanNode:
    """Return the root of a plan without the rows that the caller may not read.

    ``action`` is the caller's action on rows of the root, ``None`` if its rule is checked
    elsewhere. Raises InvalidKeyError for an order that would reveal other rows.
    """
    narrowing = _narrowing(scope)
    return node if narrowing is None else narrowing.root(node, action)


def narrow_filter(part: Filter, model: Model, scope: Scope) -> Filter:
    """Return a filter of rows of a model in which only related rows count that may be found."""
    narrowing = _narrowing(scope)
    return part if narrowing is None else narrowing.part(part, model)


def narrow_for_project(
    node: PlanNode, action: str | None, rules: ProjectRules, schema: Schema, slots: Slots
) -> PlanNode:
    """Return the root of a plan for an administrator, narrowed by rules of the project's code.

    ``action`` is as in `narrow_root`. Raises InvalidKeyError as it does.
    """
    if rules == NO_PROJECT_RULES:
        return node
    narrowing = _Narrowing(schema, ReadLimits(), slots, rules.rules, rules)
    return narrowing.root(node, action)


def check_rule(rule: object, content_type: ContentType, schema: Schema) -> None:
    """Check a rule before it is stored. Raises ValidationError or InvalidKeyError."""
    if not isinstance(rule, Mapping) or not rule:
        raise ValidationError(NO_OBJECT)
    text = orjson.dumps(rule).decode()
    if len(text) > _MAX_LENGTH:
        raise ValidationError(TOO_LONG.format(_MAX_LENGTH))
    if any(placeholder not in PLACEHOLDERS for placeholder in placeholders_in(rule)):
        raise ValidationError(UNKNOWN_PLACEHOLDER.format(", ".join(PLACEHOLDERS)))
    scope = _rule_scope(schema, ReadLimits(), Slots())
    # Ids are numbers, other user fields are texts: a numeric placeholder fits wherever possible.
    resolve_filters(as_query(_with_numbers(rule)), content_type, scope)
    scope.findings.raise_first()


def rule_filter(
    text: str, model: Model, schema: Schema, limits: ReadLimits, slots: Slots
) -> Filter:
    """Return a bound rule as a filter of rows of a model; an invalid one matches no row."""
    if text == NO_ROW:
        return ConstantCondition(holds=False)
    try:
        return resolve_rule(text, model, schema, limits, slots)
    except AppError:
        return ConstantCondition(holds=False)


def resolve_rule(
    text: str, model: Model, schema: Schema, limits: ReadLimits, slots: Slots
) -> Filter:
    """Return a bound rule as a filter. Raises an AppError for an invalid one."""
    scope = _rule_scope(schema, limits, slots)
    condition = resolve_filters(as_query(orjson.loads(text)), model, scope)
    scope.findings.raise_first()
    if condition is None:
        raise ValidationError(NO_CONDITION)
    return condition


class _Narrowing(Struct, frozen=True):
    """Adds the ``rules`` of one caller to plans: those of a role, and ``project_rules``."""

    schema: Schema
    limits: ReadLimits
    slots: Slots
    rules: Mapping[str, str]
    project_rules: ProjectRules

    def root(self, node: PlanNode, action: str | None) -> PlanNode:
        """Narrow the root of a plan, by the condition of its call as well."""
        narrowed = self.node(node, action)
        text = self._rule_text(rule_of_call(node.uid))
        if text is None:
            return narrowed
        model = self.schema.model(node.uid)
        condition = rule_filter(text, model, self.schema, self.limits, self.slots)
        return replace(narrowed, filter=_conjunction(narrowed.filter, condition))

    def node(self, node: PlanNode, action: str | None) -> PlanNode:
        """Narrow a node, and all nodes below it."""
        model = self.schema.model(node.uid)
        self._check_orders(node.sort, model)
        own_filter = None if node.filter is None else self.part(node.filter, model)
        rule = None if action is None else self._rule(model, action)
        return replace(
            node,
            filter=_conjunction(own_filter, rule),
            edges=tuple(self._edge(edge) for edge in node.edges),
        )

    def _edge(self, edge: PlanEdge) -> PlanEdge:
        action = COUNT if edge.kind is EdgeKind.COUNT else FIND
        return replace(
            edge,
            nodes=tuple(self.node(node, action) for node in edge.nodes),
            unlisted=tuple(self.node(node, action) for node in edge.unlisted),
        )

    def _rule(self, model: Model, action: str) -> Filter | None:
        """Return the condition of an action; rows that cannot be found are not counted, either."""
        action_rule = self._action_rule(model, action)
        return (
            _conjunction(self._action_rule(model, FIND), action_rule)
            if action == COUNT
            else action_rule
        )

    def _action_rule(self, model: Model, action: str) -> Filter | None:
        text = self._rule_text(f"{model.uid}.{action}")
        if text is None:
            return None
        return rule_filter(text, model, self.schema, self.limits, self.slots)

    def _rule_text(self, action: str) -> str | None:
        actions = self.project_rules.actions
        if actions is not None and action not in actions:
            message = f"the rules on {action} were not evaluated"
            raise LookupError(message)
        self.slots.rule_actions.add(action)
        self.slots.volatile |= action in self.project_rules.volatile
        return self.rules.get(action)

    def part(self, part: Filter, model: Model) -> Filter:
        """Narrow a filter of rows of a model."""
        match part:
            case Junction(parts=parts):
                return replace(part, parts=tuple(self.part(inner, model) for inner in parts))
            case RelatedCondition(attribute=name, part=inner):
                target = target_model(self.schema, model.attributes[name])
                if target is None:
                    return part
                narrowed = None if inner is None else self.part(inner, target)
                return replace(part, part=narrowed, row_filter=self._rule(target, FIND))
            case _:
                return part

    def _check_orders(self, sort: Iterable[SortKey], model: Model) -> None:
        for key in sort:
            target: Model | None = model
            for name in key.path:
                target = (
                    None if target is None else target_model(self.schema, target.attributes[name])
                )
                if target is not None and self._rule_text(f"{target.uid}.{FIND}") is not None:
                    raise InvalidKeyError(name, ".".join(key.path), source="query", param="sort")


def _narrowing(scope: Scope) -> _Narrowing | None:
    """Return the narrowing by the rules of the caller, ``None`` without any."""
    ability = scope.ability
    rules = rules_of(ability)
    # Without rules a narrowed ability is still one: they are noted as such that were evaluated.
    if not rules and not isinstance(ability, NarrowedAbility):
        return None
    project_rules = project_rules_of(ability)
    return _Narrowing(scope.schema, scope.limits, scope.slots, rules, project_rules)


def _rule_scope(schema: Schema, limits: ReadLimits, slots: Slots) -> Scope:
    return Scope(
        schema=schema,
        ability=FullAccess(),
        limits=limits,
        findings=Findings(),
        slots=slots,
        param=Param.FILTERS,
        name="rule",
        trusted=True,
    )


def _conjunction(condition: Filter | None, rule: Filter | None) -> Filter | None:
    if condition is None or rule is None:
        return condition if rule is None else rule
    return Junction(conjunction=True, parts=(condition, rule))


def _with_numbers(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _with_numbers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_numbers(inner) for inner in value]
    return 1 if value in PLACEHOLDERS else value
