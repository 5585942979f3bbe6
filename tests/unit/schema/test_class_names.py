"""Names of models as class names."""

from pathlib import Path

from quire.schema.class_names import class_name, class_names
from quire.schema.load import load_schema
from tests.unit.schema.trees import component_file, type_file, write_tree


def test_own_types_have_the_short_names(tmp_path: Path) -> None:
    write_tree(tmp_path, type_file("news-item", {}), component_file("shared.seo", {}))

    names = class_names(load_schema(tmp_path))

    assert names["api::news-item.news-item"] == "NewsItem"
    assert names["shared.seo"] == "SharedSeo"
    assert names["plugin::upload.file"] == "UploadFile"
    assert names["admin::user"] == "AdminUser"


def test_no_two_models_have_the_same_name(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        type_file("upload-file", {}),
        type_file("shared-seo", {}),
        component_file("shared.seo", {}),
    )

    names = class_names(load_schema(tmp_path), reserved=["SharedSeo2"])

    assert names["api::upload-file.upload-file"] == "UploadFile"
    assert names["plugin::upload.file"] == "UploadFile2"
    assert names["api::shared-seo.shared-seo"] == "SharedSeo"
    assert names["shared.seo"] == "SharedSeo3"


def test_a_name_never_begins_with_a_digit() -> None:
    assert class_name("3d-model") == "Type3DModel"
    assert class_name("") == "Type"
