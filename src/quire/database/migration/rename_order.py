"""Orders renames so that no name is needed twice at the same time."""

from collections.abc import Iterator, Mapping

_PASSING = "quire_passing"
"""Begins the names that things have between two others."""


def order_renames(renames: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Order renames so that no name is needed twice at once: names that are taken go round."""
    waiting = dict(renames)
    passing: list[tuple[str, str]] = []
    while waiting:
        free = [old for old, new in waiting.items() if new not in waiting]
        if not free:
            old, new = waiting.popitem()
            between = f"{_PASSING}_{len(passing)}"
            yield old, between
            passing.append((between, new))
            continue
        for old in free:
            yield old, waiting.pop(old)
    yield from passing
