"""End users' roles and the options of their accounts, as administrators manage them.

The responses are those of the content API, without an envelope; permissions are checked
differently.
"""

import re
from collections.abc import Iterator, Mapping
from functools import wraps
from typing import Any

import orjson
from msgspec import Struct

from quire.access.principal import FULL_ACCESS_PRINCIPAL
from quire.admin_api.login_throttle import LoginThrottle
from quire.admin_api.response_types import END_USERS, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.admin_api.sign_in import client_address_of
from quire.auth.account_mails import EMAIL_KEY, Recovery
from quire.auth.end_user_settings import ADVANCED_KEY
from quire.content_api.body_decoding import RequestBody
from quire.content_api.end_user_roles import EMPTY_BODY, RoleApi, RoleInput
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import Handler, Request, Response
from quire.content_api.mail_routes import NOT_SENT
from quire.content_api.routes import Route, RouteGroup
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.core_store import read_setting, write_setting
from quire.errors import ApplicationError, MailError, ValidationError
from quire.mail.templates import INVALID_TEMPLATE, is_valid_template
from quire.schema.attributes.validation import not_of_type

PROVIDERS_KEY = "plugin_users-permissions_grant"
_OK_BODY = {"ok": True}
_OWNER = "plugin::users-permissions"
_BLOCK_START = re.compile(r"<%|\$\{")
_BLOCK_ENDS = {"<%": "%>", "${": "}"}


class Providers(RequestBody, forbid_unknown_fields=False):
    """The providers that end users may sign in with, by name."""

    providers: FreeObject


class MailTemplates(RequestBody, rename={"email_templates": "email-templates"}):
    """The templates of mails, by name."""

    email_templates: FreeObject


class MailTest(RequestBody, forbid_unknown_fields=False):
    """The template of a test mail."""

    template: FreeObject


class MailTestResult(Struct):
    """The recipient of the mail."""

    to: str


