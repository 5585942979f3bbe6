"""The table of webhooks."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from quire.database.compile.statements import StatementBuilder
from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.row_conditions import eq
from quire.database.stores.row_types import JsonMapping, JsonTexts, LongText
from quire.database.stores.table import open_table
from quire.database.tables.system_tables import WEBHOOKS


class Webhook(Struct, frozen=True, kw_only=True):
    """A webhook as stored."""

    id: int
    name: str = ""
    url: LongText = ""
    headers: JsonMapping = {}
    events: JsonTexts = ()
    enabled: bool = False


def enabled_webhooks(builder: StatementBuilder) -> "sa.Select[tuple[Any]]":
    """Return the SELECT of the ids of all enabled webhooks."""
    table = builder.table(WEBHOOKS)
    return sa.select(table.c("id")).where(table.c("enabled").is_(sa.true()))


class Webhooks:
    """Programs that read and write webhooks."""

    def __init__(self, writes: Writes) -> None:
        self._table = open_table(writes, WEBHOOKS, Webhook)

    def all(self) -> Program[list[Webhook]]:
        """Return all webhooks, in the order of their ids."""
        return (yield from self._table.select())

    def get(self, webhook_id: int) -> Program[Webhook | None]:
        """Return a webhook."""
        return (yield from self._table.get(webhook_id))

    def insert(self, values: Mapping[str, object]) -> Program[int]:
        """Write a webhook; returns its id."""
        return (yield from self._table.insert_values(values))

    def update(self, webhook_id: int, values: Mapping[str, object]) -> Program[None]:
        """Change a webhook."""
        yield from self._table.update(values, eq("id", webhook_id))

    def delete(self, ids: list[int]) -> Program[None]:
        """Delete webhooks."""
        yield from self._table.delete_ids(ids)
