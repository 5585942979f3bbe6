"""Intended differences of the admin API from the reference, with reasons.

Steps of recorded scenarios, by what explains them: a row of docs/compatibility.md, or a step before
that did.
"""

from collections.abc import Iterable, Mapping

_RELATED, _LOCALIZATIONS = "list-related", "localizations"
_ZONES = "zone-component"
_FIELDS, _CLONES = "list-fields-of-others", "clones"
FOLLOWS = "follows from a step before"
NO_DEVIATIONS = frozenset({FOLLOWS})
"""What explains a difference without a row of its own."""


def _steps(why: str, numbers: Iterable[int]) -> dict[int, str]:
    return dict.fromkeys(numbers, why)


EXPECTED: Mapping[str, Mapping[int, str]] = {
    "cm-bulk/publish, unpublish and delete several": _steps("bulk-publish", [2])
    | _steps(FOLLOWS, [3, 4]),
    "cm-bulk/clone": _steps(_CLONES, [9, 10, 11]),
    "cm-configuration/component": _steps("component-id", [1, 2, 3, 6]),
    "cm-validation/odd bodies and reserved keys": _steps("document-ids", [24]),
    "cm-validation/draft: structures": _steps(_ZONES, [10]),
    "cm-validation/publish: structures": _steps(_ZONES, [10]),
    "restricted/default editor: what may be read": _steps("component-id", [21]),
    "restricted/default author: what may be read": _steps("component-id", [21]),
    "restricted/author sees and changes only what is own": _steps(_CLONES, [12]),
    "restricted/only own entries (is creator)": _steps(FOLLOWS, [29, 30, 36]),
    "restricted/an editor for all types": _steps(_RELATED, [5]) | _steps(_LOCALIZATIONS, [14]),
    "restricted/limited fields": _steps(_FIELDS, [17]) | _steps(_LOCALIZATIONS, [20]),
    "restricted/limited locales": _steps(_RELATED, [7]) | _steps(_LOCALIZATIONS, [13, 17]),
    "restricted/read only, no other type": _steps(_RELATED, [7])
    | _steps("component-id", [34, 35])
    | _steps("uid-rights", [37]),
    "restricted/create without read, publish without update": _steps(_LOCALIZATIONS, [13, 14, 16]),
    "restricted/tokens, hooks and locales by right": _steps("others-files", [19])
    | _steps("token-keys", [22]),
}

_NOT_JSON = "a text that is no JSON is not stored in a JSON attribute"
_NULLS = "null comes last where it is first in SQLite"
_IDS = "ids that were given to what was undone are not given again"
ON_POSTGRESQL: Mapping[str, Mapping[int, str]] = {
    "cm-validation/draft: dates and choices": _steps(_NOT_JSON, [14]),
    "cm-validation/publish: dates and choices": _steps(_NOT_JSON, [14]),
    "cm-validation/publish: structures": _steps(_IDS, [8]),
    "restricted/limited fields": _steps(_NULLS, [16]),
}
"""Steps that differ besides on PostgreSQL, where none of them was recorded."""


def expected_steps(scenario: str, *, on_postgresql: bool) -> Mapping[int, str]:
    """Return the steps of a scenario that differ, with what explains each."""
    more = ON_POSTGRESQL.get(scenario, {}) if on_postgresql else {}
    return {**EXPECTED.get(scenario, {}), **more}
