"""Limits what a query of the content manager may read.

Administrators see private attributes too. Filters, orders and searches do not use attributes that
they may not see: as in Strapi, such a part of a query is ignored, and no response shows that it was
there.
"""

from quire.content_manager.permissions import (
    CREATOR_FIELDS,
    TypePermissions,
    may_follow,
    read_permissions,
)
from quire.errors import InvalidKeyError
from quire.query.resolve.errors import Pass
from quire.query.resolve.scope import Scope
from quire.schema.attributes.base import (
    Attribute,
    ComponentAttribute,
    MediaAttribute,
    RelationAttribute,
    ScalarAttribute,
)
from quire.schema.model import ADMIN_USER_UID, FILE_UID, USER_UID, ContentType, Model

HIDDEN: dict[str, frozenset[str]] = {
    ADMIN_USER_UID: frozenset({"resetPasswordToken", "registrationToken"}),
    USER_UID: frozenset({"resetPasswordToken", "confirmationToken", "provider"}),
    "admin::api-token": frozenset({"accessKey", "encryptedKey"}),
    "admin::transfer-token": frozenset({"accessKey"}),
    "admin::session": frozenset({"sessionId", "childId"}),
}
"""Attributes with a column that nobody is shown, besides those of secret types."""


def is_hidden(model: Model, attribute: Attribute) -> bool:
    """Tell whether responses never contain an attribute, nor anything derived from it."""
    secret = isinstance(attribute, ScalarAttribute) and attribute.secret
    return secret or attribute.name in HIDDEN.get(model.uid, ())


class ManagedScope(Scope, frozen=True, kw_only=True):
    """The scope of a query of an administrator.

    ``permissions`` are those to read the root; ``locales`` those that are read, ``None`` for every
    one. A ``trusted`` query is the server's own and may use everything.
    """

    permissions: TypePermissions
    locales: tuple[str, ...] | None = None
    trusted: bool = False

    def may_follow(self, model: Model, attribute: Attribute) -> bool:  # noqa: ARG002 - see `ignores`
        """Follow every relation that was not ignored."""
        return True

    def report_if_hidden(self, attribute: Attribute, path: str) -> bool:  # noqa: ARG002 - see `ignores`
        """Record nothing: hidden attributes are ignored."""
        return False

    def may_search(self, attribute: ScalarAttribute) -> bool:
        """Search attributes that are granted for every readable entry."""
        return not self.ignores(attribute.name)

    def report_invalid_key(self, key: str, path: str | None, pass_: Pass = Pass.UNKNOWN) -> None:
        """Record an unknown key; responses here do not name the parameter."""
        error = InvalidKeyError(key, path, source="query")
        error.details = {"key": key, "path": path}
        self.findings.add(self._keys_rank(pass_), error)

    def ignores(self, path: str) -> bool:
        """Tell whether some part of a path is hidden from the caller."""
        if self.trusted:
            return False
        permissions, walked = self.permissions, ""
        model: Model = permissions.content_type
        for name in path.split("."):
            attribute = model.attributes.get(name)
            if attribute is None:
                return False
            walked = f"{walked}.{name}" if walked else name
            if is_hidden(model, attribute) or not self._is_queryable(permissions, walked):
                return True
            if isinstance(attribute, ComponentAttribute):
                model = self.schema.components[attribute.component]
                continue
            target = self.target(attribute)
            if not isinstance(target, ContentType):
                continue
            if not self._is_target(attribute, target):
                return True
            permissions, model, walked = read_permissions(permissions.ability, target), target, ""
        return False

    def _is_target(self, attribute: Attribute, target: ContentType) -> bool:
        files = isinstance(attribute, MediaAttribute)
        return files or may_follow(self.permissions.ability, target)

    def _is_queryable(self, permissions: TypePermissions, path: str) -> bool:
        """Tell whether an attribute of a content type may be queried."""
        target = permissions.content_type
        if permissions.ability.super_admin:
            return True
        if target.uid == ADMIN_USER_UID and not permissions.ability.allows(
            permissions.action, target.uid
        ):
            return path in CREATOR_FIELDS
        if target.uid == FILE_UID and not permissions.ability.allows(
            permissions.action, target.uid
        ):
            return not isinstance(target.attributes[path.partition(".")[0]], RelationAttribute)
        if permissions is self.permissions:
            return permissions.grants_on_readable(path, self.locales)
        # Related entries are readable whatever the conditions of their own rules.
        return permissions.grants_on_all(path, self.locales)
