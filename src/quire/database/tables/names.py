"""Physical names: composed and shortened as Strapi does.

An identifier consists of tokens joined by ``_``: an optional prefix, one or more names, an optional
suffix. Identifiers of more than 55 characters are shortened: suffixes have fixed short forms
(always used), and the names share the remaining length. A shortened name keeps its beginning and
ends in five hexadecimal digits of its SHAKE-256 hash.
"""

import hashlib

from msgspec import Struct

MAX_LENGTH = 55
HASH_LENGTH = 5
_MIN_LENGTH = 3

SHORT_FORMS = {
    "links": "lnk",
    "morphs": "mph",
    "components": "cmps",
    "order": "ord",
    "index": "idx",
    "unique": "uq",
    "primary": "pk",
    "inv_fk": "ifk",
    "order_fk": "ofk",
    "order_inv_fk": "oifk",
    "order_index": "oidx",
    "id_column_index": "idix",
}
"""Short forms of prefixes and suffixes; those not listed are unchanged."""


class _Token(Struct, frozen=True):
    text: str
    compressible: bool


def identifier(
    *names: str, prefix: str | None = None, suffix: str | None = None, middle: str | None = None
) -> str:
    """Join names into a physical identifier of at most 55 characters.

    ``prefix``, ``middle`` (before the suffix) and ``suffix`` are never shortened; the names are.
    Raises ValueError when there is no room for the names at all.
    """
    leading = [SHORT_FORMS.get(text, text) for text in (prefix,) if text]
    trailing = [SHORT_FORMS.get(text, text) for text in (middle, suffix) if text]
    full = "_".join([*leading, *names, *trailing])
    if len(full) <= MAX_LENGTH:
        return full
    tokens = [_Token(text, compressible=False) for text in leading]
    tokens += [_Token(name, compressible=True) for name in names]
    tokens += [_Token(text, compressible=False) for text in trailing]
    return _shorten(tokens)


def _shorten(tokens: list[_Token]) -> str:
    target = _allocate(tokens)
    return "_".join(
        _cut(token.text, target[position]) if token.compressible else token.text
        for position, token in enumerate(tokens)
    )


def _allocate(tokens: list[_Token]) -> dict[int, int]:
    """Divide the length among the names: short ones keep all, the rest take turns."""
    names = {i: len(token.text) for i, token in enumerate(tokens) if token.compressible}
    reserved_length = (
        sum(len(token.text) for token in tokens if not token.compressible) + len(tokens) - 1
    )
    share, surplus = divmod(MAX_LENGTH - reserved_length, len(names))
    if share < _MIN_LENGTH:
        message = "no room for the names in " + "_".join(token.text for token in tokens)
        raise ValueError(message)
    target = {i: min(length, share) for i, length in names.items()}
    surplus += sum(share - length for length in names.values() if length < share)
    needy = [i for i, length in names.items() if length >= share]
    while surplus > 0 and (needy := [i for i in needy if target[i] < names[i]]):
        for i in needy[:surplus]:
            target[i] += 1
        surplus -= len(needy)
    return target


def _cut(name: str, length: int) -> str:
    if len(name) <= length:
        return name
    return name[: length - HASH_LENGTH] + _hash(name)


def _hash(text: str) -> str:
    digest = hashlib.shake_256(text.encode()).hexdigest(-(-HASH_LENGTH // 2))
    return digest[:HASH_LENGTH]
