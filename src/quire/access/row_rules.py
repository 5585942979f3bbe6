"""Row rules: the rows that an action may be taken on, as a filter of a role's permission.

A rule is an object in the language of filters. Placeholders such as ``$user.id`` stand for the
principal. For one principal a rule is bound: its placeholders are replaced, and it is stored as
text, so that abilities can be compared.
"""

from collections.abc import Iterator, Mapping, Sequence

import orjson

PLACEHOLDERS = ("$user.id", "$user.documentId", "$user.username", "$user.email")
"""The placeholders of rules."""

NO_ROW = ""
"""A bound rule that matches no row: it refers to a user, and there is none."""

_PLACEHOLDER_PREFIX = "$user"

BoundRules = frozenset[tuple[str, str]]


def bind_rules(rules: Mapping[str, object], placeholders: Mapping[str, object]) -> BoundRules:
    """Return rules by action, bound for one principal; ``placeholders`` are their values."""
    return frozenset((action, _bound(rule, placeholders)) for action, rule in rules.items())


def join_rules(first: Mapping[str, str], second: Mapping[str, str]) -> Mapping[str, str]:
    """Return bound rules by action, combined by AND."""
    joined = dict(first)
    for action, rule in second.items():
        joined[action] = rule if action not in joined else join_rule((joined[action], rule))
    return joined


def join_rule(rules: Sequence[str]) -> str:
    """Return one bound rule, the conjunction of several."""
    if NO_ROW in rules:
        return NO_ROW
    return rules[0] if len(rules) == 1 else f'{{"$and":[{",".join(rules)}]}}'


def placeholders_in(rule: object) -> Iterator[str]:
    """Yield the placeholders of a rule, known or not."""
    waiting = [rule]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and value.startswith(_PLACEHOLDER_PREFIX):
            yield value


def _bound(rule: object, placeholders: Mapping[str, object]) -> str:
    if any(placeholders.get(placeholder) is None for placeholder in placeholders_in(rule)):
        return NO_ROW
    return orjson.dumps(_filled(rule, placeholders), option=orjson.OPT_SORT_KEYS).decode()


def _filled(value: object, placeholders: Mapping[str, object]) -> object:
    if isinstance(value, Mapping):
        return {key: _filled(inner, placeholders) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, placeholders) for inner in value]
    return placeholders.get(value, value) if isinstance(value, str) else value
