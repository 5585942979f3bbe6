"""Errors in the Python code of a project are reported together when it is loaded."""

from pathlib import Path

import pytest

from quire.app import build_app
from quire.cli import run
from quire.extension_loading import ExtensionError, load_extensions
from quire.settings import load_settings
from tests.extending.project import FILE, IMPORTS, schema_in, write_code
from tests.unit.admin_api.office import SECRETS

_FIRST = IMPORTS.count("\n") + 1


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            '@before_write("api::papr.paper", on=["create"])',
            'unknown content type; did you mean "api::paper.paper"?',
        ),
        ('@before_write("api::zzz.*", on=["create"])', "no content type matches the pattern"),
        ('@before_write("plugin::upload.file", on=["create"])', "are not written through actions"),
        (
            '@before_write(PAPER, on=["crate"])',
            'unknown action "crate" in on; did you mean "create"?',
        ),
        (
            '@before_write(PAPER, on=["saved"])',
            'unknown action "saved" in on; known are create, update, delete, publish',
        ),
        ('@before_write(PAPER, on="create")', "on must be a list of names"),
        ("@before_write(PAPER, on=[])", "on names no action"),
        (
            '@before_write(WRITER, on=["publish"])',
            "has no draft & publish, so it is never published",
        ),
        (
            '@after_write(PAPER, on=["create"], needs=["titel"])',
            'unknown field "titel" in needs; did you mean "title"?',
        ),
        ('@after_write(PAPER, on=["create"], needs="title")', "needs must be a list of names"),
        (
            '@after_write(PAPER, on=["create"], needs=["lock"])',
            "is a password, which is never read",
        ),
        ('@after_write(PAPER, on=["create"], order="1")', "order must be an integer, not '1'"),
        ('@after_write(Document, on=["create"])', "it has no __uid__"),
        (
            '@rule(PAPER, on=["findone"])',
            'unknown action "findone" in on; did you mean "find_one"?',
        ),
        ('@rule("api::papr.paper", on=["find"])', 'did you mean "api::paper.paper"?'),
        ('@rule(WRITER, on=["publish"])', "has no draft & publish"),
    ],
)
def test_a_mistake_is_reported_with_file_and_line(tmp_path: Path, code: str, message: str) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, f"{code}\ndef hook(write): ...\n")
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    (problem,) = caught.value.problems
    assert str(problem).startswith(f"{FILE}:{_FIRST}  {code[1:].split('(', maxsplit=1)[0]}(")
    assert message in str(problem)


BEFORE = '@before_write(PAPER, on=["create"])'
AROUND = '@around(PAPER, on=["find"])'
RULE = '@rule(PAPER, on=["find"])'


@pytest.mark.parametrize(
    ("mark", "definition", "message"),
    [
        (BEFORE, "def hook(): ...", "hook() must take one argument, the write"),
        (BEFORE, "def hook(a, b): ...", "hook(a, b) must take one argument, the write"),
        (BEFORE, "def hook(*, write): ...", "hook(*, write) must take one argument, the write"),
        (BEFORE, "def hook(write): yield", "hook is a generator; it must return, not yield"),
        (BEFORE, "class hook: ...", "hook is not a function"),
        (
            AROUND,
            "async def wrap(call): ...",
            "wrap(call) must take two arguments, the call and proceed",
        ),
        (
            AROUND,
            "def wrap(call, proceed): ...",
            "wrap must be an async def, which awaits proceed(call)",
        ),
        (RULE, "def limit(): ...", "limit() must take one argument, the principal"),
        (RULE, "def limit(who): yield", "limit is a generator"),
        (RULE, "async def limit(who): ...", "limit must be a plain def, which awaits nothing"),
    ],
)
def test_a_signature_that_cannot_be_called_is_reported(
    tmp_path: Path, mark: str, definition: str, message: str
) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, f"{mark}\n{definition}\n")
    with pytest.raises(ExtensionError, match="1 problem in the project's Python code") as caught:
        load_extensions(tmp_path, schema)
    assert message in str(caught.value)


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, "def broken(:\n", "src/extensions/syntax.py")
    write_code(tmp_path, "import quire_no_such\n", "src/extensions/missing.py")
    write_code(tmp_path, "raise SystemExit(3)\n", "src/extensions/ending.py")
    write_code(
        tmp_path,
        """
        @before_write(PAPER, on=["crate"], needs=["titel"])
        def one(write): ...

        @after_write("api::pages.page", on=["create"])
        def two(write): ...
        """,
    )
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    assert [(one.file, one.line) for one in caught.value.problems] == [
        (FILE, _FIRST + 1),
        (FILE, _FIRST + 1),
        (FILE, _FIRST + 4),
        ("src/extensions/ending.py", _FIRST),
        ("src/extensions/missing.py", _FIRST),
        ("src/extensions/syntax.py", _FIRST),
    ]


def test_a_misspelt_name_of_an_import_gets_a_suggestion(tmp_path: Path) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, "def slug(text): ...\n", "src/extensions/text.py")
    write_code(tmp_path, "from quire import before_wirte\n", "src/extensions/one.py")
    write_code(tmp_path, "from src.extensions.text import slugs\n", "src/extensions/two.py")
    with pytest.raises(ExtensionError) as caught:
        load_extensions(tmp_path, schema)
    one, two = (problem.message for problem in caught.value.problems)
    assert one.endswith('; did you mean "before_write"?')
    assert two.endswith('; did you mean "slug"?')


