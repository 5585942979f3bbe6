"""A document with its file and position, for messages."""

from msgspec import Struct

from quire.schema.attributes.base import RelationAttribute, ScalarAttribute
from quire.schema.model import ContentType
from quire.seeding.content_files import DocumentItem, VersionItem
from quire.seeding.seed_values import DocumentVersion, SeedDocument


class DocumentSource(Struct, frozen=True, kw_only=True):
    """A document of a file; ``path`` is its position in the file (``[3]``, or empty)."""

    file: str
    path: str
    content_type: ContentType
    item: DocumentItem
    default_locale: str | None

    def items(self) -> dict[str | None, VersionItem]:
        """Return the versions of the file; without locales a single one."""
        if self.item.locales is None:
            return {None: VersionItem(draft=self.item.draft, status=self.item.status)}
        return dict(self.item.locales.items())

    def document(self) -> SeedDocument:
        """Build the document; its versions begin with the default locale."""
        versions = [
            DocumentVersion(
                locale=locale,
                status=version.status or self.item.status,
                values={**self.item.data, **version.data},
                changes=version.draft,
            )
            for locale, version in self.items().items()
        ]
        versions.sort(key=lambda version: version.locale != self.default_locale)
        return SeedDocument(
            content_type=self.content_type.uid, key=self.item.key, versions=tuple(versions)
        )

    def json_path(self, inner: str) -> str:
        """Return the JSON path of something inside the document."""
        return f"{self.path}.{inner}".removeprefix(".")

    def place(self, locale: str | None, name: str, *, draft: bool) -> str:
        """Return the JSON path of an attribute's value: where it is, or where it should be."""
        version = self.items()[locale]
        prefix = "" if locale is None else f"locales.{locale}."
        if draft and name in version.draft:
            return self.json_path(f"{prefix}draft.{name}")
        if name in version.data:
            return self.json_path(f"{prefix}data.{name}")
        if name in self.item.data or not self.belongs_to_locale(name):
            return self.json_path(f"data.{name}")
        return self.json_path(f"{prefix}data.{name}")

    def belongs_to_locale(self, name: str) -> bool:
        """Whether each locale of the document has its own value of an attribute.

        Relations and uids always do, whatever the schema says.
        """
        if not self.content_type.localized:
            return False
        attribute = self.content_type.attributes.get(name)
        if isinstance(attribute, RelationAttribute):
            return True
        is_uid = isinstance(attribute, ScalarAttribute) and attribute.type.name == "uid"
        return attribute is not None and (attribute.localized or is_uid)
