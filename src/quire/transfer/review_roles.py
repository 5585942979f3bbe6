"""The roles that may move entries out of the stages of review workflows, in archives.

An archive has no roles of administrators, and their ids differ between projects. So the setting has
the names of roles in an archive.
"""

from collections.abc import Mapping

from quire.auth.admin.user_rows import ADMIN_ROLE_UID, StoredAdminRole
from quire.database.entries.entry_tables import EntryStore
from quire.database.program import Program
from quire.database.stores.builtin_type_table import ContentTable

_NO_ROLE = 0
"""An id that no role has. A stage without roles would be open to all of them."""
_NO_NAME = ""
"""The name of a role that does not exist, in archives."""


def archived_review_roles(store: EntryStore, setting: object) -> Program[dict[str, list[str]]]:
    """Return the setting with the names of roles; a role that does not exist has an empty one."""
    roles = yield from _roles(store)
    names: dict[object, str] = {role.id: role.name or _NO_NAME for role in roles}
    return {
        stage: [names.get(role_id, _NO_NAME) for role_id in role_ids]
        for stage, role_ids in _stages(setting).items()
    }


def stored_review_roles(
    store: EntryStore, archived_setting: object
) -> Program[tuple[dict[str, list[int]], int]]:
    """Return the setting with the ids that the roles have in the project.

    Also returns the number of stages of whose roles the project has none: only super admins may
    move entries out of them.
    """
    roles = yield from _roles(store)
    ids: dict[object, int] = {role.name: role.id for role in roles if role.name}
    setting: dict[str, list[int]] = {}
    for stage, names in _stages(archived_setting).items():
        setting[stage] = [ids[name] for name in names if name in ids] or [_NO_ROLE]
    return setting, sum(role_ids == [_NO_ROLE] for role_ids in setting.values())


def _roles(store: EntryStore) -> Program[list[StoredAdminRole]]:
    return (yield from ContentTable(store, ADMIN_ROLE_UID, StoredAdminRole).select())


def _stages(setting: object) -> dict[str, list[int | str]]:
    """Return the roles of the stages that have any."""
    if not isinstance(setting, Mapping):
        return {}
    return {
        str(stage): [role for role in roles if isinstance(role, int | str)]
        for stage, roles in setting.items()
        if isinstance(roles, list) and roles
    }
