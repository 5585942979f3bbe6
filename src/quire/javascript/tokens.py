"""Splits JavaScript and TypeScript into tokens.

Unknown text becomes a token of the kind ``other``, so that unsupported syntax counts as code of the
project's own, never as nothing.
"""

import re
from typing import Literal

from msgspec import Struct

TokenKind = Literal["word", "string", "template", "number", "regex", "mark", "other"]

_WHITESPACE_OR_COMMENT = re.compile(r"\s+|//[^\n\r\u2028\u2029]*|/\*.*?\*/", re.DOTALL)
_TOKEN = re.compile(
    r"""
      (?P<string>'(?:[^'\\\n\r]|\\.)*'|"(?:[^"\\\n\r]|\\.)*")
    | (?P<word>[A-Za-z_$][A-Za-z0-9_$]*)
    | (?P<number>[0-9][0-9_]*(?:\.[0-9]+)?(?![A-Za-z0-9_$.]))
    | (?P<mark>>>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\|
        |\?\?|\?\.|\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<<|\*\*|[{}()\[\];,<>+\-*/%&|^!~?:=.@\#])
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_REGEX = re.compile(r"/(?![*/])(?:[^\\/\[\n\r]|\\.|\[(?:[^\]\\\n\r]|\\.)*\])+/[a-z]*")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_OPERAND_ENDS = frozenset({")", "]", "}"})
_OPERATOR_WORDS = frozenset({"return", "typeof", "case", "in", "of", "delete", "void", "await"})


class Token(Struct, frozen=True):
    """One token.

    The ``text`` of a string is its value, that of a template its text between the quotes.
    ``starts_line`` tells whether a line ended before it, which may end a statement; ``line`` is the
    number of its line, from 1.
    """

    kind: TokenKind
    text: str
    starts_line: bool = False
    line: int = 1

    def is_mark(self, *texts: str) -> bool:
        """Whether this is one of the given punctuation marks."""
        return self.kind == "mark" and self.text in texts

    def is_word(self, *texts: str) -> bool:
        """Whether this is one of the given names or keywords."""
        return self.kind == "word" and self.text in texts


def tokenise(source: str) -> tuple[Token, ...]:
    """Return the tokens of a file with the given content."""
    tokens: list[Token] = []
    position = 1 if source.startswith("\ufeff") else 0
    starts_line = True
    line = 1
    while position < len(source):
        blank = _WHITESPACE_OR_COMMENT.match(source, position)
        if blank:
            starts_line |= "\n" in blank[0]
            line += blank[0].count("\n")
            position = blank.end()
            continue
        start = position
        kind, text, position = _next(source, position, tokens)
        tokens.append(Token(kind, text, starts_line, line))
        line += source.count("\n", start, position)
        starts_line = False
    return tuple(tokens)


def _next(source: str, position: int, preceding_tokens: list[Token]) -> tuple[TokenKind, str, int]:
    """Return the kind, the text and the end of the token at a position."""
    if source[position] == "`":
        end = template_end(source, position + 1)
        if end is None:
            return "other", "`", position + 1
        text = source[position + 1 : end]
        if "\\" not in text and "${" not in text:
            return "string", text, end + 1
        return "template", text, end + 1
    if source[position] == "/" and _may_be_regex(preceding_tokens):
        regex = _REGEX.match(source, position)
        if regex:
            return "regex", regex[0], regex.end()
    match = _TOKEN.match(source, position)
    if match is None:  # the pattern takes any character
        return "other", source[position], position + 1
    kinds: tuple[TokenKind, ...] = ("string", "word", "number", "mark")
    for kind in kinds:
        text = match[kind]
        if text is not None:
            return kind, _unescape(text[1:-1]) if kind == "string" else text, match.end()
    return "other", match[0], match.end()


def template_end(source: str, position: int) -> int | None:
    """Return the position of the quote that closes a template, from inside of it."""
    while position < len(source):
        character = source[position]
        if character == "`":
            return position
        if character == "\\":
            position += 2
        elif source.startswith("${", position):
            end = hole_end(source, position + 2)
            if end is None:
                return None
            position = end + 1
        else:
            position += 1
    return None


def hole_end(source: str, position: int) -> int | None:
    """Return the position of the brace that closes a placeholder of a template, from inside."""
    depth = 0
    while position < len(source):
        character = source[position]
        if character == "`":
            end = template_end(source, position + 1)
            if end is None:
                return None
            position = end
        elif character == "{":
            depth += 1
        elif character == "}":
            if not depth:
                return position
            depth -= 1
        position += 1
    return None


def _may_be_regex(preceding_tokens: list[Token]) -> bool:
    """Whether a slash begins a regular expression: if no operand precedes it."""
    if not preceding_tokens:
        return True
    last = preceding_tokens[-1]
    if last.kind == "word":
        return last.text in _OPERATOR_WORDS
    return last.kind == "mark" and last.text not in _OPERAND_ENDS


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text

    def replaced(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        return chr(int(code, 16)) if code else _ESCAPES.get(match[3], match[3])

    return _ESCAPE.sub(replaced, text)
