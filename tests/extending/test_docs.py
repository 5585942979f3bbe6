"""The code in the pages on extending loads with the example blog, and does what they say."""

from pathlib import Path

import pytest

import quire
from quire.extensions import load_extensions
from quire.hooks.extensions import Extensions
from quire.hooks.write import Write
from quire.schema.load import load_schema
from tests.docs.pages import DOCS, ROOT, fences

PAGES = sorted((DOCS / "extending").glob("*.md"))
BLOG = ROOT / "examples" / "blog"


def load_page(page: Path, folder: Path) -> Extensions:
    """Write the files of a page, and load them."""
    for fence in fences(page):
        if fence.info == "python":
            first = fence.text.splitlines()[0]
            file = folder / first.removeprefix("# ")
            assert file.is_relative_to(folder / "src"), first
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(fence.text, encoding="utf-8")
    return load_extensions(folder, load_schema(BLOG))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_code_of_a_page_loads(page: Path, tmp_path: Path) -> None:
    assert load_page(page, tmp_path).hooks


def test_the_slug_of_the_first_example_comes_from_the_title(tmp_path: Path) -> None:
    hooks = load_page(DOCS / "extending" / "writes.md", tmp_path).writes
    write = Write[quire.Document](
        uid="api::article.article",
        action="create",
        document_id="a",
        locale="en",
        origin=(),
        data={"title": "Sea & Sun"},
        fields={"title", "slug"},
    )
    for hook in hooks["api::article.article", "create"].before:
        hook.function(write)
    assert write.data == {"title": "Sea & Sun", "slug": "sea-sun"}


def test_every_public_name_has_its_place_in_the_pages() -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    missing = [name for name in quire.__all__ if f"{name}" not in text]
    assert missing == []
    assert all(getattr(quire, name) is not None for name in quire.__all__)
