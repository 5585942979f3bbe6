"""New ids of documents and requests.

Document ids have 24 characters, lower-case letters and digits, the first always a letter: one that
began with a digit could be confused with a numeric row id.
"""

import hmac
import os
import secrets
import string
from itertools import count

_FIRST_CHARACTERS = string.ascii_lowercase
_ALPHABET = string.ascii_lowercase + string.digits
DOCUMENT_ID_LENGTH = 24
_REMAINING_LENGTH = DOCUMENT_ID_LENGTH - 1
_COUNT = len(_FIRST_CHARACTERS) * len(_ALPHABET) ** _REMAINING_LENGTH
"""The number of possible document ids."""


def new_document_id() -> str:
    """Return a fresh, unguessable document id (about 123 bits of randomness)."""
    # One random number: one for each character takes 20 times longer.
    return _document_id(secrets.randbelow(_COUNT))


def document_id_of(key: bytes, secret: str) -> str:
    """Return the document id of a key: always the same, and another one for another key.

    Nobody can compute it without the secret.
    """
    digest = hmac.digest(secret.encode(), key, "blake2b")
    return _document_id(int.from_bytes(digest) % _COUNT)


def _document_id(number: int) -> str:
    characters = []
    for _ in range(_REMAINING_LENGTH):
        number, index = divmod(number, len(_ALPHABET))
        characters.append(_ALPHABET[index])
    return _FIRST_CHARACTERS[number] + "".join(characters)


_process = secrets.token_hex(8).encode()
_requests = count(1)


def new_request_id() -> bytes:
    """Return a unique request id: a random prefix of the process, and a counter."""
    return b"%b-%x" % (_process, next(_requests))


def _renew_process() -> None:
    """Give a forked process its own random prefix."""
    global _process  # noqa: PLW0603 - a constant of each process
    _process = secrets.token_hex(8).encode()


os.register_at_fork(after_in_child=_renew_process)
