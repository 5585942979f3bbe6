r"""Intended differences from the reference: the table in docs/compatibility.md.

A row of the table under the heading "Deviations" is ``| id | where | reference | Quire | why |``:

- `where` holds a regular expression in backticks, searched in a recorded request written as
  "METHOD path", a line "name: value" in lower case for each of its own headers, and its body
  (``^`` and ``$`` are the ends of these lines; a vertical bar is written ``\|``, as everywhere in
  such a table);
- `reference` begins with the status that was recorded: the row covers no other responses;
- `Quire` begins with the status that Quire answers, which "without zero-width characters" or "but
  for its CORS headers" may follow.

For a recorded server error any 4xx with an error envelope is accepted. For another recorded
response it is the status of the row, with whatever body; or, without zero-width characters, the
recorded answer once they are taken out of its texts; or the recorded response, whatever it says of
origins.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.conformance.client import ClientResponse
from tests.conformance.compare import differences
from tests.conformance.corpus import JSON, Recorded
from tests.conformance.placeholders import Placeholders

COMPATIBILITY = Path(__file__).parents[2] / "docs" / "compatibility.md"

_SECTION = re.compile(r"^## Deviations$(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_STATUS = re.compile(r"[1-5]\d\d\b")
_VISIBLE_ONLY = re.compile(r"[1-5]\d\d without zero-width characters")
_EXCEPT_CORS = re.compile(r"[1-5]\d\d with other CORS headers")
_CORS = frozenset(
    {
        "access-control-allow-origin",
        "access-control-allow-credentials",
        "access-control-allow-headers",
    }
)
_ZERO_WIDTH = re.compile("[\u200b-\u200d\ufeff]")


@dataclass(frozen=True, slots=True)
class Deviation:
    """One row of the table."""

    id: str
    where: re.Pattern[str]
    reference_status: int
    quire_status: int
    visible_only: bool = False
    """Whether the answer is the recorded one but for its zero-width characters."""
    except_cors: bool = False
    """Whether the response equals the recorded one except for its CORS headers."""

    def covers(self, case: Recorded) -> bool:
        """Tell whether a recorded case is one of those that the row speaks of."""
        return case.status == self.reference_status and self.where.search(_text(case)) is not None

    def differences(
        self, case: Recorded, response: ClientResponse, placeholders: Placeholders | None = None
    ) -> list[str]:
        """Return the parts of a response that the row does not allow."""
        if self.visible_only:
            return differences(replace(case, body=_visible(case.body)), response, placeholders)
        if self.except_cors:
            kept = {n: v for n, v in case.response_headers.items() if n not in _CORS}
            return differences(replace(case, response_headers=kept), response, placeholders)
        if self.reference_status >= 500:
            if 400 <= response.status < 500 and _is_error_envelope(response):
                return []
            return [f"expected a 4xx error envelope by {self.id}, got {response.status}"]
        if response.status == self.quire_status:
            return []
        return [f"status: expected {self.quire_status} by {self.id}, got {response.status}"]


def read_deviations(file: Path = COMPATIBILITY) -> tuple[Deviation, ...]:
    """Read the table.

    Raises:
        ValueError: There is no such table, or a row is not of the form above.
    """
    section = _SECTION.search(file.read_text())
    if section is None:
        raise ValueError(f"{file.name} has no heading '## Deviations'")
    rows = [line.strip() for line in section[1].splitlines() if line.strip().startswith("|")]
    return tuple(map(_deviation, rows[2:]))


def judge(
    case: Recorded,
    response: ClientResponse,
    deviations: Iterable[Deviation],
    placeholders: Placeholders | None = None,
) -> list[str]:
    """Return the problems of a response to a recorded request."""
    for deviation in deviations:
        if deviation.covers(case):
            return deviation.differences(case, response, placeholders)
    return differences(case, response, placeholders)


def _deviation(row: str) -> Deviation:
    cells = [cell.strip().replace(r"\|", "|") for cell in _CELL_BORDER.split(row)[1:-1]]
    if len(cells) != 5:
        raise ValueError(f"not five cells: {row}")
    name, where, reference, quire, _ = cells
    pattern = re.fullmatch("`(.+)`", where)
    statuses = _STATUS.match(reference), _STATUS.match(quire)
    if pattern is None or statuses[0] is None or statuses[1] is None:
        raise ValueError(f"no pattern in backticks, or no status at the beginning: {row}")
    return Deviation(
        id=name,
        where=re.compile(pattern[1], re.MULTILINE),
        reference_status=int(statuses[0][0]),
        quire_status=int(statuses[1][0]),
        visible_only=_VISIBLE_ONLY.match(quire) is not None,
        except_cors=_EXCEPT_CORS.match(quire) is not None,
    )


def _text(case: Recorded) -> str:
    headers = (f"{name}: {value}".lower() for name, value in case.headers.items())
    return "\n".join((f"{case.method} {case.path}", *headers, case.sent.decode(errors="replace")))


def _visible(value: JSON) -> JSON:
    """Take the zero-width characters out of every text of a JSON value."""
    match value:
        case dict():
            return {name: _visible(inner) for name, inner in value.items()}
        case list():
            return [_visible(inner) for inner in value]
        case str():
            return _ZERO_WIDTH.sub("", value)
        case _:
            return value


def _is_error_envelope(response: ClientResponse) -> bool:
    match response.json:
        case {"data": None, "error": {"status": status, "name": str(), "message": str()}}:
            return status == response.status
        case _:
            return False
