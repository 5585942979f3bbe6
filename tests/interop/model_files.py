"""Edits the schema files of a project, like a person with an editor."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

_LOCALIZED: Mapping[str, object] = {"i18n": {"localized": True}}


class ModelFiles:
    """The content types and components of a project, by the names of their folders."""

    def __init__(self, project: Path) -> None:
        self._src = project / "src"

    def edit(
        self,
        name: str,
        attributes: Mapping[str, object],
        *,
        gone: Collection[str] = (),
        options: Mapping[str, object] | None = None,
        localized: bool | None = None,
    ) -> None:
        """Give a type other attributes or options; those that are there stay in their place."""
        raw = self._read(name)
        raw["attributes"] = {
            key: attributes.get(key, value)
            for key, value in {**raw["attributes"], **attributes}.items()
            if key not in gone
        }
        raw["options"] |= options or {}
        if localized is not None:
            raw["pluginOptions"] = _LOCALIZED if localized else {}
            for attribute in raw["attributes"].values():
                attribute.pop("pluginOptions", None)
        self._write(name, raw)

    def add(self, name: str, attributes: Mapping[str, object]) -> None:
        """Make a new collection type."""
        self._write(name, {**_named(name), "options": {}, "attributes": attributes})

    def rename(self, name: str, names: Mapping[str, str]) -> None:
        """Give attributes of a type other names; ``names`` has the later ones by the former."""
        raw = self._read(name)
        raw["attributes"] = {names.get(key, key): v for key, v in raw["attributes"].items()}
        self._write(name, raw)

    def rename_type(self, former: str, later: str) -> None:
        """Give a type to which no other one leads another name, and another table."""
        raw = self._read(former)
        folder = self._src / "api" / former
        (folder / "content-types" / former).rename(folder / "content-types" / later)
        folder.rename(self._src / "api" / later)
        self._write(later, {**raw, **_named(later)})

    def rename_component(self, former: str, later: str) -> None:
        """Give a component another name, and another table."""
        before, after = self._component(former), self._component(later)
        raw = json.loads(before.read_bytes())
        raw["collectionName"] = f"components_{later.replace('.', '_')}s"
        after.write_text(json.dumps(raw), encoding="utf-8")
        before.unlink()
        for file in self._src.rglob("*.json"):
            text = file.read_text(encoding="utf-8")
            file.write_text(text.replace(f'"{former}"', f'"{later}"'), encoding="utf-8")

    def _component(self, uid: str) -> Path:
        category, _, name = uid.partition(".")
        return self._src / "components" / category / f"{name}.json"

    def _file(self, name: str) -> Path:
        return self._src / "api" / name / "content-types" / name / "schema.json"

    def _read(self, name: str) -> dict[str, Any]:
        raw: dict[str, Any] = json.loads(self._file(name).read_bytes())
        return raw

    def _write(self, name: str, raw: Mapping[str, object]) -> None:
        path = self._file(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(raw, indent=2), encoding="utf-8")


def _named(name: str) -> dict[str, object]:
    return {
        "kind": "collectionType",
        "collectionName": f"{name}s",
        "info": {"singularName": name, "pluralName": f"{name}s", "displayName": name.title()},
    }
