"""Where files are used, and which files are unused."""

from msgspec import Struct

from quire.database.entries.store import EntryStore
from quire.database.program import Program
from quire.database.stores.file_usage import FileUse, unlinked_files, uses_of_file
from quire.database.stores.files import find_files
from quire.errors import NotFoundError
from quire.uploads.file_rows import NO_SUCH_FILE

_LOOKED_AT = 50
"""How many files one search for unused ones checks."""


class UnusedFiles(Struct, frozen=True, kw_only=True):
    """Unused files; there may be more after ``after``, unless that is ``None``."""

    ids: tuple[int, ...]
    after: int | None


def usage(store: EntryStore, file_id: int) -> Program[list[FileUse]]:
    """Return where a file is used: in media attributes, and by URL in texts.

    Raises NotFoundError when there is no such file.
    """
    found = yield from find_files(store, [file_id])
    if not found:
        raise NotFoundError(NO_SUCH_FILE)
    return (yield from uses_of_file(store, found[0]))


def unused_files(store: EntryStore, *, after: int = 0, most: int = 100) -> Program[UnusedFiles]:
    """Find unused files, in the order of their ids, among those after an id.

    A search checks a bounded number of files, whatever it finds, and returns where to continue.
    """
    unused: list[int] = []
    candidates = yield from unlinked_files(store, after=after, most=_LOOKED_AT)
    for row in (yield from find_files(store, candidates)):
        uses = yield from uses_of_file(store, row)
        if not uses:
            unused.append(row.id)
        if len(unused) >= most:
            return UnusedFiles(ids=tuple(unused), after=row.id)
    last = candidates[-1] if len(candidates) == _LOOKED_AT else None
    return UnusedFiles(ids=tuple(unused), after=last)
