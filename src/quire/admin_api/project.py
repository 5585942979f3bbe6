"""Public facts for the admin UI before sign-in: whether there is an administrator, and versions."""

import sys
from collections.abc import Iterator

from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.auth.admin.accounts import AdminAccounts
from quire.content_api.messages import Request, Response
from quire.content_api.routes import Route
from quire.database.connection import Database

SPEAKS = "5.54.0"
"""The version of Strapi whose admin API this one speaks, for tools that look at it."""


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
        for path, action, handler in (
            ("admin/init", None, self.init),
            ("admin/project-type", None, self.project_type),
            ("admin/information", SIGNED_IN, self.information),
        ):
            yield Route(method="GET", path=path, action=action, handler=handler)

    async def init(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Tell whether there is an administrator; nothing here counts who uses it."""
        has_admin = await self._accounts.exist()
        return respond_data(
            {"uuid": False, "hasAdmin": has_admin, "menuLogo": None, "authLogo": None}
        )

    async def project_type(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Say that there is one edition only, with everything in it."""
        return respond_data({"isEE": False, "features": []})

    async def information(self, request: Request) -> Response:  # noqa: ARG002 - a handler
        """Tell administrators what runs here."""
        return respond_data(
            {
                "currentEnvironment": self._environment,
                "autoReload": False,
                "strapiVersion": SPEAKS,
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
