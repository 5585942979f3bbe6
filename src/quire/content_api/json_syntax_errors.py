"""Errors in JSON texts, with the messages of V8.

Strapi returns the messages of V8, the engine of Node.js, to its clients. The JSON parser that reads
bodies has other messages, so an invalid text is parsed again here, for its first error only. The
text is the input of an attacker: the scan takes linear time, uses no recursion, and its regular
expressions have possessive quantifiers, which never backtrack.

Some texts are valid for V8 and rejected here: numbers beyond the range of a double, and lone
surrogates. They are reported in the same format, after all other errors.
"""

import math
import re
from typing import NoReturn

_END = "Unexpected end of JSON input"
_UNEXPECTED_CHARACTER = "Unexpected token '{}', {} is not valid JSON"
_UNEXPECTED_NUMBER = "Unexpected number"
_UNEXPECTED_STRING = "Unexpected string"
_EXPECTED_NAME = "Expected property name or '}'"
_EXPECTED_NEXT_NAME = "Expected double-quoted property name"
_EXPECTED_COLON = "Expected ':' after property name"
_EXPECTED_SEPARATOR = {
    "}": "Expected ',' or '}' after property value",
    "]": "Expected ',' or ']' after array element",
}
_TRAILING_CHARACTER = "Unexpected non-whitespace character after JSON"
_CONTROL_CHARACTER = "Bad control character in string literal"
_BAD_ESCAPE = "Bad escaped character"
_BAD_UNICODE_ESCAPE = "Bad Unicode escape"
_UNTERMINATED_STRING = "Unterminated string"
_NO_DIGIT_AFTER_MINUS = "No number after minus sign"
_NO_FRACTION_DIGIT = "Unterminated fractional number"
_NO_EXPONENT_DIGIT = "Exponent part is missing a number"
_NUMBER_TOO_LARGE = "Number beyond the range of a double"
_LONE_SURROGATE = "Half of a surrogate pair"

_OBJECT_TEXT = "[object Object]"
"""What `String(object)` is in JavaScript: a common mistake of clients, for which V8 has a message
of its own."""
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
_number_sign = re.compile(r"[+-]?+")

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
    except _FirstError as error:
        return str(error)
    return scanner.tolerated_problem


class _FirstError(Exception):
    """The first error; its text is the message."""


