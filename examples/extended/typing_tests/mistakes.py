"""Type errors that a type checker reports; each line has the expected error."""

from src.api.order.orders import confirm
from src.content import Article, ArticleFilters, ArticleInput, documents
from src.extensions.search import search

from quire import (
    Call,
    Forbidden,
    Principal,
    Proceed,
    Result,
    Shape,
    Write,
    around,
    before_write,
    operator,
    rule,
)


async def read() -> None:
    """Misspell fields and arguments."""
    await documents(Article).find(page_sise=3)  # error: "page_sise"
    await documents(Article).create({"title": "A"}, status="drft")  # error: "drft"
    await documents(Article).find(filters={"titel": "A"})  # error: "find"
    await documents(Article).find(filters={"views": "many"})  # error: "find"
    await documents(Article).find(filters={"views": {"$gt": "3"}})  # error: "find"
    await documents(Article).count(filters={"views": {"$more": 3}})  # error: "filters"
    await documents(Article).find(filters={"author": {"nam": "Ada"}})  # error: "find"
    await documents(Article).find(filters={"readingMinutes": 1})  # error: "find"
    await documents(Article).find(filters={"$or": [{"slog": "a"}]})  # error: "find"
    await documents(Article).create({"titel": "A"})  # error: "titel"
    await documents(Article).update("1", {"views": "many"})  # error: "views"
    await documents(Article).create({"readingMinutes": 1})  # error: "readingMinutes"
    await documents(Article).create({"author": {"conect": ["1"]}})  # error: "author"
    await confirm.enqueue(3)  # error: "int"
    print(search.adress)  # error: "adress"


@before_write(Article, on=["crate"])  # error: "crate"
def misspelt_action(write: Write[Article]) -> None:
    """Misspell an action."""
    write.set(views="many")


@before_write(Article, on=["create"])  # error: "Write[Article"
def without_a_write() -> None:
    """Forget the argument."""


@before_write(Article, on=["create"], batch=True)  # error: "Sequence[Write[Article"
def with_one_write(write: Write[Article]) -> None:
    """Take one write where there are several."""
    write.set(views=1)


@around(Article, on=["find"])  # error: "Proceed[Article]"
async def without_proceed(call: Call[Article]) -> Result[Article]:
    """Forget the second argument."""
    raise Forbidden


@rule(Article, on=["update"])
def misspelt_rule(who: Principal) -> ArticleFilters | bool:
    """Misspell a field in the filters of a rule."""
    if who.kind == "admin":
        return True
    if who.kind == "user":
        return {"author": {"id": who.id}}
    return {"autor": {"id": who.id}}  # error: "ArticleFilters"


@around(Article, on=["find"])
async def misspelt_filter(
    call: Call[Article, ArticleFilters], proceed: Proceed[Article]
) -> Result[Article]:
    """Misspell a field, and compare with a wrong value."""
    if call.locale == "en":
        return await proceed(call.narrow({"views": {"$gt": 3}}))
    if call.locale is None:
        return await proceed(call.narrow({"titel": "A"}))  # error: "titel"
    return await proceed(call.narrow({"views": {"$gt": "3"}}))  # error: "views"


@before_write(Article, on=["create"])
def misspelt_data(write: Write[Article, ArticleInput]) -> None:
    """Misspell a field, and set a wrong value."""
    write.set({"titel": "A"})  # error: "ArticleInput"
    write.set({"views": "many"})  # error: "ArticleInput"
    write.set({"title": "A", "views": 3}, rating=4)


@around(Article, on=["create"])
async def misspelt_input(
    call: Call[Article, ArticleFilters, ArticleInput], proceed: Proceed[Article]
) -> Result[Article]:
    """Misspell a field of the data."""
    return await proceed(call.with_data({"titel": "A"}))  # error: "ArticleInput"


class Card(Shape[Article]):
    """Give a field a wrong default."""

    title: str = 3  # error: "int"


@operator("$of_length", on=["string"], operand="int")  # error: "operand"
def of_length(column: object, value: object) -> object:
    """Name the operand's type in a text."""
    return column == value
