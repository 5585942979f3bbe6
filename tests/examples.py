"""The number of examples of generated tests, and of rounds of crash tests.

They are the same in each run (`derandomize`), so most of them are for whoever changes what they
test: ``EXAMPLES=all`` runs them all.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_SHARE = 1 if os.environ.get("EXAMPLES") == "all" else 3
_SAMPLE = 20


def examples(count: int) -> int:
    """Return how many of so many examples or rounds this run has."""
    return max(1, count // _SHARE)


def sample(items: Sequence[T]) -> Sequence[T]:
    """Return those of many items that this run tests a second time, in another setting."""
    return items[:: 1 if _SHARE == 1 else _SAMPLE]
