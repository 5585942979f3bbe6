"""``/admin/x/samples``: sample entries, to try out a content type."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Struct

from quire.access.admin_actions import CREATE, PUBLISH, READ
from quire.admin_api.content_manager.requested_type import permissions_of
from quire.admin_api.response_types import CREATED, EXTRAS, DataEnvelope, LocaleQuery
from quire.admin_api.responses import respond_data
from quire.admin_api.router import SIGNED_IN
from quire.clock import Clock
from quire.content_api.body_decoding import RequestBody, read_body
from quire.content_api.http_messages import Request, Response
from quire.content_api.routes import Route, RouteGroup
from quire.content_api.validators import Range
from quire.content_manager.entry_writes import EntryWriter
from quire.content_manager.permissions import TypePermissions
from quire.content_manager.publishing import EntryPublisher
from quire.content_manager.revisions import RevisionHistory
from quire.content_manager.sample_entries import SampleBatch, SampleValues
from quire.content_manager.status_and_locale import locale_of
from quire.database.program import Program
from quire.document_service.password_hashing import passwords_in
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ValidationError
from quire.schema.model import TypeKind

MAX_SAMPLES = 100
_DEFAULT_COUNT = 10
_NO_SAMPLES = "Only collection types of the project can have sample entries"
_NO_DRAFTS = "{} has no drafts: its entries are public at once"


class SampleOptions(RequestBody):
    """How many entries to create, and whether they are published."""

    count: Annotated[int, Range(1, MAX_SAMPLES)] = _DEFAULT_COUNT
    publish: bool = False


class Samples(Struct, rename="camel"):
    """The created entries."""

    count: int
    document_ids: list[str]


class SampleApi:
    """Creates sample entries."""

    def __init__(self, documents: DocumentService, history: RevisionHistory, clock: Clock) -> None:
        self._documents = documents
        self._history = history
        self._clock = clock

    def routes(self) -> Iterator[Route]:
        """Yield the route."""
        yield RouteGroup(EXTRAS)(
            "POST",
            "admin/x/samples/:uid",
            SIGNED_IN,
            self.create,
            body=SampleOptions,
            query=LocaleQuery,
            response=DataEnvelope[Samples],
            status=CREATED,
        )

    async def create(self, request: Request) -> Response:
        """Create sample entries of a content type, all or none."""
        schema = self._documents.schema
        content_type = permissions_of(schema, request, CREATE).content_type
        options = read_body(request.body, SampleOptions)
        publish = options.publish
        if publish:
            permissions_of(schema, request, PUBLISH)
        if not content_type.is_api or content_type.kind is TypeKind.SINGLE:
            raise ValidationError(_NO_SAMPLES)
        if publish and not content_type.draft_and_publish:
            raise ValidationError(_NO_DRAFTS.format(content_type.uid))
        permissions = TypePermissions(request.administrator.ability, READ, content_type)
        sample_values = SampleValues(schema, self._clock())
        batch = SampleBatch(
            bodies=tuple(
                sample_values.entry(content_type, index + 1) for index in range(options.count)
            ),
            locale=locale_of(request.query, content_type, self._documents.engine.default_locale),
            publish=publish,
        )
        history = await self._history.ready()

        def program(unit: UnitOfWork) -> Program[list[str]]:
            parts = unit, permissions, history
            return (yield from batch.program(EntryWriter(*parts), EntryPublisher(*parts)))

        document_ids = await self._documents.run(
            program,
            passwords=[
                password
                for body in batch.bodies
                for password in passwords_in(schema, content_type, body)
            ],
            editor=request.administrator.id,
            origin="admin",
        )
        return respond_data({"count": len(document_ids), "documentIds": document_ids}, CREATED)
