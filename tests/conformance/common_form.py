"""Converts recordings of SQLite and responses of PostgreSQL to a common form.

Times lose the zeros at the end of their fraction there, big integers are exact, decimals have two
digits, and localizations come in any order. Of the recorded rows some have a JSON string whose
quotes belong to it. Everything else has to be the same.
"""

import json
import re
from dataclasses import replace

from tests.conformance.client import ClientResponse
from tests.conformance.corpus import JSON, Step

_TIME = re.compile(r"\d\d:\d\d:\d\d(\.\d{1,3})?")
_QUOTED = re.compile(r'"[^"\\\\]*"')
_BIG = re.compile(r"-?\d{16,19}")


def common_step(step: Step) -> Step:
    """Return a step with its recorded response in the common form."""
    return replace(step, body=common(step.body))


def common_response(response: ClientResponse) -> ClientResponse:
    """Return a response with its JSON in the common form."""
    if response.json is None:
        return response
    return replace(response, content=json.dumps(common(response.json)).encode())


def common(value: JSON) -> JSON:
    """Return a value as both databases would show it."""
    match value:
        case dict():
            return {
                name: _by_locale(inner) if name == "localizations" else common(inner)
                for name, inner in value.items()
            }
        case list():
            return [common(inner) for inner in value]
        case str() if _TIME.fullmatch(value):
            clock, _, fraction = value.partition(".")
            return f"{clock}.{fraction:0<3}"
        case str() if _QUOTED.fullmatch(value):
            return common(json.loads(value))
        case str() if _BIG.fullmatch(value):
            return f"about {float(value):.15e}"
        case _:
            return value


def _by_locale(localizations: JSON) -> JSON:
    if not isinstance(localizations, list):
        return common(localizations)
    return sorted(map(common, localizations), key=_locale)


def _locale(entry: JSON) -> str:
    return str(entry.get("locale")) if isinstance(entry, dict) else ""
