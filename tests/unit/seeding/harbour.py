"""A small project with all features of content files: harbours and stories."""

import asyncio
import copy
import json
import sqlite3
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from quire.schema.model import Schema
from quire.seeding.import_content import SeedValues, seed
from quire.seeding.load import read_content
from quire.settings import Settings, load_settings
from tests.unit.database.running import component, content_type, schema_of

JsonObject = dict[str, Any]

NOW = 1_700_000_000_000
LOCALIZED: JsonObject = {"pluginOptions": {"i18n": {"localized": True}}}
DRAFTS: JsonObject = {"options": {"draftAndPublish": True}}
HARBOUR, STORY, NOTICE, ROUTE = (
    f"api::{name}.{name}" for name in ("harbour", "story", "notice", "route")
)
PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x03\x00\x00\x00\x02\x08\x06\x00\x00\x00"
    + bytes(987)
)
"""The head of a picture, three pixels wide and two high, in a file of 1016 bytes."""


def harbour_schema() -> Schema:
    return schema_of(
        content_type(
            "harbour",
            {
                "name": {"type": "string", "required": True, "unique": True},
                "depth": {"type": "decimal", "min": 0.5, "max": 99},
                "berths": {"type": "integer", "default": 10},
                "registry": {"type": "biginteger"},
                "open": {"type": "boolean", "default": True},
                "founded": {"type": "date"},
                "bell": {"type": "time"},
                "surveyed": {"type": "datetime"},
                "code": {"type": "password"},
                "facts": {"type": "json"},
                "picture": {"type": "media"},
                "stories": {"type": "relation", "relation": "oneToMany", "target": STORY,
                            "mappedBy": "harbour"},
            },
        ),
        content_type(
            "story",
            {
                "title": {"type": "string", "required": True, "maxLength": 20, **LOCALIZED},
                "slug": {"type": "uid", "required": True, **LOCALIZED},
                "mood": {"type": "enumeration", "enum": ["calm", "rough"], "default": "calm"},
                "body": {"type": "blocks", **LOCALIZED},
                "pictures": {"type": "media", "multiple": True},
                "harbour": {"type": "relation", "relation": "manyToOne", "target": HARBOUR,
                            "inversedBy": "stories"},
                "related": {"type": "relation", "relation": "manyToMany", "target": STORY,
                            "inversedBy": "mentioned"},
                "mentioned": {"type": "relation", "relation": "manyToMany", "target": STORY,
                              "mappedBy": "related"},
                "start": {"type": "relation", "relation": "oneToOne", "target": HARBOUR,
                          "useJoinTable": False},
                "card": {"type": "component", "component": "part.card", **LOCALIZED},
                "links": {"type": "component", "component": "part.link", "repeatable": True,
                          "max": 2, **LOCALIZED},
                "zone": {"type": "dynamiczone", "components": ["part.card", "part.link"],
                         **LOCALIZED},
            },
            **DRAFTS,
            **LOCALIZED,
        ),
        content_type(
            "notice",
            {
                "text": {"type": "text", "required": True},
                "about": {"type": "relation", "relation": "manyToMany", "target": STORY},
                "lead": {"type": "relation", "relation": "oneToOne", "target": STORY,
                         "useJoinTable": False},
            },
            kind="singleType",
        ),
        content_type("route", {"via": {"type": "string"}}, **DRAFTS),
        component(
            "part.card",
            {
                "heading": {"type": "string", "required": True},
                "image": {"type": "media"},
                "link": {"type": "component", "component": "part.link"},
                "story": {"type": "relation", "relation": "oneToOne", "target": STORY},
            },
        ),
        component(
            "part.link",
            {
                "url": {"type": "string", "required": True},
                "tab": {"type": "boolean", "default": False},
            },
        ),
        component("part.note", {"text": {"type": "string"}}),
    )  # fmt: skip


