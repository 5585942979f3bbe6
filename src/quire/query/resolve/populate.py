"""``populate``: relations, media, components and dynamic zones to include.

Two spellings, strings of dotted paths and nested objects, become the same plan edges. Relations
whose target the caller may not read are left out without an error, at every level, as in Strapi.
"""

from collections.abc import Iterable, Mapping
from typing import Self

import orjson
from msgspec import Struct
from msgspec.structs import replace

from quire.access.ability import can_find
from quire.errors import InvalidKeyError, ValidationError
from quire.query.plan import (
    EdgeKind,
    PlanEdge,
    PlanNode,
    PublicationFilter,
    Status,
    with_sorted_fields,
)
from quire.query.querystring import QueryValue
from quire.query.resolve.errors import CheckStage, Param, Pass
from quire.query.resolve.fields import resolve_fields, shown_fields
from quire.query.resolve.filters import resolve_filters
from quire.query.resolve.scope import Scope, is_never_populated, join_path
from quire.query.resolve.sort import resolve_sort
from quire.schema.attributes.base import (
    Attribute,
    DynamicZoneAttribute,
    LocalizationsAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import FILE_UID, USER_UID, Component, ContentType, Model

_PLUGIN_TYPES = frozenset({FILE_UID, USER_UID})
"""Types beside those of the project whose entries polymorphic relations list."""

BAD_POPULATE = (
    "Invalid populate parameter. Expected a string, an array of strings, a populate object"
)
TOO_MANY_ENTRIES = (
    "Too many populate entries ({}). The maximum number of populate entries "
    "when using array notation is {}. Consider using object notation "
    "(populate[field]=true), nested population, or reducing the number of fields."
)
MAX_ENTRIES = 100
MAX_DEPTH = 100
"""The maximum number of populated levels: plans are traversed recursively."""

_TRUE = frozenset({"true", "t", "1"})
_FALSE = frozenset({"false", "f", "0"})
_FLAGS = _TRUE | _FALSE
"""Strapi ignores these as names of attributes and options. A query string with ``populate[]=a`` and
``populate[b]=*`` is parsed as an object in which ``0`` is a name."""


class PopulatedVersions(Struct, frozen=True):
    """Which versions of draft & publish types are populated; without a status all of them."""

    status: Status | None
    publication: PublicationFilter | None = None


class _Paths(dict[str, "_Paths"]):
    """A tree of dotted paths: ``a.b`` and ``a.c`` are the branches ``b`` and ``c`` of ``a``."""

    def add(self, path: Iterable[str]) -> None:
        """Add a path; common prefixes are shared."""
        subtree = self
        for segment in path:
            subtree = subtree.setdefault(segment, _Paths())

    def replace_subtree(self, path: Iterable[str]) -> None:
        """Add a path; the present subtree at its end is removed."""
        *parents, last = path
        subtree = self
        for segment in parents:
            subtree = subtree.setdefault(segment, _Paths())
        subtree[last] = _Paths()

    def ends_at(self, path: Iterable[str]) -> bool:
        """Tell whether a path is in the tree and none goes further."""
        subtree: _Paths | None = self
        for segment in path:
            subtree = None if subtree is None else subtree.get(segment)
        return subtree is not None and not subtree

    @classmethod
    def of(cls, paths: Iterable[Iterable[str]]) -> "_Paths":
        """Build a tree of paths."""
        tree = cls()
        for path in paths:
            tree.add(path)
        return tree


class _QueryPosition(Struct, frozen=True):
    """The position of an error in the query.

    ``path`` is the dotted path of attributes; ``raw`` also contains ``populate`` and fragments.
    """

    path: str | None = None
    raw: str | None = None

    def attribute(self, name: str) -> Self:
        """Return the position of an attribute."""
        return replace(self, path=join_path(self.path, name), raw=join_path(self.raw, name))

    def option(self, name: str) -> Self:
        """Return the position of an option such as ``populate``, or of a fragment."""
        return replace(self, raw=join_path(self.raw, name))


def resolve_populate(
    value: QueryValue, model: Model, scope: Scope, versions: PopulatedVersions
) -> tuple[PlanEdge, ...]:
    """Parse the ``populate`` parameter of a request for rows of a model."""
    return _Populate(scope, versions).resolve(value, model)


class _Populate:
    """Traverses one ``populate`` parameter.

    ``depth`` is how many levels are above the present one. Depth and number of nodes are limited,
    because each level of ``populate=*`` multiplies the rows and statements of a read.
    """

    def __init__(self, scope: Scope, versions: PopulatedVersions) -> None:
        self.scope = scope
        self.versions = versions
        self.depth = 0
        self._nodes = 0

    def resolve(self, value: QueryValue, model: Model) -> tuple[PlanEdge, ...]:
        """Resolve the root parameter."""
        if value is None or value in ("", [""]):
            return ()
        if isinstance(value, dict):
            if all(key.isdigit() for key in value):
                self.scope.report_malformed(BAD_POPULATE)
            return self._object_edges(value, model, _QueryPosition())
        if isinstance(value, list) and len(value) > MAX_ENTRIES:
            message = TOO_MANY_ENTRIES.format(len(value), MAX_ENTRIES)
            error = ValidationError(message, {"source": "query", "param": "populate"})
            self.scope.findings.add((CheckStage.KEYS, Param.POPULATE, Pass.UNKNOWN), error)
            return ()
        return self._path_edges(value, model)

    # Strings ---------------------------------------------------------------------------------

    def _path_edges(
        self, value: QueryValue, model: Model, prefix: str | None = None
    ) -> tuple[PlanEdge, ...]:
        """Resolve dotted paths. ``prefix`` is where they are in the whole query.

        If commas separate paths, a forbidden part ends its path, and paths add up; but all of them
        are ignored if the first path leads through something forbidden, and it is an error if that
        path leads through something private. Otherwise a path through something forbidden is
        ignored as a whole, and a later path replaces a longer earlier one.
        """
        if value == "*":
            return self.all_edges(model)
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            self.scope.report_malformed(BAD_POPULATE)
            return ()
        lenient = any("," in str(text) for text in texts)
        path_resolver = _PathResolver(self, prefix, lenient=lenient)
        single_paths = _Paths()
        paths: list[tuple[list[str], bool]] = []
        for text in map(str, texts):
            first_path, *other_paths = text.split(",")
            followed_path = _path(first_path)[:-1] if other_paths else _path(first_path)
            may_follow = self._may_follow_path(followed_path, model)
            if other_paths:
                path_resolver.report_hidden(followed_path, model)
            for text_path in [first_path, *other_paths]:
                path, segments = _path(text_path), _segments(text_path)
                self.check_depth(len(segments))
                path_resolver.check(segments, model)
                if not path:
                    continue
                if not may_follow:
                    path_resolver.edges(_Paths.of([path]), model, None)
                    continue
                paths.append((path, not other_paths))
                if not other_paths:
                    single_paths.replace_subtree(path)
        tree = _Paths.of(
            path for path, is_single in paths if not is_single or single_paths.ends_at(path)
        )
        return path_resolver.edges(tree, model, None)

    def _may_follow_path(self, path: list[str], model: Model) -> bool:
        """Tell whether the caller may read the targets of all relations of a path.

        Unknown names are reported when the path is resolved.
        """
        current_model: Model | None = model
        for name in path:
            attribute = current_model.attributes.get(name) if current_model is not None else None
            if current_model is None or attribute is None:
                return True
            if not self.scope.may_follow(current_model, attribute):
                return False
            current_model = self.scope.target(attribute)
        return True

    # Everything ------------------------------------------------------------------------------

    def all_edges(self, model: Model) -> tuple[PlanEdge, ...]:
        """Populate every attribute that can be populated, one level deep."""
        self.check_depth(1)
        edges = []
        for attribute in model.attributes.values():
            if isinstance(attribute, ScalarAttribute) or attribute.private:
                continue
            if isinstance(attribute, DynamicZoneAttribute):
                edges.append(self.plain_zone(attribute))
                continue
            target = self.scope.target(attribute)
            if target is None:
                edges.append(self.morph_list(model, attribute))
            elif (edge := self.permitted(model, attribute, self.node(target))) is not None:
                edges.append(edge)
        return _zones_last(edges, model)

    def plain_zone(self, attribute: DynamicZoneAttribute, *, deep: bool = False) -> PlanEdge:
        """Show all components of a zone, with ``deep`` also what is populated below."""
        self.check_depth(2 if deep else 1)
        components = self.scope.schema.components
        nodes = [self._component_node(components[uid], deep=deep) for uid in attribute.components]
        node_count = self._nodes
        allowed_uids = frozenset(attribute.components)
        other_parts = [
            self._component_node(component, deep=deep)
            for uid, component in components.items()
            if uid not in allowed_uids
        ]
        # Components that the zone does not allow only exist in old entries. The limit of nodes is
        # for what a request asks for.
        self._nodes = node_count
        return PlanEdge(attribute=attribute.name, nodes=tuple(nodes), unlisted=tuple(other_parts))

    def _component_node(self, component: Component, *, deep: bool) -> PlanNode:
        return self.node(component, edges=self.all_edges(component) if deep else ())

    # Objects ---------------------------------------------------------------------------------

    def _object_edges(
        self, value: Mapping[str, QueryValue], model: Model, parent: _QueryPosition
    ) -> tuple[PlanEdge, ...]:
        edges = [self._entry_edge(name, inner, model, parent) for name, inner in value.items()]
        return _zones_last((edge for edge in edges if edge is not None), model)

    def _entry_edge(
        self, name: str, value: QueryValue, model: Model, parent: _QueryPosition
    ) -> PlanEdge | None:
        position = parent.attribute(name)
        if name not in model.attributes:
            if name in _KEYWORDS:
                self._check_keyword(name, value, model, parent)
                return None
            if name in _FLAGS:
                return None
        attribute = self.populatable(name, model, parent.path, position.raw)
        if attribute is None:
            return None
        edge = self._resolve_target(attribute, value, model, position)
        return None if self.scope.report_if_hidden(attribute, position.path or name) else edge

    def _check_keyword(
        self, name: str, value: QueryValue, model: Model, parent: _QueryPosition
    ) -> None:
        """Check an option such as ``fields`` where attributes are expected.

        ``populate[fields][0]=x`` populates nothing, but Strapi validates its value.
        """
        inner = self.scope.inside_populate(name)
        match name, value:
            case "populate", _:
                self._nested_edges(value, model, parent)
            case "fields", _:
                resolve_fields(value, model, inner)
            case "filters", dict():
                resolve_filters(value, model, inner)
            case "sort", _:
                resolve_sort(value, model, inner)
            case "count", _ if value not in [*_FLAGS]:
                self.scope.report_invalid_key(name, parent.path)

    def _resolve_target(
        self, attribute: Attribute, value: QueryValue, model: Model, position: _QueryPosition
    ) -> PlanEdge | None:
        self.check_depth(1)
        if isinstance(value, str) and value in _FALSE:
            return None
        if value is None:
            self.scope.report_unconvertible(f"populate expects a value at {position.path}")
            return None
        if isinstance(attribute, DynamicZoneAttribute):
            return self._zone_edge(attribute, value, model, position)
        target = self.scope.target(attribute)
        if target is None:
            return self._morph_edge(model, attribute, value, position)
        edge = self._relation_edge(attribute, value, model, target, position)
        return edge if edge and self.may_show(model, attribute) else None

    def _relation_edge(
        self,
        attribute: Attribute,
        value: QueryValue,
        model: Model,
        target: Model,
        position: _QueryPosition,
    ) -> PlanEdge | None:
        kind = EdgeKind.ROWS
        if isinstance(value, dict):
            if "on" in value:
                self._report_misplaced_fragments(attribute, value["on"], model, position)
            is_count = self._requests_count(attribute, value, position)
            kind = EdgeKind.COUNT if is_count else EdgeKind.ROWS
        forbidden = not self.may_show(model, attribute)
        node = self._target_node(value, target, position, forbidden=forbidden)
        if node is None:
            return None
        if node.sort and not isinstance(attribute, LocalizationsAttribute):
            node = replace(node, fields=with_sorted_fields(node.fields, node.sort))
        return PlanEdge(attribute=attribute.name, nodes=(node,), kind=kind)

    def _target_node(
        self, value: QueryValue, target: Model, position: _QueryPosition, *, forbidden: bool = False
    ) -> PlanNode | None:
        """Resolve the value for one related model: a flag, a star, or options."""
        match value:
            case str() if value in _TRUE:
                return self.node(target)
            case "*":
                if not forbidden:
                    self._report_star(target, position)
                return self.node(target)
            case str():
                self._report_stray_option(value.split(".")[0], target, position)
                return None
            case list():
                for item in value:
                    if isinstance(item, str) and item not in _FLAGS:
                        self._report_stray_option(item, target, position)
                self.scope.report_unconvertible(
                    "Invalid nested populate. Expected '*' or an object"
                )
                return None
            case dict():
                return self._options(value, target, position)
            case _:
                return None

    def _report_star(self, target: Model, position: _QueryPosition) -> None:
        """Record the error of ``populate[a]=*``: the first attribute of the target is unknown.

        Strapi expands the star to an object of all attributes, and then rejects them as options.
        """
        for attribute in target.attributes.values():
            if not isinstance(attribute, ScalarAttribute) and not attribute.private:
                path = join_path(position.path, attribute.name)
                error = InvalidKeyError(attribute.name, path, source="query", param=None)
                error.details = {"key": attribute.name, "path": path}
                self.scope.report_unconvertible(error)
                return

    def _options(
        self, value: Mapping[str, QueryValue], target: Model, position: _QueryPosition
    ) -> PlanNode | None:
        node = self.node(target)
        for name, option in value.items():
            inner = self.scope.inside_populate(name)
            match name:
                case "populate":
                    edges = self._nested_edges(option, target, position.option("populate"))
                    node = replace(node, edges=edges)
                case "fields":
                    node = replace(node, fields=resolve_fields(option, target, inner))
                case "filters":
                    node = replace(node, filter=resolve_filters(option, target, inner))
                case "sort":
                    node = replace(node, sort=resolve_sort(option, target, inner))
                case "count" | "on":
                    continue
                case _ if name in _FLAGS and name not in target.attributes:
                    continue
                case _:
                    self._report_stray_option(name, target, position)
        return node

    def _report_stray_option(self, name: str, target: Model, position: _QueryPosition) -> None:
        is_attribute = name in target.attributes and name not in {"id", "documentId"}
        self.scope.report_invalid_key(
            name, join_path(position.path, name) if is_attribute else position.path
        )

    def _nested_edges(
        self, value: QueryValue, target: Model, position: _QueryPosition
    ) -> tuple[PlanEdge, ...]:
        self.depth += 1
        try:
            return self._nested_edges_at_depth(value, target, position)
        finally:
            self.depth -= 1

    def _nested_edges_at_depth(
        self, value: QueryValue, target: Model, position: _QueryPosition
    ) -> tuple[PlanEdge, ...]:
        match value:
            case None:
                return ()
            case "" | [""]:
                self.scope.report_invalid_key("", position.path)
                return ()
            case dict():
                return self._object_edges(value, target, position)
            case _:
                edges = self._path_edges(value, target, position.path)
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and "," in text:
                self.scope.report_invalid_key(text, position.path)
        return edges

    def _requests_count(
        self, attribute: Attribute, value: Mapping[str, QueryValue], position: _QueryPosition
    ) -> bool:
        if "count" not in value:
            return False
        count = value["count"]
        if not isinstance(count, str) or count not in _FLAGS:
            self.scope.report_invalid_key("count", position.path)
            return False
        return count in _TRUE and not isinstance(attribute, MediaAttribute | LocalizationsAttribute)

    def _report_misplaced_fragments(
        self, attribute: Attribute, value: QueryValue, model: Model, position: _QueryPosition
    ) -> None:
        """Record errors for fragments outside of dynamic zones and polymorphic relations."""
        if not isinstance(value, dict | list):
            self.scope.report_invalid_key("on", position.option("on").raw)
            return
        model_uids = {*self.scope.schema.components, *self.scope.schema.content_types}
        for uid in value if isinstance(value, dict) else map(str, range(len(value))):
            if uid not in model_uids:
                self.scope.report_invalid_key(uid, f"{position.raw}.on.{uid}")
        self.scope.report_unconvertible(
            f'Using fragments is not permitted to populate "{attribute.name}" in "{model.uid}"'
        )

    # Dynamic zones ---------------------------------------------------------------------------

    def _zone_edge(
        self,
        attribute: DynamicZoneAttribute,
        value: QueryValue,
        model: Model,
        position: _QueryPosition,
    ) -> PlanEdge | None:
        if isinstance(value, str) and value in _TRUE:
            return self.plain_zone(attribute)
        options = value if isinstance(value, dict) else {}
        deep = False
        if "populate" in options:
            if options["populate"] == "*":
                deep = True
            else:
                self.scope.report_invalid_key("populate", position.raw)
        if "on" in options:
            return self._fragment_edge(attribute, options["on"], position)
        if not options.keys() & {"count", "populate"}:
            text = orjson.dumps(value).decode()
            self.scope.report_unconvertible(
                f"Invalid nested populate for {model.singular_name}.{attribute.name} "
                f'({model.uid}). Expected a fragment ("on") or "count" but found {text}'
            )
        return self.plain_zone(attribute, deep=deep)

    def _fragment_edge(
        self, attribute: DynamicZoneAttribute, value: QueryValue, position: _QueryPosition
    ) -> PlanEdge | None:
        """Show only the listed components of a zone, each by its fragment; without a value all."""
        if value is None:
            return self.plain_zone(attribute)
        if isinstance(value, list):
            value = {str(index): item for index, item in enumerate(value)}
        if value == "":
            value = {}
        if not isinstance(value, dict):
            self.scope.report_invalid_key("on", position.option("on").raw)
            return None
        nodes = []
        for uid, option in value.items():
            component = self.scope.schema.components.get(uid)
            if component is None:
                self.scope.report_invalid_key(uid, f"{position.raw}.on.{uid}")
                continue
            fragment = position.option(f"on[{uid}]")
            if isinstance(option, dict) and isinstance(option.get("on"), dict):
                self._report_nested_fragments(option["on"], fragment)
            # Naming a component lists it, even if the flag is false.
            is_false = isinstance(option, str) and option in _FALSE
            node = (
                self.node(component) if is_false else self._target_node(option, component, fragment)
            )
            if node is not None:
                nodes.append(node)
        return PlanEdge(attribute=attribute.name, nodes=tuple(nodes))

    def _report_nested_fragments(self, value: QueryValue, position: _QueryPosition) -> None:
        for uid in value if isinstance(value, dict) else ():
            self.scope.report_invalid_key(uid, f"{position.raw}.on.{uid}")

    # Relations to any content type -----------------------------------------------------------

    def _morph_edge(
        self, model: Model, attribute: Attribute, value: QueryValue, position: _QueryPosition
    ) -> PlanEdge | None:
        """Populate a polymorphic relation by ``true`` or fragments; Strapi ignores other values.

        Its links are to rows and not to documents: as in Strapi, drafts and published entries are
        populated together, except by fragments with options and by paths separated by commas.
        """
        if isinstance(value, str):
            return self.morph_list(model, attribute) if value == "true" else None
        if not isinstance(value, dict):
            return None
        if value.get("populate") not in (None, "*"):
            self.scope.report_invalid_key("populate", position.raw)
        fragments = value.get("on")
        if not isinstance(fragments, dict):
            return None
        nodes = []
        for uid, option in fragments.items():
            target = self.scope.schema.content_types.get(uid)
            if target is None:
                if uid not in self.scope.schema.components:
                    self.scope.report_invalid_key(uid, f"{position.raw}.on.{uid}")
                continue
            is_false = isinstance(option, str) and option in _FALSE  # lists it, as in a zone
            fragment = position.option(f"on[{uid}]")
            node = self.node(target) if is_false else self._target_node(option, target, fragment)
            if node is not None and self._may_find(target):
                nodes.append(node if isinstance(option, dict) else _with_all_versions(node))
        if not any(can_find(self.scope.ability, uid) for uid in fragments):
            return None
        return PlanEdge(attribute=attribute.name, nodes=tuple(nodes))

    def _may_be_listed(self, source: Model, target: ContentType) -> bool:
        """Tell whether entries of a type are shown in a polymorphic relation of another.

        Those of the administration, such as API tokens, are only shown if a fragment names them.
        Files are only linked through attributes of the other side; entries of any type may be
        linked from this side.
        """
        if not (target.is_api or target.uid in _PLUGIN_TYPES):
            return False
        is_linkable = source.uid != FILE_UID or any(
            isinstance(attribute, MediaAttribute)
            or (isinstance(attribute, RelationAttribute) and attribute.morph_by is not None)
            for attribute in target.attributes.values()
        )
        return is_linkable and self._may_find(target)

    def _may_find(self, model: ContentType) -> bool:
        return can_find(self.scope.ability, model.uid)

    # Common ----------------------------------------------------------------------------------

    def populatable(
        self, name: str, model: Model, unknown_path: str | None, own_path: str | None
    ) -> Attribute | None:
        """Return the attribute of a name if it is a relation; record an error otherwise."""
        attribute = model.attributes.get(name)
        if attribute is None or name in {"id", "documentId"}:
            self.scope.report_invalid_key(name, unknown_path)
            return None
        if isinstance(attribute, ScalarAttribute):
            self.scope.report_invalid_key(name, own_path, Pass.SHAPE)
            return None
        return attribute

    def may_show(self, model: Model, attribute: Attribute) -> bool:
        """Tell whether populated rows may be shown."""
        return not is_never_populated(model, attribute) and self.scope.may_follow(model, attribute)

    def permitted(self, model: Model, attribute: Attribute, node: PlanNode) -> PlanEdge | None:
        """Return the edge of an attribute, if its rows may be shown."""
        if not self.may_show(model, attribute):
            return None
        return PlanEdge(attribute=attribute.name, nodes=(node,))

    def check_depth(self, levels: int) -> None:
        """Raise an error for more levels than a request may populate.

        This is raised at once and not recorded with other errors, since it bounds the work.
        """
        max_depth = self.scope.limits.populate_depth or MAX_DEPTH
        if self.depth + levels > max_depth:
            message = f"Cannot populate more than {max_depth} levels (limits.populate_depth)"
            raise ValidationError(message, {"source": "query", "param": "populate"})

    def _count_node(self) -> None:
        """Raise an error for more relations and components than a request may populate."""
        self._nodes += 1
        max_nodes = self.scope.limits.populate_nodes
        if max_nodes is not None and self._nodes > max_nodes:
            counted_parts = "relations and components (limits.populate_nodes)"
            message = f"Cannot populate more than {max_nodes} {counted_parts}"
            raise ValidationError(message, {"source": "query", "param": "populate"})

    def node(self, model: Model, edges: tuple[PlanEdge, ...] = ()) -> PlanNode:
        """Return a node with everything of a model that is shown by default."""
        self._count_node()
        versioned = isinstance(model, ContentType) and model.draft_and_publish
        return PlanNode(
            uid=model.uid,
            fields=shown_fields(model, self.scope),
            edges=edges,
            status=self.versions.status if versioned else None,
            publication=self.versions.publication if versioned else None,
        )

    def morph_list(
        self, model: Model, attribute: Attribute, *, versioned: bool = False
    ) -> PlanEdge:
        """Populate a polymorphic relation with entries of all types.

        These are drafts and published entries, or with ``versioned`` those of the request's status.
        """
        types = self.scope.schema.content_types.values()
        nodes = [self.node(target) for target in types if self._may_be_listed(model, target)]
        if not versioned:
            nodes = [_with_all_versions(node) for node in nodes]
        return PlanEdge(attribute=attribute.name, nodes=tuple(nodes))


class _PathResolver:
    """Resolves trees of dotted paths.

    ``lenient`` is for paths separated by commas: private attributes are ignored instead of an
    error, and polymorphic relations have the status of the request.
    """

    def __init__(self, populate: _Populate, prefix: str | None, *, lenient: bool) -> None:
        self.populate = populate
        self.scope = populate.scope
        self.prefix = prefix
        self.lenient = lenient

    def check(self, path: list[str], model: Model) -> None:
        """Record an error for the first name of a path that cannot be populated."""
        invalid_key = self._first_invalid_key(path, model, None)
        if invalid_key is not None:
            self.scope.report_invalid_key(*invalid_key)

    def _first_invalid_key(
        self, path: list[str], model: Model, parent_path: str | None
    ) -> tuple[str, str] | None:
        """Return the first name of a path that cannot be populated, and where it is."""
        if not path:
            return None
        name, *rest = path
        own_path = join_path(parent_path, name)
        attribute = model.attributes.get(name)
        if attribute is None or isinstance(attribute, ScalarAttribute):
            return name, own_path
        if not rest:
            return None
        if isinstance(attribute, DynamicZoneAttribute):
            is_valid = any(
                self._continues(self.scope.schema.components[uid], rest)
                for uid in attribute.components
            )
            return None if is_valid else (rest[0], join_path(own_path, rest[0]))
        target = self.scope.target(attribute)
        if target is None or isinstance(attribute, MediaAttribute):
            return name, own_path
        return self._first_invalid_key(rest, target, own_path)

    def report_hidden(self, path: list[str], model: Model) -> None:
        """Record an error for the first private attribute of a path."""
        current_model: Model | None = model
        own_path: str | None = self.prefix
        for name in path:
            attribute = current_model.attributes.get(name) if current_model is not None else None
            if attribute is None:
                return
            own_path = join_path(own_path, name)
            if self.scope.report_if_hidden(attribute, own_path):
                return
            current_model = self.scope.target(attribute)

    def _continues(self, component: Component, path: list[str]) -> bool:
        """Tell whether a path can go on in a component of a zone; its last name may be a scalar."""
        name, *rest = path
        attribute = component.attributes.get(name)
        if attribute is None or name == "id":
            return False
        return not rest or self._first_invalid_key(path, component, None) is None

    def edges(self, tree: _Paths, model: Model, path: str | None) -> tuple[PlanEdge, ...]:
        """Resolve the branches of a tree; names that cannot be populated are left out."""
        populated_edges = [self._edge(name, inner, model, path) for name, inner in tree.items()]
        return _zones_last((edge for edge in populated_edges if edge is not None), model)

    def _edge(self, name: str, inner: _Paths, model: Model, path: str | None) -> PlanEdge | None:
        own_path = join_path(path, name)
        attribute = model.attributes.get(name)
        if attribute is None or isinstance(attribute, ScalarAttribute):
            return None
        if attribute.private and self.lenient:
            return None
        full_path = own_path if self.prefix is None else f"{self.prefix}.{own_path}"
        is_hidden = self.scope.report_if_hidden(attribute, full_path)
        edge = self._attribute(attribute, inner, model, own_path)
        return None if is_hidden else edge

    def _attribute(
        self, attribute: Attribute, inner: _Paths, model: Model, own_path: str
    ) -> PlanEdge | None:
        if isinstance(attribute, DynamicZoneAttribute):
            return self._zone_edge(attribute, inner, own_path)
        target = self.scope.target(attribute)
        if target is None:
            return self.populate.morph_list(model, attribute, versioned=self.lenient)
        node = self.populate.node(target, edges=self.edges(inner, target, own_path))
        return self.populate.permitted(model, attribute, node)

    def _zone_edge(self, attribute: DynamicZoneAttribute, inner: _Paths, path: str) -> PlanEdge:
        """Continue in those components of the zone that have the attribute."""
        if not inner:
            return self.populate.plain_zone(attribute)
        components = [self.scope.schema.components[uid] for uid in attribute.components]
        nodes = [
            self.populate.node(component, edges=self.edges(inner, component, path))
            for component in components
        ]
        return PlanEdge(attribute=attribute.name, nodes=tuple(nodes))


_KEYWORDS = frozenset({"populate", "count", "fields", "filters", "sort"})


def _segments(text: str) -> list[str]:
    """Split a dotted path for checks of its names: without empty or blank segments."""
    return [segment for segment in (name.strip() for name in text.split(".")) if segment]


def _path(text: str) -> list[str]:
    """Split a dotted path for following it: up to an empty segment or one with blanks."""
    path: list[str] = []
    for segment in text.strip().lstrip(".").split("."):
        if not segment or segment != segment.strip():
            break
        path.append(segment)
    return path


def _with_all_versions(node: PlanNode) -> PlanNode:
    return replace(node, status=None, publication=None)


def _zones_last(edges: Iterable[PlanEdge], model: Model) -> tuple[PlanEdge, ...]:
    """Put dynamic zones last, in their order: so they are in the responses of Strapi."""
    return tuple(
        sorted(
            edges,
            key=lambda edge: isinstance(model.attributes[edge.attribute], DynamicZoneAttribute),
        )
    )
