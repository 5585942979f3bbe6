"""The objects of a process are closed one after the other, whatever happens to one of them."""

from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.unit.admin_api.office import open_office


async def test_a_part_that_cannot_be_closed_leaves_no_other_open(
    tmp_path: Path, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_office(tmp_path, kind=kind) as office:
        services, database = office.app.services, office.app.database
        assert services is not None
        assert database is not None
        closed: list[str] = []

        async def fail() -> None:
            raise OSError(5, "Input/output error")

        async def close_database() -> None:
            closed.append("database")

        with monkeypatch.context() as patch:
            patch.setattr(services.slow_lists, "stop", fail)
            patch.setattr(services.database, "close", close_database)
            with pytest.raises(OSError, match="Input/output error"):
                await services.close()
        assert closed == ["database"]
