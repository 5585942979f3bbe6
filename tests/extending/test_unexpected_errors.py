"""Code of each kind that raises an unexpected error: it denies, and its message stays in the log.

`sys.exit` and a cancellation by the code itself are such errors, too: they do not end the server.

The server goes on: the same requests succeed as soon as the code does not raise any more.
"""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path

import pytest

from tests.conformance.forms import FORM_TYPE, FilePart, form
from tests.databases.kind import Kind
from tests.extending.project import PAPERS, module, write_code
from tests.unit.admin_api.office import BOSS, Office, office_project, run_office

SECRET = "quicksilver"
ERRORS = [
    "UnexpectedError()",
    f"SystemExit('{SECRET}')",
    "asyncio.CancelledError()",
    f"StopIteration('{SECRET}')",
]
FAILURE = f"""
import os

class UnexpectedError(Exception):
    def __init__(self):
        super().__init__("{SECRET}")
        self.status, self.message, self.details = 418, "{SECRET}", os.environ

    __str__ = __repr__ = lambda self: "{SECRET} SELECT * FROM papers"

raising = None

def fail():
    local_variable = "{SECRET}"
    if raising:
        raise eval(raising)

WRITES = ["create", "update", "delete", "publish", "unpublish", "discard_draft", "clone"]
READS = ["find", "find_one", "count"]
"""
READING = {
    "a plain computed field": """
        @computed(PAPER, needs=["title"])
        def size(paper) -> int:
            fail()
            return len(paper.title)
    """,
    "a computed field of many": """
        @computed(PAPER, needs=[], batch=True)
        async def size(papers) -> list[int]:
            fail()
            return [1 for _ in papers]
    """,
    "around a read": """
        @around(PAPER, on=READS)
        async def wrap(call, proceed):
            fail()
            return await proceed(call)
    """,
    "after a read": """
        @around(PAPER, on=READS)
        async def wrap(call, proceed):
            result = await proceed(call)
            fail()
            return result
    """,
    "a rule for reads": """
        @rule(PAPER, on=["find"])
        def visible(who):
            fail()
            return True
    """,
    "the values that an attribute type shows": """
        @attribute_type("odd")
        class FailingType(AttributeType[str, AttributeOptions]):
            stores = "string"

            def parse(self, value, options):
                return value

            def serialize(self, value, options):
                fail()
                return value
    """,
    "a policy for reads": """
        @policy(PAPER, on=READS)
        def allowed(context):
            fail()
    """,
}
WRITING = {
    "prepare": """
        @prepare(PAPER, on=["create", "update", "clone"])
        async def ready(write):
            fail()
    """,
    "a plain function before writes": """
        @before_write(PAPER, on=WRITES)
        def before(write):
            fail()
    """,
    "before writes": """
        @before_write(PAPER, on=WRITES)
        async def before(write):
            fail()
    """,
    "before many writes": """
        @before_write(PAPER, on=WRITES, batch=True)
        async def before(writes):
            fail()
    """,
    "a plain function after writes": """
        @after_write(PAPER, on=WRITES)
        def after(write):
            fail()
    """,
    "after writes": """
        @after_write(PAPER, on=WRITES)
        async def after(write):
            with as_system("to query"):
                await documents(WRITER).count()
            fail()
    """,
    "around a write": """
        @around(PAPER, on=WRITES)
        async def wrap(call, proceed):
            fail()
            return await proceed(call)
    """,
    "after a write around it": """
        @around(PAPER, on=WRITES)
        async def wrap(call, proceed):
            result = await proceed(call)
            fail()
            return result
    """,
    "a rule for writes": """
        @rule(PAPER, on=WRITES)
        def own(who):
            fail()
            return True
    """,
    "the values that an attribute type stores": """
        @attribute_type("odd")
        class FailingType(AttributeType[str, AttributeOptions]):
            stores = "string"

            def parse(self, value, options):
                fail()
                return value
    """,
    "a policy for writes": """
        @policy(PAPER, on=WRITES)
        def allowed(context):
            fail()
    """,
}
OTHERS = {
    "a route": """
        @route.get("/papers/odd", public=True)
        async def odd() -> str:
            fail()
            return "well"
    """,
    "a plain route": """
        @route.get("/papers/odd", public=True)
        def odd() -> str:
            fail()
            return "well"
    """,
    "a policy of a route": """
        def allowed(context):
            fail()

        @route.get("/papers/odd", public=True, policies=[allowed])
        async def odd() -> str:
            return "well"
    """,
    "an authentication strategy": """
        @auth_strategy("odd")
        async def who(request):
            if request.path.endswith("/odd"):
                fail()

        @route.get("/papers/odd", public=True)
        async def odd() -> str:
            return "well"
    """,
    "a middleware": """
        @asgi_middleware()
        def outer(app):
            async def wrapped(scope, receive, send):
                if scope["path"].endswith("/odd"):
                    fail()
                await app(scope, receive, send)
            return wrapped

        @route.get("/papers/odd", public=True)
        async def odd() -> str:
            return "well"
    """,
    "an operator": """
        @operator("$is_odd", on=["string"], operand=str)
        def odd(column, operand):
            fail()
            return column == operand.value

        ODD = "/api/papers?filters[title][$is_odd]=x"
    """,
}
STORAGE = """
    @storage_backend("odd")
    class FailingStorage(StorageBackend):
        async def put(self, key, content, meta):
            fail()
            async for _ in content:
                pass

        async def open(self, key):
            fail()
            yield b"well"

        async def delete(self, key):
            fail()

        async def version(self, key):
            fail()
            return "1"
"""
TITLE = {"quire": {"type": "odd"}, "i18n": {"localized": True}}
"""The options of the titles of papers, for code with the attribute type."""


