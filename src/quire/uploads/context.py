"""What all parts of the media library share, independent of the schema."""

from msgspec import Struct

from quire.database.stores.leases import Leases
from quire.uploads.image_workers import WAITING, ImageWorkers
from quire.uploads.replacement import Replacements
from quire.uploads.signed_links import SignedLinks
from quire.uploads.storage import Storage


class UploadContext(Struct, frozen=True, kw_only=True):
    """One for each server, shared by all that work on files.

    ``links`` are what private files are told by; without it files are for everybody. ``leases``
    keep several machines apart.
    """

    storage: Storage
    image_workers: ImageWorkers
    links: SignedLinks | None = None
    leases: Leases | None = None

    @property
    def replacements(self) -> Replacements:
        """What is under way of replacements."""
        return Replacements(self.image_workers.folder / WAITING, self.storage, self.leases)

    def close(self) -> None:
        """Let work that is under way finish, and take no more."""
        self.image_workers.close()
