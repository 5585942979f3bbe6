"""Encodes entries as JSON, within the budget of the response.

Entries are encoded inside the program that reads them, so that whoever runs the program decides on
which thread that happens. Many entries are encoded one after the other and not at once, since
nothing else runs in the process while the encoder does.
"""

from collections.abc import Callable, Sequence

from msgspec import Raw

from quire.database.compile.compiled_read import CompiledNode
from quire.database.execute.response_budget import ResponseBudget, encode
from quire.database.execute.row_mappers import Item
from quire.database.program import LONG_COMPUTATION, Program

Present = Callable[[Item], object]
"""Turns an entry into what is encoded in its place."""

Wrap = Callable[[object], object]
"""Turns what is to be encoded into the whole of which it is a part."""


def encode_list(
    node: CompiledNode,
    items: Sequence[Item],
    budget: ResponseBudget,
    present: Present | None = None,
    wrap: Wrap | None = None,
) -> Program[bytes]:
    """Return the entries of a root node as a JSON array, or what that is wrapped into.

    Raises ValidationError when the budget is exceeded.
    """
    if budget.is_long:
        yield LONG_COMPUTATION
        text = _encode_one_by_one(node, items, budget, present, wrap)
    else:
        values = items if present is None else [present(item) for item in items]
        text = encode(values if wrap is None else wrap(values))
    budget.add_encoded(len(text), lambda: _largest_path(node, items))
    return text


def _encode_one_by_one(
    node: CompiledNode,
    items: Sequence[Item],
    budget: ResponseBudget,
    present: Present | None,
    wrap: Wrap | None,
) -> bytes:
    """Encode a list; raises ValidationError as soon as the budget is exceeded."""
    texts: list[bytes] = []
    size = 0
    for item in items:
        text = encode(item if present is None else present(item))
        texts.append(text)
        size += len(text)
        budget.check_encoded(size, lambda: _largest_path(node, items[: len(texts)]))
    array = b"[%s]" % b",".join(texts)
    texts.clear()  # they may take as much memory again
    return array if wrap is None else encode(wrap(Raw(array)))


def encode_entry(
    node: CompiledNode,
    item: Item,
    budget: ResponseBudget,
    present: Present | None = None,
    wrap: Wrap | None = None,
) -> Program[bytes]:
    """Return one entry of a root node as a JSON object, or what that is wrapped into.

    Raises ValidationError when the budget is exceeded.
    """
    if budget.is_long:
        yield LONG_COMPUTATION
    value = item if present is None else present(item)
    text = encode(value if wrap is None else wrap(value))
    budget.add_encoded(len(text), lambda: _largest_path(node, [item]))
    return text


def encode_result(program: Program[object]) -> Program[bytes]:
    """Return what a program returns as JSON, encoded on the thread on which the program ends."""
    return encode((yield from program))


def _largest_path(node: CompiledNode, items: Sequence[Item]) -> str:
    """Return which of the root's edges takes most of the text, ``""`` if the entries do."""
    sizes = {
        edge.path: sum(len(encode(getattr(item, edge.member))) for item in items)
        for edge in node.edges
    }
    sizes[""] = sum(len(encode(item)) for item in items) - sum(sizes.values())
    return max(sizes, key=sizes.__getitem__)