@asynccontextmanager
async def open_failing(
    folder: Path, kind: Kind, code: str, environment: str = "production"
) -> AsyncIterator[Office]:
    """Run the kiosk with code that calls ``fail`` of its module."""
    async with office_project(folder, kind) as project:
        write_code(project, f"{FAILURE}\n{_outdented(code)}")
        if "attribute_type" in code:
            path = project / "src/api/paper/content-types/paper/schema.json"
            raw = json.loads(path.read_bytes())
            raw["attributes"]["title"]["pluginOptions"] = TITLE
            path.write_text(json.dumps(raw), encoding="utf-8")
        settings = {"environment": environment}
        if "storage_backend" in code:
            settings["uploads.storage"] = "odd"
        async with run_office(project, settings=settings) as office:
            office.boss = (await office.sign_in(BOSS["email"])).data["token"]
            yield office


def _outdented(code: str) -> str:
    lines = code.splitlines()
    indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[indent:] for line in lines)


def _reads(document: str) -> Iterator[tuple[str, str, object, bool]]:
    yield "GET", "/api/papers?status=draft&sort=title", None, False
    yield "GET", f"/api/papers/{document}?status=draft", None, False


def _reads_by_anybody(document: str) -> Iterator[tuple[str, str, object, bool]]:
    yield from _reads(document)
    yield "GET", PAPERS, None, True
    yield "GET", f"{PAPERS}/{document}", None, True


def _writes(document: str) -> Iterator[tuple[str, str, object, bool]]:
    new = {"title": "New"}
    create = {"action": "create", "type": "papers", "data": new}
    update = {"action": "update", "type": "papers", "documentId": document, "data": new}
    yield "POST", "/api/papers", {"data": new}, False
    yield "PUT", f"/api/papers/{document}", {"data": new}, False
    yield "POST", "/api/_batch", {"operations": [create]}, False
    yield "POST", "/api/_batch", {"operations": [create, update]}, False
    yield "POST", PAPERS, new, True
    yield "PUT", f"{PAPERS}/{document}", new, True


