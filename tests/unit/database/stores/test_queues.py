"""The plan of a claim from a long queue, with any statistics."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from quire.database.compile.writes import Writes
from quire.database.program import Program, Statement
from quire.database.settings_target import target_of
from quire.database.stores.change_outbox import CHANGES, AttemptRange, ChangeRows, StoredChange
from quire.database.stores.quire_tables import QuireTables
from quire.database.stores.webhook_deliveries import DELIVERIES, Deliveries, Delivery
from tests.databases.kind import Kind
from tests.unit.kiosk import Kiosk, open_kiosk

ROWS, DOCUMENTS = 1_000, 300
CLAIMED = 20


def delivery(number: int) -> Delivery:
    document_id = f"document{number % DOCUMENTS}"
    return Delivery(
        webhook_id=1, event="entry.update", uid="api::a.a", document_id=document_id, body="{}"
    )


def change(number: int) -> StoredChange:
    return StoredChange(
        listener="search",
        action="update",
        uid="api::a.a",
        document_id=f"document{number % DOCUMENTS}",
        locale=None,
        fields="[]",
        kept="{}",
        causes="[]",
    )


def explanation(kind: Kind, program: Program[Any]) -> Program[Any]:
    """Explain the first statement of a program; PostgreSQL runs it for that."""
    statement = next(program)
    assert isinstance(statement, Statement)
    explain = (
        "EXPLAIN (ANALYZE, FORMAT JSON)" if kind.name == "postgresql" else "EXPLAIN QUERY PLAN"
    )
    return (yield Statement(f"{explain} {statement.sql}", statement.values))


def rows_read(plan: Mapping[str, Any]) -> Iterator[float]:
    """Return how many rows each part of a plan has looked at."""
    loops = plan["Actual Loops"]
    yield (plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)) * loops
    yield plan.get("Rows Removed by Join Filter", 0) * loops
    for below in plan.get("Plans", ()):
        yield from rows_read(below)


async def fill(kind: Kind, kiosk: Kiosk) -> tuple[Deliveries, ChangeRows]:
    """Let both queues grow after the database has analyzed them while nothing was waiting."""
    database = kiosk.app.database
    assert database is not None
    writes = Writes(database.dialect)
    tables = QuireTables(database, target_of(kiosk.app.settings).kind)
    deliveries, changes = Deliveries(writes), ChangeRows(writes)

    def add(*, start: int) -> Program[None]:
        for first in range(start, start + ROWS, 100):
            numbers = range(first, first + 100)
            yield from deliveries.add([delivery(number) for number in numbers], now=first)
            yield from changes.add([change(number) for number in numbers], now=first)

    def settle_all() -> Program[None]:
        yield from tables.ensure_in_transaction(DELIVERIES)
        yield from tables.ensure_in_transaction(CHANGES)
        yield from add(start=0)
        yield Statement("UPDATE quire_deliveries SET state = 'delivered', ended_at = 1")
        yield Statement("UPDATE quire_outbox SET ended_at = 1")

    def analyze() -> Program[None]:
        yield Statement("ANALYZE quire_deliveries")
        yield Statement("ANALYZE quire_outbox")

    await database.write(settle_all())
    await database.write(analyze())
    await database.write(add(start=ROWS))
    return deliveries, changes


async def explain_claims(kind: Kind, folder: Path) -> Mapping[str, list[Any]]:
    """Return the plans of what both workers ask for and claim, by table."""
    kind.settle(folder)
    async with open_kiosk(folder) as kiosk:
        deliveries, changes = await fill(kind, kiosk)
        database = kiosk.app.database
        assert database is not None
        claims = {
            "quire_deliveries": (
                deliveries.first_due(1, now=2 * ROWS),
                deliveries.claim(1, now=2 * ROWS, until=3 * ROWS, limit=CLAIMED),
            ),
            "quire_outbox": (
                changes.first_due("search", now=2 * ROWS),
                changes.claim(
                    "search", "me", AttemptRange(0, 0, CLAIMED), now=2 * ROWS, until=3 * ROWS
                ),
            ),
        }
        return {
            name: [await database.write(explanation(kind, program)) for program in programs]
            for name, programs in claims.items()
        }


async def test_a_claim_compares_no_two_rows_of_different_documents(
    kind: Kind, tmp_path: Path
) -> None:
    for table, plans in (await explain_claims(kind, tmp_path)).items():
        for plan in plans:
            if kind.name == "postgresql":
                ((explained,),) = plan
                ((top,),) = [json.loads(str(explained))]
                # The rows that are claimed may be looked for among all, but not all among all.
                assert max(rows_read(top["Plan"])) <= CLAIMED * ROWS
            else:
                steps = [str(text) for *_, text in plan]
                assert any("document_id=?" in step for step in steps), (table, steps)
