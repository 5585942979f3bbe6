"""Selects the tests of the quick run: ``pytest -m quick`` takes less than a minute.

Of each test function that needs neither PostgreSQL nor a separate process, one case is chosen; of
those that replay what was recorded, every twentieth. Where each function starts a site, or takes a
database through a whole command or change, every third function is enough. Generated tests, those
of what happens under load, and system tests (`tests.system`) are none of them.
"""

from collections import Counter
from collections.abc import Sequence

import pytest

from tests.databases.kinds import POSTGRESQL
from tests.used_names import uses

_NEVER = (
    *("tests/extending/test_jobs.py", "tests/extending/test_limits.py", "tests/property/"),
    *("tests/hazards/test_cached_tables.py", "tests/hazards/test_connections.py"),
    *("tests/hazards/test_streamed_uploads.py", "tests/unit/cli/test_bad_environments.py"),
    *("tests/unit/database/dialects/", "tests/unit/runtime/test_scheduled_backups.py"),
)
"""Folders and files of generated tests, and of those that load servers or wait for time to pass."""
_COMMANDS = (
    *("tests/extending/", "tests/hazards/", "tests/unit/admin_api/", "tests/unit/cli/"),
    *("tests/unit/content_api/", "tests/unit/database/integrity/", "tests/unit/runtime/"),
    *("tests/unit/database/migration/", "tests/unit/seeding/", "tests/unit/uploads/"),
)
"""Folders of which every third function is enough."""
_RECORDED = frozenset({"scenario", "group", "case"})
"""Parameters whose values were recorded."""
_EVERY_CASE, _EVERY_FUNCTION = 20, 3
_COSTLY = frozenset(
    {
        *("create_subprocess_exec", "subprocess", "multiprocessing"),
        *("POSTGRESQL", "new_database", "Cluster"),
    }
)
"""Names of what starts a process, or needs PostgreSQL whatever the kind is."""


def mark_quick(items: Sequence[pytest.Item]) -> None:
    """Mark the tests of the daily round."""
    cases: Counter[str] = Counter()
    commands: set[str] = set()
    for item in items:
        if isinstance(item, pytest.Function) and _is_quick(item):
            name = item.nodeid.partition("[")[0]
            if name not in cases and name.startswith(_COMMANDS):
                commands.add(name)
            skipped = name in commands and len(commands) % _EVERY_FUNCTION != 1
            every = _EVERY_CASE if _RECORDED & _parameters(item).keys() else len(items)
            if not skipped and cases[name] % every == 0:
                item.add_marker("quick")
            cases[name] += 1


def _parameters(item: pytest.Function) -> dict[str, object]:
    return item.callspec.params if hasattr(item, "callspec") else {}


def _is_quick(item: pytest.Function) -> bool:
    """Tell whether a test needs one process and SQLite alone."""
    if item.nodeid.startswith(_NEVER) or getattr(item.obj, "is_hypothesis_test", False):
        return False
    if any(value is POSTGRESQL for value in _parameters(item).values()):
        return False
    return item.get_closest_marker("system") is None and not uses(item, _COSTLY)
