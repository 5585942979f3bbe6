"""Type errors that a type checker reports; each line has the expected error."""

from src.api.order.orders import confirm
from src.content import Article, documents
from src.extensions.search import search

from quire import Call, Forbidden, Result, Shape, Write, around, before_write, operator


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


@before_write(Article, on=["create"])  # error: "Write[Article]"
def without_a_write() -> None:
    """Forget the argument."""


@before_write(Article, on=["create"], batch=True)  # error: "Sequence[Write[Article]]"
def with_one_write(write: Write[Article]) -> None:
    """Take one write where there are several."""
    write.set(views=1)


@around(Article, on=["find"])  # error: "Proceed[Article]"
async def without_proceed(call: Call[Article]) -> Result[Article]:
    """Forget the second argument."""
    raise Forbidden


class Card(Shape[Article]):
    """Give a field a wrong default."""

    title: str = 3  # error: "int"


@operator("$of_length", on=["string"], operand="int")  # error: "operand"
def of_length(column: object, value: object) -> object:
    """Name the operand's type in a text."""
    return column == value
