"""Serves uploaded files: from their folder, or by redirect to the storage."""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from starlette.responses import FileResponse, RedirectResponse, Response

from quire.content_api.file_parts import part_response, requested_part
from quire.content_api.static_files import file_response, path_below, set_file_headers
from quire.errors import ForbiddenError, NotFoundError
from quire.uploads.signed_links import SignedLinks
from quire.uploads.storage import Storage
from quire.uploads.storage.custom import CustomStorage
from quire.uploads.storage.local import LOCAL
from quire.uploads.storage.open import UPLOADS_PATH
from quire.uploads.transform_cache import TransformCache
from quire.uploads.transforms import TransformRules, parse_transform

_TRANSFORM_PREFIX = "x/"
_REDIRECT = 302
_CACHE_FOREVER = "public, max-age=31536000, immutable"
"""For URLs with a version, which change when the file is replaced."""


class UploadedFiles:
    """Handles paths below ``/uploads``.

    With ``links`` files are private: each path needs a valid signature.
    """

    def __init__(
        self,
        storage: Storage,
        folder: Path,
        transform_cache: TransformCache,
        rules: TransformRules,
        *,
        links: SignedLinks | None,
        lifetime: timedelta,
        pdf_policy: str,
    ) -> None:
        """``folder`` has the files of this machine; see `file_response` for ``pdf_policy``."""
        self._transform_cache = transform_cache
        self._rules = rules
        self._storage = storage
        self._folder = folder
        self._links = links
        self._lifetime = lifetime
        self._pdf_policy = pdf_policy

    async def respond(
        self, relative: str, raw_query: bytes, headers: Mapping[bytes, bytes]
    ) -> Response:
        """Return a file or the part of it that ``headers`` request, or redirect to it.

        Raises ForbiddenError for an invalid or expired signature, or a path outside; NotFoundError
        for a missing file.
        """
        is_transformed = relative.startswith(_TRANSFORM_PREFIX)
        key = "/".join(
            path_below(relative.removeprefix(_TRANSFORM_PREFIX) if is_transformed else relative)
        )
        if self._links is not None and not self._links.opens(f"{UPLOADS_PATH}/{key}", raw_query):
            raise ForbiddenError
        if is_transformed:
            response = await self._transform_response(key, raw_query)
        else:
            response = await self._original_response(key, headers)
        if response.status_code == _REDIRECT:
            return response
        if self._links is not None:
            response.headers["cache-control"] = "private, max-age=0"
        elif _names_version(raw_query):
            response.headers["cache-control"] = _CACHE_FOREVER
        return response

    async def _original_response(self, key: str, headers: Mapping[bytes, bytes]) -> Response:
        if self._storage.provider != LOCAL and await asyncio.to_thread(self._is_in_folder, key):
            # Stored before the project changed to its present storage. Strapi serves them as well.
            return self._folder_response(key)
        link = await self._storage.link(key, self._lifetime)
        if link is None and self._storage.provider != LOCAL:
            return await self._copy_response(key, headers)
        if link is None:
            return self._folder_response(key)
        response = RedirectResponse(link, _REDIRECT)
        response.headers["cache-control"] = "no-store"
        return response

    def _is_in_folder(self, key: str) -> bool:
        return self._folder.joinpath(key).is_file()

    def _folder_response(self, key: str) -> Response:
        return file_response(self._folder, key, sandboxed=True, pdf_policy=self._pdf_policy)

    async def _copy_response(self, key: str, headers: Mapping[bytes, bytes]) -> Response:
        """Send a file whose storage has no address for it. Raises NotFoundError.

        Files are sent from copies of this server; for a part of a file that has no copy yet, only
        the part is read, if the storage can do that.
        """
        copy = await self._transform_cache.original(key)
        tag = f'"{copy.name}"'
        if not copy.exists and isinstance(self._storage, CustomStorage) and b"range" in headers:
            size = await self._storage.size(key)
            part = None if size is None else requested_part(headers, tag=tag, size=size)
            if size is not None and part is not None:
                pieces = self._storage.part(key, part)
                response = await part_response(key, pieces, part, tag=tag, size=size)
                set_file_headers(response, sandboxed=True, pdf_policy=self._pdf_policy)
                return response
        path = await self._transform_cache.copied(key, copy)
        response = file_response(
            path.parent, path.name, sandboxed=True, pdf_policy=self._pdf_policy
        )
        response.headers["etag"] = tag
        return response

    async def _transform_response(self, key: str, raw_query: bytes) -> Response:
        """Return an image as the query requests it.

        Raises as `parse_transform` and `TransformCache.picture`.
        """
        transform = parse_transform(
            f"{UPLOADS_PATH}/{_TRANSFORM_PREFIX}{key}", raw_query, self._rules
        )
        picture = await self._transform_cache.picture(key, transform)
        response = FileResponse(
            picture.path, media_type=picture.type, stat_result=picture.path.stat()
        )
        response.headers["cache-control"] = "max-age=0"
        return response

    def require_elsewhere(self, path: Path) -> None:
        """Reject access to uploads by another path than the guarded one. Raises NotFoundError."""
        try:
            is_upload = path.resolve().is_relative_to(self._folder.resolve())
        except OSError:
            is_upload = True
        if is_upload:
            raise NotFoundError


def _names_version(raw_query: bytes) -> bool:
    return any(part.startswith(b"v=") and len(part) > 2 for part in raw_query.split(b"&"))
