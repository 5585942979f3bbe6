"""Log lines have one format for Quire and for libraries, and contain no secrets."""

import json
import logging
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path
from runpy import run_path

import pytest
import structlog

from quire.database.interface import run_now
from quire.errors import ProjectCodeError
from quire.logging import configure_logging, is_json, request_id


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def test_lines_for_machines_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(level="info", as_json=True)

    structlog.get_logger("quire.app").warning("content type is closed", uid="api::tag.tag")
    logging.getLogger("some.library").warning("%s left", 3)

    ours, theirs = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert ours.pop("timestamp").endswith("Z")
    assert ours == {
        "event": "content type is closed",
        "uid": "api::tag.tag",
        "logger": "quire.app",
        "level": "warning",
    }
    assert (theirs["event"], theirs["logger"]) == ("3 left", "some.library")


def test_lines_below_the_level_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(level="warning", as_json=True)

    structlog.get_logger("quire").info("quiet")
    logging.getLogger("some.library").info("quiet")

    assert capsys.readouterr().err == ""


def test_the_server_says_nothing_of_its_processes(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(level="info", as_json=True)

    logging.getLogger("uvicorn.error").info("Started server process [1]")
    logging.getLogger("uvicorn.access").info("GET / 200")

    assert capsys.readouterr().err == ""


def test_libraries_do_not_tell_their_steps(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(level="debug", as_json=True)

    logging.getLogger("pyvips.voperation").debug("VipsOperation.call: name = thumbnail")
    structlog.get_logger("quire").debug("ours")

    assert [json.loads(line)["event"] for line in capsys.readouterr().err.splitlines()] == ["ours"]


@pytest.mark.parametrize("logger", ["quire.content_api", "uvicorn.error"])
def test_lines_name_the_request_that_is_answered(
    capsys: pytest.CaptureFixture[str], logger: str
) -> None:
    configure_logging(level="info", as_json=True)
    lines = (
        structlog.get_logger(logger) if logger == "quire.content_api" else logging.getLogger(logger)
    )

    def response() -> None:
        request_id.set("7f-1")
        lines.error("request failed")

    copy_context().run(response)
    lines.error("no request")

    inside, outside = (json.loads(line) for line in capsys.readouterr().err.splitlines())
    assert inside["request_id"] == "7f-1"
    assert "request_id" not in outside


def test_lines_are_json_unless_a_person_reads_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_json("auto", development=False)
    assert not is_json("auto", development=True)
    assert is_json("json", development=True)
    assert not is_json("console", development=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    assert not is_json("auto", development=False)
    assert is_json("json", development=False)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_only_lines_for_a_terminal_have_colors(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *, is_terminal: bool
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal, raising=False)
    configure_logging(level="info", as_json=False)

    structlog.get_logger("quire.test").error("failed")

    assert ("\x1b[" in capsys.readouterr().err) == is_terminal


@pytest.mark.parametrize("as_json", [True, False])
def test_a_traceback_shows_no_values(capsys: pytest.CaptureFixture[str], *, as_json: bool) -> None:
    configure_logging(level="info", as_json=as_json)

    fail_with_a_secret_in_hand(" ".join("secret" for _ in range(3)))

    shown = capsys.readouterr().err
    assert "ValueError" in shown
    assert "secret secret secret" not in shown


CODE = """
import json

def parse(call):
    try:
        json.loads("")
    except ValueError as error:
        call(error)
"""


@pytest.mark.parametrize("is_project", [True, False])
def test_a_traceback_of_project_code_leaves_out_frames_of_the_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *, is_project: bool
) -> None:
    configure_logging(level="info", as_json=False, code=tmp_path / "src")
    file = tmp_path / ("src" if is_project else "other") / "parse.py"
    file.parent.mkdir()
    file.write_text(CODE)
    names = run_path(str(file))

    async def call() -> None:
        def fail(error: Exception) -> None:
            raise LookupError from error

        names["parse"](fail)

    try:
        run_now(call())
    except LookupError:
        structlog.get_logger("quire").exception("a hook failed")

    shown = capsys.readouterr().err
    assert f'File "{file}", line 6, in parse' in shown
    assert "in raw_decode" in shown, "what the project has called"
    assert "direct cause of the following exception" in shown
    assert shown.endswith("LookupError\n")
    assert ("in run_now" in shown) is not is_project
    assert ("frames of Quire)" in shown) is is_project


def test_a_traceback_of_an_endless_recursion_is_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging(level="info", as_json=False, code=tmp_path / "src")
    file = tmp_path / "src" / "recursion.py"
    file.parent.mkdir()
    file.write_text("def call():\n    call()\n")
    names = run_path(str(file))

    try:
        names["call"]()
    except RecursionError:
        structlog.get_logger("quire").exception("a hook failed")

    shown = capsys.readouterr().err
    assert "Previous line repeated" in shown
    assert len(shown.splitlines()) < 30


def test_a_failure_of_project_code_without_frames_of_it_leaves_out_those_of_the_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A function has returned what it should not, such as a coroutine: it is not being called."""
    configure_logging(
        level="info", as_json=False, code=tmp_path / "src", code_errors=(ProjectCodeError,)
    )

    async def call() -> None:
        error = TypeError("did you forget `await`?")
        raise ProjectCodeError("unawaited", "src/papers.py:3") from error

    try:
        run_now(call())
    except ProjectCodeError:
        structlog.get_logger("quire").exception("request failed")

    shown = capsys.readouterr().err
    assert "TypeError: did you forget `await`?" in shown
    assert "in run_now" not in shown
    assert "frames of Quire)" in shown


def fail_with_a_secret_in_hand(secret: str) -> None:
    try:
        int(secret[:0])
    except ValueError:
        structlog.get_logger("quire").exception("an error", length=len(secret))
