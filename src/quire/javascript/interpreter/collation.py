"""The order of ``localeCompare``: ICU's root order, which English uses.

ASCII and Latin letters with common accents are supported. Other characters, and languages with
their own order, are not.
"""

import unicodedata

from quire.javascript.interpreter.values import UnsupportedError

_SIGNS = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
_ACCENT_RANKS = (
    *("\u0301", "\u0300", "\u0306", "\u0302", "\u030c", "\u030a", "\u0308", "\u030b"),
    *("\u0303", "\u0307", "\u0328", "\u0327", "\u0304", "\u0309", "\u031b", "\u0323"),
)
"""Accents in the order in which they distinguish equal letters."""
_BASE_LETTERS = {
    sign: place for place, sign in enumerate(f"{_SIGNS}0123456789abcdefghijklmnopqrstuvwxyz")
}
_ACCENTS = {mark: place for place, mark in enumerate(_ACCENT_RANKS, start=1)}

Key = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def compared(left: str, right: str) -> int:
    """Return ``left.localeCompare(right)``: -1, 0 or 1.

    Raises UnsupportedError for unsupported characters.
    """
    if left == right:
        return 0
    first, second = _key(left), _key(right)
    return (first > second) - (first < second)


def _key(text: str) -> Key:
    """Return letters, then accents, then case: each breaks ties of the former."""
    letters: list[int] = []
    accents: list[int] = []
    cases: list[int] = []
    for character in unicodedata.normalize("NFD", text):
        letter = _BASE_LETTERS.get(character.lower()) if character.isascii() else None
        if letter is not None:
            letters.append(letter)
            accents.append(0)
            cases.append(int(character.isupper()))
        elif character in _ACCENTS and letters:
            accents.append(_ACCENTS[character])
            cases.append(0)
        else:
            raise UnsupportedError("the order of a character that is not known")
    return tuple(letters), tuple(accents), tuple(cases)
