"""Typed models match responses, pass type checkers, and have the expected text."""

import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from quire.codegen import python_structs, typescript
from quire.codegen.model_classes import ModelClass, ModelClasses, ModelField, make_model_classes
from quire.schema.attributes.json_schema import JsonSchema
from quire.schema.load import load_schema
from quire.schema.model import Schema
from tests.unit.codegen.trees import TREE
from tests.unit.kiosk import Kiosk, open_kiosk
from tests.unit.schema.trees import write_tree

EXPECTED = Path(__file__).parent / "expected"


@pytest.fixture
def schema(tmp_path: Path) -> Schema:
    write_tree(tmp_path, *TREE)
    return load_schema(tmp_path)


@pytest.fixture(scope="module")
async def kiosk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kiosk]:
    async with open_kiosk(tmp_path_factory.mktemp("typed")) as kiosk:
        yield kiosk


def python_of(schema: Schema, *, drafts: bool = False) -> str:
    models = make_model_classes(schema, drafts=drafts, reserved=python_structs.RESERVED_NAMES)
    return python_structs.python_models(models)


def typescript_of(schema: Schema) -> str:
    models = make_model_classes(schema, drafts=False, reserved=typescript.RESERVED_NAMES)
    return typescript.typescript_models(models)


def imported(text: str, folder: Path, name: str) -> Any:  # noqa: ANN401 - a module made at run time
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def list_of(item: Any) -> Any:  # noqa: ANN401 - a type that no type checker has seen
    return list[item]


def test_python_is_written_as_expected(schema: Schema) -> None:
    expected = (EXPECTED / "models.py.txt").read_text(encoding="utf-8")

    assert python_of(schema) == expected.replace("VERSION", schema.version)


def test_typescript_is_written_as_expected(schema: Schema) -> None:
    expected = (EXPECTED / "models.ts.txt").read_text(encoding="utf-8")

    assert typescript_of(schema) == expected.replace("VERSION", schema.version)


@pytest.mark.usefixtures("mypy_cache")
@pytest.mark.parametrize("drafts", [False, True])
def test_python_passes_the_strictest_type_check(
    schema: Schema, tmp_path: Path, *, drafts: bool
) -> None:
    file = tmp_path / "models.py"
    file.write_text(python_of(schema, drafts=drafts), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict"]

    checked = subprocess.run(
        [*command, file], capture_output=True, text=True, check=False, cwd=tmp_path
    )

    assert checked.returncode == 0, checked.stdout


@pytest.mark.skipif(shutil.which("tsc") is None, reason="there is no TypeScript compiler here")
def test_typescript_passes_the_strictest_type_check(schema: Schema, tmp_path: Path) -> None:
    file = tmp_path / "models.ts"
    file.write_text(typescript_of(schema), encoding="utf-8")

    checked = subprocess.run(
        ["tsc", "--strict", "--noEmit", file],  # noqa: S607 - whichever is on PATH
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.returncode == 0, checked.stdout


async def test_responses_fit_with_and_without_populate(kiosk: Kiosk, tmp_path: Path) -> None:
    models = imported(python_of(kiosk.app.schema), tmp_path, "kiosk_models")
    writer = await kiosk.sent("POST", "writers", {"name": "Ines"})
    data = {
        "title": "Tides",
        "price": 2.5,
        "printed": "2026-03-01T06:00:00.000Z",
        "writer": writer["documentId"],
        "lines": [{"text": "High water"}],
    }
    await kiosk.sent("POST", "papers", data)

    plain = (await kiosk.send("GET", "papers")).content
    populated = (await kiosk.send("GET", "papers?populate[writer][populate]=papers")).content
    (paper,) = msgspec.convert(json.loads(plain)["data"], list_of(models.Paper))
    (full,) = msgspec.convert(json.loads(populated)["data"], list_of(models.PaperPopulated))

    assert (paper.title, paper.price, paper.printed.hour) == ("Tides", 2.5, 6)
    assert full.writer.name == "Ines"
    assert full.writer.papers[0].title == "Tides"
    assert full.writer.papers[0].writer is msgspec.UNSET
    assert full.lines is msgspec.UNSET


async def test_a_draft_fits_models_that_are_made_for_drafts(kiosk: Kiosk, tmp_path: Path) -> None:
    strict = imported(python_of(kiosk.app.schema), tmp_path, "strict_models")
    lenient = imported(python_of(kiosk.app.schema, drafts=True), tmp_path, "lenient_models")

    draft = await kiosk.sent("POST", "papers?status=draft", {"price": 1})

    assert msgspec.convert(draft, lenient.Paper).title is None
    with pytest.raises(msgspec.ValidationError, match="title"):
        msgspec.convert(draft, strict.Paper)


def test_items_of_a_zone_are_told_apart(schema: Schema, tmp_path: Path) -> None:
    models = imported(python_of(schema), tmp_path, "zone_models")
    items = b"""[
        {"id": 1, "text": "High water", "__component": "part.quote"},
        {"id": 2, "file": null, "__component": "part.image"}
    ]"""

    zone = list_of(models.PartQuoteInZone | models.PartImageInZone)
    quote, image = msgspec.json.decode(items, type=zone)

    assert isinstance(quote, models.PartQuoteInZone)
    assert isinstance(image, models.PartImageInZone)
    assert (quote.text, image.file) == ("High water", None)


def test_what_no_response_contains_is_in_no_model(schema: Schema) -> None:
    for text in (python_of(schema), typescript_of(schema)):
        assert "margin" not in text
        assert "lock:" not in text
        assert "resetPasswordToken" not in text
        assert "AdminUser" not in text


@pytest.mark.parametrize(
    ("schema", "python", "script"),
    [
        ({"type": "array"}, "list[Any]", "unknown[]"),
        ({"type": "array", "items": False, "prefixItems": [{}]}, "list[Any]", "unknown[]"),
        ({"type": ["array", "null"]}, "list[Any] | None", "unknown[] | null"),
        ({"enum": ["a", None, True]}, 'Literal["a", None, True]', '"a" | null | true'),
        ({"const": False}, "Literal[False]", "false"),
    ],
)
def test_types_of_project_code_are_written(schema: JsonSchema, python: str, script: str) -> None:
    """Those of attributes have no such schemas, but computed fields may."""
    member = ModelField(name="mood", type=schema, nullable=False)
    note = ModelClass(name="Note", uid="api::note.note", about="Notes.", members=[member])
    models = ModelClasses(version="1", classes=[note], shared={})
    assert f"    mood: {python}\n" in python_structs.python_models(models)
    assert f"  mood: {script};\n" in typescript.typescript_models(models)
