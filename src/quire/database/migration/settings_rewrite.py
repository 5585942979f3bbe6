"""Changes permissions, row rules and views with the model: names of types and fields, locales."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.entry_tables import EntryStore
from quire.database.migration.name_mapping import NameMapping
from quire.database.migration.renamed_models import ADMIN_PERMISSION
from quire.database.program import Program
from quire.database.stores.auth_rows import ROW_RULES_KEY
from quire.database.stores.core_store import read_setting, read_settings, view_key, write_setting
from quire.schema.model import Model

_MAIN_FIELD = "mainField"
_LABEL = "label"
_LOCALES = "locales"


def rewrite_settings(store: EntryStore, names: NameMapping) -> Program[None]:
    """Replace earlier names in all settings of users. The tables are the later ones."""
    renames = names.renames
    if renames.attributes or renames.models:
        yield from _rename_in_rules(store, names)
        yield from _rename_in_views(store, names)
    if renames.attributes:
        yield from _rename_in_permissions(store, names)


def restrict_to_locale(store: EntryStore, uid: str, locale: str) -> Program[None]:
    """Restrict permissions on a type that becomes localized to the locale of its entries.

    So does Strapi, which deletes permissions on localized types that have no locales.
    """
    table = store.tables[ADMIN_PERMISSION]
    properties, subject = table.columns["properties"], table.columns["subject"]

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(table.name)
        query = sa.select(source.c("id"), source.c(properties))
        return query.where(source.c(subject) == builder.plain_slot(0)).order_by(source.c("id"))

    rows = yield from store.writes.run(("permissions on", uid), build, (uid,))
    for id_, encoded_grant in rows:
        grant = orjson.loads(str(encoded_grant)) if encoded_grant is not None else {}
        if isinstance(grant, dict) and grant.get(_LOCALES, []) == []:
            value = store.dialect.encode_json({**grant, _LOCALES: [locale]})
            yield from store.writes.update(table.name, int(id_ or 0), {properties: value})


def _rename_in_permissions(store: EntryStore, names: NameMapping) -> Program[None]:
    """Rename fields in permissions of administrators."""
    table = store.tables[ADMIN_PERMISSION]
    properties, subject = table.columns["properties"], table.columns["subject"]

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(table.name)
        query = sa.select(source.c("id"), source.c(subject), source.c(properties))
        return query.where(source.c(subject).is_not(None)).order_by(source.c("id"))

    rows = yield from store.writes.run(("granted fields",), build)
    for id_, uid, encoded_grant in rows:
        grant = orjson.loads(str(encoded_grant)) if encoded_grant is not None else None
        if not isinstance(grant, dict) or not isinstance(grant.get("fields"), list):
            continue
        fields = grant["fields"]
        new_fields = [names.path(str(uid), str(field)) for field in fields]
        if new_fields != fields:
            value = store.dialect.encode_json({**grant, "fields": new_fields})
            yield from store.writes.update(table.name, int(id_ or 0), {properties: value})


def _rename_in_rules(store: EntryStore, names: NameMapping) -> Program[None]:
    """Rename types and attributes in row rules: an outdated rule would not restrict anything."""
    rules_by_role = yield from read_setting(store.writes, ROW_RULES_KEY)
    if not isinstance(rules_by_role, Mapping):
        return
    new_rules = {
        role: dict(_rename_rules(rules, names)) if isinstance(rules, Mapping) else rules
        for role, rules in rules_by_role.items()
    }
    if new_rules != rules_by_role:
        yield from write_setting(store.writes, ROW_RULES_KEY, new_rules)


def _rename_rules(rules: Mapping[str, Any], names: NameMapping) -> Iterator[tuple[str, Any]]:
    for old_action, rule in rules.items():
        action = names.action(old_action)
        yield action, names.condition(action.rpartition(".")[0], rule)


def _rename_in_views(store: EntryStore, names: NameMapping) -> Program[None]:
    """Rename attributes in views of lists and forms."""
    models = {view_key(model.uid): model for model in names.schema.models()}
    views = yield from read_settings(store.writes, tuple(models))
    for key, view in views.items():
        if not isinstance(view, Mapping):
            continue
        new_view = _rename_view(view, models[key], names)
        if new_view != view:
            yield from write_setting(store.writes, key, new_view)


def _rename_view(view: Mapping[str, Any], model: Model, names: NameMapping) -> dict[str, Any]:
    def name(old_name: object) -> object:
        return names.name(model.uid, old_name) if isinstance(old_name, str) else old_name

    new_view = dict(view)
    if "uid" in new_view:
        new_view["uid"] = model.uid
    if isinstance(settings := view.get("settings"), Mapping):
        setting_names = (_MAIN_FIELD, "defaultSortBy")
        new_view["settings"] = {
            key: name(value) if key in setting_names else value for key, value in settings.items()
        }
    if isinstance(metadatas := view.get("metadatas"), Mapping):
        new_view["metadatas"] = {
            str(name(attribute)): _rename_metadata(metadata, attribute, model, names)
            for attribute, metadata in metadatas.items()
        }
    if isinstance(layouts := view.get("layouts"), Mapping):
        new_view["layouts"] = {
            kind: [_rename_place(place, name) for place in layout]
            if isinstance(layout, list)
            else layout
            for kind, layout in layouts.items()
        }
    return new_view


def _rename_metadata(metadata: Any, attribute: str, model: Model, names: NameMapping) -> Any:  # noqa: ANN401 - JSON
    """Rename default labels, and the field that represents a related entry."""
    if not isinstance(metadata, Mapping):
        return metadata
    later_name = names.name(model.uid, attribute)
    target = names.leads_to(model.uid, later_name)

    def rename_value(key: str, value: Any) -> Any:  # noqa: ANN401 - JSON
        if key == _LABEL and value == attribute:
            return later_name
        if key == _MAIN_FIELD and target is not None and isinstance(value, str):
            return names.name(target, value)
        return value

    return {
        place: {key: rename_value(key, value) for key, value in facts.items()}
        if isinstance(facts, Mapping)
        else facts
        for place, facts in metadata.items()
    }


def _rename_place(place: Any, name: Any) -> Any:  # noqa: ANN401 - JSON
    """Rename one element of a layout: a column, a field with its size, or a row of these."""
    match place:
        case str():
            return name(place)
        case list():
            return [_rename_place(item, name) for item in place]
        case Mapping() if "name" in place:
            return {**place, "name": name(place["name"])}
        case _:
            return place
