"""Cuts JavaScript and TypeScript into words and marks, comments and white space left out.

Only as much of the language is known as untouched files of a generator use. Anything else becomes a
token of the kind ``other``, which nothing recognises, so that what is not understood counts as code
of the project's own, never as nothing.
"""

import re
from typing import Literal

from msgspec import Struct

TokenKind = Literal["word", "string", "number", "mark", "other"]

_NOTHING = re.compile(r"\s+|//[^\n\r\u2028\u2029]*|/\*.*?\*/", re.DOTALL)
# A template literal without a hole in it is a string like any other; a string with an escape in it
# is left to the kind "other", because what it says would have to be worked out.
_TOKEN = re.compile(
    r"""
      (?P<string>'[^'\\\n\r]*'|"[^"\\\n\r]*"|`[^`\\$]*`)
    | (?P<word>[A-Za-z_$][A-Za-z0-9_$]*)
    | (?P<number>[0-9]+(?:\.[0-9]+)?(?![A-Za-z0-9_$.]))
    | (?P<mark>=>|[{}()\[\],;:.=!])
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class Token(Struct, frozen=True):
    """One token; the ``text`` of a string is what stands between its quotes."""

    kind: TokenKind
    text: str

    def is_mark(self, text: str) -> bool:
        """Whether this is the given punctuation."""
        return self.kind == "mark" and self.text == text

    def is_word(self, *texts: str) -> bool:
        """Whether this is one of the given names or keywords."""
        return self.kind == "word" and self.text in texts


def tokenise(source: str) -> tuple[Token, ...]:
    """The tokens of a file with the given content."""
    tokens: list[Token] = []
    position = 1 if source.startswith("\ufeff") else 0
    while position < len(source):
        nothing = _NOTHING.match(source, position)
        if nothing:
            position = nothing.end()
            continue
        found = _TOKEN.match(source, position)
        if not found:
            break
        tokens.append(_token(found))
        position = found.end()
    return tuple(tokens)


def _token(found: re.Match[str]) -> Token:
    kinds: tuple[TokenKind, ...] = ("string", "word", "number", "mark")
    for kind in kinds:
        text = found[kind]
        if text is not None:
            return Token(kind, text[1:-1] if kind == "string" else text)
    return Token("other", found[0])
