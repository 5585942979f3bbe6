"""``/_ready``: whether this process can serve content from its database.

``/_health`` only shows that the process responds. A proxy or an orchestrator checks this before it
sends requests.
"""

import asyncio
from typing import Literal

import msgspec
import structlog

from quire.content_api.http_messages import Response
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.schema_version import WriteCheck
from quire.database.tables.inspection import ColumnNames, Inspector, opening_program
from quire.database.versioned_cache import NO_TABLES, VersionedValue
from quire.errors import AppError, StaleSchemaError

_LIMIT_SECONDS = 2.0
_HEADERS = ((b"cache-control", b"no-store"),)
_UNAVAILABLE_HEADERS = (*_HEADERS, (b"retry-after", b"1"))
_log = structlog.get_logger("quire.ready")

State = Literal["ok", "failed", "unknown"]


class StopNotice:
    """Whether the process is stopping, and only waits until nobody sends requests."""

    def __init__(self) -> None:
        self.is_given = False


class Readiness:
    """The checks of the database."""

    def __init__(
        self,
        database: Database,
        inspector: Inspector,
        *,
        tables: ColumnNames,
        require_schema: WriteCheck,
        stop_notice: StopNotice | None = None,
    ) -> None:
        """``tables`` are those of the schema; ``require_schema`` raises if it is another one."""
        self._database = database
        self._inspector = inspector
        self._tables = tables
        self._require_schema = require_schema
        self._stop_notice = stop_notice or StopNotice()
        self._failed_checks: tuple[str, ...] = ()
        """The failed checks of the last request."""
        self._schema_check: VersionedValue[bool] = VersionedValue(database.versions, NO_TABLES)
        """The content version in which all tables existed."""

    async def respond(self) -> Response:
        """Respond 200 if all checks pass, 503 otherwise; the body has the state of each."""
        if self._stop_notice.is_given:
            body = {"status": "unavailable", "checks": {"stopping": "failed"}}
            return Response(503, msgspec.json.encode(body), headers=_UNAVAILABLE_HEADERS)
        checks = await self._check()
        failed_checks = tuple(name for name, state in checks.items() if state == "failed")
        if failed_checks != self._failed_checks:
            self._failed_checks = failed_checks
            if failed_checks:
                _log.error("not ready", failed=failed_checks)
            else:
                _log.info("ready again")
        body = {"status": "unavailable" if failed_checks else "ready", "checks": checks}
        headers = _UNAVAILABLE_HEADERS if failed_checks else _HEADERS
        return Response(503 if failed_checks else 200, msgspec.json.encode(body), headers=headers)

    async def _check(self) -> dict[str, State]:
        checks: dict[str, State] = {"database": "ok"}
        is_in_place = self._database.is_in_place()
        if is_in_place is not None:
            checks["file"] = "ok" if is_in_place else "failed"
        version = self._database.version()
        is_inspected = self._schema_check.get(version) is True
        has_schema: bool | None
        try:
            async with asyncio.timeout(_LIMIT_SECONDS):
                has_schema = await self._database.read(
                    lambda: self._has_schema(is_inspected=is_inspected)
                )
        except StaleSchemaError:
            has_schema = False
        except (AppError, TimeoutError):
            has_schema = None
        if has_schema is None:
            return {**checks, "database": "failed", "schema": "unknown"}
        self._schema_check.set(version, has_schema)
        return {**checks, "schema": "ok" if has_schema else "failed"}

    def _has_schema(self, *, is_inspected: bool) -> Program[bool]:
        """Tell whether the tables exist, with a cached result."""
        yield from self._require_schema()
        if is_inspected:
            return True
        opening = yield from opening_program(self._inspector, self._tables)
        return not (opening.problem or opening.missing_tables or opening.missing_columns)
