"""Functions for start and stop run once in each server process."""

from pathlib import Path

import pytest

from quire.errors import ConfigurationError
from quire.extension_loading import ExtensionError, load_extensions
from tests.databases.kind import Kind
from tests.extending.background import ended
from tests.extending.project import module, open_extended, schema_in, write_code
from tests.unit.admin_api.office import office_project, run_office

CODE = """
connections = []

@on_start
async def connect() -> None:
    fired.append(("start", principal().kind))
    connections.append("open")
    with as_system("count"):
        fired.append(await documents(PAPER).count())
    await greet.enqueue()

@on_stop
def disconnect() -> None:
    fired.append(("stop", connections.pop()))

@job()
async def greet() -> None:
    fired.append(("job", list(connections)))
"""


async def test_they_run_before_the_first_job_and_after_the_last(tmp_path: Path, kind: Kind) -> None:
    async with open_extended(tmp_path, kind, CODE) as office:
        await ended(office)
        assert module().fired == [("start", "nobody"), 0, ("job", ["open"])]
    assert module().fired[-1] == ("stop", "open")
    assert module().connections == []


async def test_what_fails_at_the_start_keeps_the_server_from_starting(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @on_start
    def connect() -> None:
        raise OSError("no such host")

    @on_stop
    def disconnect() -> None:
        fired.append("stop")
    """
    async with office_project(tmp_path, kind) as project:
        write_code(project, code)
        with pytest.raises(ConfigurationError, match="on_start: connect: OSError: no such host"):
            async with run_office(project):
                pass
        assert module().fired == []


@pytest.mark.parametrize("error", ["OSError", "SystemExit"])
async def test_what_fails_at_the_stop_leaves_the_rest_as_it_is(
    tmp_path: Path, kind: Kind, error: str
) -> None:
    code = f"""
    @on_stop
    async def first() -> None:
        raise {error}("gone")

    @on_stop
    async def second() -> None:
        fired.append("second")
    """
    async with open_extended(tmp_path, kind, code):
        pass
    assert module().fired == ["second"]


def test_a_function_with_arguments_is_reported(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, "@on_start\nasync def connect(app): ...\n")
    with pytest.raises(ExtensionError, match="on_start: connect must be a function that takes no"):
        load_extensions(tmp_path, schema)
