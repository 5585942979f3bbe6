"""The catalogue of permissions of administrators: actions, and their subjects.

Names are those in the permissions of a database. An action of the content manager has a *subject*,
a content type; all others have none.
"""

from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from quire.schema.model import ADMIN_USER_UID, USER_UID, ContentType, Schema


class PermissionSection(StrEnum):
    """The section of an action in the role editor."""

    CONTENT = "contentTypes"
    PLUGINS = "plugins"
    SETTINGS = "settings"


class AdminAction(Struct, frozen=True, kw_only=True):
    """An action that can be granted to administrators.

    ``plugin`` is the plugin that the action belongs to. ``category`` and ``sub_category`` are the
    headings of the role editor for settings and plugins. ``properties`` are the possible
    restrictions of a grant, besides conditions. With ``is_about_files`` it is about single files.
    """

    uid: str
    label: str
    section: PermissionSection
    plugin: str | None = None
    category: str | None = None
    sub_category: str = "general"
    properties: tuple[str, ...] = ()
    is_about_files: bool = False

    @property
    def takes_conditions(self) -> bool:
        """Whether conditions limit a grant: whether entries or files have a creator."""
        return self.section is PermissionSection.CONTENT or self.is_about_files


FIELDS, LOCALES = "fields", "locales"
EXPLORER = "plugin::content-manager.explorer."
CREATE, READ, UPDATE, DELETE, PUBLISH = (
    f"{EXPLORER}{verb}" for verb in ("create", "read", "update", "delete", "publish")
)
IS_CREATOR = "admin::is-creator"
HAS_SAME_ROLE = "admin::has-same-role-as-creator"
CONDITIONS: Mapping[str, str] = {
    IS_CREATOR: "Is creator",
    HAS_SAME_ROLE: "Has same role as creator",
}
"""The conditions of a grant, with their labels."""

SUPER_ADMIN_CODE = "strapi-super-admin"


def _content(uid: str, label: str, *properties: str) -> AdminAction:
    return AdminAction(
        uid=uid, label=label, section=PermissionSection.CONTENT, properties=properties
    )


def _plugin(plugin: str, name: str, label: str, sub_category: str = "general") -> AdminAction:
    return AdminAction(
        uid=f"plugin::{plugin}.{name}",
        label=label,
        section=PermissionSection.PLUGINS,
        plugin=plugin,
        sub_category=sub_category,
    )


def _file(name: str, label: str, sub_category: str = "assets") -> AdminAction:
    return replace(_plugin("upload", name, label, sub_category), is_about_files=True)


def _setting(uid: str, label: str, category: str, sub_category: str = "general") -> AdminAction:
    return AdminAction(
        uid=uid,
        label=label,
        section=PermissionSection.SETTINGS,
        category=category,
        sub_category=sub_category,
    )


_LOCALES = ("Internationalization", "Locales")
_USERS, _ROLES = ("users and roles", "users"), ("users and roles", "roles")
_END_USERS = "users-permissions"

