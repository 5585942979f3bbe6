"""Names of files, and their storage keys."""

import re
import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from importlib.resources import files
from types import MappingProxyType

from msgspec import Struct

from quire.errors import ApplicationError

_SIGNS = {"&": " and ", "♥": " love ", "🦄": " unicorn "}
_AS_ONE = frozenset({"ae", "th", "ks", "ps"})
"""Multi-letter transliterations; those of capital letters are all capitals."""
_UMLAUTS = frozenset({"ä"})

INVALID_NAME = "File name contains invalid characters"

_MAX_CHARACTERS = 255

_FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')

_RESERVED = re.compile(r"con|prn|aux|nul|com\d|lpt\d|\.|\.\.", re.IGNORECASE)
"""Names that Windows reserves, and those of folders."""

_SUFFIX_BYTES = 5

_KEY_BYTES = 255
"""The longest name that file systems allow."""

_THUMBNAIL = "thumbnail"
"""The label of the version that every image may have."""

_IMAGE_EXTENSION_BYTES = len(".webp")
"""The length of the extensions of other types that an image may be stored in."""

_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")

_WORD_ENDS = (
    re.compile(r"([A-Z]{2,})(\d+)"),
    re.compile(r"([a-z\d]+)([A-Z]{2,})"),
    re.compile(r"([a-z\d])([A-Z])"),
    re.compile(r"([A-Z]+)([A-Z][a-z\d]+)"),
)

_EXTENSION = re.compile(r"\.[\w+\-~!@#$%^&()=' ]{0,60}")


def _spellings() -> dict[str, str]:
    spellings = dict(_SIGNS)
    text = files(__package__).joinpath("letters.txt").read_text("utf-8")
    for line in text.splitlines():
        letter, spelled = line.split()
        spellings[letter] = spelled
        capital = letter.upper()
        if len(capital) == 1:
            together = spelled in _AS_ONE and letter not in _UMLAUTS
            spellings.setdefault(capital, spelled.upper() if together else spelled.capitalize())
    return spellings


SPELLED_OUT: Mapping[str, str] = MappingProxyType(_spellings())
"""Transliterations of letters and of symbols that stand for words."""


class StoredName(Struct, frozen=True):
    """The storage name of a file.

    ``hash`` and ``ext`` together are its key and the end of its URL.
    """

    hash: str
    ext: str

    @property
    def key(self) -> str:
        """The storage key."""
        return f"{self.hash}{self.ext}"

    def variant(self, name: str) -> "StoredName":
        """Return the storage name of a smaller version of an image."""
        return StoredName(f"{name}_{self.hash}", self.ext)


def check_name(name: str) -> None:
    """Check a file name. Raises ApplicationError."""
    if not name or len(name) > _MAX_CHARACTERS:
        raise ApplicationError(INVALID_NAME)
    if _FORBIDDEN.search(name) or _RESERVED.fullmatch(name):
        raise ApplicationError(INVALID_NAME)


def extension_of(name: str) -> str:
    """Return the extension of a name with its dot; empty without one.

    An extension with invisible characters is ignored.
    """
    dot = name.rfind(".")
    match = _EXTENSION.fullmatch(name[dot:]) if dot > 0 and name != ".." else None
    return match[0] if match else ""


def stored_name(name: str, ext: str, labels: Iterable[str] = ()) -> StoredName:
    """Choose the storage name of a file: a readable part of its name, and a random part.

    Nobody can guess the second part, nor make two files share it. ``name`` may be any text. The
    names of all versions of an image, whose ``labels`` these are, are short enough as well.
    """
    stem = name.rpartition("/")[2].removesuffix(ext)
    suffix = f"_{secrets.token_hex(_SUFFIX_BYTES)}"
    prefix_bytes = max(len(f"{label}_".encode()) for label in (_THUMBNAIL, *labels))
    end_bytes = len(suffix) + max(len(ext.encode()), _IMAGE_EXTENSION_BYTES)
    target = max(0, _KEY_BYTES - prefix_bytes - end_bytes)
    return StoredName(f"{slug(stem)[:target]}{suffix}", ext)


def slug(text: str) -> str:
    """Transliterate a text to ASCII letters and digits, with underscores between its words."""
    spelled = "".join(
        SPELLED_OUT.get(letter, letter) for letter in unicodedata.normalize("NFC", text)
    )
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    for word_end in _WORD_ENDS:
        plain = word_end.sub(r"\1 \2", plain)
    return _SEPARATORS.sub("_", plain).strip("_")


def kilobytes(size: int) -> float:
    """Return kilobytes (1000 bytes) with two decimals, rounded half up."""
    return (size + 5) // 10 / 100
