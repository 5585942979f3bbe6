"""Simple regular expressions: characters, classes, counts and alternatives."""

import re
from functools import lru_cache

from quire.javascript.interpreter.values import UnsupportedError
from quire.javascript.syntax import Regex

_CLASSES = {
    "d": "0-9",
    "w": "A-Za-z0-9_",
    "s": r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
}
_PLAIN_ESCAPES = frozenset("-.*+?()[]{}|^$/\\@&=,:;!#%'\"<>~` ")
_MAX_COUNTS = 6


@lru_cache(maxsize=200)
def compiled(regex: Regex) -> re.Pattern[str]:
    """Return a Python pattern for one of JavaScript. Raises UnsupportedError."""
    if not set(regex.flags) <= set("gi"):
        raise UnsupportedError("a pattern with options")
    return re.compile(_translate(regex.pattern), re.IGNORECASE if "i" in regex.flags else 0)


def _translate(pattern: str) -> str:
    """Return a pattern in Python's syntax: ``$`` is the very end, classes are ASCII."""
    parts, position, in_class = [], 0, False
    if (
        "(?" in pattern
        or sum(map(pattern.count, "*+{")) > _MAX_COUNTS
        or _has_nested_counts(pattern)
    ):
        raise UnsupportedError("a pattern that is not known")
    while position < len(pattern):
        letter = pattern[position]
        position += 1
        if letter == "\\":
            parts.append(_escape(pattern[position], in_class=in_class))
            position += 1
        elif letter == "[":
            is_escaped = in_class
            in_class = True
            parts.append("\\[" if is_escaped else "[")
        elif letter == "]" and in_class:
            in_class = False
            parts.append("]")
        elif letter == "$" and not in_class:
            parts.append(r"\Z")
        elif letter == "." and not in_class:
            parts.append("[^\n\r\u2028\u2029]")
        else:
            parts.append(
                "\\" + letter if letter in "&~|-" and _is_repeated(pattern, position) else letter
            )
    return "".join(parts)


def _is_repeated(pattern: str, position: int) -> bool:
    """Whether a character is repeated, which may be an operator in Python's classes."""
    return pattern[position : position + 1] == pattern[position - 1]


def _has_nested_counts(pattern: str) -> bool:
    """Whether a counted group contains counts, which may take exponential time."""
    return bool(re.search(r"[*+}][^)(]*\)[*+{]", pattern))


def _escape(letter: str, *, in_class: bool) -> str:
    if letter in _CLASSES:
        return _CLASSES[letter] if in_class else f"[{_CLASSES[letter]}]"
    if letter.lower() in _CLASSES and not in_class:
        return f"[^{_CLASSES[letter.lower()]}]"
    if letter in _PLAIN_ESCAPES:
        return re.escape(letter)
    if letter in "nrt":
        return f"\\{letter}"
    raise UnsupportedError("a pattern that is not known")


def tested(regex: Regex, text: str) -> bool:
    """Return ``regex.test(text)``. Raises UnsupportedError for patterns with a state."""
    if "g" in regex.flags:
        raise UnsupportedError("a pattern that remembers a place")
    return compiled(regex).search(text) is not None


def replaced(regex: Regex, text: str, replacement: str) -> str:
    """Return ``text.replace(regex, by)``."""
    return compiled(regex).sub(lambda _: replacement, text, count=0 if "g" in regex.flags else 1)


def split(regex: Regex, text: str) -> list[object]:
    """Return ``text.split(regex)``. Raises UnsupportedError for groups, which would be added."""
    pattern = compiled(regex)
    if pattern.groups or pattern.match("") or not text:
        raise UnsupportedError("splits by a pattern that is not known")
    return [*pattern.split(text)]
