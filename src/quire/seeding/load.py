"""Loads content files and validates their documents, or reports all their problems.

This module checks the structure of documents: locales, statuses, and the place of each value.
`entries` checks the values of each entry.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from msgspec import Struct

from quire.access.actions import all_actions
from quire.schema.attributes.base import RelationAttribute
from quire.schema.model import ContentType, Schema, TypeKind
from quire.seeding.content_files import (
    ContentFiles,
    DocumentItem,
    DocumentsItem,
    ManifestFile,
    MediaItem,
)
from quire.seeding.references import references
from quire.seeding.seed_values import (
    MANIFEST,
    MEDIA_FOLDER,
    Content,
    ContentError,
    ContentProblem,
    Locale,
    SeedDocument,
    SeedMediaFile,
    Status,
)
from quire.seeding.source_position import DocumentSource
from quire.seeding.validate_entries import EntryCheck, KnownTargets, PathProblem


class DocumentCheck:
    """Checks documents, one after the other, and remembers unique values."""

    def __init__(self, known_targets: KnownTargets) -> None:
        """``known_targets`` are the targets that values may refer to."""
        self._known = known_targets
        self._entries = EntryCheck(known_targets)

    def problems(self, source: DocumentSource) -> Iterator[ContentProblem]:
        """List every error of one document."""
        frame_problems = [*_frame_problems(self._known, source)]
        problems = frame_problems or [*_placement_problems(source), *self._value_problems(source)]
        for path, message in dict.fromkeys(problems):
            yield ContentProblem(source.file, path, message)

    def _value_problems(self, source: DocumentSource) -> Iterator[PathProblem]:
        for version in source.document().versions:
            if version.published is not None:
                yield from self._entries.problems(source, version, version.published, draft=False)
            # The draft of an unmodified published entry has no other errors.
            if version.draft is not None and version.status is not Status.PUBLISHED:
                yield from self._entries.problems(source, version, version.draft, draft=True)


def _frame_problems(known_targets: KnownTargets, source: DocumentSource) -> Iterator[PathProblem]:
    """Check locales and statuses."""
    content_type, item = source.content_type, source.item
    if not content_type.localized and item.locales is not None:
        yield source.json_path("locales"), f"{content_type.uid} is not localized"
        return
    if content_type.localized and not item.locales:
        yield (
            source.json_path("locales"),
            f"{content_type.uid} is localized: name at least one locale",
        )
        return
    if content_type.localized and item.draft:
        yield source.json_path("draft"), "belongs into a locale"
    for locale, version in source.items().items():
        prefix = "" if locale is None else f"locales.{locale}."
        if locale is not None and locale not in known_targets.locales:
            yield source.json_path(f"locales.{locale}"), "is not in the manifest"
        status = version.status or item.status
        message = _status_problem(content_type, status, has_changes=bool(version.draft))
        if message is not None:
            yield source.json_path(f"{prefix}status"), message
        repeated_names = sorted(item.data.keys() & version.data.keys())
        for name in repeated_names if locale is not None else ():
            yield source.json_path(f"{prefix}data.{name}"), "is in the data of the document, too"


def _status_problem(
    content_type: ContentType, status: Status | None, *, has_changes: bool
) -> str | None:
    if not content_type.draft_and_publish:
        if status is not None:
            return f"{content_type.uid} is without draft & publish"
        return "only a modified version has changes in draft" if has_changes else None
    if status is None:
        return f"expected one of {', '.join(Status)}"
    if (status is Status.MODIFIED) != has_changes:
        return "a modified version, and no other, has changes in draft"
    return None


def _placement_problems(source: DocumentSource) -> Iterator[PathProblem]:
    """Check that shared values are in the document, and the others in a locale."""
    if not source.content_type.localized:
        return
    for name in source.item.data:
        attribute = source.content_type.attributes.get(name)
        is_shared = not source.belongs_to_locale(name) or isinstance(attribute, RelationAttribute)
        if not is_shared:
            yield source.json_path(f"data.{name}"), "is localized: it belongs into the locales"
    for locale, version in source.items().items():
        for part, values in (("data", version.data), ("draft", version.draft)):
            for name in values:
                if name in source.content_type.attributes and not source.belongs_to_locale(name):
                    path = source.json_path(f"locales.{locale}.{part}.{name}")
                    yield path, "is not localized: it belongs into the data of the document"


def read_content(folder: Path, schema: Schema) -> Content:
    """Read and check the content files in a folder against a schema.

    Raises ContentError with every error.
    """
    files = ContentFiles(folder)
    manifest = files.decode_object(MANIFEST, ManifestFile)
    if manifest is None:
        raise ContentError(files.problems)
    reader = _Reader(files=files, schema=schema, manifest=manifest)
    content = reader.content()
    if files.problems:
        raise ContentError(sorted(set(files.problems)))
    return content


class _Reader(Struct, frozen=True, kw_only=True):
    files: ContentFiles
    schema: Schema
    manifest: ManifestFile

    def content(self) -> Content:
        """Read everything; errors are recorded in ``files``."""
        locales = self._locales()
        media = self._media()
        groups = [self._group(position) for position in range(len(self.manifest.documents))]
        sources = [source for group in groups for source in group]
        self._check(sources, locales, media)
        self._check_public()
        documents = [document for group in groups for document in self._sort_documents(group)]
        return Content(
            locales=locales,
            media=media,
            documents=tuple(documents),
            public=tuple(dict.fromkeys(self.manifest.public)),
        )

    def _default_locale(self) -> str | None:
        return next((locale.code for locale in self.manifest.locales if locale.default), None)

    def _locales(self) -> tuple[Locale, ...]:
        locales = self.manifest.locales
        for code, count in Counter(item.code for item in locales).items():
            if count > 1:
                self.files.problem(MANIFEST, "locales", f"{code} is listed twice")
        if sum(item.default for item in locales) != 1:
            self.files.problem(MANIFEST, "locales", "exactly one locale must be the default")
        sorted_locales = sorted(locales, key=lambda item: not item.default)
        return tuple(Locale(item.code, item.name) for item in sorted_locales)

    def _media(self) -> tuple[SeedMediaFile, ...]:
        file = self.manifest.media
        if file is None:
            return ()
        media_files: dict[str, SeedMediaFile] = {}
        for path, item in self.files.decode_all(file, MediaItem):
            for message in self._media_problems(item, media_files):
                self.files.problem(file, f"{path}.file", message)
            media_files[item.file] = SeedMediaFile(
                name=item.file,
                path=self.files.folder / MEDIA_FOLDER / item.file,
                alternative_text=item.alternative_text,
                caption=item.caption,
            )
        return tuple(media_files.values())

    def _media_problems(self, item: MediaItem, files: Mapping[str, SeedMediaFile]) -> Iterator[str]:
        if item.file in files:
            yield f"{item.file} is listed twice"
        if Path(item.file).name != item.file or item.file.startswith("."):
            yield f"{item.file} is not the name of a file in {MEDIA_FOLDER}/"
        elif not (self.files.folder / MEDIA_FOLDER / item.file).is_file():
            yield f"there is no file {MEDIA_FOLDER}/{item.file}"

    def _group(self, position: int) -> list[DocumentSource]:
        """Read the documents of one group of the manifest, in the order of its files."""
        group, path = self.manifest.documents[position], f"documents[{position}]"
        content_type = self.schema.content_types.get(group.content_type)
        if content_type is None or not content_type.is_api:
            message = f"the project has no content type {group.content_type}"
            self.files.problem(MANIFEST, f"{path}.contentType", message)
            return []
        if group.content_type in [
            previous_group.content_type for previous_group in self.manifest.documents[:position]
        ]:
            message = f"{group.content_type} has a group already"
            self.files.problem(MANIFEST, f"{path}.contentType", message)
        sources = [
            DocumentSource(
                file=file,
                path=item_path,
                content_type=content_type,
                item=item,
                default_locale=self._default_locale(),
            )
            for file in self._group_files(group, path)
            for item_path, item in self.files.decode_all(file, DocumentItem)
        ]
        self._group_problems(content_type, sources)
        return sources

    def _group_files(self, group: DocumentsItem, path: str) -> list[str]:
        names: dict[str, None] = {}
        for index, pattern in enumerate(group.files):
            files = self.files.matching(pattern)
            if not files:
                self.files.problem(MANIFEST, f"{path}.files[{index}]", f"{pattern} matches no file")
            names.update(dict.fromkeys(files))
        return list(names)

    def _group_problems(self, content_type: ContentType, sources: list[DocumentSource]) -> None:
        keys: set[str] = set()
        for source in sources:
            if source.item.key in keys:
                self.files.problem(
                    source.file, source.json_path("key"), f"{source.item.key} is taken"
                )
            keys.add(source.item.key)
        if content_type.kind is TypeKind.SINGLE and len(sources) > 1:
            message = f"{content_type.uid} is a single type and has one document"
            self.files.problem(sources[1].file, sources[1].path, message)

    def _check(
        self,
        sources: list[DocumentSource],
        locales: tuple[Locale, ...],
        media: tuple[SeedMediaFile, ...],
    ) -> None:
        groups = [group.content_type for group in self.manifest.documents]
        targets = KnownTargets(
            schema=self.schema,
            locales=tuple(locale.code for locale in locales),
            media={file.name: file for file in media},
            documents={
                (source.content_type.uid, source.item.key): source.document() for source in sources
            },
            groups={uid: position for position, uid in enumerate(groups)},
        )
        check = DocumentCheck(targets)
        for source in sources:
            self.files.problems += check.problems(source)

    def _check_public(self) -> None:
        actions = all_actions(self.schema)
        for index, action in enumerate(self.manifest.public):
            if action not in actions:
                self.files.problem(MANIFEST, f"public[{index}]", f"there is no action {action}")

    def _sort_documents(self, group: list[DocumentSource]) -> list[SeedDocument]:
        """Sort a group so that each document comes after those that it refers to."""
        documents = {source.item.key: source.document() for source in group}
        sorter = TopologicalSorter[str]()
        for key in documents:
            sorter.add(key)
        for key, document in documents.items():
            target_keys = references(self.schema, document)
            uid = document.content_type
            sorter.add(key, *(other for type_, other in target_keys if type_ == uid))
        try:
            order = list(sorter.static_order())
        except CycleError as error:
            cycle = " -> ".join(reversed(error.args[1]))
            source = next(
                candidate for candidate in group if candidate.item.key == error.args[1][0]
            )
            self.files.problem(source.file, source.path, f"documents refer in a circle: {cycle}")
            return []
        return [documents[key] for key in order if key in documents]
