"""The report of ``quire check``, as text or JSON."""

import json
from collections.abc import Iterator, Mapping
from typing import Literal

from msgspec import Struct, field

from quire.customisations.summary import Served, TypeSummary
from quire.database.integrity.findings import count_noun

Group = Literal["served", "served differently", "closed", "not served", "ignored"]

_LABELS: Mapping[Group, str] = {
    "served": "served",
    "served differently": "warning",
    "closed": "problem",
    "not served": "warning",
    "ignored": "ignored",
}
"""What the lines of a group begin with."""
_WIDTH = len("problem  ")


class Report(Struct):
    """What was found so far.

    ``problems`` keep the project from being served, ``warnings`` do not; ``groups`` are what
    becomes of the files of a Strapi project. ``types`` are empty while the content types cannot be
    read.
    """

    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    groups: dict[Group, list[str]] = field(default_factory=lambda: {name: [] for name in _LABELS})
    types: tuple[TypeSummary, ...] = ()

    @property
    def has_problems(self) -> bool:
        """Whether something cannot be served."""
        return bool(self.problems or self.groups["closed"])

    @property
    def complete(self) -> int:
        """How many content types are served completely."""
        return sum(one.served is Served.COMPLETELY for one in self.types)

    def lines(self) -> Iterator[str]:
        """Yield the report for a terminal."""
        yield from (f"problem  {text}" for text in self.problems)
        yield from (f"warning  {text}" for text in self.warnings)
        for name, texts in self.groups.items():
            if texts:
                yield from ("", f"{name.capitalize()} ({len(texts)}):")
                yield from (f"{_LABELS[name]:<{_WIDTH}}{text}" for text in texts)
        if self.types and any(self.groups.values()):
            total = count_noun(len(self.types), "content type")
            verb = "is" if self.complete == 1 else "are"
            yield from ("", f"{self.complete} of {total} {verb} served completely.")
        problems, warnings = self._counts()
        if problems or warnings:
            yield ""
        yield f"{_counted(problems, 'problem')}, {_counted(warnings, 'warning')}."

    def _counts(self) -> tuple[int, int]:
        labels = [_LABELS[name] for name, texts in self.groups.items() for _ in texts]
        return (
            len(self.problems) + labels.count("problem"),
            len(self.warnings) + labels.count("warning"),
        )

    def json(self) -> str:
        """Return the report for scripts."""
        return json.dumps(
            {
                "problems": self.problems,
                "warnings": self.warnings,
                "served": self.groups["served"],
                "servedDifferently": self.groups["served differently"],
                "closed": self.groups["closed"],
                "notServed": self.groups["not served"],
                "ignored": self.groups["ignored"],
                "types": {"total": len(self.types), "completely": self.complete},
                "contentTypes": [_described(one) for one in self.types],
            },
            indent=2,
            ensure_ascii=False,
        )


def _described(one: TypeSummary) -> object:
    return {
        "uid": one.uid,
        "served": one.served.value,
        "closedActions": list(one.closed_actions),
        "files": list(one.files),
        "unservedRoutes": list(one.unserved_routes),
        "unservedAttributes": list(one.unserved_attributes),
    }


def _counted(count: int, noun: str) -> str:
    return count_noun(count, noun) if count else f"no {noun}s"
