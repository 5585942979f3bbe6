"""Globals of all code: ``Math``, ``JSON``, ``Object``, ``Date``, ``Promise`` and the like."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from secrets import SystemRandom
from typing import TYPE_CHECKING
from urllib.parse import quote

from quire.javascript.interpreter.dates import date_of_parts, parsed_date
from quire.javascript.interpreter.methods import WHITE_SPACE, JavaScriptMap, JavaScriptSet
from quire.javascript.interpreter.packages import WEB_CRYPTO
from quire.javascript.interpreter.values import (
    CallableObject,
    DateValue,
    ErrorValue,
    HostFunction,
    HostObject,
    Promise,
    ThrownError,
    UnsupportedError,
    as_json,
    is_nullish,
    is_number,
    is_truthy,
    key_of,
    number,
    number_of,
    own_keys,
    text_of,
    type_error,
)
from quire.javascript.scope import UNDEFINED

if TYPE_CHECKING:
    from quire.javascript.interpreter.evaluator import Machine

STRAPI_ERRORS = {
    "ApplicationError": (400, "An application error occurred"),
    "ValidationError": (400, "An application error occurred"),
    "PaginationError": (400, "Invalid pagination"),
    "UnauthorizedError": (401, "Unauthorized"),
    "ForbiddenError": (403, "Forbidden access"),
    "PolicyError": (403, "Policy Failed"),
    "NotFoundError": (404, "Entity not found"),
    "PayloadTooLargeError": (413, "Entity too large"),
    "RateLimitError": (429, "Too many requests, please try again later."),
    "NotImplementedError": (501, "This feature is not implemented yet"),
}
"""The errors of ``@strapi/utils`` with the status of their responses and their default messages."""
_MAX_DIGITS = 15
_LONGEST_ARRAY = 10_000
_DEEPEST_INDENT = 10
_random = SystemRandom()


def function(make: Callable[..., object]) -> HostFunction:
    """Return a JavaScript function that calls a Python function."""

    async def call(arguments: Sequence[object]) -> object:
        return make(*arguments)

    return HostFunction(call)


def library(machine: "Machine", now: Callable[[], int]) -> dict[str, object]:
    """Return the globals by name; ``now`` returns milliseconds since 1970."""
    return {
        **_VALUES,
        "Date": _date(now),
        "Array": HostObject(
            {
                "isArray": function(lambda value=UNDEFINED, *_: isinstance(value, list)),
                "from": HostFunction(lambda given: _array_from(machine, given)),
            }
        ),
        "Object": HostObject({**_OBJECT, "assign": function(partial(_assign, machine))}),
    }


def _assign(machine: "Machine", target: object = UNDEFINED, *sources: object) -> object:
    """Return ``Object.assign(target, …)``.

    Raises UnsupportedError for objects that requests share.
    """
    if not isinstance(target, dict | ErrorValue):
        raise UnsupportedError("assigns to something else than an object")
    machine.require_own(target)
    for source in sources:
        if not (isinstance(source, dict) or is_nullish(source)):
            raise UnsupportedError("assigns something else than an object")
        for key, value in ({} if is_nullish(source) else _object_of(source)).items():
            if isinstance(target, dict):
                target[key] = value
            else:
                target.assign(key, value)
    return target


async def _array_from(machine: "Machine", arguments: Sequence[object]) -> object:
    source = arguments[0] if arguments else UNDEFINED
    if isinstance(source, JavaScriptSet | JavaScriptMap):
        items = [*source.items]
    elif isinstance(source, list | str):
        items = [*source]
    elif isinstance(source, dict) and source.keys() == {"length"}:
        items = [UNDEFINED] * _require_length(source["length"])
    else:
        raise UnsupportedError("Array.from")
    if len(arguments) < 2:
        return items
    return [
        await machine.call(arguments[1], (item, index), UNDEFINED)
        for index, item in enumerate(items)
    ]


def _require_length(value: object) -> int:
    if not isinstance(value, int) or not 0 <= value <= _LONGEST_ARRAY:
        raise UnsupportedError("an array of a length that is not known")
    return value


# Dates and promises


def _date(now: Callable[[], int]) -> HostObject:
    async def construct(arguments: Sequence[object]) -> object:
        if not arguments:
            return DateValue(now())
        if len(arguments) > 1:
            return date_of_parts(arguments)
        return parsed_date(arguments[0])

    return HostObject({"new": HostFunction(construct), "now": function(lambda *_: now())})


def _promise() -> HostObject:
    async def all_of(arguments: Sequence[object]) -> object:
        return [_settled_value(item) for item in _require_list(arguments)]

    async def all_settled(arguments: Sequence[object]) -> object:
        return [_outcome(item) for item in _require_list(arguments)]

    async def resolved(arguments: Sequence[object]) -> object:
        return arguments[0] if arguments else UNDEFINED

    async def rejected(arguments: Sequence[object]) -> object:
        raise ThrownError(arguments[0] if arguments else UNDEFINED)

    return HostObject(
        {
            "all": HostFunction(all_of, is_async=True),
            "allSettled": HostFunction(all_settled, is_async=True),
            "reject": HostFunction(rejected, is_async=True),
            "resolve": HostFunction(resolved, is_async=True),
        }
    )


def _require_list(arguments: Sequence[object]) -> list[object]:
    if len(arguments) != 1 or not isinstance(arguments[0], list):
        raise UnsupportedError("waits for something else than a list")
    return arguments[0]


def _settled_value(value: object) -> object:
    while isinstance(value, Promise):
        value = value.settled()
    return value


def _outcome(value: object) -> dict[str, object]:
    try:
        return {"status": "fulfilled", "value": _settled_value(value)}
    except ThrownError as error:
        return {"status": "rejected", "reason": error.value}


# Objects


def _object_of(value: object) -> dict[str, object]:
    if is_nullish(value):
        raise type_error("Cannot convert undefined or null to object")
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        return {str(index): item for index, item in enumerate(value)}
    raise UnsupportedError("the members of something else than an object")


def _keys(value: object = UNDEFINED) -> list[object]:
    return [*own_keys(_object_of(value))]


def _values(value: object = UNDEFINED) -> list[object]:
    members = _object_of(value)
    return [members[key] for key in own_keys(members)]


def _entries(value: object = UNDEFINED) -> list[object]:
    members = _object_of(value)
    return [[key, members[key]] for key in own_keys(members)]


def _from_entries(value: object = UNDEFINED) -> dict[str, object]:
    pairs = value.items if isinstance(value, JavaScriptMap) else value
    if not isinstance(pairs, list):
        raise UnsupportedError("Object.fromEntries")
    members: dict[str, object] = {}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise UnsupportedError("Object.fromEntries")
        members[key_of(pair[0])] = pair[1]
    return members


# Numbers and texts


def _parse_int(value: object = UNDEFINED, base: object = 10) -> int | float:
    if is_number(value) and isinstance(value, int):
        return value
    text = text_of(value).lstrip(WHITE_SPACE)
    if base not in {10, UNDEFINED} or text.lower().startswith(("0x", "+0x", "-0x")):
        raise UnsupportedError("parseInt with another base")
    sign, digits = ("-" if text.startswith("-") else ""), text.lstrip("+-")
    if len(text) - len(digits) > 1:
        return math.nan
    digits_read = digits[
        : next((index for index, letter in enumerate(digits) if letter not in _DIGITS), None)
    ]
    if len(digits_read) > _MAX_DIGITS:
        raise UnsupportedError("a large number")
    return int(sign + digits_read) if digits_read else math.nan


_DIGITS = frozenset("0123456789")


def _parse_float(value: object = UNDEFINED) -> int | float:
    if is_number(value):
        return number_of(value)
    text = text_of(value).strip(WHITE_SPACE)
    has_point, length = False, 0
    for index, letter in enumerate(text):
        if letter == "." and not has_point:
            has_point = True
        elif not (letter in _DIGITS or (letter in "+-" and index == 0)):
            if letter in "eEI":
                raise UnsupportedError("a number in another form")
            break
        length = index + 1
    try:
        return number(float(text[:length]))
    except ValueError:
        return math.nan


def _is_nan(value: object = UNDEFINED) -> bool:
    number = number_of(value)
    return isinstance(number, float) and math.isnan(number)


def _is_integer(value: object = UNDEFINED) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and (isinstance(value, int) or value.is_integer())
    )


def _round(value: object = UNDEFINED) -> int | float:
    return _convert_number(value, lambda number_value: math.floor(number_value + 0.5))


def _convert_number(value: object, change: Callable[[float], float]) -> int | float:
    converted = number_of(value)
    return number(change(converted)) if math.isfinite(converted) else converted


def _extreme_function(
    choose: Callable[[list[float]], float], default: float
) -> Callable[..., object]:
    def choose_extreme(*values: object) -> object:
        results = [number_of(value) for value in values]
        if any(math.isnan(extreme) for extreme in results):
            return math.nan
        return number(choose(results)) if results else default

    return choose_extreme


def _power(base: object = UNDEFINED, exponent: object = UNDEFINED) -> object:
    base_number, exponent_number = number_of(base), number_of(exponent)
    if not (abs(base_number) <= 1e6 and 0 <= exponent_number <= 10):
        raise UnsupportedError("Math.pow")
    return number(base_number**exponent_number)


def _square_root(value: object = UNDEFINED) -> int | float:
    operand = number_of(value)
    return number(math.sqrt(operand)) if operand >= 0 else math.nan


def _stringify(
    value: object = UNDEFINED, replacer: object = None, space: object = UNDEFINED
) -> object:
    if value is UNDEFINED or not is_nullish(replacer):
        raise UnsupportedError("JSON.stringify with options")
    result = _checked_floats(as_json(value))
    if is_nullish(space) or space == 0:
        return json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    if not isinstance(space, int) or not 0 < space <= _DEEPEST_INDENT:
        raise UnsupportedError("JSON.stringify with options")
    return json.dumps(result, ensure_ascii=False, indent=space)


def _checked_floats(value: object) -> object:
    if isinstance(value, float):
        text_of(value)  # rejects exponential forms
    for inner in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        _checked_floats(inner)
    return value


def _parse_json(value: object = UNDEFINED, *more: object) -> object:
    if more or not isinstance(value, str):
        raise UnsupportedError("JSON.parse")

    def refuse(_name: str) -> object:
        raise ValueError

    try:
        parsed: object = json.loads(value, parse_constant=refuse)
    except (ValueError, RecursionError):
        raise ThrownError(ErrorValue("SyntaxError", "Unexpected token in JSON")) from None
    return parsed


def _error(name: str, status: int | None = None, default_message: str = "") -> HostObject:
    async def construct(arguments: Sequence[object]) -> object:
        message = (
            default_message if not arguments or arguments[0] is UNDEFINED else text_of(arguments[0])
        )
        if status is None:
            return ErrorValue(name, message)
        details = arguments[1] if len(arguments) > 1 and arguments[1] is not UNDEFINED else {}
        return ErrorValue(name, message, status=status, details=details, is_application=True)

    return HostObject({"new": HostFunction(construct)})


def _return_undefined(*_arguments: object) -> object:
    return UNDEFINED


def _collection_constructor(make: Callable[[Sequence[object]], object]) -> HostFunction:
    async def call(arguments: Sequence[object]) -> object:
        value = arguments[0] if arguments else UNDEFINED
        if is_nullish(value):
            return make(())
        if isinstance(value, JavaScriptSet | JavaScriptMap):
            return make([*value.items])
        if isinstance(value, list):
            return make(value)
        raise UnsupportedError("a set or a map of something else than a list")

    return HostFunction(call)


def quiet_log() -> HostObject:
    """Return a log that discards its messages."""
    names = ("log", "info", "warn", "error", "debug", "trace", "http", "fatal", "verbose", "silly")
    return HostObject({name: function(_return_undefined) for name in names})


def strapi_errors() -> HostObject:
    """Return ``errors`` of ``@strapi/utils``."""
    error_classes = {
        name: _error(name, status, default_message)
        for name, (status, default_message) in STRAPI_ERRORS.items()
    }
    return HostObject(error_classes)


def _callable(make: Callable[..., object], members: Mapping[str, object]) -> CallableObject:
    return CallableObject(function(make), members)


def _encode_component(value: object = UNDEFINED) -> str:
    return quote(text_of(value), safe="!'()*-._~")


_OBJECT: Mapping[str, object] = {
    "keys": function(_keys),
    "values": function(_values),
    "entries": function(_entries),
    "fromEntries": function(_from_entries),
}
_VALUES: Mapping[str, object] = {
    "Boolean": _callable(lambda value=UNDEFINED, *_: is_truthy(value), {}),
    "Error": _error("Error"),
    "Infinity": math.inf,
    "JSON": HostObject({"stringify": function(_stringify), "parse": function(_parse_json)}),
    "Map": HostObject({"new": _collection_constructor(JavaScriptMap)}),
    "Math": HostObject(
        {
            "abs": function(lambda value=UNDEFINED: number(abs(number_of(value)))),
            "ceil": function(lambda value=UNDEFINED: _convert_number(value, math.ceil)),
            "floor": function(lambda value=UNDEFINED: _convert_number(value, math.floor)),
            "max": function(_extreme_function(max, -math.inf)),
            "min": function(_extreme_function(min, math.inf)),
            "pow": function(_power),
            "random": function(_random.random),
            "round": function(_round),
            "sqrt": function(_square_root),
            "trunc": function(lambda value=UNDEFINED: _convert_number(value, math.trunc)),
        }
    ),
    "NaN": math.nan,
    "Number": _callable(
        lambda *given: number(number_of(given[0])) if given else 0,
        {
            "isInteger": function(_is_integer),
            "isNaN": function(lambda value=UNDEFINED: is_number(value) and _is_nan(value)),
            "isFinite": function(
                lambda value=UNDEFINED: is_number(value) and math.isfinite(number_of(value))
            ),
            "parseInt": function(_parse_int),
            "parseFloat": function(_parse_float),
            "MAX_SAFE_INTEGER": 2**53 - 1,
        },
    ),
    "Set": HostObject({"new": _collection_constructor(JavaScriptSet)}),
    "String": _callable(lambda *given: text_of(given[0]) if given else "", {}),
    "TypeError": _error("TypeError"),
    "Promise": _promise(),
    "console": quiet_log(),
    "crypto": WEB_CRYPTO,
    "encodeURIComponent": function(_encode_component),
    "isNaN": function(_is_nan),
    "parseFloat": function(_parse_float),
    "parseInt": function(_parse_int),
}

_REQUEST_MEMBERS: Mapping[str, frozenset[str]] = {
    "Array": frozenset({"isArray", "from"}),
    "Date": frozenset({"new", "now"}),
    "Object": frozenset({*_OBJECT, "assign"}),
}
"""Members of the globals that `library` creates for each request."""
GLOBAL_NAMES: Mapping[str, frozenset[str]] = {
    "undefined": frozenset(),
    **{
        name: frozenset(value.members) if isinstance(value, HostObject) else frozenset()
        for name, value in _VALUES.items()
    },
    **_REQUEST_MEMBERS,
}
"""The names of globals, with their members."""
GLOBAL_FUNCTIONS = frozenset(
    name for name, value in _VALUES.items() if isinstance(value, HostFunction | CallableObject)
)
"""Globals that can be called."""