MANIFEST: JsonObject = {
    "locales": [
        {"code": "de", "name": "German (de)"},
        {"code": "en", "name": "English (en)", "default": True},
    ],
    "documents": [
        {"contentType": HARBOUR, "files": ["harbours.json"]},
        {"contentType": STORY, "files": ["stories/*.json"]},
        {"contentType": NOTICE, "files": ["notice.json"]},
        {"contentType": ROUTE, "files": ["routes.json"]},
    ],
    "media": "media.json",
    "public": [f"{STORY}.find", f"{NOTICE}.find"],
}
FILES: dict[str, Any] = {
    "manifest.json": MANIFEST,
    "media.json": [
        {"file": "Quai à l'aube.PNG", "alternativeText": "A quay", "caption": None},
        {"file": "map.txt"},
    ],
    "harbours.json": [
        {
            "key": "leith",
            "data": {
                "name": "Leith",
                "depth": 9.8,
                "registry": "9007199254740993",
                "founded": "1329-05-28",
                "bell": "06:30:00",
                "surveyed": "2023-11-14T22:13:20.500Z",
                "facts": {"cranes": [1, 2]},
                "picture": "Quai à l'aube.PNG",
            },
        },
        {"key": "wick", "data": {"name": "Wick", "open": False, "berths": None}},
    ],
    "stories/1-later.json": {
        "key": "later",
        "status": "modified",
        "data": {"mood": "rough", "harbour": "leith"},
        "locales": {
            "de": {"status": "published", "data": {"title": "Später", "slug": "spaeter"}},
            "en": {
                "data": {
                    "title": "Later",
                    "slug": "later",
                    "related": ["first"],
                    "start": "wick",
                    "zone": [
                        {"__component": "part.link", "url": "/a"},
                        {"__component": "part.card", "heading": "B", "story": "first"},
                    ],
                },
                "draft": {"title": "Later still", "related": ["unsaid", "first"]},
            },
        },
    },
    "stories/2-first.json": {
        "key": "first",
        "status": "published",
        "data": {"pictures": ["map.txt", "Quai à l'aube.PNG"], "harbour": "leith"},
        "locales": {
            "en": {
                "data": {
                    "title": "First",
                    "slug": "first",
                    "card": {
                        "heading": "C",
                        "image": "Quai à l'aube.PNG",
                        "link": {"url": "/c", "tab": True},
                    },
                    "links": [{"url": "/1"}, {"url": "/2"}],
                    "body": [
                        {"type": "paragraph", "children": [{"type": "text", "text": "Fog."}]},
                        {
                            "type": "image",
                            "image": {"file": "Quai à l'aube.PNG"},
                            "children": [{"type": "text", "text": ""}],
                        },
                    ],
                }
            }
        },
    },
    "stories/3-unsaid.json": {
        "key": "unsaid",
        "status": "draft",
        "locales": {"en": {"data": {"harbour": "wick"}}},
    },
    "notice.json": {
        "key": "notice",
        "data": {"text": "Mind the step", "about": ["first", "unsaid"]},
    },
    "routes.json": [],
}


class Project:
    """The project in a folder, as the files above say, or as a test changed them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = copy.deepcopy(FILES)
        self.media = {"Quai à l'aube.PNG": PIXEL, "map.txt": b"Here be dragons"}
        self.schema = harbour_schema()
        self.advanced: list[str] = []

    def story(self, key: str) -> JsonObject:
        found: JsonObject = next(
            value
            for file, value in self.files.items()
            if file.startswith("stories/") and value["key"] == key
        )
        return found

    def write(self) -> Path:
        content = self.folder / "content"
        for name, value in self.files.items():
            (content / name).parent.mkdir(parents=True, exist_ok=True)
            text = value if isinstance(value, str) else json.dumps(value)
            (content / name).write_text(text, encoding="utf-8")
        (content / "media").mkdir(exist_ok=True)
        for name, data in self.media.items():
            (content / "media" / name).write_bytes(data)
        return content

    @property
    def settings(self) -> Settings:
        return load_settings(self.folder, environ={})

    @property
    def uploads(self) -> list[str]:
        folder = self.settings.uploads.directory
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []

    def seed(self, advance: Callable[[str], None] | None = None) -> None:
        content = read_content(self.write(), self.schema)
        asyncio.run(
            seed(self.settings, self.schema, content, advance or self.advanced.append, chance())
        )

    def rows(self, table: str) -> list[JsonObject]:
        return rows_of(self.settings.database.filename, table)


def chance() -> SeedValues:
    """No chance at all: ids and names of files are counted."""
    ids, suffixes = count(1), count(1)
    return SeedValues(
        clock=lambda: NOW,
        new_id=lambda: f"a{next(ids):023d}",
        new_suffix=lambda: f"{next(suffixes):010x}",
    )


def rows_of(database: Path, table: str) -> list[JsonObject]:
    """Return the rows of a table, without the columns that are null."""
    return [
        {name: value for name, value in row.items() if value is not None}
        for row in _rows(database, table)
    ]


def _rows(database: Path, table: str) -> Iterator[JsonObject]:
    connection = sqlite3.connect(database)
    try:
        found = connection.execute(f'SELECT * FROM "{table}" ORDER BY id')
        names = [column[0] for column in found.description]
        for row in found:
            yield dict(zip(names, row, strict=True))
    finally:
        connection.close()
