"""How many documents of each localized content type exist in each locale."""

from collections.abc import Iterator

from msgspec import Struct

from quire.admin_api.content_manager.requested_type import permissions_of
from quire.admin_api.response_types import EXTRAS, DataEnvelope
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_manager.locales import LocaleStore
from quire.content_manager.permissions import TypePermissions, read_permissions
from quire.content_manager.read_plans import Planner
from quire.content_manager.recent_changes import managed_types
from quire.database.interface import Database
from quire.database.program import Program
from quire.document_service.unit_of_work import WriteEngine
from quire.errors import NotFoundError
from quire.query.plan import Status

Coverage = dict[str, object]


class LocaleCount(Struct):
    """How many documents exist in a locale, and how many of them are published."""

    locale: str
    documents: int
    published: int


class LocaleCoverage(Struct, rename="camel"):
    """How many documents a content type has, in all locales together and in each."""

    uid: str
    display_name: str
    kind: str
    documents: int
    locales: list[LocaleCount]


class LocaleCoverageApi:
    """``GET /admin/x/locale-coverage``, of all content types or of one."""

    def __init__(self, database: Database, engine: WriteEngine, locales: LocaleStore) -> None:
        self._database = database
        self._engine = engine
        self._locales = locales

    def routes(self) -> Iterator[Route]:
        """Yield the routes."""
        route = RouteGroup(EXTRAS, "admin/x/locale-coverage")
        yield route("GET", "", SIGNED_IN, self.find, response=DataEnvelope[list[LocaleCoverage]])
        yield route("GET", "/:uid", SIGNED_IN, self.find_one, response=DataEnvelope[LocaleCoverage])

    async def find(self, request: Request) -> Response:
        """Count the documents of each localized type that the caller may read."""
        ability = request.administrator.ability

        def program() -> Program[list[Coverage]]:
            codes = yield from self._codes()
            coverages = []
            for content_type in managed_types(self._engine.schema, ability):
                if content_type.localized:
                    permissions = read_permissions(ability, content_type)
                    coverages.append((yield from self._coverage(permissions, codes)))
            return coverages

        return respond_data(await self._database.read(program, snapshot=True))

    async def find_one(self, request: Request) -> Response:
        """Count the documents of one type. Raises NotFoundError for one without locales."""
        permissions = permissions_of(self._engine.schema, request)
        if not permissions.content_type.localized:
            raise NotFoundError

        def program() -> Program[Coverage]:
            return (yield from self._coverage(permissions, (yield from self._codes())))

        return respond_data(await self._database.read(program, snapshot=True))

    def _codes(self) -> Program[list[str]]:
        return [str(locale.row.code) for locale in (yield from self._locales.all())]

    def _coverage(self, permissions: TypePermissions, codes: list[str]) -> Program[Coverage]:
        """Count documents in all locales together, and in each that the caller may read."""
        content_type = permissions.content_type
        locales = []
        for code in codes:
            if permissions.rules((code,)):
                documents = yield from self._count(permissions, "draft", code)
                published = yield from self._count(permissions, "published", code)
                locales.append({"locale": code, "documents": documents, "published": published})
        return {
            "uid": content_type.uid,
            "displayName": content_type.display_name,
            "kind": content_type.kind.value,
            "documents": (yield from self._count(permissions, "draft", None)),
            "locales": locales,
        }

    def _count(
        self, permissions: TypePermissions, status: Status, locale: str | None
    ) -> Program[int]:
        planned_count = Planner(self._engine).count(permissions, status=status, locale=locale)
        _, total = yield from planned_count.entries()
        return total or 0
