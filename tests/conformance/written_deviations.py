"""Recorded scenarios whose results differ on purpose, and the allowed differences.

The table under "Deviations of writing" in docs/compatibility.md says in words what Quire keeps or
shows otherwise than the reference. Not all of it was recorded; where it was, it shows in later
answers of a scenario, which are listed here by the row that explains them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.conformance.corpus import Scenario, Step
from tests.conformance.deviations import COMPATIBILITY

_ID = re.compile(r"^\| `([\w-]+)` \|", re.MULTILINE)

_SHARED = (
    r"(rating|score|views|readingTime|featured|day|opensAt|happensAt|kind|contact|code|cover"
    r"|updatedAt)"
)
"""The attributes of the recorded articles that are not localized, and the moment that tells."""


@dataclass(frozen=True, slots=True)
class WrittenDeviation:
    """Scenarios that differ for one reason.

    `request` is searched in "METHOD path" of the requests whose responses may differ, `where` at
    the beginning of a difference in words.
    """

    id: str
    scenarios: frozenset[str]
    request: re.Pattern[str]
    where: re.Pattern[str]

    def covers(self, step: Step, difference: str) -> bool:
        """Tell whether a response may differ from the recorded one in this."""
        asked = self.request.search(f"{step.method} {step.path}")
        return asked is not None and self.where.match(difference) is not None


WRITTEN = (
    WrittenDeviation(
        id="shared-attributes",
        scenarios=frozenset(
            {
                "generated-1/g31-004 article-old",
                "generated-1/g31-013 article-old",
                "generated-1/g31-019 article-new",
                "generated-1/g31-021 article-old",
                "generated-2/g31-046 article-old",
                "generated-2/g31-057 article-old",
                "generated-2/g31-069 article-new",
                "locales/non localised attributes follow",
                "update/nulls clear everything",
            }
        ),
        request=re.compile(r"[?&]status=draft(&|$)"),
        where=re.compile(rf"body\.data(\.localizations\[\d\])?\.{_SHARED}\b"),
    ),
    WrittenDeviation(
        id="new-locale",
        scenarios=frozenset({"generated-3/k61-019 locales"}),
        request=re.compile(r"[?&]locale="),
        where=re.compile(rf"body\.data(\.localizations\[\d\])?\.{_SHARED}\b"),
    ),
    WrittenDeviation(
        id="unknown-locale",
        scenarios=frozenset(
            {"locales/locale=es", "locales/locale=nope!", "locales/locale=EN"},
        ),
        request=re.compile(r"^GET /api/articles\?locale=\*"),
        where=re.compile(r"body\.(data|meta\.pagination)"),
    ),
    WrittenDeviation(
        id="zone-components",
        scenarios=frozenset({"dynamic-zones/validation", "single-types/homepage validation"}),
        request=re.compile(r"^POST /api/articles\?|^PUT /api/homepage$"),
        where=re.compile(r"body\.error\.(details\.errors\[0\]|message)"),
    ),
    WrittenDeviation(
        id="zone-components",
        scenarios=frozenset({"generated-3/k61-026 zone"}),
        request=re.compile(r"[?&]status=published$|&fields\[0\]=title$"),
        where=re.compile(r"body\.data\.sections"),
    ),
)


def name_of(scenario: Scenario) -> str:
    """Return what a scenario is listed by."""
    return f"{scenario.group}/{scenario.name}"


def written_deviation(scenario: Scenario) -> WrittenDeviation | None:
    """Return what a scenario differs in, ``None`` if it does not."""
    return next((one for one in WRITTEN if name_of(scenario) in one.scenarios), None)


def documented_ids(heading: str = "Deviations of writing") -> Iterator[str]:
    """Yield the ids of the rows of a section of the page."""
    section = re.compile(rf"^## {heading}$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
    found = section.search(COMPATIBILITY.read_text())
    if found is not None:
        yield from _ID.findall(found[1])
