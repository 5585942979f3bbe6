"""Renames types and fields in permissions, row rules and views."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
import sqlalchemy as sa

from quire.database.compile.statements import StatementBuilder
from quire.database.entries.entry_tables import EntryStore
from quire.database.migration.name_mapping import NameMapping
from quire.database.program import Program
from quire.database.stores.auth_rows import ROW_RULES_KEY
from quire.database.stores.core_store import read_setting, read_settings, view_key, write_setting
from quire.schema.model import Model

_ADMIN_PERMISSION = "admin::permission"
_MAIN_FIELD = "mainField"
_LABEL = "label"


def rewrite_settings(store: EntryStore, names: NameMapping) -> Program[None]:
    """Replace earlier names in all settings of users. The tables are the later ones."""
    renames = names.renames
    if renames.attributes or renames.models:
        yield from _say_in_rules(store, names)
        yield from _say_in_views(store, names)
    if renames.attributes:
        yield from _say_in_permissions(store, names)


def _say_in_permissions(store: EntryStore, names: NameMapping) -> Program[None]:
    """Rename fields in permissions of administrators."""
    table = store.tables[_ADMIN_PERMISSION]
    properties, subject = table.columns["properties"], table.columns["subject"]

    def build(builder: StatementBuilder) -> sa.ClauseElement:
        source = builder.table(table.name)
        query = sa.select(source.c("id"), source.c(subject), source.c(properties))
        return query.where(source.c(subject).is_not(None)).order_by(source.c("id"))

    rows = yield from store.writes.run(("granted fields",), build)
    for id_, uid, held in rows:
        grant = orjson.loads(str(held)) if held is not None else None
        if not isinstance(grant, dict) or not isinstance(grant.get("fields"), list):
            continue
        fields = grant["fields"]
        later = [names.path(str(uid), str(field)) for field in fields]
        if later != fields:
            value = store.dialect.encode_json({**grant, "fields": later})
            yield from store.writes.update(table.name, int(id_ or 0), {properties: value})


def _say_in_rules(store: EntryStore, names: NameMapping) -> Program[None]:
    """Rename types and attributes in row rules: an outdated rule would not restrict anything."""
    stored = yield from read_setting(store.writes, ROW_RULES_KEY)
    if not isinstance(stored, Mapping):
        return
    later = {
        role: dict(_later_rules(rules, names)) if isinstance(rules, Mapping) else rules
        for role, rules in stored.items()
    }
    if later != stored:
        yield from write_setting(store.writes, ROW_RULES_KEY, later)


def _later_rules(rules: Mapping[str, Any], names: NameMapping) -> Iterator[tuple[str, Any]]:
    for earlier, rule in rules.items():
        action = names.action(earlier)
        yield action, names.condition(action.rpartition(".")[0], rule)


def _say_in_views(store: EntryStore, names: NameMapping) -> Program[None]:
    """Rename attributes in views of lists and forms."""
    models = {view_key(model.uid): model for model in names.schema.models()}
    stored = yield from read_settings(store.writes, tuple(models))
    for key, view in stored.items():
        if not isinstance(view, Mapping):
            continue
        later = _later_view(view, models[key], names)
        if later != view:
            yield from write_setting(store.writes, key, later)


def _later_view(view: Mapping[str, Any], model: Model, names: NameMapping) -> dict[str, Any]:
    def name(earlier: object) -> object:
        return names.name(model.uid, earlier) if isinstance(earlier, str) else earlier

    later = dict(view)
    if "uid" in later:
        later["uid"] = model.uid
    if isinstance(settings := view.get("settings"), Mapping):
        named = (_MAIN_FIELD, "defaultSortBy")
        later["settings"] = {k: name(v) if k in named else v for k, v in settings.items()}
    if isinstance(metadatas := view.get("metadatas"), Mapping):
        later["metadatas"] = {
            str(name(attribute)): _later_metadata(metadata, attribute, model, names)
            for attribute, metadata in metadatas.items()
        }
    if isinstance(layouts := view.get("layouts"), Mapping):
        later["layouts"] = {
            kind: [_later_place(place, name) for place in layout]
            if isinstance(layout, list)
            else layout
            for kind, layout in layouts.items()
        }
    return later


def _later_metadata(metadata: Any, attribute: str, model: Model, names: NameMapping) -> Any:  # noqa: ANN401 - JSON
    """Rename default labels, and the field that represents a related entry."""
    if not isinstance(metadata, Mapping):
        return metadata
    later_name = names.name(model.uid, attribute)
    target = names.leads_to(model.uid, later_name)

    def shown(key: str, value: Any) -> Any:  # noqa: ANN401 - JSON
        if key == _LABEL and value == attribute:
            return later_name
        if key == _MAIN_FIELD and target is not None and isinstance(value, str):
            return names.name(target, value)
        return value

    return {
        place: {key: shown(key, value) for key, value in facts.items()}
        if isinstance(facts, Mapping)
        else facts
        for place, facts in metadata.items()
    }


def _later_place(place: Any, name: Any) -> Any:  # noqa: ANN401 - JSON
    """Rename one element of a layout: a column, a field with its size, or a row of these."""
    match place:
        case str():
            return name(place)
        case list():
            return [_later_place(one, name) for one in place]
        case Mapping() if "name" in place:
            return {**place, "name": name(place["name"])}
        case _:
            return place
