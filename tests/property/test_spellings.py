"""Different spellings of a query have the same plan and values."""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from tests.library.model import BOOK, LINK, PERSON, SEO, TAG
from tests.library.queries import resolve

Names = Sequence[str]


def same(*spellings: str) -> None:
    """Fail unless all spellings mean the same."""
    first = resolve(spellings[0])
    for spelling in spellings[1:]:
        other = resolve(spelling)
        assert (other.plan, other.values) == (first.plan, first.values), spelling


def lists(parameter: str, texts: Names) -> Iterator[str]:
    """Spell a list of texts in every way that makes one."""
    values = [quote(text) for text in texts]
    yield f"{parameter}={','.join(values)}"
    yield "&".join(f"{parameter}[{index}]={value}" for index, value in enumerate(values))
    yield "&".join(f"{parameter}[]={value}" for value in values)
    yield "&".join(f"{parameter}={value}" for value in values)
    yield "&".join(f"{parameter}%5B{index}%5D={value}" for index, value in enumerate(values))
    yield f"{parameter}={' , '.join(texts)}".replace(" ", "%20")


scalars = st.sampled_from(["title", "rating", "price", "lent", "printed", "createdAt", "slug"])
paths = st.sampled_from(
    ["title", "rating", "createdAt", "author.name", "seo.title", "links.to.title", "cover.name"]
)
orders = st.lists(
    st.tuples(paths, st.sampled_from(["asc", "desc"])),
    min_size=1,
    max_size=4,
    unique_by=lambda order: order[0],
)


@given(st.lists(scalars, min_size=1, max_size=5))
def test_fields(names: list[str]) -> None:
    same(*lists("fields", names))


@given(orders)
def test_sort(asked: list[tuple[str, str]]) -> None:
    texts = [f"{path}:{direction}" for path, direction in asked]
    brackets = ["".join(f"[{name}]" for name in path.split(".")) for path, _ in asked]
    directions = [direction for _, direction in asked]
    pairs = list(zip(brackets, directions, strict=True))
    indexed = "&".join(f"sort[{i}]{path}={way}" for i, (path, way) in enumerate(pairs))
    loud = [f"{path}:{direction.upper()}" for path, direction in asked]
    same(*lists("sort", texts), indexed, *lists("sort", loud))


@given(orders)
def test_an_ascending_order_may_be_left_unsaid(asked: list[tuple[str, str]]) -> None:
    said = [f"{path}:{direction}" for path, direction in asked]
    unsaid = [path if direction == "asc" else f"{path}:desc" for path, direction in asked]
    same(f"sort={','.join(said)}", f"sort={','.join(unsaid)}")


EDGES: Mapping[str, Mapping[str, str | None]] = {
    BOOK: {"author": PERSON, "tags": TAG, "sequel": BOOK, "seo": SEO, "links": LINK, "cover": None},
    PERSON: {"books": BOOK, "photo": None},
    TAG: {},
    SEO: {"tag": TAG, "image": None},
    LINK: {"to": BOOK},
}
"""What can be populated below what; ``None`` is a file, below which nothing is."""

Tree = dict[str, "Tree"]


def trees(uid: str, depth: int) -> st.SearchStrategy[Tree]:
    """Make trees of what is populated below a model."""
    edges = EDGES[uid]
    if not depth or not edges:
        return st.just({})
    below = {
        name: st.just({}) if target is None else trees(target, depth - 1)
        for name, target in edges.items()
    }
    one = st.sampled_from(sorted(below)).flatmap(
        lambda name: st.fixed_dictionaries({name: below[name]})
    )
    return st.lists(one, max_size=3).map(
        lambda parts: {k: v for part in parts for k, v in part.items()}
    )


def dotted(tree: Tree, prefix: str = "") -> Iterator[str]:
    """Write a tree as paths to its leaves."""
    for name, inner in tree.items():
        if inner:
            yield from dotted(inner, f"{prefix}{name}.")
        else:
            yield prefix + name


def nested(tree: Tree, prefix: str = "populate") -> Iterator[str]:
    """Write a tree as objects in objects."""
    for name, inner in tree.items():
        if inner:
            yield from nested(inner, f"{prefix}[{name}][populate]")
        else:
            yield f"{prefix}[{name}]=true"


def mixed(tree: Tree) -> Iterator[str]:
    """Write the first level as an object and what is below as lists of paths."""
    for name, inner in tree.items():
        if inner:
            below = list(dotted(inner))
            yield from (
                f"populate[{name}][populate][{index}]={path}" for index, path in enumerate(below)
            )
        else:
            yield f"populate[{name}]=1"


@given(trees(BOOK, 3).filter(bool))
def test_populate(tree: Tree) -> None:
    same(*lists("populate", list(dotted(tree))), "&".join(nested(tree)), "&".join(mixed(tree)))


values = st.text(st.characters(codec="utf-8"), max_size=5)


@given(st.lists(values, min_size=1, max_size=4))
def test_a_list_of_values(operands: list[str]) -> None:
    encoded = [quote(operand, safe="") for operand in operands]
    same(
        "&".join(f"filters[title][{i}]={value}" for i, value in enumerate(encoded)),
        "&".join(f"filters[title][]={value}" for value in encoded),
        "&".join(f"filters[title][$in][{i}]={value}" for i, value in enumerate(encoded)),
        "&".join(f"filters[title][$in]={value}" for value in encoded),
        "&".join(f"filters%5Btitle%5D[%24in][]={value}" for value in encoded),
    )


@given(values)
def test_equality_may_be_left_unsaid(operand: str) -> None:
    value = quote(operand, safe="")
    same(
        f"filters[title]={value}",
        f"filters[title][$eq]={value}",
        f"filters[$and][0][title]={value}",
        f"filters[$or][0][title][$eq]={value}",
        f"filters[$not][$not][title]={value}",
        f"filters[$not][title][$ne]={value}",
        f"filters[title][$not][$ne]={value}",
    )


@given(values, values)
def test_conditions_side_by_side_are_joined_by_and(first: str, second: str) -> None:
    one, two = quote(first, safe=""), quote(second, safe="")
    same(
        f"filters[title]={one}&filters[slug]={two}",
        f"filters[$and][0][title]={one}&filters[$and][1][slug]={two}",
        f"filters[$and][0][title]={one}&filters[$and][0][slug]={two}",
        f"filters[$not][$or][0][title][$ne]={one}&filters[$not][$or][1][slug][$ne]={two}",
    )
    same(
        f"filters[author][name]={one}&filters[author][documentId]={two}",
        f"filters[author][$and][0][name]={one}&filters[author][$and][1][documentId]={two}",
    )


@given(st.integers(1, 9), st.integers(1, 50))
def test_pages_and_offsets(page: int, size: int) -> None:
    same(
        f"pagination[page]={page}&pagination[pageSize]={size}",
        f"pagination[start]={(page - 1) * size}&pagination[limit]={size}",
    )


@given(st.lists(st.sampled_from(["en", "fr", "de"]), min_size=2, max_size=3))
def test_locales(codes: list[str]) -> None:
    same(*list(lists("locale", codes))[1:5])
