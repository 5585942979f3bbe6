"""Matches paths against patterns in which ``*`` stays inside a folder and ``**`` does not."""

from collections.abc import Sequence
from fnmatch import fnmatchcase


def matches(path: str, pattern: str) -> bool:
    """Whether a path with slashes is meant by a pattern, or is inside a folder that is."""
    return _match(path.split("/"), pattern.strip("/").removeprefix("./").split("/"))


def _match(parts: Sequence[str], patterns: Sequence[str]) -> bool:
    if not patterns:
        return True
    if patterns[0] == "**":
        rest = patterns[1:]
        return any(_match(parts[start:], rest) for start in range(len(parts) + 1))
    if not parts:
        return False
    return fnmatchcase(parts[0], patterns[0]) and _match(parts[1:], patterns[1:])