class _Scanner:
    """Scans a text for its first error.

    ``tolerated_problem`` is the message for the first value that V8 accepts and Quire rejects.
    """

    def __init__(self, text: str) -> None:
        self.tolerated_problem: str | None = None
        self._text = text
        self._position = 0
        self._open_brackets: list[str] = []

    def document(self) -> None:
        """Read the whole text. Raises _FoundError at the first error."""
        self._value()
        while self._open_brackets:
            closing_bracket = self._open_brackets[-1]
            character = self._next_character()
            if character == closing_bracket:
                self._position += 1
                self._open_brackets.pop()
            elif character == ",":
                self._position += 1
                if closing_bracket == "}":
                    self._skip(_members)
                    self._next_name()
                else:
                    self._skip(_elements)
                self._value()
            else:
                self._fail(_EXPECTED_SEPARATOR[closing_bracket])
        if self._next_character():
            self._fail(_TRAILING_CHARACTER)

    def _value(self) -> None:
        """Read a value; of an object or a list that is not empty, up to its first member."""
        while True:
            character = self._next_character()
            if character not in {"{", "["}:
                return self._scalar(character)
            self._position += 1
            closing_bracket = "}" if character == "{" else "]"
            if self._next_character() == closing_bracket:
                self._position += 1
                return None
            if character == "{":
                self._first_name()
            self._open_brackets.append(closing_bracket)

    def _first_name(self) -> None:
        if self._next_character() != '"':
            self._fail(_EXPECTED_NAME)
        self._string()
        if self._next_character() != ":":
            self._fail(_EXPECTED_COLON)
        self._position += 1

    def _next_name(self) -> None:
        """Read a name after a comma: V8 has another message for a missing colon there."""
        if self._next_character() != '"':
            self._fail(_EXPECTED_NEXT_NAME)
        self._string()
        if self._next_character() != ":":
            self._fail_unexpected()
        self._position += 1

    def _scalar(self, character: str) -> None:
        if character == '"':
            self._string()
        elif character in _NUMBER_SIGNS:
            self._number()
        elif character in _LITERALS:
            self._literal(_LITERALS[character])
        else:
            self._fail_unexpected()

    def _literal(self, word: str) -> None:
        for expected in word:
            if self._character() != expected:
                self._fail_unexpected()
            self._position += 1

    def _number(self) -> None:
        start = self._position
        if self._character() == "-":
            self._position += 1
        first_character = self._character()
        self._require_digits(_NO_DIGIT_AFTER_MINUS)
        if (
            first_character == "0"
            and self._position > (integer := self._text.index("0", start)) + 1
        ):
            self._position = integer + 1
            self._fail(_UNEXPECTED_NUMBER)
        if self._character() == ".":
            self._position += 1
            self._require_digits(_NO_FRACTION_DIGIT)
        if self._character() in {"e", "E"}:
            self._position += 1
            self._skip(_number_sign)
            self._require_digits(_NO_EXPONENT_DIGIT)
        if math.isinf(float(self._text[start : self._position])):
            self._record_tolerated(_NUMBER_TOO_LARGE, start)

    def _require_digits(self, message: str) -> None:
        start = self._position
        self._skip(_digits)
        if self._position == start:
            self._fail(message)

    def _string(self) -> None:
        self._position += 1
        while True:
            self._skip(_plain)
            character = self._character()
            if not character:
                self._fail(_UNTERMINATED_STRING)
            if character not in {'"', "\\"}:
                self._fail(_CONTROL_CHARACTER)
            self._position += 1
            if character == '"':
                return
            self._escape()

    def _escape(self) -> None:
        """Read the part after a backslash."""
        start = self._position - 1
        character = self._character()
        if not character:
            raise _FirstError(_END)
        if character > _LAST_LATIN:
            self._fail_unexpected()
        if character != "u":
            if character not in _ESCAPES:
                self._fail(_BAD_ESCAPE)
            self._position += 1
            return
        unit = self._unit()
        if 0xD800 <= unit < 0xDC00 and self._text.startswith("\\u", self._position):
            self._position += 1
            if not 0xDC00 <= self._unit() < 0xE000:
                self._record_tolerated(_LONE_SURROGATE, start)
        elif 0xD800 <= unit < 0xE000:
            self._record_tolerated(_LONE_SURROGATE, start)

    def _unit(self) -> int:
        """Read the ``u`` of an escape and its digits; return their UTF-16 unit."""
        self._position += 1
        start = self._position
        self._skip(_hex)
        if self._position - start < _HEX_DIGITS:
            self._fail(_BAD_UNICODE_ESCAPE)
        return int(self._text[start : self._position], 16)

    # The text, and positions in it -------------------------------------------------------------

    def _character(self) -> str:
        """Return the next character, empty at the end."""
        return self._text[self._position : self._position + 1]

    def _next_character(self) -> str:
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

    def _record_tolerated(self, message: str, position: int) -> None:
        self.tolerated_problem = self.tolerated_problem or self._add_position(message, position)

    def _fail(self, message: str) -> NoReturn:
        if message == _TRAILING_CHARACTER:
            raise _FirstError(f"{message} at position {_units(self._text[: self._position])}")
        raise _FirstError(self._add_position(message, self._position))

    def _fail_unexpected(self) -> NoReturn:
        """Report a character that cannot begin a value or continue a word."""
        character = self._character()
        if not character:
            raise _FirstError(_END)
        if character == '"':
            self._fail(_UNEXPECTED_STRING)
        if character in _NUMBER_SIGNS:
            self._fail(_UNEXPECTED_NUMBER)
        if self._text == _OBJECT_TEXT:
            raise _FirstError(f'"{_OBJECT_TEXT}" is not valid JSON')
        encoded_text = self._text.encode("utf-16-le")
        position = _units(self._text[: self._position])
        token = _decode_units(encoded_text[2 * position : 2 * position + 2])
        raise _FirstError(
            _UNEXPECTED_CHARACTER.format(token, _quote_around(encoded_text, position))
        )


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