ACTIONS: tuple[AdminAction, ...] = (
    _content(CREATE, "Create", FIELDS, LOCALES),
    _content(READ, "Read", FIELDS, LOCALES),
    _content(UPDATE, "Update", FIELDS, LOCALES),
    _content(DELETE, "Delete", LOCALES),
    _content(PUBLISH, "Publish", LOCALES),
    _plugin("content-manager", "single-types.configure-view", "Configure view", "single types"),
    _plugin(
        "content-manager", "collection-types.configure-view", "Configure view", "collection types"
    ),
    _plugin("content-manager", "components.configure-layout", "Configure Layout", "components"),
    _plugin("content-type-builder", "read", "Read"),
    _setting("plugin::email.settings.read", "Access the Email Settings page", "email"),
    _file("read", "Access the Media Library", "general"),
    _file("assets.create", "Create (upload)"),
    _file("assets.update", "Update (crop, details, replace) + delete"),
    _file("assets.download", "Download"),
    _file("assets.copy-link", "Copy link"),
    _plugin("upload", "configure-view", "Configure view"),
    _setting(
        "plugin::upload.settings.read", "Access the Media Library settings page", "media library"
    ),
    _setting("plugin::i18n.locale.create", "Create", *_LOCALES),
    _setting("plugin::i18n.locale.read", "Read", *_LOCALES),
    _setting("plugin::i18n.locale.update", "Update", *_LOCALES),
    _setting("plugin::i18n.locale.delete", "Delete", *_LOCALES),
    _plugin(_END_USERS, "roles.create", "Create", "roles"),
    _plugin(_END_USERS, "roles.read", "Read", "roles"),
    _plugin(_END_USERS, "roles.update", "Update", "roles"),
    _plugin(_END_USERS, "roles.delete", "Delete", "roles"),
    _plugin(_END_USERS, "providers.read", "Read", "providers"),
    _plugin(_END_USERS, "providers.update", "Edit", "providers"),
    _plugin(_END_USERS, "email-templates.read", "Read", "emailTemplates"),
    _plugin(_END_USERS, "email-templates.update", "Edit", "emailTemplates"),
    _plugin(_END_USERS, "advanced-settings.read", "Read", "advancedSettings"),
    _plugin(_END_USERS, "advanced-settings.update", "Edit", "advancedSettings"),
    _setting("admin::webhooks.create", "Create", "webhooks"),
    _setting("admin::webhooks.read", "Read", "webhooks"),
    _setting("admin::webhooks.update", "Update", "webhooks"),
    _setting("admin::webhooks.delete", "Delete", "webhooks"),
    _setting("admin::users.create", "Create (invite)", *_USERS),
    _setting("admin::users.read", "Read", *_USERS),
    _setting("admin::users.update", "Update", *_USERS),
    _setting("admin::users.delete", "Delete", *_USERS),
    _setting("admin::roles.create", "Create", *_ROLES),
    _setting("admin::roles.read", "Read", *_ROLES),
    _setting("admin::roles.update", "Update", *_ROLES),
    _setting("admin::roles.delete", "Delete", *_ROLES),
    _setting(
        "admin::api-tokens.access",
        "Access the API tokens settings page",
        "api tokens",
        "api Tokens",
    ),
    _setting("admin::api-tokens.create", "Create (generate)", "api tokens"),
    _setting("admin::api-tokens.read", "Read", "api tokens"),
    _setting("admin::api-tokens.update", "Update", "api tokens"),
    _setting("admin::api-tokens.regenerate", "Regenerate", "api tokens"),
    _setting("admin::api-tokens.delete", "Delete (revoke)", "api tokens"),
    _setting("admin::project-settings.update", "Update the project level settings", "project"),
    _setting("admin::project-settings.read", "Read the project level settings", "project"),
)
"""All actions. Their order and labels are those of Strapi's responses."""

_TOKEN_VERBS = ("access", "create", "read", "update", "regenerate", "delete")

UNUSED_ACTIONS: tuple[AdminAction, ...] = (
    _setting("admin::marketplace.read", "Access the marketplace", "plugins and marketplace"),
    *(_setting(f"admin::transfer.tokens.{verb}", verb, "transfer tokens") for verb in _TOKEN_VERBS),
    *(_setting(f"admin::admin-tokens.{verb}", verb, "admin tokens") for verb in _TOKEN_VERBS),
)
"""Actions of Strapi that permit nothing here.

Roles of a Strapi project have them, and role editors send back what they have read.
"""

ADMIN_ACTIONS: Mapping[str, AdminAction] = {
    action.uid: action for action in (*ACTIONS, *UNUSED_ACTIONS)
}

_HIDDEN_READABLE = (
    "plugin::upload.file",
    "plugin::upload.folder",
    "plugin::i18n.locale",
    "plugin::content-releases.release",
    "plugin::content-releases.release-action",
    "plugin::review-workflows.workflow",
    "plugin::review-workflows.workflow-stage",
    "plugin::users-permissions.permission",
    "plugin::users-permissions.role",
)
"""Types of plugins that nobody edits as content, but that may be read."""

# Strapi lists these subjects after all content types, and those above before them.
_HIDDEN_READABLE_LAST = (
    "admin::permission",
    ADMIN_USER_UID,
    "admin::role",
    "admin::api-token",
    "admin::api-token-permission",
    "admin::transfer-token",
    "admin::transfer-token-permission",
    "admin::session",
)


def is_shown(content_type: ContentType) -> bool:
    """Whether the content manager shows a type; true unless its file says otherwise."""
    options = content_type.raw.get("pluginOptions")
    manager = options.get("content-manager") if isinstance(options, dict) else None
    return not isinstance(manager, dict) or manager.get("visible") is not False


def subjects(schema: Schema) -> Iterator[ContentType]:
    """Yield the content types that can be granted to roles."""
    if USER_UID in schema.content_types:
        yield schema.content_types[USER_UID]
    for content_type in sorted(schema.api_types, key=lambda type_: type_.uid):
        if is_shown(content_type):
            yield content_type


def subjects_of(schema: Schema, action: AdminAction) -> Iterator[ContentType]:
    """Yield the subjects of an action for super admins: for reading, also types of plugins."""
    if action.section is not PermissionSection.CONTENT:
        return
    if action.uid != READ:
        yield from subjects(schema)
        return
    before = [uid for uid in _HIDDEN_READABLE if uid in schema.content_types]
    after = [uid for uid in _HIDDEN_READABLE_LAST if uid in schema.content_types]
    yield from (schema.content_types[uid] for uid in before)
    yield from subjects(schema)
    yield from (schema.content_types[uid] for uid in after)
