from pathlib import Path

import pytest

from bench.project import OWN_TYPES, extra_type_names, make_project
from quire.schema.load import load_schema


def own_types(folder: Path) -> set[str]:
    return {uid for uid in load_schema(folder).content_types if uid.startswith("api::")}


def test_the_model_alone_has_four_content_types(tmp_path: Path) -> None:
    make_project(tmp_path / "project")
    assert len(own_types(tmp_path / "project")) == OWN_TYPES


def test_a_project_can_have_as_many_types_as_are_asked_for(tmp_path: Path) -> None:
    make_project(tmp_path / "project", types=30)
    assert len(own_types(tmp_path / "project")) == 30


def test_a_project_has_no_fewer_types_than_the_model(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not 3"):
        make_project(tmp_path / "project", types=3)


def test_a_project_is_created_again(tmp_path: Path) -> None:
    make_project(tmp_path / "project", types=9)
    make_project(tmp_path / "project")
    assert len(own_types(tmp_path / "project")) == OWN_TYPES


def test_names_of_generated_types_are_distinct() -> None:
    names = extra_type_names(400)
    assert names[:2] == ["extra-aaa", "extra-aab"]
    assert len(set(names)) == 400
