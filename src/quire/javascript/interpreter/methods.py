"""Properties and methods of texts, numbers, arrays, dates and other values."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from quire.javascript.interpreter.collation import compared
from quire.javascript.interpreter.dates import DATE_METHODS
from quire.javascript.interpreter.regexes import replaced, split, tested
from quire.javascript.interpreter.values import (
    CallableObject,
    DateValue,
    ErrorValue,
    HostFunction,
    UnsupportedError,
    is_nullish,
    is_truthy,
    member_of,
    number_of,
    number_text,
    strictly_equal,
    text_of,
    type_error,
)
from quire.javascript.scope import UNDEFINED
from quire.javascript.syntax import Regex

WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


class Caller(Protocol):
    """Calls functions of the code."""

    async def call(self, function: object, arguments: Sequence[object], this: object) -> object:
        """Call a function."""

    def require_own(self, value: object) -> None:
        """Check that code does not change what requests share."""


class SetValue:
    """A set, in the order in which its items were added."""

    def __init__(self, items: Sequence[object]) -> None:
        self.items: list[object] = []
        for item in items:
            self.add(item)

    def has(self, item: object) -> bool:
        """Whether an item is in it."""
        return any(strictly_equal(one, item) for one in self.items)

    def add(self, item: object) -> None:
        """Add an item."""
        if not self.has(item):
            self.items.append(item)


class MapValue:
    """A map with keys of any type, in insertion order."""

    def __init__(self, pairs: Sequence[object]) -> None:
        self.items: list[object] = []
        for pair in pairs:
            if not isinstance(pair, list) or len(pair) != 2:
                raise UnsupportedError("a map of something else than pairs")
            self.set(pair[0], pair[1])

    def _pair(self, key: object) -> list[object] | None:
        for pair in self.items:
            if isinstance(pair, list) and strictly_equal(pair[0], key):
                return pair
        return None

    def has(self, key: object) -> bool:
        """Whether there is a value for a key."""
        return self._pair(key) is not None

    def get(self, key: object) -> object:
        """Return the value of a key."""
        pair = self._pair(key)
        return UNDEFINED if pair is None else pair[1]

    def set(self, key: object, value: object) -> None:
        """Set the value of a key."""
        pair = self._pair(key)
        if pair is None:
            self.items.append([key, value])
        else:
            pair[1] = value


def property_of(of: object, key: str) -> object:
    """Return a property of a value. Raises UnsupportedError for an unknown one."""
    match of:
        case dict():
            return member_of(of, key)
        case list() if key == "length":
            return len(of)
        case list() if key.isdigit():
            return of[int(key)] if int(key) < len(of) else UNDEFINED
        case str() if key == "length":
            return len(of.encode("utf-16-le", "surrogatepass")) // 2
        case str() if key.isdigit() and of.isascii():
            return of[int(key)] if int(key) < len(of) else UNDEFINED
        case ErrorValue():
            return _error_property(of, key)
        case SetValue() | MapValue() if key == "size":
            return len(of.items)
        case bool() | int() | float() | str() | list() if not _is_method(key):
            return UNDEFINED
        case _:
            raise UnsupportedError(f"the property {key}")


def _is_method(key: str) -> bool:
    """Whether a key may be that of a method of the language, supported or not."""
    return key in METHOD_NAMES or key in _MORE_METHODS or key in {"constructor", "__proto__"}


_MORE_METHODS = frozenset(
    {
        *("copyWithin", "fill", "lastIndexOf", "reduceRight", "toLocaleString", "valueOf", "with"),
        *("codePointAt", "match", "matchAll", "normalize", "search", "localeCompare", "anchor"),
        *("toExponential", "toPrecision", "hasOwnProperty", "isPrototypeOf", "toReversed", "link"),
        *("toSorted", "toSpliced", "propertyIsEnumerable", "toLocaleUpperCase", "bold", "big"),
        *("toLocaleLowerCase", "isWellFormed", "toWellFormed", "sub", "sup", "small", "blink"),
    }
)


def _error_property(error: ErrorValue, key: str) -> object:
    if key in error.members:
        return error.members[key]
    match key:
        case "message":
            return error.message
        case "name":
            return error.name
        case "details":
            return error.details
        case "status" | "statusCode":
            return UNDEFINED if error.status is None else error.status
        case "response" | "code" | "errors" | "type" | "field":
            return UNDEFINED
        case _:
            raise UnsupportedError(f"{key} of an error")


async def call_method(  # noqa: C901 - a case for each kind of value
    run: Caller, of: object, key: str, arguments: Sequence[object]
) -> object:
    """Call a method of a value. Raises ThrownError, UnsupportedError."""
    match of:
        case str():
            methods: Mapping[str, Method] = _TEXT
        case list():
            methods = _ARRAY
        case DateValue():
            if key in DATE_METHODS:
                return DATE_METHODS[key](of, arguments)
            raise UnsupportedError(f"{key} of a date")
        case SetValue():
            methods = _SET
        case MapValue():
            methods = _MAP
        case Regex() if key == "test":
            return tested(of, text_of(_at(arguments, 0)))
        case dict() if key == "hasOwnProperty":
            return text_of(_at(arguments, 0)) in of
        case bool() | int() | float():
            methods = _NUMBER
        case _:
            raise UnsupportedError(f"the method {key}")
    method = methods.get(key)
    if method is not None:
        return await method(run, of, arguments)
    if _is_method(key) or isinstance(of, SetValue | MapValue):
        raise UnsupportedError(f"the method {key}")
    raise type_error(f"{key} is not a function")


Method = Callable[[Caller, object, Sequence[object]], Awaitable[object]]


def _at(arguments: Sequence[object], index: int) -> object:
    return arguments[index] if index < len(arguments) else UNDEFINED


def _plain(
    make: Callable[..., object],
) -> Method:
    async def call(_run: Caller, of: object, arguments: Sequence[object]) -> object:
        return make(of, *arguments)

    return call


def _index(value: object, length: int, usual: int) -> int:
    """Return a position in a text or array: negative ones count from its end."""
    if value is UNDEFINED:
        return usual
    result = number_of(value)
    if result != result:  # noqa: PLR0124 - not a number
        return 0
    place = int(max(min(result, length), -length - 1))
    return max(place + length, 0) if place < 0 else min(place, length)


# Texts


def _ascii(text: object) -> str:
    """Return a text whose characters are its UTF-16 units. Raises UnsupportedError."""
    result = str(text)
    if any(ord(letter) > 0xFFFF for letter in result):
        raise UnsupportedError("places in a text with characters of two units")
    return result


def _slice(of: object, start: object = UNDEFINED, end: object = UNDEFINED) -> object:
    items = _ascii(of) if isinstance(of, str) else of
    if not isinstance(items, str | list):
        raise UnsupportedError("slice")
    first = _index(start, len(items), 0)
    return items[first : max(_index(end, len(items), len(items)), first)]


def _substring(of: object, start: object = UNDEFINED, end: object = UNDEFINED) -> object:
    text = _ascii(of)

    def place(value: object, usual: int) -> int:
        if value is UNDEFINED:
            return usual
        result = number_of(value)
        return 0 if result != result else int(max(min(result, len(text)), 0))  # noqa: PLR0124

    first, last = sorted((place(start, 0), place(end, len(text))))
    return text[first:last]


def _char_at(of: object, place: object = 0) -> object:
    text, index = _ascii(of), int(number_of(place))
    return text[index] if 0 <= index < len(text) else ""


def _pad(of: object, length: object, filler: object, *, at_start: bool) -> str:
    text, fill = _ascii(of), " " if filler is UNDEFINED else text_of(filler)
    missing = int(number_of(length)) - len(text)
    if missing <= 0 or not fill:
        return text
    if missing > 10_000:
        raise UnsupportedError("a long text")
    added = (fill * missing)[:missing]
    return added + text if at_start else text + added


def _replaced(of: object, expected: object, by: object, *, match_all: bool) -> object:
    if not isinstance(by, str):
        raise UnsupportedError("replaces by something else than a text")
    if "$" in by:
        raise UnsupportedError("replaces by parts of what was found")
    if isinstance(expected, Regex):
        return replaced(expected, str(of), by)
    return str(of).replace(text_of(expected), by, -1 if match_all else 1)


def _repeat(of: object, count: object) -> str:
    times = int(number_of(count))
    if not 0 <= times <= 10_000:
        raise UnsupportedError("repeats a text")
    return str(of) * times


def _split(of: object, separator: object = UNDEFINED, limit: object = UNDEFINED) -> list[object]:
    text = str(of)
    if limit is not UNDEFINED:
        raise UnsupportedError("split with a limit")
    if separator is UNDEFINED:
        return [text]
    if isinstance(separator, Regex):
        return split(separator, text)
    mark = text_of(separator)
    return [*text.split(mark)] if mark else [*_ascii(text)]


def _lower(of: object) -> str:
    return _changed(of, str.lower)


def _upper(of: object) -> str:
    return _changed(of, str.upper)


def _changed(of: object, change: Callable[[str], str]) -> str:
    return change(str(of))


def _of_text(make: Callable[[str, str], object]) -> Method:
    def made(of: object, expected: object = UNDEFINED, *others: object) -> object:
        if isinstance(expected, Regex):
            raise UnsupportedError("a pattern in the place of a text")
        if others:
            raise UnsupportedError("a second argument")
        return make(str(of), text_of(expected))

    return _plain(made)


_TEXT: Mapping[str, Method] = {
    "charAt": _plain(_char_at),
    "concat": _plain(lambda of, *more: str(of) + "".join(map(text_of, more))),
    "endsWith": _of_text(str.endswith),
    "includes": _of_text(lambda text, wanted: wanted in text),
    "indexOf": _of_text(lambda text, wanted: _ascii(text).find(wanted)),
    "lastIndexOf": _of_text(lambda text, wanted: _ascii(text).rfind(wanted)),
    "localeCompare": _of_text(compared),
    "padEnd": _plain(lambda of, to, by=UNDEFINED: _pad(of, to, by, at_start=False)),
    "padStart": _plain(lambda of, to, by=UNDEFINED: _pad(of, to, by, at_start=True)),
    "repeat": _plain(_repeat),
    "replace": _plain(lambda of, wanted, by=UNDEFINED: _replaced(of, wanted, by, match_all=False)),
    "replaceAll": _plain(
        lambda of, wanted, by=UNDEFINED: _replaced(of, wanted, by, match_all=True)
    ),
    "slice": _plain(_slice),
    "split": _plain(_split),
    "startsWith": _of_text(str.startswith),
    "substring": _plain(_substring),
    "toLowerCase": _plain(_lower),
    "toString": _plain(lambda of: of),
    "toUpperCase": _plain(_upper),
    "trim": _plain(lambda of: str(of).strip(WHITE_SPACE)),
    "trimEnd": _plain(lambda of: str(of).rstrip(WHITE_SPACE)),
    "trimStart": _plain(lambda of: str(of).lstrip(WHITE_SPACE)),
}


# Numbers


def _to_fixed(of: object, digits: object = 0) -> str:
    value, places = number_of(of), int(number_of(digits))
    if not 0 <= places <= 20 or abs(value) >= 1e15 or value != value:  # noqa: PLR0124
        raise UnsupportedError("toFixed")
    return f"{value:.{places}f}"


def _number_text(of: object, base: object = UNDEFINED) -> str:
    if base is not UNDEFINED:
        raise UnsupportedError("a number in another base")
    return text_of(of) if isinstance(of, bool) else number_text(number_of(of))


_NUMBER: Mapping[str, Method] = {
    "toFixed": _plain(_to_fixed),
    "toString": _plain(_number_text),
}


# Arrays


def _list(of: object) -> list[object]:
    if not isinstance(of, list):
        raise UnsupportedError("an array")
    return of


def _own(run: Caller, of: object) -> list[object]:
    run.require_own(of)
    return _list(of)


async def _calls(
    run: Caller, of: object, arguments: Sequence[object]
) -> list[tuple[object, object]]:
    """Return items with the results of a function for them."""
    results = []
    for index, item in enumerate([*_list(of)]):
        results.append((item, await _callback(run, _at(arguments, 0), item, index, of)))
    return results


async def _callback(run: Caller, function: object, *arguments: object) -> object:
    if isinstance(function, HostFunction | CallableObject):
        return await run.call(function, arguments[:1], UNDEFINED)
    return await run.call(function, arguments, UNDEFINED)


async def _map(run: Caller, of: object, arguments: Sequence[object]) -> object:
    return [made for _, made in await _calls(run, of, arguments)]


async def _filter(run: Caller, of: object, arguments: Sequence[object]) -> object:
    return [item for item, made in await _calls(run, of, arguments) if is_truthy(made)]


async def _for_each(run: Caller, of: object, arguments: Sequence[object]) -> object:
    await _calls(run, of, arguments)
    return UNDEFINED


async def _flat_map(run: Caller, of: object, arguments: Sequence[object]) -> object:
    return _flat([made for _, made in await _calls(run, of, arguments)])


async def _searched(run: Caller, of: object, arguments: Sequence[object]) -> int:
    for index, item in enumerate([*_list(of)]):
        if is_truthy(await _callback(run, _at(arguments, 0), item, index, of)):
            return index
    return -1


async def _find(run: Caller, of: object, arguments: Sequence[object]) -> object:
    index = await _searched(run, of, arguments)
    return UNDEFINED if index < 0 else _list(of)[index]


async def _some(run: Caller, of: object, arguments: Sequence[object]) -> object:
    return await _searched(run, of, arguments) >= 0


async def _every(run: Caller, of: object, arguments: Sequence[object]) -> object:
    for index, item in enumerate([*_list(of)]):
        if not is_truthy(await _callback(run, _at(arguments, 0), item, index, of)):
            return False
    return True


async def _reduce(run: Caller, of: object, arguments: Sequence[object]) -> object:
    items = [*enumerate([*_list(of)])]
    if len(arguments) > 1:
        result = arguments[1]
    elif items:
        result = items.pop(0)[1]
    else:
        raise type_error("Reduce of empty array with no initial value")
    for index, item in items:
        result = await run.call(arguments[0], (result, item, index, of), UNDEFINED)
    return result


async def _sort(run: Caller, of: object, arguments: Sequence[object]) -> object:
    items = _own(run, of)
    function = _at(arguments, 0)
    if function is UNDEFINED:
        if not all(isinstance(item, str) and item.isascii() for item in items):
            raise UnsupportedError("sorts something else than texts")
        items.sort(key=text_of)
        return items
    items[:] = await _merged(run, function, items)
    return items


async def _merged(run: Caller, function: object, items: list[object]) -> list[object]:
    """Return items sorted by a function that compares two; the sort is stable."""
    if len(items) < 2:
        return items
    middle = len(items) // 2
    first = await _merged(run, function, items[:middle])
    second = await _merged(run, function, items[middle:])
    results: list[object] = []
    while first and second:
        compared = number_of(await run.call(function, (first[0], second[0]), UNDEFINED))
        results.append((second if compared > 0 else first).pop(0))
    return [*results, *first, *second]


async def _push(run: Caller, of: object, arguments: Sequence[object]) -> object:
    items = _own(run, of)
    items.extend(arguments)
    return len(items)


async def _unshift(run: Caller, of: object, arguments: Sequence[object]) -> object:
    items = _own(run, of)
    items[:0] = arguments
    return len(items)


async def _pop(run: Caller, of: object, _given: Sequence[object]) -> object:
    items = _own(run, of)
    return items.pop() if items else UNDEFINED


async def _shift(run: Caller, of: object, _given: Sequence[object]) -> object:
    items = _own(run, of)
    return items.pop(0) if items else UNDEFINED


async def _splice(run: Caller, of: object, arguments: Sequence[object]) -> object:
    items = _own(run, of)
    start = _index(_at(arguments, 0), len(items), 0)
    count = len(items) if len(arguments) < 2 else max(int(number_of(arguments[1])), 0)
    removed = items[start : start + count]
    items[start : start + count] = arguments[2:]
    return removed


async def _reverse(run: Caller, of: object, _given: Sequence[object]) -> object:
    items = _own(run, of)
    items.reverse()
    return items


def _flat(of: object, depth: object = 1) -> list[object]:
    if depth != 1:
        raise UnsupportedError("flat with a depth")
    results: list[object] = []
    for item in _list(of):
        if isinstance(item, list):
            results += item
        else:
            results.append(item)
    return results


def _contains(of: object, expected: object = UNDEFINED, *others: object) -> bool:
    if others:
        raise UnsupportedError("a second argument")
    return any(strictly_equal(item, expected) for item in _list(of))


def _index_of(of: object, expected: object = UNDEFINED, *others: object) -> int:
    if others:
        raise UnsupportedError("a second argument")
    results = (index for index, item in enumerate(_list(of)) if strictly_equal(item, expected))
    return next(results, -1)


def _join(of: object, separator: object = UNDEFINED) -> str:
    mark = "," if separator is UNDEFINED else text_of(separator)
    return mark.join("" if is_nullish(item) else text_of(item) for item in _list(of))


def _concat(of: object, *more: object) -> list[object]:
    results = [*_list(of)]
    for one in more:
        results += one if isinstance(one, list) else [one]
    return results


def _item_at(of: object, place: object = 0) -> object:
    items, index = _list(of), int(number_of(place))
    return items[index] if -len(items) <= index < len(items) else UNDEFINED


_ARRAY: Mapping[str, Method] = {
    "at": _plain(_item_at),
    "concat": _plain(_concat),
    "entries": _plain(lambda of: [[index, item] for index, item in enumerate(_list(of))]),
    "every": _every,
    "filter": _filter,
    "find": _find,
    "findIndex": _searched,
    "flat": _plain(_flat),
    "flatMap": _flat_map,
    "forEach": _for_each,
    "includes": _plain(_contains),
    "indexOf": _plain(_index_of),
    "join": _plain(_join),
    "keys": _plain(lambda of: [*range(len(_list(of)))]),
    "map": _map,
    "pop": _pop,
    "push": _push,
    "reduce": _reduce,
    "reverse": _reverse,
    "shift": _shift,
    "slice": _plain(_slice),
    "some": _some,
    "sort": _sort,
    "splice": _splice,
    "unshift": _unshift,
    "values": _plain(lambda of: [*_list(of)]),
}


# Sets and maps


def _set_add(of: object, item: object = UNDEFINED) -> object:
    if isinstance(of, SetValue):
        of.add(item)
    return of


def _remove(of: object, key: object = UNDEFINED) -> bool:
    if not isinstance(of, SetValue | MapValue):
        raise UnsupportedError("delete")
    for index, one in enumerate(of.items):
        known = one[0] if isinstance(of, MapValue) and isinstance(one, list) else one
        if strictly_equal(known, key):
            del of.items[index]
            return True
    return False


def _has(of: object, key: object = UNDEFINED) -> bool:
    if not isinstance(of, SetValue | MapValue):
        raise UnsupportedError("has")
    return of.has(key)


def _map_get(of: object, key: object = UNDEFINED) -> object:
    return of.get(key) if isinstance(of, MapValue) else UNDEFINED


def _map_set(of: object, key: object = UNDEFINED, value: object = UNDEFINED) -> object:
    if isinstance(of, MapValue):
        of.set(key, value)
    return of


def _parts(of: object, place: int) -> list[object]:
    pairs = of.items if isinstance(of, MapValue) else []
    return [pair[place] for pair in pairs if isinstance(pair, list)]


_SET: Mapping[str, Method] = {
    "add": _plain(_set_add),
    "delete": _plain(_remove),
    "has": _plain(_has),
    "values": _plain(lambda of: [*of.items]),
}
_MAP: Mapping[str, Method] = {
    "delete": _plain(_remove),
    "entries": _plain(lambda of: [[*pair] for pair in of.items]),
    "get": _plain(_map_get),
    "has": _plain(_has),
    "keys": _plain(lambda of: _parts(of, 0)),
    "set": _plain(_map_set),
    "values": _plain(lambda of: _parts(of, 1)),
}

METHOD_NAMES = frozenset(
    {*_TEXT, *_NUMBER, *_ARRAY, *_SET, *_MAP, *DATE_METHODS, "test", "hasOwnProperty"}
)
"""The supported methods of values."""
