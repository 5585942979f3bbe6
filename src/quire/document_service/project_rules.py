"""Rules of a project's code, evaluated for the principal.

The result of a function becomes a filter in the language of the content API, like the rules of
roles, so that it applies wherever theirs do. A rule that fails, or returns something else, matches
no document.
"""

from collections.abc import Iterable, Mapping, Sequence

import orjson
import structlog
from msgspec.structs import replace

from quire.access import principal as access
from quire.access.ability import NO_PROJECT_RULES, NarrowedAbility, ProjectRules, Unsanitized
from quire.access.admin_ability import AdminAbility
from quire.access.row_rules import NO_ROW, join_rule
from quire.clock import Clock
from quire.database.lru import BoundedCache
from quire.hooks.function_times import PlainCallTimer
from quire.hooks.policies import Rule, RuleAction
from quire.hooks.principal import Principal
from quire.hooks.time import observe_time
from quire.query.python_parameters import as_query
from quire.query.resolve.row_rules import resolve_rule
from quire.query.resolve.scope import ReadLimits, Slots
from quire.schema.model import USER_UID, Schema, TypeKind

_FIND: RuleAction = "find"
_FIND_ONE: RuleAction = "find_one"
_DELETE: RuleAction = "delete"
_CACHE_SIZE = 1000
"""How many conditions, and narrowed principals, are cached."""
_MAX_FORMS = 16
"""How many forms the filters of one rule may have before a warning is logged."""
_ALL_ROWS = {"id": {"$notNull": True}}
_NO_ROWS = {"id": {"$null": True}}
_NO_RULES: frozenset[Rule] = frozenset()

_log = structlog.get_logger("quire.extensions")


class RuleEvaluation:
    """Evaluates the rules of a project for one schema."""

    def __init__(self, rules: Sequence[Rule], schema: Schema, clock: Clock) -> None:
        """``clock`` is the time of `quire.now` within a rule."""
        self._rules = rules
        self._schema = schema
        self._clock = clock
        self._texts: BoundedCache[tuple[Rule | str, bytes], str] = BoundedCache(_CACHE_SIZE)
        self._narrowed: BoundedCache[
            tuple[access.Principal, tuple[str | None, ...]], access.Principal
        ] = BoundedCache(_CACHE_SIZE)
        self._abilities: BoundedCache[
            tuple[AdminAbility, frozenset[tuple[str, str]]], AdminAbility
        ] = BoundedCache(_CACHE_SIZE)
        self._forms: dict[Rule, set[str]] = {}

    def narrow(self, principal: access.Principal) -> access.Principal:
        """Return a principal of the content API whose ability is narrowed by the rules."""
        if not self._rules or isinstance(principal.ability, NarrowedAbility):
            return principal
        texts, volatile = self._evaluate(acting(principal))
        if volatile:
            return self._with_rules(principal, texts, volatile)
        key = (principal, texts)
        narrowed_principal = self._narrowed.get(key)
        if narrowed_principal is None:
            narrowed_principal = self._narrowed[key] = self._with_rules(principal, texts, volatile)
        return narrowed_principal

    def narrow_administrator(self, administrator: access.Administrator) -> access.Administrator:
        """Return an administrator whose ability is narrowed by the rules."""
        rules = self.of_administrator(administrator.id)
        if rules == NO_PROJECT_RULES:
            return administrator
        key = (administrator.ability, rules.lasting())
        ability = None if rules.volatile else self._abilities.get(key)
        if ability is None:
            ability = administrator.ability.narrowed(rules)
            if not rules.volatile:
                self._abilities[key] = ability
        return replace(administrator, ability=ability)

    def of_administrator(self, id_: int) -> ProjectRules:
        """Return the rules for an administrator, by their row."""
        if not self._rules:
            return NO_PROJECT_RULES
        return self._bind_rules(*self._evaluate(Principal(kind="admin", id=id_)))

    def _with_rules(
        self,
        principal: access.Principal,
        texts: tuple[str | None, ...],
        volatile: frozenset[Rule],
    ) -> access.Principal:
        rules = self._bind_rules(texts, volatile)
        ability = principal.ability
        if rules == NO_PROJECT_RULES or isinstance(ability, NarrowedAbility | Unsanitized):
            return principal
        return replace(principal, ability=NarrowedAbility(ability, rules))

    def _evaluate(self, principal: Principal) -> tuple[tuple[str | None, ...], frozenset[Rule]]:
        """Return the condition of each rule, ``None`` for all rows.

        And which rules read the clock.
        """
        texts: list[str | None] = []
        volatile: list[Rule] = []
        with observe_time(self._clock) as observed:
            for rule in self._rules:
                texts.append(self._rule_condition(rule, principal))
                if observed.was_read:
                    observed.was_read = False
                    volatile.append(rule)
        return tuple(texts), frozenset(volatile) if volatile else _NO_RULES

    def _rule_condition(self, rule: Rule, principal: Principal) -> str | None:
        try:
            with PlainCallTimer(rule):
                result: object = rule.function(principal)
            if isinstance(result, bool):
                return None if result else NO_ROW
            return self._condition(rule, result)
        except Exception as error:  # noqa: BLE001 - whatever fails in a rule denies
            _log.error("a rule failed", rule=rule.name, place=rule.place, exc_info=error)
            return NO_ROW

    def bind(self, uid: str, conditions: Sequence[object]) -> str:
        """Return filters of documents of a type as one bound rule.

        Raises TypeError and AppErrors for invalid filters.
        """
        return join_rule([self._condition(uid, condition) for condition in conditions])

    def _condition(self, source: Rule | str, filters: object) -> str:
        """Return the filters of a rule, or on a uid, as text. Raises as `bind`."""
        if not isinstance(filters, Mapping):
            message = f"filters are an object, such as {{'title': 'Sea'}}, not {filters!r}"
            raise TypeError(message)
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

    def _bind_rules(self, texts: Sequence[str | None], volatile: frozenset[Rule]) -> ProjectRules:
        """Return conditions by the action names of abilities."""
        conditions_by_action: dict[str, list[str]] = {}
        volatile_actions: set[str] = set()
        for rule, text in zip(self._rules, texts, strict=True):
            for action in self._actions(rule):
                if text is not None:
                    conditions_by_action.setdefault(action, []).append(text)
                if rule in volatile:
                    volatile_actions.add(action)
        rules_by_action = {
            action: join_rule(conditions) for action, conditions in conditions_by_action.items()
        }
        return ProjectRules(rules=rules_by_action, volatile=frozenset(volatile_actions))

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


def action_name(uid: str, action: RuleAction) -> str:
    """Return the name of an action in permissions."""
    if action == _FIND_ONE:
        return "findOne"
    return "destroy" if action == _DELETE and uid == USER_UID else action


def acting(principal: access.Principal) -> Principal:
    """Return a principal of the content API for the code of a project."""
    match principal:
        case access.Anonymous():
            return Principal(kind="anonymous")
        case access.EndUser(id=id_, document_id=document_id):
            return Principal(kind="user", id=id_, document_id=document_id)
        case access.ApiToken(id=id_):
            return Principal(kind="token", id=id_)


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
