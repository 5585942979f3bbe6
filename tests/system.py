"""Marks system tests, which ``make test`` leaves to ``make test-system``.

They drive a browser; start, stop and kill servers, also of PostgreSQL; install packages; or
run type checkers, generators and the tests of projects. Of each important behaviour of servers,
``make test`` runs one test all the same.
"""

from collections.abc import Sequence

import pytest

from tests.used_names import uses

_FOLDERS = ("tests/clients/", "tests/distribution/", "tests/reliability/", "tests/served/")
"""Folders of system tests."""
_STARTERS = frozenset(
    {
        "QUIRE",
        "SIGKILL",
        "tests.extending.packages",
        "tests.extending.pytest_runs",
        "tests.extending.type_checkers",
        "tests.postgresql.cluster",
        "tests.unit.cli.processes",
    }
)
"""The path of the program, the signal that ends a process without warning, and modules that start
servers and tools: a test that uses one of them is a system test wherever it is."""
IN_EVERY_RUN = (
    "tests/distribution/test_deployment_files.py",
    "tests/hazards/test_migrations.py::test_h145_a_migration_waits_until_a_slow_database_lets_it",
    "tests/reliability/test_consistency.py",
    "tests/reliability/test_crash.py::test_what_was_acknowledged_survives_a_kill_and_nothing_is_half_done",
    "tests/reliability/test_locks.py::test_no_background_job_drops_the_locks[one worker]",
    "tests/reliability/test_ready.py::test_a_server_is_ready_while_the_tables_of_its_schema_are_there",
    "tests/reliability/test_several_servers.py::test_lists_and_counts[neighbours",
    "tests/reliability/test_writers.py",
    "tests/served/test_routes.py::test_every_route_that_is_read_responds_in_several_workers",
    "tests/served/test_sign_in.py",
    "tests/unit/cli/test_bad_environments.py",
    "tests/unit/cli/test_databases.py",
    "tests/unit/cli/test_serve.py::test_the_server_answers_and_ends_well_when_told",
    "tests/unit/cli/test_shutdown.py::test_connections_after_the_signal_are_served_or_refused",
    "tests/unit/database/copying/test_copy.py::test_a_table_goes_on_in_its_midst",
)
"""What the nodeids of tests begin with that are cheap for what they show."""


def mark_system(items: Sequence[pytest.Item]) -> None:
    """Mark the system tests."""
    marked: dict[str, bool] = {}
    for item in items:
        if isinstance(item, pytest.Function):
            name = item.nodeid.partition("[")[0]
            if name not in marked:
                marked[name] = _is_system_test(item)
            if marked[name] and not item.nodeid.startswith(IN_EVERY_RUN):
                item.add_marker("system")


def _is_system_test(item: pytest.Function) -> bool:
    if item.nodeid.startswith(_FOLDERS) or "browser" in item.fixturenames:
        return True
    return uses(item, _STARTERS)
