"""The page on schema files: its examples load, and it names every type and option."""

import json
import re
from pathlib import Path

import pytest

from quire.schema.attributes import ATTRIBUTE_TYPES
from quire.schema.attributes.base import COMMON_OPTIONS
from quire.schema.load import load_schema
from tests.docs.pages import DOCS, code_spans, read, rows
from tests.unit.schema.trees import write_tree

PAGE = DOCS / "schema.md"
_FILE = re.compile(
    r"^`(?P<path>src/[^`]+\.json)`:\n\n```json\n(?P<text>.*?)^```", re.MULTILINE | re.DOTALL
)
_SPAN = re.compile(r"`([^`]+)`")
_SIDE = re.compile(r'^"(?P<name>\w+)": (?P<attribute>\{.*\})$')


def example(folder: Path) -> Path:
    """Write the files of the page."""
    files = {file["path"]: file["text"] for file in _FILE.finditer(read(PAGE))}
    assert len(files) == 4
    return write_tree(folder, files)


def test_the_example_loads_without_notices(tmp_path: Path) -> None:
    schema = load_schema(example(tmp_path))
    assert [one.uid for one in schema.api_types] == ["api::article.article", "api::author.author"]
    assert schema.components.keys() == {"shared.seo", "shared.quote"}
    assert schema.notices == ()


def sides() -> list[tuple[str, str]]:
    """Both sides of each relation of the table."""
    return [(row[1].strip("`"), row[2].strip("`")) for row in rows(PAGE) if "inversedBy" in row[1]][
        1:
    ]


@pytest.mark.parametrize("texts", sides())
def test_both_sides_of_relations_load(texts: tuple[str, str], tmp_path: Path) -> None:
    example(tmp_path)
    for name, text in zip(("article", "author"), texts, strict=True):
        file = tmp_path / f"src/api/{name}/content-types/{name}/schema.json"
        side = _SIDE.match(text)
        assert side is not None, text
        raw = json.loads(file.read_text(encoding="utf-8"))
        raw["attributes"] = {side["name"]: json.loads(side["attribute"])}
        file.write_text(json.dumps(raw), encoding="utf-8")
    assert load_schema(tmp_path).notices == ()


def test_all_kinds_of_relations_have_both_sides() -> None:
    assert len(sides()) == 3


def test_every_type_and_its_options_are_in_the_table() -> None:
    options = {
        name: {*_SPAN.findall(row[2])}
        for row in rows(PAGE)
        for name in _SPAN.findall(row[0])
        if name in ATTRIBUTE_TYPES
    }
    assert options.keys() == ATTRIBUTE_TYPES.keys()
    for name, type_ in ATTRIBUTE_TYPES.items():
        if name != "relation":
            assert options[name] >= type_.options.keys(), name


def test_every_option_is_on_the_page() -> None:
    spans = set(code_spans(PAGE))
    assert {*COMMON_OPTIONS, *ATTRIBUTE_TYPES["relation"].options} <= spans
