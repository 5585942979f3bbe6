"""No operation, parameter or property of the OpenAPI documents is lost.

The golden files hold what the documents tell; more may be told, of a value as well. `outline`
writes them again.
"""

from collections.abc import Awaitable, Callable, Mapping

import pytest

from tests.unit.openapi.outline import FOLDER, admin_outline, content_outline


@pytest.mark.parametrize(
    ("name", "current"), [("admin", admin_outline), ("content", content_outline)]
)
async def test_nothing_that_was_described_is_missing(
    name: str, current: Callable[[], Awaitable[list[str]]]
) -> None:
    known = (FOLDER / f"{name}.txt").read_text().splitlines()
    reported = {
        place: types for place, _, types in (one.partition(": ") for one in await current())
    }
    missing = [line for line in known if not _is_kept(line, reported)]
    assert len(known) > 500
    assert not missing, "\n".join(missing[:50])


def _is_kept(line: str, reported: Mapping[str, str]) -> bool:
    """Whether a value is still there, as required as before, with all its types and limits."""
    place, _, types = line.partition(": ")
    return place in reported and set(types.split(" | ")) <= set(reported[place].split(" | "))
