"""Custom fields: attributes with the input of a Strapi plugin, stored as an ordinary type.

A schema file has ``"type": "customField"`` with the uid of the field. The plugin registers the uid
with one of the ordinary attribute types, which determines the column and the JSON form. This module
knows the types of well-known fields, and records how a type was found.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, Protocol

from msgspec import Struct

CUSTOM_FIELD = "customField"
"""The attribute type, and the option with the uid of the field."""

FALLBACK_TYPE = "text"
"""The type of unknown fields: its column can store every text."""

Origin = Literal["settings", "well known", "plugin", "database", "assumed"]


class CustomFieldUse(Struct, frozen=True, kw_only=True):
    """One attribute of a custom field.

    ``table`` is the ``collectionName`` of the model, ``raw`` the attribute's object in the file.
    """

    model: str
    table: str
    attribute: str
    uid: str
    raw: Mapping[str, object]


class StorageType(Struct, frozen=True, kw_only=True):
    """The attribute type that a custom field is stored as, and how it was found.

    ``source`` completes the phrase "according to ...".
    """

    name: str
    origin: Origin
    source: str


class CustomField(Struct, frozen=True, kw_only=True):
    """A custom field of a model: the file and the path of its attribute, and its storage type."""

    file: str
    path: str
    uid: str
    type: StorageType

    def __str__(self) -> str:
        return (
            f"{self.file}: {self.path}: {self.uid} is stored as {self.type.name}, "
            f"according to {self.type.source}"
        )


class CustomFieldTypes(Protocol):
    """Finds the storage type of custom fields."""

    def storage_type(self, use: CustomFieldUse) -> StorageType:
        """Return the storage type of a field; there always is one."""


class WellKnownCustomFields:
    """Storage types without a project: the table of well-known fields, else an assumption."""

    def storage_type(self, use: CustomFieldUse) -> StorageType:
        """Return the storage type of a field."""
        return well_known_type(use) or assumed_type(use)


def well_known_type(use: CustomFieldUse) -> StorageType | None:
    """Return the type that the plugin of a well-known field registers it with."""
    name = WELL_KNOWN.get(use.uid)
    if name is None:
        return None
    return StorageType(name=name, origin="well known", source="the plugin's published code")


def assumed_type(use: CustomFieldUse) -> StorageType:
    """Assume a type: JSON where the default value is structured, else text."""
    structured = isinstance(use.raw.get("default"), dict | list)
    return StorageType(
        name="json" if structured else FALLBACK_TYPE,
        origin="assumed",
        source="its default value" if structured else "nothing that is known of it",
    )


WELL_KNOWN: Mapping[str, str] = MappingProxyType(
    {
        # strapi/strapi: packages/plugins/color-picker/server/src/register.ts
        "plugin::color-picker.color": "string",
        # ckeditor/strapi-plugin-ckeditor: server/register.js
        "plugin::ckeditor.CKEditor": "richtext",
        # nshenderov/strapi-plugin-ckeditor: server/src/index.ts
        "plugin::ckeditor5.CKEditor": "richtext",
        # Zaydme/strapi-plugin-multi-select: server/src/register.ts
        "plugin::multi-select.multi-select": "json",
        # SKLINET/strapi-plugin-tinymce: server/src/register.ts
        "plugin::tinymce.tinymce": "richtext",
        # notum-cz/strapi-plugin-tiptap-editor: server/src/fields/richTextField.ts
        "plugin::tiptap-editor.RichText": "text",
        # thinhnd028/strapi-plugin-tiptap-editor: server/src/index.ts
        "plugin::tiptap-editor.tiptap": "richtext",
        # canopas/strapi-plugin-tagsinput: server/src/register.js
        "plugin::tagsinput.tags": "json",
        # codeberryinc/strapi-tagger: server/src/register.ts
        "plugin::tagger.tags": "json",
        # mattmilburn/strapi-plugin-permalinks: server/register.js
        "plugin::permalinks.permalink": "string",
        # lucchev/strapi-plugin-slugify-from-richtext: server/register.ts
        "plugin::slugify-from-richtext.slug-from-richtext": "string",
        # k11k-labs/strapi-plugin-better-blocks: packages/*/server/src/register.ts
        "plugin::better-blocks.better-blocks": "json",
        "plugin::chartkit.chart": "json",
        # samhenderson511/strapi-plugin-icon-picker: server/register.js
        "plugin::icon-picker.IconPicker": "text",
        # XLasel/strapi-plugin-icon-picker: server/src/register.ts
        "plugin::icon-picker.icon": "string",
        # wa2elgomaa/strapi-icon-picker: server/src/register.ts
        "plugin::strapi-icon-picker.icon": "string",
        # johncin/strapi-icon-picker: server/register.ts
        "plugin::strapi-icon-picker.strapi-icon-picker": "json",
        # DanielPantle/strapi-plugin-react-icons: server/register.ts
        "plugin::strapi-react-icons.icon": "string",
        # dhavalrana43/my-strapi-project:
        #   src/plugins/strapi-react-icons-plugin/server/src/register.ts
        "plugin::strapi-react-icons-plugin.icon": "string",
        # mattisvensson/strapi-plugin-webatlas: server/src/register.ts
        "plugin::webatlas.route-picker": "string",
        # Premiate-Edizioni/strapi-plugin-maplibre-field: server/src/register.ts
        "plugin::maplibre-field.map": "json",
        # wisnuwiry/strapi-geodata: server/src/register.ts
        "plugin::strapi-location-picker.location-picker": "json",
        # hheinsoee/strapi-geodata: server/src/register.ts
        "plugin::geodata.geojson": "json",
        # spalz/strapi-plugin-google-map-picker: src/server/register.ts
        "plugin::google-map-picker.place": "string",
        # strapi-plugin-geometry-fields on npm: server/src/register.ts
        "plugin::geometry-fields.geometry": "json",
        # alanzdr/strapi-plugin-dynamic-enumeration-field: server/src/{register,constants}.ts
        "plugin::dynamic-enumeration.dynamic-field": "string",
        # dmitriy-nz/strapi-plugin-remote-select: server/src/register.ts
        "plugin::remote-select.remote-select": "text",
        "plugin::remote-select.remote-select-multi": "json",
        "plugin::remote-select.searchable-remote-select": "text",
        "plugin::remote-select.searchable-remote-select-multi": "json",
        # snitsweb/strapi-plugin-countries-select: server/register.ts
        "plugin::countries-select.select": "json",
        "plugin::countries-select.multiselect": "json",
        # SKLINET/strapi-plugin-video-field: server/src/register.ts
        "plugin::video-field.video": "json",
        # kamil467/strapi-plugin-youtube-preview: server/src/register.ts
        "plugin::youtube-preview.youtube": "string",
        # strapi-plugin-oembed on npm: server/src/register.ts
        "plugin::oembed.oembed": "json",
        # spalz/strapi-plugin-editorjs-field: server/register.ts
        "plugin::editorjs.editorjs": "richtext",
        # patiparnne/strapi-plugin-jodit-editor: server/src/register.ts
        "plugin::jodit-editor.jodit": "richtext",
        # Schero94/Magic-Editor-X: server/src/register.js
        "plugin::magic-editor-x.richtext": "text",
        # uptonking/nostalgia-studio:
        #   cms-strapi/strapi-awesome/plugin-editor-quill/server/src/register.ts
        "plugin::editor-quill.editor-quill": "string",
        # edverillo/mtfn-strapi-editorjs-plugin: server/src/register.ts
        "plugin::mtfn-editor.bolla": "string",
        # propagande-studio/strapi-plugin-text-field-formatting: server/src/register.ts
        "plugin::propagande-text-field-formatting.inline-text-formatter": "text",
        # giollord/strapi: plugins/group-sort-strapi-plugin/server/src/register.ts
        "plugin::group-sort-strapi-plugin.order": "integer",
        "plugin::group-sort-strapi-plugin.order2d": "json",
        # strapi-plugin-sortable-list on npm: server/src/register.ts
        "plugin::strapi-plugin-sortable-list.sortable-list": "json",
        # Edwin-Luijten/strapi-encryptable-field: server/register.ts
        "plugin::encryptable-field.encryptable-field": "text",
        # finnwasabi/strapi-plugin-composite-field: server/src/register.js
        "plugin::composite-field.composite": "string",
        # ethanCKJ/CSEG-strapi: src/plugins/documentation-viewer/server/src/register.ts
        "plugin::documentation-viewer.doc-viewer": "string",
        # strapi-plugin-iconhub on npm: server/src/register.ts
        "plugin::strapi-plugin-iconhub.iconhub": "json",
        # lucide-icon-picker on npm: server/src/register.ts
        "plugin::lucide-icon-picker.lucide-icon": "string",
        # strapi-advanced-uuid on npm: server/register.ts
        "plugin::strapi-advanced-uuid.strapi-advanced-uuid": "uid",
    }
)
"""Storage types by the uid of the field. Each comment names the public code that registers it."""
