"""The inputs of resolving: schema, ability, settings, and the collected problems."""

from msgspec import Struct, field
from msgspec.structs import replace

from quire.access.ability import Ability, Unsanitized, can_find
from quire.errors import AppError, InvalidKeyError, ValidationError
from quire.hooks.computed import ComputedFields
from quire.query.filter_operators import Operators, operators_of
from quire.query.resolve.errors import CheckStage, Findings, Param, Pass
from quire.schema.attributes.base import (
    Attribute,
    LocalizationsAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import ADMIN_USER_UID, FILE_UID, ROLE_UID, ContentType, Model, Schema

_NESTED_PARAMETERS = {"fields": Param.FIELDS, "filters": Param.FILTERS, "sort": Param.SORT}

SlotValue = str | int | float | bool | None | list[str | int | float | bool | None]
"""A resolved value: dialects encode it for their columns."""


class ReadLimits(Struct, frozen=True, kw_only=True):
    """The limits of the settings on what one request may read."""

    default_limit: int = 25
    max_limit: int | None = 100
    with_count: bool = True
    strict_params: bool = False
    drafts_need_token: bool = False
    populate_depth: int | None = None
    populate_nodes: int | None = None
    filter_values: int | None = 1000
    rows: int = 200_000
    response_size: int | None = None
    followed_relations: int | None = None


class FollowedRelations(Struct):
    """How many relations, components and media the filters and orders of a query follow."""

    count: int = 0


class Slots(Struct):
    """The bound values of a query, in order.

    With ``volatile`` some depend on the time: their results must not be cached. ``rule_actions``
    are the actions whose row rules the query depends on, whether there are such rules or not.
    """

    values: list[SlotValue] = field(default_factory=list)
    volatile: bool = False
    rule_actions: set[str] = field(default_factory=set)

    def add(self, value: SlotValue) -> int:
        """Add a value and return its slot."""
        self.values.append(value)
        return len(self.values) - 1


_NO_COMPUTED: ComputedFields = {}


class Scope(Struct, frozen=True, kw_only=True):
    """The context of resolving one parameter: schema, permissions, limits, and collected errors.

    ``param`` and ``prefix`` rank its errors (`Findings`). ``nested`` says that the parameter is
    inside ``populate``. ``trusted`` says that an administrator wrote it, such as a row rule; it may
    use private attributes, and is not limited. With ``computes`` computed fields can be requested,
    and with ``computes_by_default`` some are shown where no fields are named.
    """

    schema: Schema
    ability: Ability
    limits: ReadLimits
    findings: Findings
    slots: Slots
    param: Param
    name: str
    followed: FollowedRelations = field(default_factory=FollowedRelations)
    prefix: tuple[int, ...] = ()
    nested: bool = False
    trusted: bool = False
    computes: bool = False
    computes_by_default: bool = True

    @property
    def computed(self) -> ComputedFields:
        """The computed fields of content types, if a query may ask for them."""
        return self.schema.computed if self.computes else _NO_COMPUTED

    @property
    def operators(self) -> Operators:
        """The operators of comparisons, by name."""
        return operators_of(self.schema.operators)

    def for_parameter(self, param: Param, name: str) -> "Scope":
        """Return the scope of another parameter of the same query."""
        return replace(self, param=param, name=name, prefix=(), nested=False)

    def inside_populate(self, name: str) -> "Scope":
        """Return the scope of a parameter inside ``populate``."""
        param = _NESTED_PARAMETERS.get(name, Param.POPULATE)
        prefix = (*self._keys_rank(Pass.UNKNOWN), self.findings.count, param)
        return replace(self, param=param, prefix=prefix, nested=True)

    def _keys_rank(self, pass_: Pass) -> tuple[int, ...]:
        base = self.prefix or (CheckStage.KEYS, self.param)
        return (*base, pass_)

    def report_invalid_key(self, key: str, path: str | None, pass_: Pass = Pass.UNKNOWN) -> None:
        """Record a key that is unknown or not allowed."""
        error = InvalidKeyError(key, path, source="query", param=self.name)
        self.findings.add(self._keys_rank(pass_), error)

    def report_malformed(self, message: str, pass_: Pass = Pass.UNKNOWN) -> None:
        """Record a malformed parameter, found while keys are checked."""
        self.findings.add(self._keys_rank(pass_), ValidationError(message))

    def report_unconvertible(self, error: AppError | str) -> None:
        """Record an error that Strapi only finds after all keys were valid."""
        problem = ValidationError(error) if isinstance(error, str) else error
        self.findings.add((CheckStage.CONVERSION, self.param), problem)

    def report_operand(self, error: AppError | str) -> None:
        """Record an operand that does not have its attribute's type."""
        problem = ValidationError(error) if isinstance(error, str) else error
        self.findings.add((CheckStage.OPERANDS, self.param), problem)

    def target(self, attribute: Attribute) -> Model | None:
        """Return the target model of an attribute, when it is exactly one."""
        return target_model(self.schema, attribute)

    def may_follow(self, model: Model, attribute: Attribute) -> bool:
        """Tell whether the caller may read the target of a relation. Files need no permission."""
        return may_follow(self.ability, model, attribute)

    def follow(self, relations: int) -> None:
        """Count relations that a filter or an order follows.

        Raises ValidationError when there are too many: at once, since it bounds the work.
        """
        max_relations = self.limits.followed_relations
        if max_relations is None or self.trusted:
            return
        self.followed.count += relations
        if self.followed.count > max_relations:
            message = (
                f"Cannot filter and sort through more than {max_relations} relations "
                "(limits.followed_relations)"
            )
            raise ValidationError(message, {"source": "query", "param": self.name})

    def ignores(self, path: str) -> bool:  # noqa: ARG002 - other scopes ask for the path
        """Tell whether a part of the query on an attribute is ignored; here nothing is."""
        return False

    def may_search(self, attribute: ScalarAttribute) -> bool:
        """Tell whether full-text search includes an attribute of the root."""
        return not attribute.private and not attribute.secret

    @property
    def shows_private(self) -> bool:
        """Whether private attributes are shown."""
        return isinstance(self.ability, Unsanitized)

    def report_if_hidden(self, attribute: Attribute, path: str) -> bool:
        """Record an error for a secret or private attribute; tell whether it was one."""
        if isinstance(attribute, ScalarAttribute) and attribute.secret:
            self.report_invalid_key(attribute.name, path, Pass.SECRET)
            return True
        if attribute.private and not (self.trusted or self.shows_private):
            self.report_invalid_key(attribute.name, path, Pass.PRIVATE)
            return True
        return False


def may_follow(ability: Ability, model: Model, attribute: Attribute) -> bool:
    """Tell whether the target of a relation of a model may be read. Files need no permission."""
    if isinstance(attribute, LocalizationsAttribute):
        return can_find(ability, attribute.target)
    if not isinstance(attribute, RelationAttribute) or attribute.target is None:
        return True
    if attribute.target == ADMIN_USER_UID and _shows_creators(model, attribute):
        return True
    return can_find(ability, attribute.target)


def is_never_populated(model: Model, attribute: Attribute) -> bool:
    """Tell whether populated rows are shown to nobody, such as the users of a role."""
    return model.uid == ROLE_UID and attribute.name == "users"


def _shows_creators(model: Model, attribute: Attribute) -> bool:
    return (
        isinstance(model, ContentType)
        and model.populate_creator_fields
        and attribute.name in {"createdBy", "updatedBy"}
    )


def join_path(path: str | None, name: str) -> str:
    """Return the dotted path of an attribute below another one."""
    return name if path is None else f"{path}.{name}"


def target_model(schema: Schema, attribute: Attribute) -> Model | None:
    """Return the target model of an attribute, when it is exactly one."""
    match attribute:
        case RelationAttribute(target=str(uid)) | LocalizationsAttribute(target=uid):
            return schema.content_types[uid]
        case MediaAttribute():
            return schema.content_types[FILE_UID]
        case _:
            component = getattr(attribute, "component", None)
            return schema.components[component] if component else None
