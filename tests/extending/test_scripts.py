"""Scripts open a project and work with its documents, hooks and jobs."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import quire
from quire.errors import ConfigurationError
from tests.databases.kind import Kind
from tests.extending.background import changes_of, delivered, ended, jobs_of
from tests.extending.project import module, write_code
from tests.unit.admin_api.office import office_project, run_office
from tests.unit.kiosk import PAPER

CODE = """
class Title(Shape[Document]):
    title: str

@before_write(PAPER, on=["create"])
def shout(write):
    write.set(title=write.data["title"].upper())

@job()
async def note(title: str) -> None:
    fired.append(f"job {title}")

@after_commit(PAPER, on=["create"], shape=Title, status="draft")
async def tell(changes):
    fired.extend(f"told {one.document.title}" for one in changes)

@on_start
async def start() -> None:
    fired.append("started")

@on_stop
async def stop() -> None:
    fired.append("stopped")
"""


async def test_a_script_writes_with_hooks_and_leaves_jobs_to_servers(
    tmp_path: Path, kind: Kind
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE)
        async with quire.unit_of_work(project):
            papers = quire.documents(PAPER)
            with pytest.raises(quire.UnitOfWorkError, match="the server here"):
                await papers.find()
            with quire.as_system("import papers"):
                made = await papers.create({"title": "Sea"})
                assert made["title"] == "SEA"
                with pytest.raises(RuntimeError, match="undone"):
                    await _fail_in_a_transaction()
                async with quire.transaction():
                    await papers.update(made.documentId, {"price": 3})
                    await module().note.enqueue("Sea")
                assert await papers.count(status="draft") == 1
            leaked = asyncio.create_task(_count_later())
            fired = module().fired
        assert fired == ["started", "stopped"]
        with pytest.raises(quire.UnitOfWorkError, match="has ended"):
            await leaked
        with pytest.raises(quire.UnitOfWorkError):
            await papers.count()

        async with run_office(project) as office:
            await ended(office)
            await delivered(office)
            assert sorted(module().fired) == ["job Sea", "started", "told SEA"]
            assert len(await jobs_of(office)) == 1
            assert await changes_of(office) == []


async def _fail_in_a_transaction() -> None:
    async with quire.transaction():
        await quire.documents(PAPER).create({"title": "Sun"})
        raise RuntimeError("undone")


async def _count_later() -> None:
    await asyncio.sleep(0.2)
    with quire.as_system("too late"):
        await quire.documents(PAPER).count()


async def test_a_project_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        async with quire.unit_of_work(tmp_path / "nowhere"):
            pass


SCRIPT = """
import asyncio, sys
import quire

async def main() -> None:
    async with quire.unit_of_work(sys.argv[1]):
        with quire.as_system("print"):
            print(await quire.documents("api::paper.paper").count(status="draft"))

asyncio.run(main())
"""
LOGGING_CODE = """
import structlog
structlog.get_logger("site").warning("imported", token="none")
"""


@pytest.mark.whatever_the_database("lines are written before there is one")
@pytest.mark.parametrize("form", ["console", "json"])
async def test_log_lines_of_scripts_and_commands_are_no_part_of_their_output(
    tmp_path: Path, kind: Kind, form: str
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, LOGGING_CODE)
        with (project / "quire.toml").open("a") as file:
            file.write(f'[log]\nformat = "{form}"\n')
        script = tmp_path / "script.py"
        script.write_text(SCRIPT)
        quire_program = [sys.executable, "-c", "from quire.cli import main; main()"]
        of_script = await _output([sys.executable, str(script), str(project)])
        of_command = await _output([*quire_program, "hooks", str(project)])

    assert of_script[0] == "0\n"
    assert of_command[0] == ""
    for _, errors in (of_script, of_command):
        (line,) = [line for line in errors.splitlines() if "imported" in line]
        assert line.startswith("{") == (form == "json")
        assert "warning" in line


async def _output(command: Sequence[str]) -> tuple[str, str]:
    """Run a command; returns its output and its errors."""
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return output.decode(), errors.decode()
