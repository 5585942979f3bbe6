"""No operation, parameter or property of the OpenAPI documents gets lost.

The golden files hold what the documents tell; more may be told. `outline` writes them anew.
"""

from collections.abc import Awaitable, Callable

import pytest

from tests.unit.openapi.outline import FOLDER, admin_outline, content_outline


@pytest.mark.parametrize(
    ("name", "current"), [("admin", admin_outline), ("content", content_outline)]
)
async def test_nothing_that_was_described_is_missing(
    name: str, current: Callable[[], Awaitable[list[str]]]
) -> None:
    known = (FOLDER / f"{name}.txt").read_text().splitlines()
    lines = set(await current())
    missing = [line for line in known if line not in lines]
    assert len(known) > 500
    assert not missing, "\n".join(missing[:50])
