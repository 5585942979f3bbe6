"""Objects that the routes of releases and the scheduled jobs share."""

from msgspec import Struct

from quire.access.admin_ability import AdminAbility
from quire.clock import Clock
from quire.content_manager.releases.publication import ReleasePublication
from quire.content_manager.releases.schedule import PublicationSchedule
from quire.content_manager.releases.store import Release, ReleaseStore
from quire.content_manager.revisions import RevisionHistory, RevisionLog
from quire.database.interface import Database
from quire.database.program import Program
from quire.database.stores.quire_tables import QuireTables
from quire.database.stores.release_snapshots import ReleaseSnapshots
from quire.document_service.service import DocumentService
from quire.document_service.unit_of_work import UnitOfWork
from quire.errors import ConflictError

_EMPTY = "The release has no items"


class ReleaseParts(Struct, frozen=True, kw_only=True):
    """The parts that store, schedule and publish releases."""

    database: Database
    documents: DocumentService
    history: RevisionHistory
    releases: ReleaseStore
    tables: QuireTables
    clock: Clock

    @property
    def snapshots(self) -> ReleaseSnapshots:
        """The public state before releases were published."""
        return ReleaseSnapshots(self.documents.engine.store.writes)

    @property
    def schedule(self) -> PublicationSchedule:
        """The scheduled actions."""
        return PublicationSchedule(self.documents.engine)

    def publish(
        self, unit: UnitOfWork, ability: AdminAbility, history: RevisionLog, release_id: int
    ) -> Program[Release]:
        """Publish an open release with all of its items; returns the published release.

        Raises NotFoundError, ConflictError for one that is empty or published already, and
        ReleaseFailedError.
        """
        release = yield from self.releases.open(release_id)
        items = yield from self.releases.items(release.id)
        if not items:
            raise ConflictError(_EMPTY)
        publication = ReleasePublication(unit, ability, history)
        snapshots = yield from publication.apply(release.id, items)
        yield from self.snapshots.add(snapshots)
        yield from self.releases.finish(release, unit.tick())
        return (yield from self.releases.get(release_id))
