import pytest

from quire.schema.slugs import slug_of


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Hello World", "hello-world"),
        ("Äpfel & Birnen", "aepfel-and-birnen"),
        ("Crème brûlée", "creme-brulee"),
        ("Hello, World! 100%", "hello-world-100"),
        ("fooBar and HTMLParser", "foo-bar-and-html-parser"),
        ("don't  stop", "dont-stop"),
        ("日本語", ""),
        ("  --  ", ""),
    ],
)
def test_a_text_becomes_small_latin_letters_with_hyphens(text: str, slug: str) -> None:
    assert slug_of(text) == slug
