"""Reads that run Python code are answered on the fast path as they are by uvicorn's protocol."""

import asyncio
from pathlib import Path

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from tests.databases.kind import Kind
from tests.extending.project import write_code
from tests.unit.admin_api.office import office_project
from tests.unit.content_api.test_fast_path import (
    CountingProtocol,
    RequestCounts,
    comparable,
    get,
    request_counts,
    served,
    talk_in_turn,
)

__all__ = ["request_counts"]

CODE = """
@route.get("/hello", public=True)
async def hello(name: str, times: int = 1) -> dict[str, str]:
    await asyncio.sleep(0)
    return {"data": " ".join([name] * times)}

@route.get("/none", public=True)
async def none() -> None:
    pass

@route.get("/thread", public=True)
def thread() -> list[int]:
    return [quire.wait(documents(PAPER).count())]

@route.get("/gone", public=True)
async def gone() -> None:
    raise NotFound("nobody is here")

@route.get("/broken", public=True)
async def broken() -> None:
    raise RuntimeError("secret")

@route.get("/granted")
async def granted() -> dict[str, str]:
    return {"data": "granted"}

@around(PAPER, on=["find", "find_one"])
async def cheap(call, proceed):
    await asyncio.sleep(0)
    return await proceed(call.narrow({"price": {"$lte": 10}}))

@computed(WRITER, needs=["name"])
def initial(writer) -> str:
    return writer.name[:1]
"""
TARGETS = (
    b"/api/hello?name=Ada&times=2",
    b"/api/hello",
    b"/api/hello?name=Ada&times=often",
    b"/api/none",
    b"/api/thread",
    b"/api/gone",
    b"/api/broken",
    b"/api/granted",
    b"/api/papers",
    b"/api/papers?sort=sesame",
    b"/api/papers/nowhere",
    b"/api/writers?fields=initial",
)


async def test_code_in_reads_is_called_on_the_fast_path(
    tmp_path: Path, kind: Kind, request_counts: RequestCounts
) -> None:
    async with office_project(tmp_path, kind) as project:
        write_code(project, CODE)
        requests = [get(target) for target in TARGETS]
        async with served(project, CountingProtocol) as port:
            short = await talk_in_turn(port, requests)
            assert request_counts.delegated == 0
            many = await asyncio.gather(*(talk_in_turn(port, requests) for _ in range(3)))
        async with served(project, HttpToolsProtocol) as port:
            ordinary = await talk_in_turn(port, requests)
    statuses = [status for status, _, _ in short.responses]
    assert statuses[:8] == [200, 400, 400, 204, 200, 404, 500, 403]
    assert statuses[8:] == [200, 400, 404, 200]
    assert comparable(short) == comparable(ordinary)
    assert all(comparable(one) == comparable(short) for one in many)
