"""Where files are used, and which are not: asked before something is deleted."""

from quire.database.content.store import Store
from quire.database.library.files import find_files
from quire.database.library.usage import Use, unlinked_files, uses_of_file
from quire.database.program import Program
from quire.errors import NotFoundError
from quire.uploads.records import NO_SUCH_FILE

_LOOKED_AT = 200
"""Files that one question about unused ones looks at."""


def usage(store: Store, file_id: int) -> Program[list[Use]]:
    """Return where a file is used: in media attributes, and by name in texts.

    Raises NotFoundError when there is no such file.
    """
    found = yield from find_files(store, [file_id])
    if not found:
        raise NotFoundError(NO_SUCH_FILE)
    return (yield from uses_of_file(store, found[0]))


def unused_files(store: Store, *, after: int = 0, most: int = 100) -> Program[list[int]]:
    """Return ids of files that nothing uses, in order, those after an id.

    There may be more where as many as ``most`` are returned, or where none are: a question looks at
    a bounded number of files, whatever it finds.
    """
    unused: list[int] = []
    candidates = yield from unlinked_files(store, after=after, most=_LOOKED_AT)
    for row in (yield from find_files(store, candidates)):
        uses = yield from uses_of_file(store, row)
        if not uses:
            unused.append(row.id)
        if len(unused) >= most:
            break
    return unused
