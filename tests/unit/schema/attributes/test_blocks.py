"""Rich text: allowed nodes and their required members."""

from collections.abc import Mapping

import pytest

from quire.schema.attributes.blocks import is_link
from tests.unit.schema.attributes.accepting import accepted, refusals

Node = dict[str, object]
TEXT: Node = {"type": "text", "text": "x"}
IMAGE: Node = {
    "name": "n",
    "url": "u",
    "width": 1,
    "height": 1,
    "hash": "h",
    "ext": "e",
    "mime": "m",
    "size": 1,
    "provider": "p",
    "createdAt": "c",
    "updatedAt": "u",
}


def node(type_: str, *children: object, **more: object) -> Node:
    return {"type": type_, "children": list(children), **more}


def paragraph(*children: object) -> Node:
    return node("paragraph", *children)


def link(url: object, *children: object) -> Node:
    return node("link", *(children or (TEXT,)), url=url)


def problems_of(*nodes: object, draft: bool = False) -> list[tuple[str, str]]:
    """Return the errors of a document, each with its dotted place."""
    found = refusals("blocks", list(nodes), draft=draft)
    return [(".".join(map(str, refusal.value_path)), refusal.message) for refusal in found]


SOUND = [
    paragraph(TEXT),
    paragraph({"type": "text", "text": "", "bold": True, "code": False}),
    paragraph(link("https://example.com")),
    paragraph(link("/x") | {"children": []}),
    node("heading", TEXT, level=1),
    node("quote", TEXT),
    node("code", TEXT),
    node("code", TEXT, language=None),
    node("list", node("list-item", TEXT), format="ordered"),
    node("list", node("list-item"), node("list", node("list-item"), format="unordered"))
    | {"format": "ordered"},
    node("image", TEXT, image=IMAGE),
    node("image", image={**IMAGE, "caption": None, "formats": {"thumbnail": {}}}),
]


@pytest.mark.parametrize("block", SOUND)
def test_a_sound_node_is_kept_as_it_is(block: Node) -> None:
    assert accepted("blocks", [block]) == [block]


def test_members_that_nobody_knows_are_kept() -> None:
    block = paragraph({**TEXT, "colour": "red"}) | {"align": 5}
    assert accepted("blocks", [block]) == [block]


@pytest.mark.parametrize(
    ("block", "kept"),
    [
        (paragraph({"type": "text", "text": 5}), paragraph({"type": "text", "text": "5"})),
        (paragraph({**TEXT, "bold": 1}), paragraph({**TEXT, "bold": True})),
        (node("heading", TEXT, level="2"), node("heading", TEXT, level=2)),
        (node("code", TEXT, language=5), node("code", TEXT, language="5")),
        ({"type": "quote", "children": '[{"type":"text","text":"x"}]'}, node("quote", TEXT)),
    ],
)
def test_values_are_cast_to_what_they_stand_for(block: Node, kept: Node) -> None:
    assert accepted("blocks", [block]) == [kept]


def cast_to(type_name: str, shown: str, source: str) -> str:
    """Say that a value was cast, and is not of the type still."""
    final = f"must be a `{type_name}` type, but the final value was: `{shown}`"
    return f"{final} (cast from the value `{source}`)."


