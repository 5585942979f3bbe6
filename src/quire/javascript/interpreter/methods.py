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


class FunctionCaller(Protocol):
    """Calls functions of the code."""

    async def call(self, function: object, arguments: Sequence[object], this: object) -> object:
        """Call a function."""

    def require_own(self, value: object) -> None:
        """Check that code does not change what requests share."""


class JavaScriptSet:
    """A set, in the order in which its items were added."""

    def __init__(self, items: Sequence[object]) -> None:
        self.items: list[object] = []
        for item in items:
            self.add(item)

    def has(self, item: object) -> bool:
        """Whether an item is in it."""
        return any(strictly_equal(present_item, item) for present_item in self.items)

    def add(self, item: object) -> None:
        """Add an item."""
        if not self.has(item):
            self.items.append(item)


class JavaScriptMap:
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


def property_of(value: object, key: str) -> object:
    """Return a property of a value. Raises UnsupportedError for an unknown one."""
    match value:
        case dict():
            return member_of(value, key)
        case list() if key == "length":
            return len(value)
        case list() if key.isdigit():
            return value[int(key)] if int(key) < len(value) else UNDEFINED
        case str() if key == "length":
            return len(value.encode("utf-16-le", "surrogatepass")) // 2
        case str() if key.isdigit() and value.isascii():
            return value[int(key)] if int(key) < len(value) else UNDEFINED
        case ErrorValue():
            return _error_property(value, key)
        case JavaScriptSet() | JavaScriptMap() if key == "size":
            return len(value.items)
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
    run: FunctionCaller, receiver: object, key: str, arguments: Sequence[object]
) -> object:
    """Call a method of a value. Raises ThrownError, UnsupportedError."""
    match receiver:
        case str():
            methods: Mapping[str, Method] = _TEXT
        case list():
            methods = _ARRAY
        case DateValue():
            if key in DATE_METHODS:
                return DATE_METHODS[key](receiver, arguments)
            raise UnsupportedError(f"{key} of a date")
        case JavaScriptSet():
            methods = _SET
        case JavaScriptMap():
            methods = _MAP
        case Regex() if key == "test":
            return tested(receiver, text_of(_argument(arguments, 0)))
        case dict() if key == "hasOwnProperty":
            return text_of(_argument(arguments, 0)) in receiver
        case bool() | int() | float():
            methods = _NUMBER
        case _:
            raise UnsupportedError(f"the method {key}")
    method = methods.get(key)
    if method is not None:
        return await method(run, receiver, arguments)
    if _is_method(key) or isinstance(receiver, JavaScriptSet | JavaScriptMap):
        raise UnsupportedError(f"the method {key}")
    raise type_error(f"{key} is not a function")


Method = Callable[[FunctionCaller, object, Sequence[object]], Awaitable[object]]


def _argument(arguments: Sequence[object], index: int) -> object:
    return arguments[index] if index < len(arguments) else UNDEFINED


