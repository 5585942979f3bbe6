"""The order of content types in lists."""

from pathlib import Path

from quire.schema.describe import in_order
from quire.schema.load import load_schema
from tests.unit.schema.trees import type_file, write_tree


def test_types_are_in_the_order_of_their_folders(tmp_path: Path) -> None:
    names = ("post-category", "post", "post2")
    write_tree(tmp_path, *(type_file(name, {"title": {"type": "string"}}) for name in names))

    uids = [content_type.uid for content_type in in_order(load_schema(tmp_path))]

    own = [uid for uid in uids if uid.startswith("api::")]
    assert own == ["api::post.post", "api::post-category.post-category", "api::post2.post2"]
