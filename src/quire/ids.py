"""New document ids: 24 characters, lower-case letters and digits, the first always a letter.

A document id that began with a digit could be taken for a numeric row id, so it never does.
"""

import secrets
import string

_LETTERS = string.ascii_lowercase
_ALPHABET = string.ascii_lowercase + string.digits
DOCUMENT_ID_LENGTH = 24


def new_document_id() -> str:
    """Return a fresh, unguessable document id (about 123 bits of randomness)."""
    rest = (secrets.choice(_ALPHABET) for _ in range(DOCUMENT_ID_LENGTH - 1))
    return secrets.choice(_LETTERS) + "".join(rest)
