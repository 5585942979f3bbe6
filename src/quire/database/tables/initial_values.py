"""The default settings, roles and permissions of a new database.

Values only; `initial_rows` writes them. Keys, codes and action names are those that Strapi reads;
texts for people (descriptions, e-mails) are Quire's own.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from quire.access.admin_actions import is_shown
from quire.schema.attributes.base import ComponentAttribute
from quire.schema.model import ContentType, Model, Schema


class EndUserRole(Struct, frozen=True):
    """A role of end users; ``actions`` are granted to it."""

    type: str
    name: str
    description: str
    actions: tuple[str, ...]


class InitialAdminRole(Struct, frozen=True):
    """A role of administrators."""

    code: str
    name: str
    description: str


class InitialAdminPermission(Struct, frozen=True, kw_only=True):
    """One action of an administrator role, on one content type or on none."""

    role: str
    action: str
    subject: str | None = None
    properties: Mapping[str, object] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()


_AUTH = "plugin::users-permissions.auth."

END_USER_ROLES = (
    EndUserRole(
        "authenticated",
        "Authenticated",
        "What everybody who is signed in may do.",
        (
            f"{_AUTH}logout",
            f"{_AUTH}getSessions",
            f"{_AUTH}revokeSession",
            "plugin::users-permissions.user.me",
            f"{_AUTH}changePassword",
        ),
    ),
    EndUserRole(
        "public",
        "Public",
        "What everybody may do without signing in.",
        (
            f"{_AUTH}callback",
            f"{_AUTH}connect",
            f"{_AUTH}forgotPassword",
            f"{_AUTH}resetPassword",
            f"{_AUTH}register",
            f"{_AUTH}emailConfirmation",
            f"{_AUTH}sendEmailConfirmation",
            f"{_AUTH}refresh",
        ),
    ),
)

SUPER_ADMIN, EDITOR, AUTHOR = "strapi-super-admin", "strapi-editor", "strapi-author"

ADMIN_ROLES = (
    InitialAdminRole(
        SUPER_ADMIN, "Super Admin", "May do everything, and make other administrators."
    ),
    InitialAdminRole(EDITOR, "Editor", "May edit and publish the content of everybody."),
    InitialAdminRole(AUTHOR, "Author", "May edit the content that they made themselves."),
)

_EXPLORER = "plugin::content-manager.explorer."
_IS_CREATOR = "admin::is-creator"
_UPLOADS = (
    "plugin::upload.read",
    "plugin::upload.configure-view",
    "plugin::upload.assets.create",
    "plugin::upload.assets.update",
    "plugin::upload.assets.download",
    "plugin::upload.assets.copy-link",
)
_OWN_UPLOADS = frozenset({"plugin::upload.read", "plugin::upload.assets.update"})
"""Actions that authors may do only with files that they uploaded themselves."""


def admin_permissions(schema: Schema, locales: Sequence[str]) -> Iterator[InitialAdminPermission]:
    """Yield the permissions of editors and authors in a new project with these locales.

    Those of super admins are computed at every start.
    """
    verbs = ("create", "read", "update", "delete", "publish")
    yield from _content_permissions(schema, EDITOR, verbs, locales, conditions=())
    for action in _UPLOADS:
        yield InitialAdminPermission(role=EDITOR, action=action)
    yield from _content_permissions(schema, AUTHOR, verbs[:-1], locales, conditions=(_IS_CREATOR,))
    for action in _UPLOADS:
        conditions = (_IS_CREATOR,) if action in _OWN_UPLOADS else ()
        yield InitialAdminPermission(role=AUTHOR, action=action, conditions=conditions)


def permission_fields(schema: Schema, content_type: ContentType) -> list[str]:
    """List the fields that a permission can name: ``title``, ``seo.metaTitle``.

    Components stand for their fields; fields that nobody edits (ids, times, creators, locale) are
    left out.
    """
    return _fields(schema, content_type, prefix="", parent_uids=frozenset())


def _content_permissions(
    schema: Schema,
    role: str,
    verbs: Sequence[str],
    locales: Sequence[str],
    *,
    conditions: tuple[str, ...],
) -> Iterator[InitialAdminPermission]:
    subjects = [content_type for content_type in schema.api_types if is_shown(content_type)]
    for verb in verbs:
        for subject in subjects:
            properties: dict[str, object] = {}
            if verb in {"create", "read", "update"}:
                properties["fields"] = permission_fields(schema, subject)
            if subject.localized:
                properties["locales"] = list(locales)
            yield InitialAdminPermission(
                role=role,
                action=_EXPLORER + verb,
                subject=subject.uid,
                properties=properties,
                conditions=conditions,
            )


def _fields(schema: Schema, model: Model, *, prefix: str, parent_uids: frozenset[str]) -> list[str]:
    """List the fields of a model; a component that contains itself is not repeated."""
    fields: list[str] = []
    for attribute in model.attributes.values():
        if attribute.name in {"id", "documentId"} or not attribute.visible:
            continue
        path = f"{prefix}{attribute.name}"
        inner: list[str] = []
        if isinstance(attribute, ComponentAttribute) and attribute.component not in parent_uids:
            uid = attribute.component
            inner = _fields(
                schema, schema.components[uid], prefix=f"{path}.", parent_uids=parent_uids | {uid}
            )
        fields += inner or [path]
    return fields


def core_settings(*, locale: str, api_prefix: str) -> Mapping[str, object]:
    """Return the settings of a new database by their key in the store; values are JSON.

    ``api_prefix`` is the path of the content API without slashes at its ends: ``api``.
    """
    return {
        "strapi_unidirectional-join-table-repair-ran": True,
        "plugin_upload_settings": {
            "sizeOptimization": True,
            "responsiveDimensions": True,
            "autoOrientation": False,
            "aiMetadata": True,
        },
        "plugin_upload_view_configuration": {"pageSize": 10, "sort": "createdAt:DESC"},
        "plugin_i18n_default_locale": locale,
        "plugin_users-permissions_grant": _providers(api_prefix),
        "plugin_users-permissions_email": _EMAILS,
        "plugin_users-permissions_advanced": {
            "unique_email": True,
            "allow_register": True,
            "email_confirmation": False,
            "email_reset_password": None,
            "email_confirmation_redirection": None,
            "default_role": "authenticated",
        },
        "core_admin_auth": {
            "providers": {"autoRegister": False, "defaultRole": None, "ssoLockedRoles": None}
        },
    }


_SENDER = {"name": "", "email": "no-reply@example.com"}

_EMAILS: Mapping[str, object] = {
    "reset_password": {
        "display": "Email.template.reset_password",
        "icon": "sync",
        "options": {
            "from": _SENDER,
            "response_email": "",
            "object": "Choose a new password",
            "message": (
                "<p>Somebody, most likely you, asked for a new password for your account.</p>\n\n"
                "<p>Choose it here: <%= URL %>?code=<%= TOKEN %></p>\n\n"
                "<p>If it was not you, there is nothing to do: the old password stays valid.</p>"
            ),
        },
    },
    "email_confirmation": {
        "display": "Email.template.email_confirmation",
        "icon": "check-square",
        "options": {
            "from": _SENDER,
            "response_email": "",
            "object": "Confirm your e-mail address",
            "message": (
                "<p>Welcome! One step is left: tell us that this address is yours.</p>\n\n"
                "<p>Confirm it here: <%= URL %>?confirmation=<%= CODE %></p>"
            ),
        },
    },
}
"""The names between ``<%=`` and ``%>`` are replaced when a mail is sent."""


class _Provider(Struct, frozen=True):
    """A sign-in provider; all are disabled in a new database."""

    icon: str
    scope: tuple[str, ...] | None
    subdomain: str | None = None
    callback_key: str = "callbackUrl"


_PROVIDERS: Mapping[str, _Provider] = {
    "discord": _Provider("discord", ("identify", "email")),
    "facebook": _Provider("facebook-square", ("email",)),
    "google": _Provider("google", ("email",)),
    "github": _Provider("github", ("user", "user:email")),
    "microsoft": _Provider("windows", ("user.read",)),
    "twitter": _Provider("twitter", None),
    "instagram": _Provider("instagram", ("user_profile",)),
    "vk": _Provider("vk", ("email",)),
    "twitch": _Provider("twitch", ("user:read:email",)),
    "linkedin": _Provider("linkedin", ("r_liteprofile", "r_emailaddress")),
    "cognito": _Provider("aws", ("email", "openid", "profile"), "my.subdomain.com", "callback"),
    "reddit": _Provider("reddit", ("identity",), None, "callback"),
    "auth0": _Provider("", ("openid", "email", "profile"), "my-tenant.eu", "callback"),
    "cas": _Provider("book", ("openid email",), "my.subdomain.com/cas", "callback"),
    "patreon": _Provider("", ("identity", "identity[email]"), None, "callback"),
    "keycloak": _Provider(
        "", ("openid", "email", "profile"), "myKeycloakProvider.com/realms/myrealm", "callback"
    ),
}


def _providers(api_prefix: str) -> dict[str, object]:
    settings: dict[str, object] = {"email": {"icon": "envelope", "enabled": True}}
    for name, provider in _PROVIDERS.items():
        entry: dict[str, object] = {
            "icon": provider.icon,
            "enabled": False,
            "key": "",
            "secret": "",
            provider.callback_key: f"{api_prefix}/auth/{name}/callback",
        }
        if provider.scope is not None:
            entry["scope"] = list(provider.scope)
        if provider.subdomain is not None:
            entry["subdomain"] = provider.subdomain
        settings[name] = entry
    return settings
