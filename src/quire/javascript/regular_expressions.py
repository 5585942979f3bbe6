"""Translates regular expressions of JavaScript to Python.

Python's own engine has no time limit for bad patterns; `regex` has one, and supports look-arounds
and back-references, which linear-time engines do not.
"""

import re
from functools import lru_cache

import regex

TIME_LIMIT = 0.02
"""Time limit in seconds for one text. Good patterns need a thousandth of it."""

_SPACE = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_CLASSES = {"d": "0-9", "w": "A-Za-z0-9_", "s": _SPACE}
_CLASS = "\0"
"""Marks a class among the members of a bracket; no translated character is a bare NUL."""
_CONTROL = {"t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r"}
_ANY_BUT_LINE_END = r"[^\n\r\u2028\u2029]"
_WORD_BOUNDARY = r"(?:(?<=[A-Za-z0-9_])(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])(?=[A-Za-z0-9_]))"
_NO_WORD_BOUNDARY = r"(?:(?<=[A-Za-z0-9_])(?=[A-Za-z0-9_])|(?<![A-Za-z0-9_])(?![A-Za-z0-9_]))"
_BACK_REFERENCE = re.compile(r"[1-9][0-9]?")
_NAMED_REFERENCE = re.compile(r"k<([A-Za-z_][A-Za-z0-9_]*)>")
_NAMED_GROUP = re.compile(r"\(\?<([A-Za-z_][A-Za-z0-9_]*)>")
_HEXADECIMAL = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})")
_CONTROL_LETTER = re.compile(r"c([A-Za-z])")
_QUANTIFIER = re.compile(r"\{[0-9]+(,[0-9]*)?\}")


class PatternError(ValueError):
    """A text that is not a regular expression."""


class Pattern:
    """A compiled pattern; ``source`` is its form in the schema file."""

    __slots__ = ("_compiled", "source")

    def __init__(self, source: str) -> None:
        """Compile ``source``. Raises PatternError when it is not a regular expression."""
        self.source = source
        try:
            self._compiled = regex.compile(_translate(source), regex.VERSION0 | regex.ASCII)
        except (regex.error, ValueError, RecursionError) as error:
            raise PatternError(str(error)) from error

    def found_in(self, text: str) -> bool:
        """Tell whether the pattern matches anywhere.

        A text that exceeds the time limit does not.
        """
        try:
            return self._compiled.search(text, timeout=TIME_LIMIT) is not None
        except TimeoutError:
            return False


@lru_cache(maxsize=1024)
def compile_pattern(source: str) -> Pattern:
    """Return the pattern of a schema file. Raises PatternError when it is invalid."""
    return Pattern(source)


def _translate(source: str) -> str:
    """Translate a JavaScript pattern (without flags) to `regex`."""
    translated_parts: list[str] = []
    position = 0
    while position < len(source):
        translated_part, position = _translate_part(source, position)
        translated_parts.append(translated_part)
    return "".join(translated_parts)


def _translate_part(source: str, position: int) -> tuple[str, int]:
    """Translate the part at a position outside of brackets; returns it and its end."""
    character = source[position]
    if character == "\\":
        return _escape(source, position + 1)
    if character == "[":
        return _bracket(source, position + 1)
    if character == ".":
        return _ANY_BUT_LINE_END, position + 1
    if character == "$":
        return r"\Z", position + 1
    if character == "{" and not _QUANTIFIER.match(source, position):
        return r"\{", position + 1
    if character == "(" and source.startswith("(?", position):
        return _group(source, position)
    return character, position + 1


def _group(source: str, position: int) -> tuple[str, int]:
    for opening in ("(?:", "(?=", "(?!", "(?<=", "(?<!"):
        if source.startswith(opening, position):
            return opening, position + len(opening)
    name = _NAMED_GROUP.match(source, position)
    if name is None:
        raise PatternError("invalid group")
    return f"(?P<{name[1]}>", name.end()


def _escape(source: str, position: int) -> tuple[str, int]:
    """Translate an escape outside of brackets; ``position`` is that of the letter."""
    if position >= len(source):
        raise PatternError("a backslash at the end")
    letter = source[position]
    if letter in "bB":
        return (_WORD_BOUNDARY if letter == "b" else _NO_WORD_BOUNDARY), position + 1
    number = _BACK_REFERENCE.match(source, position)
    if number is not None:
        return f"(?:\\{number[0]})", number.end()
    name = _NAMED_REFERENCE.match(source, position)
    if name is not None:
        return f"(?P={name[1]})", name.end()
    if letter.lower() in _CLASSES:
        negation = "^" if letter.isupper() else ""
        return f"[{negation}{_CLASSES[letter.lower()]}]", position + 1
    character, end = _character(source, position)
    return _literal(character), end


def _character(source: str, position: int) -> tuple[str, int]:
    """Return the character of an escape, and the end of the escape."""
    letter = source[position]
    if letter in _CONTROL:
        return _CONTROL[letter], position + 1
    if letter == "0":
        return "\0", position + 1
    code = _HEXADECIMAL.match(source, position)
    if code is not None:
        return chr(int(code[1] or code[2], 16)), code.end()
    control = _CONTROL_LETTER.match(source, position)
    if control is not None:
        return chr(ord(control[1]) % 32), control.end()
    return letter, position + 1


def _bracket(source: str, position: int) -> tuple[str, int]:
    """Translate a set of characters; ``position`` is that after the opening bracket."""
    negated = source.startswith("^", position)
    position += negated
    members: list[str] = []
    while not source.startswith("]", position):
        first, position = _translate_member(source, position)
        members.append(first)
        if not source.startswith("-", position) or source.startswith("-]", position):
            continue
        last, position = _translate_member(source, position + 1)
        # Next to a class such as \d a hyphen is literal.
        is_literal_hyphen = _CLASS in first or _CLASS in last
        members.append(rf"\-{last}" if is_literal_hyphen else f"-{last}")
    if not members:
        return ("(?s:.)" if negated else "(?!)"), position + 1
    return f"[{'^' if negated else ''}{''.join(members)}]".replace(_CLASS, ""), position + 1


def _translate_member(source: str, position: int) -> tuple[str, int]:
    """Translate one character or class inside of brackets; classes are marked."""
    if position >= len(source):
        raise PatternError("a bracket that is not closed")
    if source[position] != "\\":
        return _literal(source[position]), position + 1
    position += 1
    if position >= len(source):
        raise PatternError("a backslash at the end")
    letter = source[position]
    if letter in _CLASSES:
        return _CLASS + _CLASSES[letter], position + 1
    if letter.lower() in _CLASSES:
        return rf"{_CLASS}\{letter}", position + 1
    if letter == "b":
        return r"\x08", position + 1
    character, end = _character(source, position)
    return _literal(character), end


def _literal(character: str) -> str:
    return character if character.isalnum() else f"\\U{ord(character):08x}"
