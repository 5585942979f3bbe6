"""Public facts for the admin UI before sign-in: whether there is an administrator, and versions."""

import sys
from collections.abc import Iterator

from msgspec import Struct

from quire.admin_api.response_types import PROJECT, SIGNING_IN, DataEnvelope, FreeObject
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.auth.admin.sign_in import AdminAccounts
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.database.interface import Database

STRAPI_VERSION = "5.54.0"
"""The version of Strapi whose admin API this one implements, for tools that check it."""


class ProjectState(Struct, rename="camel"):
    """Whether the project has an administrator."""

    uuid: bool
    has_admin: bool
    menu_logo: None
    auth_logo: None


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
    """``/admin/init``, ``/admin/information`` and ``/admin/project-type``."""

    def __init__(
        self,
        accounts: AdminAccounts,
        database: Database,
        *,
        environment: str,
        version: str,
        docs_url: str | None,
    ) -> None:
        self._accounts = accounts
        self._database = database
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
        path, response = "admin/information", DataEnvelope[ProjectFacts]
        yield RouteGroup(PROJECT)("GET", path, SIGNED_IN, self.information, response=response)

    async def init(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Tell whether there is an administrator; there is no usage tracking."""
        has_admin = await self._accounts.exist()
        return respond_data(
            {"uuid": False, "hasAdmin": has_admin, "menuLogo": None, "authLogo": None}
        )

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
