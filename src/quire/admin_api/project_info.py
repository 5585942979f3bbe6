"""Public facts for the admin UI before sign-in: whether there is an administrator, and versions."""

import sys
from collections.abc import Iterator

from msgspec import Struct

from quire.admin_api.response_types import PROJECT, SIGNING_IN, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.auth.admin.sign_in import AdminAccounts
from quire.content_api.envelope import respond_bare
from quire.content_api.http_messages import NO_CONTENT, Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.database.compile.writes import Writes
from quire.database.interface import Database
from quire.database.stores.core_store import read_setting

STRAPI_VERSION = "5.54.0"
"""The version of Strapi whose admin API this one implements, for tools that check it."""


_LOGOS_KEY = "core_admin_project-settings"
_LOGO_FIELDS = ("name", "url", "width", "height", "ext", "size")


class ProjectState(Struct, rename="camel"):
    """Whether the project has an administrator."""

    uuid: bool
    has_admin: bool
    menu_logo: str | None
    auth_logo: str | None


class ProjectLogos(Struct, rename="camel"):
    """The logos that were chosen in the admin panel of Strapi."""

    menu_logo: FreeObject | None
    auth_logo: FreeObject | None


class ProjectEdition(Struct):
    """The edition; there is only one."""

    isEE: bool  # noqa: N815 - it is called so
    features: list[str]


class ProjectFacts(Struct, rename="camel"):
    """Versions and features of the server."""

    current_environment: str
    auto_reload: bool
    strapi_version: str
    dependencies: FreeObject
    project_id: None
    node_version: None
    community_edition: bool
    use_yarn: bool
    docs_url: str | None
    quire_version: str
    python_version: str
    database: str


class ProjectApi:
    """``/admin/init``, ``information``, ``project-type``, ``project-settings``, ``telemetry-…``."""

    def __init__(
        self,
        accounts: AdminAccounts,
        database: Database,
        writes: Writes,
        *,
        environment: str,
        version: str,
        docs_url: str | None,
    ) -> None:
        self._accounts = accounts
        self._database = database
        self._writes = writes
        self._environment = environment
        self._version = version
        self._docs_url = docs_url

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(SIGNING_IN, "admin/")
        yield route("GET", "init", None, self.init, response=DataEnvelope[ProjectState])
        yield route(
            "GET", "project-type", None, self.project_type, response=DataEnvelope[ProjectEdition]
        )
        route, response = RouteGroup(PROJECT, "admin/"), DataEnvelope[ProjectFacts]
        yield route("GET", "information", SIGNED_IN, self.information, response=response)
        yield route("GET", "project-settings", SIGNED_IN, self.logos, response=ProjectLogos)
        path, status = "telemetry-properties", NO_CONTENT.status
        yield route("GET", path, SIGNED_IN, self.telemetry, response=None, status=status)

    async def init(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Tell whether there is an administrator; there is no usage tracking."""
        has_admin, logos = await self._accounts.exist(), await self._logos()
        urls = {name: None if logo is None else logo.get("url") for name, logo in logos.items()}
        return respond_data({"uuid": False, "hasAdmin": has_admin, **urls})

    async def project_type(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Return the only edition, with all features."""
        return respond_data({"isEE": False, "features": []})

    async def information(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Return versions and features to administrators."""
        return respond_data(
            {
                "currentEnvironment": self._environment,
                "autoReload": False,
                "strapiVersion": STRAPI_VERSION,
                "dependencies": {},
                "projectId": None,
                "nodeVersion": None,
                "communityEdition": True,
                "useYarn": False,
                "docsUrl": self._docs_url,
                "quireVersion": self._version,
                "pythonVersion": ".".join(map(str, sys.version_info[:3])),
                "database": self._database.dialect.name,
            }
        )

    async def logos(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Return the stored logos."""
        return respond_bare(await self._logos())

    async def telemetry(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Respond with nothing, as Strapi with telemetry turned off."""
        return NO_CONTENT

    async def _logos(self) -> dict[str, dict[str, object] | None]:
        """Return the logos as Strapi stored them, by name."""
        stored = await self._database.read(lambda: read_setting(self._writes, _LOGOS_KEY))
        settings = stored if isinstance(stored, dict) else {}
        return {name: _describe_logo(settings.get(name)) for name in ("menuLogo", "authLogo")}


def _describe_logo(logo: object) -> dict[str, object] | None:
    if not isinstance(logo, dict):
        return None
    return {name: logo[name] for name in _LOGO_FIELDS if name in logo}
