"""Uploaded files: from the folder they are in, or by a link to where they are kept."""

from datetime import timedelta
from pathlib import Path

from starlette.responses import RedirectResponse, Response

from quire.api.plain_files import file_response, path_below
from quire.errors import ForbiddenError, NotFoundError
from quire.uploads.links import SignedLinks
from quire.uploads.storage import Storage
from quire.uploads.storage.opening import SERVED


class UploadedFiles:
    """Answers for paths below ``/uploads``.

    With ``links`` files are private: each path needs what opens it for a while.
    """

    def __init__(
        self, storage: Storage, folder: Path, *, links: SignedLinks | None, lifetime: timedelta
    ) -> None:
        """``folder`` is where files of this machine are."""
        self._storage = storage
        self._folder = folder
        self._links = links
        self._lifetime = lifetime

    async def respond(self, relative: str, raw_query: bytes) -> Response:
        """Return a file, or lead to it.

        Raises ForbiddenError for a link that does not open it (any more), or a path that leads out;
        NotFoundError for what is not there.
        """
        key = "/".join(path_below(relative))
        if self._links is not None and not self._links.opens(f"{SERVED}/{key}", raw_query):
            raise ForbiddenError
        link = await self._storage.link(key, self._lifetime)
        if link is None:
            response = file_response(self._folder, relative, sandboxed=True)
        else:
            response = RedirectResponse(link, 302)
            response.headers["cache-control"] = "no-store"
        if self._links is not None:
            response.headers["cache-control"] = "private, max-age=0"
        return response

    def require_elsewhere(self, path: Path) -> None:
        """Refuse uploads by another path than that which guards them. Raises NotFoundError."""
        try:
            inside = path.resolve().is_relative_to(self._folder.resolve())
        except OSError:
            inside = True
        if inside:
            raise NotFoundError
