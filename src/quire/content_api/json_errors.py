"""Errors in JSON texts, with the messages of V8.

Clients know the messages of V8, the engine of Node.js. The JSON parser that reads bodies has other
messages, so an invalid text is parsed again here, for its first error only: from left to right, in
linear time, without recursion.

Some texts are valid for V8 and rejected here: numbers beyond a double, halves of surrogate pairs.
They are reported in the same format, after all other errors.
"""

import math
import re
from typing import NoReturn

_END = "Unexpected end of JSON input"
_ODD_SIGN = "Unexpected token '{}', {} is not valid JSON"
_ODD_NUMBER = "Unexpected number"
_ODD_STRING = "Unexpected string"
_FIRST_NAME = "Expected property name or '}'"
_NEXT_NAME = "Expected double-quoted property name"
_COLON = "Expected ':' after property name"
_AFTER_MEMBER = {
    "}": "Expected ',' or '}' after property value",
    "]": "Expected ',' or ']' after array element",
}
_BEHIND = "Unexpected non-whitespace character after JSON"
_CONTROL = "Bad control character in string literal"
_ESCAPE = "Bad escaped character"
_UNICODE_ESCAPE = "Bad Unicode escape"
_OPEN_STRING = "Unterminated string"
_MINUS = "No number after minus sign"
_FRACTION = "Unterminated fractional number"
_EXPONENT = "Exponent part is missing a number"
_TOO_GREAT = "Number beyond the range of a double"
_HALF = "Half of a surrogate pair"

_NO_OBJECT = "[object Object]"
"""A common mistake of clients: an object converted to a string; V8 quotes it."""
_LITERALS = {"t": "true", "f": "false", "n": "null"}
_NUMBER_SIGNS = frozenset("-0123456789")
_ESCAPES = frozenset('"\\/bfnrt')
_LAST_LATIN = "\xff"
_HEX_DIGITS = 4
_CONTEXT = 10
"""How many UTF-16 units V8 shows on either side of an error in a longer text."""

_SPACES = r"[ \t\n\r]*+"
_PLAIN = r'[^"\\\x00-\x1f]*+(?:\\["\\/bfnrt][^"\\\x00-\x1f]*+)*+'
_STRING = rf'"{_PLAIN}"'
_SIMPLE = (
    rf"(?:{_STRING}|-?+(?:0|[1-9][0-9]{{0,17}}+)(?:\.[0-9]++)?+|true|false|null"
    rf"|\[{_SPACES}\]|\{{{_SPACES}\}})"
)
_plain = re.compile(_PLAIN)
_next = re.compile(rf"{_SPACES}(.?)", re.DOTALL)
_digits = re.compile(r"[0-9]*+")
_hex = re.compile(r"[0-9A-Fa-f]{0,4}+")
_sign = re.compile(r"[+-]?+")

_elements = re.compile(rf"(?:{_SPACES}{_SIMPLE}{_SPACES},)*+")
_members = re.compile(rf"(?:{_SPACES}{_STRING}{_SPACES}:{_SPACES}{_SIMPLE}{_SPACES},)*+")
"""Valid parts, including commas, which are skipped at once."""


def find_problem(text: str) -> str | None:
    """Return the problem of a text that should be JSON; ``None`` if there is none.

    Positions count UTF-16 units. A character that is cut in two is shown as U+FFFD.
    """
    scanner = _Scanner(text)
    try:
        scanner.document()
    except _FoundError as found:
        return str(found)
    return scanner.remark


class _FoundError(Exception):
    """The first error; its text is the message."""


