"""Forms as bodies: only text parts become data, and malformed forms are rejected."""

import asyncio
import re

import pytest

from tests.hazards.visitors import FULL, error
from tests.hazards.writing import Editor, shown

BOUNDARY = b"----made-up"
MULTIPART = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY.decode()}"}
URLENCODED = {"Content-Type": "application/x-www-form-urlencoded"}
MISSING = (400, 'Missing "data" payload in the request body')
MALFORMED = (400, "the multipart body cannot be read")
TOO_LARGE = (413, "request entity too large")
END = b"--" + BOUNDARY + b"--\r\n"


def part(name: bytes, text: bytes, more: bytes = b"") -> bytes:
    disposition = b'Content-Disposition: form-data; name="%s"%s' % (name, more)
    return b"--%s\r\n%s\r\n\r\n%s\r\n" % (BOUNDARY, disposition, text)


def file_part(name: bytes, content: bytes) -> bytes:
    return part(name, content, b'; filename="a.txt"\r\nContent-Type: text/plain')


async def sent(editor: Editor, body: bytes, headers: dict[str, str]) -> tuple[int, str]:
    response = await editor.send("POST", "articles", body, headers=headers)
    return response.status, error(response)["message"]


async def test_h117_parts_of_a_form_are_nested_as_named(editor: Editor) -> None:
    """Names are spelled as in query strings; text is taken as it is, percent signs too."""
    body = (
        part(b"data[title]", "50%20 + \u00e9\U0001f600 & = #\r\n".encode())
        + part(b"data[rank]", b"7")
        + part(b"data[seo][metaTitle]", b"Form")
        + part(b"data[sections][0][__component]", b"shared.quote")
        + part(b"data[sections][0][text]", b"Calm")
        + part(b"data[category]", b"1")
        + file_part(b"files.cover", bytes(range(256)) * 100)
        + END
    )
    response = await editor.send("POST", "articles?populate=*", body, headers=MULTIPART)
    entry = shown(response, status=201)
    assert (entry["title"], entry["rank"]) == ("50%20 + \u00e9\U0001f600 & = #\r\n", 7)
    assert (entry["seo"]["metaTitle"], entry["sections"][0]["text"]) == ("Form", "Calm")
    assert (entry["category"]["id"], entry["cover"]) == (1, None)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (part(b"data", b'{"title": "A text"}') + END, MISSING),
        (part(b"data", b"") + END, MISSING),
        (part(b"title", b"x") + END, MISSING),
        (file_part(b"data", b'{"title": "A file"}') + END, MISSING),
        (file_part(b"data[title]", b"A file") + END, MISSING),
        (part(b"", b"x") + END, MISSING),
        (END, MISSING),
        (b"", MISSING),
        (b"--%s\r\nX-Nothing: 1\r\n\r\nx\r\n" % BOUNDARY + END, MISSING),
        (part(b"data[title]", b"No end"), MALFORMED),
        (part(b"data[title]", b"x")[:-9], MALFORMED),
        (b"garbage", MALFORMED),
        (b'{"data": {"title": "JSON"}}', MALFORMED),
        (part(b"data[title]", b"LF").replace(b"\r\n", b"\n") + END, MALFORMED),
        (part(b"data[title]", b"x", b"\r\n" + b"X: " + b"x" * 10_000) + END, MALFORMED),
        (part(b"data[title]", b"x", b"\r\nX: x" * 50) + END, MALFORMED),
        (part(b"n" * 10_000, b"x") + END, MALFORMED),
        (part(b"data[title]", b"x" * 1_100_000) + END, TOO_LARGE),
        (part(b"data[x][]", b"x" * 2_000) * 700 + END, TOO_LARGE),
        (part(b"a", b"") * 1_001 + END, TOO_LARGE),
    ],
    ids=range(20),
)
async def test_h117_forms_are_understood_or_refused(
    editor: Editor, body: bytes, expected: tuple[int, str]
) -> None:
    """A part that holds JSON is text, a part with a file name is a file; the rest is bounded."""
    before = editor.contents()
    async with asyncio.timeout(60):
        assert await sent(editor, body, MULTIPART) == expected
    assert editor.contents() == before


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data",
        "multipart/form-data;",
        "multipart/form-data; boundary",
        "multipart/form-data; boundary=",
        'multipart/form-data; boundary=""',
        "multipart/form-data; boundary=another",
        "multipart/form-data; boundary=" + "x" * 5000,
        "multipart/form-data; charset=utf-16; boundary=\xff",
    ],
)
async def test_h117_a_form_without_its_boundary_is_refused(
    editor: Editor, content_type: str
) -> None:
    """Nothing is guessed from the body."""
    body = part(b"data[title]", b"x") + END
    assert await sent(editor, body, {"Content-Type": content_type}) == MALFORMED


