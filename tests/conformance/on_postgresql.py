"""Rules for comparing recordings of SQLite with responses on PostgreSQL.

Administrators were recorded on SQLite alone. What they are answered is compared in a form that both
databases come to (`common_form`), but for `ORDERED_OTHERWISE`.

`OPEN_ORDER` names cases with lists that have no order of their own, localizations and what files
are used by: equal places are told apart by nothing. Most of them were left out of the recordings on
PostgreSQL for that, and what SQLite answered does not hold there.
"""

import json
import re
from collections.abc import Iterable

from tests.conformance.client import ClientResponse
from tests.conformance.corpus import JSON, ReadCase, Scenario, read_cases
from tests.conformance.deviations import Deviation, judge

OPEN_ORDER = frozenset(
    {
        "articles?populate[cover][populate]=*&fields[0]=title&sort=id&pagination[pageSize]=3",
        "articles?populate[cover][populate]=related&fields[0]=title&sort=id&pagination[pageSize]=3",
        "articles?populate[cover][populate][related]=true&fields[0]=title&sort=id&pagination[pageSize]=3",
        "articles?populate[cover][populate][related][on][api::article.article]=true&fields[0]=title&sort=id&pagination[pageSize]=3",
        "file red.png?populate=*",
        "file red.png?populate=related",
        "files/page?populate=*&pagination[pageSize]=2",
        "files?populate=*&sort=id",
        "files?populate=related",
        "files?populate[related][on][api::article.article]=true&fields=name&sort=id",
        "homepage?status=draft&locale=fr&populate=*",
        "homepage?status=draft&populate=*",
        "r1001-0248",
        "r1001-1095",
        "r1001-1306",
        "r1001-1417",
        "tags/ecabja4iyxk5h6ce95vqhq1z?populate=*",
        "tags/ecabja4iyxk5h6ce95vqhq1z?populate=localizations",
        "tags/ezjdmj0f7eimbg7ckfo9grx3?populate=*",
        "tags/ezjdmj0f7eimbg7ckfo9grx3?populate=localizations",
        "tags/okcdkdpqkh2myjt7l4btssjg?locale=fr&populate=*",
        "tags/okcdkdpqkh2myjt7l4btssjg?populate=*",
        "tags/okcdkdpqkh2myjt7l4btssjg?populate=localizations",
        "tags/u839g0rqukrpyhl1jklecwtp?locale=fr&populate=*",
        "tags/u839g0rqukrpyhl1jklecwtp?populate=*",
        "tags/u839g0rqukrpyhl1jklecwtp?populate=localizations",
    }
)

REFUSED = frozenset(
    {"articles?filters[title][$eq][$eq]=x&fields[0]=title&sort=id&pagination[pageSize]=6"}
)
"""Names of cases that are refused on every database, and that the reference answers here alone."""


_NOT_STORED = re.compile(
    r'"message": "(\'.*\' is not JSON|\S+ is outside the range|The text is too long for)'
)
_OTHERWISE = frozenset(
    {
        "delete/whole document default locale",  # looks for text by its case
        "upload/many",  # sorts files by names that two of them share
        "validation/create rating",  # a decimal has two digits
    }
)


_LISTED = "GET /content-manager/collection-types/api::"
ORDERED_OTHERWISE = frozenset(
    {
        # null comes last where it is first in SQLite, and first where it is last
        f"{_LISTED}article.article?pageSize=2&sort=author.name:ASC",
        f"{_LISTED}article.article?pageSize=2&sort[0]=kind:asc&sort[1]=id:desc",
        f"{_LISTED}article.article?pageSize=2&sort=createdBy.firstname:asc",
        f"{_LISTED}author.author?sort=passport.number:asc",
        # text is looked for by its case
        f"{_LISTED}article.article?pageSize=3&sort=id:asc&filters[title][$notContains]=a",
        f"{_LISTED}author.author?filters[name][$contains]=ada",
        "GET /content-manager/relations/api::article.article/author?_filter=$contains&_q=love",
    }
)
"""Requests of administrators that find other rows, or in another order: `docs/postgresql.md`."""

_TIME = re.compile(r"\d\d:\d\d:\d\d\.\d{3}")
_LONG_NUMBER = re.compile(r"-?\d{16,}")


def common_form(value: JSON) -> JSON:
    """Write what is stored as either database has it in one form.

    Times end in zeros in SQLite alone, whole numbers beyond 2^53 are exact in PostgreSQL alone, and
    a text in a JSON attribute is a text in quotes there.
    """
    match value:
        case dict():
            return {name: common_form(inner) for name, inner in value.items()}
        case list():
            return [common_form(item) for item in value]
        case str():
            return _common_text(value)
        case _:
            return value


def _common_text(text: str) -> str:
    if _TIME.fullmatch(text):
        return text.rstrip("0").rstrip(".")
    if _LONG_NUMBER.fullmatch(text):
        return str(int(float(text)))
    if len(text) > 1 and text[0] == text[-1] == '"':
        return str(json.loads(text))
    return text


def judge_on_postgresql(
    case: ReadCase, response: ClientResponse, deviations: Iterable[Deviation]
) -> list[str]:
    """Return the problems of a response of a server on PostgreSQL.

    Where the reference breaks, because PostgreSQL refuses its SQL or an operand, either the request
    is rejected, or it is answered as it is with SQLite.
    """
    if case.name in REFUSED:
        return _status(response, 400)
    if case.name in OPEN_ORDER:
        return _status(response, case.status)
    if case.status == 500:
        return [] if 400 <= response.status < 500 else _status(response, _expected(case).status)
    return judge(case, response, deviations)


def differs_on_postgresql(scenario: Scenario, found: Iterable[str]) -> bool:
    """Whether a scenario, recorded on SQLite, has to end otherwise on PostgreSQL.

    It does where something is written that PostgreSQL does not store, a string that is no JSON, a
    number or a text that its column has no room for: that is rejected, and the steps after it have
    nothing to build on.
    """
    listed = f"{scenario.group}/{scenario.name}" in _OTHERWISE
    return listed or any(_NOT_STORED.search(line) for line in found)


def _status(response: ClientResponse, expected: int) -> list[str]:
    if response.status == expected != 500:
        return []
    return [f"status: expected {expected}, got {response.status}"]


def _expected(case: ReadCase) -> ReadCase:
    """Return the case as it was recorded with SQLite."""
    return next(one for one in read_cases() if (one.group, one.name) == (case.group, case.name))
