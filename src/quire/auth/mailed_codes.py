"""Codes that are sent by mail: random, some with an expiry.

A password reset code begins with the time of its creation, so that it expires although only the
code itself is stored. A code with another time is not a stored one.
"""

import secrets
from datetime import timedelta

_CODE_DIGITS = 128
_MOMENT_DIGITS = 12
_CONFIRMATION_BYTES = 20


def new_reset_code(now: int) -> str:
    """Return a code to reset a password, 128 hexadecimal digits; ``now`` is epoch milliseconds."""
    return f"{now:0{_MOMENT_DIGITS}x}" + secrets.token_hex((_CODE_DIGITS - _MOMENT_DIGITS) // 2)


def new_confirmation_code() -> str:
    """Return a code to confirm an e-mail with, 40 hexadecimal digits."""
    return secrets.token_hex(_CONFIRMATION_BYTES)


def is_current(code: str, now: int, lifetime: timedelta) -> bool:
    """Tell whether a text is a password reset code that has not expired."""
    if len(code) != _CODE_DIGITS:
        return False
    try:
        sent_at = int(code[:_MOMENT_DIGITS], 16)
    except ValueError:
        return False
    return sent_at <= now < sent_at + lifetime // timedelta(milliseconds=1)