async def test_h117_files_are_read_past(editor: Editor) -> None:
    """Many megabytes of files in a form for content are neither kept nor an error."""
    body = file_part(b"files", bytes(30_000_000)) + part(b"data[title]", b"Past") + END
    response = await editor.send("POST", "articles", body, headers=MULTIPART)
    assert shown(response, status=201)["title"] == "Past"


@pytest.mark.parametrize(
    "names",
    [
        [b"data[a]" + b"[a]" * 3000],
        [b"[" * 3000],
        [b"data[1000000000]", b"data[x]"],
        [b"data[title][$ne]", b"data[title][]", b"data[title]"],
        [b"data[]", b"data[][]", b"data[0][title]"],
        [b"data[__class__]", b"data[constructor][prototype]"],
        [b"data[\xff]", b"data[\0]"],
    ],
)
async def test_h117_odd_names_in_forms_are_answered(editor: Editor, names: list[bytes]) -> None:
    """In either kind of form: depth and numbers in names cost nothing."""
    before = editor.contents()
    multipart = b"".join(part(name, b"x") for name in names) + END
    urlencoded = b"&".join(name + b"=x" for name in names)
    async with asyncio.timeout(30):
        for body, headers in ((multipart, MULTIPART), (urlencoded, URLENCODED)):
            response = await editor.send("POST", "articles", body, headers=headers)
            assert response.status == 400
    assert editor.contents() == before


@pytest.mark.parametrize("name", [b"__proto__", b"data[__proto__][admin]", b"data[seo][__proto__]"])
async def test_h040_prototypes_in_forms_are_no_names(editor: Editor, name: bytes) -> None:
    """They are left out, as from query strings."""
    for body, headers in (
        (part(b"data[title]", b"Form") + part(name, b"1") + END, MULTIPART),
        (b"data[title]=Form&%s=1" % name, URLENCODED),
    ):
        response = await editor.send("POST", "articles?populate=seo", body, headers=headers)
        entry = shown(response, status=201)
        assert (entry["title"], set(entry["seo"] or ()) & {"__proto__", "admin"}) == ("Form", set())


async def test_h118_forms_are_utf8(editor: Editor) -> None:
    """Text that is no UTF-8 is shown as such in either kind of form; escapes that are none stay."""
    text = "\u00e9\u4e16\U0001f600"
    for body, headers, expected in (
        (part(b"data[title]", text.encode()) + END, MULTIPART, text),
        (b"data[title]=" + text.encode(), URLENCODED, text),
        (part(b"data[title]", b"a\xe9b") + END, MULTIPART, "a\ufffdb"),
        (b"data[title]=a\xe9b", URLENCODED, "a\ufffdb"),
        (b"data[title]=a%E9b%", URLENCODED, "a%E9b%"),
        (part(b"data[title]", b"a%E9b%") + END, MULTIPART, "a%E9b%"),
    ):
        response = await editor.send("POST", "articles", body, headers=headers)
        assert shown(response, status=201)["title"] == expected


async def test_h118_a_nul_in_a_form_is_refused(editor: Editor) -> None:
    """As in JSON."""
    for body, headers in (
        (part(b"data[title]", b"a\0b") + END, MULTIPART),
        (b"data[title]=a%00b", URLENCODED),
        (b"data[title]=a\0b", URLENCODED),
    ):
        status, message = await sent(editor, body, headers)
        assert (status, message) == (400, "title must not contain a NUL character")


async def test_h117_a_form_that_is_cut_anywhere_is_refused(editor: Editor) -> None:
    """No form counts before its end has come."""
    whole = part(b"data[title]", b"Whole") + file_part(b"files", b"x") + END
    complete = len(whole) - len(b"\r\n")
    for length in range(1, complete):
        status, _ = await sent(editor, whole[:length], MULTIPART)
        assert status == 400
    response = await editor.send("POST", "articles", whole[:complete], headers=MULTIPART)
    assert shown(response, status=201)["title"] == "Whole"
    listed = await editor.ask("articles?filters[title]=Whole&fields=title", FULL)
    assert len(re.findall(rb'"title":"Whole"', listed.content)) == 1
