"""Row rules: which rows an action may be taken on, as a filter that a role's permission carries.

A rule is an object in the language of filters. Texts such as ``$user.id`` stand for who asks. For
one principal a rule is bound: its places are filled in, and it is kept as text, so that abilities
can be compared.
"""

from collections.abc import Iterator, Mapping, Sequence

import orjson

PLACES = ("$user.id", "$user.documentId", "$user.username", "$user.email")
"""What a rule can say of who asks."""

NO_ROW = ""
"""A bound rule that no row keeps: it speaks of a user, and there is none."""

_PLACE_MARK = "$user"

BoundRules = frozenset[tuple[str, str]]


def bind_rules(rules: Mapping[str, object], places: Mapping[str, object]) -> BoundRules:
    """Return rules by action, for one principal; ``places`` are what is known of it."""
    return frozenset((action, _bound(rule, places)) for action, rule in rules.items())


def join_rules(one: Mapping[str, str], other: Mapping[str, str]) -> Mapping[str, str]:
    """Return bound rules by action, of which those of both mappings must hold."""
    joined = dict(one)
    for action, rule in other.items():
        joined[action] = rule if action not in joined else join_rule((joined[action], rule))
    return joined


def join_rule(rules: Sequence[str]) -> str:
    """Return bound rules as one, which holds where all of them do."""
    if NO_ROW in rules:
        return NO_ROW
    return rules[0] if len(rules) == 1 else f'{{"$and":[{",".join(rules)}]}}'


def places_in(rule: object) -> Iterator[str]:
    """Yield the places that a rule speaks of, known or not."""
    waiting = [rule]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and value.startswith(_PLACE_MARK):
            yield value


def _bound(rule: object, places: Mapping[str, object]) -> str:
    if any(places.get(place) is None for place in places_in(rule)):
        return NO_ROW
    return orjson.dumps(_filled(rule, places), option=orjson.OPT_SORT_KEYS).decode()


def _filled(value: object, places: Mapping[str, object]) -> object:
    if isinstance(value, Mapping):
        return {key: _filled(inner, places) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filled(inner, places) for inner in value]
    return places.get(value, value) if isinstance(value, str) else value
