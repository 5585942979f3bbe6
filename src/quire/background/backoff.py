"""How long to wait before something that failed is tried again."""

import random

_FACTOR = 4
_LONGEST_MS = 3_600_000
_JITTER = 0.2


def backoff_ms(failures: int) -> int:
    """Return milliseconds to wait after so many failures: 1 s, 4 s, 16 s and so on to an hour.

    They vary by a fifth, so that what failed together is not all tried again together.
    """
    # Beyond a few failures the power is large and says nothing more.
    exact: int = min(1000 * _FACTOR ** min(failures - 1, 10), _LONGEST_MS)
    chance = random.uniform(1 - _JITTER, 1 + _JITTER)  # noqa: S311 - spreads load, guards nothing
    return min(max(round(exact * chance), 1000), _LONGEST_MS)
