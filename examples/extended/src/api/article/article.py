"""Articles: slugs, owners, permissions, and the most read ones."""

import re
from collections.abc import Sequence

from src.content import Article, Author, Comment, documents

from quire import (
    Call,
    Page,
    Principal,
    Proceed,
    Result,
    Shape,
    Write,
    around,
    as_system,
    before_write,
    computed,
    now,
    principal,
    route,
    rule,
)


def slugify(text: str) -> str:
    """Return a text as part of an address."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


@before_write(Article, on=["create", "update"], needs=["slug"])
def slug_from_title(write: Write[Article]) -> None:
    """Derive the slug from the title, unless there is one."""
    title = write.data.get("title")
    if isinstance(title, str) and not write.value("slug"):
        write.set(slug=slugify(title))


@before_write(Article, on=["create", "clone"])
def owned_by_its_writer(write: Write[Article]) -> None:
    """Let an article belong to the end user who writes it."""
    if principal().kind == "user":
        write.set(owner=principal().user_id)


@rule(Article, on=["update", "delete"])
def own_articles(who: Principal) -> dict[str, object] | bool:
    """Let end users change their own articles alone."""
    return who.kind != "user" or {"owner": {"id": who.user_id}}


class AuthorName(Shape[Author]):
    """What is shown of an author."""

    name: str


class ArticleCard(Shape[Article]):
    """What is shown of an article in a list."""

    documentId: str
    title: str
    views: int
    author: AuthorName | None = None


@route.get("/articles/popular", public=True)
async def popular(limit: int = 10) -> Page[ArticleCard]:
    """The most read articles."""
    return await documents(Article).find(
        ArticleCard, filters={"views": {"$gt": 0}}, sort="views:desc", page_size=min(limit, 50)
    )


@around(Article, on=["find", "find_one"])
async def hide_embargoed(call: Call[Article], proceed: Proceed[Article]) -> Result[Article]:
    """Show articles under embargo to administrators alone."""
    if principal().kind == "admin":
        return await proceed(call)
    over = {"$or": [{"embargoUntil": {"$null": True}}, {"embargoUntil": {"$lte": now()}}]}
    return await proceed(call.narrow(over))


@computed(Article, needs=["body"])
def readingMinutes(article: Article) -> int:
    """How long it takes to read the article."""
    return len((article.body or "").split()) // 200 + 1


@computed(Article, needs=["documentId"], batch=True, default=False, volatile=True)
async def commentCount(articles: Sequence[Article]) -> Sequence[int]:
    """How many comments there are: counted by one statement for a page, if `fields` names it."""
    with as_system("count comments"):
        counts = await documents(Comment).count_by(
            "article", [article.documentId for article in articles]
        )
    return [counts.get(article.documentId, 0) for article in articles]
