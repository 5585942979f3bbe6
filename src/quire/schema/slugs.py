"""Slugs of texts: values of ``uid`` attributes, uids of components, names of tables."""

import re
import unicodedata
from collections.abc import Mapping

_SIGNS: Mapping[str, str] = {"&": " and ", "🦄": " unicorn ", "♥": " love "}
_TRANSLITERATION: Mapping[int, str] = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "Ä": "Ae",
        "Ö": "Oe",
        "Ü": "Ue",
        "ß": "ss",
        "ẞ": "Ss",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "å": "a",
        "Å": "A",
        "đ": "d",
        "Đ": "D",
        "ð": "d",
        "Ð": "D",
        "þ": "th",
        "Þ": "TH",
        "ł": "l",
        "Ł": "L",
        "ħ": "h",
        "Ħ": "H",
        "ŋ": "n",
        "Ŋ": "N",
        "ĸ": "k",
    }
)
# These match positions and not runs of letters, so that a long word takes linear time.
_WORD_STARTS = (
    re.compile(r"(?<=[A-Z]{2})(?=\d)"),
    re.compile(r"(?<=[a-z\d])(?=[A-Z]{2})"),
    re.compile(r"(?<=[a-z\d])(?=[A-Z])"),
    re.compile(r"(?<=[A-Z])(?=[A-Z][a-rt-z\d])"),
)
_CONTRACTION = re.compile(r"(?<=[a-zA-Z\d])'(?=[ts](?:\s|$))")
_SEPARATORS = re.compile(r"[^a-z\d]+")


def slug_of(text: str) -> str:
    """Return the words of a text in lower-case ASCII letters and digits, joined by hyphens.

    Diacritics are removed; other characters without a transliteration are left out.
    """
    for sign, words in _SIGNS.items():
        text = text.replace(sign, words)
    text = text.translate(_TRANSLITERATION)
    text = unicodedata.normalize("NFD", text)
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    for word_start in _WORD_STARTS:
        text = word_start.sub(" ", text)
    text = _CONTRACTION.sub("", text)
    return _SEPARATORS.sub("-", text.lower()).strip("-")
