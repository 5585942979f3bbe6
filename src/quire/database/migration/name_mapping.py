"""Old names and new names of types and fields."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from quire.database.migration.schema_pair import Renames
from quire.schema.attributes.base import ComponentAttribute, MediaAttribute, RelationAttribute
from quire.schema.model import FILE_UID, Model, Schema

Json = Any


class NameMapping(Struct, frozen=True, dict=True):
    """Later names by earlier ones, for settings of users.

    ``schema`` is the later one. Uids are always later ones. Unknown names are unchanged.
    """

    schema: Schema
    renames: Renames

    def name(self, uid: str, old_name: str) -> str:
        """Return the later name of an attribute."""
        names = self.renames.attributes.get(uid, {})
        return next(
            (new_name for new_name, former_name in names.items() if former_name == old_name),
            old_name,
        )

    def path(self, uid: str, old_path: str) -> str:
        """Return the later form of a path through components: ``seo.metaTitle``."""
        model_uid: str | None = uid
        new_names = []
        for name in old_path.split("."):
            new_names.append(name if model_uid is None else self.name(model_uid, name))
            model_uid = None if model_uid is None else self.leads_to(model_uid, new_names[-1])
        return ".".join(new_names)

    def action(self, old_action: str) -> str:
        """Return the later form of an action: ``api::note.note.find``."""
        uid, dot, verb = old_action.rpartition(".")
        renamed_uid = next(
            (new_uid for new_uid, old_uid in self.renames.models.items() if old_uid == uid), uid
        )
        return f"{renamed_uid}{dot}{verb}"

    def condition(self, uid: str | None, old_condition: Json) -> Json:
        """Return the later form of a filter on rows of a model."""
        match old_condition:
            case Mapping():
                return {
                    key: value
                    for pair in old_condition.items()
                    for key, value in self._pair(uid, *pair)
                }
            case list():
                return [self.condition(uid, item) for item in old_condition]
            case _:
                return old_condition

    def _pair(self, uid: str | None, key: str, value: Json) -> Sequence[tuple[str, Json]]:
        if uid is None or key.startswith("$"):
            return [(key, self.condition(uid, value))]
        new_name = self.name(uid, key)
        return [(new_name, self.condition(self.leads_to(uid, new_name), value))]

    def leads_to(self, uid: str, name: str) -> str | None:
        """Return the uid of the model that an attribute (later name) refers to, if any."""
        model = self.model(uid)
        match None if model is None else model.attributes.get(name):
            case ComponentAttribute() as attribute:
                return attribute.component
            case RelationAttribute() as attribute:
                return attribute.target
            case MediaAttribute():
                return FILE_UID
            case _:
                return None

    def model(self, uid: str) -> Model | None:
        """Return a model of the later schema, if it exists."""
        return self.schema.content_types.get(uid) or self.schema.components.get(uid)
