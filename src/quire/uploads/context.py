"""Objects that all parts of the media library share, independent of the schema."""

from msgspec import Struct

from quire.database.stores.leases import Leases
from quire.uploads.image_workers import REPLACEMENT_FOLDER, ImageWorkers
from quire.uploads.replacement import Replacements
from quire.uploads.signed_links import SignedLinks
from quire.uploads.storage import Storage
from quire.uploads.storage.local import LocalStorage


class UploadContext(Struct, frozen=True, kw_only=True):
    """One context per server, shared by all code that works on files.

    ``former_storage`` is the local folder if files are stored elsewhere: it has the files that were
    stored before. ``links`` signs the URLs of private files; without it files are public.
    ``leases`` coordinate several machines.
    """

    storage: Storage
    former_storage: LocalStorage | None = None
    image_workers: ImageWorkers
    links: SignedLinks | None = None
    leases: Leases | None = None

    @property
    def replacements(self) -> Replacements:
        """The running replacements."""
        return Replacements(
            self.image_workers.folder / REPLACEMENT_FOLDER, self.storage, self.leases
        )

    def close(self) -> None:
        """Wait for running work, and accept no more."""
        self.image_workers.close()
