"""Parses the bracket syntax of query strings.

The rules are those of the `qs` library for JavaScript, version 6.15, with the options
`strictNullHandling: true`, `arrayLimit: 100` and `depth: 20`, because that is what clients of the
content API write for and build their queries with:

- `a=1` is `"1"`, `a=` is `""` and `a` alone is `None`; values are never cast.
- `a[b]=1` is a mapping, `a[]=1`, `a[0]=1` and a repeated `a=` are lists. Indices order a list and
  leave no gaps in it. An index from 100 on, or a list that would grow longer than 100, makes a
  mapping with the indices as keys instead, so a request cannot ask for a huge list.
- A conflict keeps both sides: `a=1&a[b]=2` is `["1", {"b": "2"}]`.
- The parent and 20 bracket groups are split; what follows stays one key, brackets included.
- Pairs after the 1000th are dropped, and so are pairs without a name, or with a part of the name
  that every JavaScript object inherits (`__proto__`, `constructor`, `toString`, ...).
- `+` is a space. A name or value with a `%` that starts no escape, or with escapes that are not
  UTF-8, stays undecoded as a whole.
- Members of a mapping come in the order of a JavaScript object: array indices ascending, then the
  other names as they first appeared. `sort[...]` makes this order visible.

The port of that library to Python, qs-codec, agrees on ordinary input and is what the property
tests compare with; it is not called here because it merges differently where lists lie in lists or
grow into mappings (`a[0][0]=1&a[0][1]=2`, `a[100]=x&a=y`) and has no hook there to correct it.

`parse` follows these rules to the letter and raises nothing; its work is bounded by the length of
the text. `parse_query`, for the query strings of requests, differs where the rules drop what
decides which rows are meant: a mapping that stands for a long list is that list, and a filter that
would be dropped is an error.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias, TypeGuard
from urllib.parse import unquote

from msgspec import Struct

from quire.errors import InvalidKeyError, ValidationError

__all__ = ["QueryValue", "parse", "parse_query"]

QueryValue: TypeAlias = "str | list[QueryValue] | dict[str, QueryValue] | None"
"""A value of a parsed query string: text, ``None`` (no `=`), a list or a mapping of such values."""

MAX_PAIRS: Final = 1000
MAX_DEPTH: Final = 20
MAX_LIST_LENGTH: Final = 100

# Bounds of the memory the cache can hold: an attacker's densest 2 KB parse to some 150 KB.
CACHE_ENTRIES: Final = 512
CACHED_LENGTH: Final = 2048

_INHERITED_NAMES: Final = (
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
)
_INHERITED_SEGMENTS: Final = frozenset(
    segment for name in _INHERITED_NAMES for segment in (name, f"[{name}]")
)

_BRACKET: Final = re.compile(r"[\[\]]")
_ENCODED_BRACKET: Final = re.compile("%5([BbDd])")
_STRAY_PERCENT: Final = re.compile("%(?![0-9A-Fa-f]{2})")
# Fifteen digits at most: JavaScript numbers beyond 2**53 do not round-trip.
_INDEX: Final = re.compile("0|[1-9][0-9]{0,14}")
# The greatest number that JavaScript sorts before the other names of an object.
_LAST_ARRAY_INDEX: Final = 2**32 - 2
_ELEMENT: Final = re.compile(r"\[[0-9]*\]")

_FILTERS: Final = "filters"
_ROW_PARAMETERS: Final = frozenset(
    {_FILTERS, "_q", "locale", "status", "publicationFilter", "hasPublishedVersion"}
)
"""Parameters that determine which rows are meant."""
_TOO_MANY: Final = (
    "{} is beyond the first {} parameters of the query (the elements of a list count as one)"
)


class _PartialList(Struct, eq=False):
    """A list under construction: its items by index, with gaps that no pair has filled (yet)."""

    items: "dict[int, _Node]"
    length: int

    def append(self, item: "_Node") -> None:
        self.items[self.length] = item
        self.length += 1


class _PartialMapping(Struct, eq=False):
    """A mapping under construction.

    `last_index` is the greatest index in it if it stands for a list that was too long: such a
    mapping still takes further values at its end. It is None for one that was written with names.
    """

    members: "dict[str, _Node]"
    last_index: int | None = None


_Container: TypeAlias = _PartialList | _PartialMapping
_Node: TypeAlias = str | _Container | None


def parse(raw: str) -> dict[str, QueryValue]:
    """Turn a raw query string, or a form in the same syntax, into nested values.

    Args:
        raw: What follows the `?`, exactly as it was sent, percent-encoding included. The bytes of
            a request are to be read as Latin-1.

    Returns:
        The values by name.
    """
    root = _PartialMapping({})
    for name, value in _in_object_order(_combine_equal_names(_pairs(raw, MAX_PAIRS))):
        segments = _segments(name)
        if _INHERITED_SEGMENTS.isdisjoint(segments):
            _merge_members(root, _nest(segments, value))
    return {name: _finish(node) for name, node in _in_object_order(root.members)}


def parse_query(raw: str) -> dict[str, QueryValue]:
    """Turn the query string of a request into nested values, with lists of any length.

    The elements of one list count as one of the 1000 pairs that are read.

    Args:
        raw: As for `parse`.

    Returns:
        The values by name. A cache shares them with other callers: they must never be changed, at
        no depth.

    Raises:
        InvalidKeyError: A part of a filter has a name that every JavaScript object inherits.
        ValidationError: A filter, or another parameter that decides which rows are meant, stands
            after the 1000th pair.
    """
    return _parse_query(raw) if len(raw) > CACHED_LENGTH else _parse_query_cached(raw)


def _parse_query(raw: str) -> dict[str, QueryValue]:
    root = _PartialMapping({})
    for name, value in _in_object_order(_combine_equal_names(_first_pairs(raw))):
        segments = _segments(name)
        if _INHERITED_SEGMENTS.isdisjoint(segments):
            _merge_members(root, _nest(segments, value))
        else:
            _refuse_inherited_filter(segments)
    members = _in_object_order(root.members)
    return {name: _finish(node, long_lists=True) for name, node in members}


_parse_query_cached = lru_cache(maxsize=CACHE_ENTRIES)(_parse_query)


class CacheStatistics(NamedTuple):
    """The lookups and the size of the cache of query strings."""

    hits: int
    misses: int
    entries: int


def cache_statistics() -> CacheStatistics:
    """Return the statistics of the cache of parsed query strings in this process."""
    info = _parse_query_cached.cache_info()
    return CacheStatistics(info.hits, info.misses, info.currsize)


def _first_pairs(raw: str) -> Iterator[tuple[str, str | None]]:
    """Yield the first 1000 pairs, the elements of a list counted as one.

    Raises ValidationError for a later pair that determines which rows are meant.
    """
    if raw.count("&") < MAX_PAIRS:
        yield from _pairs(raw)
        return
    counted: set[str] = set()
    for name, value in _pairs(raw):
        counted.add(_ELEMENT.sub("[]", name))
        if len(counted) <= MAX_PAIRS:
            yield name, value
            continue
        for selecting in _ROW_PARAMETERS.intersection(_names(_segments(name))):
            raise ValidationError(_TOO_MANY.format(selecting, MAX_PAIRS))


def _refuse_inherited_filter(segments: list[str]) -> None:
    """Raise InvalidKeyError for an inherited name in a filter."""
    names = _names(segments)
    position = next(index for index, name in enumerate(segments) if name in _INHERITED_SEGMENTS)
    if _FILTERS in names[:position]:
        path = ".".join(names[names.index(_FILTERS) + 1 : position]) or None
        raise InvalidKeyError(names[position], path, source="query", param=_FILTERS)


def _names(segments: list[str]) -> list[str]:
    return [s[1:-1] if s.startswith("[") else s for s in segments]


def _pairs(raw: str, limit: int = -1) -> Iterator[tuple[str, str | None]]:
    """Yield the decoded name and value of each of the first ``limit`` pairs that has a name."""
    text = _ENCODED_BRACKET.sub(lambda match: "[" if match[1] in "Bb" else "]", raw)
    pairs = text.split("&") if limit < 0 else text.split("&", limit)[:limit]
    for pair in pairs:
        # A name in brackets may contain an equals sign, so the end of the brackets is searched
        # first.
        bracket = pair.find("]=")
        end = pair.find("=") if bracket < 0 else bracket + 1
        name = _decode(pair if end < 0 else pair[:end])
        if name:
            yield name, None if end < 0 else _decode(pair[end + 1 :])


def _decode(text: str) -> str:
    text = text.replace("+", " ")
    if "%" not in text or _STRAY_PERCENT.search(text):
        return text
    try:
        return unquote(text, errors="strict")
    except UnicodeDecodeError:
        return text


def _combine_equal_names(pairs: Iterator[tuple[str, str | None]]) -> dict[str, _Node]:
    """Collect the values of each name; different names with the same meaning are merged later."""
    values: dict[str, _Node] = {}
    for name, value in pairs:
        values[name] = _combine(values[name], value) if name in values else value
    return values


def _combine(node: _Node, value: str | None) -> _Container:
    if isinstance(node, _PartialMapping):
        return _extend(node, value)
    if isinstance(node, _PartialList):
        node.append(value)
        return _limited(node)
    return _PartialList({0: node, 1: value}, 2)


def _segments(name: str) -> list[str]:
    """Split `a[b][c]` into `a`, `[b]`, `[c]`.

    Brackets within a group belong to it (`[b[c]]`). A group that is not closed, and whatever lies
    beyond the depth, is one last group with all its brackets. Text between groups is dropped.
    """
    opening = name.find("[")
    parent = name if opening < 0 else name[:opening]
    segments = [parent] if parent else []
    for _ in range(MAX_DEPTH):
        closing = _closing_bracket(name, opening)
        if closing < 0:
            break
        segments.append(name[opening : closing + 1])
        opening = name.find("[", closing + 1)
    if opening >= 0:
        segments.append(f"[{name[opening:]}]")
    return segments


def _closing_bracket(name: str, opening: int) -> int:
    """Return where the bracket at `opening` is closed; -1 if it is not, or if there is none."""
    if opening < 0:
        return -1
    level = 0
    for bracket in _BRACKET.finditer(name, opening):
        level += 1 if bracket[0] == "[" else -1
        if level == 0:
            return bracket.start()
    return -1


def _nest(segments: list[str], value: _Node) -> _Container:
    """Wrap a value into the containers of its name, from the innermost outwards."""
    container = _wrap(segments[-1], value)
    for segment in reversed(segments[:-1]):
        container = _wrap(segment, container)
    return container


def _wrap(segment: str, node: _Node) -> _Container:
    if segment == "[]":
        return node if _is_list(node) else _PartialList({0: node}, 1)
    if not segment.startswith("["):
        return _PartialMapping({segment: node})
    name = segment[1:-1]
    if not _INDEX.fullmatch(name):
        return _PartialMapping({name: node})
    index = int(name)
    if index < MAX_LIST_LENGTH:
        return _PartialList({index: node}, index + 1)
    return _PartialMapping({name: node}, last_index=index)


def _is_list(node: _Node) -> TypeGuard[_Container]:
    """Tell whether a node is a list, or the mapping that stands for one that was too long."""
    return isinstance(node, _PartialList) or (
        isinstance(node, _PartialMapping) and node.last_index is not None
    )


def _merge(target: _Node, source: _Node) -> _Node:
    """Merge the value of one name into those of earlier names, and return the result.

    Nothing, and the empty text, add nothing.
    """
    if source is None or source == "":
        return target
    if isinstance(source, str):
        return _merge_text(target, source)
    if isinstance(target, _PartialList):
        if isinstance(source, _PartialList):
            return _merge_lists(target, source)
        return _merge_members(_as_mapping(target), source)
    if isinstance(target, _PartialMapping):
        return _merge_members(target, source)
    return _prepend(target, source)


def _merge_text(target: _Node, text: str) -> _Container:
    if isinstance(target, _PartialList):
        target.append(text)
        return _limited(target)
    if isinstance(target, _PartialMapping) and target.last_index is not None:
        return _extend(target, text)
    return _PartialList({0: target, 1: text}, 2)


def _merge_lists(target: _PartialList, source: _PartialList) -> _Container:
    for index, item in source.items.items():
        existing = target.items.get(index)
        if index not in target.items:
            target.items[index] = item
            target.length = max(target.length, index + 1)
        elif isinstance(existing, _Container) and isinstance(item, _Container):
            target.items[index] = _merge(existing, item)
        else:
            target.append(item)
    return _limited(target)


def _merge_members(target: _PartialMapping, source: _Container) -> _PartialMapping:
    if isinstance(source, _PartialList):
        source = _as_mapping(source)
    for name, node in source.members.items():
        existing = target.members.get(name)
        target.members[name] = _merge(existing, node) if name in target.members else node
        if source.last_index is not None and target.last_index is None:
            target.last_index = source.last_index
        if target.last_index is not None and _INDEX.fullmatch(name):
            target.last_index = max(target.last_index, int(name))
    return target


def _prepend(first: str | None, source: _Container) -> _Container:
    """Insert a value at the front of a list, or of a mapping that stands for one."""
    if isinstance(source, _PartialList):
        items = {index + 1: item for index, item in source.items.items()}
        return _limited(_PartialList({0: first, **items}, source.length + 1))
    if source.last_index is None:
        return _PartialList({0: first, 1: source}, 2)
    members = {str(int(name) + 1): node for name, node in source.members.items()}
    return _PartialMapping({"0": first, **members}, source.last_index + 1)


def _extend(long_list: _PartialMapping, value: str | None) -> _PartialMapping:
    long_list.last_index = (long_list.last_index or 0) + 1
    long_list.members[str(long_list.last_index)] = value
    return long_list


def _limited(items: _PartialList) -> _Container:
    """Return a list, or the mapping that stands for it when it is too long, gaps included."""
    if items.length <= MAX_LIST_LENGTH:
        return items
    return _PartialMapping(_as_mapping(items).members, last_index=items.length - 1)


def _as_mapping(items: _PartialList) -> _PartialMapping:
    return _PartialMapping({str(index): item for index, item in _by_index(items)})


def _by_index(items: _PartialList) -> list[tuple[int, _Node]]:
    return [(index, items.items[index]) for index in sorted(items.items)]


def _finish(node: _Node, *, long_lists: bool = False) -> QueryValue:
    """Return the value of a node; with ``long_lists``, a mapping with only indices is a list."""
    if isinstance(node, _PartialList):
        return [_finish(item, long_lists=long_lists) for _, item in _by_index(node)]
    if not isinstance(node, _PartialMapping):
        return node
    members = {
        name: _finish(inner, long_lists=long_lists)
        for name, inner in _in_object_order(node.members)
    }
    if long_lists and members and all(map(_INDEX.fullmatch, members)):
        return [members[index] for index in sorted(members, key=int)]
    return members


def _in_object_order(members: dict[str, _Node]) -> Iterable[tuple[str, _Node]]:
    """Return the members as JavaScript orders them: array indices ascending, then the others."""
    indices = sorted(filter(_is_array_index, members), key=int)
    if not indices:
        return members.items()
    names = dict.fromkeys([*indices, *members])
    return [(name, members[name]) for name in names]


def _is_array_index(name: str) -> bool:
    return _INDEX.fullmatch(name) is not None and int(name) <= _LAST_ARRAY_INDEX