async def _send(office: Office, method: str, target: str, body: object, *, admin: bool) -> int:
    """Send a request; returns the status of a response that says nothing of the error."""
    response = await office.send(method, target, body, token=office.boss if admin else None)
    text = response.content.decode() + str(response.headers)
    assert SECRET not in text, (method, target, text)
    assert "UnexpectedError" not in text
    assert "SELECT" not in text
    assert "Traceback" not in text
    return response.status


async def _paper(office: Office) -> str:
    made = await office.ask("POST", "/api/papers?status=draft", {"data": {"title": "Old"}})
    assert made.status == 201, made.json
    return str(made.data["documentId"])


@pytest.mark.parametrize("code", READING.values(), ids=READING)
async def test_reads_are_denied(tmp_path: Path, kind: Kind, code: str) -> None:
    async with open_failing(tmp_path, kind, code) as office:
        document = await _paper(office)
        requests = [*(_reads if "computed" in code else _reads_by_anybody)(document)]
        for error, (method, target, body, admin) in product(ERRORS, requests):
            module().raising = error
            response = await office.send(method, target, token=office.boss if admin else None)
            assert "Old" not in response.content.decode(), target
            status = await _send(office, method, target, body, admin=admin)
            # A rule without a result hides every row.
            assert status >= 400 or "@rule" in code, (target, status)
        module().raising = None
        for method, target, body, admin in requests:
            assert await _send(office, method, target, body, admin=admin) == 200, target


@pytest.mark.parametrize("code", WRITING.values(), ids=WRITING)
async def test_writes_are_denied_and_leave_no_row(tmp_path: Path, kind: Kind, code: str) -> None:
    async with open_failing(tmp_path, kind, code) as office:
        document = await _paper(office)
        before = await _stored(office)
        requests = [*_writes(document)]
        if "prepare" not in code and "attribute_type" not in code:
            requests.append(("DELETE", f"/api/papers/{document}", None, False))
        for error, (method, target, body, admin) in product(ERRORS, requests):
            module().raising = error
            status = await _send(office, method, target, body, admin=admin)
            assert status in {401, 403, 500}, (error, method, target, status)
        module().raising = None
        assert await _stored(office) == before
        for method, target, body, admin in _writes(document):
            status = await _send(office, method, target, body, admin=admin)
            assert status in {200, 201}, (method, target, status)
        assert await _stored(office) != before


async def _stored(office: Office) -> object:
    listed = await office.ask("GET", f"{PAPERS}?sort=id&pageSize=100", token=office.boss)
    return [(one["documentId"], one["title"], one["updatedAt"]) for one in listed.json["results"]]


@pytest.mark.parametrize("environment", ["production", "development"])
@pytest.mark.parametrize("code", OTHERS.values(), ids=OTHERS)
async def test_other_requests_are_denied(
    tmp_path: Path, kind: Kind, code: str, environment: str
) -> None:
    async with open_failing(tmp_path, kind, code, environment) as office:
        target = getattr(module(), "ODD", "/api/papers/odd")
        for error in (*ERRORS, None):
            module().raising = error
            status = await _send(office, "GET", target, None, admin=False)
            assert status in ({200} if error is None else {401, 403, 500}), (error, status)
        assert (await office.ask("GET", "/api/papers")).status == 200


async def test_files_are_not_stored_or_sent(tmp_path: Path, kind: Kind) -> None:
    async with open_failing(tmp_path, kind, STORAGE) as office:
        headers = {"Content-Type": FORM_TYPE, "Authorization": f"Bearer {office.boss}"}
        note = form([FilePart("note.txt", b"Low water", "text/plain")], ())
        url = ""
        for error, status in ((None, 201), *((error, 503) for error in ERRORS[:2])):
            module().raising = error
            sent = await office.client.request("POST", "/upload", headers, note)
            assert sent.status == status, sent.content
            assert SECRET not in sent.content.decode()
            url = url or json.loads(sent.content)[0]["url"]
        assert await _send(office, "GET", url, None, admin=False) == 503
        module().raising = None
        assert await _send(office, "GET", url, None, admin=False) == 200
