"""How many examples generated tests have, and how many rounds those that kill servers.

They are the same in each run (`derandomize`), so most of them are for whoever changes what they
test: ``EXAMPLES=all`` runs them all.
"""

import os

_SHARE = 1 if os.environ.get("EXAMPLES") == "all" else 3


def examples(count: int) -> int:
    """Return how many of so many examples or rounds this run has."""
    return max(1, count // _SHARE)