def test_modules_import_one_another_and_order_follows_order_then_file_then_line(
    tmp_path: Path,
) -> None:
    schema = schema_in(tmp_path)
    write_code(tmp_path, "def slug(text): return text.lower()\n", "src/extensions/text.py")
    write_code(
        tmp_path,
        """
        from src.extensions.text import slug
        @before_write(PAPER, on=["create"], order=2)
        def last(write): ...
        @before_write("api::*", on=["create", "publish"])
        def second(write): ...
        """,
    )
    code = '@before_write(PAPER, on=["create"])\ndef first(write): ...\n'
    write_code(tmp_path, code, "src/api/my-page/hooks.py")

    extensions = load_extensions(tmp_path, schema)

    hooks = extensions.writes["api::paper.paper", "create"].before
    assert [hook.name for hook in hooks] == ["first", "second", "last"]
    assert ("api::writer.writer", "publish") not in extensions.writes
    assert ("api::paper.paper", "update") not in extensions.writes
    write_code(tmp_path, "def slug(text): return text\n", "src/extensions/text.py")
    assert load_extensions(tmp_path, schema).version != extensions.version


def test_a_project_with_a_mistake_neither_starts_nor_passes_the_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    (tmp_path / ".env").write_text("\n".join(f"{k}={v}" for k, v in SECRETS.items()))
    write_code(tmp_path, '@before_write(PAPER, on=["create"])\ndef hook(write): ...\n')
    assert run(["hooks", str(tmp_path)]) == 0
    listed = capsys.readouterr().out
    assert f"before_write  hook  {FILE}:{_FIRST}" in listed
    assert run(["hooks", str(tmp_path), "--type", "api::writer.writer"]) == 0
    assert "hook" not in capsys.readouterr().out
    assert run(["hooks", str(tmp_path), "--type", "api::writers.writer"]) == 2
    capsys.readouterr()
    run(["check", str(tmp_path)])
    assert f"{FILE}:{_FIRST}: before_write hook runs on create" in capsys.readouterr().out

    write_code(tmp_path, '@before_write(PAPER, on=["crate"])\ndef hook(write): ...\n')

    assert run(["check", str(tmp_path)]) == 1
    assert f"problem  {FILE}:{_FIRST}  before_write" in capsys.readouterr().out
    with pytest.raises(ExtensionError):
        build_app(load_settings(tmp_path, environ={}))


EVERY_KIND = """
@before_write(PAPER, on=["create"])
def hook(write): ...

@around(PAPER, on=["find"])
async def wrapped(call, proceed): return await proceed(call)

@rule(PAPER, on=["find"])
def narrowed(who): return True

@policy(PAPER, on=["find"])
def asked(context): ...

@computed(PAPER, needs=["title"])
def shown(paper) -> int: return 1

@computed(PAPER, needs=["title"], default=False)
def named(paper) -> int: return 1

@route.get("/papers/x")
def answered() -> int: return 1

@asgi_middleware()
def around_all(app): return app

@auth_strategy("known")
async def known(request): ...

@storage_backend("stored")
class ExampleStorage(StorageBackend):
    async def put(self, key, content, meta): ...
    async def open(self, key): yield b""
    async def delete(self, key): ...
    async def version(self, key): ...

@operator("$is_x", on=["string"], operand=str)
def compared(column, operand): return column == operand.value

@attribute_type("typed")
class ExampleType(AttributeType[str, AttributeOptions]):
    stores = "string"
    def parse(self, value, options): return value

@after_commit(PAPER, on=["publish"], shape=Shape)
async def told(changes): ...

@job()
async def worked(): ...

@schedule("0 3 * * *")
async def nightly(): ...

@on_start
def begun(): ...

@on_stop
def ended(): ...
"""
CHECKED = """
before_write hook runs on create of api::paper.paper
around wrapped wraps find of api::paper.paper
rule narrowed limits find of api::paper.paper
policy asked is asked before find of api::paper.paper
computed field shown of api::paper.paper is in all responses
computed field named of api::paper.paper is in responses to requests that name it
GET /papers/x answers who is granted api::paper.paper.answered
asgi_middleware around_all wraps the server
auth_strategy "known" says who sends requests
storage_backend "stored" stores uploaded files
operator $is_x compares string
attribute_type typed is stored as string
after_commit told runs on publish of api::paper.paper
job src.api.paper.paper.worked runs in the background
schedule src.api.paper.paper.nightly runs at "0 3 * * *" in UTC
on_start begun runs in each server process
on_stop ended runs in each server process
"""


def test_the_check_lists_functions_of_every_kind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    schema_in(tmp_path)
    write_code(tmp_path, EVERY_KIND)
    run(["check", str(tmp_path)])
    served = [line for line in capsys.readouterr().out.splitlines() if f" {FILE}:" in line]
    assert [line.partition(": ")[2] for line in served] == CHECKED.strip().splitlines()
