"""Private names of uvicorn and asyncpg that Quire uses exist.

A version that changes one of them fails here, and the message says which module has to follow.
"""

import ast
import inspect
from pathlib import Path

import asyncpg
import pytest
from asyncpg.protocol import protocol as asyncpg_protocol
from uvicorn import Config, Server
from uvicorn.protocols.http import httptools_impl
from uvicorn.server import ServerState
from uvicorn.supervisors import multiprocess

import quire

SOURCE = Path(quire.__file__).parent

USERS = {
    "uvicorn.protocols": {"content_api/connection_limits.py", "content_api/fast_path.py"},
    "uvicorn.supervisors": {"cli/serve.py", "cli/dev.py"},
    "uvicorn.server": {
        "cli/metrics_server.py",
        "content_api/connection_limits.py",
        "content_api/fast_path.py",
    },
    "asyncpg.protocol": set[str](),
}
"""The modules that import from a module of a library, by the module."""

PROTOCOL = "content_api/fast_path.py and content_api/connection_limits.py"
SERVER = "cli/serve.py"
CONNECTION = "database/dialects/postgresql/connection.py"


def names_in(owner: type) -> set[str]:
    """Return the names of a class, and those that its methods read or assign."""
    names = set(dir(owner))
    for _, function in inspect.getmembers(owner, inspect.isfunction):
        names.update(function.__code__.co_names)
    return names


@pytest.mark.parametrize(
    ("owner", "names", "user"),
    [
        (
            httptools_impl.HttpToolsProtocol,
            (
                "cycle parser pipeline flow headers url expect_100_continue tasks client transport"
                " loop timeout_keep_alive timeout_keep_alive_task timeout_keep_alive_handler"
                " limit_concurrency server_state app data_received connection_made connection_lost"
                " on_message_begin on_headers_complete on_response_complete send_400_response"
                " shutdown _unset_keepalive_if_required"
            ),
            PROTOCOL,
        ),
        (
            httptools_impl.RequestResponseCycle,
            "response_started response_complete keep_alive more_body disconnected message_event",
            PROTOCOL,
        ),
        (ServerState, "connections default_headers total_requests", PROTOCOL),
        (Config, "loaded_app lifespan_class http_protocol_class load", SERVER),
        (Server, "startup shutdown lifespan server_state config should_exit", SERVER),
        (multiprocess.Multiprocess, "init_processes terminate_all processes sockets", SERVER),
        (multiprocess.Process, "start target wait_until_ready pid", SERVER),
        (
            asyncpg.Connection,
            "_drop_local_statement_cache _get_statement _execute _protocol reload_schema_state",
            CONNECTION,
        ),
        (asyncpg_protocol.BaseProtocol, "bind_execute get_settings", CONNECTION),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_library_has_the_names_that_are_used(owner: type, names: str, user: str) -> None:
    state = names_in(owner) | set(vars(owner()) if owner is ServerState else ())
    missing = set(names.split()) - state
    assert not missing, f"{owner.__qualname__} lacks {sorted(missing)}: adapt {user}"


@pytest.mark.parametrize(
    ("function", "parameters", "user"),
    [
        (
            httptools_impl.HttpToolsProtocol.__init__,
            ["self", "config", "server_state", "app_state", "_loop"],
            PROTOCOL,
        ),
        (httptools_impl.HttpToolsProtocol.send_400_response, ["self", "msg"], PROTOCOL),
        (Server.startup, ["self", "sockets"], SERVER),
        (Server.shutdown, ["self", "sockets"], SERVER),
        (multiprocess.Process.target, ["self", "sockets"], SERVER),
    ],
    ids=lambda value: getattr(value, "__qualname__", ""),
)
def test_functions_that_are_overridden_have_their_parameters(
    function: object, parameters: list[str], user: str
) -> None:
    found = list(inspect.signature(function).parameters)  # type: ignore[arg-type]  # a function
    assert found == parameters, f"adapt {user}"


def test_the_supervisor_makes_processes_of_a_class_that_can_be_replaced() -> None:
    code = multiprocess.Multiprocess.init_processes.__code__
    assert "Process" in code.co_names, f"adapt {SERVER}"


def test_status_lines_are_written_as_they_are_in_the_protocol() -> None:
    assert httptools_impl.STATUS_LINE[200] == b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize("module", USERS)
def test_no_other_module_imports_what_is_not_public(module: str) -> None:
    found = set()
    for path in SOURCE.rglob("*.py"):
        text = path.read_text()
        if module not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.ImportFrom(module=str() as name):
                    names = [name]
                case ast.Import(names=aliases):
                    names = [alias.name for alias in aliases]
                case _:
                    continue
            if any(f"{name}.".startswith(f"{module}.") for name in names):
                found.add(path.relative_to(SOURCE).as_posix())
    assert found == USERS[module]