def _sync_method(
    make: Callable[..., object],
) -> Method:
    async def call(_run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
        return make(receiver, *arguments)

    return call


def _index(value: object, length: int, default: int) -> int:
    """Return a position in a text or array: negative ones count from its end."""
    if value is UNDEFINED:
        return default
    number = number_of(value)
    if number != number:  # noqa: PLR0124 - not a number
        return 0
    position = int(max(min(number, length), -length - 1))
    return max(position + length, 0) if position < 0 else min(position, length)


# Texts


def _ascii(text: object) -> str:
    """Return a text whose characters are its UTF-16 units. Raises UnsupportedError."""
    text_value = str(text)
    if any(ord(letter) > 0xFFFF for letter in text_value):
        raise UnsupportedError("places in a text with characters of two units")
    return text_value


def _slice(receiver: object, start: object = UNDEFINED, end: object = UNDEFINED) -> object:
    items = _ascii(receiver) if isinstance(receiver, str) else receiver
    if not isinstance(items, str | list):
        raise UnsupportedError("slice")
    first = _index(start, len(items), 0)
    return items[first : max(_index(end, len(items), len(items)), first)]


def _substring(receiver: object, start: object = UNDEFINED, end: object = UNDEFINED) -> object:
    text = _ascii(receiver)

    def place(value: object, default: int) -> int:
        if value is UNDEFINED:
            return default
        number = number_of(value)
        return 0 if number != number else int(max(min(number, len(text)), 0))  # noqa: PLR0124

    first, last = sorted((place(start, 0), place(end, len(text))))
    return text[first:last]


def _char_at(receiver: object, position: object = 0) -> object:
    text, index = _ascii(receiver), int(number_of(position))
    return text[index] if 0 <= index < len(text) else ""


def _pad(receiver: object, length: object, filler: object, *, at_start: bool) -> str:
    text, fill = _ascii(receiver), " " if filler is UNDEFINED else text_of(filler)
    padding_length = int(number_of(length)) - len(text)
    if padding_length <= 0 or not fill:
        return text
    if padding_length > 10_000:
        raise UnsupportedError("a long text")
    padding = (fill * padding_length)[:padding_length]
    return padding + text if at_start else text + padding


def _replace(receiver: object, expected: object, replacement: object, *, match_all: bool) -> object:
    if not isinstance(replacement, str):
        raise UnsupportedError("replaces by something else than a text")
    if "$" in replacement:
        raise UnsupportedError("replaces by parts of what was found")
    if isinstance(expected, Regex):
        return replaced(expected, str(receiver), replacement)
    return str(receiver).replace(text_of(expected), replacement, -1 if match_all else 1)


def _repeat(receiver: object, count: object) -> str:
    times = int(number_of(count))
    if not 0 <= times <= 10_000:
        raise UnsupportedError("repeats a text")
    return str(receiver) * times


def _split(
    receiver: object, separator: object = UNDEFINED, limit: object = UNDEFINED
) -> list[object]:
    text = str(receiver)
    if limit is not UNDEFINED:
        raise UnsupportedError("split with a limit")
    if separator is UNDEFINED:
        return [text]
    if isinstance(separator, Regex):
        return split(separator, text)
    mark = text_of(separator)
    return [*text.split(mark)] if mark else [*_ascii(text)]


def _lower(receiver: object) -> str:
    return _change_text(receiver, str.lower)


def _upper(receiver: object) -> str:
    return _change_text(receiver, str.upper)


def _change_text(receiver: object, change: Callable[[str], str]) -> str:
    return change(str(receiver))


def _text_method(make: Callable[[str, str], object]) -> Method:
    def call_with_text(receiver: object, expected: object = UNDEFINED, *others: object) -> object:
        if isinstance(expected, Regex):
            raise UnsupportedError("a pattern in the place of a text")
        if others:
            raise UnsupportedError("a second argument")
        return make(str(receiver), text_of(expected))

    return _sync_method(call_with_text)


_TEXT: Mapping[str, Method] = {
    "charAt": _sync_method(_char_at),
    "concat": _sync_method(
        lambda receiver, *other_values: str(receiver) + "".join(map(text_of, other_values))
    ),
    "endsWith": _text_method(str.endswith),
    "includes": _text_method(lambda text, expected_text: expected_text in text),
    "indexOf": _text_method(lambda text, expected_text: _ascii(text).find(expected_text)),
    "lastIndexOf": _text_method(lambda text, expected_text: _ascii(text).rfind(expected_text)),
    "localeCompare": _text_method(compared),
    "padEnd": _sync_method(
        lambda receiver, target_length, filler=UNDEFINED: _pad(
            receiver, target_length, filler, at_start=False
        )
    ),
    "padStart": _sync_method(
        lambda receiver, target_length, filler=UNDEFINED: _pad(
            receiver, target_length, filler, at_start=True
        )
    ),
    "repeat": _sync_method(_repeat),
    "replace": _sync_method(
        lambda receiver, expected_text, replacement=UNDEFINED: _replace(
            receiver, expected_text, replacement, match_all=False
        )
    ),
    "replaceAll": _sync_method(
        lambda receiver, expected_text, replacement=UNDEFINED: _replace(
            receiver, expected_text, replacement, match_all=True
        )
    ),
    "slice": _sync_method(_slice),
    "split": _sync_method(_split),
    "startsWith": _text_method(str.startswith),
    "substring": _sync_method(_substring),
    "toLowerCase": _sync_method(_lower),
    "toString": _sync_method(lambda receiver: receiver),
    "toUpperCase": _sync_method(_upper),
    "trim": _sync_method(lambda receiver: str(receiver).strip(WHITE_SPACE)),
    "trimEnd": _sync_method(lambda receiver: str(receiver).rstrip(WHITE_SPACE)),
    "trimStart": _sync_method(lambda receiver: str(receiver).lstrip(WHITE_SPACE)),
}


# Numbers


def _to_fixed(receiver: object, digits: object = 0) -> str:
    value, places = number_of(receiver), int(number_of(digits))
    if not 0 <= places <= 20 or abs(value) >= 1e15 or value != value:  # noqa: PLR0124
        raise UnsupportedError("toFixed")
    return f"{value:.{places}f}"


def _number_text(receiver: object, base: object = UNDEFINED) -> str:
    if base is not UNDEFINED:
        raise UnsupportedError("a number in another base")
    return text_of(receiver) if isinstance(receiver, bool) else number_text(number_of(receiver))


_NUMBER: Mapping[str, Method] = {
    "toFixed": _sync_method(_to_fixed),
    "toString": _sync_method(_number_text),
}


# Arrays


def _list(receiver: object) -> list[object]:
    if not isinstance(receiver, list):
        raise UnsupportedError("an array")
    return receiver


def _require_own_list(run: FunctionCaller, receiver: object) -> list[object]:
    run.require_own(receiver)
    return _list(receiver)


async def _call_for_items(
    run: FunctionCaller, receiver: object, arguments: Sequence[object]
) -> list[tuple[object, object]]:
    """Return items with the results of a function for them."""
    results = []
    for index, item in enumerate([*_list(receiver)]):
        results.append((item, await _callback(run, _argument(arguments, 0), item, index, receiver)))
    return results


async def _callback(run: FunctionCaller, function: object, *arguments: object) -> object:
    if isinstance(function, HostFunction | CallableObject):
        return await run.call(function, arguments[:1], UNDEFINED)
    return await run.call(function, arguments, UNDEFINED)


async def _map(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    return [result for _, result in await _call_for_items(run, receiver, arguments)]


async def _filter(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    return [
        item
        for item, result in await _call_for_items(run, receiver, arguments)
        if is_truthy(result)
    ]


async def _for_each(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    await _call_for_items(run, receiver, arguments)
    return UNDEFINED


async def _flat_map(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    return _flat([result for _, result in await _call_for_items(run, receiver, arguments)])


async def _find_index(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> int:
    for index, item in enumerate([*_list(receiver)]):
        if is_truthy(await _callback(run, _argument(arguments, 0), item, index, receiver)):
            return index
    return -1


async def _find(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    index = await _find_index(run, receiver, arguments)
    return UNDEFINED if index < 0 else _list(receiver)[index]


async def _some(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    return await _find_index(run, receiver, arguments) >= 0


async def _every(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    for index, item in enumerate([*_list(receiver)]):
        if not is_truthy(await _callback(run, _argument(arguments, 0), item, index, receiver)):
            return False
    return True


async def _reduce(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    items = [*enumerate([*_list(receiver)])]
    if len(arguments) > 1:
        result = arguments[1]
    elif items:
        result = items.pop(0)[1]
    else:
        raise type_error("Reduce of empty array with no initial value")
    for index, item in items:
        result = await run.call(arguments[0], (result, item, index, receiver), UNDEFINED)
    return result


async def _sort(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    items = _require_own_list(run, receiver)
    function = _argument(arguments, 0)
    if function is UNDEFINED:
        if not all(isinstance(item, str) and item.isascii() for item in items):
            raise UnsupportedError("sorts something else than texts")
        items.sort(key=text_of)
        return items
    items[:] = await _merge_sort(run, function, items)
    return items


async def _merge_sort(run: FunctionCaller, function: object, items: list[object]) -> list[object]:
    """Return items sorted by a function that compares two; the sort is stable."""
    if len(items) < 2:
        return items
    middle = len(items) // 2
    first = await _merge_sort(run, function, items[:middle])
    second = await _merge_sort(run, function, items[middle:])
    results: list[object] = []
    while first and second:
        order = number_of(await run.call(function, (first[0], second[0]), UNDEFINED))
        results.append((second if order > 0 else first).pop(0))
    return [*results, *first, *second]


async def _push(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    items = _require_own_list(run, receiver)
    items.extend(arguments)
    return len(items)


async def _unshift(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    items = _require_own_list(run, receiver)
    items[:0] = arguments
    return len(items)


async def _pop(run: FunctionCaller, receiver: object, _arguments: Sequence[object]) -> object:
    items = _require_own_list(run, receiver)
    return items.pop() if items else UNDEFINED


async def _shift(run: FunctionCaller, receiver: object, _arguments: Sequence[object]) -> object:
    items = _require_own_list(run, receiver)
    return items.pop(0) if items else UNDEFINED


async def _splice(run: FunctionCaller, receiver: object, arguments: Sequence[object]) -> object:
    items = _require_own_list(run, receiver)
    start = _index(_argument(arguments, 0), len(items), 0)
    count = len(items) if len(arguments) < 2 else max(int(number_of(arguments[1])), 0)
    removed = items[start : start + count]
    items[start : start + count] = arguments[2:]
    return removed


async def _reverse(run: FunctionCaller, receiver: object, _arguments: Sequence[object]) -> object:
    items = _require_own_list(run, receiver)
    items.reverse()
    return items


def _flat(receiver: object, depth: object = 1) -> list[object]:
    if depth != 1:
        raise UnsupportedError("flat with a depth")
    results: list[object] = []
    for item in _list(receiver):
        if isinstance(item, list):
            results += item
        else:
            results.append(item)
    return results


def _contains(receiver: object, expected: object = UNDEFINED, *others: object) -> bool:
    if others:
        raise UnsupportedError("a second argument")
    return any(strictly_equal(item, expected) for item in _list(receiver))


def _index_of(receiver: object, expected: object = UNDEFINED, *others: object) -> int:
    if others:
        raise UnsupportedError("a second argument")
    results = (
        index for index, item in enumerate(_list(receiver)) if strictly_equal(item, expected)
    )
    return next(results, -1)


def _join(receiver: object, separator: object = UNDEFINED) -> str:
    mark = "," if separator is UNDEFINED else text_of(separator)
    return mark.join("" if is_nullish(item) else text_of(item) for item in _list(receiver))


def _concat(receiver: object, *values: object) -> list[object]:
    results = [*_list(receiver)]
    for value in values:
        results += value if isinstance(value, list) else [value]
    return results


def _item_at(receiver: object, position: object = 0) -> object:
    items, index = _list(receiver), int(number_of(position))
    return items[index] if -len(items) <= index < len(items) else UNDEFINED


_ARRAY: Mapping[str, Method] = {
    "at": _sync_method(_item_at),
    "concat": _sync_method(_concat),
    "entries": _sync_method(
        lambda receiver: [[index, item] for index, item in enumerate(_list(receiver))]
    ),
    "every": _every,
    "filter": _filter,
    "find": _find,
    "findIndex": _find_index,
    "flat": _sync_method(_flat),
    "flatMap": _flat_map,
    "forEach": _for_each,
    "includes": _sync_method(_contains),
    "indexOf": _sync_method(_index_of),
    "join": _sync_method(_join),
    "keys": _sync_method(lambda receiver: [*range(len(_list(receiver)))]),
    "map": _map,
    "pop": _pop,
    "push": _push,
    "reduce": _reduce,
    "reverse": _reverse,
    "shift": _shift,
    "slice": _sync_method(_slice),
    "some": _some,
    "sort": _sort,
    "splice": _splice,
    "unshift": _unshift,
    "values": _sync_method(lambda receiver: [*_list(receiver)]),
}


# Sets and maps


def _set_add(receiver: object, item: object = UNDEFINED) -> object:
    if isinstance(receiver, JavaScriptSet):
        receiver.add(item)
    return receiver


def _remove(receiver: object, key: object = UNDEFINED) -> bool:
    if not isinstance(receiver, JavaScriptSet | JavaScriptMap):
        raise UnsupportedError("delete")
    for index, item in enumerate(receiver.items):
        item_key = (
            item[0] if isinstance(receiver, JavaScriptMap) and isinstance(item, list) else item
        )
        if strictly_equal(item_key, key):
            del receiver.items[index]
            return True
    return False


def _has(receiver: object, key: object = UNDEFINED) -> bool:
    if not isinstance(receiver, JavaScriptSet | JavaScriptMap):
        raise UnsupportedError("has")
    return receiver.has(key)


def _map_get(receiver: object, key: object = UNDEFINED) -> object:
    return receiver.get(key) if isinstance(receiver, JavaScriptMap) else UNDEFINED


def _map_set(receiver: object, key: object = UNDEFINED, value: object = UNDEFINED) -> object:
    if isinstance(receiver, JavaScriptMap):
        receiver.set(key, value)
    return receiver


def _pair_members(receiver: object, position: int) -> list[object]:
    pairs = receiver.items if isinstance(receiver, JavaScriptMap) else []
    return [pair[position] for pair in pairs if isinstance(pair, list)]


_SET: Mapping[str, Method] = {
    "add": _sync_method(_set_add),
    "delete": _sync_method(_remove),
    "has": _sync_method(_has),
    "values": _sync_method(lambda receiver: [*receiver.items]),
}
_MAP: Mapping[str, Method] = {
    "delete": _sync_method(_remove),
    "entries": _sync_method(lambda receiver: [[*pair] for pair in receiver.items]),
    "get": _sync_method(_map_get),
    "has": _sync_method(_has),
    "keys": _sync_method(lambda receiver: _pair_members(receiver, 0)),
    "set": _sync_method(_map_set),
    "values": _sync_method(lambda receiver: _pair_members(receiver, 1)),
}

METHOD_NAMES = frozenset(
    {*_TEXT, *_NUMBER, *_ARRAY, *_SET, *_MAP, *DATE_METHODS, "test", "hasOwnProperty"}
)
"""The supported methods of values."""
