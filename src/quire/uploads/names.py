"""Names of files, and the keys that they are stored under."""

import re
import secrets
import unicodedata
from collections.abc import Mapping
from importlib.resources import files
from types import MappingProxyType

from msgspec import Struct

from quire.errors import ApplicationError

_SIGNS = {"&": " and ", "♥": " love ", "🦄": " unicorn "}
_AS_ONE = frozenset({"ae", "th", "ks", "ps"})
"""Spellings of single sounds, which a capital letter is spelled by in capitals alone."""
_UMLAUTS = frozenset({"ä"})

INVALID_NAME = "File name contains invalid characters"

_MOST_CHARACTERS = 255

_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')

_SUFFIX_BYTES = 5

_KEY_BYTES = 255
"""What file systems allow a name to have."""

_LONGEST_PREFIX = len("thumbnail_")

_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")

_WORD_ENDS = (
    re.compile(r"([A-Z]{2,})(\d+)"),
    re.compile(r"([a-z\d]+)([A-Z]{2,})"),
    re.compile(r"([a-z\d])([A-Z])"),
    re.compile(r"([A-Z]+)([A-Z][a-z\d]+)"),
)

_EXTENSION = re.compile(r"\.[\w+\-~!@#$%^&()=' ]{0,60}")


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


class StoredName(Struct, frozen=True):
    """What a file is kept under: ``hash`` and ``ext`` in one are its key and end its address."""

    hash: str
    ext: str

    @property
    def key(self) -> str:
        """The name in the storage."""
        return f"{self.hash}{self.ext}"

    def variant(self, name: str) -> "StoredName":
        """Return what a smaller version of a picture is kept under."""
        return StoredName(f"{name}_{self.hash}", self.ext)


def check_name(name: str) -> None:
    """Refuse names that are none. Raises ApplicationError."""
    if not name or len(name) > _MOST_CHARACTERS or _FORBIDDEN.search(name):
        raise ApplicationError(INVALID_NAME)


def extension_of(name: str) -> str:
    """Return the extension of a name with its dot; empty where there is none.

    One with characters that are not seen is none.
    """
    dot = name.rfind(".")
    found = _EXTENSION.fullmatch(name[dot:]) if dot > 0 and name != ".." else None
    return found[0] if found else ""


def stored_name(name: str, ext: str) -> StoredName:
    """Choose what a file is kept under: a readable part of its name, and what makes it unique.

    Nobody can guess the second part, nor make two files share it. ``name`` may hold anything.
    """
    stem = name.rpartition("/")[2].removesuffix(ext)
    suffix = secrets.token_hex(_SUFFIX_BYTES)
    target = _KEY_BYTES - _LONGEST_PREFIX - len(suffix) - len(ext.encode()) - 1
    return StoredName(f"{slug(stem)[:target]}_{suffix}", ext)


def slug(text: str) -> str:
    """Write a text in Latin letters and digits, with underscores between its words."""
    spelled = "".join(
        SPELLED_OUT.get(letter, letter) for letter in unicodedata.normalize("NFC", text)
    )
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    for word_end in _WORD_ENDS:
        plain = word_end.sub(r"\1 \2", plain)
    return _SEPARATORS.sub("_", plain).strip("_")


def kilobytes(size: int) -> float:
    """Return kilobytes (1000 bytes) with two decimals, halves upwards."""
    return (size + 5) // 10 / 100
