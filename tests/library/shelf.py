"""A generated shelf of books, with related rows for every edge."""

from itertools import pairwise

from tests.library.model import BOOK, HOMEPAGE, LINK, NOTE, PERSON, QUOTE, SEO, TAG
from tests.library.rows import LibraryRows


def fill_shelf(rows: LibraryRows, count: int) -> None:
    """Write ``count`` books, numbered from 1: ``book 1`` by ``author 1`` and so on.

    Each has two editors, two tags and two links, in descending order of their numbers; a cover and
    two pictures; a zone of link, quote, link; a sequel (the next book but for the last); a French
    localization, a draft, and two notes.
    """
    administrator = rows.add("admin::user", firstname="Ada", email="ada@example.com")
    books = [_book(rows, number) for number in range(1, count + 1)]
    for book, sequel in pairwise(books):
        rows.link(BOOK, "sequel", book, sequel)
    home = rows.add(HOMEPAGE, heading="Welcome", locale=None)
    rows.link(HOMEPAGE, "createdBy", home, administrator)
    rows.link(HOMEPAGE, "featured", home, *books)


def _book(rows: LibraryRows, number: int) -> int:
    document = f"book{number:020d}"
    book = rows.add(BOOK, document=document, title=f"book {number}", rating=number % 3)
    rows.add(BOOK, document=document, published=False, title=f"draft {number}")
    rows.add(BOOK, document=document, locale="fr", title=f"livre {number}")
    author = rows.add(PERSON, name=f"author {number}", age=number)
    editors = [rows.add(PERSON, name=f"editor {number}.{i}") for i in (2, 1)]
    rows.link(BOOK, "author", book, author)
    rows.link(BOOK, "editors", book, *editors)
    rows.link(BOOK, "tags", book, *(rows.add(TAG, label=f"tag {number}.{i}") for i in (2, 1)))
    rows.link(BOOK, "cover", book, rows.file(f"cover {number}"))
    rows.link(BOOK, "pictures", book, *(rows.file(f"picture {number}.{i}") for i in (2, 1)))
    _components(rows, book, number)
    notes = [rows.add(NOTE, text=f"note {number}.{i}") for i in (2, 1)]
    for note in notes:
        rows.link(NOTE, "about", note, book, target=BOOK, field="notes")
        rows.link(NOTE, "about", note, author, target=PERSON)
    rows.link(NOTE, "subject", notes[0], book, target=BOOK)
    rows.link(NOTE, "subject", notes[1], author, target=PERSON)
    return book


def _components(rows: LibraryRows, book: int, number: int) -> None:
    seo = rows.component(BOOK, "seo", book, SEO, title=f"seo {number}")
    rows.link(SEO, "image", seo, rows.file(f"image {number}"))
    for order in (2, 1):
        link = rows.component(
            BOOK, "links", book, LINK, order=order, label=f"link {number}.{order}"
        )
        rows.link(LINK, "to", link, book)
    rows.component(BOOK, "sections", book, LINK, order=3, label=f"last {number}")
    quote = rows.component(BOOK, "sections", book, QUOTE, order=2, text=f"quote {number}")
    rows.component(QUOTE, "source", quote, LINK, label=f"source {number}")
    rows.component(BOOK, "sections", book, LINK, order=1, label=f"first {number}")
