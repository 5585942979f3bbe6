"""Grants of the actions of Python routes.

They are kept in the core store: the reference's start deletes permissions of actions that it does
not know, and leaves the core store alone.
"""

from collections.abc import Collection, Mapping
from typing import Literal

from quire.database.compile.writes import Writes
from quire.database.program import Program
from quire.database.stores.core_store import read_setting, write_setting

CUSTOM_GRANTS_KEY = "quire_grants"
"""Granted actions in the core store: by ``roles`` or ``tokens``, and by the id of the row."""

Owner = Literal["roles", "tokens"]


def granted_in(stored: object, owner: Owner, row_id: int) -> frozenset[str]:
    """Return what a role or token is granted, of the stored value."""
    owners = stored.get(owner) if isinstance(stored, Mapping) else None
    actions = owners.get(str(row_id)) if isinstance(owners, Mapping) else None
    return frozenset(map(str, actions)) if isinstance(actions, list) else frozenset()


def read_grants(writes: Writes, owner: Owner, row_id: int) -> Program[frozenset[str]]:
    """Return the actions that a role or a token grants."""
    stored = yield from read_setting(writes, CUSTOM_GRANTS_KEY)
    return granted_in(stored, owner, row_id)


def write_grants(
    writes: Writes, owner: Owner, row_id: int, actions: Collection[str]
) -> Program[None]:
    """Let a role or a token grant these actions and no others."""
    stored = yield from read_setting(writes, CUSTOM_GRANTS_KEY)
    if granted_in(stored, owner, row_id) == frozenset(actions):
        return
    every = dict(stored) if isinstance(stored, Mapping) else {}
    present = every.get(owner)
    own = dict(present) if isinstance(present, Mapping) else {}
    own.pop(str(row_id), None)
    if actions:
        own[str(row_id)] = sorted(actions)
    yield from write_setting(writes, CUSTOM_GRANTS_KEY, {**every, owner: own})
