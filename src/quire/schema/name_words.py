"""Splits names into words, for table names (snake case) and uids (kebab case).

Accents and apostrophes are removed; a word ends at anything that is no letter or digit, between
lower and upper case, between letters and digits (both ways), and before the last capital of an
acronym that lower-case letters follow: ``HTTPServerURL2`` is ``http server url 2``.
"""

import re
import unicodedata
from functools import lru_cache

_TRANSLITERATION = str.maketrans(
    {
        "ß": "ss", "Ø": "O", "ø": "o", "Þ": "Th", "þ": "th", "Æ": "Ae", "æ": "ae", "Ð": "D",
        "ð": "d", "Đ": "D", "đ": "d", "Ħ": "H", "ħ": "h", "\u0131": "i", "ĸ": "k", "Ŀ": "L",
        "ŀ": "l", "Ł": "L", "ł": "l", "ŉ": "'n", "Ŋ": "N", "ŋ": "n", "Œ": "Oe", "œ": "oe", "Ŧ": "T",
        "ŧ": "t", "\u017f": "s", "Ĳ": "IJ", "ĳ": "ij",
    }
)  # fmt: skip
_APOSTROPHE = re.compile("['\u2019]")
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def words(name: str) -> list[str]:
    """Return the words of a name in lower case."""
    return [word.lower() for word in _WORD.findall(without_accents(name))]


def without_accents(name: str) -> str:
    """Return a name without accents and apostrophes."""
    if not name.isascii():
        plain = unicodedata.normalize("NFD", name.translate(_TRANSLITERATION))
        name = "".join(character for character in plain if not unicodedata.combining(character))
    return _APOSTROPHE.sub("", name)


@lru_cache(maxsize=16_384)  # the names of a schema, which are requested again and again
def snake_case(name: str) -> str:
    """Return ``foo_bar_1_baz_2`` for ``fooBar1Baz2``."""
    return "_".join(words(name))


def kebab_case(name: str) -> str:
    """Return ``foo-bar`` for ``fooBar``."""
    return "-".join(words(name))
