"""Latin spellings of letters that Unicode does not decompose.

They are listed in ``letters.txt``, small ones alone: capitals are spelled alike.
"""

from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

_SIGNS = {"&": " and ", "♥": " love ", "🦄": " unicorn "}
_AS_ONE = frozenset({"ae", "th", "ks", "ps"})
"""Spellings of single sounds, which a capital letter is spelled by in capitals alone."""
_UMLAUTS = frozenset({"ä"})


def _spellings() -> dict[str, str]:
    known = dict(_SIGNS)
    text = files(__package__).joinpath("letters.txt").read_text("utf-8")
    for line in text.splitlines():
        letter, spelled = line.split()
        known[letter] = spelled
        capital = letter.upper()
        if len(capital) == 1:
            together = spelled in _AS_ONE and letter not in _UMLAUTS
            known.setdefault(capital, spelled.upper() if together else spelled.capitalize())
    return known


SPELLED_OUT: Mapping[str, str] = MappingProxyType(_spellings())
"""How letters, and signs that stand for words, are written in names of files."""