class _Scanner:
    """A scan of a text; ``remark`` is the first problem that V8 would accept."""

    def __init__(self, text: str) -> None:
        self.remark: str | None = None
        self._text = text
        self._position = 0
        self._open_brackets: list[str] = []

    def document(self) -> None:
        """Read the whole text. Raises _FoundError at the first error."""
        self._value()
        while self._open_brackets:
            closing_sign = self._open_brackets[-1]
            sign = self._next_sign()
            if sign == closing_sign:
                self._position += 1
                self._open_brackets.pop()
            elif sign == ",":
                self._position += 1
                if closing_sign == "}":
                    self._skip(_members)
                    self._next_name()
                else:
                    self._skip(_elements)
                self._value()
            else:
                self._fail(_AFTER_MEMBER[closing_sign])
        if self._next_sign():
            self._fail(_BEHIND)

    def _value(self) -> None:
        """Read a value; of an object or a list that is not empty, up to its first member."""
        while True:
            sign = self._next_sign()
            if sign not in {"{", "["}:
                return self._scalar(sign)
            self._position += 1
            closing_sign = "}" if sign == "{" else "]"
            if self._next_sign() == closing_sign:
                self._position += 1
                return None
            if sign == "{":
                self._first_name()
            self._open_brackets.append(closing_sign)

    def _first_name(self) -> None:
        if self._next_sign() != '"':
            self._fail(_FIRST_NAME)
        self._string()
        if self._next_sign() != ":":
            self._fail(_COLON)
        self._position += 1

    def _next_name(self) -> None:
        """Read a name after a comma: V8 has another message for a missing colon there."""
        if self._next_sign() != '"':
            self._fail(_NEXT_NAME)
        self._string()
        if self._next_sign() != ":":
            self._unexpected()
        self._position += 1

    def _scalar(self, sign: str) -> None:
        if sign == '"':
            self._string()
        elif sign in _NUMBER_SIGNS:
            self._number()
        elif sign in _LITERALS:
            self._literal(_LITERALS[sign])
        else:
            self._unexpected()

    def _literal(self, word: str) -> None:
        for expected in word:
            if self._sign() != expected:
                self._unexpected()
            self._position += 1

    def _number(self) -> None:
        start = self._position
        if self._sign() == "-":
            self._position += 1
        first_sign = self._sign()
        self._require_digits(_MINUS)
        if first_sign == "0" and self._position > (integer := self._text.index("0", start)) + 1:
            self._position = integer + 1
            self._fail(_ODD_NUMBER)
        if self._sign() == ".":
            self._position += 1
            self._require_digits(_FRACTION)
        if self._sign() in {"e", "E"}:
            self._position += 1
            self._skip(_sign)
            self._require_digits(_EXPONENT)
        if math.isinf(float(self._text[start : self._position])):
            self._note(_TOO_GREAT, start)

    def _require_digits(self, otherwise: str) -> None:
        start = self._position
        self._skip(_digits)
        if self._position == start:
            self._fail(otherwise)

    def _string(self) -> None:
        self._position += 1
        while True:
            self._skip(_plain)
            sign = self._sign()
            if not sign:
                self._fail(_OPEN_STRING)
            if sign not in {'"', "\\"}:
                self._fail(_CONTROL)
            self._position += 1
            if sign == '"':
                return
            self._escape()

    def _escape(self) -> None:
        """Read the part after a backslash."""
        start = self._position - 1
        sign = self._sign()
        if not sign:
            raise _FoundError(_END)
        if sign > _LAST_LATIN:
            self._unexpected()
        if sign != "u":
            if sign not in _ESCAPES:
                self._fail(_ESCAPE)
            self._position += 1
            return
        unit = self._unit()
        if 0xD800 <= unit < 0xDC00 and self._text.startswith("\\u", self._position):
            self._position += 1
            if not 0xDC00 <= self._unit() < 0xE000:
                self._note(_HALF, start)
        elif 0xD800 <= unit < 0xE000:
            self._note(_HALF, start)

    def _unit(self) -> int:
        """Read the ``u`` of an escape and its digits; return their UTF-16 unit."""
        self._position += 1
        start = self._position
        self._skip(_hex)
        if self._position - start < _HEX_DIGITS:
            self._fail(_UNICODE_ESCAPE)
        return int(self._text[start : self._position], 16)

    # The text, and positions in it -------------------------------------------------------------

    def _sign(self) -> str:
        """Return the next character, empty at the end."""
        return self._text[self._position : self._position + 1]

    def _next_sign(self) -> str:
        if (match := _next.match(self._text, self._position)) is None:
            return ""
        self._position = match.start(1)
        return match[1]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        """Skip a match of a pattern, which may be empty."""
        if (match := pattern.match(self._text, self._position)) is not None:
            self._position = match.end()

    def _add_position(self, message: str, position: int) -> str:
        return f"{message} in JSON at position {_units(self._text[:position])}"

    def _note(self, message: str, position: int) -> None:
        self.remark = self.remark or self._add_position(message, position)

    def _fail(self, message: str) -> NoReturn:
        if message == _BEHIND:
            raise _FoundError(f"{message} at position {_units(self._text[: self._position])}")
        raise _FoundError(self._add_position(message, self._position))

    def _unexpected(self) -> NoReturn:
        """Report a character that cannot begin a value or continue a word."""
        sign = self._sign()
        if not sign:
            raise _FoundError(_END)
        if sign == '"':
            self._fail(_ODD_STRING)
        if sign in _NUMBER_SIGNS:
            self._fail(_ODD_NUMBER)
        if self._text == _NO_OBJECT:
            raise _FoundError(f'"{_NO_OBJECT}" is not valid JSON')
        encoded_text, position = (
            self._text.encode("utf-16-le"),
            _units(self._text[: self._position]),
        )
        token = _decode_units(encoded_text[2 * position : 2 * position + 2])
        raise _FoundError(_ODD_SIGN.format(token, _quote_around(encoded_text, position)))


def _quote_around(text: bytes, position: int) -> str:
    """Return the text around a unit, quoted, with dots where it is cut."""
    length = len(text) // 2
    first, last = position - _CONTEXT, position + _CONTEXT
    if length <= 2 * _CONTEXT:
        first, last = 0, length
    prefix = "..." if first > 0 or (first == 0 and length > 2 * _CONTEXT) else ""
    suffix = "..." if last < length else ""
    return f'{prefix}"{_decode_units(text[2 * max(first, 0) : 2 * last])}"{suffix}'


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def _decode_units(units: bytes) -> str:
    return units.decode("utf-16-le", errors="replace")
