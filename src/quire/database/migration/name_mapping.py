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

    def name(self, uid: str, earlier: str) -> str:
        """Return the later name of an attribute."""
        names = self.renames.attributes.get(uid, {})
        return next((later for later, was in names.items() if was == earlier), earlier)

    def path(self, uid: str, earlier: str) -> str:
        """Return the later form of a path through components: ``seo.metaTitle``."""
        at: str | None = uid
        later = []
        for name in earlier.split("."):
            later.append(name if at is None else self.name(at, name))
            at = None if at is None else self.leads_to(at, later[-1])
        return ".".join(later)

    def action(self, earlier: str) -> str:
        """Return the later form of an action: ``api::note.note.find``."""
        uid, dot, verb = earlier.rpartition(".")
        later = next((new for new, old in self.renames.models.items() if old == uid), uid)
        return f"{later}{dot}{verb}"

    def condition(self, uid: str | None, earlier: Json) -> Json:
        """Return the later form of a filter on rows of a model."""
        match earlier:
            case Mapping():
                return {
                    key: value for pair in earlier.items() for key, value in self._pair(uid, *pair)
                }
            case list():
                return [self.condition(uid, one) for one in earlier]
            case _:
                return earlier

    def _pair(self, uid: str | None, key: str, value: Json) -> Sequence[tuple[str, Json]]:
        if uid is None or key.startswith("$"):
            return [(key, self.condition(uid, value))]
        later = self.name(uid, key)
        return [(later, self.condition(self.leads_to(uid, later), value))]

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