PLACED = "Paragraph node children must have at least one Text or Link node"
NO_TEXT = "Text must be defined with at least an empty string"
INVALID_BLOCKS: list[tuple[object, list[tuple[str, str]]]] = [
    (1, [("0", "Block node is of invalid type")]),
    (None, [("0", "Block node is of invalid type")]),
    ({"children": []}, [("0", "Block node is of invalid type")]),
    ({"type": 5}, [("0", "Block node is of invalid type")]),
    (link("/x"), [("0", "Block node is of invalid type")]),
    (paragraph(), [("0.children", PLACED)]),
    ({"type": "paragraph"}, [("0.children", "is a required field")]),
    (
        {"type": "paragraph", "children": None},
        [("0.children", "must be a `array` type, but the final value was: `null`.")],
    ),
    (
        {"type": "paragraph", "children": "x"},
        [
            (
                "0.children",
                cast_to("array", "null", '"x"'),
            )
        ],
    ),
    (paragraph(1), [("0.children.0", "Inline node must be Text or Link")]),
    (paragraph(None), [("0.children.0", "Inline node must be Text or Link")]),
    (paragraph({"text": "a"}), [("0.children.0", "Inline node must be Text or Link")]),
    (paragraph({"type": "text"}), [("0.children.0.text", NO_TEXT)]),
    (
        paragraph({"type": "text", "text": None}),
        [("0.children.0.text", "must be a `string` type, but the final value was: `null`.")],
    ),
    (
        paragraph({**TEXT, "bold": "yes", "code": None}),
        [
            ("0.children.0.bold", 'must be a `boolean` type, but the final value was: `"yes"`.'),
            ("0.children.0.code", "must be a `boolean` type, but the final value was: `null`."),
        ],
    ),
    (paragraph(link("x")), [("0.children.0.url", "Please specify a valid link.")]),
    (
        paragraph({"type": "link", "children": [TEXT]}),
        [("0.children.0.url", "Please specify a valid link.")],
    ),
    (
        paragraph(link("/x", link("/y"))),
        [
            ("0.children.0.children.0.type", "must be one of the following values: text"),
            ("0.children.0.children.0.text", NO_TEXT),
        ],
    ),
    (
        paragraph(link("/x", 1)),
        [
            (
                "0.children.0.children.0",
                cast_to("object", "null", "1"),
            )
        ],
    ),
    (
        node("heading", level=9),
        [
            ("0.level", "must be one of the following values: 1, 2, 3, 4, 5, 6"),
            ("0.children", "Heading node children must have at least one Text or Link node"),
        ],
    ),
    (node("heading", TEXT), [("0.level", "is a required field")]),
    (
        node("heading", TEXT, level="x"),
        [
            (
                "0.level",
                cast_to("number", "NaN", '"x"'),
            ),
            ("0.level", "must be one of the following values: 1, 2, 3, 4, 5, 6"),
        ],
    ),
    (
        node("quote"),
        [("0.children", "Quote node children must have at least one Text or Link node")],
    ),
    (
        node("code"),
        [("0.children", "Quote node children must have at least one Text or Link node")],
    ),
    (
        node("code", {"text": "x"}),
        [("0.children.0.type", "is a required field")],
    ),
    (
        node("list", format="nope"),
        [
            ("0.format", "must be one of the following values: ordered, unordered"),
            ("0.children", "List node children must have at least one ListItem or ListNode"),
        ],
    ),
    (
        node("list", TEXT, format="ordered"),
        [("0.children.0", "Inline node must be list-item or list")],
    ),
    (
        node("image", TEXT, image=None),
        [("0.image", "must be a `object` type, but the final value was: `null`.")],
    ),
    (
        node("image", TEXT, image={**IMAGE, "name": "", "width": "x"}),
        [
            ("0.image.name", "is a required field"),
            (
                "0.image.width",
                cast_to("number", "NaN", '"x"'),
            ),
        ],
    ),
]


@pytest.mark.parametrize(("block", "problems"), INVALID_BLOCKS)
@pytest.mark.parametrize("draft", [False, True])
def test_an_error_is_reported_with_its_path_also_in_drafts(
    block: object, problems: list[tuple[str, str]], *, draft: bool
) -> None:
    assert problems_of(block, draft=draft) == problems


def test_an_image_without_its_file_lacks_all_that_a_file_has() -> None:
    needed = [name for name in IMAGE if name not in {"alternativeText", "caption"}]
    assert problems_of({"type": "image", "children": [TEXT]}) == [
        (f"0.image.{name}", "is a required field") for name in needed
    ]


def test_the_errors_of_all_nodes_are_reported() -> None:
    assert [place for place, _ in problems_of(1, paragraph(TEXT), paragraph())] == [
        "0",
        "2.children",
    ]


@pytest.mark.parametrize("value", ["x", 5, True, {}])
def test_what_is_no_list_counts_as_null(value: object) -> None:
    assert accepted("blocks", value) is None


@pytest.mark.parametrize(("value", "shown"), [("x", '"x"'), ({}, "{}")])
def test_what_is_no_list_is_refused_where_a_document_is_required(value: object, shown: str) -> None:
    (refusal,) = refusals("blocks", value, {"required": True})
    assert refusal.message == (
        f"must be a `array` type, but the final value was: `null` (cast from the value `{shown}`)."
    )


def test_a_document_may_be_written_as_json_text() -> None:
    assert accepted("blocks", '[{"type":"quote","children":[{"type":"text","text":"x"}]}]') == [
        node("quote", TEXT)
    ]


LINKS = [
    "/x",
    "//x",
    "http://a.de",
    "HTTPS://a.de/b?c#d",
    "ftp://x.de",
    "http:x",
    " http://x.de",
    "http://localhost:3",
    "http://[::1]/x",
    "http://user:pw@x.de:80/p?q#f",
    "http://x/a b",
    "http://ü.de",
    "mailto:a@b.co",
    "tel:1",
]
NO_LINKS = [
    "",
    "x",
    "#a",
    "?a",
    "./a",
    " /x",
    "http://",
    "http://a b",
    "http://x<y",
    "http://a%20b",
    "http://x:99999",
    "javascript:alert(1)",
    "file:///x",
    "data:x",
    "sms:1",
    "ws://x",
]


@pytest.mark.parametrize("text", LINKS)
def test_a_link_leads_to_a_path_or_a_url(text: str) -> None:
    assert is_link(text)


@pytest.mark.parametrize("text", NO_LINKS)
def test_a_link_leads_nowhere_else(text: str) -> None:
    assert not is_link(text)


def test_deep_lists_are_read() -> None:
    deep: Mapping[str, object] = node("list-item", TEXT)
    for _ in range(50):
        deep = node("list", deep, format="ordered")
    assert problems_of(deep) == []
