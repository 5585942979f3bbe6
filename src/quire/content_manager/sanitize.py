"""Removes from entries what the caller may not read."""

from collections.abc import Mapping, Sequence
from typing import Any

from quire.access.admin_ability import Creator, GrantRule
from quire.content_manager.entry_status import EntryJson
from quire.content_manager.permissions import ALWAYS, EntryOrigin, TypePermissions, covers
from quire.content_manager.plan_nodes import CREATORS
from quire.schema.attributes.base import ComponentAttribute
from quire.schema.model import ADMIN_USER_UID, Model, Schema


def entry_origin(entry: Mapping[str, Any]) -> EntryOrigin:
    """Return what rules check of an entry that was read with its creator."""
    made_by = entry.get("createdBy")
    if not isinstance(made_by, Mapping):
        return EntryOrigin(entry.get("locale"), None)
    roles = made_by.get("roles") or ()
    return EntryOrigin(
        entry.get("locale"),
        Creator(id=made_by["id"], role_ids=frozenset(role["id"] for role in roles)),
    )


def forget_roles(entry: Mapping[str, Any]) -> None:
    """Remove the roles of the creators of an entry: no rule that checks them applies to it."""
    for name in CREATORS:
        if isinstance(entry.get(name), dict):
            entry[name].pop("roles", None)


class EntrySanitizer:
    """Sanitizes the entries of one type for one administrator."""

    def __init__(
        self, schema: Schema, permissions: TypePermissions, read_by: Sequence[GrantRule]
    ) -> None:
        """``read_by`` are the rules that determined what was read of every entry."""
        self._schema = schema
        self._permissions = permissions
        self._read_by = tuple(read_by)
        content_type = permissions.content_type
        self._admin_users = tuple(
            attribute.name
            for attribute in content_type.relations
            if attribute.target == ADMIN_USER_UID and attribute.to_many
        )

    def entry(self, entry: EntryJson, rules: Sequence[GrantRule] | None = None) -> EntryJson:
        """Return the shown form of an entry, by the rules that apply to it or by the given ones."""
        entry_rules = (
            self._permissions.rules_for_entry(entry_origin(entry))
            if rules is None
            else tuple(rules)
        )
        forget_roles(entry)
        for name in self._admin_users:
            if covers(entry_rules, name):
                entry[name] = {}
        if entry_rules != self._read_by:
            entry = self._remove_unreadable(entry, self._permissions.content_type, entry_rules, "")
        return entry

    def _remove_unreadable(
        self, entry: EntryJson, model: Model, rules: Sequence[GrantRule], path: str
    ) -> EntryJson:
        readable_entry: EntryJson = {}
        for name, value in entry.items():
            field_path = f"{path}{name}"
            if name in ALWAYS or covers(rules, field_path):
                readable_entry[name] = self._sanitize_component(
                    value, model, name, rules, field_path
                )
        return readable_entry

    def _sanitize_component(
        self, value: object, model: Model, name: str, rules: Sequence[GrantRule], path: str
    ) -> object:
        """Return the shown form of a component, of which only parts may be granted."""
        attribute = model.attributes.get(name)
        if not isinstance(attribute, ComponentAttribute):
            return value
        component = self._schema.components[attribute.component]
        if isinstance(value, list):
            return [self._remove_unreadable(item, component, rules, f"{path}.") for item in value]
        if isinstance(value, dict):
            return self._remove_unreadable(value, component, rules, f"{path}.")
        return value
