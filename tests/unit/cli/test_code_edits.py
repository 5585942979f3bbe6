"""``quire dev`` uses changed Python code without a restart, unless it has a mistake."""

import time
from pathlib import Path
from subprocess import Popen
from threading import Timer

import httpx
import pytest

from tests.unit.cli.processes import ready_at, serving
from tests.unit.cli.test_serve import children

ROUTE = """from quire import route


@route.get("/greeting", public=True)
async def greeting() -> dict[str, str]:
    return {{"text": "{text}"}}
"""


STORAGE = """from collections.abc import AsyncIterator

from quire import ByteRange, FileMeta, StorageBackend, storage_backend


@storage_backend("nowhere")
class Nowhere(StorageBackend):
    async def put(self, key: str, content: AsyncIterator[bytes], meta: FileMeta) -> None: ...

    async def open(self, key: str, part: ByteRange | None = None) -> AsyncIterator[bytes]:
        raise FileNotFoundError(key)
        yield b""

    async def delete(self, key: str) -> None: ...

    async def version(self, key: str) -> str | None: ...
"""


def write_route(project: Path, text: str) -> Path:
    file = project / "src" / "greeting.py"
    file.write_text(ROUTE.format(text=text), encoding="utf-8")
    return file


def wait_for_text(address: str, text: str) -> None:
    """Wait until the route returns a text; every response until then is a successful one."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        response = httpx.get(f"{address}/api/greeting")
        assert response.status_code == 200, response.text
        if response.json()["text"] == text:
            return
        time.sleep(0.02)
    pytest.fail(f"the route never returned {text}")


def wait_for_line(process: Popen[str], part: str) -> str:
    """Wait until a line is logged; a server that does not log it is killed."""
    assert process.stderr is not None
    lines = []
    killing = Timer(60, process.kill)
    killing.start()
    try:
        for line in process.stderr:
            lines.append(line)
            if part in line:
                return line
    finally:
        killing.cancel()
    pytest.fail(f"{part} was not logged: {lines}")


def test_changed_code_is_used_by_the_same_process(project: Path) -> None:
    file = write_route(project, "one")
    with serving("dev", project) as (address, process):
        before = children(process)
        wait_for_text(address, "one")
        write_route(project, "two")
        wait_for_text(address, "two")
        file.write_text("def broken(:\n", encoding="utf-8")
        assert wait_for_line(process, "src/greeting.py:1  SyntaxError")
        wait_for_text(address, "two")
        file.write_text(
            ROUTE.format(text="x").replace("public=True", "publik=True"), encoding="utf-8"
        )
        assert wait_for_line(process, "src/greeting.py:4  TypeError")
        wait_for_text(address, "two")
        write_route(project, "three")
        wait_for_text(address, "three")
        file.unlink()
        assert wait_for_line(process, "the changed code is in use")
        assert children(process) == before


def test_functions_of_the_start_run_before_new_code_is_used(project: Path) -> None:
    log, file = project / "log.txt", project / "src" / "startup.py"
    code = """from pathlib import Path

from quire import on_start, on_stop

LOG = Path({log!r})


@on_start
async def begin() -> None:
    with LOG.open("a") as file:
        file.write("start {number}\\n")


@on_stop
async def end() -> None:
    with LOG.open("a") as file:
        file.write("stop {number}\\n")
"""
    file.write_text(code.format(log=str(log), number=1), encoding="utf-8")
    with serving("dev", project) as (_, process):
        file.write_text(code.format(log=str(log), number=2), encoding="utf-8")
        wait_for_line(process, "the changed code is in use")
        broken = code.format(log=str(log), number=3).replace("file.write", "1 / 0, file.write", 1)
        file.write_text(broken, encoding="utf-8")
        wait_for_line(process, "src/startup.py:8  on_start: begin: ZeroDivisionError")
        process.terminate()
        process.wait(30)

    assert log.read_text(encoding="utf-8").splitlines() == [
        "start 1",
        "start 2",
        "stop 1",
        "stop 2",
    ]


def test_code_of_the_storage_backend_in_use_starts_the_server_anew(project: Path) -> None:
    with (project / "quire.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[uploads]\nstorage = "nowhere"\n')
    helper, storage = project / "src" / "helper.py", project / "src" / "storage.py"
    helper.write_text("NAME = 1\n", encoding="utf-8")
    storage.write_text(f"from .helper import NAME\n{STORAGE}", encoding="utf-8")
    file = write_route(project, "one")
    with serving("dev", project) as (address, process):
        before = children(process)
        file.write_text(ROUTE.format(text="x").replace("public", "publik"), encoding="utf-8")
        assert wait_for_line(process, "src/greeting.py:4  TypeError")
        write_route(project, "two")
        assert wait_for_line(process, "the changed code is in use")
        wait_for_text(address, "two")
        assert children(process) == before

        helper.write_text("NAME = 2\n", encoding="utf-8")
        assert wait_for_line(process, "the code of its storage backend has changed")
        assert ready_at(process) == address
        assert children(process) != before


def test_a_storage_backend_that_is_not_in_use_starts_nothing_anew(project: Path) -> None:
    with serving("dev", project) as (_, process):
        before = children(process)
        (project / "src" / "storage.py").write_text(STORAGE, encoding="utf-8")
        assert wait_for_line(process, "the changed code is in use")
        assert children(process) == before
