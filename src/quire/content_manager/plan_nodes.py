"""Builds the nodes of read plans for lists and forms.

A list shows to-one relations as rows, to-many relations as a count; a form shows only counts, since
it requests related entries page by page. Files come with their folders.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from quire.access.admin_ability import AdminAbility, GrantRule
from quire.content_manager.permissions import CREATOR_FIELDS, covers, may_follow, read_permissions
from quire.content_manager.query_scope import is_hidden
from quire.query.plan import EdgeKind, PlanEdge, PlanNode, PublicationFilter, Status
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    DynamicZoneAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import ADMIN_USER_UID, FILE_UID, ContentType, Model, Schema

CREATORS = ("createdBy", "updatedBy")
SYSTEM_FIELDS = ("id", "documentId", "locale", "updatedAt", "createdAt", "publishedAt")
"""Facts that are shown of every version of a document."""

REFERENCE = ("id", "documentId", "locale", "createdAt", "updatedAt", "publishedAt")
"""Fields that are shown of a related entry whose type the caller may not read."""


class Nodes(Struct, frozen=True, kw_only=True):
    """Makes the nodes of one request.

    ``rules`` determine what is shown of the root. ``columns`` restrict a list to these attributes
    and to facts, ``fields`` restrict only its scalars; ``None`` shows all. ``rows`` are relations
    of the root that are shown as rows in any case, ``None`` means all of them at every depth.
    Related entries are in the ``status`` and the ``publication`` state. With ``roles`` those of
    creators are read.
    """

    schema: Schema
    ability: AdminAbility
    rules: tuple[GrantRule, ...]
    status: Status
    publication: PublicationFilter | None = None
    columns: frozenset[str] | None = None
    fields: frozenset[str] | None = None
    rows: frozenset[str] | None = frozenset()
    roles: bool = False

    def list_node(self, content_type: ContentType) -> PlanNode:
        """Return the node of an entry in a list, without its localizations."""
        return PlanNode(
            uid=content_type.uid,
            fields=self._fields(content_type, ""),
            edges=tuple(
                self._edges(content_type, content_type.attributes.values(), "", form=False)
            ),
        )

    def form_node(self, content_type: ContentType) -> PlanNode:
        """Return the node of an entry in a form, without its localizations."""
        return PlanNode(
            uid=content_type.uid,
            fields=self._fields(content_type, ""),
            edges=tuple(self._edges(content_type, content_type.attributes.values(), "", form=True)),
        )

    def version_node(self, content_type: ContentType, shared: frozenset[str]) -> PlanNode:
        """Return the node of other versions: facts, and shared values and files."""
        fields = [
            attribute.name
            for attribute in content_type.scalars
            if attribute.name in SYSTEM_FIELDS
            or (attribute.name in shared and self._shows(content_type, attribute, ""))
        ]
        attributes = [
            attribute
            for attribute in content_type.attributes.values()
            if attribute.name in CREATORS
            or (attribute.name in shared and isinstance(attribute, MediaAttribute))
        ]
        edges = self._edges(content_type, attributes, "", form=False)
        return PlanNode(uid=content_type.uid, fields=tuple(fields), edges=tuple(edges))

    def localization_node(self, content_type: ContentType) -> PlanNode:
        """Return the node that shows whether another locale could be published, without links."""
        edges = [
            edge
            for attribute in content_type.attributes.values()
            if self._shows(content_type, attribute, "")
            and (edge := self._checked_parts(attribute)) is not None
        ]
        fields = self._fields(content_type, "")
        creator = PlanEdge(attribute="createdBy", nodes=(self._creator(),))
        return PlanNode(uid=content_type.uid, fields=fields, edges=(*edges, creator))

    def _checked_parts(self, attribute: Attribute) -> PlanEdge | None:
        match attribute:
            case ComponentAttribute(component=uid):
                uids: tuple[str, ...] = (uid,)
            case DynamicZoneAttribute():
                uids = attribute.components
            case _:
                return None
        parts = tuple(part for uid in uids if (part := self._checked_part(uid)) is not None)
        return PlanEdge(attribute=attribute.name, nodes=parts) if parts else None

    def _checked_part(self, uid: str) -> PlanNode | None:
        """Return the fields of a component that have rules.

        Without any, there are none to check.
        """
        component = self.schema.components[uid]
        field_names = [
            scalar.name for scalar in component.scalars if not scalar.secret and _has_rules(scalar)
        ]
        edges = [
            edge
            for attribute in component.attributes.values()
            if (edge := self._checked_parts(attribute)) is not None
        ]
        if not field_names and not edges:
            return None
        return PlanNode(uid=uid, fields=("id", *field_names), edges=tuple(edges))

    def _fields(self, model: Model, path: str) -> tuple[str, ...]:
        return tuple(scalar.name for scalar in model.scalars if self._shows(model, scalar, path))

    def _shows(self, model: Model, attribute: Attribute, path: str) -> bool:
        if is_hidden(model, attribute):
            return False
        field_path = f"{path}{attribute.name}"
        selected_fields = self.columns
        if selected_fields is None and isinstance(attribute, ScalarAttribute):
            selected_fields = self.fields
        if selected_fields is not None and not path and field_path not in selected_fields:
            return field_path in SYSTEM_FIELDS or (
                field_path == "createdBy" and self._asks_for_creators()
            )
        # Without its id a component could not be updated, only replaced by an incomplete one.
        identifies = attribute.name == "id" and bool(path)
        return identifies or field_path in _ALWAYS_READ or covers(self.rules, field_path)

    def _asks_for_creators(self) -> bool:
        """Tell whether the shown fields of an entry depend on its creator."""
        return any(rule.conditions for rule in self.rules)

    def _edges(
        self, model: Model, attributes: Iterable[Attribute], path: str, *, form: bool
    ) -> Iterator[PlanEdge]:
        for attribute in attributes:
            if isinstance(attribute, ScalarAttribute) or not self._shows(model, attribute, path):
                continue
            edge = self._edge(attribute, path, form=form)
            if edge is not None:
                yield edge

    def _edge(self, attribute: Attribute, path: str, *, form: bool) -> PlanEdge | None:
        match attribute:
            case RelationAttribute(name=name) if name in CREATORS:
                return PlanEdge(attribute=name, nodes=(self._creator(),))
            case RelationAttribute():
                in_rows = self.rows is None or (not path and attribute.name in self.rows)
                return self._relation(attribute, counted=form and not in_rows, rows=in_rows)
            case MediaAttribute(name=name):
                return PlanEdge(attribute=name, nodes=(self._file(),))
            case ComponentAttribute(name=name, component=uid):
                inner = f"{path}{name}."
                return PlanEdge(attribute=name, nodes=(self.part(uid, inner, form=form),))
            case DynamicZoneAttribute(name=name, components=uids):
                # The components of a zone are granted with it.
                unrestricted = replace(
                    self,
                    rules=(GrantRule(),),
                    columns=None,
                    fields=None,
                    rows=self.rows and frozenset(),
                )
                parts = tuple(unrestricted.part(uid, "", form=form) for uid in uids)
                return PlanEdge(attribute=name, nodes=parts)
            case _:
                return None

    def part(self, uid: str, path: str, *, form: bool) -> PlanNode:
        """Return the node of a component; a list shows nothing below it."""
        component = self.schema.components[uid]
        edges = (
            tuple(self._edges(component, component.attributes.values(), path, form=True))
            if form
            else ()
        )
        return PlanNode(uid=uid, fields=self._fields(component, path), edges=edges)

    def _creator(self) -> PlanNode:
        """Return the node of the creator, with roles if a condition checks them."""
        role = PlanEdge(attribute="roles", nodes=(PlanNode(uid="admin::role", fields=("id",)),))
        edges = (role,) if self.roles else ()
        return PlanNode(uid=ADMIN_USER_UID, fields=CREATOR_FIELDS, edges=edges)

    def _file(self) -> PlanNode:
        file = self.schema.content_types[FILE_UID]
        folder = file.attributes.get("folder")
        edges: tuple[PlanEdge, ...] = ()
        if isinstance(folder, RelationAttribute):
            edges = (PlanEdge(attribute="folder", nodes=(self._type_node(str(folder.target)),)),)
        return PlanNode(uid=FILE_UID, fields=self._visible_fields(file), edges=edges)

    def _relation(
        self, attribute: RelationAttribute, *, counted: bool, rows: bool
    ) -> PlanEdge | None:
        if attribute.target is None:
            return self._polymorphic_node(attribute)
        if attribute.target == ADMIN_USER_UID and attribute.to_many:
            return None
        target = self.schema.content_types[attribute.target]
        node = self._versioned(PlanNode(uid=target.uid, fields=("id",)), target)
        if counted or (attribute.to_many and not rows):
            return PlanEdge(attribute=attribute.name, nodes=(node,), kind=EdgeKind.COUNT)
        return PlanEdge(attribute=attribute.name, nodes=(self._related_node(target),))

    def _related_node(self, target: ContentType) -> PlanNode:
        """Return the node of a related entry in a list: what may be read of its whole type."""
        if not may_follow(self.ability, target):
            fields = tuple(scalar.name for scalar in target.scalars if scalar.name in REFERENCE)
        elif self.ability.super_admin:
            fields = self._visible_fields(target)
        else:
            permissions = read_permissions(self.ability, target)
            fields = tuple(
                scalar.name
                for scalar in target.scalars
                if scalar.name in REFERENCE
                or (not is_hidden(target, scalar) and permissions.grants_on_all(scalar.name, None))
            )
        if target.uid == ADMIN_USER_UID:
            fields = CREATOR_FIELDS
        return self._versioned(PlanNode(uid=target.uid, fields=fields), target)

    def _polymorphic_node(self, attribute: RelationAttribute) -> PlanEdge | None:
        """Return the node of a polymorphic relation, which only super admins are shown."""
        if not self.ability.super_admin:
            return None
        models: list[Model] = [
            *self.schema.content_types.values(),
            *self.schema.components.values(),
        ]
        nodes = tuple(
            self._versioned(PlanNode(uid=model.uid, fields=self._visible_fields(model)), model)
            for model in models
        )
        return PlanEdge(attribute=attribute.name, nodes=nodes)

    def _type_node(self, uid: str) -> PlanNode:
        return PlanNode(uid=uid, fields=self._visible_fields(self.schema.content_types[uid]))

    def _visible_fields(self, model: Model) -> tuple[str, ...]:
        return tuple(scalar.name for scalar in model.scalars if not is_hidden(model, scalar))

    def _versioned(self, node: PlanNode, model: Model) -> PlanNode:
        """Restrict a node of related entries to the requested version."""
        if not isinstance(model, ContentType) or not model.draft_and_publish:
            return node
        return replace(node, status=self.status, publication=self.publication)


def _has_rules(attribute: Attribute) -> bool:
    """Tell whether something is asked of values of an attribute before they are published."""
    has_limits = any(name in attribute.raw for name in ("min", "max", "minLength", "maxLength"))
    return has_limits or attribute.required or attribute.unique


_ALWAYS_READ = frozenset({*SYSTEM_FIELDS, *CREATORS})
