"""Links between the pages have existing targets."""

from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.docs.pages import DOCS, ROOT, all_pages, anchors, links, name_of

LINKS = [
    (page, link) for page in all_pages() for link in dict.fromkeys(links(page)) if "://" not in link
]


@pytest.mark.parametrize(
    ("page", "link"), LINKS, ids=[f"{name_of(page)}: {link}" for page, link in LINKS]
)
def test_a_link_leads_somewhere(page: Path, link: str) -> None:
    path, _, fragment = link.partition("#")
    target = (page.parent / unquote(path)).resolve() if path else page

    assert target.exists()
    assert target.is_relative_to(ROOT)
    assert not fragment or fragment in anchors(target)


def test_every_page_is_reached_from_the_index() -> None:
    index = DOCS / "index.md"
    reached = {index}
    waiting = [index]
    while waiting:
        page = waiting.pop()
        targets = (page.parent / link.partition("#")[0] for link in links(page) if ":" not in link)
        new = {target.resolve() for target in targets if target.suffix == ".md"} - reached
        reached |= new
        waiting += new

    assert set(DOCS.rglob("*.md")) <= reached
