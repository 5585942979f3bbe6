"""Rules of a project's code, evaluated for the principal.

The result of a function becomes a filter in the language of the content API, like the rules of
roles, so that it applies wherever theirs do. A rule that fails, or returns something else, matches
no document.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from time import perf_counter

import orjson
import structlog
from msgspec.structs import replace

from quire.access import principal as access
from quire.access.ability import (
    NO_PROJECT_RULES,
    Ability,
    FailedRule,
    FullAccess,
    Granted,
    NarrowedAbility,
    ProjectRules,
    ReadOnly,
    Unsanitized,
)
from quire.access.admin_ability import AdminAbility
from quire.access.row_rules import NO_ROW, join_rule
from quire.database.bounded_cache import BoundedCache
from quire.hooks.errors import CODE_ERRORS
from quire.hooks.function_times import MAX_PLAIN_SECONDS, add_plain_call, function_times
from quire.hooks.policies import Rule, RuleAction
from quire.hooks.principal import Principal
from quire.hooks.time import clock_reads
from quire.query.python_parameters import as_query
from quire.query.resolve.row_rules import resolve_rule
from quire.query.resolve.scope import ReadLimits, Slots
from quire.schema.model import USER_UID, Schema, TypeKind

_FIND: RuleAction = "find"
_FIND_ONE: RuleAction = "find_one"
_DELETE: RuleAction = "delete"
_CACHE_SIZE = 1000
"""How many conditions, principals and narrowed abilities are cached."""
_MAX_FORMS = 16
"""How many forms the filters of one rule may have before a warning is logged."""
_ALL_ROWS = {"id": {"$notNull": True}}
_NO_ROWS = {"id": {"$null": True}}
_NO_RULES: frozenset[Rule] = frozenset()
_RESULT_TYPES = (bool, Mapping)
"""Types of what rules return."""
_log = structlog.get_logger("quire.extensions")


class RuleEvaluation:
    """Evaluates the rules of a project for one schema."""

    def __init__(self, rules: Sequence[Rule], schema: Schema) -> None:
        self._rules = tuple(rules)
        self.is_empty = not rules
        self._schema = schema
        self._texts: BoundedCache[tuple[Rule | str, bytes], str] = BoundedCache(_CACHE_SIZE)
        self._ability_rules: BoundedCache[tuple[Ability, frozenset[str] | None], AbilityRules]
        self._ability_rules = BoundedCache(_CACHE_SIZE)
        self.narrowed_abilities: BoundedCache[tuple[AbilityRules, bytes], NarrowedAbility]
        self.narrowed_abilities = BoundedCache(_CACHE_SIZE)
        """Narrowed abilities by what the rules return, as JSON."""
        self._admin_abilities: BoundedCache[
            tuple[AdminAbility, frozenset[tuple[str, str]]], AdminAbility
        ] = BoundedCache(_CACHE_SIZE)
        self._forms: dict[Rule, set[str]] = {}
        self.actions = frozenset(action for rule in self._rules for action in self._actions(rule))
        """The actions that have rules, by the names of permissions."""

    def narrow(self, principal: access.Principal) -> access.Principal:
        """Return a principal of the content API whose ability is narrowed by all rules."""
        ability = self.rules_for(principal.ability).narrowed_ability(principal)
        return principal if ability is principal.ability else replace(principal, ability=ability)

    def rules_for(self, ability: Ability, actions: frozenset[str] | None = None) -> "AbilityRules":
        """Return the rules that narrow an ability of the content API.

        They are those on ``actions`` (`ReadPlanner.rule_actions`), and all of them for ``None``.
        Rules do not narrow the ability of the system, nor one that they have narrowed before.
        """
        key = (ability, actions)
        ability_rules = self._ability_rules.get(key)
        if ability_rules is None:
            granted = None if isinstance(ability, NarrowedAbility | Unsanitized) else ability
            rules = self._rules if actions is None else self._rules_on(actions)
            ability_rules = AbilityRules(self, granted, rules, actions)
            self._ability_rules[key] = ability_rules
        return ability_rules

    def narrow_administrator(self, administrator: access.Administrator) -> access.Administrator:
        """Return an administrator whose ability is narrowed by the rules."""
        rules = self.of_administrator(administrator.id)
        if rules == NO_PROJECT_RULES:
            return administrator
        key = (administrator.ability, rules.lasting())
        is_lasting = not (rules.volatile or rules.failed)
        ability = self._admin_abilities.get(key) if is_lasting else None
        if ability is None:
            ability = administrator.ability.narrowed(rules)
            if is_lasting:
                self._admin_abilities[key] = ability
        return replace(administrator, ability=ability)

    def of_administrator(self, id_: int) -> ProjectRules:
        """Return the rules for an administrator, by their row."""
        if not self._rules:
            return NO_PROJECT_RULES
        rules = self._rules
        results, volatile, failed = self.call(rules, Principal(kind="admin", id=id_))
        conditions, invalid = self.conditions(rules, results)
        bound_rules = self.bind_rules(rules, conditions, volatile)
        failed = [*failed, *invalid]
        if not failed:
            return bound_rules
        failed_by_action = {
            action: FailedRule(rule.name, rule.place)
            for rule in failed
            for action in self._actions(rule)
        }
        return replace(bound_rules, failed=failed_by_action)

    def _rules_on(self, actions: frozenset[str]) -> tuple[Rule, ...]:
        """Return the rules on some actions, by the names of permissions."""
        return tuple(rule for rule in self._rules if not actions.isdisjoint(self._actions(rule)))

    def call(
        self, rules: Sequence[Rule], principal: Principal
    ) -> tuple[Sequence[object], frozenset[Rule], Sequence[Rule]]:
        """Return the results of rules, which of them read the clock, and which have failed.

        The results are booleans and mappings; that of a rule that fails is false.
        """
        results: list[object] = []
        volatile: list[Rule] = []
        failed: list[Rule] = []
        times = function_times.get()
        for rule in rules:
            last_read = clock_reads.last
            start = perf_counter()
            try:
                result: object = rule.function(principal)
                # The check for a mapping takes longer than the rest of this block.
                if type(result) is not dict and not isinstance(result, _RESULT_TYPES):
                    raise _not_filters(result)
            except CODE_ERRORS as error:  # whatever fails in a rule denies
                _log_failure(rule, error)
                result = False
                failed.append(rule)
            results.append(result)
            seconds = perf_counter() - start
            if times is not None or seconds > MAX_PLAIN_SECONDS:
                add_plain_call(rule, seconds, times)
            if clock_reads.last is not last_read:
                volatile.append(rule)
        return results, frozenset(volatile) if volatile else _NO_RULES, failed

    def conditions(
        self, rules: Sequence[Rule], results: Sequence[object]
    ) -> tuple[Sequence[str | None], Sequence[Rule]]:
        """Return the condition of each rule, ``None`` for all rows, and which are invalid."""
        conditions: list[str | None] = []
        invalid: list[Rule] = []
        for rule, result in zip(rules, results, strict=True):
            if isinstance(result, bool):
                conditions.append(None if result else NO_ROW)
                continue
            try:
                conditions.append(self._condition(rule, result))
            except CODE_ERRORS as error:
                _log_failure(rule, error)
                conditions.append(NO_ROW)
                invalid.append(rule)
        return conditions, invalid

    def bind(self, uid: str, conditions: Sequence[object]) -> str:
        """Return filters of documents of a type as one bound rule.

        Raises TypeError and AppErrors for invalid filters.
        """
        return join_rule([self._condition(uid, condition) for condition in conditions])

    def _condition(self, source: Rule | str, filters: object) -> str:
        """Return the filters of a rule, or on a uid, as text. Raises as `bind`."""
        if not isinstance(filters, Mapping):
            raise _not_filters(filters)
        try:
            key = (source, orjson.dumps(filters))
        except TypeError:  # values of a filter that JSON does not have, such as decimals
            return self._check_filters(source, filters)
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = self._check_filters(source, filters)
        return text

    def _check_filters(self, source: Rule | str, filters: Mapping[str, object]) -> str:
        query = as_query(_without_none(filters, negated=False))
        text = orjson.dumps(query, option=orjson.OPT_SORT_KEYS).decode()
        model = self._schema.content_types[source if isinstance(source, str) else source.uid]
        resolve_rule(text, model, self._schema, ReadLimits(), Slots())
        if isinstance(source, Rule):
            self._record_form(source, query)
        return text

    def _record_form(self, rule: Rule, query: object) -> None:
        """Log a rule with many forms: statements are compiled for each of them."""
        forms = self._forms.setdefault(rule, set())
        if len(forms) <= _MAX_FORMS:
            forms.add(_form_of(query))
            if len(forms) > _MAX_FORMS:
                _log.warning("a rule has many forms", rule=rule.name, place=rule.place)

    def bind_rules(
        self,
        rules: Sequence[Rule],
        texts: Sequence[str | None],
        volatile: frozenset[Rule],
        actions: frozenset[str] | None = None,
    ) -> ProjectRules:
        """Return conditions by the action names of abilities."""
        conditions_by_action: dict[str, list[str]] = {}
        volatile_actions: set[str] = set()
        for rule, text in zip(rules, texts, strict=True):
            for action in self._actions(rule):
                if text is not None:
                    conditions_by_action.setdefault(action, []).append(text)
                if rule in volatile:
                    volatile_actions.add(action)
        rules_by_action = {
            action: join_rule(conditions) for action, conditions in conditions_by_action.items()
        }
        return ProjectRules(
            rules=rules_by_action, volatile=frozenset(volatile_actions), actions=actions
        )

    def _actions(self, rule: Rule) -> Iterable[str]:
        names: dict[str, None] = {}
        is_single = self._schema.content_types[rule.uid].kind is TypeKind.SINGLE
        for action in rule.on:
            names[action_name(rule.uid, action)] = None
            # An entry that is not listed cannot be read by its id either.
            if action == _FIND:
                names[action_name(rule.uid, _FIND_ONE)] = None
            if action == _FIND_ONE and is_single:
                names[action_name(rule.uid, _FIND)] = None
        return [f"{rule.uid}.{name}" for name in names]


class AbilityRules:
    """The rules on some actions that narrow one ability; evaluated for each principal."""

    __slots__ = ("_actions", "_evaluation", "_granted", "_rules")

    def __init__(
        self,
        evaluation: RuleEvaluation,
        granted: FullAccess | ReadOnly | Granted | None,
        rules: Sequence[Rule],
        actions: frozenset[str] | None,
    ) -> None:
        """``granted`` is ``None`` for an ability that rules do not narrow."""
        self._evaluation = evaluation
        self._granted = granted
        self._rules = rules
        self._actions = actions

    def narrowed_ability(self, principal: access.Principal) -> Ability:
        """Return the ability of a principal, narrowed by what the rules return for it."""
        rules, granted = self._rules, self._granted
        if not rules or granted is None:
            # Not one from a cache: abilities are equal although their volatile rules were bound at
            # other times.
            return principal.ability
        evaluation = self._evaluation
        results, volatile, _ = evaluation.call(rules, acting(principal))
        try:
            key = None if volatile else (self, orjson.dumps(results))
        except TypeError:  # values that JSON does not have, such as decimals
            key = None
        ability = None if key is None else evaluation.narrowed_abilities.get(key)
        if ability is None:
            conditions, failed = evaluation.conditions(rules, results)
            bound_rules = evaluation.bind_rules(rules, conditions, volatile, self._actions)
            ability = NarrowedAbility(granted, bound_rules)
            # Rules that fail are logged each time.
            if key is not None and not failed:
                evaluation.narrowed_abilities[key] = ability
        return ability


def action_name(uid: str, action: RuleAction) -> str:
    """Return the name of an action in permissions."""
    if action == _FIND_ONE:
        return "findOne"
    return "destroy" if action == _DELETE and uid == USER_UID else action


@lru_cache(_CACHE_SIZE)
def acting(principal: access.Principal) -> Principal:
    """Return a principal of the content API for the code of a project."""
    match principal:
        case access.Anonymous():
            return Principal(kind="anonymous")
        case access.EndUser(id=id_, document_id=document_id):
            return Principal(kind="user", id=id_, document_id=document_id)
        case access.ApiToken(id=id_):
            return Principal(kind="token", id=id_)


def _not_filters(value: object) -> TypeError:
    return TypeError(f"filters are an object, such as {{'title': 'Sea'}}, not {value!r}")


def _log_failure(rule: Rule, error: BaseException) -> None:
    _log.error("a rule failed", rule=rule.name, place=rule.place, exc_info=error)


def _without_none(filters: Mapping[str, object], *, negated: bool) -> dict[str, object]:
    """Return filters in which a condition on ``None`` matches no row.

    A rule such as ``{"owner": principal.id}`` must not match the rows without an owner when the
    principal has no id. ``negated`` says that the filters are below ``$not``: there such a
    condition has to match all rows, so that the whole matches none.
    """
    conditions: dict[str, object] = {}
    has_none = False
    for key, value in filters.items():
        if not _holds_none(value):
            conditions[key] = value
        elif key == "$not" and isinstance(value, Mapping):
            conditions[key] = _without_none(value, negated=not negated)
        elif key in {"$and", "$or"} and isinstance(value, list | tuple):
            conditions[key] = [_member(item, negated=negated) for item in value]
        else:
            has_none = True
    if not has_none:
        return conditions
    constant: dict[str, object] = dict(_ALL_ROWS if negated else _NO_ROWS)
    return {"$and": [conditions, constant]} if conditions else constant


def _member(value: object, *, negated: bool) -> object:
    if isinstance(value, Mapping):
        return _without_none(value, negated=negated)
    return dict(_ALL_ROWS if negated else _NO_ROWS) if value is None else value


def _holds_none(value: object) -> bool:
    if isinstance(value, Mapping):
        return any(map(_holds_none, value.values()))
    if isinstance(value, list | tuple | set | frozenset):
        return any(map(_holds_none, value))
    return value is None


def _form_of(query: object) -> str:
    """Return the shape of filters: the same text for filters that differ in values only."""
    if isinstance(query, Mapping):
        inner = ",".join(f"{key}:{_form_of(value)}" for key, value in query.items())
        return f"{{{inner}}}"
    if isinstance(query, list):
        return "[" + ",".join(map(_form_of, query)) + "]"
    return "?"
