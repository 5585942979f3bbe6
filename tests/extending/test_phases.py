"""Hooks change a write, reject it, and read its old values."""

from pathlib import Path

import pytest

from tests.databases.kind import Kind
from tests.extending.project import PAPERS, module, open_extended, titles
from tests.secrecy.watch import WATCH


async def test_before_write_changes_data_before_they_are_validated(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    @before_write(PAPER, on=["create", "update"])
    def set_title(write):
        if not write.value("title"):
            write.set(title="Untitled", margin="secret", sold=True)

    @before_write(PAPER, on=["create"], order=1)
    async def lengthen(write):
        await asyncio.sleep(0)
        write.set(title=write.data["title"] * int(write.data.get("price") or 1))
    """
    async with open_extended(tmp_path, kind, code) as office:
        made = await office.ask("POST", "/api/papers", {"data": {"price": 2}})
        refused = await office.ask("POST", "/api/papers", {"data": {"title": "x" * 21, "price": 2}})
        admin = await office.ask("POST", PAPERS, {"title": None}, token=office.boss)

        assert (made.data["title"], made.data["sold"]) == ("UntitledUntitled", True)
        assert refused.json["error"]["details"]["errors"][0]["path"] == ["title"]
        assert (refused.status, admin.data["title"]) == (400, "Untitled")
        assert await titles(office) == ["Untitled", "UntitledUntitled"]


@pytest.mark.parametrize("definition", ["def", "async def"])
@pytest.mark.parametrize("phase", ["before_write", "after_write"])
async def test_a_hook_that_refuses_leaves_no_row_and_its_message_reaches_the_client(
    tmp_path: Path, kind: Kind, phase: str, definition: str
) -> None:
    code = f"""
    REFUSALS = {{
        "v": ValidationError("too dear", path="price"), "f": Forbidden("not you"),
        "n": NotFound(), "c": Conflict("sold out", path=["lines", 0, "text"]),
        "p": PreconditionFailed(), "t": TooManyRequests(), "x": RuntimeError("sesame"),
        "k": KeyError("sesame"), "s": StopIteration("sesame"),
    }}

    @{phase}(PAPER, on=["publish", "create"])
    {definition} refuse(write):
        if write.action == "publish" or write.data.get("sold"):
            raise REFUSALS[write.value("title") if write.data else write.before["title"]]
    """.replace('"create"])', '"create"], needs=["title"])')
    async with open_extended(tmp_path, kind, code) as office:
        for action in ("create", "publish"):
            for title, status, message in (
                ("v", 400, "too dear"),
                ("f", 403, "not you"),
                ("n", 404, "Not Found"),
                ("c", 409, "sold out"),
                ("p", 412, "The document has changed meanwhile"),
                ("t", 429, "Too many requests, please try again later."),
                ("x", 500, "Internal Server Error"),
                ("k", 500, "Internal Server Error"),
                ("s", 500, "Internal Server Error"),
            ):
                data = {"title": title, "sold": action == "create"}
                reply = await office.ask("POST", "/api/papers", {"data": data})
                assert (reply.status, reply.error) == (status, message), title
                assert "sesame" not in str(reply.json)
                if title == "c":
                    (error,) = reply.json["error"]["details"]["errors"]
                    assert error["path"] == ["lines", "0", "text"]
        assert await titles(office) == []


async def test_needs_load_the_entry_that_the_action_starts_from(tmp_path: Path, kind: Kind) -> None:
    code = """
    class Paper(Document):
        __uid__ = PAPER
        title: str

    EVERY = ["create", "update", "delete", "publish", "unpublish", "discard_draft", "clone"]

    @after_write(Paper, on=EVERY, needs=["title", "margin", "writer", "lines"])
    def note(write: Write[Paper]) -> None:
        shown = [None if one is None else (one.title, one.margin, (one.writer or {}).get("name"),
                 [line["text"] for line in one.lines]) for one in (write.before, write.after)]
        fired.append([write.action, *shown])

    @after_write(Paper, on=["update"])
    def read_what_is_not_loaded(write):
        try:
            write.before.title
        except NotLoadedError as error:
            fired.append(str(error))
    """
    async with open_extended(tmp_path, kind, code) as office:
        writer = (await office.ask("POST", "/api/writers", {"data": {"name": "Ada"}})).data
        data = {"title": "A", "writer": writer["documentId"], "lines": [{"text": "l"}]}
        made = (await office.ask("POST", "/api/papers", {"data": data})).data
        path = f"/api/papers/{made['documentId']}"
        await office.ask("PUT", f"{path}?status=draft", {"data": {"title": "B", "lines": []}})
        await office.ask(
            "POST", f"{PAPERS}/{made['documentId']}/actions/discard", {}, token=office.boss
        )
        await office.ask(
            "POST", f"{PAPERS}/clone/{made['documentId']}", {"title": "C"}, token=office.boss
        )
        await office.send("DELETE", path)

        a, b = ("A", None, "Ada", ["l"]), ("B", None, "Ada", list[str]())
        not_loaded = (
            'the field "title" was not loaded: name it in `needs` of the hook, '
            "or in `fields` or `populate` of the read"
        )
        assert module().fired == [
            ["create", None, a],
            ["publish", a, a],
            ["update", a, b],
            not_loaded,
            ["discard_draft", b, a],
            ["clone", a, ("C", None, "Ada", ["l"])],
            ["delete", a, None],
        ]


async def test_changed_compares_with_what_was_loaded(tmp_path: Path, kind: Kind) -> None:
    code = """
    @before_write(PAPER, on=["update"], needs=["title"])
    def note(write):
        fired.append([write.changed("title"), write.changed("sold"), write.value("title")])
    """
    async with open_extended(tmp_path, kind, code) as office:
        made = (await office.ask("POST", "/api/papers", {"data": {"title": "A"}})).data
        path = f"/api/papers/{made['documentId']}?status=draft"
        for data in ({"title": "A"}, {"sold": True}, {"title": "B", "sold": None}):
            await office.ask("PUT", path, {"data": data})

        assert module().fired == [[False, False, "A"], [False, True, "A"], [True, True, "B"]]


@pytest.mark.parametrize(
    "statement",
    [
        'write.set(titel="x")',
        'write.data["documentId"] = "x"',
        'write.value("titel")',
        'write.changed("titel")',
        "write.set(createdAt=None)",
    ],
)
async def test_fields_that_cannot_be_written_are_mistakes(
    tmp_path: Path, kind: Kind, statement: str
) -> None:
    code = f"""
    @before_write(PAPER, on=["create"])
    def mistake(write):
        {statement}
    """
    async with open_extended(tmp_path, kind, code) as office:
        reply = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        assert (reply.status, await titles(office)) == (500, [])


async def test_a_hook_that_takes_too_long_is_stopped(tmp_path: Path, kind: Kind) -> None:
    code = """
    @before_write(PAPER, on=["create"])
    async def wait(write):
        try:
            await asyncio.sleep(60)
        finally:
            fired.append("stopped")
    """
    async with open_extended(tmp_path, kind, code) as office:
        reply = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        assert (reply.status, await titles(office)) == (503, [])
        assert module().fired == ["stopped"]
        assert (await office.ask("POST", "/api/writers", {"data": {"name": "B"}})).status == 201


async def test_passwords_that_hooks_set_are_hashed(tmp_path: Path, kind: Kind) -> None:
    code = """
    @before_write(PAPER, on=["create"])
    def lock(write):
        write.set(lock="Set-by-a-hook-1")
    """
    WATCH.keep("Set-by-a-hook-1")
    async with open_extended(tmp_path, kind, code) as office:
        reply = await office.ask("POST", "/api/papers", {"data": {"title": "A"}})
        assert reply.status == 201, reply.json


async def test_a_write_is_neither_encoded_nor_printed_with_its_data(
    tmp_path: Path, kind: Kind
) -> None:
    code = """
    import json
    import msgspec

    @prepare(PAPER, on=["create"])
    @before_write(PAPER, on=["create"])
    async def encode(write):
        for encode in (msgspec.json.encode, msgspec.to_builtins, msgspec.msgpack.encode):
            try:
                fired.append(repr(encode({"write": write})))
            except TypeError as error:
                fired.append(str(error))

    @around(PAPER, on=["create"])
    async def show_call(call, proceed):
        fired.append(f"{call!r}")
        return await proceed(call)

    @policy(PAPER, on=["create"])
    def show_context(context):
        fired.append(f"{context!r}")
        return True
    """
    async with open_extended(tmp_path, kind, code) as office:
        data = {"title": "A", "lock": "open sesame"}
        made = await office.ask("POST", "/api/papers", {"data": data})
        assert made.status == 201, made.json
        fired = module().fired
    assert fired.count("Encoding objects of type WriteData is unsupported") == 6
    assert len(fired) == 9
    assert "sesame" not in str(fired)