class EndUserApi:
    """``/users-permissions/*``."""

    def __init__(
        self,
        database: Database,
        writes: Writes,
        roles: RoleApi,
        recovery: Recovery,
        attempts: LoginThrottle,
        *,
        api_url: str,
    ) -> None:
        """``api_url`` is the URL of the content API, without a host if that is not configured."""
        self._database = database
        self._writes = writes
        self._roles = roles
        self._recovery = recovery
        self._attempts = attempts
        self._api_url = api_url

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(END_USERS, "users-permissions/")
        role_routes: tuple[tuple[str, str, str, Handler, object], ...] = (
            ("GET", "roles", "read", self._roles.list_roles, None),
            ("POST", "roles", "create", self._roles.create_role, RoleInput),
            ("GET", "roles/:id", "read", self._roles.find_role, None),
            ("PUT", "roles/:id", "update", self._roles.update_role, RoleInput),
            ("DELETE", "roles/:id", "delete", self._roles.delete_role, None),
        )
        for method, path, verb, handler, body in role_routes:
            action = f"{_OWNER}.roles.{verb}"
            yield route(
                method, path, action, _grant_full_access(handler), body=body, response=FreeObject
            )
        for path, handler in (
            ("permissions", self._roles.list_permissions),
            ("policies", self.policies),
        ):
            yield route("GET", path, SIGNED_IN, handler, response=FreeObject)
        settings_routes: tuple[tuple[str, str, Handler, Handler, object], ...] = (
            ("providers", "providers", self.providers, self.set_providers, Providers),
            (
                "email-templates",
                "email-templates",
                self.templates,
                self.set_templates,
                MailTemplates,
            ),
            ("advanced", "advanced-settings", self.advanced, self.set_advanced, FreeObject),
        )
        for path, name, read, write, body in settings_routes:
            yield route("GET", path, f"{_OWNER}.{name}.read", read, response=FreeObject)
            action = f"{_OWNER}.{name}.update"
            yield route("PUT", path, action, write, body=body, response=FreeObject)
        yield RouteGroup(END_USERS)(
            "POST",
            "admin/x/mail-test",
            f"{_OWNER}.email-templates.update",
            self.test_template,
            body=MailTest,
            response=DataEnvelope[MailTestResult],
        )

    async def policies(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """List the policies of routes: there are none."""
        return respond_bare({"policies": []})

    async def providers(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show the providers that end users may sign in with."""
        provider_settings = await self._read_setting(PROVIDERS_KEY)
        return respond_bare(
            {
                name: _add_redirect(options, f"{self._api_url}/connect/{name}/callback")
                for name, options in provider_settings.items()
            }
        )

    async def set_providers(self, request: Request) -> Response:
        """Replace the providers."""
        return await self._write(PROVIDERS_KEY, _member(request, "providers"))

    async def templates(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Show the templates of mails to end users."""
        return respond_bare(await self._read_setting(EMAIL_KEY))

    async def set_templates(self, request: Request) -> Response:
        """Replace the templates of mails. Nothing in them is ever evaluated."""
        templates = _member(request, "email-templates")
        for name, template in templates.items():
            _template_options(name, template)
        return await self._write(EMAIL_KEY, templates)

    async def test_template(self, request: Request) -> Response:
        """Send a test mail by a template to the calling administrator only.

        The template is that of the body, which need not be stored. Raises ApplicationError with the
        error of the SMTP server, and RateLimitError after too many mails.
        """
        options = _template_options("template", _member(request, "template"))
        address = request.administrator.email
        self._attempts.count("mail-test", client_address_of(request), address)
        try:
            await self._recovery.send_example("template", options, address)
        except MailError as error:
            raise ApplicationError(NOT_SENT.format(error)) from error
        return respond_data({"to": address})

    async def advanced(self, request: Request) -> Response:
        """Show how accounts are created, and their possible roles."""
        response_body: dict[str, Any] = orjson.loads((await self._roles.list_roles(request)).body)
        roles = [{**role, "locale": None} for role in response_body["roles"]]
        return respond_bare({"settings": await self._read_setting(ADVANCED_KEY), "roles": roles})

    async def set_advanced(self, request: Request) -> Response:
        """Replace the options of accounts."""
        return await self._write(ADVANCED_KEY, _body(request))

    async def _read_setting(self, key: str) -> dict[str, Any]:
        def program() -> Program[object]:
            return read_setting(self._writes, key)

        value = await self._database.read(program)
        return dict(value) if isinstance(value, Mapping) else {}

    async def _write(self, key: str, value: Mapping[str, object]) -> Response:
        await self._database.write(write_setting(self._writes, key, dict(value)))
        return respond_bare(_OK_BODY)


def _grant_full_access(handler: Handler) -> Handler:
    """Let administrators use a route of the content API, and grant every action with it."""

    @wraps(handler)
    async def handle(request: Request) -> Response:
        request.principal = FULL_ACCESS_PRINCIPAL
        return await handler(request)

    return handle


def _body(request: Request) -> Mapping[str, object]:
    body = request.body
    if not isinstance(body, Mapping) or not body:
        raise ValidationError(EMPTY_BODY)
    return body


def _member(request: Request, name: str) -> Mapping[str, object]:
    value = _body(request).get(name)
    if not isinstance(value, Mapping):
        raise ValidationError(f"{name} {not_of_type('object', value)}")
    return value


def _template_options(name: str, template: object) -> Mapping[str, object]:
    """Return the parts of a template. Raises ValidationError."""
    options = template.get("options") if isinstance(template, Mapping) else None
    if not isinstance(options, Mapping):
        raise ValidationError(f"{name} {not_of_type('object', template)}")
    for part in ("object", "message"):
        _require_sound(f"{name}.options.{part}", options.get(part))
    return options


def _require_sound(name: str, template: object) -> None:
    """Reject templates with code. Raises ValidationError."""
    if not isinstance(template, str):
        raise ValidationError(f"{name} {not_of_type('string', template)}")
    if not all(is_valid_template(block) for block in _blocks(template)):
        raise ValidationError(INVALID_TEMPLATE)


def _blocks(template: str) -> Iterator[str]:
    """Yield what could be code of a template, with its delimiters. Without an end it is text."""
    position = 0
    without_end: set[str] = set()
    for match in _BLOCK_START.finditer(template):
        start, end = match[0], _BLOCK_ENDS[match[0]]
        if match.start() < position or start in without_end:
            continue
        end_position = template.find(end, match.end())
        if end_position < 0:
            without_end.add(start)
            continue
        position = end_position + len(end)
        yield template[match.start() : position]


def _add_redirect(options: object, address: str) -> object:
    return {**options, "redirectUri": address} if isinstance(options, Mapping) else options
