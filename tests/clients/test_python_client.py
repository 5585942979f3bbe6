"""Clients of openapi-python-client for both documents, used with the server."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from subprocess import run
from types import ModuleType
from typing import Any

import httpx
import pytest

from tests.clients.blog import Blog, serve_blog
from tests.docs.pages import DOCS, fences

Keep = Callable[[httpx.Client], httpx.Client]
GENERATOR = Path(sys.executable).with_name("openapi-python-client")


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Blog]:
    with serve_blog(tmp_path_factory.mktemp("clients")) as served:
        yield served


@pytest.fixture(scope="module")
def bracket_client() -> type[httpx.Client]:
    """The client that the page on OpenAPI shows."""
    shown = [block.text for block in fences(DOCS / "openapi.md") if block.info == "python"]
    names: dict[str, Any] = {}
    exec(shown[0], names)  # noqa: S102 - it is our own page
    found: type[httpx.Client] = names["BracketClient"]
    return found


@pytest.fixture
def keep() -> Iterator[Keep]:
    """Closes clients when the test is over."""
    with ExitStack() as kept:
        yield kept.enter_context


def generate(document: Path, name: str) -> tuple[ModuleType, str]:
    """Make a package of a document; returns it and what the generator had to say."""
    folder = document.with_name(name)
    config = document.with_name(f"{name}.yml")
    config.write_text(f"package_name_override: {name}\npost_hooks: []\n", encoding="utf-8")
    done = run(
        [
            *(str(GENERATOR), "generate", "--meta", "none", "--path", str(document)),
            *("--output-path", str(folder), "--config", str(config)),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    sys.path.insert(0, str(folder.parent))
    try:
        return import_module(name), done.stdout + done.stderr
    finally:
        sys.path.remove(str(folder.parent))


def test_every_operation_on_content_is_generated_and_works(
    blog: Blog, bracket_client: type[httpx.Client], keep: Keep
) -> None:
    package, said = generate(blog.content, "blog_content")
    base = f"{blog.address}/api"
    headers = {"Authorization": f"Bearer {blog.api_token}"}
    client = package.Client(base_url=base, raise_on_unexpected_status=True)
    client.set_httpx_client(keep(bracket_client(base_url=base, headers=headers)))

    def call(operation: str, **arguments: object) -> Any:  # noqa: ANN401 - of any operation
        return import_module(f"blog_content.api.article.{operation}").sync(
            client=client, **arguments
        )

    models: Any = import_module("blog_content.models")
    name = models.TextOperators(contains="Voss")
    filters = models.ArticleFilters(author=models.AuthorAttributeFilters(name=name))
    populate = models.ArticlePopulateEach.from_dict({"author": {"fields": ["name"]}})
    listed = call("list_articles", filters=filters, populate=populate, paginationpage_size=2)
    data = models.ArticleInput.from_dict({"title": "Generated", "author": 1})
    made = call(
        "create_article",
        body=models.CreateArticleBody(data=data),
        status=models.CreateArticleStatus.DRAFT,
    )
    changed = call(
        "update_article",
        document_id=made.data.document_id,
        body=models.UpdateArticleBody(data=models.ArticleInput.from_dict({"title": "Changed"})),
        status=models.UpdateArticleStatus.DRAFT,
    )
    found = call(
        "find_article",
        document_id=made.data.document_id,
        status=models.FindArticleStatus.DRAFT,
        populate="author",
    )

    assert "WARNING" not in said
    assert "Unable" not in said
    assert len(listed.data) == 2
    assert {article.author.name for article in listed.data} == {"Maren Voss"}
    assert listed.meta.pagination.page_size == 2
    assert listed.meta.pagination.total > 2
    assert (made.data.title, changed.data.title) == ("Generated", "Changed")
    assert (found.data.title, found.data.author.name) == ("Changed", "Maren Voss")


def test_a_nested_parameter_that_was_written_as_text_is_refused(blog: Blog) -> None:
    """What the generated client sends by itself must not be taken for no filter at all."""
    response = httpx.get(f"{blog.address}/api/articles", params={"filters": "{'title': 'x'}"})

    assert response.status_code == 400


def test_operations_of_administrators_are_generated_and_work(
    blog: Blog, bracket_client: type[httpx.Client], keep: Keep
) -> None:
    package, said = generate(blog.admin, "blog_admin")
    headers = {"Authorization": f"Bearer {blog.access_token}"}
    client = package.Client(base_url=blog.address, raise_on_unexpected_status=True)
    client.set_httpx_client(keep(bracket_client(base_url=blog.address, headers=headers)))

    def call(operation: str, **arguments: object) -> Any:  # noqa: ANN401 - of any operation
        module = import_module(f"blog_admin.api.{operation}")
        return module.sync_detailed(client=client, **arguments)

    listed = call(
        "content.get_content_manager_collection_types_by_uid", uid="api::tag.tag", page_size=3
    )
    tokens = call("api_tokens.get_admin_api_tokens")

    # One response is text in lines of JSON, of which no class is made.
    assert said.count("WARNING") == 1
    assert "application/x-ndjson" in said
    assert "will not be generated" not in said
    assert (listed.status_code, len(listed.parsed.results)) == (200, 3)
    assert [token.name for token in tokens.parsed.data] == ["clients"]
